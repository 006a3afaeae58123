"""The terminal is asked for its background, and is restored whether it answers or not."""

from __future__ import annotations

import os
import pty
import termios
import tty
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.output import DummyOutput

from golfnet_client.terminal.background import (
    FOCUS_IN,
    FOCUS_OUT,
    QUESTION,
    TerminalWindow,
    asked_background,
    lightness,
)
from tests.client import tables
from tests.client.terminal.test_screen import until, use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prompt_toolkit.input.base import PipeInput
    from prompt_toolkit.key_binding.key_processor import KeyPress

    from golfnet_client.terminal.screen import Terminal

ATTRIBUTES = b"\x1b[?62;22c"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Yield both ends of a terminal: its own and the program's."""
    own, program = pty.openpty()
    tty.setraw(own)
    yield own, program
    os.close(own)
    os.close(program)


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\" + ATTRIBUTES, True),
        (b"\x1b]11;rgb:fd/f6/e3\x07" + ATTRIBUTES, True),
        (b"\x1b]11;rgba:0000/2b2b/3636/ffff\x1b\\" + ATTRIBUTES, False),
        (ATTRIBUTES, None),
        (b"", None),
        (b"x" * 3000, None),
    ],
)
def test_an_answer_is_understood_and_the_terminal_is_restored_in_any_case(
    terminal: tuple[int, int], answer: bytes, light: bool | None
) -> None:
    own, program = terminal
    before = termios.tcgetattr(program)
    with asked_background(program, program, patience=0.05) as background:
        assert os.read(own, 100) == QUESTION
        os.write(own, answer)
        assert background.is_light() is light
    assert termios.tcgetattr(program) == before


def test_nothing_is_asked_if_the_colours_are_known(terminal: tuple[int, int]) -> None:
    own, program = terminal
    os.set_blocking(own, False)
    with asked_background(None, program) as background:
        assert background.is_light() is None
    with pytest.raises(BlockingIOError):
        os.read(own, 1)


def test_nothing_is_asked_without_a_terminal() -> None:
    source, sink = os.pipe()
    with asked_background(source, sink) as background:
        assert background.is_light() is None
    os.close(sink)
    assert os.read(source, 10) == b""
    os.close(source)


@pytest.mark.parametrize(
    "answer", [b"\x1b]11;rgb:zz/00/00\x07", b"\x1b]11;rgb:/\x07", b"\x1b]10;rgb:ff/ff/ff\x07"]
)
def test_an_invalid_colour_is_ignored(answer: bytes) -> None:
    assert lightness(answer) is None


class Heard(DummyOutput):
    """An output that records everything sent except pictures."""

    def __init__(self) -> None:
        self.raw: list[str] = []
        self.titles: list[str] = []
        self.bells = 0

    def write_raw(self, data: str) -> None:
        self.raw.append(data)

    def set_title(self, title: str) -> None:
        self.titles.append(title)

    def bell(self) -> None:
        self.bells += 1


def test_focus_reports_are_separate_keys() -> None:
    """The reports are added to prompt_toolkit's table of keys, and its parser must use the changed table."""
    pressed: list[KeyPress] = []
    parser = Vt100Parser(pressed.append)
    parser.feed("\x1b[Od\x1b[I")
    assert [press.key for press in pressed] == [FOCUS_OUT, "d", FOCUS_IN]
    assert ANSI_SEQUENCES["\x1b[A"] != ANSI_SEQUENCES["\x1b[I"]


def test_a_title_is_set_only_when_it_changes() -> None:
    output = Heard()
    window = TerminalWindow(output, bell=False)
    for title in ("golf", "golf", "▶ your turn, golf", "golf"):
        window.name(title)
    assert output.titles == ["golf", "▶ your turn, golf", "golf"]


def test_an_alert_rings_in_an_unfocused_window_or_if_the_bell_is_on() -> None:
    for bell, has_focus, bells, notes in ((False, True, 0, 0), (True, True, 1, 0), (False, False, 1, 1)):
        output = Heard()
        window = TerminalWindow(output, bell=bell)
        window.has_focus = has_focus
        window.call("your turn\x1b]0;evil")
        assert output.bells == bells
        assert len(output.raw) == notes
        assert all("\x1b" not in note[4:] for note in output.raw), "the text contains no escape sequence"


def test_focus_reports_are_turned_on_and_off_again() -> None:
    output = Heard()
    window = TerminalWindow(output, bell=False)
    window.open()
    window.close()
    assert output.raw == ["\x1b[?1004h", "\x1b[?1004l"]


def test_a_turn_rings_in_an_unfocused_window() -> None:
    async def play(terminal: Terminal, pipe: PipeInput, sent: list[str]) -> None:
        pipe.send_text("\x1b[O")
        await until(lambda: not terminal.window.has_focus)
        terminal.client.model.rings = True
        terminal.settle()
        pipe.send_text("\x1b[I")
        await until(lambda: terminal.window.has_focus)
        assert sent == [], "reports are not game keys"
        terminal.client.receive(replace(tables.six_card(), turn="B", actions=()))
        terminal.settle()

    _, written = use(tables.a_model(tables.six_card()), play)
    assert "\x1b]9;▶ your turn, golf, six-card\a" in written
    assert "\x1b]2;▶ your turn, golf, six-card\a" in written
    assert "\x1b]2;golf, six-card\a" in written
