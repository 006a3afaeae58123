"""Locks on files, and reading at an offset, on every system.

Unix has ``flock``, Windows ``msvcrt.locking``, which locks bytes so that nobody else can read them: it takes one far
beyond the end. Where there is neither, nothing is locked.
"""

import os
import struct
import sys
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
"""For ``os.open``: Windows would change the ends of lines."""

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
    """Lock one byte against every other open of a file, this process's own too. Raise ``BlockingIOError``.

    Such a lock is not dropped when another descriptor of the file is closed. Only Linux has them; elsewhere, and on
    file systems without them, nothing is locked.
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
    """Return so many bytes from an offset on, fewer at the end of the file."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at_start(descriptor: int, data: bytes) -> None:
    """Replace what is in a file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.truncate(descriptor, os.write(descriptor, data))
