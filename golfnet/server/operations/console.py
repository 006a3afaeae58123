"""The operator's terminal: messages, and one status line that is redrawn in place.

Invariants: the line is drawn only if this process is in the foreground of a terminal, never into a file or a pipe,
and log lines go above it. Nothing here blocks: output that a stopped (Ctrl-S) or closed terminal does not accept is
dropped, because the tables must not wait for it.
"""

import os
import select
import sys
import threading
from collections.abc import Mapping
from typing import Final, TextIO

from golfnet.protocol.clean import clean_line
from golfnet.protocol.text.typeset import clipped

_ERASE: Final = "\r\x1b[K"
_USUAL_SIZE: Final = 80, 24


class Console:
    """The server's output for the operator: a terminal, a file or a pipe.

    With ``is_quiet``, no status line is drawn, even on a terminal.
    """

    def __init__(self, out: TextIO, environ: Mapping[str, str], *, is_quiet: bool = False) -> None:
        self._out = out
        self._lock = threading.RLock()
        """Needed because log lines come from other threads too."""
        self._line = ""
        self._is_drawn = False
        self.is_terminal = out.isatty()
        is_dumb = environ.get("TERM", "") in ("", "dumb") and sys.platform != "win32"
        self.is_live = self.is_terminal and not is_dumb and not is_quiet
        """Whether a status line is redrawn in place."""
        self.has_colors = self.is_terminal and not is_dumb and not environ.get("NO_COLOR")
        self.has_unicode = (out.encoding or "").lower().replace("-", "") == "utf8"

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; the usual numbers if the terminal does not report them."""
        if not self.is_terminal:
            return _USUAL_SIZE
        try:
            columns, rows = os.get_terminal_size(self._out.fileno())
        except OSError:
            return _USUAL_SIZE
        return (columns, rows) if columns and rows else _USUAL_SIZE

    def tell(self, text: str) -> None:
        """Print lines above the status line."""
        with self._lock:
            self._write(f"{self._take_line()}{text}\n")
            self._draw()

    def show(self, line: str) -> None:
        """Replace the status line; an empty one removes it."""
        with self._lock:
            if not self.is_live or (line == self._line and self._is_drawn == bool(line)):
                return
            self._line = line
            if not line:
                self._write(self._take_line())
            self._draw()

    def above(self, log: TextIO) -> TextIO:
        """Return a stream that puts log lines above the status line, or ``log`` itself if it goes elsewhere."""
        return _Above(self, log) if self.is_live and log.isatty() else log  # type: ignore[return-value]

    def write_above(self, log: TextIO, text: str) -> None:
        """Write to another stream on the same terminal, above the status line."""
        with self._lock:
            self._write(self._take_line())
            log.write(text)
            log.flush()
            self._draw()

    def _take_line(self) -> str:
        """Return the codes that erase the status line from the screen."""
        was_drawn, self._is_drawn = self._is_drawn, False
        return _ERASE if was_drawn else ""

    def _draw(self) -> None:
        if self._line and self.is_live and self._is_in_foreground():
            width = self.size[0] - 1  # the last column would wrap
            more = "…" if self.has_unicode else "~"
            self._is_drawn = self._write(f"{_ERASE}{clipped(clean_line(self._line), width, more=more)}")

    def _is_in_foreground(self) -> bool:
        """Return whether this process is in the foreground; otherwise a shell's prompt is on the terminal."""
        if sys.platform == "win32":
            return True
        try:
            return os.tcgetpgrp(self._out.fileno()) == os.getpgrp()
        except OSError:
            return False

    def _write(self, text: str) -> bool:
        """Write everything at once; return whether that succeeded."""
        if not text:
            return True
        if not self.is_terminal:
            self._out.write(text)
            self._out.flush()
            return True
        try:
            if sys.platform != "win32" and not select.select([], [self._out.fileno()], [], 0)[1]:
                return False
            data = text.encode(self._out.encoding or "utf-8", "replace")
            while data:
                data = data[os.write(self._out.fileno(), data) :]
        except (OSError, ValueError):  # the terminal was closed
            return False
        return True


class _Above:
    """A stream whose text goes above the status line, with only the methods that ``logging`` uses."""

    def __init__(self, console: Console, log: TextIO) -> None:
        self._console = console
        self._log = log

    def write(self, text: str) -> None:
        self._console.write_above(self._log, text)

    def flush(self) -> None:
        """Do nothing: every write is flushed."""
