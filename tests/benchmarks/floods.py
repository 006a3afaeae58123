"""What one address can do to everybody else with bytes that are no commands: telnet, edited characters, empty frames.

Beside each flood one program pings ten times a second and four play. Printed are, in milliseconds, how long they waited
before the flood, during it, and in the second after every socket of it was closed with whatever it had left unread; how
many connections the server has ended; and how much processor time it had spent at the end. Loopback only; each flood
ends by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import selectors
import socket
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from tests.benchmarks._load import Crowd, Metronome, Pacer, Player, Times, players, seat
from tests.benchmarks._processes import LOAD_CORE, golfnet, pin

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tests.benchmarks._processes import Server

MASKED: Final = b"\0\0\0\0"
"""The mask of a frame from a client, which leaves its bytes as they are."""

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


def main() -> int:
    """Send each flood and print its row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("floods", nargs="*", help=f"of {', '.join([*LINES, *FRAMES])} (default all)")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each is sent (default 3)")
    parser.add_argument("--connections", type=int, default=20, help="by how many connections (default 20)")
    options = parser.parse_args()
    print(f"{'':20} {'before':>16} {'during':>16} {'after':>16} {'sent':>8} {'ended':>6} {'cpu':>7}")
    print(f"{'':20} {'ping p50/p99, move p99':^50} {'MB':>8}")
    for name in options.floods or [*LINES, *FRAMES]:
        pin(os.getpid(), LOAD_CORE)
        with socket.create_server(("127.0.0.1", 0)) as free:
            web = free.getsockname()[1]
        flags = ("--web", "--web-port", str(web), "--commands-per-second", "10")
        with golfnet(*flags) as server, Crowd(server.port) as crowd:
            _measure(server, crowd, web, name, options)
    return 0


def _measure(server: Server, crowd: Crowd, web: int, name: str, options: argparse.Namespace) -> None:
    if name in FRAMES:
        _connect(web, name).close()  # what the server loads for its first browser
    [canary] = crowd.connect(1, Pacer)
    four = players(crowd, 4)
    seat(crowd, four, 4, "create six-card holes=9")
    pings: deque[Pacer] = deque([canary])
    moves: deque[Player] = deque()
    for each in four:
        each.queue = moves
        each.play()
    beats = (Metronome(pings, 10), Metronome(moves, 20))
    canary.queue = pings

    def beat(now: float) -> None:
        for each in beats:
            each(now)

    def waits(seconds: float) -> str:
        canary.times, times = Times(), Times()
        for each in four:
            each.times = times
        crowd.run(seconds, beat)
        for taken in (canary.times.taken, times.taken):
            taken += [] if taken else [seconds]  # nothing was answered
        shown = (canary.times.at(0.5), canary.times.at(0.99), times.at(0.99))
        return "{:.1f}/{:.0f} {:5.0f}".format(*shown)

    crowd.run(1.0, beat)  # whatever was sent before times are taken
    before, cpu = waits(2.0), server.cpu
    here, there = multiprocessing.Pipe()
    port = web if name in FRAMES else server.port
    flood = multiprocessing.Process(target=_flood, args=(there, port, name, options))
    flood.start()
    during = waits(options.seconds)
    crowd.wait(here.poll)
    sent, ended = here.recv()
    after = waits(1.0)
    spent = server.cpu - cpu
    print(
        f"{name:20} {before:>16} {during:>16} {after:>16} {sent / 1e6:8.1f} {ended:6} {spent:6.2f}s",
        flush=True,
    )
    flood.join()


def _flood(there: Connection, port: int, name: str, options: argparse.Namespace) -> None:
    """Send as much as the kernel takes, and tell how much it was and how many connections have ended."""
    filler = {**LINES, **FRAMES}[name]
    data = filler * (65536 // len(filler))
    until, sent, ended = time.monotonic() + options.seconds, 0, 0
    selector: Any = selectors.DefaultSelector()
    socks = [_connect(port, name) for _ in range(options.connections)]
    for sock in socks:
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_WRITE)
    while time.monotonic() < until:
        for key, _ in selector.select(0.1):
            try:
                sent += key.fileobj.send(data)
            except BlockingIOError:
                pass
            except OSError:
                ended += 1
                selector.unregister(key.fileobj)
    for sock in socks:
        sock.close()
    there.send((sent, ended))


def _connect(port: int, name: str) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port))
    sock.settimeout(5)
    with contextlib.suppress(OSError):
        if name in FRAMES:
            sock.sendall(UPGRADE % (port, port))
            sock.recv(65536)
            if name == "empty continuations":
                sock.sendall(b"\x01\x82" + MASKED + b"wh")  # the message that they continue
        else:
            sock.sendall(b"\xff\xfb\x1f")  # WILL NAWS
    return sock
