"""No program lets strangers control the terminal: each is fed hostile text, and its output is checked."""

import ast
import contextlib
import json
import socket
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from golfnet.cli import discover, output
from golfnet.cli.main import _report_bug
from golfnet.protocol.text.typeset import STYLES
from golfnet.server.operations.lan import Found
from tests.cli.conftest import Golfnet
from tests.storage import matches
from tests.storage.matches import record_of, rules_of

Said = Callable[..., str]

HOSTILE = "Eve\x1b]0;PWNED\x07\x1b[2J\x9b31m\x1bP1\x1b\\\u202egnorw\u2066\u200b\u2028\rforged\n! forged\x00"
"""A title, a cleared screen, a C1 colour, a device control string, right-to-left text, and forged lines."""

CLI = Path(output.__file__).parent


def check(text: str) -> str:
    """Return what was written, without this program's colours; check that nothing in it controls a terminal."""
    for style in STYLES:
        text = text.replace(style, "")
    steering = [
        char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") and char != "\n"
    ]
    assert not steering
    return text


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a valid record with a hostile player name."""
    monkeypatch.setattr(matches, "NAMES", (HOSTILE, "Bob", "Cy"))
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("six-card", holes=1), seed=1)))
    return str(path)


@pytest.fixture
def said(golfnet: Golfnet) -> Said:
    """Return a function that runs ``golfnet`` and returns what it has written."""

    def run(*words: object) -> str:
        ran = golfnet(*words)
        return check(ran.out + ran.err)

    return run


def test_verify_replay_and_export_write_nothing_hostile(record: str, tmp_path: Path, said: Said) -> None:
    wrong = "WRONG at line 1, seats: expected names of 1 to 20 visible characters"
    assert wrong in said("verify", record)
    for style in ("art", "plain", "speech"):
        assert "Bob" in said("replay", record, "--style", style)
    bad = tmp_path / "bad.jsonl"
    for text in (json.dumps({"format": HOSTILE}, ensure_ascii=False), json.dumps({HOSTILE: 1}), HOSTILE):
        bad.write_text(text)
        for command in ("verify", "replay"):
            assert "line 1" in said(command, bad)
    assert "golfnet export: " in said("export", "m1", "--db", tmp_path / HOSTILE.replace("\0", ""))


def test_discover_writes_nothing_hostile(
    monkeypatch: pytest.MonkeyPatch, golfnet: Golfnet, said: Said
) -> None:
    found = Found(HOSTILE, ("192.0.2.1",), 7777, {HOSTILE: HOSTILE, "tls_port": HOSTILE})
    monkeypatch.setattr(discover, "discover", lambda seconds: [found])
    assert said("discover").startswith("Eve")
    written = golfnet("discover", "--json").out
    assert json.loads(written)["name"] == HOSTILE, "a program gets it unchanged, but escaped"
    assert written.isascii()


def serving(listener: socket.socket, answer: bytes) -> None:
    """Answer every line of one client until it disconnects."""
    stream, _ = listener.accept()
    with stream, stream.makefile("rb") as lines, contextlib.suppress(ConnectionResetError):
        for line in lines:  # a client that leaves before it has read everything resets the connection
            number = line.split()[0].decode()
            stream.sendall(answer.replace(b'"NUMBER"', number.encode()))


@pytest.mark.parametrize(
    "answer", [{"ok": False, "error": HOSTILE}, {"ok": True, "rows": [{"name": HOSTILE, HOSTILE: 1}]}]
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_admin_writes_nothing_hostile(answer: object, flags: list[str], tmp_path: Path, said: Said) -> None:
    sent = json.dumps(answer, ensure_ascii=False).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "admin"))
        listener.listen()
        server = threading.Thread(target=serving, args=(listener, sent))
        server.start()
        assert "Eve" in said("admin", "--admin-socket", tmp_path / "admin", *flags, "who")
        server.join()


def reply(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


OK = reply(type="ok", id="NUMBER", name="Robo", token="t" * 24)


@pytest.mark.parametrize(
    "answer",
    [
        reply(type="error", id="NUMBER", code="NAME_TAKEN", message=HOSTILE, retry=False),
        reply(type="error", id="NUMBER", code=HOSTILE, message=HOSTILE, retry=False),
        reply(type="bye", code="KICKED", message=HOSTILE),
        OK
        + reply(type="notice", code="PAUSED", text=HOSTILE)
        + reply(type="bye", code="FLOOD", message=HOSTILE),
    ],
    ids=["refused", "unknown code", "goodbye", "notice"],
)
def test_bot_writes_nothing_hostile(answer: bytes, said: Said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serving, args=(listener, answer))
        server.start()
        told = said("bot", "--connect", f"127.0.0.1:{listener.getsockname()[1]}", "--name", "Robo")
        server.join()
    assert "Eve" in told


def test_an_internal_errors_report_has_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError as fault:
        _report_bug(type(fault), fault, fault.__traceback__)
    assert "ValueError: Eve" in check(capsys.readouterr().err)


def test_the_programs_own_colours_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    output.show_drawn(f"  {STYLES[0]}7♥{STYLES[1]} \x1b[8m\x1b]0;x\x07  9♣")
    assert capsys.readouterr().out == f"  {STYLES[0]}7♥{STYLES[1]}   9♣\n"


OWN_WORDS = {
    "main.py": "the traceback of an internal error, cleaned there",
    "arena.py": "only this program's own text, with a line that is redrawn",
    "config.py": "a settings file, which must keep the given values exactly; its strings are escaped",
    "schema.py": "only this program's own text",
    "serve.py": "only addresses and a QR code",
    "export.py": "an unchanged record, for a file or another program",
}


def test_only_one_module_prints_text_from_strangers() -> None:
    """All other modules print through ``output``, unless ``OWN_WORDS`` gives a reason."""
    for path in CLI.glob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text()))]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert "print" not in names or path.name in {*OWN_WORDS, "output.py"}, path
