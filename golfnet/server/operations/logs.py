"""Logs for people or programs: lines of text, or one JSON object per line, with the same facts.

Chat, passwords, tokens, seeds and cards are never logged; a traceback shows code, not values. A log record about a
connection contains its address and nothing more about the peer.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

from golfnet.protocol.clean import clean_line

TEXT: Final = "%(asctime)s %(levelname)s %(message)s"

SELDOM: Final = frozenset(("golfnet.server.net.hub", "trio.serve_listeners"))
"""Loggers that repeat the same message for every connection while no file can be opened."""

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
    """Passes one record a minute from each of ``SELDOM``, with the number omitted and without its traceback."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._quiet: dict[str, tuple[float, int]] = {}
        """For each logger, until when it is silent, and how many of its records have been omitted."""

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
    """One line per record, with indented lines for a traceback: text from strangers cannot start a new line."""

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
    handler.setFormatter(JsonLines() if as_json else TextLines(TEXT))
    handler.addFilter(Seldom())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("golfnet").setLevel(logging.DEBUG if verbose else logging.INFO)


log = logging.getLogger(__name__)


class AuditLog:
    """The record of operations, in a file that only its owner can read and in the server's log."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def write(self, *, now: float, uid: int | None, words: Sequence[str], error: str | None) -> None:
        """Record an operation; ``now`` is in Unix seconds, and ``error`` is None if it succeeded."""
        entry = {
            "time": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
            "uid": uid,
            "operation": list(words),
            "error": error,
        }
        log.info("operator %s: %s%s", uid, " ".join(words), f" ({error})" if error else "")
        if self._path is None:
            return
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as problem:
            log.error("could not write %s: %s", self._path, problem)
