"""Where files are kept, and how they are locked: with the calls of Unix, and with those of Windows."""

import os
import sys
from pathlib import Path

import platformdirs
import pytest
from platformdirs.macos import MacOS

from golfnet.storage import files
from golfnet.storage.files import (
    default_database,
    default_settings,
    lock,
    lock_byte,
    read_start,
    state_folder,
    write_at_start,
)


class Windows:
    """Locks the byte at the file position for one descriptor of the file, as ``msvcrt`` does."""

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
        monkeypatch.setattr(sys, "platform", "win32")
        monkeypatch.setattr(files, "msvcrt", Windows(), raising=False)


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
    assert read_start(second, 1) == b"4"
    os.close(first)
    os.close(second)


@pytest.mark.skipif(sys.platform != "linux", reason="needs open file description locks")
def test_exactly_one_byte_of_a_file_is_locked(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "lock"), opened(tmp_path / "lock")
    lock_byte(first, 7)
    for free in (6, 8):
        lock_byte(second, free)
    with pytest.raises(BlockingIOError):
        lock_byte(second, 7)
    os.close(first)
    os.close(second)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def _macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platformdirs, "PlatformDirs", MacOS)


def test_the_folders_follow_the_xdg_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".local/state/golfnet").mkdir(parents=True)
    monkeypatch.setenv("XDG_STATE_HOME", "/var/x")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/x")
    assert (state_folder(), default_settings()) == (
        Path("/var/x/golfnet"),
        Path("/etc/x/golfnet/golfnet.toml"),
    )
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert state_folder() == home / ".local/state/golfnet"


@pytest.mark.usefixtures("_macos")
def test_macos_has_its_own_folders_and_still_finds_older_files(home: Path) -> None:
    assert default_database() == home / "Library/Application Support/golfnet/golfnet.db"
    assert default_settings() == home / "Library/Application Support/golfnet/golfnet.toml"
    (home / ".local/state/golfnet").mkdir(parents=True)
    assert default_database() == home / ".local/state/golfnet/golfnet.db"


def test_without_a_home_directory_there_is_no_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(Path, "home", homeless)
    assert state_folder() == Path("/dev/null/golfnet")
