"""What golfnet costs, in numbers without noise: calls per command, bytes per connection, words, modules, lines.

``tests/test_budget.py`` compares the numbers with ``budget.toml`` in this folder. A number there may fall but not
rise: ``python -m tests.benchmarks budget --lower`` writes those that have fallen. Nothing is timed.

Calls are those that the main thread makes to functions of golfnet, from receiving a command's bytes until everything it
causes has been sent. The server has SQLite on disk and a hub's sockets. Each number of calls is the lowest of several
counts: the first commands fill caches, and on a busy machine many commands need one more iteration of the event loop.
"""

import contextlib
import gc
import json
import re
import socket
import subprocess
import sys
import tempfile
import tomllib
import tracemalloc
from pathlib import Path
from statistics import mean
from types import FrameType
from typing import Any, Final

import trio
import trio.testing

import golfnet
from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.net.hub import HubTransport
from golfnet.storage.sqlite import SqliteStore
from tests.server import house
from tests.server.house import House, open_house
from tests.server.test_brief_speech import GAMES, words_of_turns

ROOT: Final = Path(__file__).parents[2]
BUDGET: Final = Path(__file__).with_name("budget.toml")

Weights = dict[str, dict[str, int]]
"""For each table of the file, its numbers by name."""

_PACKAGE: Final = str(Path(golfnet.__file__).parent) + "/"
_TIMES: Final = 11
_CONNECTIONS: Final = 200

_START: Final = """
import json, sys
calls = 0
def count(frame, event, arg):
    global calls
    calls += event == "call" and not frame.f_code.co_filename.startswith("<frozen importlib")
sys.setprofile(count)
import golfnet.cli.serve, golfnet.server.hosting
sys.setprofile(None)
own = sum(name.partition(".")[0] == "golfnet" for name in sys.modules)
print(json.dumps({"modules": own, "calls": calls}))
"""


def show(*, lower: bool) -> None:
    """Print every number with its budget; if ``lower``, write the lower numbers."""
    now, allowed = measured(), budget()
    for table, numbers in now.items():
        for name, number in numbers.items():
            print(f"{table:<12} {name:<14} {number:>8,}  of {allowed.get(table, {}).get(name, number):>8,}")
    if lower:
        BUDGET.write_text(_toml(allowed, now), encoding="utf-8")


def budget() -> Weights:
    return tomllib.loads(BUDGET.read_text(encoding="utf-8")) if BUDGET.exists() else {}


def measured() -> Weights:
    return {**trio.run(_traced), "start": start(), "words": words(), **sizes()}


def start() -> dict[str, int]:
    """Return how many of golfnet's modules ``golfnet serve`` loads, and how many Python calls its imports make.

    Searching for files is not counted, as it depends on what is installed where.
    """
    for _ in range(2):  # the first run may have to compile the modules
        done = subprocess.run(
            [sys.executable, "-c", _START], check=True, capture_output=True, text=True, cwd=ROOT
        )
    return dict(json.loads(done.stdout))


def words() -> dict[str, int]:
    """Return how many words a listener hears on average between two of their turns, with brief wording."""
    return {
        "_".join(re.findall("[a-z]+", game)): round(
            mean(trio.run(words_of_turns, game, "brief", clock=trio.testing.MockClock(autojump_threshold=0)))
        )
        for game in GAMES
    }


def sizes() -> Weights:
    """Return the numbers of lines and modules of each part of golfnet, the client, the tests and their golden texts."""
    lines, modules = dict[str, int](), dict[str, int]()
    for package in (*sorted((ROOT / "golfnet").iterdir()), ROOT / "client", ROOT / "tests"):
        if files := list(package.rglob("*.py")) or [package] * (package.suffix == ".py"):
            lines[package.stem] = sum(file.read_bytes().count(b"\n") for file in files)
            modules[package.stem] = len(files)
    golden = [file for name in ("golden", "conversations") for file in (ROOT / "tests").rglob(f"{name}/*")]
    lines["golden"] = sum(
        file.read_bytes().count(b"\n") for file in golden if file.suffix in (".txt", ".jsonl")
    )
    return {"lines": lines, "modules": modules}


async def _traced() -> Weights:
    """Return the calls and files per command, and the bytes per connection."""
    settings: dict[str, Any] = {"connections_per_address": 100_000}
    was, house.over = house.over, "hub"
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with open_house(3, store=SqliteStore(Path(folder) / "budget.db"), **settings) as at:
                commands = await _commands(at)
        async with open_house(3, **settings) as at:
            return {**commands, "bytes": await _bytes(at)}
    finally:
        house.over = was


class _Line:
    """One connection, seen from the client's end."""

    def __init__(self, at: House) -> None:
        self._house = at
        self._sock, self._theirs = socket.socketpair()
        for each in (self._sock, self._theirs):
            each.setblocking(False)

    def connect(self) -> None:
        hub: Any = self._house._hub
        limits = Addresses(self._house.lobby.config.connections_per_address)
        acceptor = LobbyAcceptor(self._house.dispatcher, limits, telnet=False)
        HubTransport(hub, self._theirs, "127.0.0.1", acceptor).open(acceptor.welcome)

    async def ask(self, *lines: str) -> bytes:
        """Send lines, and return what arrives until everything has been stored and sent."""
        gate, received = self._house.lobby.gate, b""
        self._sock.send("".join([line + "\n" for line in lines]).encode())
        while not (received and gate.durable == gate.issued):
            await trio.testing.wait_all_tasks_blocked()
            received += self.read()
            await trio.sleep(0.0005)
        await trio.testing.wait_all_tasks_blocked()
        received += self.read()
        assert b'"error"' not in received, (lines, received)
        assert b"\r\n? " not in received, (lines, received)
        return received

    def read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return self._sock.recv(1 << 20)
        return b""

    def close(self) -> None:
        self._sock.close()


async def _commands(at: House) -> Weights:
    lines = [_Line(at) for _ in range(4 + _TIMES)]
    for line in lines:
        line.connect()
    ann, bob, cleo, dora, *strangers = lines
    for line in (ann, bob, *strangers):
        await line.ask("hello 1")
    for name, line in {"ann": ann, "bob": bob, "cleo": cleo, "dora": dora}.items():
        await line.ask(f"name {name}")
    for table, host, other in (("t1", ann, bob), ("t2", cleo, dora)):
        await host.ask("create six-card seats=2 holes=1 clock=0")
        await other.ask(f"join {table}", "ready")
        await host.ask("ready")
        await host.ask("flip 1 2")
        await other.ask("flip 1 2")
    costs = {
        "ping": [await _cost(ann, "ping") for _ in range(_TIMES)],
        "say": [await _cost(ann, "say hello") for _ in range(_TIMES)],
        "take": [await _cost(line, "take 1") for line in (bob, ann) * _TIMES],
        "take_art": [await _cost(line, "take 1") for line in (dora, cleo) * _TIMES],
        "name": [await _cost(line, f"name guest{number}") for number, line in enumerate(strangers)],
    }
    for line in lines:
        line.close()
    return {
        kind: {name: min([each[of] for each in cost]) for name, cost in costs.items()}
        for of, kind in enumerate(("calls", "files"))
    }


async def _cost(peer: _Line, line: str) -> tuple[int, int]:
    """Return how many calls a line costs, and how many files they touch."""
    peer.read()
    calls, files = 0, set[str]()

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(_PACKAGE):
            calls += 1
            files.add(frame.f_code.co_filename)

    sys.setprofile(count)
    try:
        await peer.ask(line)
    finally:
        sys.setprofile(None)
    return calls, len(files)


async def _bytes(at: House) -> dict[str, int]:
    """Return the bytes per connection: idle, with a name, and with a seat and its share of the table."""
    lines = [_Line(at) for _ in range(_CONNECTIONS)]
    allocated = list[int]()

    def note() -> None:
        for line in lines:
            line.read()
        gc.collect()
        allocated.append(tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    try:
        note()
        for line in lines:
            line.connect()
        note()
        for number, line in enumerate(lines):
            await line.ask("hello 1", f"name p{number}")
        note()
        for number, line in enumerate(lines):
            seat = f"join t{number // 4 + 1}" if number % 4 else "create six-card seats=4 clock=0"
            await line.ask(seat, "ready")
        note()
    finally:
        tracemalloc.stop()
        for line in lines:
            line.close()
    assert [len(table.seating) for table in at.lobby.tables.values()] == [4] * (_CONNECTIONS // 4)
    each = [(after - allocated[0]) // _CONNECTIONS for after in allocated[1:]]
    return dict(zip(("idle", "named", "seated"), each, strict=True))


def _toml(allowed: Weights, now: Weights) -> str:
    """Return the text of the budget with the numbers that have fallen."""
    lines = ["# What golfnet may cost. A number may fall; it rises only with a reason in the same commit."]
    for table, numbers in now.items():
        lines += ["", f"[{table}]"]
        known = allowed.get(table, {})
        lines += [f"{name} = {min(number, known.get(name, number))}" for name, number in numbers.items()]
    return "\n".join(lines) + "\n"
