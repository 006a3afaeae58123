"""Where clients keep what they saw of their matches: one file per match, for ``golfnet verify --seen``.

Invariants: only the owner can read the files; the server cannot choose their location; no server can fill the disk. A
file that cannot be written is skipped: the deals are still compared during play.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING, Final

from golfnet.storage.files import BINARY

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES: Final = 8 * 1024 * 1024
"""Maximum size of one file: many times what the longest match needs."""

MOST_FILES: Final = 50
"""Maximum number of files per server; a new one replaces the oldest."""


_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | BINARY


class SeenFiles:
    """One server's files, by match; ``stamp`` distinguishes runs of a program, and so matches with the same id."""

    def __init__(self, directory: Path, server: str, *, stamp: str) -> None:
        self.path: Path | None = None
        """The latest file."""
        self._directory = directory
        self._server = _plain(server)
        self._stamp = _plain(stamp)
        self._match = ""
        self._bytes = 0

    def keep(self, match: str, line: bytes) -> None:
        """Append a line, without its end, to the file of a match."""
        with contextlib.suppress(OSError):
            if match != self._match:
                self._begin(match)
            if self.path is None or self._bytes + len(line) + 1 > MOST_BYTES:
                return
            self._bytes += len(line) + 1
            handle = os.open(self.path, _APPEND, 0o600)
            try:
                os.write(handle, line + b"\n")
            finally:
                os.close(handle)

    def _begin(self, match: str) -> None:
        self._match, self.path, self._bytes = match, None, 0
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        older = sorted(self._directory.glob(f"{self._server}-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in older[: max(0, len(older) + 1 - MOST_FILES)]:
            path.unlink(missing_ok=True)
        self.path = self._directory / f"{self._server}-{_plain(match)}-{self._stamp}.jsonl"


def _plain(text: str) -> str:
    """Return a text as part of a file name: at most 64 letters, digits and dots."""
    return re.sub(r"[^A-Za-z0-9.]+", "_", text)[:64].strip(".") or "_"
