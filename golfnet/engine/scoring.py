"""What a layout counts, what closing costs, and who comes where.

Pure arithmetic over cards that all lie face up (X8); suits never matter (X11).
"""

from collections import Counter
from collections.abc import Sequence

from golfnet.engine.cards import Card
from golfnet.engine.layout import Seat, column_slots
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


def cancelled_slots(rules: RuleSet, cards: Sequence[Card | None]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the slots whose cards cancel each other, by group, None for an empty or unknown card."""
    match rules.cancel:
        case Cancel.NONE:
            return ()
        case Cancel.COLUMN:
            return tuple(
                [
                    column
                    for column in column_slots(rules.rows, rules.columns)
                    if rules.rows > 1 and len(ranks := _ranks_at(cards, column)) == 1 and None not in ranks
                ]
            )
        case _:
            groups = [
                tuple([slot for slot, card in enumerate(cards, 1) if card is not None and card.rank == rank])
                for rank, count in _ranks(cards).items()
                if count >= 2
            ]
            return tuple(groups if rules.cancel is Cancel.ALL else [group[:2] for group in groups])


def slot_points(rules: RuleSet, cards: Sequence[Card | None]) -> tuple[int | None, ...]:
    """Return what each card counts where it lies, None for an empty slot; together they are the layout's score."""
    free = {slot for group in cancelled_slots(rules, cards) for slot in group}
    return tuple(
        [
            None if card is None else 0 if slot in free else rules.values[card.rank]
            for slot, card in enumerate(cards, 1)
        ]
    )


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


def _ranks_at(cards: Sequence[Card | None], slots: Sequence[int]) -> set[str | None]:
    return {
        card.rank if slot <= len(cards) and (card := cards[slot - 1]) is not None else None for slot in slots
    }


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
