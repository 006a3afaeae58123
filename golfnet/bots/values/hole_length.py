"""How long the hole will last: the chances that the other seats leave a seat each number of turns.

Nothing shows when others will end a hole, so this is a model: a seat turns up its face-down cards one by one and
hesitates before the last, and knocks sooner when its cards seem low. The numbers are those of play between the better
levels, rounded.
"""

from collections.abc import Sequence
from math import exp
from operator import mul
from typing import Final

from golfnet.bots.knowledge.seat_knowledge import SeatKnowledge
from golfnet.engine.rules import FaceUp, RuleSet

LAST_CARD: Final = 0.35
"""Chance that a seat with one face-down card turns it up in its next turn."""
ANOTHER_CARD: Final = 0.7
"""Chance that a seat with more of them turns one up in its next turn."""
EAGER: Final = 0.35
"""Chance that a seat knocks in its next turn if its cards count nothing …"""
WARY: Final = 6.0
"""… and how fast that falls with its points: by e to this power until its cards are as good as unseen ones."""
DRAWN: Final = 0.85
"""Stock cards that a turn uses on average; the other turns take from the discard pile."""
HORIZON: Final = 8
"""Turns to look ahead; later ones change next to nothing."""


def ends_with_first(rules: RuleSet) -> bool:
    """Return whether the first layout that is all face up ends the hole, at once or after last turns."""
    return rules.face_up is FaceUp.FIRST or (rules.face_up is FaceUp.EVERY and rules.final_turn)


def turns_left(knowledge: SeatKnowledge) -> int:
    """Return the turns that the seat can have after the present one if no seat ends the hole."""
    rules, view = knowledge.rules, knowledge.view
    if view.closer is not None:
        return 0
    had = view.turns[knowledge.seat]
    stock = view.stock + (view.discard_count if view.reshuffles_left else 0)
    left = int(stock / (DRAWN * knowledge.seats))
    if rules.turns is not None:
        left = min(left, rules.turns - had)
    if rules.turn_cap is not None:
        left = min(left, rules.turn_cap - had)
    return max(0, left)


def survival(knowledge: SeatKnowledge, points: Sequence[Sequence[float]]) -> list[float]:
    """Return the chance that no other seat has begun to end the hole after 0, 1 … rounds of turns.

    ``points`` are, for each other seat, the points that its layout seems to have after 0, 1 … rounds.
    """
    rounds = len(points[0])
    chances = [1.0] * (rounds + 1)
    unseen = max(1.0, knowledge.mean * knowledge.rules.slots)
    for seat, course in zip(knowledge.others, points, strict=True):
        if ends_with_first(knowledge.rules):
            stays = _turning_up(sum(knowledge.down[seat]), rounds)
            chances = list(map(mul, chances, stays))
        if knowledge.rules.knock:
            stays = [1.0]
            for each in course:
                stays.append(stays[-1] * (1 - EAGER * exp(-WARY * max(0.0, each / unseen))))
            chances = list(map(mul, chances, stays))
    return chances


def others_up(knowledge: SeatKnowledge, rounds: int) -> list[float]:
    """Return the chances that the other layouts are all face up after 0, 1 … ``rounds`` rounds, too."""
    pace = LAST_CARD ** sum([sum(knowledge.down[seat]) for seat in knowledge.others])
    chances = [pace * (1 - pace) ** turns for turns in range(rounds)]
    return [*chances, (1 - pace) ** rounds]


def _turning_up(face_down: int, rounds: int) -> list[float]:
    """Return the chances that a seat still has a face-down card after 0, 1 … ``rounds`` turns."""
    left = [0.0] * max(1, face_down) + [1.0]
    chances = [1.0]
    for _ in range(rounds):
        for cards in range(1, len(left)):
            pace = LAST_CARD if cards == 1 else ANOTHER_CARD
            left[cards - 1] += left[cards] * pace
            left[cards] *= 1 - pace
        left[0] = 0.0
        chances.append(sum(left))
    return chances
