"""Every level obeys every rule set, plays the same with the same seed, and uses nothing that it cannot see."""

from math import sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from golfnet.bots.bot import LEVELS, Contest
from golfnet.bots.levels import make_bot
from golfnet.engine.actions import Action, Discard, Slam, Swap, Take
from golfnet.engine.cards import Seat
from golfnet.engine.events import Peeked, TurnBegan
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Phase
from golfnet.engine.legality import choices
from golfnet.engine.rules import RuleSet, SlamMode, Start, StartMode
from golfnet.engine.scoring import layout_score
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue
from tests.bots.samples import (
    Sample,
    Watched,
    is_allowed,
    knowing,
    moments,
    samples,
    short,
    shown_own,
    worth_slamming,
)
from tests.engine.random_play import Replay
from tests.engine.strategies import rule_sets

CATALOGUE = catalogue()


FINAL = [name for name, rules in CATALOGUE.items() if rules.final_turn or rules.knock]
THOUGHTFUL = pytest.mark.parametrize("level", ["easy", "medium", "hard"])


@THOUGHTFUL
@pytest.mark.parametrize("name", FINAL)
def test_the_last_choice_gives_the_lowest_possible_score(name: str, level: str) -> None:
    """The bot knows its own cards and holds a drawn card.

    The next seat is the closer and has no more turns, so it does not matter which card is discarded. Powers and slams
    are off.
    """
    rules, compared = replaced(CATALOGUE[name], slam=SlamMode.OFF, power=()).for_seats(3), 0
    for seed in range(30):
        bots = [make_bot(level, rules, Random(seat)) for seat in range(3)]
        for sample in samples(rules, 3, f"last/{seed}", observers=[[bot] for bot in bots]):
            if sample.has_to(Phase.HOLDING) and sample.view.closer == (sample.seat + 1) % 3:
                bots[sample.seat].observe(shown_own(sample))
                chosen, allowed = bots[sample.seat].choose(sample.view), sample.view.choices.actions
                assert score_after(sample, chosen) == min(score_after(sample, action) for action in allowed)
                compared += 1
    assert compared > 3


def score_after(sample: Sample, action: Action | None) -> int:
    """Return the points of the seat's layout once it has placed or discarded a card."""
    cards = [*sample.hole.layouts[sample.seat].cards]
    match action:
        case Swap(slot=slot):
            cards[slot - 1] = sample.view.drawn
        case Take(slot=int(slot)):
            cards[slot - 1] = sample.view.discard
        case _:
            assert action == Discard()
    return layout_score(sample.hole.rules, cards)


@THOUGHTFUL
@pytest.mark.parametrize("name", ["six-card", "six-card-final"])
def test_a_card_that_completes_a_known_pair_is_taken(name: str, level: str) -> None:
    """Taking it replaces a card of ten points and cancels one of at least five points; the other cards are low."""
    rules, offered = replaced(CATALOGUE[name].for_seats(2), start=Start(StartMode.NONE, 0)), 0
    for seed in range(12):
        sample = next(moments(rules, 2, f"pairs/{seed}", lambda each: each.may_act))
        top = sample.view.discard
        assert top is not None
        if rules.values[top.rank] >= 5:
            ranks = (top.rank, "A", "K", "J" if top.rank == "Q" else "Q", "3", "4")
            assert knowing(sample, level, *ranks).choose(sample.view) == Take(4)
            offered += 1
    assert offered > 3


@pytest.mark.parametrize(
    ("level", "turns", "bots"),
    [*(("easy", turns, 600) for turns in (0, 1, 5, 20)), ("medium", 50, 200), ("hard", 300, 3)],
)
def test_a_level_forgets_cards_at_its_rate_in_every_turn_of_any_seat(
    level: str, turns: int, bots: int
) -> None:
    """A bot slams the card only if it still remembers it."""
    rules, remembered = CATALOGUE["cactus"].for_seats(3), 0
    sample = next(moments(rules, 3, "window", lambda each: each.own_targets and worth_slamming(each)))
    window, at = sample.view.window, sample.own_targets[0]
    assert window is not None
    for seed in range(bots):
        bot = make_bot(level, rules, Random(seed))
        bot.observe(Peeked(seat=sample.seat, at=(at,), cards=(window.card,)))
        for turn in range(turns):
            bot.observe(TurnBegan(seat=Seat(turn % 3), turn=1 + turn // 3))
        remembered += bot.claim(sample.view) == Slam(at, window.discard_no)
    rate = LEVELS[level].recall ** turns
    assert remembered / bots == pytest.approx(rate, abs=4 * sqrt(rate * (1 - rate) / bots) + 1e-9)


@settings(max_examples=settings().max_examples // 4)
@given(rule_sets(), st.integers(0, 2**32), st.sampled_from(list(LEVELS)), st.sampled_from(list(LEVELS)))
def test_every_level_plays_with_any_options_a_host_chooses(
    rules: RuleSet, seed: int, one: str, another: str
) -> None:
    rules = short(rules, turns=3).for_seats(rules.seats.low)
    levels = [one, another] * rules.seats.low
    bots = [Watched(make_bot(level, rules, Random(level))) for level in levels[: rules.seats.low]]
    Contest(rules, bots, Random(seed)).play_hole()


# --- a choice is a function of what the seat sees


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CATALOGUE)
def test_redealing_what_a_bot_cannot_see_leaves_its_choice_unchanged(name: str, level: str) -> None:
    """Play a random line and note the choice at its end, then play the same line with all unseen cards exchanged."""
    for seed in range(1 if level == "expert" else 2):  # the playouts of ``expert`` take long
        chance = Random(f"{name}/{level}/{seed}")
        replay = Replay(CATALOGUE[name], 3, chance)
        for until, seat in chance.sample(replay.asked, min(3, len(replay.asked))):
            choice, shown = choice_of(level, replay, until, seat)
            other = replay.redealt(shown, chance)
            assert other.deck != replay.deck
            assert choice_of(level, other, until, seat) == (choice, shown)


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
