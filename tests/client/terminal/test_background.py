"""The terminal is asked for its background, answered or not, and is given back as it was."""

from __future__ import annotations

import os
import pty
import termios
import tty
from typing import TYPE_CHECKING

import pytest

from golfnet_client.terminal.background import QUESTION, asked_background, lightness

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTRIBUTES = b"\x1b[?62;22c"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal: its own end, and the program's."""
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
def test_an_answer_is_understood_and_none_is_not_waited_for(
    terminal: tuple[int, int], answer: bytes, light: bool | None
) -> None:
    own, program = terminal
    before = termios.tcgetattr(program)
    with asked_background(program, program, patience=0.05) as background:
        assert os.read(own, 100) == QUESTION
        os.write(own, answer)
        assert background.is_light() is light
    assert termios.tcgetattr(program) == before


def test_where_the_colours_are_known_nothing_is_asked(terminal: tuple[int, int]) -> None:
    own, program = terminal
    os.set_blocking(own, False)
    with asked_background(None, program) as background:
        assert background.is_light() is None
    with pytest.raises(BlockingIOError):
        os.read(own, 1)


def test_where_there_is_no_terminal_nothing_is_asked() -> None:
    source, sink = os.pipe()
    with asked_background(source, sink) as background:
        assert background.is_light() is None
    os.close(sink)
    assert os.read(source, 10) == b""
    os.close(source)


@pytest.mark.parametrize(
    "answer", [b"\x1b]11;rgb:zz/00/00\x07", b"\x1b]11;rgb:/\x07", b"\x1b]10;rgb:ff/ff/ff\x07"]
)
def test_what_is_no_colour_says_nothing(answer: bytes) -> None:
    assert lightness(answer) is None
