"""What a layout counts, what closing costs, and who comes where.

Pure arithmetic over cards that all lie face up (X8); suits never matter (X11).
"""

from collections import Counter
from collections.abc import Sequence

from golfnet.engine.cards import Card
from golfnet.engine.layout import Seat
from golfnet.engine.rules import Cancel, Penalty, RuleSet


def layout_score(rules: RuleSet, cards: Sequence[Card | None]) -> int:
    """Return the points of one layout in slot order, None for an empty slot."""
    values = rules.values
    total = sum([values[card.rank] for card in cards if card is not None])
    match rules.cancel:
        case Cancel.NONE:
            return total
        case Cancel.COLUMN:
            return total - _columns(rules, cards)
        case Cancel.ANYWHERE:
            return total - sum([2 * values[rank] for rank, n in _ranks(cards).items() if n >= 2])
        case Cancel.ALL:
            return total - sum([n * values[rank] for rank, n in _ranks(cards).items() if n >= 2])


def hole_scores(
    rules: RuleSet, layouts: Sequence[Sequence[Card | None]], closer: Seat | None
) -> tuple[int, ...]:
    """Return the scores of a hole by seat, with the closer's price where the rules set one (C9, G4)."""
    scores = [layout_score(rules, cards) for cards in layouts]
    if closer is not None:
        scores[closer] += _price(rules.penalty, scores[closer], min(scores))
    return tuple(scores)


def places(totals: Sequence[int]) -> tuple[int, ...]:
    """Return the place of each seat, lowest total first; equal totals share one: 1, 1, 3 (X9)."""
    ordered = sorted(totals)
    return tuple(ordered.index(total) + 1 for total in totals)


def _price(penalty: Penalty, score: int, lowest: int) -> int:
    match penalty:
        case Penalty.NONE:
            return 0
        case Penalty.DOUBLE_OVER_FIVE:
            return score if score > 5 else 0
        case _ if score == lowest:
            return 0
        case Penalty.FIVE:
            return 5
        case Penalty.TEN:
            return 10
        case Penalty.DOUBLE:
            return max(score, 0)


def _ranks(cards: Sequence[Card | None]) -> Counter[str]:
    return Counter([card.rank for card in cards if card is not None])


def _columns(rules: RuleSet, cards: Sequence[Card | None]) -> int:
    """Points in columns that cancel: every slot filled, all of one rank (S3); one row makes no column."""
    rows, columns = rules.rows, rules.columns
    if rows < 2:
        return 0
    ranks = [None if card is None else card.rank for card in cards[: rows * columns]]
    cancelled = 0
    for first, rank in enumerate(ranks[:columns]):
        if rank is not None and ranks[first::columns].count(rank) == rows:
            cancelled += rows * rules.values[rank]
    return cancelled
