"""A second scorer, written from the rules alone and as simply as possible, to compare with the real one."""

from collections import Counter
from collections.abc import Sequence

from golfnet.engine.cards import Card
from golfnet.engine.events import HoleEnded
from golfnet.engine.rules import RuleSet


def naive_scores(rules: RuleSet, ended: HoleEnded) -> list[int]:
    """Return the scores by seat, including the price of closing (C9, G4)."""
    scores = [naive_points(rules, layout) for layout in ended.layouts]
    closer = ended.closer
    if closer is None:
        return scores
    own, lowest = scores[closer], min(scores)
    if rules.penalty.value == "double-over-5" and own > 5:
        scores[closer] = own + own
    if own > lowest:
        if rules.penalty.value == "+5":
            scores[closer] = own + 5
        elif rules.penalty.value == "+10":
            scores[closer] = own + 10
        elif rules.penalty.value == "double" and own > 0:
            scores[closer] = own + own
    return scores


def naive_points(rules: RuleSet, layout: tuple[Card | None, ...]) -> int:
    """Return a layout's points (F3, C4, S3, K3, M4)."""
    cancel = rules.cancel.value
    points = 0
    if cancel in ("none", "column"):
        counted = list(layout)
        if cancel == "column" and rules.rows > 1:
            for column in range(rules.columns):
                places = [row * rules.columns + column for row in range(rules.rows)]
                cards = [layout[place] for place in places]
                first = cards[0]
                if first is not None and all(card is not None and card.rank == first.rank for card in cards):
                    for place in places:
                        counted[place] = None
        for card in counted:
            if card is not None:
                points += rules.values[card.rank]
        return points
    for rank, count in Counter(card.rank for card in layout if card is not None).items():
        free = 0 if count == 1 else count if cancel == "all" else 2
        points += rules.values[rank] * (count - free)
    return points


def naive_places(totals: Sequence[int]) -> list[int]:
    """Return the places by seat: one more than the number of seats with a lower total (X9)."""
    return [1 + sum(other < total for other in totals) for total in totals]
