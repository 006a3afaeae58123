"""Many peers in one thread: lines to and fro, table talk, and programs that play whatever they are offered.

One selector for all; every peer is a plain object that is handed its lines. Loopback only.
"""

from __future__ import annotations

import contextlib
import random
import selectors
import socket
import time
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Sequence

_BATCH: Final = 100
"""Connections opened at a time, fewer than a listening queue holds."""


_BREATH: Final = 0.00005
"""Seconds for which a load that keeps a pace leaves its core to others, such as the disk's own work."""


class LoadError(Exception):
    """A server did what no load expects: refused, closed, or stayed silent."""


class Peer:
    """One connection of a load; kinds of peers say what they do with a line."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.number = number
        self.rest = b""

    def send(self, line: bytes) -> None:
        """Send bytes, which are always few."""
        self.sock.send(line)

    def take(self, data: bytes) -> None:
        """Take bytes apart into lines."""
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            self.hear(line)

    def hear(self, line: bytes) -> None:
        """Do something with a line."""
        raise NotImplementedError


P = TypeVar("P", bound=Peer)


class Crowd:
    """All peers of a load, and the time in which they speak."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.peers: list[Peer] = []
        self.ended = 0
        self._selector = selectors.DefaultSelector()

    def connect(self, count: int, kind: Callable[[socket.socket, int], P]) -> list[P]:
        """Return new peers, connected."""
        peers = []
        for _ in range(count):
            sock = socket.create_connection(("127.0.0.1", self.port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setblocking(False)
            peer = kind(sock, len(self.peers))
            self.peers.append(peer)
            peers.append(peer)
            self._selector.register(sock.fileno(), selectors.EVENT_READ, peer)
        return peers

    def settle(
        self, count: int, kind: Callable[[socket.socket, int], P], is_ready: Callable[[P], bool]
    ) -> list[P]:
        """Connect peers in batches, and wait until each is ready."""
        peers: list[P] = []
        while len(peers) < count:
            batch = self.connect(min(_BATCH, count - len(peers)), kind)
            self.wait(lambda batch=batch: all(is_ready(peer) for peer in batch))  # type: ignore[misc]
            peers += batch
        return peers

    def recast(self, peers: Sequence[Peer], kind: Callable[[socket.socket, int], P]) -> list[P]:
        """Give connections to peers of another kind, which they return."""
        recast = [kind(peer.sock, peer.number) for peer in peers]
        for peer in recast:
            self.peers[peer.number] = peer
            self._selector.modify(peer.sock.fileno(), selectors.EVENT_READ, peer)
        return recast

    def wait(self, condition: Callable[[], bool], seconds: float = 30.0) -> None:
        """Let the peers speak until something is true."""
        end = perf_counter() + seconds
        while not condition():
            if perf_counter() > end:
                raise LoadError("the server did not do in time what the load waits for")
            self.turn(0.05)

    def run(self, seconds: float, tick: Callable[[float], None] | None = None) -> float:
        """Let the peers speak for a while, with a call before each turn; return the seconds it took."""
        start = now = perf_counter()
        while now - start < seconds:
            if tick is not None:
                tick(now)
            if tick is None:
                self.turn(0.05)
            elif not self.turn(0.0):
                time.sleep(_BREATH)  # a selector waits a whole millisecond at least, and a pace is finer
            now = perf_counter()
        return now - start

    def turn(self, seconds: float) -> bool:
        """Hand every peer what has come for it; tell whether there was anything."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            peer = key.data
            try:
                data = peer.sock.recv(65536)
            except ConnectionError:
                data = b""
            if data:
                peer.take(data)
            else:
                self.ended += 1
                self._selector.unregister(peer.sock.fileno())
        return bool(ready)

    def drop(self, peer: Peer) -> None:
        """Hang up on behalf of a peer."""
        with contextlib.suppress(KeyError):  # the server may have been quicker
            self._selector.unregister(peer.sock.fileno())
        peer.sock.close()

    def ignore(self, peer: Peer) -> None:
        """Never read again from a peer."""
        self._selector.unregister(peer.sock.fileno())

    def close(self) -> None:
        """Hang up."""
        for peer in self.peers:
            peer.sock.close()
        self._selector.close()

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


class Times:
    """When lines were sent, and how long each took to be answered."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def at(self, part: float) -> float:
        """Return a quantile in milliseconds."""
        ordered = sorted(self.taken)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] * 1000


class Echo(Peer):
    """Sends a line, waits for one line, sends the next; what is answered before the first is greeting."""

    line = b"ping x\n"
    count = 0

    def take(self, data: bytes) -> None:
        """Count an answer: a line is never in two pieces where one is under way."""
        if data[-1] == 10:
            self.count += 1
            self.sock.send(self.line)


class Pacer(Peer):
    """Sends a line when a pace-maker tells it to, and measures how long the answer takes."""

    line = b"ping x\n"

    def __init__(self, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.queue: deque[Pacer] | None = None
        self.times = Times()
        self._sent = 0.0

    def act(self) -> bool:
        """Send the line."""
        self._sent = perf_counter()
        self.sock.send(self.line)
        return True

    def hear(self, line: bytes) -> None:
        self.times.taken.append(perf_counter() - self._sent)
        if self.queue is not None:
            self.queue.append(self)


class Talker(Peer):
    """A seat in table talk: its table's four hear every line; the next one speaks when all have heard."""

    speaks = b"say hello to all of you\n"
    mark = b"hello to all"

    def __init__(self, sock: socket.socket, number: int) -> None:
        super().__init__(sock, number)
        self.table: list[Talker] = [self]
        self.heard = 0
        self.turn = 0
        self.left = 0

    def speak(self) -> None:
        """Say something, and let the whole table wait for it."""
        self.left = len(self.table)
        self.send(self.speaks)

    def hear(self, line: bytes) -> None:
        if self.mark in line and b'"ok"' not in line:
            self.heard += 1
            first = self.table[0]
            speaker = self.table[first.turn % len(self.table)]
            speaker.left -= 1
            if not speaker.left:
                first.turn += 1
                self.table[first.turn % len(self.table)].speak()


class Player(Peer):
    """A program at golfnet: gives a name, sits down, and does at random what it is offered.

    It answers at once, or puts itself into ``queue``, from which a pace-maker calls ``act``.
    """

    def __init__(self, sock: socket.socket, number: int, chance: random.Random, name: str = "p") -> None:
        super().__init__(sock, number)
        self.chance = chance
        self.is_named = False
        self.is_seated = False
        self.table = ""
        self.done = 0
        self.refusals: list[bytes] = []
        self.matches = 0
        self.queue: deque[Player] | None = None
        self.times: Times | None = None
        self.on_line: Callable[[bytes], None] | None = None
        self._prompt: Prompt | None = None
        self._sent = 0.0
        self._is_waiting = False
        self._plays = False
        self.greet(f"{name}{number}")

    def greet(self, name: str) -> None:
        """Say that it is a program, and give a name."""
        self.ask(f"hello 1\nname {name}".encode())

    def ask(self, line: bytes) -> None:
        """Send a command."""
        self._sent = perf_counter()
        self.sock.send(line + b"\n")

    def play(self) -> None:
        """Begin to answer prompts."""
        self._plays = True
        self._consider()

    def rest_now(self) -> None:
        """Answer no more prompts."""
        self._plays = False

    def hear(self, line: bytes) -> None:
        if line.startswith(b'{"type":"ok"'):
            if self._is_waiting:
                self._is_waiting = False
                self.done += 1
                if self.times is not None:
                    self.times.taken.append(perf_counter() - self._sent)
                self._consider()
            elif b'"token"' in line:
                self.is_named = True
            elif b'"table"' in line:
                self.is_seated = True
                self.table = msgspec.json.decode(line)["table"]
        elif line.startswith(b'{"type":"prompt"'):
            self._prompt = _prompts.decode(line)
            self._consider()
        elif line.startswith(b'{"type":"error"'):
            self._is_waiting = False
            if b"BAD_PHASE" not in line:  # two may start a match at the same moment
                self.refusals.append(line)
            self._consider()
        elif b'"event":"match_ended"' in line:
            self.matches += 1
        if self.on_line is not None:
            self.on_line(line)

    def act(self) -> bool:
        """Do one of the things that are offered; tell whether there was any."""
        prompt, self._prompt = self._prompt, None
        if prompt is None or not prompt.actions or not self._plays:
            return False
        line = self.chance.choice(prompt.actions)
        if line == "slam":
            line = f"slam {self.chance.choice(prompt.targets)}"
        elif line == "switch":
            line = " ".join(["switch", *self.chance.sample(prompt.targets, 2)])
        self._is_waiting = True
        self.ask(line.encode())
        return True

    def _consider(self) -> None:
        if self._prompt is not None and self._prompt.actions and self._plays and not self._is_waiting:
            if self.queue is None:
                self.act()
            else:
                self.queue.append(self)


class Prompt(msgspec.Struct):
    """What a player may do."""

    actions: list[str]
    targets: list[str]


_prompts: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(Prompt)


def players(crowd: Crowd, count: int, *, seed: int = 1, name: str = "p") -> list[Player]:
    """Return named players."""
    chance = random.Random(seed)
    return crowd.settle(
        count, lambda sock, number: Player(sock, number, chance, name), lambda each: each.is_named
    )


def seat(crowd: Crowd, seats: Sequence[Player], size: int, create: str = "create six-card") -> None:
    """Seat the players at tables of a size; none of them starts yet."""
    hosts = seats[::size]
    for host in hosts:
        host.ask(f"{create} seats={size}".encode())
    crowd.wait(lambda: all(host.is_seated for host in hosts))
    for place in range(1, size):
        for host, guest in zip(hosts, seats[place::size], strict=True):
            guest.ask(f"join {host.table}".encode())
        crowd.wait(lambda place=place: all(guest.is_seated for guest in seats[place::size]))  # type: ignore[misc]


class Metronome:
    """Lets queued players act at a fixed rate; ``missed`` counts beats at which nobody had anything to do."""

    def __init__(self, queue: deque[Any], rate: float) -> None:
        self.queue = queue
        self.missed = 0
        self._step = 1 / rate
        self._next = perf_counter()

    def __call__(self, now: float) -> None:
        while self._next <= now:
            self._next += self._step
            while self.queue:
                if self.queue.popleft().act():
                    break
            else:
                self.missed += 1
