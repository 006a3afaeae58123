"""Rule sets as data: one frozen record per variant, checked when it is made.

Whatever differs between variants is a field here and nothing else is; no code anywhere asks for a variant's name.
A ``RuleSet`` that exists can be played by every number of seats in its span; one that cannot raises ``RuleError``
with the option to change and its bounds. How fields are written and read as options is in ``options``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from golfnet.engine.cards import JOKER, Card, DeckKind, unshuffled_deck
from golfnet.engine.errors import RuleError
from golfnet.engine.layout import MAX_SEATS

MAX_SLOTS: Final = 12
"""Cards dealt to a seat: keeps the list of start choices of one seat within a line of the wire."""

MAX_HOLES: Final = 99
"""Holes of a match at the most (X15); a match to a target ends then too."""


class Span(NamedTuple):
    """A range of seats, both ends included."""

    low: int
    high: int


class StartMode(StrEnum):
    """What a seat does with its cards before play begins (X12)."""

    NONE = "none"
    PEEK_BOTTOM = "peek-bottom"
    PEEK_ANY = "peek-any"
    FLIP_BOTTOM = "flip-bottom"
    FLIP_ANY = "flip-any"


class Start(NamedTuple):
    """The start choices: how, and of how many cards."""

    mode: StartMode
    cards: int


class Packs(NamedTuple):
    """How many packs: ``steps`` of (from this number of seats, so many packs), seats ascending from 1."""

    steps: tuple[tuple[int, int], ...]

    def at(self, seats: int) -> int:
        """Return the number of packs for so many seats."""
        return max(step for step in self.steps if step[0] <= seats)[1]


class Placed(StrEnum):
    """How a card lies that was placed in a layout."""

    UP = "up"
    DOWN = "down"


class Cancel(StrEnum):
    """Which equal ranks of one layout count nothing."""

    NONE = "none"
    COLUMN = "column"
    ANYWHERE = "anywhere"
    ALL = "all"


class FaceUp(StrEnum):
    """Whose layout must be all face up to end the hole."""

    OFF = "off"
    FIRST = "first"
    EVERY = "every"


class StockEnd(StrEnum):
    """What the last stock card does: the turn is finished (X6), or the hole ends at once (C8)."""

    FINISH = "finish"
    AT_ONCE = "at-once"


class Penalty(StrEnum):
    """What closing costs a closer (G4), or a knocker with more than five points (C9)."""

    NONE = "none"
    FIVE = "+5"
    TEN = "+10"
    DOUBLE = "double"
    DOUBLE_OVER_FIVE = "double-over-5"


class Recall(StrEnum):
    """Whether a seat's view goes on showing what it has lawfully seen (X10)."""

    ONCE = "once"
    ALWAYS = "always"


class FirstDealer(StrEnum):
    """Who deals the first hole (X5, X17)."""

    FIRST = "first"
    RANDOM = "random"


class Leader(StrEnum):
    """Who leads: the dealer's left (X5), or the dealer and later the highest total (C5)."""

    LEFT = "left"
    HIGHEST = "highest"


class SlamMode(StrEnum):
    """Whether face-down cards may be slammed, and how claims are ordered."""

    OFF = "off"
    RACE = "race"
    ORDER = "order"
    LOT = "lot"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One way to play Golf.

    ``values`` maps every rank the deck can hold to its points. ``turns`` is a fixed number of turns (F1) or None,
    ``turn_cap`` the number after which a hole ends anyway (X7) or None. ``holes`` and ``target`` end the match,
    whichever comes first; at least one is set. ``power`` lists the ranks whose discard gives a power (C6).
    ``extra_suits_from`` is the number of seats from which each seat adds a suit (C1), or None. ``slam_window`` is in
    seconds. ``notes`` are sentences for the rules text that no field can say.
    """

    name: str
    title: str
    seats: Span
    rows: int
    columns: int
    decks: Packs
    deck: DeckKind = DeckKind.STANDARD
    extra_suits_from: int | None = None
    jokers: int = 0
    upcard: bool = True
    start: Start
    placed: Placed = Placed.UP
    lock: bool = False
    flip: bool = False
    reveal: bool = False
    power: tuple[str, ...] = ()
    knock: bool = False
    face_up: FaceUp = FaceUp.OFF
    final_turn: bool = False
    cancel: Cancel
    values: Mapping[str, int]
    holes: int | None = None
    target: int | None = None
    turns: int | None = None
    turn_cap: int | None = None
    reshuffles: int = 0
    stock_end: StockEnd = StockEnd.FINISH
    penalty: Penalty = Penalty.NONE
    recall: Recall = Recall.ONCE
    dealer: FirstDealer = FirstDealer.FIRST
    leader: Leader = Leader.LEFT
    slam: SlamMode = SlamMode.OFF
    slam_window: int = 3
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))
        _check(self)

    def __hash__(self) -> int:
        return hash((self.name, self.seats))

    def __reduce__(self) -> tuple[object, ...]:
        fields = {name: getattr(self, name) for name in self.__slots__} | {"values": dict(self.values)}
        return _restore, (fields,)

    @property
    def slots(self) -> int:
        """Cards dealt to each seat."""
        return self.rows * self.columns

    def for_seats(self, seats: int) -> "RuleSet":
        """Return the rule set as played by so many seats, with seats and packs fixed; raises ``RuleError``."""
        if not self.seats.low <= seats <= self.seats.high:
            raise RuleError("seats", f"{self.name} is played by {_span(self.seats)}, not by {seats}")
        return replace(self, seats=Span(seats, seats), decks=Packs(((1, self.decks.at(seats)),)))

    def deck_for(self, seats: int) -> tuple[Card, ...]:
        """Return the unshuffled deck for so many seats."""
        extra = 0 if self.extra_suits_from is None else max(0, seats - self.extra_suits_from + 1)
        return unshuffled_deck(self.deck, packs=self.decks.at(seats), jokers=self.jokers, extra_suits=extra)

    def deck_size(self, seats: int) -> int:
        """Return the number of cards in the deck for so many seats."""
        extra = 0 if self.extra_suits_from is None else max(0, seats - self.extra_suits_from + 1)
        return self.decks.at(seats) * (52 + self.jokers) + extra * 13


def _restore(fields: dict[str, object]) -> RuleSet:
    return RuleSet(**fields)  # type: ignore[arg-type]


def _span(seats: Span) -> str:
    return f"{seats.low} seats" if seats.low == seats.high else f"{seats.low} to {seats.high} seats"


def _check(rules: RuleSet) -> None:
    _check_bounds(rules)
    _check_start(rules)
    _check_ends(rules)
    _check_cards(rules)


def _within(option: str, value: int | None, low: int, high: int) -> None:
    if value is not None and not low <= value <= high:
        raise RuleError(option, f"a number from {low} to {high}, not {value}")


def _check_bounds(rules: RuleSet) -> None:
    low, high = rules.seats
    if not 2 <= low <= high <= MAX_SEATS:
        raise RuleError("seats", f"from 2 to {MAX_SEATS} seats, not {_span(rules.seats)}")
    _within("rows", rules.rows, 1, 4)
    _within("columns", rules.columns, 1, 6)
    if not 2 <= rules.slots <= MAX_SLOTS:
        raise RuleError(
            "columns", f"rows × columns from 2 to {MAX_SLOTS} cards, not {rules.rows} × {rules.columns}"
        )
    for _, packs in rules.decks.steps:
        _within("decks", packs, 1, 8)
    _within("jokers", rules.jokers, 0, 4)
    _within("extra_suits_from", rules.extra_suits_from, 2, MAX_SEATS)
    _within("holes", rules.holes, 1, MAX_HOLES)
    _within("target", rules.target, 1, 1000)
    _within("turns", rules.turns, 1, 100)
    _within("turn_cap", rules.turn_cap, 1, 200)
    _within("reshuffles", rules.reshuffles, 0, 9)
    _within("slam_window", rules.slam_window, 1, 30)
    for rank, points in rules.values.items():
        _within(f"values ({rank})", points, -100, 100)


def _check_start(rules: RuleSet) -> None:
    mode, cards = rules.start
    if mode is StartMode.NONE:
        if cards:
            raise RuleError("start", "none, without a number of cards")
        return
    turned_up = mode in (StartMode.FLIP_BOTTOM, StartMode.FLIP_ANY)
    most = min(4, rules.slots - 1 if turned_up else rules.slots)
    if not 1 <= cards <= most:
        raise RuleError("start", f"{mode} with 1 to {most} cards of a layout of {rules.slots}, not {cards}")


def _check_ends(rules: RuleSet) -> None:
    if rules.holes is None and rules.target is None:
        raise RuleError("holes", f"1 to {MAX_HOLES} holes, or a target; a match needs one of them")
    if rules.turns is None and rules.turn_cap is None:
        raise RuleError("turn_cap", "1 to 200 turns; a hole needs a turn cap or a fixed number of turns")
    if rules.placed is Placed.UP:
        if rules.slam is not SlamMode.OFF:
            raise RuleError("slam", "off while placed=up: only face-down cards are slammed")
        if rules.power:
            raise RuleError("power", "off while placed=up: powers are used on face-down cards")
    elif rules.flip and (rules.power or rules.slam is not SlamMode.OFF):
        raise RuleError("flip", "off in a rule set with powers or slams: a refused card has one consequence")


def _check_cards(rules: RuleSet) -> None:
    ranks = {*rules.deck.ranks, *((JOKER,) if rules.jokers else ())}
    if missing := ranks - rules.values.keys():
        raise RuleError("values", f"points for every rank of the deck; none for {', '.join(sorted(missing))}")
    for seats in range(rules.seats.low, rules.seats.high + 1):
        size = rules.deck_size(seats)
        each = rules.slots + (rules.turns or 1)
        needed = each * seats + rules.upcard
        if size < needed:
            raise RuleError(
                "decks",
                f"{seats} seats need at least {needed} cards ({rules.slots} each, {rules.turns or 1} each in the "
                f"stock{', one upcard' if rules.upcard else ''}), and the deck has {size}: more decks, or fewer seats",
            )
