"""Hypothesis strategies: cards, actions, options, playable rule sets, and records such as events."""

from enum import Enum
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from msgspec import UNSET, UnsetType

from golfnet.engine import actions as do
from golfnet.engine.cards import CARDS, MAX_SEATS, RANKS, SEAT_LETTERS, Card, Position, Seat
from golfnet.engine.errors import RuleError
from golfnet.engine.options import FIELDS, override
from golfnet.engine.rules import BOUNDS, RuleSet, StartMode
from golfnet.engine.variants import VARIANTS

Some = TypeVar("Some", int, Position)

_SEATS = st.integers(*BOUNDS["seats"])
_PACKS = st.integers(*BOUNDS["decks"])


def cards() -> SearchStrategy[Card]:
    """Draw any card of any deck."""
    return st.sampled_from(list(CARDS.values()))


def seats() -> SearchStrategy[Seat]:
    """Draw any seat of any table."""
    return st.integers(0, MAX_SEATS - 1).map(Seat)


def actions() -> SearchStrategy[do.Action]:
    """Draw an action that can be written down: slots and positions in order, each at most once."""
    slots = st.integers(1, 99)
    positions = st.builds(Position, seats(), slots)
    plain = [do.Draw(), do.Take(), do.Knock(), do.Discard(), do.Decline(), do.Pass()]
    return st.one_of(
        st.sampled_from(plain),
        st.builds(do.Take, slots),
        st.builds(do.Swap, slots),
        st.builds(do.Give, slots),
        st.builds(do.Flip, _in_order(slots)),
        st.builds(do.Peek, _in_order(positions)),
        st.builds(do.Switch, positions, positions),
        st.builds(do.Slam, positions, st.integers(1, 999)),
    )


TEXTS: Final = st.text(max_size=4) | st.sampled_from(["a\nb", "\r", "\x00", '"\\', "\u2028"])
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
"""Any JSON value."""


def records(kind: Any) -> SearchStrategy[Any]:
    """Draw a reply or an event of a kind with any values in its fields."""
    hints = get_type_hints(kind)
    names = getattr(
        kind, "__struct_fields__", [name for name in hints if get_origin(hints[name]) is not ClassVar]
    )
    fields = {name: _values_of(hints[name]) for name in names}
    if "targets" in fields:  # decoding refuses anything but positions
        positions = st.builds("{}{}".format, st.sampled_from(SEAT_LETTERS), st.integers(1, 99))
        fields["targets"] = st.lists(positions, max_size=2).map(tuple)
    return st.builds(kind, **fields)


def _values_of(hint: Any) -> SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (UnionType, Union):
        return st.one_of(*map(_values_of, arguments))
    if origin is tuple and arguments[-1] is not Ellipsis:
        return st.tuples(*map(_values_of, arguments))
    if origin is tuple:
        return st.lists(_values_of(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(*map(_values_of, arguments), max_size=2)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return _PLAIN[hint] if hint in _PLAIN else records(hint)


_PLAIN: Final[dict[Any, SearchStrategy[Any]]] = {
    str: TEXTS,
    int: st.integers(-(2**40), 2**40),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=8),
    Any: VALUES,
    NoneType: st.none(),
    UnsetType: st.just(UNSET),
    Card: cards(),
    Seat: seats(),
    Position: st.builds(Position, seats(), st.integers(1, 99)),
    RuleSet: st.sampled_from(list(VARIANTS.values())),
}


def options() -> SearchStrategy[tuple[str, str]]:
    """Draw an option and the text of a well-formed value, which need not be playable."""
    return st.sampled_from(list(FIELDS)).flatmap(lambda name: st.tuples(st.just(name), option_text(name)))


def option_text(name: str) -> SearchStrategy[str]:
    """Draw the text of a well-formed value for an option."""
    form = FIELDS[name]
    if name in _WRITTEN:
        return _WRITTEN[name]
    if form.words:
        return st.sampled_from(list(form.words))
    if name in BOUNDS:
        numbers = st.integers(*BOUNDS[name]).map(str)
        return numbers | st.just("none") if form.takes.endswith("none") else numbers
    return st.sampled_from(["on", "off"])


@st.composite
def rule_sets(draw: DrawFn) -> RuleSet:
    """Draw a playable rule set: a built-in one with some options changed."""
    rules = draw(st.sampled_from(list(VARIANTS.values())))
    for name, text in draw(st.lists(options(), max_size=8)):
        try:
            rules = override(rules, {name: text})
        except RuleError:
            continue
    return rules


def _in_order(some: SearchStrategy[Some]) -> SearchStrategy[tuple[Some, ...]]:
    return st.sets(some, min_size=1, max_size=4).map(lambda each: tuple(sorted(each)))


def _steps(first: int, later: dict[int, int]) -> str:
    return ",".join([str(first), *[f"{seats}:{packs}" for seats, packs in sorted(later.items())]])


_WRITTEN: dict[str, SearchStrategy[str]] = {
    "seats": _SEATS.map(str) | st.tuples(_SEATS, _SEATS).map(lambda pair: f"{min(pair)}-{max(pair)}"),
    "decks": st.builds(_steps, _PACKS, st.dictionaries(_SEATS, _PACKS, max_size=3)),
    "start": st.just("none")
    | st.builds(
        lambda mode, cards: f"{mode}-{cards}",
        st.sampled_from([mode.value for mode in StartMode if mode is not StartMode.NONE]),
        st.integers(1, 4),
    ),
    "values": st.dictionaries(
        st.sampled_from(RANKS), st.integers(*BOUNDS["values"]), min_size=1, max_size=5
    ).map(lambda values: ",".join(f"{rank}:{points}" for rank, points in values.items())),
    "power": st.just("off") | st.lists(st.sampled_from(RANKS), min_size=1, max_size=5).map(",".join),
}
