"""Seats, links and times for the tests of arbitration."""

from golfnet.engine.layout import Position, Seat
from golfnet.server.session.roundtrip import Link
from golfnet.server.table.arbiter import Arbiter

A, B, C, D = map(Seat, range(4))
AT = Position(A, 1)
SHOWN = 1_000_000
KEY = bytes(range(32))
MS = 1000


def link(round_trip: int, jitter: int = 0) -> Link:
    """Return a link with a round trip in milliseconds."""
    return Link(round_trip * MS, jitter * MS)


def after(milliseconds: float) -> int:
    """Return the time the given number of milliseconds after the card was shown."""
    return SHOWN + round(milliseconds * MS)


def order(judge: Arbiter, now: int = 10 * SHOWN) -> list[Seat]:
    """Return the seats whose claims are judged, in order."""
    said = []
    while (say := judge.next(now)) is not None:
        said.append(say)
    return [say.seat for say in said if say.claim is not None]
