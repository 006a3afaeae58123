"""Real telnet clients: inetutils telnet, PuTTY's plink and TinTin++, each in its own terminal."""

import shlex
from collections.abc import Iterator
from itertools import count

import pytest

from tests.cli.terminal import Terminal
from tests.e2e.service import Needs, Service, service


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service() as running:
        yield running


_numbers = count(1)

COMMANDS = {
    "inetutils-telnet": "127.0.0.1 {}",
    "plink": "-telnet -P {} 127.0.0.1",
    "tt++": "-G -e '#session golf 127.0.0.1 {}'",
}


@pytest.fixture(params=COMMANDS)
def terminal(request: pytest.FixtureRequest, needs_tool: Needs, server: Service) -> Iterator[Terminal]:
    """Yield a connected telnet client; its terminal accepts only UTF-8."""
    words = shlex.split(COMMANDS[request.param].format(server.telnet_port))
    size = {"COLUMNS": "100", "LINES": "30"}
    with Terminal(needs_tool(request.param), *words, environ=size, size=(100, 30)) as running:
        running.wait_for("golfnet")
        yield running


def test_letters_arrive_intact_lines_end_with_cr_lf_and_the_password_stays_hidden(terminal: Terminal) -> None:
    name = f"Übel{next(_numbers)}"
    # With LF alone, the reply would begin below the end of the echo.
    terminal.say(f"name {name}", f"{name}\r\n")
    terminal.wait_for(f"You are {name}")
    terminal.say("register", "Choose a password")
    terminal.say("open-sesame-17", "The same password again")
    terminal.say("open-sesame-17", f"Your name {name} is registered")
    assert "open-sesame-17" not in terminal.output
    terminal.say("set width", "Width is 100")
    terminal.say("create four-turn seats=2", "four-turn")
    terminal.say("say 小明 ❤️drax\x7fw", rf"{name} \(table\): 小明 ❤draw")
