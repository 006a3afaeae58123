"""Hypothesis strategies for the engine's tests: cards, options and playable rule sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

from golfnet.engine import actions as do
from golfnet.engine.cards import CARDS, RANKS, Card
from golfnet.engine.errors import RuleError
from golfnet.engine.layout import MAX_SEATS, Position, Seat
from golfnet.engine.options import FIELDS, override
from golfnet.engine.rules import BOUNDS, StartMode
from golfnet.engine.variants import VARIANTS

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from golfnet.engine.rules import RuleSet

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


def options() -> SearchStrategy[tuple[str, str]]:
    """Draw an option and a well-formed text for it, which may not be playable."""
    return st.sampled_from(list(FIELDS)).flatmap(lambda name: st.tuples(st.just(name), option_text(name)))


def option_text(name: str) -> SearchStrategy[str]:
    """Draw a well-formed text for an option."""
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
