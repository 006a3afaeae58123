"""Output of subcommands: the one place where untrusted text (from servers, records, files) is cleaned.

No other module here prints such text. ``show_drawn`` lets through only the program's own colours, no other escapes.
"""

import re
import sys
from collections.abc import Iterable
from typing import Final

from golfnet.protocol.lines import clean_line
from golfnet.protocol.text.typeset import STYLES

FAILED: Final = 1
BAD_USAGE: Final = 2


class Failed(Exception):
    """A subcommand cannot do what it was asked to; the message says why, and ``status`` is the exit status."""

    def __init__(self, why: object, status: int = BAD_USAGE) -> None:
        super().__init__(f"{why}")
        self.status = status


def show(*lines: str) -> None:
    """Print lines."""
    for line in lines:
        print(clean_line(line), flush=True)


def show_drawn(line: str) -> None:
    """Print a line of a drawing, with its colours."""
    print("".join(part if part in STYLES else clean_line(part) for part in re.split(_STYLE, line)))


def redraw(lines: Iterable[str]) -> None:
    """Print lines from the top of a terminal's screen, replacing what was there."""
    print("\x1b[H" + "".join(f"{clean_line(line)}\x1b[K\n" for line in lines) + "\x1b[J", end="", flush=True)


def complain(command: str, sentence: str) -> None:
    """Print an error message on standard error, with the name of the subcommand before it."""
    print(f"golfnet {command}: {clean_line(sentence)}", file=sys.stderr)


_STYLE: Final = f"({'|'.join(map(re.escape, STYLES))})"
