"""How soon the client's first picture stands on the screen, from the start of its process, in a terminal of its own.

The server that it is to connect to is not there: the picture does not need it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.benchmarks._load import LoadError
from tests.benchmarks._measure import row

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_SIZE: Final = struct.pack("HHHH", 24, 80, 0, 0)
_SHOWN: Final = b"golfnet"
"""What the first picture says."""
_MOST_SECONDS: Final = 20.0


def first_picture() -> float:
    """Return the seconds from the start of the client to its first picture."""
    with TemporaryDirectory(prefix="golfnet-picture-") as home:
        began = time.perf_counter()
        process, screen = pty.fork()
        if process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, _SIZE)
            os.environ |= {"HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
            client = (sys.executable, "-m", "golfnet_client", "--theme", "dark", "127.0.0.1:1")
            os.execv(sys.executable, client)
        try:
            _wait_for(screen, _SHOWN, began + _MOST_SECONDS)
            return time.perf_counter() - began
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(screen)


def _wait_for(screen: int, text: bytes, until: float) -> None:
    """Read what a terminal is sent until a text is in it."""
    shown = b""
    while text not in shown:
        if not select.select([screen], [], [], max(0.0, until - time.perf_counter()))[0]:
            raise LoadError("the client has drawn no picture")
        shown += os.read(screen, 65536)


def show_picture(options: argparse.Namespace) -> None:
    """Print how soon the picture stands."""
    seconds = [first_picture() for _ in range(options.repeat * 2)]
    row("the client's first picture", "<= 450", [each * 1000 for each in seconds], "ms")


PARTS: Final[dict[str, Callable[[argparse.Namespace], None]]] = {"picture": show_picture}
