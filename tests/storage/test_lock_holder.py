import sys
from pathlib import Path

import pytest

from golfnet.storage.lock_holder import stop_command

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
    ("group", "command"),
    [
        ("/system.slice/golfnet.service", "sudo systemctl stop golfnet.service"),
        (
            "/user.slice/user-1000.slice/user@1000.service/app.slice/golf@home.service",
            "systemctl --user stop golf@home.service",
        ),
        ("/user.slice/user-1000.slice/session-3.scope", "kill 4711"),
        ("/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope", "kill 4711"),
        ("/", "kill 4711"),
    ],
)
def test_a_server_is_stopped_by_its_own_unit_or_by_its_process(
    tmp_path: Path, group: str, command: str
) -> None:
    assert stop_command("4711", process(tmp_path, "python /usr/bin/golfnet serve", group)) == command


def test_a_unit_that_only_holds_the_terminal_is_not_stopped(tmp_path: Path) -> None:
    group = "/user.slice/user-1000.slice/user@1000.service/app.slice/gnome-terminal-server.service"
    proc = process(tmp_path, "python /usr/bin/golfnet serve", group, parent="bash")
    assert stop_command("4711", proc) == "kill 4711"


def test_a_number_that_means_another_process_here_is_not_given_away(tmp_path: Path) -> None:
    assert stop_command("4711", process(tmp_path, "/sbin/init", "/init.scope")) == ""
    assert stop_command("4712", tmp_path) == ""
    assert stop_command("", tmp_path) == ""
    assert stop_command("1") == "", "process 1 is the system, not a server"
