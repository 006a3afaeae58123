"""The terminal's background colour, requested from the terminal itself (OSC 11).

The request is sent before the program is loaded and the answer read afterwards, so that waiting costs nothing. A second
request, which every terminal answers (device attributes), ends the wait if the first one is not answered.
"""

import contextlib
import os
import re
import select
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

termios: Any
try:
    import termios
except ImportError:  # Windows has no termios; its terminals are not asked
    termios = None


QUESTION: Final = b"\x1b]11;?\x1b\\\x1b[c"

PATIENCE: Final = 0.25
"""Seconds to wait for an answer after loading."""

_MOST: Final = 4096
"""Maximum size of an answer in bytes."""

_COLOUR: Final = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[0-9;]*c")


@contextlib.contextmanager
def asked_background(
    source: int | None, sink: int, *, patience: float = PATIENCE
) -> Iterator[Callable[[], bool | None]]:
    """Ask the terminal for its background, and restore the terminal's modes afterwards.

    Yield a function that returns whether the background is light, or None if the terminal does not say.
    """
    if source is None or termios is None:
        yield lambda: None
        return
    try:
        before = termios.tcgetattr(source)
        silent = termios.tcgetattr(source)
        silent[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(source, termios.TCSANOW, silent)
    except termios.error:
        yield lambda: None
        return
    try:
        with contextlib.suppress(OSError):
            os.write(sink, QUESTION)
        yield partial(_is_light, source, patience)
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)


def _is_light(source: int, patience: float) -> bool | None:
    answer, end = b"", time.monotonic() + patience
    while len(answer) < _MOST and not _ATTRIBUTES.search(answer):
        ready, _, _ = select.select([source], [], [], max(0.0, end - time.monotonic()))
        part = os.read(source, 256) if ready else b""
        if not part:
            break
        answer += part
    found = _COLOUR.search(answer)
    if found is None:
        return None
    red, green, blue = [int(part, 16) / int("f" * len(part), 16) for part in found.groups()]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
