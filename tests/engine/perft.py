"""Counts of all sequences of actions up to a given depth from pinned holes; a change of any rule changes them.

At each step of a sequence, any seat that may act does so, or the table closes a slam window. The last action is
counted but not played.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from golfnet.engine import play
from golfnet.engine.errors import IllegalAction
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.legality import legal_actions
from golfnet.engine.rules import RuleSet
from tests.engine.drawing import begun
from tests.engine.random_play import play_hole

MOST: Final = 30_000
"""Upper limit for a pinned count, so that the test stays quick."""


def count(hole: Hole, depth: int) -> int:
    """Return the number of sequences of ``depth`` actions."""
    if depth == 1:
        closings = hole.window is not None and hole.gift is None
        return sum(len(legal_actions(hole, Seat(seat))) for seat in hole.seats) + closings
    return sum(count(after, depth - 1) for after in following(hole))


def counts(hole: Hole) -> list[int]:
    """Return the numbers of sequences of one action, of two actions and so on, while they are below ``MOST``."""
    found = [count(hole, 1)]
    while found[-1] > 0 and (lines := count(hole, len(found) + 1)) < MOST:
        found.append(lines)
    return found


def following(hole: Hole) -> Iterator[Hole]:
    """Yield each state that one action, or the closing of the window, leads to."""
    for seat in map(Seat, hole.seats):
        for action in legal_actions(hole, seat):
            yield play.decide(hole, seat, action)[1]
    try:
        yield play.close_window(hole)[1]
    except IllegalAction:
        return


def pinned(rules: RuleSet) -> dict[str, Hole]:
    """Return a two-seat hole at three points: after the deal, at the first turn, and somewhere in the middle."""
    played = begun(rules, seats=2)
    deal = played.hole
    played.chosen()
    steps = [*play_hole(played.match, Random(124))]
    middle = steps[len(steps) // 2].after.hole
    assert middle is not None
    return {"deal": deal, "first turn": played.hole, "middle": middle}
