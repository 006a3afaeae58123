"""Events: what has happened in a match. Folding them in order restores its state; nothing else is stored.

An event is complete and contains hidden cards; ``views.mask`` removes what a viewer may not know. Field names are as on
the wire and in records, except for those in ``INTERNAL``, which only the fold needs and which are never sent to a peer
or written into a record's event line. A field with a default was added in a later version. It is not written while it
has its default, so logs and records of older versions keep their form.
"""

from enum import StrEnum
from typing import Any, ClassVar, Final, get_args

from golfnet.engine.cards import Card
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import Frozen
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import RuleSet, SlamMode


class EndReason(StrEnum):
    """Why a hole ended (X14)."""

    EMPTY = "empty"
    STOCK = "stock"
    TURNS = "turns"
    FACE_UP = "face_up"
    KNOCK = "knock"
    CAP = "cap"
    ABANDONED = "abandoned"


class SlamResult(StrEnum):
    """The result of a slam (C12–C17)."""

    HIT = "hit"
    WRONG = "wrong"
    LATE = "late"


class Committed(Frozen, kw_only=True):
    """The seed of the next deal is fixed, and stays secret until the hole ends; ``deal`` is the scheme of that deal."""

    name: ClassVar[str] = "committed"
    match: str
    hole: int
    commitment: str
    seed: bytes
    deal: Scheme = Scheme.V1


class MatchStarted(Frozen, kw_only=True):
    """Seats and rules are fixed; ``options`` is the rule set as played."""

    name: ClassVar[str] = "match_started"
    match: str
    variant: str
    options: RuleSet
    seats: tuple[str, ...]


class HoleStarted(Frozen, kw_only=True):
    """No more cuts are accepted, and the deal's key is fixed; ``unrevealed`` are seats that did not reveal their cut.

    ``seals`` and ``unrevealed`` are None in the first scheme, which has no seals.
    """

    name: ClassVar[str] = "hole_started"
    hole: int
    dealer: Seat
    leader: Seat
    commitment: str
    cuts: tuple[str, ...]
    context: str
    seals: tuple[str | None, ...] | None = None
    unrevealed: tuple[Seat, ...] | None = None


class Dealt(Frozen, kw_only=True):
    """The cards are dealt; ``deck`` is the whole shuffled deck (X4)."""

    name: ClassVar[str] = "dealt"
    stock: int
    discard: Card | None
    discard_no: int
    deck: tuple[Card, ...]


class Peeked(Frozen, kw_only=True):
    """A seat has looked at face-down cards."""

    name: ClassVar[str] = "peeked"
    seat: Seat
    at: tuple[Position, ...]
    cards: tuple[Card, ...] | None


class Flipped(Frozen, kw_only=True):
    """A card has been turned up in its slot."""

    name: ClassVar[str] = "flipped"
    seat: Seat
    slot: int
    card: Card


class TurnBegan(Frozen, kw_only=True):
    """A seat's turn has begun; ``turn`` counts this seat's turns in the hole from 1."""

    name: ClassVar[str] = "turn"
    seat: Seat
    turn: int


class Drew(Frozen, kw_only=True):
    """A seat has drawn the top card of the stock; ``stock`` cards are left."""

    name: ClassVar[str] = "drew"
    seat: Seat
    stock: int
    card: Card | None


class Took(Frozen, kw_only=True):
    """A seat has taken the top card of the discard pile."""

    name: ClassVar[str] = "took"
    seat: Seat
    card: Card


class Swapped(Frozen, kw_only=True):
    """The drawn card replaced a card, which was discarded; if ``hidden``, only this seat knows the new card."""

    name: ClassVar[str] = "swapped"
    seat: Seat
    slot: int
    card: Card | None
    discard: Card
    discard_no: int
    hidden: bool


class Discarded(Frozen, kw_only=True):
    """A seat has discarded the card that it drew from the stock."""

    name: ClassVar[str] = "discarded"
    seat: Seat
    card: Card
    discard_no: int


class Passed(Frozen, kw_only=True):
    """A seat turned up no card, or declined a slam window."""

    name: ClassVar[str] = "passed"
    seat: Seat


class Declined(Frozen, kw_only=True):
    """A seat left its power unused."""

    name: ClassVar[str] = "declined"
    seat: Seat


class Knocked(Frozen, kw_only=True):
    """A seat has knocked and is the closer."""

    name: ClassVar[str] = "knocked"
    seat: Seat


class Switched(Frozen, kw_only=True):
    """Two face-down cards have changed places unseen."""

    name: ClassVar[str] = "switched"
    seat: Seat
    at: tuple[Position, Position]


class SlamOpened(Frozen, kw_only=True):
    """Cards with the rank of ``card`` may be slammed for at most ``ms`` milliseconds."""

    name: ClassVar[str] = "slam_opened"
    discard_no: int
    card: Card
    ms: int
    mode: SlamMode


class SlamClosed(Frozen, kw_only=True):
    """The window for a discard is closed."""

    name: ClassVar[str] = "slam_closed"
    discard_no: int


class Slammed(Frozen, kw_only=True):
    """A slam has been judged; ``discard_no`` is the card's number on the discard pile, None if it did not go there."""

    name: ClassVar[str] = "slammed"
    by: Seat
    at: Position
    card: Card
    result: SlamResult
    discard_no: int | None


class Penalized(Frozen, kw_only=True):
    """A seat got a penalty card in a new slot; ``source`` is the card's old position, None for the stock."""

    name: ClassVar[str] = "penalty"
    seat: Seat
    slot: int
    source: Position | None
    card: Card | None


class Gave(Frozen, kw_only=True):
    """A seat gave a card, face down, for one it had slammed (C14); if ``known``, the giver's view still shows it."""

    name: ClassVar[str] = "gave"
    seat: Seat
    slot: int
    to: Position
    card: Card | None
    known: bool


class Reshuffled(Frozen, kw_only=True):
    """The discard pile except its top card became the stock; ``order`` is the new stock, top card first (X6)."""

    name: ClassVar[str] = "reshuffled"
    stock: int
    discard: Card
    order: tuple[Card, ...] | None


class HoleEnded(Frozen, kw_only=True):
    """All cards are shown and counted; ``scores`` is None for an abandoned hole (X18).

    ``seals`` is None in the first scheme.
    """

    name: ClassVar[str] = "hole_ended"
    reason: EndReason
    closer: Seat | None
    layouts: tuple[tuple[Card | None, ...], ...]
    scores: tuple[int, ...] | None
    totals: tuple[int, ...]
    seed: bytes
    cuts: tuple[str, ...]
    seals: tuple[str | None, ...] | None = None


class MatchEnded(Frozen, kw_only=True):
    """The match is over; ``places`` has the place of each seat, and equal totals share a place (X9)."""

    name: ClassVar[str] = "match_ended"
    match: str
    totals: tuple[int, ...]
    places: tuple[int, ...]


Event = (
    Committed
    | MatchStarted
    | HoleStarted
    | Dealt
    | Peeked
    | Flipped
    | TurnBegan
    | Drew
    | Took
    | Swapped
    | Discarded
    | Passed
    | Declined
    | Knocked
    | Switched
    | SlamOpened
    | SlamClosed
    | Slammed
    | Penalized
    | Gave
    | Reshuffled
    | HoleEnded
    | MatchEnded
)

EVENTS: Final[dict[str, type[Event]]] = {kind.name: kind for kind in get_args(Event)}
"""Every kind of event, by its name on the wire."""

INTERNAL: Final[dict[type[Any], dict[str, Any]]] = {
    Committed: {"seed": b""},
    HoleStarted: {"cuts": (), "context": "", "seals": None},
    Dealt: {"deck": ()},
    Swapped: {"hidden": False},
    Gave: {"known": False},
}
"""Fields that only the fold needs, with the values used if they are missing; in a record they are in hole lines."""

PRIVATE: Final[dict[type[Any], str]] = {
    Peeked: "cards",
    Drew: "card",
    Swapped: "card",
    Gave: "card",
    Penalized: "card",
    Reshuffled: "order",
}
"""The field of each event that may be secret. For viewers who may not know it, it is None and left out on the wire."""
