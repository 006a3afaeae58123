"""The real client in a real terminal with a real server: a hole played with keys, and a cable pulled in mid-turn."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.cluster.wires import Wire
from tests.e2e.service import PATIENCE, Needs, printed, service

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = f"{ROOT / 'client'}{os.pathsep}{ROOT}"


class Pane:
    def __init__(self, tmux: str, folder: Path) -> None:
        self._tmux = [tmux, "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self._folder = folder

    def _run(self, *words: str) -> str:
        return printed(*self._tmux, *words)

    def start(self, command: str, *, width: int = 80, height: int = 24) -> None:
        environment = {"XDG_STATE_HOME": self._folder, "PYTHONPATH": SOURCE, "LC_ALL": "C.UTF-8"}
        words = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        line = f"{sys.executable} -m golfnet_client {command}; echo exit=$?; exec cat"
        self._run("new-session", "-d", "-s", "client", "-x", str(width), "-y", str(height), *words, line)

    def keys(self, *keys: str) -> None:
        self._run("send-keys", "-t", "client", *keys)

    def type(self, text: str) -> None:
        self._run("send-keys", "-t", "client", "-l", text)

    def enter(self, line: str) -> None:
        self.type(line)
        self.keys("Enter")

    def resize(self, width: int, height: int) -> None:
        self._run("resize-window", "-t", "client", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """Return the screen's text, with one space between each key and its meaning."""
        return re.sub(r"(?<=\S)  (?=\S)", " ", self._run("capture-pane", "-p", "-t", "client"))

    def stop(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)

    def until(self, *wanted: str) -> str:
        """Wait until one of the texts is on the screen, and return the screen."""
        return self._wait(lambda screen: any(text in screen for text in wanted), f"one of {wanted}")

    def do(self, key: str) -> str:
        """Press a key, wait until the possible actions change, and return the screen."""
        before = offers(self.screen())
        self.keys(key)
        return self._wait(lambda screen: offers(screen) != before, f"an answer to {key}")

    def _wait(self, is_there: Callable[[str], bool], what: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while not is_there(screen := self.screen()):
            assert time.monotonic() < deadline, f"{what} did not appear; the screen was\n{screen}"
            time.sleep(0.05)
        return screen


@pytest.fixture
def pane(needs_tool: Needs, tmp_path: Path) -> Iterator[Pane]:
    pane = Pane(needs_tool("tmux"), tmp_path)
    yield pane
    pane.stop()


CHIPS = ("d draw", "x discard", "r rematch")
"""The actions whose names on the lines of keys are looked for: only the server changes which are possible."""


def offers(screen: str) -> str:
    """Return the actions offered on the lines of keys, which are just above the command line."""
    lines = " ".join([line[:100] for line in screen.rstrip("\n").splitlines()[-3:]])
    return ", ".join([chip for chip in CHIPS if chip in lines])


def test_a_six_card_hole_can_be_played_with_keys_although_the_cable_is_pulled(pane: Pane) -> None:
    with (
        service("--house-delay", "0", "--start-delay", "0") as running,
        contextlib.closing(Wire(running.port)) as wire,
    ):
        pane.start(f"127.0.0.1:{wire.port}")
        pane.until("What is your name?")
        pane.enter("Ann")
        pane.until("Go to the lobby")
        pane.keys("Down", "Enter")
        pane.until("There are no open tables")
        pane.enter(":create six-card seats=2 holes=1 clock=0 turn_cap=2")
        pane.until("add a bot")
        pane.enter(":bot random")
        for wanted, key in (("-bot", "o"), ("Turn up 2", "1"), ("Turn up one", "2"), ("d draw", "d")):
            pane.until(wanted)
            pane.keys(key)
        pane.until("You hold")

        wire.cut()
        pane.until("onnect")  # "Connection lost", or already "connecting"
        pane.type(":say still here")
        pane.until(": say still here")
        wire.heal()
        screen = pane.until("You hold")
        assert ": say still here" in screen, "typed text is kept"
        pane.keys("Enter")
        pane.until("> Ann: still here")
        pane.resize(160, 50)
        pane.do("3")
        pane.until("d draw")
        pane.do("d")
        pane.do("4")
        pane.until("r rematch")
        pane.until("wins with", "win with")
        pane.keys("v")
        pane.until("best")
        pane.keys("Escape")
        pane.keys("C-c")
        pane.until("exit=0")


def test_an_invalid_address_is_refused_with_a_sentence_and_not_a_traceback(tmp_path: Path) -> None:
    environ = os.environ | {"XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": SOURCE}
    told = printed(sys.executable, "-m", "golfnet_client", "host:port", status=2, env=environ)
    assert "a server such as" in told
    assert "Traceback" not in told
