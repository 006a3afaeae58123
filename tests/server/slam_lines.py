"""Connections between players and a server, in virtual time: delay, jitter, loss, delayed acknowledgements, cheats.

A ``Line`` simulates the network and TCP at both ends, and measures the round trips that the server's kernel would
measure: as in Linux (tcp_input.c, ``tcp_ack_update_rtt`` and ``tcp_update_rtt_min``), a moving average to which each
sample contributes an eighth, and a minimum. The average measures the oldest segment that an acknowledgement covers; the
minimum measures the newest segment and leaves out delayed acknowledgements. A player's system acknowledges the first
segments at once, and later ones with the next line it sends, or after 40 ms.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip

DELAYED_ACK: Final = 0.040
QUICK_ACKS: Final = 16
TIMEOUT: Final = 0.2
"""Seconds after which a lost segment is sent again."""

SLAM: Final = "slam"


class Queue:
    """Calls that are still to be made, each at a time in virtual seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def at(self, when: float, call: Callable[[], None]) -> None:
        heapq.heappush(self._due, (max(when, self.now), next(self._numbers), call))

    def run(self, is_over: Callable[[], bool]) -> None:
        while not is_over():
            self.now, _, call = heapq.heappop(self._due)
            call()


@dataclass(frozen=True, kw_only=True)
class Way:
    """The properties of a connection, and how its player tampers with it; times in ms unless stated otherwise."""

    down: float
    up: float
    jitter: float = 0.0
    """The largest deviation of each direction's delay, which is uniformly distributed."""
    loss: float = 0.0
    slower_after: float = 0.0
    """Seconds after which the route changes, if ``slower_by`` is more than 0."""
    slower_by: float = 0.0
    slower_in_windows: float = 0.0
    answers: bool = True
    """Whether pings are answered."""
    hold: tuple[float, float] = (0.0, 0.0)
    """The shortest and longest time for which the player's program holds back an answer to a ping."""
    late_acks: float = 0.0
    """How long packets without data are held back."""
    late: float = 0.0
    """How long all packets except slams are held back."""
    is_frozen: bool = False
    """Whether slams carry old acknowledgements, so that they do not reveal the player's late packets."""
    proxy: str = ""
    """``silent`` for a proxy that reports nothing, ``reporting`` for one that reports its round-trip time."""


@dataclass
class Line:
    """One player's connection; ``receive`` gets the lines that reach the server, ``show`` those for the player."""

    way: Way
    queue: Queue
    chance: Random
    receive: Callable[[str], None]
    show: Callable[[str], None]
    is_window: bool = False
    address: str = "192.0.2.7"
    _unacked: list[tuple[int, float]] = field(default_factory=list)
    """Segments in flight to the player, each with the time it was sent, or 0 if sent twice: it then gives no sample."""
    _sent: int = 0
    _smoothed: float = 0.0
    _smallest: float = 0.0
    _delivered: int = 0
    _figure: float = 0.0
    _received: int = 0
    """The number of segments that the player has received."""
    _acked: int = 0
    _delaying: int = 0
    _quick: int = QUICK_ACKS
    _down_until: float = 0.0
    _up_until: float = 0.0
    _data_until: float = 0.0

    def open(self) -> None:
        """Shake hands."""
        took = (
            self._one_way(self.way.down)
            + self._one_way(self.way.up)
            + (self.way.late + self.way.late_acks) / 1000
        )
        self._smoothed = self._smallest = self._figure = took

    # --- the server's end

    def round_trip(self) -> RoundTrip | None:
        """Return what the server can measure."""
        if self.way.proxy:
            return ProxyRoundTrip(self._figure) if self.way.proxy == "reporting" else None
        return KernelRoundTrip(self._smallest, self._smoothed, self._delivered)

    def write(self, *lines: str) -> None:
        """Send lines to the player in one segment."""
        now, self._sent = self.queue.now, self._sent + 1
        lost = self.chance.random() < self.way.loss
        self._unacked.append((self._sent, 0.0 if lost else now))
        arrives = now + self._one_way(self.way.down) + (TIMEOUT if lost else 0)
        self._down_until = max(self._down_until, arrives)
        number = self._sent
        self.queue.at(self._down_until, lambda: self._deliver(number, lines))

    def _acknowledge(self, number: int) -> None:
        newly = [sent for segment, sent in self._unacked if segment <= number]
        if not newly:
            return
        self._unacked = [each for each in self._unacked if each[0] > number]
        self._delivered += len(newly)
        if newly[0]:
            self._smoothed += (self.queue.now - newly[0] - self._smoothed) / 8
        if newly[-1]:
            took = self.queue.now - newly[-1]
            if took < self._smallest:
                self._smallest = took

    # --- the player's end

    def send(self, line: str) -> None:
        is_slam = line.startswith(SLAM)
        skips = is_slam and self.way.late > 0
        acked = 0 if is_slam and self.way.is_frozen else self._received
        lost = self.chance.random() < self.way.loss
        arrives = self.queue.now + self._one_way(self.way.up) + (TIMEOUT if lost else 0)
        if not skips:
            arrives = max(self._up_until, arrives + self.way.late / 1000)
            self._up_until = arrives
            self._acked = max(self._acked, acked)
        self._data_until = max(self._data_until, arrives)  # bytes reach the server in order
        self.queue.at(arrives, lambda: self._acknowledge(acked))
        self.queue.at(self._data_until, lambda: self.receive(line))

    def _deliver(self, number: int, lines: tuple[str, ...]) -> None:
        self._received = number
        for line in lines:
            self.show(line)
        if self._acked >= number:
            return
        if self._quick > 0:
            self._quick -= 1
            self._send_ack()
        elif not self._delaying:
            self._delaying = number
            self.queue.at(self.queue.now + DELAYED_ACK, self._delay_is_over)

    def _delay_is_over(self) -> None:
        waited_for, self._delaying = self._delaying, 0
        if self._acked < waited_for:
            self._send_ack()
        elif self._acked < self._received:
            self._delaying = self._received
            self.queue.at(self.queue.now + DELAYED_ACK, self._delay_is_over)

    def _send_ack(self) -> None:
        acked = self._acked = self._received
        late = (self.way.late + self.way.late_acks) / 1000
        self._up_until = max(self._up_until, self.queue.now + self._one_way(self.way.up) + late)
        self.queue.at(self._up_until, lambda: self._acknowledge(acked))

    # --- the network between them

    def _one_way(self, milliseconds: float) -> float:
        way = self.way
        if way.slower_by and self.queue.now >= way.slower_after:
            milliseconds += way.slower_by / 2
        if self.is_window:
            milliseconds += way.slower_in_windows / 2
        return (milliseconds + self.chance.uniform(-way.jitter, way.jitter)) / 1000
