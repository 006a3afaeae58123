"""Cards, and decks before the shuffle.

Cards have no identity beyond rank and suit: if several packs are used, the deck contains equal cards. Every possible
card is created once, on import, and looked up by its text (``7H``, ``10D``, ``0S``, ``*``), so cards may be compared
with ``is``.
"""

from collections.abc import Iterable
from typing import Final

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
