import io
import os
import pty
import re
import select
import termios
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest

from golfnet.server.operations.console import Console


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

    def close(self) -> None:
        os.close(self.far)
        self.near.close()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    made = Screen()
    # This process does not lead the terminal's session, so the tests decide which process is in the foreground.
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    yield made
    made.close()


def console(screen: Screen, **environ: str) -> Console:
    return Console(screen.near, {"TERM": "xterm", **environ})


def test_a_file_gets_plain_lines_only() -> None:
    out = io.StringIO()
    plain = Console(out, {"TERM": "xterm"})
    plain.show("1 here: Ann")
    plain.tell("golfnet is open")
    assert out.getvalue() == "golfnet is open\n"
    assert [plain.is_terminal, plain.is_live, plain.has_colors] == [False] * 3
    assert plain.above(out) is out


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


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_plain_lines_only(screen: Screen, environ: dict[str, str]) -> None:
    dumb = console(screen, **environ)
    dumb.show("1 here: Ann")
    dumb.tell("open")
    assert screen.read() == "open\n"
    assert not dumb.has_colors


def test_colours_can_be_turned_off(screen: Screen) -> None:
    assert console(screen).has_colors
    assert not console(screen, NO_COLOR="1").has_colors


def test_nothing_is_drawn_in_the_background(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp() + 1)
    live = console(screen)
    live.show("1 here: Ann")
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
