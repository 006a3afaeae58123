"""Cards in motion: for a moment a card is between its old place and its new one.

This module does no I/O. The view is always what the server sent; a motion only says what is drawn instead until the
card lands. Places are positions such as ``B3``, and ``stock``, ``discard`` and ``held``. Times are seconds of any
monotonic clock.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet.engine.events import (
    Dealt,
    Discarded,
    Drew,
    Flipped,
    Gave,
    Penalized,
    Slammed,
    SlamResult,
    Swapped,
    Switched,
    Took,
)
from golfnet.engine.layout import EMPTY, HIDDEN, Position, Seat
from golfnet.engine.notation import position_text

if TYPE_CHECKING:
    from golfnet.protocol.replies.data import AnyEvent
    from golfnet.protocol.replies.replies import TableView

SLIDE: Final = 0.18
"""How many seconds a card takes to move from one place to another."""

FLIP: Final = 0.15
"""How many seconds it takes to turn up a card."""

ROUND: Final = 0.06
"""Seconds between two rounds of a deal."""

FRAME: Final = 1 / 30
"""Seconds between two frames of a motion."""


class Motion(Struct, frozen=True):
    """A moving card. If it is turned over, ``source`` equals ``target``; if it just appears, ``source`` is empty."""

    card: str
    source: str
    target: str
    begins: float
    lasts: float
    before: str = EMPTY
    """What is drawn at the target until the card lands."""

    @property
    def ends(self) -> float:
        """The time at which the card lands."""
        return self.begins + self.lasts

    def progress(self, now: float) -> float:
        """Return the fraction of the way covered so far; the card starts fast and slows down."""
        part = min(1.0, max(0.0, (now - self.begins) / self.lasts))
        return 1 - (1 - part) ** 2


def motions_of(before: TableView, view: TableView, event: AnyEvent, now: float) -> list[Motion]:
    """Return the motions that an event causes."""
    match event:
        case Drew(card=card):
            moves = [(HIDDEN if card is None else card.text, "stock", "held")]
        case Took(card=card):
            moves = [(card.text, "discard", "held")]
        case Discarded(card=card):
            moves = [(card.text, "held", "discard")]
        case Swapped(seat=seat, slot=slot, discard=discard):
            at = at_slot(seat, slot)
            moves = [(slot_at(view, at) or EMPTY, "held", at), (discard.text, at, "discard")]
        case Flipped(seat=seat, slot=slot, card=card):
            at = at_slot(seat, slot)
            return [Motion(card.text, at, at, now, FLIP, slot_at(before, at) or EMPTY)]
        case Slammed(at=place, card=card, result=SlamResult.HIT):
            moves = [(card.text, position_text(place), "discard")]
        case Penalized(seat=seat, slot=slot, source=source):
            origin = "stock" if source is None else position_text(source)
            moves = [(HIDDEN, origin, at_slot(seat, slot))]
        case Gave(seat=seat, slot=slot, to=to):
            moves = [(HIDDEN, at_slot(seat, slot), position_text(to))]
        case Switched(at=(first, second)):
            one, other = position_text(first), position_text(second)
            moves = [(HIDDEN, one, other), (HIDDEN, other, one)]
        case Dealt():
            return _deal(view, now)
        case _:
            return []
    below = {"discard": before.discard or EMPTY}
    return [Motion(card, source, at, now, SLIDE, below.get(at, EMPTY)) for card, source, at in moves]


def at_slot(seat: Seat, slot: int) -> str:
    """Return the position of a slot, such as ``B3``."""
    return position_text(Position(seat, slot))


def slot_at(view: TableView, at: str) -> str | None:
    """Return what lies at a position such as ``B3``, or None if there is no such position."""
    for seat in view.seats:
        if seat.seat == at[:1] and int(at[1:]) <= len(seat.slots):
            return seat.slots[int(at[1:]) - 1]
    return None


def _deal(view: TableView, now: float) -> list[Motion]:
    """Return the motions of a deal: one card to each seat in each round."""
    letters = [seat.seat for seat in view.seats]
    leader = letters.index(view.leader) if view.leader in letters else 0
    motions = []
    for place, seat in enumerate([*view.seats[leader:], *view.seats[:leader]]):
        for round_, slot in enumerate(seat.slots):
            begins = now + ROUND * (round_ + place / len(letters))
            motions.append(Motion(slot, "stock", f"{seat.seat}{round_ + 1}", begins, SLIDE / 1.5, ""))
    return motions


GLIMPSE_SECONDS: Final = 8.0
"""Seconds for which a player sees a card when peeking: enough to read two cards, but only a glimpse (X10)."""


class Timed(Struct):
    """Something that lasts until a certain time, such as a clock or a notice."""

    what: str
    ends: float
    lasts: float = 0.0

    def seconds_left(self, now: float) -> int:
        """Return how many seconds are left, rounded up."""
        return max(0, ceil(self.ends - now))

    def changes_in(self, now: float) -> float | None:
        """Return the time until ``seconds_left`` next changes, or None once it is zero."""
        left = self.ends - now
        return None if left <= 0 else left - (ceil(left) - 1)


def timed(what: str, ms: int, now: float, before: Timed | None = None) -> Timed:
    """Return a running clock; if it continues ``before``, it keeps the original length."""
    lasts = ms / 1000
    if before is not None and before.what == what and before.ends > now:
        lasts = max(lasts, before.lasts)
    return Timed(what, now + ms / 1000, lasts)
