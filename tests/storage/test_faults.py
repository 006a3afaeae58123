import errno
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from golfnet.storage.faults import StoreReason, os_error, stop_command, store_error

PATH = Path("/srv/golf/golf.db")


@pytest.mark.parametrize(
    ("code", "reason", "advice"),
    [
        (sqlite3.SQLITE_FULL, StoreReason.FULL, "Make room"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreReason.UNUSABLE, "--db"),
        (sqlite3.SQLITE_LOCKED, StoreReason.UNUSABLE, "--db"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreReason.READ_ONLY, "/srv/golf"),
        (sqlite3.SQLITE_PERM, StoreReason.READ_ONLY, "write access"),
        (sqlite3.SQLITE_CANTOPEN, StoreReason.UNREACHABLE, "/srv/golf exist"),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreReason.DAMAGED, ".recover"),
        (sqlite3.SQLITE_NOTADB, StoreReason.DAMAGED, "last good copy"),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreReason.FAULTY, "log"),
        (None, StoreReason.FAULTY, "log"),
    ],
)
def test_each_error_has_advice(code: int | None, reason: StoreReason, advice: str) -> None:
    error = sqlite3.OperationalError("the words of SQLite")
    if code is not None:
        error.sqlite_errorcode = code
    told = store_error(PATH, error)
    assert told.reason is reason
    assert advice in told.sentence
    assert str(PATH) in told.sentence
    assert "the words of SQLite" in told.sentence
    assert str(told) == told.sentence


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, StoreReason.FULL),
        (errno.EDQUOT, StoreReason.FULL),
        (errno.EROFS, StoreReason.READ_ONLY),
        (errno.EACCES, StoreReason.READ_ONLY),
        (errno.ENOENT, StoreReason.UNREACHABLE),
        (errno.ENOTDIR, StoreReason.UNREACHABLE),
    ],
)
def test_each_operating_system_error_has_a_reason(number: int, reason: StoreReason) -> None:
    told = os_error(PATH, OSError(number, os.strerror(number)))
    assert told.reason is reason
    assert os.strerror(number) in told.sentence


_OF_USER = "user-1000.slice/user@1000.service/app.slice"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def process(proc: Path, command_line: str, group: str, parent: str = "systemd") -> Path:
    for number in ("4711", "42"):
        (proc / number).mkdir()
    (proc / "42" / "comm").write_text(f"{parent}\n")
    (proc / "4711" / "status").write_text("Name:\tgolfnet\nPPid:\t42\nUid:\t0\n")
    (proc / "4711" / "cmdline").write_bytes(command_line.replace(" ", "\0").encode())
    (proc / "4711" / "cgroup").write_text(f"0::{group}\n")
    return proc


@pytest.mark.parametrize(
    ("group", "parent", "command"),
    [
        ("/system.slice/golfnet.service", "systemd", "sudo systemctl stop golfnet.service"),
        (f"/user.slice/{_OF_USER}/golf@home.service", "systemd", "systemctl --user stop golf@home.service"),
        ("/user.slice/user-1000.slice/session-3.scope", "systemd", "kill 4711"),
        (f"/user.slice/{_OF_USER}/vte-spawn-1.scope", "systemd", "kill 4711"),
        (f"/user.slice/{_OF_USER}/gnome-terminal-server.service", "bash", "kill 4711"),
        ("/", "systemd", "kill 4711"),
    ],
)
def test_a_server_is_stopped_through_its_own_unit_or_its_process(
    tmp_path: Path, group: str, parent: str, command: str
) -> None:
    proc = process(tmp_path, "python /usr/bin/golfnet serve", group, parent)
    assert stop_command("4711", proc) == command


def test_no_stop_command_is_suggested_for_a_process_of_another_program(tmp_path: Path) -> None:
    assert stop_command("4711", process(tmp_path, "/sbin/init", "/init.scope")) == ""
    assert stop_command("4712", tmp_path) == ""
    assert stop_command("", tmp_path) == ""
    assert stop_command("1") == "", "process 1 is the system, not a server"
