"""A slam by a seat that forgets nothing always hits, and gains at least as much as every other that it could claim."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.knowledge.memory import Memory
from golfnet.bots.knowledge.seat_knowledge import EMPTY, UNKNOWN, SeatKnowledge
from golfnet.bots.values.slam_choice import best_slam
from golfnet.bots.values.unit_values import UnitValues
from golfnet.bots.values.units import LayoutPartition
from golfnet.engine import match as matches
from golfnet.engine.events import Slammed, SlamResult
from golfnet.engine.layout import HIDDEN, Position
from golfnet.engine.rules import Cancel
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.actions import Slam
    from golfnet.engine.rules import RuleSet

CACTUS = catalogue()["cactus"]

NEGATIVE = replace(CACTUS, values={**CACTUS.values, "3": -3})
PAIRED = replace(CACTUS, cancel=Cancel.COLUMN)


def windows(rules: RuleSet, seeds: int = 25) -> Iterator[Sample]:
    """Yield the samples of random play in which a slam window is open."""
    for seed in range(seeds):
        for sample in samples(rules, 3, f"slams/{seed}"):
            if sample.view.choices.slammable:
                yield sample


def slam_of(knowledge: SeatKnowledge, rivalry: float = 0.25) -> Slam | None:
    unit_values = UnitValues(
        knowledge.rules,
        knowledge.pack,
        draws=knowledge.draws,
        offers=knowledge.draws,
        hidden=knowledge.hidden,
        kept=knowledge.kept,
        slams=None,
    )
    return best_slam(knowledge, unit_values, LayoutPartition(knowledge.rules), rivalry)


def targets(sample: Sample) -> list[Position]:
    """Return the positions that may be slammed whose card the seat knows to be right."""
    window = sample.view.window
    assert window is not None
    known = sample.memory.known
    return [at for at in sample.view.choices.slammable if known.get(at) == window.card.rank]


@pytest.mark.parametrize("rules", [CACTUS, NEGATIVE, PAIRED], ids=["cactus", "negative", "paired"])
def test_a_slam_always_hits_or_there_is_none(rules: RuleSet) -> None:
    """The engine decides: only cards that the seat knows are claimed, and none once the window is won (C12)."""
    hits = 0
    for sample in windows(rules):
        slam = slam_of(sample.knowledge)
        window = sample.view.window
        if slam is None or window is None:
            continue
        assert not window.won
        assert slam.at in targets(sample)
        slammed = matches.act(sample.match, sample.seat, slam)[0][0]
        assert isinstance(slammed, Slammed)
        assert slammed.result is SlamResult.HIT
        hits += 1
    assert hits > 5


@pytest.mark.parametrize("rivalry", [0.0, 0.25, 3.0])
@pytest.mark.parametrize("rules", [CACTUS, NEGATIVE], ids=["cactus", "negative"])
def test_no_other_slam_of_a_known_card_gains_more(rules: RuleSet, rivalry: float) -> None:
    claimed = declined = 0
    for sample in windows(rules):
        if sample.view.window is None or sample.view.window.won:
            continue
        gains = {at: naive_gain(sample, at, rivalry) for at in targets(sample)}
        slam = slam_of(sample.knowledge, rivalry)
        if slam is None:
            assert all(gain <= 1e-9 for gain in gains.values())
            declined += bool(gains)
        else:
            assert slam.discard_no == sample.view.discard_no
            assert gains[slam.at] == pytest.approx(max(gains.values()))
            assert gains[slam.at] >= -1e-9
            claimed += 1
    assert claimed > 5
    assert declined or rules is CACTUS


def test_one_of_a_pair_that_counts_nothing_is_not_slammed() -> None:
    """S3: the other of a column of two equal cards would count again; beside it an equal card may go."""
    slammed = 0
    for sample in windows(PAIRED):
        window = sample.view.window
        assert window is not None
        rank = window.card.rank
        if window.won or not PAIRED.values[rank] or sample.view.layouts[sample.seat] != (HIDDEN,) * 4:
            continue
        own = [Position(sample.seat, slot) for slot in range(1, 5)]
        if not set(own) <= set(sample.view.choices.slammable):
            continue
        for equal, expected in (((0, 2), None), ((0, 1), own[0]), ((0, 1, 2), own[1])):
            memory = Memory(PAIRED, Random(1), recall=1.0)
            memory.known = {own[index]: rank for index in equal}
            slam = slam_of(SeatKnowledge(sample.view, memory))
            assert (slam and slam.at) == expected
            slammed += 1
    assert slammed


def naive_gain(sample: Sample, at: Position, rivalry: float) -> float:
    """Return what a slam gains where nothing cancels, an unknown card counting what it does on average."""
    knowledge = sample.knowledge

    def points(symbol: int) -> float:
        if symbol >= 0:
            return knowledge.pack.values[symbol]
        if symbol == EMPTY:
            return 0.0
        chances = knowledge.hidden if symbol == UNKNOWN else knowledge.kept
        return sum(chance * value for chance, value in zip(chances, knowledge.pack.values, strict=True))

    slammed = points(knowledge.layouts[at.seat][at.slot - 1])
    if at.seat == sample.seat:
        return slammed
    own = [points(symbol) for symbol in knowledge.own if symbol != EMPTY]
    return max(given + rivalry * (given - slammed) for given in own)
