"""What the operator reads: messages and a status line on the terminal, the log, and the record of operations.

Invariants: the status line is drawn only if this process is in the foreground of a terminal, never into a file or a
pipe, and log lines go above it. Writing to a terminal never blocks: output is dropped if the terminal is stopped
(Ctrl-S) or closed, because the tables must not wait for it.

The log has lines of text or one JSON object per line, with the same facts. Chat, passwords, tokens, seeds and cards are
never logged; a traceback shows code, not values. A log record about a connection contains its address and nothing more
about the peer.
"""

import contextlib
import json
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Final, TextIO

from golfnet.protocol.lines import clean_line
from golfnet.protocol.text.typeset import clipped

_ERASE: Final = "\r\x1b[K"


class Console:
    """The server's output for the operator: a terminal, a file or a pipe.

    With ``is_quiet``, no status line is drawn, even on a terminal.
    """

    def __init__(self, out: TextIO, environ: Mapping[str, str], *, is_quiet: bool = False) -> None:
        self._out = out
        self._lock = threading.RLock()
        """Guards the output, since other threads write log lines."""
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
        """Columns and rows; 80 and 24 if the terminal does not report them."""
        with contextlib.suppress(OSError):  # not a terminal
            columns, rows = os.get_terminal_size(self._out.fileno())
            if columns and rows:
                return columns, rows
        return 80, 24

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
        """Return a stream that puts log lines above the status line; ``log`` itself if it is not on the terminal."""
        if not self.is_live or not log.isatty():
            return log

        def write(text: str) -> None:
            with self._lock:
                self._write(self._take_line())
                log.write(text)
                log.flush()
                self._draw()

        return SimpleNamespace(write=write, flush=log.flush)  # type: ignore[return-value]  # all that logging uses

    def _take_line(self) -> str:
        was_drawn, self._is_drawn = self._is_drawn, False
        return _ERASE if was_drawn else ""

    def _draw(self) -> None:
        if self._line and self.is_live and self._is_in_foreground():
            width = self.size[0] - 1  # a character in the last column may wrap the line
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
        """Write text to the output; return whether a terminal has accepted it."""
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


SELDOM: Final = frozenset(
    ("golfnet.server.net.entrance.accepting", "golfnet.server.net.kernel", "trio.serve_listeners")
)
"""Loggers that repeat the same message for every connection while the process has no free descriptors."""

SELDOM_SECONDS: Final = 60.0


class JsonLines(logging.Formatter):
    """One object per line: ``time`` (UTC), ``level``, ``logger``, ``text``, and ``traceback`` if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a log record as one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


class Seldom(logging.Filter):
    """Passes one record a minute from each logger in ``SELDOM``, without traceback, and says how many it omitted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._quiet: dict[str, tuple[float, int]] = {}
        """For each logger, the time until which its records are omitted, and how many have been omitted."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record."""
        if record.name not in SELDOM:
            return True
        until, left_out = self._quiet.get(record.name, (0.0, 0))
        now = self._clock()
        if now < until:
            self._quiet[record.name] = until, left_out + 1
            return False
        self._quiet[record.name] = now + SELDOM_SECONDS, 0
        record.exc_info = record.exc_text = None
        if left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out} more like this in between)", ()
        return True


class TextLines(logging.Formatter):
    """One line per record, and indented lines for a traceback. Text from strangers cannot start a new line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return a record's line."""
        return clean_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """Return a record's line, followed by its traceback."""
        line, *traceback = super().format(record).split("\n")
        return "\n".join([line, *(f"  {clean_line(each)}" for each in traceback)])


def set_up(stream: TextIO, *, as_json: bool, verbose: bool) -> None:
    """Send this process's log to a stream; libraries log only warnings, whatever ``verbose`` says."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if as_json else TextLines("%(asctime)s %(levelname)s %(message)s"))
    handler.addFilter(Seldom())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("golfnet").setLevel(logging.DEBUG if verbose else logging.INFO)


log = logging.getLogger(__name__)


def record_operation(
    path: Path | None, *, now: float, uid: int | None, words: Sequence[str], error: str | None
) -> None:
    """Record an operation in the server's log, and in a file (if any) that only its owner can read.

    ``now`` is in Unix seconds, and ``error`` is None if the operation succeeded.
    """
    log.info("operator %s: %s%s", uid, " ".join(words), f" ({error})" if error else "")
    if path is None:
        return
    entry = {
        "time": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
        "uid": uid,
        "operation": list(words),
        "error": error,
    }
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as problem:
        log.error("could not write %s: %s", path, problem)
