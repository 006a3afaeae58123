import errno
import sqlite3
import sys
from pathlib import Path

import pytest

from golfnet.storage.faults import os_error, stop_command, store_error
from tests.golden import GoldenFiles

PATH = Path("/srv/golf/golf.db")
GOLDEN = Path(__file__).with_name("golden") / "faults.txt"


def test_each_error_has_a_reason_and_advice(golden: GoldenFiles) -> None:
    told = [store_error(PATH, sqlite3.OperationalError("what SQLite says"))]
    for code in (
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY_SNAPSHOT, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM),
        *(sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT_INDEX),
        *(sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR_FSYNC),
    ):
        error = sqlite3.OperationalError("what SQLite says")
        error.sqlite_errorcode = code
        told.append(store_error(PATH, error))
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOENT, errno.ENOTDIR)
    told += [os_error(PATH, OSError(number, "what the system says")) for number in numbers]
    golden.check(GOLDEN, "".join(f"{error.reason:11}  {error}\n" for error in told))


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
def test_a_servers_unit_or_process_is_stopped(tmp_path: Path, group: str, parent: str, command: str) -> None:
    proc = process(tmp_path, "python /usr/bin/golfnet serve", group, parent)
    assert stop_command("4711", proc) == command


def test_no_stop_command_is_suggested_for_a_process_of_another_program(tmp_path: Path) -> None:
    assert stop_command("4711", process(tmp_path, "/sbin/init", "/init.scope")) == ""
    assert stop_command("4712", tmp_path) == ""
    assert stop_command("", tmp_path) == ""
    assert stop_command("1") == "", "process 1 is the system, not a server"
