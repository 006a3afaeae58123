"""The built-in rule sets, and rule sets from TOML. A new variant is a record here or a TOML file, never code.

Comments cite the decisions in ``RULES.md`` that explain the values.
"""

import re
import tomllib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from golfnet.engine.errors import RuleError
from golfnet.engine.frozen import replaced
from golfnet.engine.options import override
from golfnet.engine.rules import (
    Cancel,
    DeckKind,
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
    """Return the usual points (ace 1, jack, queen and king 10, joker −2), changed for the given ranks."""
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


MAX_DEPTH: Final = 16
"""How deep lists and tables may be nested; rule sets and settings have two levels."""

_MAX_NUMBER: Final = 2**63 - 1


class BadToml(Exception):
    """A text that is not TOML or exceeds the limits; the message says what was expected and, if known, where."""


def load(text: str) -> dict[str, Any]:
    """Return the values in a TOML text by key, or raise ``BadToml``."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadToml(str(error)) from None
    except ValueError:  # Python limits the number of digits
        raise BadToml(_NUMBER) from None
    except RecursionError:
        raise BadToml(_DEPTH) from None
    _check(values)
    return values


def dump(value: object) -> str:
    """Return a boolean, number, string or tuple of these as TOML text."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{"".join(_escaped(character) for character in value)}"'
        case tuple():
            return f"[{', '.join(dump(each) for each in value)}]"
        case _:
            return str(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"


_NUMBER: Final = "expected whole numbers of at most 64 bits"
_DEPTH: Final = f"expected lists and tables nested at most {MAX_DEPTH} deep"


def _check(values: dict[str, Any]) -> None:
    level: list[Any] = [values]
    for _ in range(MAX_DEPTH):
        if any(isinstance(each, int) and not -_MAX_NUMBER - 1 <= each <= _MAX_NUMBER for each in level):
            raise BadToml(_NUMBER)
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if level:
        raise BadToml(_DEPTH)


NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,30}")
"""The form of a rule set's name: a word that can be typed in a command."""

MAX_TEXT: Final = 400
"""The maximum length of a title or note: a note is a sentence or two, not a page."""


def parse_house_rules(text: str, known: Mapping[str, RuleSet]) -> RuleSet:
    """Return the rule set in a TOML text, or raise ``RuleError`` with the key that is wrong.

    Keys are ``name``, ``base`` (one of ``known``), ``title``, ``notes``, and any options as TOML values or text.
    The name must not be in ``known``.
    """
    try:
        keys = load(text)
    except BadToml as error:
        raise RuleError("TOML", str(error)) from None
    name = _name(keys.pop("name", None), known)
    base = keys.pop("base", None)
    if not isinstance(base, str) or base not in known:
        raise RuleError("base", f"one of {', '.join(known)}; {_not(base)}")
    title = _line("title", keys.pop("title", name.replace("-", " ").title()))
    notes = keys.pop("notes", [])
    if not isinstance(notes, list):
        raise RuleError("notes", f"a list of sentences; {_not(notes)}")
    sentences = tuple([_line("notes", note) for note in notes])
    named = replaced(known[base], name=name, title=title, notes=(*known[base].notes, *sentences))
    return override(named, keys)


def _name(name: Any, known: Mapping[str, RuleSet]) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RuleError(
            "name", f"2 to 31 characters from a-z, 0-9 and -, starting with a letter; {_not(name)}"
        )
    if name in known:
        raise RuleError("name", f"a name that no other rule set has, not {name!r}")
    return name


def _line(key: str, text: Any) -> str:
    if not isinstance(text, str) or not 1 <= len(text) <= MAX_TEXT or not text.isprintable():
        raise RuleError(key, f"one line of 1 to {MAX_TEXT} printable characters; {_not(text)}")
    return text


def _not(value: Any) -> str:
    return "it is missing" if value is None else f"not {value!r}"
