"""A small Debian that boots with its own systemd and no network, in which golfnet is installed as the guide says.

It is made with ``debootstrap``, which takes minutes, or copied from an existing root folder: ``GOLFNET_DEBIAN=FOLDER``.
``deploy/install.sh`` gets its packages from a folder of wheels instead of a package index; they are fetched here.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.e2e.service import printed

ROOT: Final = Path(__file__).parents[2]
SUITE: Final = "bookworm"
PYTHON: Final = "3.11"
"""The version of Python in that Debian, for which wheels are fetched."""

PACKAGES: Final = "ca-certificates,iproute2,netcat-openbsd,python3,python3-venv,systemd,systemd-sysv"
TOOLS: Final = ("debootstrap", "nsenter", "systemd-nspawn")

BOOT_SECONDS: Final = 120.0
"""How long systemd may take on a busy machine."""


class NoMachine(Exception):
    """No machine can be set up here; the message says why."""


class Machine:
    """A booted machine, which runs commands as root."""

    def __init__(self, leader: int) -> None:
        self._enter = ("nsenter", "-t", str(leader), "-m", "-u", "-i", "-n", "-p", "-C")

    def run(self, command: str, *, statuses: tuple[int, ...] = (0,)) -> str:
        """Run a shell command and return its output; the exit status must be one of those given."""
        line = f"export PATH=/usr/sbin:/usr/bin:/sbin:/bin; {command}"
        return printed(*self._enter, "/bin/sh", "-c", line, status=statuses)

    def wait_for(self, command: str, expected: str, *, seconds: float = BOOT_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while expected not in (told := self.run(f"{command} || true")):
            assert time.monotonic() < deadline, f"no {expected!r} from {command}: {told}"
            time.sleep(0.2)


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """Make and boot a machine, yield it, and remove it. Raise ``NoMachine`` if none can be made."""
    if os.geteuid() != 0:
        raise NoMachine("needs root")
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        raise NoMachine(f"{', '.join(missing)} is not installed")
    root, wheels, source = folder / "root", folder / "wheels", folder / "source"
    _bootstrap(root)
    _fetch(wheels)
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist"))
    container = (
        *("systemd-nspawn", "-q", "-D", str(root), "--register=no", "--keep-unit", "--private-network"),
        *(f"--bind={source}:/source", f"--bind-ro={wheels}:/wheels"),
    )
    with (folder / "console").open("wb") as console:
        process = subprocess.Popen(
            [*container, "--boot", "--console=pipe"], stdin=subprocess.DEVNULL, stdout=console, stderr=console
        )
    try:
        running = Machine(_leader(process.pid))
        running.wait_for("systemctl is-system-running 2>&1", "ing", seconds=BOOT_SECONDS)
        running.wait_for("systemctl is-system-running --wait 2>&1", "running")
        yield running
    finally:
        process.terminate()  # this shuts the machine down in an orderly way
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        if process.poll() is None:
            process.kill()
            process.wait()


def _bootstrap(root: Path) -> None:
    if known := os.environ.get("GOLFNET_DEBIAN"):
        subprocess.run(["cp", "-a", known, root], check=True)
        return
    _set_up("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root)


def _fetch(wheels: Path) -> None:
    for lock in ("build.lock", "requirements.lock"):
        _set_up(
            *("python3", "-m", "pip", "download", "-qq", "--no-deps", "--require-hashes"),
            *("--only-binary=:all:", f"--python-version={PYTHON}", "-d", wheels),
            *("-r", ROOT / "deploy" / "container" / lock),
        )


def _set_up(*command: str | Path) -> None:
    try:
        printed(*command, timeout=None)
    except AssertionError as reason:
        raise NoMachine(f"{command[0]}: {str(reason)[-200:]}") from None


def _leader(container: int) -> int:
    """Return the process that is number 1 in a container."""
    children = Path(f"/proc/{container}/task/{container}/children")
    deadline = time.monotonic() + BOOT_SECONDS
    while True:
        with suppress(OSError):
            for child in children.read_text().split():
                if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    return int(child)
        if time.monotonic() > deadline or not Path(f"/proc/{container}").exists():
            raise NoMachine("systemd-nspawn cannot boot here")
        time.sleep(0.1)
