"""Which colour the terminal's background has, asked of the terminal itself (OSC 11).

The question goes out before the program is loaded and the answer is read after, so that the wait costs nothing. A
question that every terminal answers goes along (device attributes): its answer ends the wait where there is no other.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import time
from typing import TYPE_CHECKING, Any, Final

termios: Any
try:
    import termios
except ImportError:  # Windows, whose terminals are not asked
    termios = None

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION: Final = b"\x1b]11;?\x1b\\\x1b[c"

PATIENCE: Final = 0.25
"""Seconds after loading that an answer is waited for."""

_MOST: Final = 4096
"""Bytes of an answer that are looked at."""

_COLOUR: Final = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[0-9;]*c")


@contextlib.contextmanager
def asked_background(source: int | None, sink: int, *, patience: float = PATIENCE) -> Iterator[Background]:
    """Ask at once, unless there is no source; within, the answer can be read. The terminal is given back as it was."""
    if source is None or termios is None:
        yield Background(None, patience)
        return
    try:
        before = termios.tcgetattr(source)
        silent = termios.tcgetattr(source)
        silent[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(source, termios.TCSANOW, silent)
    except termios.error:
        yield Background(None, patience)
        return
    try:
        with contextlib.suppress(OSError):
            os.write(sink, QUESTION)
        yield Background(source, patience)
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)


class Background:
    """The answer, once it is there."""

    def __init__(self, source: int | None, patience: float) -> None:
        self._source = source
        self._patience = patience

    def is_light(self) -> bool | None:
        """Return whether the background is light, None where the terminal does not say."""
        if self._source is None:
            return None
        answer, end = b"", time.monotonic() + self._patience
        while len(answer) < _MOST and not _ATTRIBUTES.search(answer):
            ready, _, _ = select.select([self._source], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                break
            part = os.read(self._source, 256)
            if not part:
                break
            answer += part
        return lightness(answer)


def lightness(answer: bytes) -> bool | None:
    """Return whether an answer names a light colour, None where it names none."""
    found = _COLOUR.search(answer)
    if found is None:
        return None
    red, green, blue = [int(part, 16) / int("f" * len(part), 16) for part in found.groups()]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
