"""Many peers in one thread: lines back and forth, table talk, and programs that play at random.

They share one selector; every peer is a plain object that is given its lines. Loopback only.
"""

from __future__ import annotations

import random
import selectors
import socket
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BATCH: Final = 100
"""Connections opened at a time, fewer than a listening queue holds."""


class LoadError(Exception):
    """A server did something unexpected: it refused, closed, or stayed silent."""


class Peer:
    """One connection of a load; subclasses define what it does with a line."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.number = number
        self._rest = b""

    def send(self, line: str) -> None:
        """Send a line, which is always short."""
        self.sock.send(line.encode() + b"\n")

    def take(self, data: bytes) -> None:
        """Split bytes into lines."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.hear(line)

    def hear(self, line: bytes) -> None:
        """Handle a line."""


P = TypeVar("P", bound=Peer)


class Crowd:
    """All peers of a load, and their loop."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._peers: list[Peer] = []
        self._selector = selectors.DefaultSelector()

    def connect(
        self,
        count: int,
        kind: Callable[[socket.socket, int], P],
        is_ready: Callable[[P], bool] = lambda each: True,
    ) -> list[P]:
        """Connect peers in batches, and wait until each is ready."""
        peers: list[P] = []
        while len(peers) < count:
            batch = [self._connected(kind) for _ in range(min(_BATCH, count - len(peers)))]
            self.wait(lambda batch=batch: all(is_ready(peer) for peer in batch))  # type: ignore[misc]
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

    def recast(self, peers: Sequence[Peer], kind: Callable[[socket.socket, int], P]) -> list[P]:
        """Turn peers into peers of another kind on the same connections, and return the new ones."""
        recast = [kind(peer.sock, peer.number) for peer in peers]
        for peer in recast:
            self._selector.modify(peer.sock.fileno(), selectors.EVENT_READ, peer)
        return recast

    def wait(self, condition: Callable[[], bool], seconds: float = 30.0) -> None:
        """Run the peers until a condition holds."""
        end = perf_counter() + seconds
        while not condition():
            if perf_counter() > end:
                raise LoadError("timed out waiting for the server")
            self._turn(0.05)

    def run(self, seconds: float) -> None:
        """Run the peers for a while."""
        end = perf_counter() + seconds
        while perf_counter() < end:
            self._turn(0.05)

    def _turn(self, seconds: float) -> None:
        """Give every peer what has arrived for it."""
        for key, _ in self._selector.select(seconds):
            data = key.data.sock.recv(65536)
            if not data:
                raise LoadError("the server has closed a connection")
            key.data.take(data)

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *problem: object) -> None:
        for peer in self._peers:
            peer.sock.close()
        self._selector.close()


class Echo(Peer):
    """Sends a line, waits for one line, and sends the next."""

    line = b"ping x\n"
    count = 0

    def take(self, data: bytes) -> None:
        """Count an answer; a line never arrives in two pieces if only one is in flight."""
        if data[-1] == 10:
            self.count += 1
            self.sock.send(self.line)


class Once(Peer):
    """Sends a line as soon as it has connected, and waits for the answer."""

    is_answered = False

    def __init__(self, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.send("ping x")

    def hear(self, line: bytes) -> None:
        self.is_answered = True


class Talker(Peer):
    """A seat in table talk: all four at a table hear every line; the next one speaks when everyone has heard it."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.table: list[Talker] = [self]
        self.heard = 0
        self._turn = 0
        self._left = 0

    def speak(self) -> None:
        """Say something that the whole table then waits for."""
        self._left = len(self.table)
        self.send("say hello to all of you")

    def hear(self, line: bytes) -> None:
        if b"hello to all" in line and b'"ok"' not in line:
            self.heard += 1
            first = self.table[0]
            speaker = self.table[first._turn % len(self.table)]
            speaker._left -= 1
            if not speaker._left:
                first._turn += 1
                self.table[first._turn % len(self.table)].speak()


class Prompt(msgspec.Struct):
    """What a player may do."""

    actions: list[str]
    targets: list[str]


_prompts: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(Prompt)


class Player(Peer):
    """A golfnet client that gives a name, joins a table, and chooses at random among its allowed actions."""

    def __init__(self, sock: socket.socket, number: int, chance: random.Random) -> None:
        super().__init__(sock, number)
        self.is_named = False
        self.table = ""
        self.done = 0
        self._chance = chance
        self._prompt: Prompt | None = None
        self._is_waiting = False
        self._plays = False
        self.send(f"hello 1\nname p{number}")

    def play(self) -> None:
        """Start answering prompts."""
        self._plays = True
        self._act()

    def hear(self, line: bytes) -> None:
        if line.startswith(b'{"type":"ok"'):
            if self._is_waiting:
                self._is_waiting = False
                self.done += 1
                self._act()
            elif b'"token"' in line:
                self.is_named = True
            elif b'"table"' in line:
                self.table = msgspec.json.decode(line)["table"]
        elif line.startswith(b'{"type":"prompt"'):
            self._prompt = _prompts.decode(line)
            self._act()
        elif line.startswith(b'{"type":"error"'):
            if b"BAD_PHASE" not in line:  # two players may start a match at the same moment
                raise LoadError(f"the server refused: {line.decode()}")
            self._is_waiting = False
            self._act()

    def _act(self) -> None:
        """Do one of the allowed actions, if there is any."""
        if self._prompt is None or not self._prompt.actions or not self._plays or self._is_waiting:
            return
        prompt, self._prompt = self._prompt, None
        line = self._chance.choice(prompt.actions)
        if line == "slam":
            line = f"slam {self._chance.choice(prompt.targets)}"
        elif line == "switch":
            line = " ".join(["switch", *self._chance.sample(prompt.targets, 2)])
        self._is_waiting = True
        self.send(line)


def players(crowd: Crowd, count: int) -> list[Player]:
    """Return named players."""
    chance = random.Random(1)
    return crowd.connect(count, lambda sock, number: Player(sock, number, chance), lambda each: each.is_named)


def seat(crowd: Crowd, seats: Sequence[Player]) -> None:
    """Seat players at six-card tables of four; none of the matches starts yet."""
    hosts = seats[::4]
    for host in hosts:
        host.send("create six-card seats=4")
    crowd.wait(lambda: all(host.table for host in hosts))
    for place in range(1, 4):
        guests = seats[place::4]
        for host, guest in zip(hosts, guests, strict=True):
            guest.send(f"join {host.table}")
        crowd.wait(lambda guests=guests: all(guest.table for guest in guests))  # type: ignore[misc]
