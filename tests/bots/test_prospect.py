"""A prospect prefers what is better in every respect, whatever else it reckons with."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.hard import HardBot
from golfnet.bots.memory import Memory
from golfnet.bots.race import ends_with_first, turns_left
from golfnet.bots.reading import EMPTY, LOCKED, UNKNOWN, Reading, replaced
from golfnet.engine.layout import Position
from golfnet.engine.rules import Cancel, Penalty, SlamMode
from golfnet.engine.scoring import layout_score
from golfnet.rulesets import catalogue
from tests.bots.moments import Moment, moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.bots.prospect import Prospect
    from golfnet.engine.rules import RuleSet

CATALOGUE = catalogue()
HAIR = 1e-9

PLAIN = {
    name: replace(rules, cancel=Cancel.NONE, slam=SlamMode.OFF, power=()) for name, rules in CATALOGUE.items()
}
"""Every rule set without pairs and slams: a lower card is then the better one without any doubt."""

PRICED = {penalty.value: replace(PLAIN["six-card-final"], penalty=penalty) for penalty in Penalty}
CLOSING = {
    **{name: rules for name, rules in CATALOGUE.items() if ends_with_first(rules) or rules.knock},
    "cactus": PLAIN["cactus"],
}
"""Rule sets in which a seat may end the hole; in cactus others' powers are a reason not to."""


def prospects(rules: RuleSet, seats: int = 3, step: int = 7) -> Iterator[tuple[Moment, Prospect]]:
    """Yield some moments of random play with their prospects."""
    played = rules.for_seats(seats)
    for number, moment in enumerate(moments(rules, seats, "prospects")):
        if number % step == 0:
            yield moment, prospect(moment.reading, played)


def prospect(reading: Reading, rules: RuleSet) -> Prospect:
    return HardBot(rules, Random(1)).judge(reading)


@pytest.mark.parametrize("rules", [*PLAIN.values(), *PRICED.values()], ids=[*PLAIN, *PRICED])
def test_a_layout_that_is_better_in_every_card_is_worth_no_less(rules: RuleSet) -> None:
    """Whether cards lie face down or the hole ends, and whatever closing costs (C9, G4)."""
    compared = 0
    chance = Random(1)
    for _, judge in prospects(rules):
        ranks = range(len(judge.reading.pack.ranks))
        for _ in range(5):
            cards = [sorted(chance.choices(ranks, k=2)) for _ in range(rules.slots)]
            marks = [chance.choice([0, judge.reading.placed_mark]) for _ in cards]
            low = tuple(pair[0] + mark for pair, mark in zip(cards, marks, strict=True))
            high = tuple(pair[1] + mark for pair, mark in zip(cards, marks, strict=True))
            for face_down in (0, 1, rules.slots):
                assert judge.layout(low, face_down) <= judge.layout(high, face_down) + HAIR
                compared += low != high
    assert compared > 50


@pytest.mark.parametrize("name", PLAIN)
def test_an_unknown_card_is_worth_something_between_the_lowest_and_the_highest(name: str) -> None:
    for _, judge in prospects(PLAIN[name]):
        highest = len(judge.reading.pack.ranks) - 1
        for index in judge.reading.replaceable():
            lowest, unknown, worst = (
                judge.layout(replaced(judge.reading.own, index, symbol), 1)
                for symbol in (0, UNKNOWN, highest)
            )
            assert lowest <= unknown + HAIR
            assert unknown <= worst + HAIR


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_empty_slot_is_worth_as_much_as_a_locked_card_that_counts_nothing(name: str) -> None:
    rules = replace(CATALOGUE[name], cancel=Cancel.NONE)
    nothing = [rank for rank, points in rules.values.items() if points == 0]
    for _, judge in prospects(rules):
        own, numbers = judge.reading.own, judge.reading.pack.numbers
        for rank in set(nothing) & set(numbers):
            locked = judge.layout(replaced(own, 0, numbers[rank] + LOCKED), 1)
            assert judge.layout(replaced(own, 0, EMPTY), 1) == pytest.approx(locked)


@pytest.mark.parametrize("rules", CLOSING.values(), ids=CLOSING)
def test_nothing_is_worth_more_than_to_end_the_hole_with_the_lowest_possible_layout(rules: RuleSet) -> None:
    """Own points can then only rise, and those of the others only fall."""
    played = rules.for_seats(3)
    lowest = lowest_layout(played)
    compared = 0
    for moment, _ in prospects(rules):
        if moment.view.closer is not None:
            continue
        memory = Memory(played, Random(1), recall=1.0)
        memory.pile = list(moment.memory.pile)
        at = [Position(moment.seat, slot) for slot in range(1, rules.slots + 1)]
        memory.known = dict(zip(at, lowest, strict=True))
        slots = ("?",) * rules.slots
        layouts = [*moment.view.layouts[: moment.seat], slots, *moment.view.layouts[moment.seat + 1 :]]
        reading = Reading(moment.view._replace(layouts=tuple(layouts)), memory)
        if turns_left(reading) < 1:
            continue  # the others have no last turns either then (X6)
        judge = prospect(reading, played)
        ended = judge.knocking() if rules.knock else judge.layout(reading.own, 0)
        other = replaced(reading.own, 0, len(reading.pack.ranks) - 1)
        assert ended <= judge.layout(reading.own, rules.slots) + HAIR
        assert ended <= judge.layout(other, rules.slots) + HAIR
        compared += 1
    assert compared > 2


@pytest.mark.parametrize("name", [name for name, rules in CATALOGUE.items() if ends_with_first(rules)])
def test_with_the_highest_cards_it_is_better_that_the_hole_goes_on(name: str) -> None:
    """So a card that lies face down is worth something: the hole does not end."""
    rules, compared = PLAIN[name], 0
    for moment, judge in prospects(rules):
        if moment.view.closer is None and turns_left(judge.reading) > 2:
            highest = (len(judge.reading.pack.ranks) - 1,) * rules.slots
            assert judge.layout(highest, 1) < judge.layout(highest, 0)
            compared += 1
    assert compared > 2


@pytest.mark.parametrize("name", CATALOGUE)
def test_leaving_a_card_never_gains_and_costs_nothing_before_the_closer(name: str) -> None:
    costly = free = 0
    for moment, judge in prospects(CATALOGUE[name], step=4):
        costs = judge.discards()
        assert len(costs) == len(judge.reading.pack.ranks)
        assert min(costs) >= 0.0
        if moment.view.closer == (moment.seat + 1) % 3:
            assert set(costs) == {0.0}
            free += 1
        costly += max(costs) > 0.0
    assert costly
    assert free or not CATALOGUE[name].final_turn


def test_a_card_is_left_for_nothing_to_a_seat_that_can_place_none() -> None:
    """F2: all of its cards are locked."""
    rules = CATALOGUE["four-turn"].for_seats(3)
    for moment, judge in prospects(rules):
        locked = list(moment.view.layouts)
        locked[(moment.seat + 1) % 3] = ("QS", "KH", "9D", "9C")
        after = prospect(Reading(moment.view._replace(layouts=tuple(locked)), moment.memory), rules)
        assert max(after.discards()) == 0.0
        assert judge.reading.layouts != after.reading.layouts


def test_where_every_layout_has_to_be_face_up_the_own_one_ends_nothing_before_the_others() -> None:
    """M3: till then a high card counts for less than its points, since it may still be replaced."""
    rules = PLAIN["multiples"].for_seats(3)
    settled = 0
    for moment, judge in prospects(rules):
        up = [tuple("9H" for _ in slots) for slots in moment.view.layouts]
        others_up = prospect(Reading(moment.view._replace(layouts=tuple(up)), moment.memory), rules)
        values = judge.reading.pack.values
        low, high = (0,) * rules.slots, (len(values) - 1,) * rules.slots
        points = (values[-1] - values[0]) * rules.slots
        assert others_up.layout(high, 0) - others_up.layout(low, 0) == pytest.approx(points)
        if turns_left(judge.reading) > 2 and any(
            any(judge.reading.down[seat]) for seat in judge.reading.others
        ):
            assert judge.layout(high, 0) - judge.layout(low, 0) < points - 1
            settled += 1
    assert settled > 2


@pytest.mark.parametrize("name", PLAIN)
def test_the_lower_a_card_the_dearer_it_is_to_leave(name: str) -> None:
    for _, judge in prospects(PLAIN[name]):
        costs = judge.discards()
        assert costs == pytest.approx(sorted(costs, reverse=True))


@pytest.mark.parametrize("name", [name for name in CATALOGUE if CATALOGUE[name].final_turn])
def test_in_a_last_turn_layouts_differ_by_what_they_count(name: str) -> None:
    rules = PLAIN[name]
    chance, compared = Random(2), 0
    for moment, judge in prospects(rules, step=1):
        if moment.view.closer is None or moment.view.closer == moment.seat:
            continue
        values = judge.reading.pack.values
        one, other = (tuple(chance.choices(range(len(values)), k=rules.slots)) for _ in range(2))
        more = sum(values[rank] for rank in one) - sum(values[rank] for rank in other)
        assert judge.layout(one, 1) - judge.layout(other, 1) == pytest.approx(more)
        compared += 1
    assert compared


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_others_together_weigh_one_part_in_as_many_as_there_are_seats(seats: int) -> None:
    rules = CATALOGUE["six-card"]
    judge = next(judge for _, judge in prospects(rules, seats))
    assert judge.rivalry * (seats - 1) == pytest.approx(1 / seats)


def lowest_layout(rules: RuleSet) -> list[str]:
    """Return the ranks of a layout that counts as little as can be: a low rank in every other row, another between."""
    deck = {card.rank: card for card in rules.deck_for(3)}
    layouts = [
        [deck[one if slot // rules.columns % 2 else other] for slot in range(rules.slots)]
        for one, other in product(deck, deck)
    ]
    return [card.rank for card in min(layouts, key=lambda cards: layout_score(rules, cards))]
