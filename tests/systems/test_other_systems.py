"""golfnet on systems that lack much of what this one has: the same evening, and the client's screen."""

import socket
import sys
from pathlib import Path

import pytest

from golfnet.cli.main import main
from tests.cli.terminal import Terminal
from tests.systems.evening import Evening
from tests.systems.lacking import SYSTEMS

LACKING = (sys.executable, "-m", "tests.systems.lacking")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _in_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_evening_works_as_on_linux(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")  # the encoding of pipes on Windows
    evening = Evening((*LACKING, system), tmp_path)
    # macOS differs from Linux only in the server and its sockets, so the other steps need no test of their own.
    for step in evening.steps if system == "windows" else (evening.match,):
        step()


def test_the_screen_shows_a_table_and_restores_the_terminal(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path), "NO_MOTION": "1"}
    with Terminal(*LACKING, "windows", "golfnet-client", "--solo", "four-turn", environ=environ) as terminal:
        terminal.wait_for("easy-bot")
        terminal.process.terminate()
        assert terminal.end() == 0
    assert not [*tmp_path.rglob("crash-*.log")]


def test_an_operator_is_told_that_there_is_no_socket(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    assert main(["admin", "status"]) == 2
    assert "no unix sockets" in capsys.readouterr().err
