"""Logs for people or for programs: a line of text, or a JSON object on each line, with the same facts.

What players say, passwords, tokens, seeds and cards are never logged; a traceback shows code, not values. Whoever
logs something about a connection passes its address, nothing more.
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
"""Loggers that say the same thing for every connection while files run out."""

SELDOM_SECONDS: Final = 60.0


class JsonLines(logging.Formatter):
    """One object a line: ``time`` (UTC), ``level``, ``logger``, ``text``, and ``traceback`` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
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
    """Lets one record of each of ``SELDOM`` through a minute, without its traceback, with how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._quiet: dict[str, tuple[float, int]] = {}
        """For each logger until when it is quiet, and how many of its records were left out."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
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
    """One line for each record, and indented ones for a traceback: nothing that strangers wrote begins another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return clean_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and those of its traceback."""
        line, *traceback = super().format(record).split("\n")
        return "\n".join([line, *(f"  {clean_line(each)}" for each in traceback)])


def set_up(stream: TextIO, *, as_json: bool, verbose: bool) -> None:
    """Send the log of this process to a stream; of libraries only warnings, whatever ``verbose`` says."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if as_json else TextLines(TEXT))
    handler.addFilter(Seldom())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("golfnet").setLevel(logging.DEBUG if verbose else logging.INFO)


log = logging.getLogger(__name__)


class AuditLog:
    """Where operations are written down: a file that only its owner can read, and the server's log."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def write(self, *, now: float, uid: int | None, words: Sequence[str], error: str | None) -> None:
        """Write down an operation at a time in unix seconds; ``error`` is None where it was carried out."""
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
            log.error("%s cannot be written: %s", self._path, problem)
