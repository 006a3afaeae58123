"""The points for layouts, the price of closing, and the places in a match.

Pure arithmetic over cards that are all face up (X8); suits never matter (X11).
"""

from collections.abc import Sequence
from typing import TypeVar

from golfnet.engine.cards import Card, Seat, column_slots
from golfnet.engine.rules import Cancel, Penalty, RuleSet

Points = TypeVar("Points", int, float)


def layout_score(rules: RuleSet, cards: Sequence[Card | None]) -> int:
    """Return the points for one layout; ``cards`` are in slot order, None for an empty slot."""
    return sum([points for points in slot_points(rules, cards) if points is not None])


def cancelled_slots(rules: RuleSet, cards: Sequence[Card | None]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of slots whose cards cancel each other; a card is None if missing or unknown."""
    match rules.cancelling:
        case Cancel.NONE:
            return ()
        case Cancel.COLUMN:
            return tuple(
                [
                    column
                    for column in column_slots(rules.rows, rules.columns)
                    if len(ranks := _ranks_at(cards, column)) == 1 and None not in ranks
                ]
            )
        case _:
            groups: dict[str, list[int]] = {}
            for slot, card in enumerate(cards, 1):
                if card is not None:
                    groups.setdefault(card.rank, []).append(slot)
            most = 2 if rules.cancel is Cancel.ANYWHERE else None
            return tuple([tuple(group[:most]) for group in groups.values() if len(group) >= 2])


def slot_points(rules: RuleSet, cards: Sequence[Card | None]) -> tuple[int | None, ...]:
    """Return each card's points, None for an empty slot; their sum is the layout's score."""
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
    """Return a hole's scores by seat, including the closer's penalty (C9, G4)."""
    scores = [layout_score(rules, cards) for cards in layouts]
    if closer is not None and (rules.penalty is Penalty.DOUBLE_OVER_FIVE or scores[closer] > min(scores)):
        scores[closer] += price_of_closing(rules.penalty, scores[closer])
    return tuple(scores)


def price_of_closing(penalty: Penalty, score: Points) -> Points:
    """Return what closing costs with a score of more than five (C9), or one that is not the lowest (G4)."""
    match penalty:
        case Penalty.NONE:
            return 0
        case Penalty.FIVE:
            return 5
        case Penalty.TEN:
            return 10
        case Penalty.DOUBLE:
            return max(score, 0)
        case Penalty.DOUBLE_OVER_FIVE:
            return score if score > 5 else 0


def places(totals: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's place, lowest total first; equal totals share one: 1, 1, 3 (X9)."""
    ordered = sorted(totals)
    return tuple(ordered.index(total) + 1 for total in totals)


def _ranks_at(cards: Sequence[Card | None], slots: Sequence[int]) -> set[str | None]:
    return {
        card.rank if slot <= len(cards) and (card := cards[slot - 1]) is not None else None for slot in slots
    }
