"""The audit log: who operated the server, when, and what came of it; one JSON object a line, never rewritten.

A line is on its way to the disk before the answer to its operation is given. What cannot be written is logged as an
error; the operation is not undone for it.
"""

import json
import logging
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

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
