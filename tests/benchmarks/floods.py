"""What one address can do to everyone else with bytes that are not commands: telnet, editing, empty frames.

During each flood a few programs ping ten times a second; the row gives the 99th percentile of their waiting times.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import selectors
import socket
import time
from typing import TYPE_CHECKING, Any, Final

from tests.benchmarks.load import Canary, Crowd
from tests.benchmarks.processes import golfnet
from tests.benchmarks.table import Row, quantile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

CONNECTIONS: Final = 20
CANARIES: Final = 5
PAUSE: Final = 0.1
"""Seconds between a canary's pings, which stay below a program's rate limit."""

MASKED: Final = b"\0\0\0\0"
"""The mask of a client's frame, which leaves its bytes unchanged."""

LINES: Final = {
    "IAC NOP": b"\xff\xf1",
    "IAC GA": b"\xff\xf9",
    "x IAC EC": b"x\xff\xf7",
    "x IAC EL": b"x\xff\xf8",
    "IAC IAC": b"\xff\xff",
    "window sizes": b"\xff\xfa\x1f\0\x50\0\x18\xff\xf0",
    "x BACKSPACE": b"x\b",
    "blank lines": b" \n",
    "NULs": b"\0",
    "overlong lines": b"y" * 1500 + b"\n",
    "lines": b"x\n",
}
FRAMES: Final = {
    "empty continuations": b"\x00\x80" + MASKED,
    "WebSocket pings": b"\x89\x80" + MASKED,
    "empty messages": b"\x81\x80" + MASKED,
}
UPGRADE: Final = (
    b"GET /lines HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def floods(options: argparse.Namespace) -> Iterator[Row]:
    """Measure how long others wait during each flood."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        web = free.getsockname()[1]
    flags = ("--web", "--web-port", str(web), "--commands-per-second", "10")
    with golfnet(*flags) as server, Crowd(server.port) as crowd:
        _connect(web, "WebSocket pings").close()  # makes the server load what it needs for its first browser
        canaries = crowd.connect(CANARIES, Canary)
        crowd.run(0.5)
        quiet = _wait(crowd, canaries, options.seconds)
        for name in (*LINES, *FRAMES):
            port = web if name in FRAMES else server.port
            flood = multiprocessing.Process(target=_flood, args=(port, name, options.seconds))
            flood.start()
            waited = _wait(crowd, canaries, options.seconds)
            flood.join()
            crowd.run(0.2)  # until its connections have closed
            yield Row(f"ping p99 during a flood, {name} (baseline: none)", "ms", waited, quiet)


def _wait(crowd: Crowd, canaries: list[Canary], seconds: float) -> float:
    """Return how many milliseconds the slowest canaries waited."""
    due = 0.0

    def sing(now: float) -> None:
        nonlocal due
        if now >= due:
            due = now + PAUSE
            for each in canaries:
                each.sing()

    for each in canaries:
        each.times.clear()
    crowd.run(seconds, sing)
    times = [took for each in canaries for took in each.times]
    return quantile(times or [seconds], 0.99)


def _flood(port: int, name: str, seconds: float) -> None:
    """Send as much as the kernel accepts, until each connection is closed."""
    filler = {**LINES, **FRAMES}[name]
    data = filler * (65536 // len(filler))
    until = time.monotonic() + seconds
    selector: Any = selectors.DefaultSelector()
    socks = [_connect(port, name) for _ in range(CONNECTIONS)]
    for sock in socks:
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_WRITE)
    while time.monotonic() < until:
        for key, _ in selector.select(0.1):
            try:
                key.fileobj.send(data)
            except BlockingIOError:
                pass
            except OSError:
                selector.unregister(key.fileobj)
    for sock in socks:
        sock.close()


def _connect(port: int, name: str) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port))
    sock.settimeout(5)
    with contextlib.suppress(OSError):
        if name in FRAMES:
            sock.sendall(UPGRADE % (port, port))
            sock.recv(65536)
            if name == "empty continuations":
                sock.sendall(b"\x01\x82" + MASKED + b"wh")  # the message to continue
        else:
            sock.sendall(b"\xff\xfb\x1f")  # WILL NAWS
    return sock
