"""Deals of the unseen cards agree with everything that the seat has seen."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.bots.determinize import SeenHole
from golfnet.bots.seat_knowledge import Memory, SeatKnowledge
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue
from tests.bots.test_arena import cards_of
from tests.bots.test_levels import Line

CATALOGUE = catalogue()


@settings(max_examples=60)
@given(st.sampled_from(list(CATALOGUE)), st.integers(2, 4), st.integers(0, 2**32))
def test_a_world_agrees_with_everything_the_seat_has_seen(name: str, seats: int, seed: int) -> None:
    chance = Random(seed)
    line = Line(CATALOGUE[name], seats, chance)
    until, seat = chance.choice(line.asked)
    events, hole = line.played(until)
    shown = [mask(event, seat) for event in events]
    memory = Memory(line.rules, Random(1), 1.0)
    for event in shown:
        memory.observe(event)
    seen = view(hole, seat)
    world = SeenHole(seen, shown).world(SeatKnowledge(seen, memory), chance)
    assert view(world, seat) == seen
    assert Counter(cards_of(world)) == Counter(cards_of(hole))
    assert len(world.stock) == len(hole.stock)
    assert world.discards == hole.discards
