"""The ranks of a deck as small numbers, with the points and the number of cards of each.

Bots calculate with ranks alone, since suits never matter (X11). The number of a rank is its index in ``ranks``, which
are in ascending order of points.
"""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from golfnet.engine.cards import CARDS
from golfnet.engine.rules import RuleSet


class Pack(NamedTuple):
    """A deck by ranks: ``values`` in points, ``counts`` in cards, both by a rank's number; ``numbers`` by its name."""

    ranks: tuple[str, ...]
    values: tuple[int, ...]
    counts: tuple[int, ...]
    numbers: Mapping[str, int]


@lru_cache(maxsize=64)
def pack_of(rules: RuleSet, seats: int) -> Pack:
    """Return the deck of a rule set for a number of seats."""
    counts = Counter(card.rank for card in rules.deck_for(seats))
    ranks = tuple(sorted(counts, key=lambda rank: (rules.values[rank], rank)))
    return Pack(
        ranks=ranks,
        values=tuple(rules.values[rank] for rank in ranks),
        counts=tuple(counts[rank] for rank in ranks),
        numbers=MappingProxyType({rank: number for number, rank in enumerate(ranks)}),
    )


def rank_text(text: str) -> str | None:
    """Return the rank in the text of a slot in a view, None where no card is shown."""
    card = CARDS.get(text.removeprefix("?"))
    return None if card is None else card.rank
