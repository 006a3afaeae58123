"""The table of rule sets. A new variant is a new record here, or a TOML file; never code.

The numbers are those of the rules' table; the marks name the decision behind each.
"""

from types import MappingProxyType
from typing import Final

from golfnet.engine.cards import DeckKind
from golfnet.engine.rules import (
    Cancel,
    FaceUp,
    Leader,
    Packs,
    Penalty,
    Placed,
    RuleSet,
    SlamMode,
    Span,
    Start,
    StartMode,
    StockEnd,
)


def _values(**points: int) -> dict[str, int]:
    """Return face values with ace 1, jack, queen and king 10 and joker −2, but for the given ranks."""
    faces = {"A": 1, "J": 10, "Q": 10, "K": 10, "*": -2}
    return (
        {str(n): n for n in range(11)} | faces | {rank.lstrip("_"): value for rank, value in points.items()}
    )


_ONE_PACK = Packs(((1, 1),))
_TWO_PACKS = Packs(((1, 2),))
_GROWING = Packs(((1, 1), (4, 2), (8, 3)))

FOUR_TURN: Final = RuleSet(
    name="four-turn",
    title="Four-Turn Golf",
    seats=Span(2, 6),
    rows=2,
    columns=2,
    decks=_ONE_PACK,
    start=Start(StartMode.PEEK_BOTTOM, 2),
    lock=True,  # F2
    cancel=Cancel.ANYWHERE,  # F3
    values=_values(J=0),  # F4
    holes=1,  # F6
    turns=4,  # F1
)

CACTUS: Final = RuleSet(
    name="cactus",
    title="Cactus",
    seats=Span(2, 10),
    rows=2,
    columns=2,
    decks=_ONE_PACK,
    deck=DeckKind.NUMBERED,  # C1
    extra_suits_from=6,  # C1
    upcard=False,  # C2
    start=Start(StartMode.PEEK_BOTTOM, 2),
    placed=Placed.DOWN,  # C3
    power=("J", "Q", "K"),  # C6; a numbered deck has no king
    knock=True,  # C7
    final_turn=True,
    cancel=Cancel.NONE,  # C4
    values=_values(K=0),  # C1, C4
    target=25,  # C10
    turn_cap=100,
    stock_end=StockEnd.AT_ONCE,  # C8
    penalty=Penalty.DOUBLE_OVER_FIVE,  # C9
    leader=Leader.HIGHEST,  # C5
    slam=SlamMode.RACE,
)

SIX_CARD: Final = RuleSet(
    name="six-card",
    title="Six-Card Golf",
    seats=Span(2, 8),
    rows=2,
    columns=3,
    decks=Packs(((1, 1), (4, 2))),
    start=Start(StartMode.FLIP_ANY, 2),
    flip=True,  # S1
    face_up=FaceUp.FIRST,  # S2
    cancel=Cancel.COLUMN,  # S3, S4
    values=_values(_2=-2, K=0),
    holes=9,  # S5
    turn_cap=40,
    reshuffles=1,
)

SIX_CARD_FINAL: Final = RuleSet(
    name="six-card-final",
    title="Six-Card Golf with a Final Turn",
    seats=Span(2, 12),
    rows=2,
    columns=3,
    decks=_GROWING,
    start=Start(StartMode.FLIP_ANY, 2),  # G1
    face_up=FaceUp.FIRST,
    final_turn=True,  # G2
    cancel=Cancel.COLUMN,
    values=_values(K=0),  # G3, G6
    holes=9,
    turn_cap=40,
    reshuffles=1,
)

FOUR_CARD_KNOCK: Final = RuleSet(
    name="four-card-knock",
    title="Four-Card Golf with a Knock",
    seats=Span(2, 12),
    rows=2,
    columns=2,
    decks=_GROWING,
    start=Start(StartMode.PEEK_ANY, 2),  # K1
    knock=True,  # K2
    face_up=FaceUp.FIRST,  # K2
    final_turn=True,
    cancel=Cancel.COLUMN,  # K3
    values=_values(K=0),
    holes=9,
    turn_cap=40,
    reshuffles=1,
)

MULTIPLES: Final = RuleSet(
    name="multiples",
    title="Multiples",
    seats=Span(2, 12),
    rows=2,
    columns=2,
    decks=_TWO_PACKS,  # M1
    start=Start(StartMode.PEEK_BOTTOM, 2),
    face_up=FaceUp.EVERY,  # M3
    cancel=Cancel.ALL,  # M4
    values=_values(K=0),
    holes=9,
    turn_cap=40,
)

VARIANTS: Final = MappingProxyType(
    {rules.name: rules for rules in (FOUR_TURN, CACTUS, SIX_CARD, SIX_CARD_FINAL, FOUR_CARD_KNOCK, MULTIPLES)}
)
"""The six built-in rule sets by name, in the order in which they are listed."""
