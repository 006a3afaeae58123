"""Connections between players and a server, in virtual time: delay, jitter, loss, delayed acknowledgements, cheats.

A ``Line`` simulates the network and TCP at both ends, and measures the round trips that the server's kernel would
measure: as in Linux (tcp_input.c, ``tcp_ack_update_rtt`` and ``tcp_update_rtt_min``), a moving average to which each
sample contributes an eighth, and a minimum. The average measures the oldest segment that an acknowledgement covers; the
minimum measures the newest segment and leaves out delayed acknowledgements. A player's system acknowledges the first
segments at once, and later ones with the next line it sends, or after 40 ms.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Final

from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip

DELAYED_ACK: Final = 0.040
QUICK_ACKS: Final = 16
TIMEOUT: Final = 0.2
"""Seconds after which a lost segment is sent again."""


class Clock:
    """A virtual clock in seconds, which makes scheduled calls in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = count()

    def at(self, when: float, call: Callable[..., None], *args: Any) -> None:
        heappush(self._due, (max(when, self.now), next(self._numbers), call, args))

    def run(self) -> None:
        while self._due:
            self.now, _, call, args = heappop(self._due)
            call(*args)


@dataclass(frozen=True)
class Way:
    """The properties of a connection, and how its player tampers with it; times in ms unless stated otherwise."""

    one_way: float
    _: KW_ONLY
    more_up: float = 0.0
    """How much longer the way to the server takes than the way to the player."""
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


class Line:
    """One player's connection; a line sent on it is a function, which is called when the line arrives."""

    address = "192.0.2.7"
    is_window = False

    def __init__(self, way: Way, clock: Clock, chance: Random) -> None:
        self.way = way
        self.clock = clock
        self.chance = chance
        self._unacked: list[tuple[int, float]] = []
        """Segments in flight to the player, each with the time it was sent, or 0 if sent twice, for no sample."""
        self._sent = self._delivered = 0
        self._received = self._acked = self._delaying = 0
        """The last segments that the player has received, has acknowledged, and will acknowledge after a delay."""
        self._quick = QUICK_ACKS
        self._down_until = self._up_until = self._data_until = 0.0
        shaking_hands = self._down() + self._up() + (way.late + way.late_acks) / 1000
        self._smoothed = self._smallest = self._figure = shaking_hands

    # --- the server's end

    def round_trip(self) -> RoundTrip | None:
        """Return what the server can measure."""
        if self.way.proxy:
            return ProxyRoundTrip(self._figure) if self.way.proxy == "reporting" else None
        return KernelRoundTrip(self._smallest, self._smoothed, self._delivered)

    def write(self, show: Callable[[], None] = lambda: None) -> None:
        """Send a line to the player in one segment."""
        now, self._sent = self.clock.now, self._sent + 1
        lost = self.chance.random() < self.way.loss
        self._unacked.append((self._sent, 0.0 if lost else now))
        self._down_until = max(self._down_until, now + self._down() + (TIMEOUT if lost else 0))
        self.clock.at(self._down_until, self._deliver, self._sent, show)

    def _acknowledge(self, number: int) -> None:
        newly = [sent for segment, sent in self._unacked if segment <= number]
        if not newly:
            return
        self._unacked = [each for each in self._unacked if each[0] > number]
        self._delivered += len(newly)
        if newly[0]:
            self._smoothed += (self.clock.now - newly[0] - self._smoothed) / 8
        if newly[-1]:
            self._smallest = min(self._smallest, self.clock.now - newly[-1])

    # --- the player's end

    def send(self, receive: Callable[[], None], is_slam: bool) -> None:
        acked = 0 if is_slam and self.way.is_frozen else self._received
        lost = self.chance.random() < self.way.loss
        arrives = self.clock.now + self._up() + (TIMEOUT if lost else 0)
        if not (is_slam and self.way.late):
            arrives = self._up_until = max(self._up_until, arrives + self.way.late / 1000)
            self._acked = max(self._acked, acked)
        self._data_until = max(self._data_until, arrives)  # bytes reach the server in order
        self.clock.at(arrives, self._acknowledge, acked)
        self.clock.at(self._data_until, receive)

    def _deliver(self, number: int, show: Callable[[], None]) -> None:
        self._received = number
        show()
        if self._acked >= number:
            return
        if self._quick > 0:
            self._quick -= 1
            self._send_ack()
        elif not self._delaying:
            self._delay()

    def _delay(self) -> None:
        self._delaying = self._received
        self.clock.at(self.clock.now + DELAYED_ACK, self._delay_is_over)

    def _delay_is_over(self) -> None:
        waited_for, self._delaying = self._delaying, 0
        if self._acked < waited_for:
            self._send_ack()
        elif self._acked < self._received:
            self._delay()

    def _send_ack(self) -> None:
        self._acked = self._received
        late = (self.way.late + self.way.late_acks) / 1000
        self._up_until = max(self._up_until, self.clock.now + self._up() + late)
        self.clock.at(self._up_until, self._acknowledge, self._acked)

    # --- the network between them

    def _up(self) -> float:
        return self._down(self.way.more_up)

    def _down(self, more: float = 0.0) -> float:
        way, milliseconds = self.way, self.way.one_way + more
        if way.slower_by and self.clock.now >= way.slower_after:
            milliseconds += way.slower_by / 2
        if self.is_window:
            milliseconds += way.slower_in_windows / 2
        return (milliseconds + self.chance.uniform(-way.jitter, way.jitter)) / 1000
