"""A terminal that runs a program, as a window does: it collects output, types keys, and can be closed."""

import codecs
import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping

from tests.e2e.service import PATIENCE

_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal whose session the program leads, so that Ctrl-C or a closed window signals it."""

    def __init__(
        self, *command: str, environ: Mapping[str, str] | None = None, size: tuple[int, int] = (80, 24)
    ) -> None:
        self._far, near = os.openpty()
        fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *command],
            stdin=near,
            stdout=near,
            stderr=near,
            env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(environ or {})},
            start_new_session=True,
        )
        os.close(near)
        self.output = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a read may end within a character

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.close()

    @property
    def rows(self) -> list[str]:
        """The lines on the screen, each as it was last redrawn."""
        plain = _SEQUENCE.sub("", self.output.replace("\r\n", "\n"))
        return [row.rpartition("\r")[2] for row in plain.split("\n")]

    def read(self, seconds: float = 0.05) -> str:
        """Read what arrives within a while, and return all output so far."""
        while select.select([self._far], [], [], seconds)[0]:
            try:
                data = os.read(self._far, 65536)
            except OSError:  # the program has exited
                break
            self.output += self._decoder.decode(data)
        return self.output

    def wait_for(self, pattern: str, *, after: int = 0) -> re.Match[str]:
        """Return the first match of a pattern in the output after an offset; fail if none comes in time."""
        deadline, wanted = time.monotonic() + PATIENCE, re.compile(pattern)
        while not (found := wanted.search(self.read(), after)):
            assert time.monotonic() < deadline, (pattern, self.output[-2000:])
            assert self.process.poll() is None or wanted.search(self.read(), after), self.output[-2000:]
        return found

    def say(self, line: str, pattern: str) -> None:
        """Type a line, and wait for the output it causes."""
        mark = len(self.output)
        self.type(f"{line}\r")
        self.wait_for(pattern, after=mark)

    def type(self, text: str) -> None:
        os.write(self._far, text.encode())

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._far)
        self._far = -1

    def end(self) -> int:
        """Wait until the program exits, and return its exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.output[-2000:]
            if self._far >= 0:
                self.read()
            time.sleep(0.01)
        if self._far >= 0:
            self.read()
        return self.process.returncode


INTERRUPT = "\x03"
