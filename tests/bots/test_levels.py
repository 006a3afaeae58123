"""Every level obeys every rule set, plays the same with the same seed, and uses nothing that it cannot see."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.bots.bot import LEVELS
from golfnet.bots.contest import Contest
from golfnet.bots.levels import make_bot
from golfnet.bots.player import BotPlayer
from golfnet.engine.actions import Action, Take
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Seat
from golfnet.engine.legality import choices
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue
from tests.bots.playing import Watched, is_allowed, short
from tests.bots.samples import last_choices, pairs_to_complete
from tests.engine.redealing import Replay
from tests.engine.strategies import rule_sets

CATALOGUE = catalogue()


FINAL = [name for name, rules in CATALOGUE.items() if rules.final_turn or rules.knock]
THOUGHTFUL = pytest.mark.parametrize("level", ["easy", "medium", "hard"])


@THOUGHTFUL
@pytest.mark.parametrize("name", FINAL)
def test_the_last_choice_gives_the_lowest_possible_score(name: str, level: str) -> None:
    compared = 0
    for chosen, least in last_choices(level, CATALOGUE[name]):
        assert chosen == least
        compared += 1
    assert compared > 3


@THOUGHTFUL
@pytest.mark.parametrize("name", ["six-card", "six-card-final"])
def test_a_card_that_completes_a_known_pair_is_taken(name: str, level: str) -> None:
    choices = list(pairs_to_complete(level, CATALOGUE[name]))
    assert len(choices) > 3
    assert set(choices) == {Take(4)}


@settings(max_examples=settings().max_examples // 4)
@given(rule_sets(), st.integers(0, 2**32), st.sampled_from(list(LEVELS)), st.sampled_from(list(LEVELS)))
def test_every_level_plays_with_any_options_a_host_chooses(
    rules: RuleSet, seed: int, one: str, another: str
) -> None:
    rules = short(rules, turns=3).for_seats(rules.seats.low)
    levels = [one, another] * rules.seats.low
    bots = [Watched(make_bot(level, rules, Random(level)), []) for level in levels[: rules.seats.low]]
    Contest(rules, list(map(BotPlayer, bots)), Random(seed)).play_hole()


# --- a choice is a function of what the seat sees


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CATALOGUE)
def test_redealing_what_a_bot_cannot_see_leaves_its_choice_unchanged(name: str, level: str) -> None:
    """Play a random line and note the choice at its end, then play the same line with all unseen cards exchanged."""
    compared = 0
    for seed in range(1 if level == "expert" else 2):  # the playouts of ``expert`` take long
        chance = Random(f"{name}/{level}/{seed}")
        replay = Replay(CATALOGUE[name], 3, chance)
        for until, seat in chance.sample(replay.asked, min(3, len(replay.asked))):
            choice, shown = choice_of(level, replay, until, seat)
            other = replay.redealt(shown, chance)
            assert other.deck != replay.deck
            assert choice_of(level, other, until, seat) == (choice, shown)
            compared += 1
    assert compared >= 3


def choice_of(level: str, replay: Replay, until: int, seat: Seat) -> tuple[Action | None, list[Any]]:
    """Return what a bot chooses at an entry of the script, and everything that it was shown."""
    bot = make_bot(level, replay.rules, Random(5))
    events, hole = replay.played(until)
    shown: list[Any] = [mask(event, seat) for event in events]
    for event in shown:
        bot.observe(event)
    seen = view(hole, seat)
    chosen = bot.choose(seen)
    assert chosen is None or is_allowed(seen, chosen)
    assert chosen is not None or seen.phase is Phase.SLAM or not choices(hole, seat).actions
    return chosen, [*shown, seen]
