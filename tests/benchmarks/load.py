"""Many peers in one thread: lines back and forth, table talk, and programs that play at random.

They share one selector; every peer is a plain object that is given its lines. Loopback only.
"""

import random
import selectors
import socket
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Final, TypeVar

import msgspec

from tests.server.house import choose_line

_BATCH: Final = 100
"""Connections opened at a time, fewer than a listening queue holds."""


class LoadError(Exception):
    """A server did something unexpected: it refused, closed, or stayed silent."""


class Peer:
    """One connection of a load; ``hear`` is called with each line that it receives."""

    is_ready = True
    count = 0
    """How often the peer has done what is measured."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.hear: Callable[[bytes], None] = lambda line: None
        self._rest = b""

    def send(self, line: str) -> None:
        """Send a line; it must be short enough to be sent at once."""
        self.sock.send(line.encode() + b"\n")

    def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.hear(line)


P = TypeVar("P", bound=Peer)


class Crowd:
    """All peers of a load, and their loop."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._peers: list[Peer] = []
        self._selector = selectors.DefaultSelector()

    def connect(self, count: int, kind: Callable[[socket.socket, int], P]) -> list[P]:
        """Connect peers in batches, and wait until each is ready."""
        peers: list[P] = []
        while len(peers) < count:
            batch = [self._connected(kind) for _ in range(min(_BATCH, count - len(peers)))]
            self.wait(lambda batch=batch: all(peer.is_ready for peer in batch))  # type: ignore[misc]
            peers += batch
        return peers

    def _connected(self, kind: Callable[[socket.socket, int], P]) -> P:
        sock = socket.create_connection(("127.0.0.1", self._port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        peer = kind(sock, len(self._peers))
        self._peers.append(peer)
        self._selector.register(sock.fileno(), selectors.EVENT_READ, peer)
        return peer

    def wait(self, condition: Callable[[], bool], seconds: float = 30.0) -> None:
        end = perf_counter() + seconds
        while not condition():
            if perf_counter() > end:
                raise LoadError("timed out waiting for the server")
            self._turn()

    def run(self, seconds: float) -> None:
        end = perf_counter() + seconds
        while perf_counter() < end:
            self._turn()

    def _turn(self) -> None:
        """Give every peer what has arrived for it."""
        for key, _ in self._selector.select(0.05):
            data = key.data.sock.recv(65536)
            if not data:
                raise LoadError("the server has closed a connection")
            key.data.take(data)

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *problem: object) -> None:
        for peer in self._peers:
            peer.sock.close()
        self._selector.close()


def echo(peer: Peer) -> None:
    """Have a peer send a line whenever it has received one."""

    def hear(line: bytes) -> None:
        peer.count += 1
        peer.send("ping x")

    peer.hear = hear
    peer.send("ping x")


def talk(table: Sequence[Peer]) -> None:
    """Have peers at a table send lines in turn, each once everybody has received the previous line."""
    heard = 0

    def hear(line: bytes) -> None:
        nonlocal heard
        if b"hello to all" in line and b'"ok"' not in line:
            heard += 1
            if heard % len(table) == 0:
                table[0].count += 1
                speak()

    def speak() -> None:
        table[heard // len(table) % len(table)].send("say hello to all of you")

    for peer in table:
        peer.hear = hear
    speak()


class Once(Peer):
    """A peer that sends a line as soon as it has connected, and is ready once it has an answer."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.is_ready = False
        self.hear = lambda line: setattr(self, "is_ready", True)
        self.send("ping x")


class Player(Peer):
    """A golfnet client that gives a name, joins a table, and chooses at random among its allowed actions."""

    def __init__(self, chance: random.Random, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.is_ready = False
        self.table = ""
        self.hear = self._hear
        self._chance = chance
        self._prompt: dict[str, Any] = {"actions": []}
        self._is_waiting = False
        self._plays = False
        self.send(f"hello 1\nname p{number}")

    def play(self) -> None:
        self._plays = True
        self._act()

    def _hear(self, line: bytes) -> None:
        if line.startswith(b'{"type":"ok"'):
            if self._is_waiting:
                self._is_waiting = False
                self.count += 1
                self._act()
            elif b'"token"' in line:
                self.is_ready = True
            elif b'"table"' in line:
                self.table = msgspec.json.decode(line)["table"]
        elif line.startswith(b'{"type":"prompt"'):
            self._prompt = msgspec.json.decode(line)
            self._act()
        elif line.startswith(b'{"type":"error"'):
            if b"BAD_PHASE" not in line:  # two players may start a match at the same moment
                raise LoadError(f"the server refused: {line.decode()}")
            self._is_waiting = False
            self._act()

    def _act(self) -> None:
        """Do one of the allowed actions, if there are any."""
        if self._prompt["actions"] and self._plays and not self._is_waiting:
            line = choose_line(self._prompt, self._chance)
            self._prompt, self._is_waiting = {"actions": []}, True
            self.send(line)


def players(crowd: Crowd, count: int) -> list[Player]:
    return crowd.connect(count, partial(Player, random.Random(1)))


def seat(crowd: Crowd, count: int) -> list[Player]:
    """Return players who sit at six-card tables of four; none of the matches starts yet."""
    seats = players(crowd, count)
    hosts = seats[::4]
    for host in hosts:
        host.send("create six-card seats=4")
    crowd.wait(lambda: all(host.table for host in hosts))
    for place in range(1, 4):
        guests = seats[place::4]
        for host, guest in zip(hosts, guests, strict=True):
            guest.send(f"join {host.table}")
        crowd.wait(lambda guests=guests: all(guest.table for guest in guests))  # type: ignore[misc]
    return seats
