"""The index of a write-ahead log: how long the log must be at least (sqlite.org/walformat.html 2.1)."""

import os
import struct
from typing import Final

from golfnet.storage.file_locks import read_at

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
