"""The Python side of ``shim.c``: compile it, load it into a program, read its recording, and make calls fail.

The layouts of ``struct record`` and ``struct control`` here are those of the C file.
"""

import enum
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.e2e.service import printed

SOURCE: Final = Path(__file__).with_name("shim.c")
_RECORD: Final = struct.Struct("=c3xiqq")
_CONTROL: Final = struct.Struct("=qqqqqq")
FOREVER: Final = 1 << 62


class Kind(enum.IntFlag):
    """The kinds of calls that can fail."""

    OPEN = 1
    WRITE = 2
    SYNC = 4
    TRUNCATE = 8
    NAME = 16
    READ = 32


CHANGES: Final = Kind.OPEN | Kind.WRITE | Kind.SYNC | Kind.TRUNCATE | Kind.NAME


class Call(NamedTuple):
    """One recorded call; ``what`` is the letter in ``struct record``."""

    what: str
    descriptor: int
    offset: int
    data: bytes


def compile_shim(gcc: str, folder: Path) -> Path:
    library = folder / "shim.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    command = [gcc, *flags, "-o", str(library), str(SOURCE), "-ldl"]
    printed(*command)
    return library


class Control:
    """Makes some calls of a program under the shim fail, through a shared file at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(bytes(_CONTROL.size))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _CONTROL.size)

    @property
    def failed(self) -> int:
        """The number of calls since ``fail`` that have failed."""
        return int(_CONTROL.unpack(self._shared[:])[5])

    def fail(self, number: int, error: int, *, times: int = FOREVER, kinds: Kind = CHANGES) -> None:
        """Make ``times`` calls in a row fail, beginning with the ``number``-th from now.

        With ENOSPC the first half of a write succeeds, as on a disk with a little room left.
        """
        self._shared[:] = _CONTROL.pack(0, number, number + times, 0, error, 0)
        self._shared[24:32] = struct.pack("=q", kinds)  # last, since this activates the rest

    def heal(self) -> None:
        self._shared[8:16] = struct.pack("=q", FOREVER)


class Shim:
    """The shim for programs started with ``environment``; it affects the files in one folder."""

    def __init__(self, library: Path, folder: Path, *, log: Path | None = None) -> None:
        self.folder = folder
        self.log = log
        folder.mkdir(exist_ok=True)
        self.control = Control(folder.with_name(f"{folder.name}.control"))
        self.environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "CRASH_FOLDER": str(folder),
            "CRASH_CONTROL": str(self.control.path),
        }
        if log is not None:
            self.environment["CRASH_LOG"] = str(log)

    def record(self) -> Iterator[Call]:
        """Yield what the program has done, in order."""
        assert self.log is not None
        data = memoryview(self.log.read_bytes())
        place = 0
        while place < len(data):
            what, descriptor, offset, length = _RECORD.unpack_from(data, place)
            place += _RECORD.size
            yield Call(what.decode(), descriptor, offset, bytes(data[place : place + length]))
            place += length
