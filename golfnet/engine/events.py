"""Events: what has happened in a match. Folding them in order restores its state; nothing else is stored.

An event is complete and contains hidden cards; ``views.mask`` removes what a viewer may not know. Field names are as on
the wire and in records, except for those in ``INTERNAL``, which only the fold needs and which are never sent to a peer
or written into a record's event line. A field with a default was added in a later version. It is not written while it
has its default, so logs and records of older versions keep their form.
"""

from enum import StrEnum
from typing import Any, ClassVar, Final, get_args

from golfnet.engine.cards import Card, Position, Seat
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import Frozen
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


class _Named(Frozen):
    """The base of all events; ``name`` is an event's name on the wire."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str) -> None:
        cls.name = name


class Committed(_Named, kw_only=True, name="committed"):
    """The seed of the next deal is fixed, and stays secret until the hole ends; ``deal`` is the scheme of that deal."""

    match: str
    hole: int
    commitment: str
    seed: bytes
    deal: Scheme = Scheme.V1


class MatchStarted(_Named, kw_only=True, name="match_started"):
    """Seats and rules are fixed; ``options`` is the rule set as played."""

    match: str
    variant: str
    options: RuleSet
    seats: tuple[str, ...]


class HoleStarted(_Named, kw_only=True, name="hole_started"):
    """No more cuts are accepted, and the deal's key is fixed; ``unrevealed`` are seats that did not reveal their cut.

    ``seals`` and ``unrevealed`` are None in the first scheme, which has no seals.
    """

    hole: int
    dealer: Seat
    leader: Seat
    commitment: str
    cuts: tuple[str, ...]
    context: str
    seals: tuple[str | None, ...] | None = None
    unrevealed: tuple[Seat, ...] | None = None


class Dealt(_Named, kw_only=True, name="dealt"):
    """The cards are dealt; ``deck`` is the whole shuffled deck (X4)."""

    stock: int
    discard: Card | None
    discard_no: int
    deck: tuple[Card, ...]


class Peeked(_Named, kw_only=True, name="peeked"):
    """A seat has looked at face-down cards."""

    seat: Seat
    at: tuple[Position, ...]
    cards: tuple[Card, ...] | None


class Flipped(_Named, kw_only=True, name="flipped"):
    """A card has been turned up in its slot."""

    seat: Seat
    slot: int
    card: Card


class TurnBegan(_Named, kw_only=True, name="turn"):
    """A seat's turn has begun; ``turn`` counts this seat's turns in the hole from 1."""

    seat: Seat
    turn: int


class Drew(_Named, kw_only=True, name="drew"):
    """A seat has drawn the top card of the stock; ``stock`` cards are left."""

    seat: Seat
    stock: int
    card: Card | None


class Took(_Named, kw_only=True, name="took"):
    """A seat has taken the top card of the discard pile."""

    seat: Seat
    card: Card


class Swapped(_Named, kw_only=True, name="swapped"):
    """The drawn card replaced a card, which was discarded; if ``hidden``, only this seat knows the new card."""

    seat: Seat
    slot: int
    card: Card | None
    discard: Card
    discard_no: int
    hidden: bool


class Discarded(_Named, kw_only=True, name="discarded"):
    """A seat has discarded the card that it drew from the stock."""

    seat: Seat
    card: Card
    discard_no: int


class Passed(_Named, kw_only=True, name="passed"):
    """A seat turned up no card, or declined a slam window."""

    seat: Seat


class Declined(_Named, kw_only=True, name="declined"):
    """A seat left its power unused."""

    seat: Seat


class Knocked(_Named, kw_only=True, name="knocked"):
    """A seat has knocked and is the closer."""

    seat: Seat


class Switched(_Named, kw_only=True, name="switched"):
    """Two face-down cards have changed places unseen."""

    seat: Seat
    at: tuple[Position, Position]


class SlamOpened(_Named, kw_only=True, name="slam_opened"):
    """Cards with the rank of ``card`` may be slammed for at most ``ms`` milliseconds."""

    discard_no: int
    card: Card
    ms: int
    mode: SlamMode


class SlamClosed(_Named, kw_only=True, name="slam_closed"):
    """The window for a discard is closed."""

    discard_no: int


class Slammed(_Named, kw_only=True, name="slammed"):
    """A slam has been judged; ``discard_no`` is the card's number on the discard pile, None if it did not go there."""

    by: Seat
    at: Position
    card: Card
    result: SlamResult
    discard_no: int | None


class Penalized(_Named, kw_only=True, name="penalty"):
    """A seat got a penalty card in a new slot; ``source`` is the card's old position, None for the stock."""

    seat: Seat
    slot: int
    source: Position | None
    card: Card | None


class Gave(_Named, kw_only=True, name="gave"):
    """A seat gave a card, face down, for one it had slammed (C14); if ``known``, the giver's view still shows it."""

    seat: Seat
    slot: int
    to: Position
    card: Card | None
    known: bool


class Reshuffled(_Named, kw_only=True, name="reshuffled"):
    """The discard pile except its top card became the stock; ``order`` is the new stock, top card first (X6)."""

    stock: int
    discard: Card
    order: tuple[Card, ...] | None


class HoleEnded(_Named, kw_only=True, name="hole_ended"):
    """All cards are shown and counted; ``scores`` is None for an abandoned hole (X18).

    ``seals`` is None in the first scheme.
    """

    reason: EndReason
    closer: Seat | None
    layouts: tuple[tuple[Card | None, ...], ...]
    scores: tuple[int, ...] | None
    totals: tuple[int, ...]
    seed: bytes
    cuts: tuple[str, ...]
    seals: tuple[str | None, ...] | None = None


class MatchEnded(_Named, kw_only=True, name="match_ended"):
    """The match is over; ``places`` has the place of each seat, and equal totals share a place (X9)."""

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
