"""The level ``hard`` plays the best move when it is certain, and forgets nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.hard import SMALL, HardBot
from golfnet.bots.seat_knowledge import UNKNOWN
from golfnet.engine.actions import Draw, Slam, Swap
from golfnet.engine.cards import Card
from golfnet.engine.events import Peeked, TurnBegan
from golfnet.engine.layout import Position, Seat
from golfnet.engine.match import act
from golfnet.engine.rules import SlamMode
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.bots.samples import samples

if TYPE_CHECKING:
    from golfnet.bots.unit_values import UnitValues

CATALOGUE = catalogue()
CACTUS = CATALOGUE["cactus"].for_seats(2)
WHOLE_DECK = ["four-turn", "multiples", "nine-card"]
"""Rules with units too large to recalculate values in each turn."""


@pytest.mark.parametrize("ranks", [("9", "8", "7", "6"), ("6", "9", "7", "8"), ("8", "6", "7", "9")])
def test_a_lower_card_takes_the_place_of_the_highest(ranks: tuple[str, ...]) -> None:
    """If nothing cancels and nothing can be slammed away, which would happen to high cards first."""
    rules = replace(CACTUS, slam=SlamMode.OFF)
    lower = 0
    for seed in range(8):
        sample = next(each for each in samples(rules, 2, f"lower/{seed}") if each.view.turn == each.seat)
        bot = HardBot(rules, Random(1))
        at = tuple(Position(sample.seat, slot) for slot in range(1, 5))
        bot.observe(Peeked(seat=sample.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))
        hole = act(sample.match, sample.seat, Draw())[1].hole
        assert hole is not None
        drawn = view(hole, sample.seat)
        assert drawn.drawn is not None
        if rules.values[drawn.drawn.rank] < 6:
            assert bot.choose(drawn) == Swap(1 + ranks.index("9"))
            lower += 1
    assert lower > 1


def test_it_slams_a_card_however_long_ago_it_saw_it() -> None:
    slams = 0
    for sample in samples(CACTUS, 2, "long ago"):
        window, slammable = sample.view.window, sample.view.choices.slammable
        if window is None or window.won or not CACTUS.values[window.card.rank]:
            continue
        at = next(at for at in slammable if at.seat == sample.seat)
        bot = HardBot(CACTUS, Random(slams))
        bot.observe(Peeked(seat=sample.seat, at=(at,), cards=(window.card,)))
        for turn in range(1, 300):
            bot.observe(TurnBegan(seat=Seat(turn % 2), turn=turn))
        assert bot.claim(sample.view) == Slam(at, window.discard_no)
        slams += 1
    assert slams


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_unknown_card_counts_the_mean_of_the_unseen_cards_or_of_the_deck(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    large = name in WHOLE_DECK
    assert large is (HardBot(rules, Random(1)).partition.largest > SMALL)
    means, shared = set(), set[int]()
    for sample in samples(rules, 3, name):
        knowledge = sample.knowledge
        near_the_end = rules.turns is not None and rules.turns - sample.view.turns[sample.seat] <= 3
        unit_values = HardBot(rules, Random(1)).unit_values(knowledge)
        if large and not near_the_end:
            shared.add(id(unit_values))
            counts = zip(knowledge.pack.counts, knowledge.pack.values, strict=True)
            mean = sum(count * value for count, value in counts) / sum(knowledge.pack.counts)
        else:
            mean = knowledge.mean
        assert unit_values.value((UNKNOWN,), 0) == pytest.approx(mean)
        means.add(mean)
    assert len(shared) == large  # all bots of one table share it
    assert large or len(means) > 5


def test_values_are_recalculated_in_each_turn_and_cached_within_it() -> None:
    bot = HardBot(CACTUS, Random(1))
    seen: dict[int, UnitValues] = {}
    for sample in samples(CACTUS, 2, "anew"):
        if sample.seat == 0:
            unit_values = bot.unit_values(sample.knowledge)
            turn = sample.view.turns[0]
            assert seen.setdefault(turn, unit_values) is unit_values
    assert len(set(map(id, seen.values()))) == len(seen) > 2
