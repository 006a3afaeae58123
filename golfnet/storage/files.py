"""Where golfnet stores its files on each system, how it locks them, and what clients save from their matches.

There is one folder for state and one for settings. On Linux these follow the XDG Base Directory Specification. On other
systems ``platformdirs`` decides, which takes a while to load; on macOS and Windows there may be one folder for both.

Unix has ``flock``, Windows ``msvcrt.locking``. On Windows others cannot read the locked bytes, so only a byte far
beyond the end of the file is locked.

Clients save one file per match, for ``golfnet verify --seen``. Only the owner can read these files; the server cannot
choose their location; no server can fill the disk. A file that cannot be written is skipped: the deals are still
compared during play.
"""

import contextlib
import os
import re
import struct
import sys
import time
from pathlib import Path
from typing import Final, Literal

_NAME: Final = "golfnet"


def state_folder() -> Path:
    """Return the folder for persistent data: databases, tokens, matches."""
    if not os.environ.get("XDG_STATE_HOME"):
        with contextlib.suppress(RuntimeError):
            before = Path.home() / ".local" / "state" / _NAME  # on macOS, used only if it already exists
            if before.is_dir():
                return before
    return _folder("state", ".local/state")


def default_database() -> Path:
    """Return the path of the database if none is configured."""
    return state_folder() / "golfnet.db"


def default_settings() -> Path:
    """Return the path of the configuration file if none is named."""
    return _folder("config", ".config") / "golfnet.toml"


def _folder(kind: Literal["state", "config"], usual: str) -> Path:
    """Return the user's folder of a kind; ``usual`` is its place in the home directory on Linux."""
    try:
        if not sys.platform.startswith("linux"):
            from platformdirs import PlatformDirs

            folders = PlatformDirs(_NAME, appauthor=False)
            return folders.user_state_path if kind == "state" else folders.user_config_path
        given = Path(os.environ.get(f"XDG_{kind.upper()}_HOME", ""))
        return (given if given.is_absolute() else Path.home() / usual) / _NAME
    except RuntimeError:  # a user without a home, as in some containers: nothing can be stored
        return Path(os.devnull) / _NAME


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

BINARY: Final = getattr(os, "O_BINARY", 0)
"""For ``os.open``: without it, Windows would change line endings."""


def lock(descriptor: int) -> None:
    """Lock a whole file until the descriptor is closed. Raise ``BlockingIOError`` if another process has the lock."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)


def lock_byte(descriptor: int, byte: int) -> None:
    """Lock one byte of a file, even against other descriptors in this process. Raise ``BlockingIOError``.

    Such a lock is not dropped when another descriptor of the file is closed. Only Linux has such locks; elsewhere, and
    on file systems without them, nothing is locked.
    """
    if not sys.platform.startswith("linux"):
        return
    request = struct.pack("@hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, request)
    except (BlockingIOError, PermissionError) as error:
        raise BlockingIOError(error.errno, error.strerror) from None
    except OSError:
        return


def read_start(descriptor: int, size: int) -> bytes:
    """Return the first ``size`` bytes of a file, or all of it."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at_start(descriptor: int, data: bytes) -> None:
    """Replace the content of a file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.truncate(descriptor, os.write(descriptor, data))


def replace_file(path: Path, content: bytes, *, is_synced: bool = True) -> None:
    """Write a file that only its owner may read; after any failure, it has either its old or its new content.

    Return once the new file is on disk or, if it is not ``is_synced``, without waiting for the disk: then a failure of
    the whole system may lose the content. If ``OSError`` is raised, the old file remains.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o600), "wb") as file:
            file.write(content)
            if is_synced:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    if is_synced:
        _sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Create a folder, for its owner only, and its parents if they are missing. Raise ``OSError`` on failure."""
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
"""Part of the header of SQLite's index of the log: the page size, and the number of the log's last frame."""

_LOG_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24


def is_truncated(index: int, log: str) -> bool:
    """Return whether a write-ahead log is shorter than its index requires; ``index`` is a descriptor of the index.

    Both files are read twice, since another program may append to the log or restart it between two reads, whereas a
    truncated log stays truncated.
    """
    needed = _needed(index)
    return os.stat(log).st_size < needed and needed == _needed(index) and os.stat(log).st_size < needed


def _needed(index: int) -> int:
    header = read_start(index, _HEADER.size)
    if len(header) < _HEADER.size:
        return 0
    page, last_frame = _HEADER.unpack(header)
    frame = _FRAME_HEADER_BYTES + (65536 if page == 1 else page)
    return _LOG_HEADER_BYTES + last_frame * frame if last_frame else 0


MOST_BYTES: Final = 8 * 1024 * 1024
"""Maximum size of one match's file: many times what the longest match needs."""

MOST_FILES: Final = 50
"""Maximum number of files per server; a new one replaces the oldest."""


_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | BINARY


class SeenFiles:
    """The files for what one server has sent, one per match."""

    def __init__(self, directory: Path, server: str) -> None:
        self.path: Path | None = None
        """The latest file."""
        self._directory = directory
        self._server = _plain(server)
        self._run = f"{time.strftime('%Y%m%d_%H%M%S')}_{os.getpid()}"
        """Identifies the run of the program, since a later run may reuse a match id."""
        self._match = ""
        self._bytes = 0

    def keep(self, match: str, line: bytes) -> None:
        """Append a line, given without its line ending, to the file of a match."""
        with contextlib.suppress(OSError):
            if match != self._match:
                self._begin(match)
            if self.path is not None and self._bytes + len(line) < MOST_BYTES:
                self._bytes += len(line) + 1
                with os.fdopen(os.open(self.path, _APPEND, 0o600), "ab", buffering=0) as file:
                    file.write(line + b"\n")

    def _begin(self, match: str) -> None:
        self._match, self.path, self._bytes = match, None, 0
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        older = sorted(self._directory.glob(f"{self._server}-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in older[: max(0, len(older) + 1 - MOST_FILES)]:
            path.unlink(missing_ok=True)
        self.path = self._directory / f"{self._server}-{_plain(match)}-{self._run}.jsonl"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text)[:64].strip(".") or "_"
