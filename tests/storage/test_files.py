"""Locks on every system: with the calls of Unix, with those of Windows, and without either."""

import os
from pathlib import Path

import pytest

from golfnet.storage import files
from golfnet.storage.files import lock, read_at, write_at_start


class Windows:
    """Locks bytes at the file position against every other descriptor of the file, as ``msvcrt`` does."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        byte = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert byte > 1000, "nobody else could read the bytes that are locked"
        holder = self._held.setdefault((os.fstat(descriptor).st_ino, byte), descriptor)
        if (holder, mode, count) != (descriptor, self.LK_NBLCK, 1):
            raise PermissionError(13, "Permission denied")


@pytest.fixture(params=["unix", "windows"])
def _system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "windows":
        monkeypatch.setattr(files, "fcntl", None)
        monkeypatch.setattr(files, "msvcrt", Windows())
        monkeypatch.delattr(os, "pread")


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@pytest.mark.usefixtures("_system")
def test_one_process_holds_the_lock_and_the_other_reads_its_id(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "lock"), opened(tmp_path / "lock")
    lock(first)
    write_at_start(first, b"1234567")
    write_at_start(first, b"42")
    with pytest.raises(BlockingIOError):
        lock(second)
    assert os.read(second, 20) == b"42"
    assert read_at(second, 20, 1) == b"2"
    os.close(first)
    os.close(second)


def test_on_a_system_without_lock_calls_nothing_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "fcntl", None)
    both = [opened(tmp_path / "lock") for _ in range(2)]
    for descriptor in both:
        lock(descriptor)
        os.close(descriptor)
