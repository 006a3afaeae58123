"""The level ``hard`` does what cannot be done better where there is no doubt, and forgets nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.hard import SMALL, HardBot
from golfnet.bots.reading import UNKNOWN
from golfnet.engine.actions import Draw, Slam, Swap, Take
from golfnet.engine.cards import Card
from golfnet.engine.events import Peeked, TurnBegan
from golfnet.engine.layout import Position, Seat
from golfnet.engine.match import act
from golfnet.engine.rules import SlamMode
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.bots.moments import last_choices, moments, pairs_to_complete

if TYPE_CHECKING:
    from golfnet.bots.outlook import Outlook

CATALOGUE = catalogue()
CACTUS = CATALOGUE["cactus"].for_seats(2)
FINAL = [name for name, rules in CATALOGUE.items() if rules.final_turn or rules.knock]
WHOLE_DECK = ["four-turn", "multiples", "nine-card"]
"""Rules with units too large for values to be made anew in each turn."""


@pytest.mark.parametrize("name", FINAL)
def test_its_last_choice_makes_its_cards_count_as_little_as_they_can(name: str) -> None:
    compared = 0
    for chosen, least in last_choices("hard", CATALOGUE[name]):
        assert chosen == least
        compared += 1
    assert compared > 3


@pytest.mark.parametrize("name", ["six-card", "six-card-final"])
def test_it_takes_a_card_that_completes_a_pair_with_one_that_it_knows(name: str) -> None:
    choices = list(pairs_to_complete("hard", CATALOGUE[name]))
    assert len(choices) > 3
    assert set(choices) == {Take(4)}


@pytest.mark.parametrize("ranks", [("9", "8", "7", "6"), ("6", "9", "7", "8"), ("8", "6", "7", "9")])
def test_a_lower_card_takes_the_place_of_the_highest(ranks: tuple[str, ...]) -> None:
    """Where nothing cancels, and none can be slammed away: that happens to high cards sooner than to others."""
    rules = replace(CACTUS, slam=SlamMode.OFF)
    lower = 0
    for seed in range(8):
        moment = next(each for each in moments(rules, 2, f"lower/{seed}") if each.view.turn == each.seat)
        bot = HardBot(rules, Random(1))
        at = tuple(Position(moment.seat, slot) for slot in range(1, 5))
        bot.observe(Peeked(seat=moment.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))
        hole = act(moment.match, moment.seat, Draw())[1].hole
        assert hole is not None
        drawn = view(hole, moment.seat)
        assert drawn.drawn is not None
        if rules.values[drawn.drawn.rank] < 6:
            assert bot.choose(drawn) == Swap(1 + ranks.index("9"))
            lower += 1
    assert lower > 1


def test_it_slams_what_it_saw_however_long_ago() -> None:
    slams = 0
    for moment in moments(CACTUS, 2, "long ago"):
        window, slammable = moment.view.window, moment.view.choices.slammable
        if window is None or window.won or not CACTUS.values[window.card.rank]:
            continue
        at = next(at for at in slammable if at.seat == moment.seat)
        bot = HardBot(CACTUS, Random(slams))
        bot.observe(Peeked(seat=moment.seat, at=(at,), cards=(window.card,)))
        for turn in range(1, 300):
            bot.observe(TurnBegan(seat=Seat(turn % 2), turn=turn))
        assert bot.claim(moment.view) == Slam(at, window.discard_no)
        slams += 1
    assert slams


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_unknown_card_counts_its_mean_over_the_unseen_cards_or_over_the_deck(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    large = name in WHOLE_DECK
    assert large is (HardBot(rules, Random(1)).cut.largest > SMALL)
    means, outlooks = set(), set[int]()
    for moment in moments(rules, 3, name):
        reading = moment.reading
        near_the_end = rules.turns is not None and rules.turns - moment.view.turns[moment.seat] <= 3
        outlook = HardBot(rules, Random(1)).outlook(reading)
        if large and not near_the_end:
            outlooks.add(id(outlook))
            counts = zip(reading.pack.counts, reading.pack.values, strict=True)
            mean = sum(count * value for count, value in counts) / sum(reading.pack.counts)
        else:
            mean = reading.mean
        assert outlook.value((UNKNOWN,), 0) == pytest.approx(mean)
        means.add(mean)
    assert len(outlooks) == large  # all bots of one table share it
    assert large or len(means) > 5


def test_values_are_made_anew_for_each_turn_and_kept_within_it() -> None:
    bot = HardBot(CACTUS, Random(1))
    seen: dict[int, Outlook] = {}
    for moment in moments(CACTUS, 2, "anew"):
        if moment.seat == 0:
            outlook = bot.outlook(moment.reading)
            turn = moment.view.turns[0]
            assert seen.setdefault(turn, outlook) is outlook
    assert len(set(map(id, seen.values()))) == len(seen) > 2
