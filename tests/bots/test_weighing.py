"""Nothing that is allowed weighs more than what is chosen: a second, naive weigher looks for it in vain.

The judges here are without reason, so that no two choices happen to be worth the same, or find everything alike.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import EMPTY, Reading, Symbols, replaced
from golfnet.bots.weighing import CURIOSITY, SLAM_SURE, Weighing
from golfnet.engine import actions as do
from golfnet.engine.hole import Phase
from golfnet.engine.legality import legal_actions
from golfnet.engine.rules import Placed, SlamMode, Start, StartMode
from golfnet.rulesets import catalogue
from tests.bots.moments import moments, shown_own
from tests.bots.playing import is_allowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.rules import RuleSet

CATALOGUE = catalogue()

TURNED_UP = replace(
    CATALOGUE["cactus"], start=Start(StartMode.FLIP_ANY, 2), slam=SlamMode.OFF, power=(), name="turned-up"
)
"""Some own cards lie face up, and what is placed there lies face down."""

REVEAL = replace(CATALOGUE["multiples"], reveal=True, name="reveal")


class Whim:
    """Judges layouts by their cards, whatever their order, and discards, as chance has it."""

    def __init__(self, reading: Reading, seed: str, rivalry: float) -> None:
        self.reading = reading
        self.outlook = Outlook(
            reading.rules,
            reading.pack,
            draws=reading.draws,
            offers=reading.draws,
            hidden=reading.hidden,
            kept=reading.kept,
            slams=None,
        )
        self.rivalry = rivalry
        self._seed = seed

    def layout(self, symbols: Symbols, face_down: int) -> float:
        return self._worth(f"{sorted(symbols)}/{face_down}")

    def knocking(self) -> float:
        return self._worth("knocking")

    def discards(self) -> list[float]:
        return [abs(self._worth(rank)) / 5 for rank in self.reading.pack.ranks]

    def _worth(self, of: str) -> float:
        return Random(f"{self._seed}/{of}").uniform(-10.0, 10.0)


class Alike(Whim):
    """Finds everything alike."""

    def _worth(self, of: str) -> float:
        return 0.0


@pytest.mark.parametrize("rules", [*CATALOGUE.values(), TURNED_UP, REVEAL], ids=lambda rules: rules.name)
def test_nothing_that_is_allowed_weighs_more_than_the_best(rules: RuleSet) -> None:
    compared = 0
    for number, (judge, allowed, best) in enumerate(weighed(rules, 3)):
        assert is_allowed(judge.reading.view, best)
        worths = {action: worth for action in allowed if (worth := naive_worth(judge, action)) is not None}
        assert worths[best] <= min(worths.values()) + 1e-9
        compared += len(worths) > 1
        if number == 60:
            break
    assert compared > 10


def test_a_slam_to_come_weighs_in_what_is_discarded_before_it() -> None:
    """C13: a card may go when its like is discarded, drawn or swapped out, and then goes most of the time."""
    coming = 0
    for seed in range(12):
        for moment in moments(CATALOGUE["cactus"], 2, f"known/{seed}"):
            if moment.view.phase is not Phase.HOLDING or not moment.is_asked:
                continue
            moment.memory.observe(shown_own(moment))
            if moment.reading.drawn not in moment.reading.own:
                continue
            for whim in range(4):
                judge = Whim(moment.reading, f"{seed}/{whim}", 0.0)
                best = Weighing(judge).best(moment.view)
                assert best is not None
                worths = {action: naive_worth(judge, action) for action in moment.view.choices.actions}
                assert worths[best] == min(worth for worth in worths.values() if worth is not None)
                coming += best == do.Discard()
    assert coming > 5


def test_no_other_gift_weighs_less_than_the_one_that_is_given() -> None:
    """C14: a seat gives what it is best rid of, as far as that does its new owner no good."""
    given = 0
    for seed in range(60):
        for moment in moments(CATALOGUE["cactus"], 3, f"gifts/{seed}"):
            if moment.is_asked and moment.view.phase is Phase.GIVE:
                judge = Whim(moment.reading, str(seed), 0.5)
                worths = {gift: naive_worth(judge, gift) for gift in moment.view.choices.actions}
                best = Weighing(judge).best(moment.view)
                assert best is not None
                assert worths[best] == min(worth for worth in worths.values() if worth is not None)
                given += len(set(worths.values())) > 1
    assert given > 2


@pytest.mark.parametrize("name", CATALOGUE)
def test_of_equal_choices_it_is_the_first(name: str) -> None:
    compared = 0
    for moment in moments(CATALOGUE[name], 3, name):
        if moment.is_asked and moment.view.phase is not Phase.POWER:
            allowed = [action for action in moment.view.choices.actions if is_single(action)]
            assert Weighing(Alike(moment.reading, "", 0.0)).best(moment.view) == allowed[0]
            compared += len(allowed) > 1
    assert compared > 5


def test_a_power_is_used_to_look_rather_than_for_nothing() -> None:
    looked = 0
    for seed in range(4):
        for moment in moments(CATALOGUE["cactus"], 3, str(seed)):
            if moment.is_asked and moment.view.phase is Phase.POWER:
                best = Weighing(Alike(moment.reading, "", 0.0)).best(moment.view)
                assert isinstance(best, do.Peek)
                looked += 1
    assert looked


def test_where_nothing_is_to_be_weighed_there_is_no_best() -> None:
    windows = 0
    for moment in moments(CATALOGUE["cactus"], 2, "windows"):
        if moment.view.phase is Phase.SLAM:
            assert Weighing(Whim(moment.reading, "", 0.0)).best(moment.view) is None
            windows += 1
    assert windows


def weighed(rules: RuleSet, seats: int) -> Iterator[tuple[Whim, tuple[do.Action, ...], do.Action]]:
    """Yield judges of moments of play, each with all that is allowed and what is found best."""
    for number, moment in enumerate(chain(moments(rules, seats, "1"), moments(rules, seats, "2"))):
        if moment.is_asked and moment.view.phase is not Phase.START:
            judge = Whim(moment.reading, str(number), number % 3 / 2)
            best = Weighing(judge).best(moment.view)
            assert best is not None
            yield judge, legal_actions(moment.hole, moment.seat), best


def is_single(action: do.Action) -> bool:
    """Tell whether an action names its one slot where it needs one."""
    match action:
        case do.Take(slot=None):
            return False
        case do.Flip(slots=several) | do.Peek(at=several):
            return len(several) == 1
        case _:
            return True


def naive_worth(judge: Whim, action: do.Action) -> float | None:
    """Return what an action is worth, straight from what happens next; None for one that is never weighed."""
    reading = judge.reading
    own, down = reading.own, sum(reading.own_down)
    unchanged = judge.layout(own, down)
    match action:
        case do.Draw():
            return sum(
                chance * min(refused(judge, rank), *[placed(judge, at, rank) for at in reading.replaceable()])
                if reading.replaceable()
                else chance * refused(judge, rank)
                for rank, chance in enumerate(reading.draws)
            )
        case do.Take(slot=int(slot)) if reading.top is not None:
            return placed(judge, slot - 1, reading.top)
        case do.Swap(slot=slot) if reading.drawn is not None:
            return placed(judge, slot - 1, reading.drawn)
        case do.Discard() if reading.drawn is not None:
            return refused(judge, reading.drawn)
        case do.Flip(slots=(slot,)):
            return shown(judge, slot - 1, reading.shown_mark, down - 1)
        case do.Pass() | do.Decline():
            return unchanged
        case do.Knock():
            return judge.knocking()
        case do.Peek(at=(at,)) if at.seat == reading.seat:
            return shown(judge, at.slot - 1, 0, down)
        case do.Peek(at=(at,)):
            return unchanged - CURIOSITY * (reading.layouts[at.seat][at.slot - 1] < 0)
        case do.Give(slot=slot):
            kept = judge.layout(replaced(own, slot - 1, EMPTY), down - 1)
            return kept - judge.rivalry * judge.outlook.value((own[slot - 1],), 0)
        case do.Switch(one, other) if (one.seat == reading.seat) is not (other.seat == reading.seat):
            mine, theirs = (one, other) if one.seat == reading.seat else (other, one)
            symbol = reading.layouts[theirs.seat][theirs.slot - 1]
            given = judge.outlook.value((own[mine.slot - 1],), 0) - judge.outlook.value((symbol,), 0)
            return judge.layout(replaced(own, mine.slot - 1, symbol), down) - judge.rivalry * given
        case _:
            return None


def refused(judge: Whim, rank: int) -> float:
    """Return what it is worth to lay a drawn card on the discard pile, and to do what may follow."""
    reading = judge.reading
    down = sum(reading.own_down)
    after = [judge.layout(reading.own, down)]
    if reading.rules.flip:
        face_down = [index for index, is_down in enumerate(reading.own_down) if is_down]
        after += [shown(judge, index, reading.shown_mark, down - 1) for index in face_down]
    return min(after) + judge.discards()[rank] - slammed(judge, reading.own, rank, down)


def placed(judge: Whim, index: int, rank: int) -> float:
    """Return what it is worth to put a card into a slot: what lay there is left to the next seat."""
    reading = judge.reading
    down = sum(reading.own_down) - reading.own_down[index] + (reading.rules.placed is Placed.DOWN)
    symbols = replaced(reading.own, index, rank + reading.placed_mark)
    out = reading.own[index]
    worth = judge.layout(symbols, down)
    if out >= 0:
        return worth + judge.discards()[out] - slammed(judge, symbols, out, down)
    return worth + sum(
        chance * cost for chance, cost in zip(reading.chances(out), judge.discards(), strict=True)
    )


def slammed(judge: Whim, symbols: Symbols, rank: int, down: int) -> float:
    """Return what it wins to slam a known own card of the rank just discarded, most of the time."""
    if judge.reading.rules.slam is SlamMode.OFF or rank not in symbols:
        return 0.0
    less = judge.layout(replaced(symbols, symbols.index(rank), EMPTY), down - 1)
    return SLAM_SURE * max(0.0, judge.layout(symbols, down) - less)


def shown(judge: Whim, index: int, mark: int, down: int) -> float:
    """Return what it is worth to see an own card, over all that it may be."""
    symbol = judge.reading.own[index]
    if symbol >= 0:
        return judge.layout(replaced(judge.reading.own, index, symbol + mark), down)
    return sum(
        chance * judge.layout(replaced(judge.reading.own, index, rank + mark), down)
        for rank, chance in enumerate(judge.reading.chances(symbol))
    )
