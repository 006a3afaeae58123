"""The command that stops the server which holds a database, for the error message of a second server.

What stays true: a command is given only for a process that is a golfnet server as far as this system shows. The number
in a lock file may come from a container, where it means another process than here.
"""

import re
import sys
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_UNIT: Final = re.compile(r"/([\w@.:-]+\.service)$", re.MULTILINE)
_PARENT: Final = re.compile(r"^PPid:\s*(\d+)$", re.MULTILINE)


def stop_command(process: str, proc: Path | None = None) -> str:
    """Return the command that stops the server in a process, empty if unknown."""
    if not process.isdecimal():
        return ""
    proc = proc or _PROC
    if sys.platform == "win32":
        return f"taskkill /f /pid {process}"
    if not sys.platform.startswith("linux"):
        return f"kill {process}"
    try:
        command_line = (proc / process / "cmdline").read_bytes()
        groups = (proc / process / "cgroup").read_text()
        parent = _PARENT.search((proc / process / "status").read_text())
        manager = (proc / parent.group(1) / "comm").read_text().strip() if parent is not None else ""
    except OSError:
        return ""
    if b"golfnet" not in command_line:
        return ""
    unit = _UNIT.search(groups)
    if (
        unit is None or manager != "systemd"
    ):  # a terminal may be in a unit, too: that unit is not the server's
        return f"kill {process}"
    control = "systemctl --user" if "/user.slice/" in groups else "sudo systemctl"
    return f"{control} stop {unit.group(1)}"
