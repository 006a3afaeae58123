"""A memory that forgets nothing holds the face-down cards its seat has lawfully seen, wherever they went."""

from random import Random

import pytest

from golfnet.bots.seat_knowledge import Memory
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Position, Seat
from golfnet.engine.views import mask
from golfnet.rulesets import catalogue
from tests.engine.random_play import play_match

CATALOGUE = catalogue()


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("name", CATALOGUE)
def test_exactly_what_was_lawfully_seen_is_remembered(name: str, seats: int) -> None:
    """The engine tracks who has seen which card (X16); a memory has to find out the same from events alone."""
    rules = CATALOGUE[name].for_seats(seats)
    memories = [Memory(rules, Random(1), recall=1.0) for _ in range(seats)]
    remembered = 0
    for seed in range(4):
        for step in play_match(rules, seats, Random(f"{name}/{seed}"), holes=1):
            for event in step.events:
                for seat, memory in enumerate(memories):
                    memory.observe(mask(event, Seat(seat)))
            hole = step.after.hole
            if hole is None or not step.after.is_playing:
                continue
            for seat, memory in enumerate(memories):
                assert memory.known == seen_by(Seat(seat), hole)
                assert memory.pile[-1:] == [card.rank for card in hole.discards[-1:]]
                remembered += len(memory.known)
    assert remembered or not rules.start.mode.startswith("peek")


def test_memories_are_lost_at_random_turn_by_turn() -> None:
    rules = CATALOGUE["cactus"].for_seats(2)
    left = {}
    for recall in (1.0, 0.5, 0.0):
        memory = Memory(rules, Random(1), recall)
        left[recall] = 0
        for step in play_match(rules, 2, Random(3), holes=1):
            for event in step.events:
                memory.observe(mask(event, Seat(0)))
            left[recall] += len(memory.known)
    assert left[1.0] > left[0.5] > left[0.0]


def seen_by(seat: Seat, hole: Hole) -> dict[Position, str]:
    """Return the ranks of the face-down cards that a seat has lawfully seen."""
    return {
        Position(Seat(owner), number): slot.card.rank
        for owner, layout in enumerate(hole.layouts)
        for number, slot in enumerate(layout, 1)
        if slot is not None and not slot.face_up and slot.known >> seat & 1
    }
