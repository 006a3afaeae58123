"""Real telnet clients: inetutils telnet, PuTTY's plink and TinTin++, each in a terminal of its own."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.e2e.service import PATIENCE, Service, service

Needs = Callable[[str], str]


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service() as running:
        yield running


class Terminal:
    """A program in a pseudo-terminal of 100 columns: what a person would see of it."""

    def __init__(self, *command: str) -> None:
        self.screen = b""
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execve(command[0], command, os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "30"})
        _set_size(self._fd, rows=30, columns=100)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._fd, text.encode())

    def wait_for(self, text: str, *, after: int = 0) -> int:
        """Wait until a text is on the screen; return where it ends."""
        deadline = time.monotonic() + PATIENCE
        while (found := self.screen.find(text.encode(), after)) < 0:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {text!r} in {self.screen[-1500:]!r}"
            try:
                self.screen += os.read(self._fd, 65536)
            except OSError:
                raise AssertionError(f"ended without {text!r}: {self.screen[-1500:]!r}") from None
        return found + len(text.encode())

    def say(self, line: str, answer: str) -> int:
        """Type a line and wait for what it brings."""
        mark = len(self.screen)
        self.type(line + "\r")
        return self.wait_for(answer, after=mark)

    def close(self) -> None:
        """End the program."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)


_numbers = count(1)


def _set_size(fd: int, *, rows: int, columns: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@pytest.fixture(params=["telnet", "plink", "tt++"])
def terminal(request: pytest.FixtureRequest, needs_tool: Needs, server: Service) -> Iterator[Terminal]:
    path = needs_tool("inetutils-telnet" if request.param == "telnet" else request.param)
    port = str(server.telnet_port)
    match request.param:
        case "telnet":
            running = Terminal(path, "127.0.0.1", port)
        case "plink":
            running = Terminal(path, "-telnet", "-P", port, "127.0.0.1")
        case _:
            running = Terminal(path, "-G", "-e", f"#session golf 127.0.0.1 {port}")
    yield running
    running.close()


def test_a_hole_is_begun_and_the_password_stays_hidden(terminal: Terminal) -> None:
    name = f"eve-{next(_numbers)}"
    terminal.wait_for("golfnet")
    terminal.say(f"name {name}", f"You are {name}")
    mark = len(terminal.screen)
    terminal.type("register\r")
    for question in ("Choose a password", "The same password again"):
        terminal.wait_for(question, after=mark)
        terminal.type("open-sesame-17\r")
    terminal.wait_for(f"Your name {name} is registered", after=mark)
    assert b"open-sesame-17" not in terminal.screen
    terminal.say("set width", "Width is 100")
    terminal.say("create four-turn seats=2", "four-turn")
    terminal.say("bot easy", "sits down in seat B")
    assert b"\xff" not in terminal.screen


def test_every_letter_arrives_and_every_line_ends(terminal: Terminal) -> None:
    name = f"Übel{next(_numbers)}"
    terminal.wait_for("golfnet")
    terminal.say(
        f"name {name}", f"{name}\r\n"
    )  # with a LF alone the answer would begin below the end of the echo
    terminal.wait_for(f"You are {name}")
    terminal.say("create four-turn seats=2", "four-turn")
    terminal.say("say 小明 ❤️drax\x7fw", f"{name} (table): 小明 ❤draw")
