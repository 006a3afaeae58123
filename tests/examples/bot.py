"""A bot: it plays one match on a golfnet server, sends only what it is allowed to, and reconnects if cut off.

python3 bot.py [HOST [PORT [NAME [RULES]]]]   (standard library only)
"""

import json
import random
import socket
import sys
import time
from typing import Any

USUAL = ["127.0.0.1", "7777", "python-bot", "four-turn"]
HOST, PORT, NAME, RULES = [*sys.argv[1:], *USUAL[len(sys.argv) - 1 :]]
token, prompt = "", dict[str, Any]()


def choose() -> str:
    if "ready" in prompt["actions"]:
        return "ready"
    if prompt["phase"] in ("open", "between") or not prompt["actions"]:
        return ""
    action = random.choice(prompt["actions"])
    count = {"switch": 2, "slam": 1}.get(action, 0)  # arguments of these two: positions
    return " ".join(["3", action, *random.sample(prompt["targets"] if count else [], count)])


def answer(message: dict[str, Any]) -> str:
    global token, prompt
    kind, number = message["type"], message.get("id")
    if kind == "welcome":
        return f"1 resume {token}" if token else f"1 name {NAME}"
    if kind == "ok" and number == 1:  # it names a table if we resumed; fill=5: bots join in 5 s
        token = message.get("token", token)
        return "" if "table" in message else f"2 seek {RULES} seats=2 fill=5"
    if message.get("event") == "match_ended" or message.get("phase") == "finished":  # or after resuming
        print("totals", *message.get("totals", "?"))
        sys.exit()
    if message.get("code") in ("TAKEN_OVER", "FLOOD", "KICKED") or (kind == "error" and number in (1, 2)):
        sys.exit(f"{NAME}: {message['message']}")
    if kind == "prompt":
        prompt = message
    elif kind == "error" and number == 3:
        time.sleep(0.1)  # too fast or too late; the last prompt is still valid
    else:
        return f"pong {message['key']}" if kind == "ping" else ""
    return choose()


while True:
    try:
        server = socket.create_connection((HOST, int(PORT)))
        server.sendall(b"hello 1 client=python-bot\n")
        for line in server.makefile(encoding="utf-8"):
            if line.startswith("{") and (said := answer(json.loads(line))):  # other lines are text
                server.sendall(f"{said}\n".encode())
    except OSError as problem:
        if not token:
            sys.exit(f"{NAME}: {problem}")
    time.sleep(1)  # disconnected, or the server stopped; it keeps our seat for two minutes
