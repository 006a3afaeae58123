"""A real server in its own process, and real programs that talk to it."""

import contextlib
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

Needs = Callable[[str], str]
"""The type of the fixture ``needs_tool``, which returns the path of a program."""

GOLFNET = Path(sys.executable).with_name("golfnet")
PATIENCE = 60.0
"""Real seconds after which a test stops waiting and fails."""

PORTS: Final = range(20_000, 32_000)
"""Below the ephemeral ports: the system could give one of those to a client before a server listens on it."""

_chance = Random(os.getpid())


def free_port(count: int = 1) -> int:
    """Return the first of ``count`` consecutive free ports, picked at random so that processes seldom clash."""
    while True:
        port = _chance.choice(PORTS)
        with contextlib.suppress(OSError):
            for each in range(port, port + count):
                socket.create_server(("127.0.0.1", each)).close()
            return port


def connect(port: int, address: str = "") -> socket.socket:
    """Connect to a port, from a loopback address, as soon as a server listens there."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, f"nobody listens on {port}"
            time.sleep(0.05)


def until(condition: Callable[[], object], seconds: float = PATIENCE, *, pause: float = 0.05) -> None:
    """Wait until a condition holds; raise ``TimeoutError`` if that takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the condition did not hold within {seconds} seconds")
        time.sleep(pause)


def printed(*command: str | Path, status: int | tuple[int, ...] = 0, **options: Any) -> str:
    """Run a program until it exits with this status, or one of these, and return what it printed."""
    more: dict[str, Any] = {"stdin": subprocess.DEVNULL, "text": True, "timeout": 300} | options
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    expected = status if isinstance(status, tuple) else (status,)
    assert done.returncode in expected, f"exit status {done.returncode}: {command}\n{done.stdout}"
    return str(done.stdout)


class Talk:
    """A program that runs with pipes; a thread collects its output."""

    def __init__(self, *command: str, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=env,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # for Ctrl-Break on Windows
        )
        self.output = b""
        self._chunks: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        stream = self.process.stdout
        while stream is not None and (chunk := stream.read(65536)):
            self._chunks.put(chunk)
        self._chunks.put(b"")

    def send(self, line: str | bytes) -> None:
        """Type a line, or send bytes unchanged."""
        data = line if isinstance(line, bytes) else line.encode() + b"\n"
        if self.process.stdin is not None:
            self.process.stdin.write(data)

    def end(self) -> None:
        """Close the program's input; ``nc -N`` then also closes its side of the connection for sending."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def wait_for(self, pattern: str, *, after: int = 0) -> re.Match[bytes]:
        """Return the first match of a pattern in the output after an offset; fail if none comes in time."""
        wanted = re.compile(pattern.encode(), re.MULTILINE)
        deadline = time.monotonic() + PATIENCE
        while True:
            if found := wanted.search(self.output, after):
                return found
            try:
                chunk = self._chunks.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} in {self.output[-2000:]!r}") from None
            if not chunk:
                raise AssertionError(f"exited without {pattern!r}: {self.output[-2000:]!r}")
            self.output += chunk

    def say(self, line: str | bytes, pattern: str) -> re.Match[bytes]:
        """Type a line and wait for the output it causes."""
        mark = len(self.drain())
        self.send(line)
        return self.wait_for(pattern, after=mark)

    def drain(self) -> bytes:
        with contextlib.suppress(queue.Empty):
            while True:
                self.output += self._chunks.get_nowait()
        return self.output

    def rest(self) -> bytes:
        """Wait until the program exits, and return all its output."""
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return self.drain()

    def close(self) -> None:
        """Stop the program and close its pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Service:
    """``golfnet serve`` as it is installed, on free ports."""

    def __init__(self, *flags: str, port: int = 0, env: Mapping[str, str] | None = None) -> None:
        self._talk = Talk(str(GOLFNET), "serve", "--port", str(port), "--telnet-port", "0", *flags, env=env)
        try:
            self.port = int(self._talk.wait_for(r"nc 127\.0\.0\.1 (\d+)").group(1))
            self.telnet_port = int(self._talk.wait_for(r"telnet 127\.0\.0\.1 (\d+)").group(1))
        except BaseException:
            self._talk.close()
            raise

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self._talk.process

    @property
    def printed(self) -> str:
        """The server's output so far, which is complete once ``stop`` has returned."""
        return self._talk.drain().decode(errors="replace")

    def wait_for(self, pattern: str) -> tuple[str, ...]:
        """Wait until the server has printed what a pattern matches, and return its groups; fail if none comes."""
        return tuple([group.decode() for group in self._talk.wait_for(pattern).groups()])

    def stop(self, *, kill: bool = False) -> int:
        """Stop the server and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self._talk.close()


@contextlib.contextmanager
def service(*flags: str) -> Iterator[Service]:
    """Run a server until the block ends, in memory unless the flags name a database."""
    running = Service(*(flags if "--db" in flags else ("--memory", *flags)))
    try:
        yield running
    finally:
        running.stop(kill=True)


@contextlib.contextmanager
def web_service(*flags: str) -> Iterator[tuple[Service, str]]:
    """Run a server with a page for phones, and yield it with the page's address."""
    port = free_port()
    with service("--web", "--web-port", str(port), *flags) as running:
        yield running, f"http://127.0.0.1:{port}/"
