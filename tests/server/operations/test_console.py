import io
import json
import logging
import os
import pty
import random
import re
import select
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
import trio

from golfnet.server.operations.console import SELDOM_SECONDS, Console, Seldom, record_operation, set_up
from tests.server.house import open_house, play_at_random


class Screen:
    """The far end of a terminal that a console writes to."""

    def __init__(self) -> None:
        self.far, near = pty.openpty()
        self.near: TextIO = os.fdopen(near, "w", encoding="utf-8")

    def read(self) -> str:
        data = b""
        while select.select([self.far], [], [], 0.05)[0]:
            data += os.read(self.far, 65536)
        return data.decode().replace("\r\n", "\n")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    made = Screen()
    # The terminal is not this process's own, so a fake says which process is in the foreground.
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    yield made
    os.close(made.far)
    made.near.close()


def console(screen: Screen, **environ: str) -> Console:
    return Console(screen.near, {"TERM": "xterm", **environ})


def test_a_file_gets_plain_lines_only() -> None:
    out = io.StringIO()
    plain = Console(out, {"TERM": "xterm"})
    plain.show("1 here: Ann")
    plain.tell("golfnet is open")
    assert out.getvalue() == "golfnet is open\n"
    assert [plain.is_terminal, plain.has_colors] == [False, False]
    assert plain.above(out) is out


def test_a_dumb_terminal_gets_plain_lines_only_and_colours_can_be_turned_off(screen: Screen) -> None:
    for term in ("dumb", ""):
        dumb = console(screen, TERM=term)
        dumb.show("1 here: Ann")
        dumb.tell("open")
        assert screen.read() == "open\n"
        assert not dumb.has_colors
    assert console(screen).has_colors
    assert not console(screen, NO_COLOR="1").has_colors


def test_the_status_line_is_redrawn_in_place_and_log_lines_go_above_it(screen: Screen) -> None:
    live = console(screen)
    live.show("1 here: Ann")
    assert screen.read() == "\r\x1b[K1 here: Ann"
    live.show("1 here: Ann")
    assert screen.read() == "", "an unchanged line is not drawn again"
    live.tell("Stopping")
    assert screen.read() == "\r\x1b[KStopping\n\r\x1b[K1 here: Ann"
    live.show("")
    assert screen.read() == "\r\x1b[K"
    live.tell("Stopped")
    assert screen.read() == "Stopped\n"


def test_log_lines_from_many_threads_go_above_the_status_line(screen: Screen) -> None:
    live = console(screen)
    live.show("1 here: Ann")
    log = live.above(screen.near)
    threads = [threading.Thread(target=log.write, args=(f"line {number}\n",)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = re.sub(r"[^\n]*\r\x1b\[K", "", screen.read()).split("\n")
    assert sorted(rows[:-1]) == sorted(f"line {number}" for number in range(20))
    assert rows[-1] == "1 here: Ann"


def test_long_lines_are_cut_and_control_characters_never_reach_the_terminal(screen: Screen) -> None:
    live = console(screen)
    assert live.size == (80, 24), "for a terminal that does not know its size"
    termios.tcsetwinsize(screen.near.fileno(), (24, 20))
    assert live.size == (20, 24)
    live.show(f"\x1b[2J{'x' * 30}")
    drawn = screen.read().removeprefix("\r\x1b[K")
    assert "\x1b" not in drawn
    assert len(drawn) == 19
    assert drawn.endswith("…")


def test_nothing_is_drawn_in_the_background(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp() + 1)
    console(screen).show("1 here: Ann")
    assert screen.read() == ""


def test_a_stopped_or_closed_terminal_blocks_nobody(screen: Screen) -> None:
    live = console(screen)
    termios.tcflow(screen.near.fileno(), termios.TCOOFF)
    for number in range(100_000 // 20):
        live.show(f"line {number} of many")
    termios.tcflow(screen.near.fileno(), termios.TCOON)
    live.show("moving again")
    assert screen.read().endswith("moving again")
    os.close(screen.far)
    live.show("nobody sees this")
    live.tell("nor this")
    screen.far = os.open(os.devnull, os.O_RDONLY)


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Yield the log of this process, including debug records, as a server would write it."""
    root, ours = logging.getLogger(), logging.getLogger("golfnet")
    before = (root.handlers[:], root.level, ours.level)
    stream = io.StringIO()
    root.handlers.clear()
    set_up(stream, as_json=True, verbose=True)
    yield stream
    root.handlers[:], level, ours_level = before
    root.setLevel(level)
    ours.setLevel(ours_level)


def test_each_record_is_one_line_of_json_and_libraries_log_only_warnings(written: io.StringIO) -> None:
    ours, library = logging.getLogger("golfnet.x"), logging.getLogger("zeroconf")
    ours.debug('a "%s"\nline', "b")
    library.info("chatter")
    library.warning("trouble")
    try:
        raise LookupError("lost")
    except LookupError:
        ours.exception("it failed")
    told = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(each["level"], each["logger"], each["text"]) for each in told] == [
        ("debug", "golfnet.x", 'a "b"\nline'),
        ("warning", "zeroconf", "trouble"),
        ("error", "golfnet.x", "it failed"),
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told[0]["time"])
    assert told[2]["traceback"].endswith("LookupError: lost")


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("variant", ["cactus", "six-card"])
async def test_the_log_contains_no_cards_passwords_tokens_or_chat(
    written: io.StringIO, variant: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with open_house(seed=3) as house:
        programs = await house.table(f"{variant} seats=2 holes=1", "Ann", "Bob")
        carol = await house.program("Carol")
        await carol.send("register opensesame1")
        await programs[1].done("say the fox is out")
        await programs[1].ask("tell Ann the fox is out")
        stranger = await house.connect()
        await stranger.say("resume wrongsesame2")
        await stranger.say("login Ann wrongsesame1")
        await programs[0].ask("swap queen of hearts")
        await play_at_random(programs, random.Random(5))
    log = written.getvalue()
    texts = [json.loads(line)["text"] for line in log.splitlines()]
    assert any(text.startswith("draw from ") for text in texts)  # names of commands are logged
    for secret in ("sesame", "fox", "queen", *[program.token for program in (*programs, carol)]):
        assert secret not in log
    assert programs[0].events("hole_ended")[0]["seed"] not in log
    assert not re.search(r"\b(?:A|[0-9]|10|J|Q|K)[SHDC]\b", " ".join(texts))


def test_repeated_connection_problems_are_logged_once_a_minute_without_a_traceback() -> None:
    now = 1000.0
    seldom = Seldom(lambda: now)

    def written(name: str, text: str) -> str | None:
        problem = (ValueError, ValueError("x"), None)
        record = logging.LogRecord(name, logging.ERROR, "x.py", 1, "%s", (text,), problem)
        passes = seldom.filter(record)
        assert bool(record.exc_info) is (not passes or name == "other")
        return record.getMessage() if passes else None

    assert written("trio.serve_listeners", "100% full") == "100% full"
    for _ in range(600):
        assert written("trio.serve_listeners", "full") is None
        assert written("other", "one") == "one"
    assert written("golfnet.server.net.kernel", "away") == "away"
    now += SELDOM_SECONDS
    assert written("trio.serve_listeners", "100% full") == "100% full (600 more like this in between)"
    assert written("trio.serve_listeners", "full") is None
    now += SELDOM_SECONDS
    assert written("golfnet.server.net.kernel", "away") == "away"


@pytest.mark.parametrize("path", ["audit.jsonl", None, ".", "none/audit.jsonl"])
def test_even_without_an_audit_file_the_log_says_who_did_what_and_why_it_failed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str | None
) -> None:
    caplog.set_level(logging.INFO)
    audit = None if path is None else tmp_path / path
    record_operation(audit, now=0, uid=1000, words=["kick", "Ann"], error=None)
    record_operation(audit, now=0, uid=None, words=["kick", "Bob"], error="There is no player Bob.")
    written = [message for message in caplog.messages if message.startswith("operator ")]
    assert written == ["operator 1000: kick Ann", "operator None: kick Bob (There is no player Bob.)"]
    failed = [message for message in caplog.messages if f"could not write {audit}" in message]
    assert len(failed) == (2 if path in (".", "none/audit.jsonl") else 0)
    assert (tmp_path / "audit.jsonl").exists() is (path == "audit.jsonl")
