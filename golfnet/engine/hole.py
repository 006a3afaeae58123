"""One hole: its whole state, and what it is waiting for.

A hole is dealt here and changed only by its events, in ``fold``. Legal actions are in ``legality``; the events that
follow them automatically are in ``play``.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from golfnet.engine.cards import Card
from golfnet.engine.events import EndReason, HoleEnded
from golfnet.engine.layout import Layout, Position, Seat, Slot
from golfnet.engine.rules import RuleSet


class Stage(StrEnum):
    """How far the turn has got; the hole's fields show what else is left to do (power, window, gift)."""

    START = "start"
    TURN = "turn"
    HOLDING = "holding"
    FLIP = "flip"
    DONE = "done"
    OVER = "over"


START, TURN, HOLDING, FLIP, DONE, OVER = Stage
"""The stages again, for frequent use: before Python 3.12, looking up an enum member is slow."""


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


class Deal(NamedTuple):
    """What a hole is made from; ``totals`` are from before this hole, ``key`` and ``seed`` are secret.

    ``seals`` is None in the first scheme.
    """

    hole: int
    dealer: Seat
    leader: Seat
    commitment: str
    totals: tuple[int, ...]
    seed: bytes
    cuts: tuple[str, ...]
    key: bytes
    seals: tuple[str | None, ...] | None = None


class Drawn(NamedTuple):
    """The card held by ``seat``, whose turn it is."""

    seat: Seat
    card: Card
    from_discard: bool


class Window(NamedTuple):
    """An open slam window.

    ``passed`` has a bit for each seat that can no longer act in it, because it passed or, except in a race, claimed
    (C21); ``moved`` holds the positions whose card has changed since the discard (C11).
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

    ``stock`` begins with its top card, ``discards`` ends with its own; ``owed`` counts the start choices each seat has
    left, ``turns`` the turns each seat has begun; ``opening`` means that the last discard's window is not open yet;
    ``closing`` is why ``closer`` closed.
    """

    rules: RuleSet
    deal: Deal
    layouts: tuple[Layout, ...]
    stock: tuple[Card, ...]
    discards: tuple[Card, ...]
    discard_no: int
    stage: Stage
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
    closing: EndReason | None = None
    ended: HoleEnded | None = None

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
    known = _PHASES.get(hole.stage)
    if known is not None:
        return known
    if hole.gift is not None:
        return Phase.GIVE
    return Phase.POWER if hole.power else Phase.SLAM


def slot_at(hole: Hole, seat: Seat, number: int) -> Slot:
    """Return the card in a seat's slot, which must not be empty."""
    slot = hole.layouts[seat][number - 1]
    if slot is None:
        raise LookupError(f"no card in slot {number} of seat {seat}")
    return slot


_PHASES: Final[dict[Stage, Phase]] = {stage: Phase(stage.value) for stage in Stage if stage is not DONE}
