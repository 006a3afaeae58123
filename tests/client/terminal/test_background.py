"""The terminal is asked for its background, and is restored whether it answers or not."""

import io
import os
import pty
import termios
import tty
from collections.abc import Iterator

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from golfnet_client.terminal.background import QUESTION, asked_background
from golfnet_client.terminal.picture import TerminalWindow

ATTRIBUTES = b"\x1b[?62;22c"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Yield both ends of a pseudo-terminal: the terminal's and the program's."""
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
        (b"\x1b]11;rgb:zz/00/00\x07" + ATTRIBUTES, None),
        (b"\x1b]11;rgb:/\x07" + ATTRIBUTES, None),
        (b"\x1b]10;rgb:ff/ff/ff\x07" + ATTRIBUTES, None),
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
    with asked_background(program, program, patience=0.05) as is_light:
        assert os.read(own, 100) == QUESTION
        os.write(own, answer)
        assert is_light() is light
    assert termios.tcgetattr(program) == before


def test_nothing_is_asked_without_a_terminal_or_if_the_colours_are_known(terminal: tuple[int, int]) -> None:
    own, program = terminal
    os.set_blocking(own, False)
    with asked_background(None, program) as is_light:
        assert is_light() is None
    with pytest.raises(BlockingIOError):
        os.read(own, 1)
    source, sink = os.pipe()
    with asked_background(source, sink) as is_light:
        assert is_light() is None
    os.close(sink)
    assert os.read(source, 10) == b""
    os.close(source)


def a_window(*, bell: bool) -> tuple[TerminalWindow, io.StringIO]:
    """Return a window, and what is written to its terminal."""
    paper = io.StringIO()
    output = Vt100_Output(paper, lambda: Size(rows=24, columns=80), term="xterm")
    return TerminalWindow(output, bell=bell), paper


def test_a_title_is_set_only_when_it_changes_and_focus_reports_end_with_the_window() -> None:
    window, written = a_window(bell=False)
    window.open()
    for title in ("golf", "golf", "▶ your turn, golf", "golf"):
        window.name(title)
    window.close()
    titles = "".join(f"\x1b]2;{title}\a" for title in ("golf", "▶ your turn, golf", "golf"))
    assert written.getvalue() == f"\x1b[?1004h{titles}\x1b[?1004l\x1b]2;\a"


def test_an_alert_rings_in_an_unfocused_window_or_if_the_bell_is_on() -> None:
    cases = ((False, True, 0, 0), (True, True, 1, 0), (False, False, 1, 1))
    for bell, has_focus, bells, notes in cases:
        window, written = a_window(bell=bell)
        window.has_focus = has_focus
        window.call("your turn\x1b]0;evil")
        text = written.getvalue()
        assert text.count("\x1b") == text.count("\x1b]9;") == notes, "the text contains no escape sequence"
        assert text.count("\a") == bells + notes, "a note ends with a bell"
