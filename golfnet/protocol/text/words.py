"""Words for cards, players, places and times, for one viewer.

Cards, seats and positions can be in wire notation or engine values. Names come with seat letters (``Bob (B)``), so that
people see what to type.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN, JOKER, SEAT_LETTERS, Card, Position, Seat
from golfnet.engine.forms import listed, word
from golfnet.engine.rules import RuleSet
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.typeset import clipped, red

RANK_WORDS: Final = {
    **{str(number): word(number) for number in range(1, 11)},
    **{"0": "zero", "A": "ace", "J": "jack", "Q": "queen", "K": "king", JOKER: "joker"},
}
SUIT_WORDS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
JOKER_SIGN: Final = "★"


def card_words(card: str) -> str:
    """Return a card in full, such as ``seven of hearts``."""
    return RANK_WORDS[JOKER] if card == JOKER else f"{RANK_WORDS[card[:-1]]} of {SUIT_WORDS[card[-1]]}"


def card_sign(card: str, cards: Cards, *, color: bool) -> str:
    """Return a card's sign for pictures, two or three columns wide; it is red if the suit is red."""
    if card == JOKER:
        return JOKER_SIGN if cards is Cards.SYMBOLS else JOKER
    text = card[:-1] + SUIT_SIGNS[card[-1]] if cards is Cards.SYMBOLS else card
    return red(text, on=color) if card[-1] in "HD" else text


def slot_words(slot: str) -> str:
    """Return what a slot shows: a card in full, ``face down`` or ``empty``."""
    if slot in _NO_CARD:
        return _NO_CARD[slot]
    return f"{card_words(slot[1:])}, face down" if slot.startswith(HIDDEN) else card_words(slot)


_NO_CARD: Final = {EMPTY: "empty", HIDDEN: "face down"}


def place_words(slot: int, *, rows: int, columns: int) -> str:
    """Return where a slot is, such as ``top right``, or ``added`` for a slot that was not dealt."""
    if slot > rows * columns:
        return "added"
    row, column = divmod(slot - 1, columns)
    if rows in _ROWS and columns in _COLUMNS:
        words = f"{_ROWS[rows][row]} {_COLUMNS[columns][column]}".strip()
        return "centre" if words == "middle middle" else words
    down = _ROWS[rows][row] and f"{_ROWS[rows][row]} row" if rows in _ROWS else f"row {row + 1}"
    return f"{down}, column {column + 1}".removeprefix(", ")


def capital(text: str) -> str:
    """Return text with a capital first letter, unless it begins with a name, which stays as it is."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].rstrip(",.") in _OWN_WORDS else text


def seconds(ms: int) -> str:
    """Return a time in words, rounded up: ``1 second``, ``90 seconds``, ``2 minutes``."""
    whole = -(-ms // 1000)
    return counted(-(-whole // 60), "minute") if whole >= 120 else counted(whole, "second")


def counted(count: int, thing: str) -> str:
    """Return a count in digits: ``1 match``, ``12 matches``."""
    plural = f"{thing}es" if thing.endswith("ch") else f"{thing}s"
    return f"{count} {thing if abs(count) == 1 else plural}"


def number(value: int, settings: Settings) -> str:
    """Return a number as text; speech gets the word ``minus``."""
    return f"minus {-value}" if value < 0 and settings.style is Style.SPEECH else str(value)


def points(value: int, settings: Settings) -> str:
    """Return a number of points."""
    return f"{number(value, settings)} point{'' if abs(value) == 1 else 's'}"


def ordinal(place: int) -> str:
    """Return a place such as ``1st`` or ``12th``."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


class Voice(Struct, frozen=True, kw_only=True):
    """How sentences are worded for one viewer: which seat is theirs, who sits where, and how cards are written."""

    settings: Settings
    you: Seat | None
    names: tuple[str, ...]
    rules: RuleSet | None = None
    brief: bool = False
    """Whether seats are referred to by name only, and cards have no article."""

    @property
    def look(self) -> Settings:
        """The settings that pictures depend on: equal for all viewers for whom pictures are the same."""
        return _look(self.settings)

    def card(self, card: Card | str) -> str:
        """Return a card for a sentence: ``7♥``, ``7H`` or ``the seven of hearts``."""
        text = card if isinstance(card, str) else card.text
        if (
            text != JOKER
            and self.settings.style is not Style.SPEECH
            and self.settings.cards is not Cards.WORDS
        ):
            return card_sign(text, self.settings.cards, color=self.settings.color)
        words = card_words(text) if self.brief else f"the {card_words(text)}"
        return red(words, on=self.settings.color) if text[-1] in "HD" else words

    def slot(self, slot: str) -> str:
        """Return what a slot shows: ``7♥``, ``face down``, ``empty``; in speech the card in full."""
        if slot in _NO_CARD or self.settings.style is Style.SPEECH:
            return slot_words(slot)
        card = self.card(slot.removeprefix(HIDDEN)).replace("the ", "")
        return f"{card}, face down" if slot.startswith(HIDDEN) else card

    def rank(self, rank: str) -> str:
        """Return a rank for a sentence: ``7`` or ``seven``."""
        in_words = self.settings.style is Style.SPEECH or self.settings.cards is Cards.WORDS
        return RANK_WORDS[rank] if in_words or rank == JOKER else rank

    def name(self, seat: Seat) -> str:
        """Return a seat's name with its letter, even for the viewer's own."""
        name, letter = self.names[seat] if seat < len(self.names) else "", SEAT_LETTERS[seat]
        return f"seat {letter}" if not name else name if self.brief else f"{name} ({letter})"

    def label(self, seat: Seat, width: int = 99) -> str:
        """Return the label of a seat for a picture or a row: ``B Bob``, ``A Ann, you``; a long name is cut."""
        ending = ", you" if seat == self.you else ""
        return f"{clipped(f'{SEAT_LETTERS[seat]} {self._bare(seat)}'.rstrip(), width - len(ending))}{ending}"

    def who(self, seat: Seat) -> str:
        """Return a seat within a sentence: ``you`` or ``Bob (B)``."""
        return "you" if seat == self.you else self.name(seat)

    def says(self, seat: Seat, verb: str) -> str:
        """Return a seat and its verb within a sentence: ``you draw`` or ``Bob (B) draws``."""
        return f"{self.who(seat)} {self.verb(seat, verb)}"

    def verb(self, seat: Seat, verb: str) -> str:
        """Return a verb in the form that agrees with a seat: ``discard`` for the viewer's, otherwise ``discards``."""
        return verb if seat == self.you else third_person(verb)

    def does(self, seat: Seat, verb: str) -> str:
        """Return a seat and its verb at the beginning of a sentence: ``You draw`` or ``Bob (B) draws``."""
        return f"You {verb}" if seat == self.you else f"{capital(self.name(seat))} {third_person(verb)}"

    def whose(self, seat: Seat) -> str:
        """Return a possessive: ``your`` or ``Bob's``."""
        return "your" if seat == self.you else f"{self._bare(seat) or 'seat ' + SEAT_LETTERS[seat]}'s"

    def turn(self, seat: Seat, turn: str = "turn") -> str:
        """Return whose turn, or last turn, it is: ``It is your turn`` or ``It is the turn of Bob (B)``."""
        return f"It is your {turn}" if seat == self.you else f"It is the {turn} of {self.name(seat)}"

    def at(self, at: Position, actor: Seat | None) -> str:
        """Return the words for a position in a sentence about ``actor``, such as ``their own slot 3 (B3)``."""
        if at.seat == self.you:
            return f"your slot {at.slot}"
        letter = f"({SEAT_LETTERS[at.seat]}{at.slot})"
        return f"{'their own' if at.seat == actor else self.whose(at.seat)} slot {at.slot} {letter}"

    def told(self, parts: Iterable[str | int | Card | Position]) -> str:
        """Return a sentence made of parts; a position is written as ``your slot 3``, or with its owner's name."""
        said = [
            part
            if isinstance(part, str)
            else self.card(part)
            if isinstance(part, Card)
            else number(part, self.settings)
            if isinstance(part, int)
            else self.at(part, self.you)
            for part in parts
        ]
        return f"{''.join(said)}."

    def all_of(self, seats: Iterable[Seat]) -> str:
        """Return seats as a list, the viewer first: ``you, Bob (B) and Cid (C)``."""
        return listed([self.who(seat) for seat in sorted(seats, key=lambda seat: (seat != self.you, seat))])

    def _bare(self, seat: Seat) -> str:
        return self.names[seat] if seat < len(self.names) else ""


@lru_cache(maxsize=1024)
def _look(settings: Settings) -> Settings:
    return Settings(style=settings.style, cards=settings.cards, color=settings.color)


def third_person(verb: str) -> str:
    """Return a verb in the third person: ``draws``, ``passes``, ``has``."""
    first, _, rest = verb.partition(" ")
    ending = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return f"{_IRREGULAR.get(first, first + ending)} {rest}".rstrip()


def slots_words(slots: Sequence[int]) -> str:
    """Return slots as a list: ``slot 3``, ``slots 3 and 4``."""
    return f"slot{'s' * (len(slots) > 1)} {listed(slots)}"


_OWN_WORDS: Final = frozenset(("you", "your", "seat", "seat's", "the", "it"))
_IRREGULAR: Final = {"are": "is", "have": "has", "may": "may", "were": "was"}
_ROWS: Final = {1: ("",), 2: ("top", "bottom"), 3: ("top", "middle", "bottom")}
_COLUMNS: Final = {1: ("",), 2: ("left", "right"), 3: ("left", "middle", "right")}
