"""A bot: plays one match at a golfnet server, by nothing but what it is told it may send.

python3 bot.py [HOST [PORT [NAME [RULES]]]]   (standard library only)
"""

import json
import random
import socket
import sys
import time
from typing import Any

HOST, PORT, NAME, RULES = [
    *sys.argv[1:],
    *["127.0.0.1", "7777", "python-bot", "four-turn"][len(sys.argv) - 1 :],
]
server = socket.create_connection((HOST, int(PORT)))


def send(line: str) -> None:
    server.sendall(f"{line}\n".encode())


def play(prompt: dict[str, Any]) -> None:
    if "ready" in prompt["actions"]:
        send("ready")
    elif prompt["phase"] not in ("open", "between", "finished") and prompt["actions"]:
        action = random.choice(prompt["actions"])
        count = {"switch": 2, "slam": 1}.get(action, 0)  # these two want positions behind them
        send(" ".join(["3", action, *random.sample(prompt["targets"] if count else [], count)]))


send("hello 1 client=python-bot")
for line in server.makefile(encoding="utf-8"):
    message = json.loads(line) if line.startswith("{") else {"type": "text"}
    if message["type"] == "welcome":
        send(f"1 name {NAME}")
        send(f"2 seek {RULES} seats=2 fill=5")  # the server's own bots take free seats after five seconds
    elif message["type"] == "prompt":
        prompt = message
        play(prompt)
    elif message["type"] == "error" and message.get("id") == 3:
        time.sleep(0.1)  # too fast, or too late; the last prompt still holds
        play(prompt)
    elif message["type"] == "error" and "id" in message:
        sys.exit(f"{NAME}: {message['message']}")
    elif message["type"] == "ping":
        send(f"pong {message['key']}")
    elif message["type"] == "event" and message["event"] == "match_ended":
        print("totals", *message["totals"])
        send("quit")
        break
