"""One hole: its whole state, what it is waiting for, and how each event changes it.

A hole is dealt here and changed only by its events. ``legality`` says which actions are legal; ``play`` makes an
action's events and those that follow automatically.

``evolve`` never rejects an event, and uses neither randomness nor a clock: folding the events of a hole in order always
gives the same state.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, MAX_SEATS, UNKNOWN, Card, Layout, Position, Seat, Slot
from golfnet.engine.rules import FaceUp, Placed, RuleSet, SlamMode


class Phase(StrEnum):
    """What the hole is waiting for, the same for all viewers."""

    START = "start"
    TURN = "turn"
    HOLDING = "holding"
    FLIP = "flip"
    POWER = "power"
    SLAM = "slam"
    GIVE = "give"
    OVER = "over"


START, TURN, HOLDING, FLIP, POWER, SLAM, GIVE, OVER = Phase
"""The phases as plain names: before Python 3.12, looking up an enum member is slow."""

DONE: Final = SLAM
"""The ``stage`` of a hole between two turns: its ``power``, ``window`` and ``gift`` show what is pending, if any."""


class Deal(NamedTuple):
    """What a hole is made from; ``totals`` are the totals before this hole.

    ``key`` and ``seed`` are secret, and empty in a hole made from what a viewer knows. ``seals`` is None in the first
    scheme.
    """

    hole: int
    dealer: Seat
    leader: Seat
    commitment: str
    totals: tuple[int, ...]
    seed: bytes = b""
    cuts: tuple[str, ...] = ()
    key: bytes = b""
    seals: tuple[str | None, ...] | None = None


class Drawn(NamedTuple):
    """The card held by ``seat``, whose turn it is."""

    seat: Seat
    card: Card
    from_discard: bool


class Window(NamedTuple):
    """An open slam window.

    ``passed`` has a bit for each seat that has passed or, except in a race, whose claim has been judged (C21).
    ``moved`` has the positions whose cards have changed since the discard (C11).
    """

    discard_no: int
    card: Card
    won: bool = False
    passed: int = 0
    moved: frozenset[Position] = frozenset()


class Gift(NamedTuple):
    """A card that ``seat`` owes for the one it slammed at ``to`` (C14)."""

    seat: Seat
    to: Position


class Hole(NamedTuple):
    """The whole state of a hole, hidden cards included.

    The top card is the first of ``stock`` and the last of ``discards``. ``owed`` is how many start choices each seat
    still has to make, ``turns`` how many turns it has begun. ``stage`` is the phase, or ``DONE``.
    ``opening`` means that the slam window for the last discard is still to be opened. ``closing`` is how ``closer``
    closed the hole.
    """

    rules: RuleSet
    deal: Deal
    layouts: tuple[Layout, ...]
    stock: tuple[Card, ...]
    discards: tuple[Card, ...]
    discard_no: int
    stage: Phase
    owed: tuple[int, ...]
    turns: tuple[int, ...]
    reshuffles_left: int
    turn: Seat | None = None
    drawn: Drawn | None = None
    power: bool = False
    opening: bool = False
    window: Window | None = None
    gift: Gift | None = None
    closer: Seat | None = None
    closing: ev.EndReason | None = None
    ended: ev.HoleEnded | None = None

    @property
    def seats(self) -> range:
        """The seats, in order."""
        return range(len(self.layouts))

    @property
    def can_draw(self) -> bool:
        """Whether a card can be drawn, after a reshuffle if necessary (X6)."""
        return bool(self.stock) or (self.reshuffles_left > 0 and len(self.discards) >= 2)


def dealt(rules: RuleSet, deal: Deal, deck: tuple[Card, ...]) -> Hole:
    """Return the hole after the deal: slot 1 for everyone, starting on the dealer's left, then slot 2 … (X4)."""
    seats = len(deal.totals)
    dealt_cards = rules.slots * seats
    first = deal.dealer + 1
    layouts = tuple(
        [Layout(map(Slot, deck[(seat - first) % seats : dealt_cards : seats])) for seat in range(seats)]
    )
    upcards = deck[dealt_cards : dealt_cards + rules.upcard]
    return Hole(
        rules=rules,
        deal=deal,
        layouts=layouts,
        stock=deck[dealt_cards + len(upcards) :],
        discards=upcards,
        discard_no=len(upcards),
        stage=START,
        owed=(rules.start.cards,) * seats,
        turns=(0,) * seats,
        reshuffles_left=rules.reshuffles,
    )


def phase(hole: Hole) -> Phase:
    """Return what the hole is waiting for: a gift comes before a power, and a power before a slam window (C14, C18)."""
    if hole.stage is not DONE:
        return hole.stage
    if hole.gift is not None:
        return GIVE
    return POWER if hole.power else SLAM


def slot_at(hole: Hole, seat: Seat, number: int) -> Slot:
    """Return the card in a seat's slot, which must not be empty."""
    slot = hole.layouts[seat][number - 1]
    if slot is None:
        raise LookupError(f"no card in slot {number} of seat {seat}")
    return slot


EVERYBODY: Final = (1 << MAX_SEATS) - 1
"""The ``known`` bits of a card that all seats have seen (X16)."""

FACE_UP: Final = {text: Slot(card, True, EVERYBODY) for text, card in CARDS.items()}
"""For the text of each card, a slot with that card face up; all layouts share these slots."""

_NO_SLAMS, _UP = SlamMode.OFF, Placed.UP
_NOBODY, _FIRST = FaceUp.OFF, FaceUp.FIRST


def evolve(hole: Hole, event: ev.Event) -> Hole:
    """Return the hole after one of its events."""
    return EVOLVE[type(event)](hole, event)


def _put(layouts: tuple[Layout, ...], seat: Seat, number: int, slot: Slot | None) -> tuple[Layout, ...]:
    return (*layouts[:seat], layouts[seat].with_slot(number, slot), *layouts[seat + 1 :])


def _owed_less(hole: Hole, seat: Seat, count: int) -> tuple[int, ...]:
    return (*hole.owed[:seat], hole.owed[seat] - count, *hole.owed[seat + 1 :])


def _moved(window: Window | None, *positions: Position) -> Window | None:
    return None if window is None else changed(window, moved=window.moved.union(positions))


def _closing(hole: Hole, seat: Seat, layouts: tuple[Layout, ...]) -> tuple[Seat | None, ev.EndReason | None]:
    """Return ``closer`` and ``closing`` after ``seat`` turned up or placed a card; the first closing stands (X14)."""
    rules = hole.rules
    if hole.closer is not None or rules.face_up is _NOBODY or layouts[seat].face_down:
        return hole.closer, hole.closing
    if rules.face_up is _FIRST or rules.final_turn or not any([each.face_down for each in layouts]):
        return seat, ev.EndReason.FACE_UP
    return None, None


def _peeked(hole: Hole, event: ev.Peeked) -> Hole:
    layouts, seen = hole.layouts, 1 << event.seat
    for place, (seat, number) in enumerate(event.at):
        card, face_up, known = slot_at(hole, seat, number)
        if event.cards is not None:
            card = event.cards[place]
        layouts = _put(layouts, seat, number, Slot(card, face_up, known | seen))
    if hole.stage is START:
        return changed(hole, layouts=layouts, owed=_owed_less(hole, event.seat, len(event.at)))
    return changed(hole, layouts=layouts, power=False)


def _flipped(hole: Hole, event: ev.Flipped) -> Hole:
    layouts = _put(hole.layouts, event.seat, event.slot, FACE_UP[event.card.text])
    if hole.stage is START:
        return changed(hole, layouts=layouts, owed=_owed_less(hole, event.seat, 1))
    closer, closing = _closing(hole, event.seat, layouts)
    return changed(hole, layouts=layouts, stage=DONE, closer=closer, closing=closing)


def _turn(hole: Hole, event: ev.TurnBegan) -> Hole:
    seat = event.seat
    turns = (*hole.turns[:seat], event.turn, *hole.turns[seat + 1 :])
    return changed(hole, stage=TURN, turn=seat, turns=turns)


def _drew(hole: Hole, event: ev.Drew) -> Hole:
    drawn = Drawn(event.seat, event.card or hole.stock[0], False)
    return changed(hole, stock=hole.stock[1:], drawn=drawn, stage=HOLDING)


def _swapped(hole: Hole, event: ev.Swapped) -> Hole:
    seat, rules = event.seat, hole.rules
    if hole.drawn is None:
        raise LookupError("swapped without a drawn card")
    card, known = event.card or hole.drawn.card, 1 << seat if event.hidden else EVERYBODY
    slot = FACE_UP[card.text] if rules.placed is _UP else Slot(card, False, known)
    layouts = _put(hole.layouts, seat, event.slot, slot)
    closer, closing = _closing(hole, seat, layouts)
    return changed(
        hole,
        layouts=layouts,
        discards=(*hole.discards, event.discard),
        discard_no=event.discard_no,
        stage=DONE,
        drawn=None,
        power=event.discard.rank in rules.power,
        opening=rules.slam is not _NO_SLAMS,
        closer=closer,
        closing=closing,
    )


def _discarded(hole: Hole, event: ev.Discarded) -> Hole:
    rules = hole.rules
    flip = rules.flip and hole.layouts[event.seat].face_down  # S1
    return changed(
        hole,
        discards=(*hole.discards, event.card),
        discard_no=event.discard_no,
        stage=FLIP if flip else DONE,
        drawn=None,
        power=event.card.rank in rules.power,
        opening=rules.slam is not _NO_SLAMS,
    )


def _passed(hole: Hole, event: ev.Passed) -> Hole:
    if hole.stage is FLIP:
        return changed(hole, stage=DONE)
    window = hole.window
    return changed(hole, window=window and changed(window, passed=window.passed | 1 << event.seat))


def _switched(hole: Hole, event: ev.Switched) -> Hole:
    first, second = event.at
    one, other = slot_at(hole, *first), slot_at(hole, *second)
    layouts = _put(_put(hole.layouts, *first, other), *second, one)
    return changed(hole, layouts=layouts, power=False, window=_moved(hole.window, first, second))


def _slammed(hole: Hole, event: ev.Slammed) -> Hole:
    at, window = event.at, hole.window
    if window is not None and hole.rules.slam is not SlamMode.RACE:
        window = changed(window, passed=window.passed | 1 << event.by)
    if event.result is not ev.SlamResult.HIT:
        shown = changed(slot_at(hole, *at), card=event.card, known=EVERYBODY)
        return changed(hole, layouts=_put(hole.layouts, *at, shown), window=window)
    window = _moved(window, at)
    return changed(
        hole,
        layouts=_put(hole.layouts, *at, None),
        discards=(*hole.discards, event.card),
        discard_no=hole.discard_no + 1,
        window=window and changed(window, won=True),
        gift=None if at.seat == event.by else Gift(event.by, at),
    )


def _penalized(hole: Hole, event: ev.Penalized) -> Hole:
    seat, source = event.seat, event.source
    new = Position(seat, event.slot)
    if source is None:
        layouts = _put(hole.layouts, *new, Slot(event.card or hole.stock[0]))
        return changed(hole, layouts=layouts, stock=hole.stock[1:], window=_moved(hole.window, new))
    layouts = _put(_put(hole.layouts, *source, None), *new, slot_at(hole, *source))
    return changed(hole, layouts=layouts, window=_moved(hole.window, source, new))


def _gave(hole: Hole, event: ev.Gave) -> Hole:
    source = Position(event.seat, event.slot)
    layouts = _put(_put(hole.layouts, *source, None), *event.to, slot_at(hole, *source))
    return changed(hole, layouts=layouts, gift=None, window=_moved(hole.window, source, event.to))


def _reshuffled(hole: Hole, event: ev.Reshuffled) -> Hole:
    stock = event.order or (UNKNOWN,) * (len(hole.discards) - 1)
    return changed(hole, stock=stock, discards=(event.discard,), reshuffles_left=hole.reshuffles_left - 1)


def _hole_ended(hole: Hole, event: ev.HoleEnded) -> Hole:
    layouts = tuple(
        [Layout([None if card is None else FACE_UP[card.text] for card in cards]) for cards in event.layouts]
    )
    return changed(
        hole, layouts=layouts, stage=OVER, power=False, opening=False, window=None, gift=None, ended=event
    )


EVOLVE: Final[dict[type[ev.Event], Callable[[Hole, Any], Hole]]] = {
    ev.Peeked: _peeked,
    ev.Flipped: _flipped,
    ev.TurnBegan: _turn,
    ev.Drew: _drew,
    ev.Took: lambda hole, event: changed(
        hole, discards=hole.discards[:-1], drawn=Drawn(event.seat, event.card, True), stage=HOLDING
    ),
    ev.Swapped: _swapped,
    ev.Discarded: _discarded,
    ev.Passed: _passed,
    ev.Declined: lambda hole, event: changed(hole, power=False),
    ev.Knocked: lambda hole, event: changed(hole, closer=event.seat, closing=ev.EndReason.KNOCK, stage=DONE),
    ev.Switched: _switched,
    ev.SlamOpened: lambda hole, event: changed(
        hole, window=Window(event.discard_no, event.card), opening=False
    ),
    ev.SlamClosed: lambda hole, event: changed(hole, window=None),
    ev.Slammed: _slammed,
    ev.Penalized: _penalized,
    ev.Gave: _gave,
    ev.Reshuffled: _reshuffled,
    ev.HoleEnded: _hole_ended,
}
"""For each kind of event after the deal, the function that applies it to a hole."""


Record = TypeVar("Record", bound=NamedTuple)


def changed(record: Record, **fields: Any) -> Record:
    """Return the named tuple with some fields changed, or raise ``KeyError`` for an unknown field."""
    kind = record.__class__
    places = _places(kind)
    values = [*record]
    for name, value in fields.items():
        values[places[name]] = value
    return _made(kind, values)


@cache
def _places(kind: type[NamedTuple]) -> dict[str, int]:
    return {name: place for place, name in enumerate(kind._fields)}


_made: Final = tuple.__new__
