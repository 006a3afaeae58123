"""A slam by a seat that forgets nothing always hits, and gains at least as much as every other that it could claim."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.memory import Memory
from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import EMPTY, UNKNOWN, Reading
from golfnet.bots.slams import best_slam
from golfnet.bots.units import LayoutPartition
from golfnet.engine import match as matches
from golfnet.engine.events import Slammed, SlamResult
from golfnet.engine.layout import HIDDEN, Position
from golfnet.engine.rules import Cancel
from golfnet.rulesets import catalogue
from tests.bots.moments import Moment, moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.actions import Slam
    from golfnet.engine.rules import RuleSet

CACTUS = catalogue()["cactus"]

NEGATIVE = replace(CACTUS, values={**CACTUS.values, "3": -3})
PAIRED = replace(CACTUS, cancel=Cancel.COLUMN)


def windows(rules: RuleSet, seeds: int = 25) -> Iterator[Moment]:
    """Yield the moments of random play in which a slam window is open."""
    for seed in range(seeds):
        for moment in moments(rules, 3, f"slams/{seed}"):
            if moment.view.choices.slammable:
                yield moment


def slam_of(reading: Reading, rivalry: float = 0.25) -> Slam | None:
    outlook = Outlook(
        reading.rules,
        reading.pack,
        draws=reading.draws,
        offers=reading.draws,
        hidden=reading.hidden,
        kept=reading.kept,
        slams=None,
    )
    return best_slam(reading, outlook, LayoutPartition(reading.rules), rivalry)


def targets(moment: Moment) -> list[Position]:
    """Return the positions that may be slammed whose card the seat knows to be right."""
    window = moment.view.window
    assert window is not None
    known = moment.memory.known
    return [at for at in moment.view.choices.slammable if known.get(at) == window.card.rank]


@pytest.mark.parametrize("rules", [CACTUS, NEGATIVE, PAIRED], ids=["cactus", "negative", "paired"])
def test_a_slam_always_hits_or_there_is_none(rules: RuleSet) -> None:
    """The engine is asked: only cards that the seat knows are claimed, and none once the window is won (C12)."""
    hits = 0
    for moment in windows(rules):
        slam = slam_of(moment.reading)
        window = moment.view.window
        if slam is None or window is None:
            continue
        assert not window.won
        assert slam.at in targets(moment)
        slammed = matches.act(moment.match, moment.seat, slam)[0][0]
        assert isinstance(slammed, Slammed)
        assert slammed.result is SlamResult.HIT
        hits += 1
    assert hits > 5


@pytest.mark.parametrize("rivalry", [0.0, 0.25, 3.0])
@pytest.mark.parametrize("rules", [CACTUS, NEGATIVE], ids=["cactus", "negative"])
def test_no_other_slam_of_a_known_card_gains_more(rules: RuleSet, rivalry: float) -> None:
    claimed = declined = 0
    for moment in windows(rules):
        if moment.view.window is None or moment.view.window.won:
            continue
        gains = {at: naive_gain(moment, at, rivalry) for at in targets(moment)}
        slam = slam_of(moment.reading, rivalry)
        if slam is None:
            assert all(gain <= 1e-9 for gain in gains.values())
            declined += bool(gains)
        else:
            assert slam.discard_no == moment.view.discard_no
            assert gains[slam.at] == pytest.approx(max(gains.values()))
            assert gains[slam.at] >= -1e-9
            claimed += 1
    assert claimed > 5
    assert declined or rules is CACTUS


def test_one_of_a_pair_that_counts_nothing_is_not_slammed() -> None:
    """S3: the other of a column of two equal cards would count again; beside it an equal card may go."""
    slammed = 0
    for moment in windows(PAIRED):
        window = moment.view.window
        assert window is not None
        rank = window.card.rank
        if window.won or not PAIRED.values[rank] or moment.view.layouts[moment.seat] != (HIDDEN,) * 4:
            continue
        own = [Position(moment.seat, slot) for slot in range(1, 5)]
        if not set(own) <= set(moment.view.choices.slammable):
            continue
        for equal, expected in (((0, 2), None), ((0, 1), own[0]), ((0, 1, 2), own[1])):
            memory = Memory(PAIRED, Random(1), recall=1.0)
            memory.known = {own[index]: rank for index in equal}
            slam = slam_of(Reading(moment.view, memory))
            assert (slam and slam.at) == expected
            slammed += 1
    assert slammed


def naive_gain(moment: Moment, at: Position, rivalry: float) -> float:
    """Return what a slam gains where nothing cancels, an unknown card counting what it does on average."""
    reading = moment.reading

    def points(symbol: int) -> float:
        if symbol >= 0:
            return reading.pack.values[symbol]
        if symbol == EMPTY:
            return 0.0
        chances = reading.hidden if symbol == UNKNOWN else reading.kept
        return sum(chance * value for chance, value in zip(chances, reading.pack.values, strict=True))

    slammed = points(reading.layouts[at.seat][at.slot - 1])
    if at.seat == moment.seat:
        return slammed
    own = [points(symbol) for symbol in reading.own if symbol != EMPTY]
    return max(given + rivalry * (given - slammed) for given in own)
