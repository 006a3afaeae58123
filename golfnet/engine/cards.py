"""Cards, and where they lie: in decks before the shuffle, and in layouts in front of seats.

Cards have no identity beyond rank and suit: if several packs are used, the deck contains equal cards. Every possible
card is created once, on import, and looked up by its text (``7H``, ``10D``, ``0S``, ``*``), so cards may be compared
with ``is``.

A layout's slots are numbered from 1 and never renumbered: index ``n - 1`` is slot ``n``. An empty slot is ``None`` and
stays (C13); penalty cards make a layout longer (C15). Layouts are immutable. Nothing here depends on a rule set.

In text, ``B3`` is slot 3 of seat B, and a bare ``3`` is slot 3 of the writer's own seat. Parsing the text of a value
returns an equal value.
"""

from collections.abc import Callable, Iterable
from functools import cache, reduce
from operator import or_
from typing import Any, Final, Generic, NamedTuple, NewType, TypeVar

from golfnet.engine.frozen import Frozen

SUITS: Final = "SHDC"
"""Spades, hearts, diamonds, clubs: the order of suits in an unshuffled deck."""

STANDARD_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
NUMBERED_RANKS: Final = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q")
JOKER: Final = "*"
"""The rank, and the whole text, of every joker (X11: all jokers are one rank)."""

RANKS: Final = ("0", "1", *STANDARD_RANKS, JOKER)
"""The ranks of all decks, in the order in which their values are listed."""


class Card(Frozen):
    """One card; ``suit`` is empty for a joker.

    ``text`` is its notation on the wire, ``known_text`` its notation when it is face down but known to the viewer.
    Both follow from the rank and the suit, and are stored because every view contains them.
    """

    rank: str
    suit: str
    text: str = ""
    known_text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.rank + self.suit)
        object.__setattr__(self, "known_text", "?" + self.rank + self.suit)

    def __str__(self) -> str:
        return self.text


CARDS: Final[dict[str, Card]] = {
    card.text: card
    for card in (*(Card(rank, suit) for rank in RANKS if rank != JOKER for suit in SUITS), Card(JOKER, ""))
}
"""Every card, by its text."""

UNKNOWN: Final = Card("?", "")
"""Stands for a card that a viewer does not know, in a hole made from a view; no deck contains it."""


def deck_text(deck: Iterable[Card]) -> str:
    """Return the cards as words separated by spaces, as in contexts and records."""
    return " ".join(card.text for card in deck)


def parse_deck(text: str) -> tuple[Card, ...]:
    """Return the cards in a deck text, or raise ``KeyError`` with the first word that is not a card."""
    return tuple(CARDS[word] for word in text.split())


Seat = NewType("Seat", int)
"""A place at the table, counted from 0; written as a letter, A for 0."""

MAX_SEATS = 12

HIDDEN: Final = "?"
"""A face-down card that the viewer does not know; one that they do know is written ``?7H``."""

EMPTY: Final = "-"
"""An empty slot."""

T = TypeVar("T")


class Position(NamedTuple):
    """One place for a card on the table: a seat and a slot number from 1."""

    seat: Seat
    slot: int


class Slot(NamedTuple):
    """A card in a layout; ``known`` has bit ``n`` set if seat ``n`` has lawfully seen the card (X16)."""

    card: Card
    face_up: bool = False
    known: int = 0


class _Cached(Generic[T]):
    """A ``cached_property`` without Python 3.11's lock, which takes longer than these computations."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layout: Any, owner: type) -> T:
        value = layout.__dict__[self._name] = self._compute(layout)
        return value


class Layout(tuple[Slot | None, ...]):
    """One seat's slots, in order.

    Its properties are cached, because they are read for every viewer after every action, although most actions leave
    most layouts unchanged.
    """

    @_Cached
    def face_down(self) -> tuple[int, ...]:
        """The numbers of slots with a face-down card."""
        return tuple([n for n, slot in enumerate(self, 1) if slot is not None and not slot.face_up])

    @_Cached
    def occupied(self) -> tuple[int, ...]:
        """The numbers of slots with a card."""
        return tuple([n for n, slot in enumerate(self, 1) if slot is not None])

    @_Cached
    def remembered(self) -> int:
        """A bit for each seat that has lawfully seen any of the face-down cards (X16)."""
        return reduce(or_, [slot.known for slot in self if slot is not None and not slot.face_up], 0)

    @_Cached
    def is_empty(self) -> bool:
        """Whether no card is left (C8, C14, C15)."""
        return not any(self)

    @_Cached
    def shown(self) -> tuple[str, ...]:
        """What everyone sees: ``7H`` face up, ``?`` face down, ``-`` empty."""
        return tuple([EMPTY if slot is None else slot.card.text if slot.face_up else HIDDEN for slot in self])

    @property
    def cards(self) -> tuple[Card | None, ...]:
        """The cards in slot order, None for an empty slot."""
        return tuple([slot and slot.card for slot in self])

    def with_slot(self, number: int, slot: Slot | None) -> "Layout":
        """Return the layout with slot ``number`` replaced; the number after the highest adds a slot.

        Raise ``LookupError`` for any other number.
        """
        if not 1 <= number <= len(self) + 1:
            raise LookupError(f"no slot {number} in a layout of {len(self)}")
        return Layout((*self[: number - 1], slot, *self[number:]))


def column_slots(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Return each column's slot numbers, top to bottom: (1, 4), (2, 5), (3, 6) for 2×3 (X1, S4)."""
    return tuple(tuple(column + row * columns for row in range(rows)) for column in range(1, columns + 1))


# --- text


SEAT_LETTERS: Final = "ABCDEFGHIJKL"[:MAX_SEATS]
_SEATS: Final = {
    each: Seat(seat) for seat, letter in enumerate(SEAT_LETTERS) for each in (letter, letter.lower())
}

seat_letter: Final[Callable[[Seat], str]] = SEAT_LETTERS.__getitem__
"""Returns the letter of a seat, A for 0."""


@cache
def parse_seat(text: str) -> Seat:
    """Return the seat for a letter, in either case, or raise ``ValueError``."""
    seat = _SEATS.get(text)
    if seat is None:
        raise ValueError(f"a seat letter, A to {SEAT_LETTERS[-1]}, not {text!r}")
    return seat


def parse_slot(text: str) -> int:
    """Return the slot number in a text, or raise ``ValueError``."""
    return parse_number(text, digits=3, what="a slot number such as 3")


def position_text(at: Position) -> str:
    """Return the text of a position, such as ``B3``."""
    return f"{SEAT_LETTERS[at.seat]}{at.slot}"


def parse_position(text: str, own: Seat | None = None) -> Position:
    """Return the position in ``B3``, or in a bare ``3`` for seat ``own``, or raise ``ValueError``."""
    if own is not None and text[:1].isdigit():
        return Position(own, parse_slot(text))
    try:
        return Position(parse_seat(text[:1]), parse_slot(text[1:]))
    except ValueError:
        raise ValueError(f"a position such as B3, or a slot number of your own, not {text!r}") from None


def parse_card(text: str) -> Card:
    """Return the card written as ``7H``, ``10D`` or ``*``, in either case, or raise ``ValueError``."""
    card = CARDS.get(text.upper()) if text.isascii() else None
    if card is None:
        raise ValueError(f"a card such as 7H, 10D or *, not {text!r}")
    return card


def parse_number(text: str, *, digits: int, what: str) -> int:
    """Return the positive number in a text, or raise ``ValueError``."""
    if not (text.isascii() and text.isdigit() and len(text) <= digits and int(text) > 0):
        raise ValueError(f"{what}, not {text!r}")
    return int(text)
