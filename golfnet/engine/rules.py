"""Rule sets as data: one frozen record per variant, checked on creation.

Everything that differs between variants is a field here; no code depends on a variant's name. Every ``RuleSet`` can be
played by any number of seats in its span: creating an unplayable one raises ``RuleError``, which names the option to
change and its bounds. ``options`` writes and reads the fields as options.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple

from golfnet.engine.cards import CARDS, JOKER, MAX_SEATS, NUMBERED_RANKS, RANKS, STANDARD_RANKS, SUITS, Card
from golfnet.engine.errors import RuleError
from golfnet.engine.forms import Explained
from golfnet.engine.frozen import Frozen, fields_of, replaced

MAX_SLOTS: Final = 12
"""Maximum number of cards dealt to a seat: few enough that the list of start choices fits in a line on the wire."""

MAX_HOLES: Final = 99
"""The maximum number of holes in a match (X15), even if it has a target."""


class Span(NamedTuple):
    """A range of whole numbers, including both ends."""

    low: int
    high: int


BOUNDS: Final[Mapping[str, Span]] = MappingProxyType(
    {
        "seats": Span(2, MAX_SEATS),
        "rows": Span(1, 4),
        "columns": Span(1, 6),
        "decks": Span(1, 8),
        "jokers": Span(0, 4),
        "extra_suits_from": Span(2, MAX_SEATS),
        "values": Span(-100, 100),
        "holes": Span(1, MAX_HOLES),
        "target": Span(1, 1000),
        "turns": Span(1, 100),
        "turn_cap": Span(1, 200),
        "reshuffles": Span(0, 9),
        "slam_window": Span(1, 30),
    }
)
"""The allowed range of each numeric field."""


class StartMode(StrEnum):
    """How a seat makes its start choices (X12)."""

    NONE = "none"
    PEEK_BOTTOM = "peek-bottom"
    PEEK_ANY = "peek-any"
    FLIP_BOTTOM = "flip-bottom"
    FLIP_ANY = "flip-any"


PEEKS: Final = (StartMode.PEEK_BOTTOM, StartMode.PEEK_ANY)
FLIPS: Final = (StartMode.FLIP_BOTTOM, StartMode.FLIP_ANY)
FREE_STARTS: Final = (StartMode.PEEK_ANY, StartMode.FLIP_ANY)
"""The modes in which a seat may choose from all its cards."""


class Start(NamedTuple):
    """The start choices: their kind, and the number of cards."""

    mode: StartMode
    cards: int


class Packs(NamedTuple):
    """How many packs are used; each step has a number of seats, and the number of packs from that many seats on."""

    steps: tuple[tuple[int, int], ...]

    def at(self, seats: int) -> int:
        """Return the number of packs for this number of seats."""
        return max(step for step in self.steps if step[0] <= seats)[1]


class DeckKind(Explained):
    """The kinds of deck, which differ in the thirteen ranks of a suit."""

    STANDARD = "standard", "A, 2 to 10, J, Q, K"
    NUMBERED = "numbered", "0 to 10, J, Q"

    @property
    def ranks(self) -> tuple[str, ...]:
        """The ranks of one suit, ascending."""
        return STANDARD_RANKS if self is DeckKind.STANDARD else NUMBERED_RANKS


class Placed(Explained):
    """Whether a card placed in a layout lies face up."""

    UP = "up", "face up"
    DOWN = "down", "face down"


class Cancel(Explained):
    """Which equal ranks in a layout count 0."""

    NONE = "none", "nothing"
    COLUMN = "column", "a column of one rank"
    ANYWHERE = "anywhere", "one pair of each rank, anywhere"
    ALL = "all", "all cards of a rank held more than once"


class FaceUp(Explained):
    """Which layouts must be all face up to end the hole."""

    OFF = "off", "no"
    FIRST = "first", "as soon as all cards of one layout are face up"
    EVERY = "every", "as soon as all cards of all layouts are face up"


class StockEnd(Explained):
    """What happens when the last stock card is drawn: the turn is finished (X6), or the hole ends at once (C8)."""

    FINISH = "finish", "the turn is finished first"
    AT_ONCE = "at-once", "at once, and the card just drawn counts for nobody"


class Penalty(Explained):
    """What closing costs (G4), or knocking with more than five points (C9)."""

    NONE = "none", "nothing"
    FIVE = "+5", "5 points, unless you have the lowest score"
    TEN = "+10", "10 points, unless you have the lowest score"
    DOUBLE = "double", "the score doubled, unless it is the lowest"
    DOUBLE_OVER_FIVE = "double-over-5", "the score doubled if it is more than 5"


class Recall(Explained):
    """Whether a seat's view keeps showing what it has lawfully seen (X10)."""

    ONCE = "once", "once"
    ALWAYS = "always", "as long as the card lies face down"


class FirstDealer(Explained):
    """Who deals the first hole (X5, X17)."""

    FIRST = "first", "seat A"
    RANDOM = "random", "a seat drawn by lot"


class Leader(Explained):
    """Who leads: the seat on the dealer's left (X5), or the dealer, then the seat with the highest total (C5)."""

    LEFT = "left", "the dealer's left"
    HIGHEST = "highest", "the dealer; from hole 2 on, whoever has the highest total"


class SlamMode(Explained):
    """Whether face-down cards may be slammed, and how claims are ordered."""

    OFF = "off", "no slams"
    RACE = "race", "the fastest claim first"
    ORDER = "order", "secret claims, clockwise from the discarder's left"
    LOT = "lot", "secret claims, in an order drawn by lot"


USUAL_WINDOW: Final = MappingProxyType(
    {SlamMode.OFF: 3, SlamMode.RACE: 3, SlamMode.ORDER: 10, SlamMode.LOT: 10}
)
"""The default length of a slam window in seconds: longer for sealed claims, for which speed does not count (C11)."""


class RuleSet(Frozen, kw_only=True, ignoring=("title", "notes")):
    """One way to play Golf.

    ``values`` maps every rank that the deck can contain to its points. ``turns`` is a fixed number of turns (F1) or
    None, ``turn_cap`` the number after which a hole ends anyway (X7) or None. ``holes`` and ``target`` end the match,
    whichever comes first; at least one is set. ``power`` lists the ranks that give a power when discarded (C6).
    From seat number ``extra_suits_from`` on, each seat adds a suit to the deck (C1); None means no extra suits.
    ``slam_window`` is in seconds. ``notes`` are sentences for the rules text that no field can express.
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
        _check_ranks(self)
        # Sort by RANKS, so that each rule set has only one text form.
        values = {rank: self.values[rank] for rank in RANKS if rank in self.values}
        object.__setattr__(self, "values", MappingProxyType(values))
        object.__setattr__(self, "power", tuple(rank for rank in RANKS if rank in self.power))
        _check_bounds(self)
        _check_start(self)
        _check_ends(self)
        _check_cards(self)

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping proxy cannot be pickled or copied: pass a dictionary instead.
        return partial(RuleSet, **fields_of(self) | {"values": dict(self.values)}), ()

    def __hash__(self) -> int:
        return hash((self.name, self.seats, self.decks))

    @property
    def slots(self) -> int:
        """The number of cards dealt to each seat."""
        return self.rows * self.columns

    @property
    def ranks(self) -> tuple[str, ...]:
        """The ranks in the deck, in ascending order, jokers last."""
        return (*self.deck.ranks, JOKER) if self.jokers else self.deck.ranks

    @property
    def cancelling(self) -> Cancel:
        """Which equal cards count 0; with a single row, ``COLUMN`` means the same as ``NONE``."""
        return Cancel.NONE if self.cancel is Cancel.COLUMN and self.rows == 1 else self.cancel

    @property
    def closes_first(self) -> bool:
        """Whether the first layout that is all face up ends the hole, at once or after last turns (M3)."""
        return self.face_up is FaceUp.FIRST or (self.face_up is FaceUp.EVERY and self.final_turn)

    def for_seats(self, seats: int) -> "RuleSet":
        """Return the rule set as played by this number of seats, with seats and packs fixed, or raise ``RuleError``."""
        if not self.seats.low <= seats <= self.seats.high:
            raise RuleError("seats", f"{self.name} is played by {_span(self.seats)}, not by {seats}")
        return _as_played(self, self.title, self.notes, seats)

    def deck_for(self, seats: int) -> tuple[Card, ...]:
        """Return the deck for this number of seats before the shuffle, in the order that deals hash.

        The packs follow one another, each with its jokers last, then single suits of thirteen cards: spades, hearts,
        diamonds, clubs, spades and so on (C1).
        """
        ranks = self.deck.ranks
        pack = [CARDS[rank + suit] for suit in SUITS for rank in ranks] + [CARDS[JOKER]] * self.jokers
        suits = [SUITS[number % 4] for number in range(self.extra_suits_for(seats))]
        return (*pack * self.decks.at(seats), *[CARDS[rank + suit] for suit in suits for rank in ranks])

    def deck_size(self, seats: int) -> int:
        """Return the number of cards in the deck for this number of seats."""
        return self.decks.at(seats) * (52 + self.jokers) + self.extra_suits_for(seats) * 13

    def extra_suits_for(self, seats: int) -> int:
        """Return the number of single suits added for this number of seats (C1)."""
        return 0 if self.extra_suits_from is None else max(0, seats - self.extra_suits_from + 1)


@lru_cache(256)
def _as_played(rules: RuleSet, title: str, notes: tuple[str, ...], seats: int) -> RuleSet:
    """Return the rule set as played by this number of seats.

    ``title`` and ``notes`` are parameters only for the cache: comparing rule sets ignores them.
    """
    return replaced(rules, seats=Span(seats, seats), decks=Packs(((1, rules.decks.at(seats)),)))


def _span(seats: Span) -> str:
    return f"{seats.low} seats" if seats.low == seats.high else f"{seats.low} to {seats.high} seats"


def _check_ranks(rules: RuleSet) -> None:
    for option, ranks in (("values", rules.values), ("power", rules.power)):
        if unknown := [rank for rank in ranks if rank not in RANKS]:
            raise RuleError(option, f"ranks of {' '.join(RANKS)} (* is a joker), not {unknown[0]}")


def _within(option: str, value: int, *, of: str = "") -> None:
    low, high = BOUNDS[option]
    if not low <= value <= high:
        raise RuleError(option, f"a number from {low} to {high}{of}, not {value}")


def _check_bounds(rules: RuleSet) -> None:
    low, high = BOUNDS["seats"]
    if not low <= rules.seats.low <= rules.seats.high <= high:
        raise RuleError("seats", f"from {low} to {high}, the lower number first, not {_span(rules.seats)}")
    for option in BOUNDS:
        value = getattr(rules, option)
        if isinstance(value, int):
            _within(option, value)
    if not 2 <= rules.slots <= MAX_SLOTS:
        raise RuleError(
            "columns",
            f"rows times columns from 2 to {MAX_SLOTS} cards, not {rules.rows} times {rules.columns}",
        )
    steps = rules.decks.steps
    if [seats for seats, _ in steps] != sorted({1, *(seats for seats, _ in steps)}):
        raise RuleError("decks", "steps that begin at 1 seat and increase, such as 1,4:2,8:3")
    for seats, packs in steps:
        _within("decks", packs, of=f" from {seats} seats on" if seats > 1 else "")
    for rank, points in rules.values.items():
        _within("values", points, of=f" for {rank}")


def _check_start(rules: RuleSet) -> None:
    mode, cards = rules.start
    if mode is StartMode.NONE and cards:
        raise RuleError("start", "none, without a number of cards")
    most = min(4, rules.slots - 1 if mode in FLIPS else rules.slots)
    if mode is not StartMode.NONE and not 1 <= cards <= most:
        raise RuleError(
            "start", f"{mode}-1 to {mode}-{most} with {rules.slots} cards each, not {mode}-{cards}"
        )


def _check_ends(rules: RuleSet) -> None:
    if rules.holes is None and rules.target is None:
        raise RuleError("holes", f"1 to {MAX_HOLES}, or else a target: a match must end somewhere")
    if rules.turns is None and rules.turn_cap is None:
        raise RuleError("turn_cap", "1 to 200, or else a fixed number of turns: a hole must end somewhere")
    if rules.placed is Placed.UP:
        if rules.slam is not SlamMode.OFF:
            raise RuleError("slam", "off if cards are placed face up: only face-down cards are slammed")
        if rules.power:
            raise RuleError("power", "off if cards are placed face up: powers need face-down cards")
    elif rules.flip and (rules.power or rules.slam is not SlamMode.OFF):
        raise RuleError("flip", "off if there are powers or slams: a discard may have only one consequence")


def _check_cards(rules: RuleSet) -> None:
    if missing := {*rules.ranks} - rules.values.keys():
        raise RuleError("values", f"points for every rank in the deck; none for {', '.join(sorted(missing))}")
    for seats in range(rules.seats.low, rules.seats.high + 1):
        if rules.deck_size(seats) < _cards_needed(rules, seats):
            raise RuleError("decks", _too_few_cards(rules, seats))


def _cards_needed(rules: RuleSet, seats: int) -> int:
    """Return how many cards are needed for the deal, the upcard, and one turn (or all ``turns``) per seat (X15)."""
    return (rules.slots + (rules.turns or 1)) * seats + rules.upcard


def _too_few_cards(rules: RuleSet, seats: int) -> str:
    """Return what a host can change, how many cards the seats need, and how many the deck has."""
    needed, size = _cards_needed(rules, seats), rules.deck_size(seats)
    enough = rules.decks.at(seats) - (size - needed) // (52 + rules.jokers)
    fitting = [
        few for few in range(BOUNDS["seats"].low, seats) if rules.deck_size(few) >= _cards_needed(rules, few)
    ]
    ways = [
        *([f"{enough} or more decks"] if enough <= BOUNDS["decks"].high else ()),
        *([f"at most {fitting[-1]} seats"] if fitting else ()),
    ]
    return (
        f"{' or '.join(ways) or 'fewer cards or turns per seat'}; {seats} seats need {needed} cards "
        f"({rules.slots} dealt and {rules.turns or 1} in the stock for each{', 1 upcard' * rules.upcard}) "
        f"and the deck has {size}"
    )
