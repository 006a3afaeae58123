"""Two real servers on one real PostgreSQL: people of both play at one table, and go on when one of them is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.service import GOLFNET, PATIENCE, Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgres import Engine


class Nodes:
    """Servers on one database, with a folder each."""

    def __init__(self, url: str, folder: Path, running: contextlib.ExitStack) -> None:
        self._url = url
        self._folder = folder
        self._running = running
        self._secret = folder / "secret"
        self._secret.write_text("a secret of all nodes\n")

    def start(self, name: str) -> Service:
        """Start a node; a name is that of its folder."""
        server = Service(
            *("--cluster", "--cluster-secret", str(self._secret), "--database", self._url),
            *("--admin-socket", str(self._folder / f"{name}.socket"), "--drain-time", "0"),
            env=os.environ | {"XDG_STATE_HOME": str(self._folder / name)},
        )
        self._running.callback(server.stop, kill=True)
        return server

    def operate(self, name: str, *words: str) -> tuple[int, str]:
        """Return the exit status and the output of an operation at a node."""
        return self._run("admin", "--admin-socket", str(self._folder / f"{name}.socket"), *words)

    def look(self) -> tuple[int, str]:
        """Return the exit status and the screen of all nodes."""
        return self._run("cluster", "--database", self._url)

    def _run(self, *words: str) -> tuple[int, str]:
        done = subprocess.run([GOLFNET, *words], capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout

    def program(self, server: Service, name: str) -> Program:
        """Connect a program with a name."""
        program = self.stranger(server)
        program.token = program.ask(f"name {name}")["token"]
        return program

    def stranger(self, server: Service) -> Program:
        """Connect a program without a name."""
        program = Program(server.port)
        self._running.callback(program.close)
        program.ask("hello 1")
        return program


class Program:
    """A program's end of a connection."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._lines = self.sock.makefile("rb")
        self.objects: list[dict[str, Any]] = []
        self.token = ""

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self.sock.close()

    def wait_for(self, **wanted: object) -> dict[str, Any]:
        """Return the next object with some fields."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            line = self._lines.readline()
            assert line, self.objects[-5:]
            if not line.startswith(b"{"):  # the greeting
                continue
            self.objects.append(json.loads(line))
            if wanted.items() <= self.objects[-1].items():
                return self.objects[-1]
        raise AssertionError(f"no {wanted} in {self.objects[-5:]}")

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line and return its ok."""
        number = len(self.objects) + 1
        self.sock.sendall(f"{number} {line}\n".encode())
        answer = self.wait_for(id=number)
        assert answer["type"] == "ok", (line, answer)
        return answer


@pytest.fixture
def nodes(postgres: Engine, tmp_path: Path) -> Iterator[Nodes]:
    with contextlib.ExitStack() as running:
        yield Nodes(postgres.new_url(), tmp_path, running)


def test_players_of_two_nodes_share_a_table_and_outlive_its_node(nodes: Nodes) -> None:
    first, second = nodes.start("first"), nodes.start("second")
    ann, ben = nodes.program(first, "Ann"), nodes.program(second, "Ben")
    table = ann.ask("create four-turn seats=2 clock=0")["table"]
    assert ben.ask(f"join {table}")["table"] == table
    ben.ask("ready")
    ann.ask("ready")
    ben.wait_for(type="prompt")
    ben.ask("peek 3 4")
    ann.wait_for(type="event", event="peeked", seat="B")
    ben.ask("tell Ann hello")
    assert ann.wait_for(type="chat")["text"] == "hello"

    os.kill(first.process.pid, signal.SIGKILL)
    assert ben.wait_for(type="notice")["code"] == "MOVING"
    third = nodes.start("third")
    assert ben.wait_for(type="view")["table"] == table
    again = nodes.stranger(third)
    assert again.ask(f"resume {ann.token}")["table"] == table
    again.ask("say here I am")
    assert ben.wait_for(type="chat")["text"] == "here I am"
    assert "has ended without a word" in third.printed
    assert (third.stop(), second.stop()) == (0, 0)


def test_a_name_of_one_node_is_taken_at_the_other_and_its_token_works_there(nodes: Nodes) -> None:
    first, second = nodes.start("first"), nodes.start("second")
    ann = nodes.program(first, "Ann")
    other = nodes.stranger(second)
    other.sock.sendall(b"7 name Ann\n")
    assert other.wait_for(id=7)["code"] == "NAME_TAKEN"
    assert other.ask(f"resume {ann.token}")["name"] == "Ann"
    assert ann.wait_for(type="bye")["code"] == "TAKEN_OVER"


def test_an_operator_reaches_everybody_from_any_node_and_sees_who_is_gone(nodes: Nodes) -> None:
    first, second = nodes.start("first"), nodes.start("second")
    ann, _ = nodes.program(first, "Ann"), nodes.program(second, "Ben")
    table = ann.ask("create four-turn seats=2 clock=0")["table"]
    assert nodes.operate("second", "announce", "Tea is ready") == (0, "told: 2\n")
    assert ann.wait_for(type="notice", code="ANNOUNCEMENT")["text"] == "Tea is ready"
    deadline = time.monotonic() + PATIENCE
    while table not in nodes.operate("second", "tables")[1] and time.monotonic() < deadline:
        time.sleep(0.1)  # what is listed is a second old
    status, closed = nodes.operate("second", "close", table)
    assert (status, closed.splitlines()[0]) == (0, f"closed: {table}")
    status, kicked = nodes.operate("second", "kick", "ann")
    assert (status, kicked.splitlines()[0]) == (0, "kicked: Ann")
    assert ann.wait_for(type="bye")["code"] == "KICKED"

    status, screen = nodes.look()
    assert status == 0, screen
    assert screen.startswith("golfnet cluster: all is well")
    os.kill(first.process.pid, signal.SIGKILL)
    while time.monotonic() < deadline:
        _, screen = nodes.look()
        if "no sign of life" in screen or "without a word" in screen:  # as soon as another node has noticed
            break
        time.sleep(0.2)
    else:
        raise AssertionError(screen)
    assert second.stop() == 0
    status, screen = nodes.look()
    assert status == 1, screen
    assert "stopped" in screen
