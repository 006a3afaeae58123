"""Servers as processes of their own: started, measured from outside, and ended."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVER_CORE: Final = 0
LOAD_CORE: Final = 1

UNLIMITED: Final = (
    *("--commands-per-second", "100000", "--chat-per-10-seconds", "100000", "--name-time", "600"),
    *("--connections", "20000", "--drain-time", "0", "--pause", "1"),
)
"""What a load needs: no limits on how fast one connection speaks, and short pauses between holes."""

PROGRAM: Final = "from golfnet.cli.main import main; main()"


class Server:
    """A running server process."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port

    @property
    def memory(self) -> int:
        """Resident bytes."""
        shown = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, check=True
        )
        return int(shown.stdout) * 1024

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, with that of its processes; 0 where the system does not tell."""
        started = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [int(each) for task in started for each in task.read_text().split()]
        return sum(map(_cpu, (self.process.pid, *children)))


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def golfnet(
    *options: str, durable: bool = True, program: str = PROGRAM, pinned: bool = True, database: str = ""
) -> Iterator[Server]:
    """Run golfnet, by default with its durable store in a file of its own; ``database`` is the URL of another."""
    with tempfile.TemporaryDirectory(prefix="golfnet-benchmark-") as folder:
        store = ["--db", f"{folder}/db"] if durable else ["--memory"]
        if database:
            store = ["--database", database, "--admin-socket", f"{folder}/admin"]
        command = [
            *(sys.executable, "-c", program, "serve", "--port", "0", "--telnet-port", "-1"),
            *store,
            *UNLIMITED,
            *options,
        ]
        with _running(command, pinned=pinned) as server:
            yield server


@contextmanager
def baseline(kind: str, *, pinned: bool = True) -> Iterator[Server]:
    """Run one of the servers to compare with."""
    with _running([sys.executable, "-m", "tests.benchmarks.baselines", kind], pinned=pinned) as server:
        yield server


@contextmanager
def _running(command: list[str], *, pinned: bool) -> Iterator[Server]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if pinned:
            pin(process.pid, SERVER_CORE)
        else:
            unpin(process.pid)
        assert process.stdout is not None
        found = re.search(rb"(\d+)\s*$", process.stdout.readline())
        if found is None:
            raise RuntimeError(f"{command[1:4]} did not start")
        yield Server(process, int(found[1]))
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def unpin(pid: int) -> None:
    """Let a process run on every core, whatever its parent may use."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(pid, range(os.cpu_count() or 1))


def pin(pid: int, core: int) -> None:
    """Keep a process on one core, so that server and load do not take turns on one; where the system can."""
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(pid, {core})
