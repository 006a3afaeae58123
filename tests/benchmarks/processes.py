"""Servers as separate processes: started, measured from outside, and stopped."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.e2e.service import Talk

SERVER_CORE: Final = 0
LOAD_CORE: Final = 1

UNLIMITED: Final = (
    *("--commands-per-second", "100000", "--chat-per-10-seconds", "100000", "--name-time", "600"),
    *("--connections", "20000", "--drain-time", "0", "--pause", "1"),
)
"""What a load needs: no rate limits, and short pauses between holes."""


class Server:
    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port

    @property
    def memory(self) -> int:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def cpu(self) -> float:
        """Seconds of processor time used so far by all its threads."""
        # The id of the process's clock, computed as in clock_getcpuclockid(3).
        return time.clock_gettime((~self.process.pid << 3) | 2)


@contextmanager
def golfnet(folder: str = "") -> Iterator[Server]:
    """Run golfnet with its database in the given folder, or in a temporary one."""
    with TemporaryDirectory(prefix="golfnet-benchmark-") as own:
        files = ("--db", f"{folder or own}/db", "--admin-socket", f"{own}/admin")
        ports = ("--port", "0", "--telnet-port", "-1")
        with _running(
            (sys.executable, "-m", "golfnet.cli.main", "serve", *ports, *files, *UNLIMITED)
        ) as server:
            yield server


@contextmanager
def baseline(kind: str, size: int = 1) -> Iterator[Server]:
    """Run a baseline server, ``trio`` or ``floor``; each line goes to everyone at its table."""
    with _running((sys.executable, "-m", "tests.benchmarks.bare_servers", kind, str(size))) as server:
        yield server


@contextmanager
def _running(command: Sequence[str]) -> Iterator[Server]:
    with closing(Talk(*command)) as talk:
        pin(talk.process.pid, SERVER_CORE)
        yield Server(talk.process, int(talk.wait_for(r"(\d+)\n")[1]))


def pin(pid: int, core: int) -> None:
    """Pin a process to one core if there are several, so that server and load do not share one."""
    if len(os.sched_getaffinity(0)) > 1 or os.cpu_count() != 1:
        os.sched_setaffinity(pid, {core})
