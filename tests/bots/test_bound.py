"""The searches against ``hard``: what they may know and achieve, and that the same seed gives the same result."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.bots.arena import Matchup, Mean
from golfnet.bots.bound import Bound, PlayoutBot, face_down, play_bound, play_with, redealt, table_row
from golfnet.bots.hard import HardBot
from golfnet.bots.seat_knowledge import SeatKnowledge
from golfnet.engine.hole import slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.options import override
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue
from tests.bots.samples import samples
from tests.bots.test_arena import cards_of
from tests.bots.test_levels import Line

CATALOGUE = catalogue()
SHORT = override(CATALOGUE["four-turn"], {"turns": "2"})


def setting(name: str, seats: int) -> Matchup:
    return Matchup(CATALOGUE[name].for_seats(seats), ("hard",) * seats, 1)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(CATALOGUE)), st.integers(2, 4), st.integers(0, 2**32))
def test_redealt_cards_agree_with_everything_the_seat_has_seen(name: str, seats: int, seed: int) -> None:
    """Replaying the hole with these cards shows the seat the same events and the same view."""
    chance = Random(seed)
    line = Line(CATALOGUE[name], seats, chance)
    until, seat = chance.choice(line.asked)
    events, hole = line.played(until)
    shown = [mask(event, seat) for event in events]
    bot = HardBot(line.rules, Random(1))
    for event in shown:
        bot.observe(event)
    knowledge = SeatKnowledge(view(hole, seat), bot.memory)
    world = redealt(hole, knowledge, Random(seed))
    if world is None:
        assert hole.reshuffles_left < line.rules.reshuffles
        return
    assert view(world, seat) == view(hole, seat)
    assert Counter(cards_of(world)) == Counter(cards_of(hole))
    assert redealt(world, knowledge, Random(seed)) == world, "it does not depend on the cards that were there"
    if hole.reshuffles_left < line.rules.reshuffles:
        return  # a card of the new stock has been somewhere else before
    places = face_down(hole, seat, seen=False)
    were = [slot_at(hole, *at).card for at in places] + [*hole.stock]
    now = [slot_at(world, *at).card for at in places] + [*world.stock]
    exchanged = dict(zip(map(id, were), now, strict=True))
    line.deck = tuple(exchanged.get(id(card), card) for card in line.deck)
    other_events, other = line.played(until)
    assert [mask(event, seat) for event in other_events] == shown
    assert other.layouts == world.layouts
    assert other.stock == world.stock


@pytest.mark.parametrize("name", ["cactus", "six-card"])
def test_a_bot_in_a_playout_remembers_what_the_real_bot_remembers(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    bots = [HardBot(rules, Random(seat)) for seat in range(3)]
    for sample in samples(rules, 3, f"playout/{name}", observers=[[bot] for bot in bots]):
        bot = bots[sample.seat]
        other = PlayoutBot(bot, sample.hole, sample.seat, Random(1), None)
        assert other.memory.known == bot.memory.known
        assert other.choose(sample.view) == bot.choose(sample.view)


@pytest.mark.parametrize(("name", "deals"), [("four-turn", 6), ("cactus", 4)])
def test_a_clairvoyant_is_better_than_hard(name: str, deals: int) -> None:
    measured, lead = setting(name, 2), Mean()
    for number in range(deals):
        (mine, theirs), _ = play_with(measured, number)
        (better, worse), _ = play_with(measured, number, Seat(0), clairvoyant=True)
        lead.add((mine - theirs) - (better - worse))
    assert lead.mean > lead.error


def test_a_search_with_the_same_seed_plays_the_same() -> None:
    measured = Matchup(SHORT.for_seats(2), ("hard", "hard"), 3)
    assert play_bound((measured, 5)) == play_bound((measured, 5))
    scores, search = play_with(measured, 5, Seat(1))
    again, other = play_with(measured, 5, Seat(1))
    assert (scores, search.playouts, search.gain) == (again, other.playouts, other.gain)
    assert search.playouts > 0


def test_a_reply_that_plays_like_hard_gains_nothing() -> None:
    """A search whose playouts find nothing better: in its last turn the best choice is certain."""
    measured = Matchup(override(CATALOGUE["four-turn"], {"turns": "1"}).for_seats(2), ("hard", "hard"), 1)
    for number in range(4):
        hard, _ = play_with(measured, number)
        scores, search = play_with(measured, number, Seat(0))
        assert scores == hard or search.gain != 0


def test_a_row_shows_means_over_deals_with_their_errors() -> None:
    bounds = [Bound(*[float(value)] * 7) for value in (1, 3)]
    row = table_row(setting("cactus", 4), bounds).split()
    assert row[:3] == ["cactus", "4", "8"]
    assert row[3:] == ["2.00", "±", "1.00"] * 7
