"""The command line: what it expects, what it refuses, and what an internal error does."""

import errno
import io
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.connect import Trust, Untrusted
from golfnet.protocol.address import Address
from golfnet_client import app
from golfnet_client.model.remembered import Remembered


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["host:port"], "expected a server"),
        (["host", "port"], "expected a server"),
        (["--solo", "bridge"], "--solo takes a rule set (four-turn"),
        (["--solo", "--bots", "12"], "--bots takes a number from 1 to 11, not 12"),
        (["host", "--solo"], "--solo has its own server"),
        (["--plain"], "--plain needs HOST[:PORT] or --solo"),
        (["host"], "the screen needs a terminal"),
        (["host", "--trust"], "--trust needs a server and TLS"),
        (["--solo", "--trust"], "--trust needs a server and TLS"),
    ],
)
def test_invalid_arguments_say_what_was_expected(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(words) == app.USAGE
    said = capsys.readouterr().err
    assert expected in said
    assert said.startswith("golfnet-client: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "this terminal (TERM=dumb) can show only lines: give HOST[:PORT] or --solo"),
        (["host"], "plain host:7777"),
        (["host:7000"], "plain host:7000"),
        (["host", "7000"], "plain host:7000"),
    ],
)
def test_a_dumb_terminal_gets_the_plain_client(
    words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(app, "_run_plain", lambda _args, address, _remembered: print("plain", address))
    app.main(words)
    out, err = capsys.readouterr()
    assert expected in out + err
    assert "\x1b" not in out + err


def test_an_internal_error_prints_one_line_and_writes_the_rest_to_a_log_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Interrupts and closed terminals are no errors: nothing is printed or written."""
    problems = [KeyboardInterrupt(), OSError(errno.EIO, "closed"), ZeroDivisionError("an internal error")]

    def ended(args: Any) -> int:
        raise problems.pop(0)

    monkeypatch.setattr(app, "_run", ended)
    assert [app.main([]), app.main([])] == [app.INTERRUPTED, app.FAULT]
    assert capsys.readouterr().err == ""
    assert app.main([]) == app.FAULT
    (log,) = (tmp_path / "golfnet").glob("crash-*.log")
    assert "an internal error" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    said = capsys.readouterr().err
    assert str(log) in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("words", [["--trust"], []])
def test_a_changed_server_key_is_accepted_only_with_an_option(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the option nothing is sent or retried, and the client says what to do."""
    problem = Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "")

    async def connect(address: Address, trust: Trust) -> trio.abc.Stream:
        if trust.known != problem.shown:
            raise problem
        raise OSError("nobody is there any more")

    monkeypatch.setattr("golfnet.connect.open_stream", connect)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    if words:
        assert app.main([*words, "--plain", "tls://golf"]) == app.OK
        assert Remembered().trust("tls://golf:7779").known == "key:2"
    else:
        assert app.main(["--plain", "tls://golf"]) == app.FAULT
        assert "start the client with --trust" in capsys.readouterr().out
        assert Remembered().trust("tls://golf:7779").known == ""
