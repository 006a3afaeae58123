"""Locks files and reads at an offset, on every system.

Unix has ``flock``, Windows ``msvcrt.locking``, which keeps others from reading what is locked, so a byte far beyond the
end is locked there. If there is neither, nothing is locked.
"""

import contextlib
import os
import struct
import sys
from pathlib import Path
from typing import Any, Final

fcntl: Any
msvcrt: Any
try:
    import fcntl
except ImportError:
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

BINARY: Final = getattr(os, "O_BINARY", 0)
"""For ``os.open``: without it, Windows would change line ends."""

_FAR: Final = 1 << 30
"""The byte that is locked on Windows."""


def lock(descriptor: int) -> None:
    """Lock a whole file for this process until it is closed. Raise ``BlockingIOError`` if another one has it."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt is not None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)


def lock_byte(descriptor: int, byte: int) -> None:
    """Lock one byte against every other open of a file, even in this process. Raise ``BlockingIOError``.

    Such a lock is not dropped when another descriptor of the file is closed. Only Linux has such locks; elsewhere, and
    on file systems without them, nothing is locked.
    """
    if not sys.platform.startswith("linux") or fcntl is None:
        return
    request = struct.pack("@hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, request)
    except (BlockingIOError, PermissionError) as error:
        raise BlockingIOError(error.errno, error.strerror) from None
    except OSError:
        return


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Return ``size`` bytes from an offset, fewer at the end of the file."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at_start(descriptor: int, data: bytes) -> None:
    """Replace the content of a file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.truncate(descriptor, os.write(descriptor, data))


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read; after any failure it is still complete, either the old or the new one.

    Return once the new one is on disk. If ``OSError`` is raised, the old one remains.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Create a folder, for its owner only, and its parents if they are missing. Raise ``OSError``."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    for folder in missing:
        _sync_folder(folder.parent)


def _sync_folder(path: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems cannot do this, and do not need it
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_HEADER: Final = struct.Struct("=14xHI")
"""From the header of the index, in native byte order: the size of a page, and the last frame of the log."""

_LOG_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
_LARGEST_PAGE: Final = 65536


def is_truncated(index: int, log: str) -> bool:
    """Return whether a log has fewer bytes than its index requires; ``index`` is a descriptor of the index.

    Another program may append to the log or restart it between two reads; a truncated log stays truncated.
    """
    needed = _needed(index)
    return os.stat(log).st_size < needed and needed == _needed(index) and os.stat(log).st_size < needed


def _needed(index: int) -> int:
    header = read_at(index, _HEADER.size, 0)
    if len(header) < _HEADER.size:
        return 0
    page, last_frame = _HEADER.unpack(header)
    frame = _FRAME_HEADER_BYTES + (_LARGEST_PAGE if page == 1 else page)
    return _LOG_HEADER_BYTES + last_frame * frame if last_frame else 0
