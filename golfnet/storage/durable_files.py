"""Write files and folders so that they outlive a power failure.

Syncing a file keeps what is in it; its name is kept by syncing its folder (fsync(2)), and that of the folder by syncing
the one around it.
"""

import contextlib
import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read: after a failure at any time it is whole, the old or the new one.

    Return when the new one is on the disk. Raise ``OSError``, and the old one stays.
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
    """Create a folder for its owner only, with those around it, if it is missing. Raise ``OSError``."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    for folder in missing:
        _sync_folder(folder.parent)


def _sync_folder(path: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems cannot, and then need not
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
