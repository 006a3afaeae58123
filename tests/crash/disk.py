"""A model of a disk: which of a program's changes certainly survive a power failure, and which only may.

Changes to a file are durable once a later sync of it has ended; a name is durable after a sync of its folder. Any
changes since then may have reached the disk, in whole or in part and in any order. Changes that a failed sync covered
are never durable, even if later syncs succeed: Linux considers those pages written (fsync(2), and PostgreSQL's wiki,
"Fsync Errors").
"""

import enum
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tests.crash.shim import Call

SECTOR: Final = 512
"""Bytes that a disk writes as a whole (sqlite.org/atomiccommit.html 2.1)."""


class Loss(enum.StrEnum):
    """Which of the calls since the last sync are missing from an image."""

    ALL = "all"
    """No call was written."""
    SECTORS = "sectors"
    """A random half of the sectors of each write was written, and a random half of all other calls."""
    CALLS = "calls"
    """A random half of the calls was written, perhaps later ones without earlier ones."""
    END = "end"
    """The calls were written in order until one was cut off after its first bytes."""


class Change(NamedTuple):
    """A write or, without data, a truncation; ``number`` gives the order of calls across all files."""

    number: int
    offset: int
    data: bytes | None

    def apply(self, content: bytearray) -> None:
        end = self.offset + len(self.data or b"")
        content.extend(bytes(max(0, end - len(content))))
        if self.data is None:
            del content[self.offset :]
        else:
            content[self.offset : end] = self.data

    def sectors(self) -> list["Change"]:
        """Return the change split into parts that are each written as a whole."""
        if self.data is None:
            return [self]
        starts = range(-(self.offset % SECTOR), len(self.data), SECTOR)
        return [
            Change(self.number, self.offset + max(0, start), self.data[max(0, start) : start + SECTOR])
            for start in starts
        ]


@dataclass
class File:
    """A file: the durable content, and changes that may be lost."""

    durable: bytearray = field(default_factory=bytearray)
    changes: list[Change] = field(default_factory=list)
    doubtful: list[Change] = field(default_factory=list)
    """Changes covered by a failed sync, unless a later change has replaced them."""

    def change(self, change: Change) -> None:
        """Record a change, which replaces earlier ones to the same bytes."""
        self.changes.append(change)
        if change.data is not None:
            end = change.offset + len(change.data)
            self.doubtful = [
                old
                for old in self.doubtful
                if old.offset + len(old.data or b"") <= change.offset or old.offset >= end
            ]


class Naming(NamedTuple):
    """A name was given to a file (to a folder, if ``file`` is None), or was removed."""

    number: int
    path: Path
    file: File | None
    is_gone: bool = False


class Disk:
    """The files of a folder, which is empty at first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, Path | File] = {}
        """What each descriptor refers to: a folder or a file."""
        self._names: dict[Path, File | None] = {}
        """What each name refers to: a file, or None for a folder."""
        self._durable_names: dict[Path, File | None] = {}
        self._namings: list[Naming] = []
        self._syncing: dict[int, int] = {}
        self._number = 0

    def do(self, call: Call) -> None:
        self._number += 1
        of = self._open.get(call.descriptor)
        match call.what:
            case "O":
                self._opened(call)
            case "C":
                self._open.pop(call.descriptor, None)
            case "W" | "T" if isinstance(of, File):
                of.change(Change(self._number, call.offset, call.data if call.what == "W" else None))
            case "B":
                self._syncing[call.descriptor] = len(of.changes) if isinstance(of, File) else self._number
            case "S":
                self._synced(of, self._syncing.pop(call.descriptor))
            case "F" if isinstance(of, File):
                of.doubtful += of.changes
                of.changes = []
            case "R":
                before, after = map(Path, call.data.decode().split("\0"))
                self._name(after, self._names[before])
                self._name(before, None, is_gone=True)
            case "U" | "M":
                self._name(Path(call.data.decode()), None, is_gone=call.what == "U")

    def image(self, loss: Loss, chance: random.Random) -> dict[Path, bytes]:
        """Return the files that a power failure now might leave, by path in the folder."""
        keeps = self._chooser(loss, chance)
        names = dict(self._durable_names)
        for naming in self._namings:
            if keeps(Change(naming.number, 0, b"")):
                _rename(names, naming)
        return {
            path.relative_to(self._folder): self._content(file, keeps)
            for path, file in names.items()
            if file is not None and self._is_reachable(path, names)
        }

    def _is_reachable(self, path: Path, names: dict[Path, File | None]) -> bool:
        return path.parent == self._folder or (
            path.parent in names and self._is_reachable(path.parent, names)
        )

    def _chooser(self, loss: Loss, chance: random.Random) -> Callable[[Change], list[Change]]:
        """Return a function that returns the parts of a change that an image contains."""
        if loss is Loss.ALL:
            return lambda change: []
        if loss is Loss.CALLS:
            return lambda change: [change] * chance.randrange(2)
        if loss is Loss.SECTORS:
            return lambda change: [part for part in change.sectors() if chance.randrange(2)]
        numbers = [naming.number for naming in self._namings]
        for file in self._names.values():
            numbers += [change.number for change in file.changes] if file is not None else []
        last = chance.choice(numbers) if numbers else 0

        def until_last(change: Change) -> list[Change]:
            if change.number == last and change.data:
                return [change._replace(data=change.data[: chance.randrange(len(change.data))])]
            return [change] if change.number <= last else []

        return until_last

    def _content(self, file: File, keeps: Callable[[Change], list[Change]]) -> bytes:
        content = bytearray(file.durable)
        for change in (*file.doubtful, *file.changes):
            for part in keeps(change):
                part.apply(content)
        return bytes(content)

    def _opened(self, call: Call) -> None:
        path = Path(call.data.decode())
        if path == self._folder or (path in self._names and self._names[path] is None):
            self._open[call.descriptor] = path
            return
        if path not in self._names:
            self._name(path, File())
        self._open[call.descriptor] = self._names[path] or path

    def _synced(self, of: Path | File | None, until: int) -> None:
        """Make durable what a sync covers: a file's first ``until`` changes, or a folder's namings before ``until``."""
        if isinstance(of, File):
            for change in of.changes[:until]:
                change.apply(of.durable)
            del of.changes[:until]
        else:
            covered = [each for each in self._namings if each.path.parent == of and each.number < until]
            for naming in covered:
                _rename(self._durable_names, naming)
                self._namings.remove(naming)

    def _name(self, path: Path, file: File | None, *, is_gone: bool = False) -> None:
        naming = Naming(self._number, path, file, is_gone)
        self._namings.append(naming)
        _rename(self._names, naming)


def _rename(names: dict[Path, File | None], naming: Naming) -> None:
    if naming.is_gone:
        names.pop(naming.path, None)
    else:
        names[naming.path] = naming.file
