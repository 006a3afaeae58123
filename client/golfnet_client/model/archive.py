"""Matches played alone, kept as records on this machine: one file each, the oldest deleted once there are many.

A file that cannot be read is passed over; where none can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from golfnet.protocol.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 50
"""Matches that are kept."""

LONGEST: Final = 4 * 1024 * 1024
"""Bytes of a record that is read: some times more than the longest match of twelve seats."""

_SUFFIX: Final = ".jsonl"


class Kept(Struct, frozen=True):
    """A match that is kept: the name of its file, when it was played, and what it was."""

    name: str
    when: str
    what: str


class Archive:
    """A directory of records."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, record: list[dict[str, Any]], now: float | None = None) -> None:
        """Write the record of a match that has just ended."""
        with contextlib.suppress(OSError):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
            handle, temporary = tempfile.mkstemp(dir=self._directory, prefix=f"{stamp}-", suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.writelines(f"{json.dumps(line, separators=(',', ':'))}\n" for line in record)
            path = Path(temporary)
            path.rename(path.with_suffix(_SUFFIX))
            for old in self._paths()[MOST:]:
                old.unlink()

    def matches(self) -> list[Kept]:
        """Return what is kept, the latest first."""
        return list(self._described())

    def read(self, name: str) -> list[dict[str, Any]]:
        """Return the record in a file, empty where it cannot be read."""
        path = self._directory / name
        with contextlib.suppress(OSError, ValueError):
            if path.stat().st_size <= LONGEST:
                lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
                if all(isinstance(line, dict) for line in lines):
                    return lines
        return []

    def _described(self) -> Iterator[Kept]:
        for path in self._paths():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError), path.open("rb") as file:
                header = json.loads(file.readline(LONGEST))
                seats = ", ".join([clean_text(str(seat)) for seat in header["seats"][:4]])
                more = f" and {len(header['seats']) - 4} more" if len(header["seats"]) > 4 else ""
                when = time.strftime("%Y-%m-%d %H:%M", time.strptime(path.name[:15], "%Y%m%d-%H%M%S"))
                yield Kept(path.name, when, f"{clean_text(str(header['variant']))}: {seats}{more}")

    def _paths(self) -> list[Path]:
        """Return the files, the latest first."""
        with contextlib.suppress(OSError):
            return sorted(self._directory.glob(f"*{_SUFFIX}"), reverse=True)
        return []
