"""The level ``medium`` calculates with what it has seen, and no further than its next turn."""

from random import Random

import pytest

from golfnet.bots.hard import HardBot
from golfnet.bots.medium import RIVALRY, UNSURE, MediumBot
from golfnet.bots.seat_knowledge import EMPTY, UNKNOWN, Memory, SeatKnowledge
from golfnet.engine.actions import Draw, Knock, Swap
from golfnet.engine.cards import Position
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Phase
from golfnet.engine.rules import Penalty, RuleSet, SlamMode
from golfnet.rulesets import catalogue
from tests.bots.samples import drawn, knowing, moments, samples

CATALOGUE = catalogue()
CACTUS = CATALOGUE["cactus"].for_seats(2)


def test_an_unknown_card_counts_a_little_more_than_its_mean() -> None:
    """This holds in a last turn, when the card is of no further use."""
    for sample in moments(
        CACTUS, 2, "unsure", lambda each: each.view.closer not in (None, each.seat), holes=6
    ):
        evaluator = MediumBot(CACTUS, Random(1)).evaluator(sample.knowledge)
        unknown, empty = (evaluator.layout((symbol, EMPTY), 1) for symbol in (UNKNOWN, EMPTY))
        assert unknown - empty == pytest.approx(sample.knowledge.mean + UNSURE)


@pytest.mark.parametrize(("penalty", "most"), [(Penalty.FIVE, 5), (Penalty.TEN, 10), (Penalty.DOUBLE, 39)])
def test_knocking_costs_the_price_if_another_layout_seems_lower(penalty: Penalty, most: int) -> None:
    """G4: a layout of 39 points pays the price, one of 0 points does not."""
    free = CATALOGUE["four-card-knock"].for_seats(3)
    sample = next(each for each in samples(free, 3, "price") if each.may_act)

    def knocking(rules: RuleSet, *ranks: str) -> float:
        memory = Memory(rules, Random(1), recall=1.0)
        memory.known = {Position(sample.seat, slot): rank for slot, rank in enumerate(ranks, 1)}
        knowledge = SeatKnowledge(sample.view._replace(rules=rules), memory)
        return MediumBot(rules, Random(1)).evaluator(knowledge).ending(knowledge.own)

    dear = replaced(free, penalty=penalty)
    assert knocking(dear, "K", "K", "K", "K") == knocking(free, "K", "K", "K", "K")
    paid = knocking(dear, "9", "10", "J", "Q") - knocking(free, "9", "10", "J", "Q")
    assert paid == pytest.approx(most)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_weights_of_all_opponents_have_the_same_sum_for_any_number_of_seats(seats: int) -> None:
    rules = CATALOGUE["cactus"].for_seats(seats)
    knowledge = next(samples(rules, seats, "rivalry")).knowledge
    assert MediumBot(rules, Random(1)).rivalry(knowledge) * (seats - 1) == pytest.approx(RIVALRY)
    evaluator = HardBot(rules, Random(1)).evaluator(knowledge)
    assert evaluator.rivalry * (seats - 1) == pytest.approx(1 / seats)


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_bot_knocks_if_it_knows_that_its_cards_count_nothing(level: str) -> None:
    """C7: from the first turn on."""
    for seed in range(3):
        sample = next(moments(CACTUS, 2, f"nothing/{seed}", lambda each: each.has_to(Phase.TURN)))
        assert knowing(sample, level, "0", "0", "0", "0").choose(sample.view) == Knock()


@pytest.mark.parametrize("level", ["medium", "hard"])
@pytest.mark.parametrize("ranks", [("9", "8", "7", "6"), ("6", "9", "7", "8"), ("8", "6", "7", "9")])
def test_a_bot_that_knows_its_high_cards_draws_and_swaps_the_highest_for_a_low_one(
    ranks: tuple[str, ...], level: str
) -> None:
    """Slams are off, since a bot that can slam its highest card away keeps it."""
    rules = replaced(CACTUS, slam=SlamMode.OFF)
    low = 0
    for seed in range(8):
        sample = next(moments(rules, 2, f"lower/{seed}", lambda each: each.has_to(Phase.TURN)))
        bot = knowing(sample, level, *ranks)
        assert bot.choose(sample.view) == Draw()
        holding = drawn(sample)
        assert holding.drawn is not None
        if rules.values[holding.drawn.rank] < 6:
            assert bot.choose(holding) == Swap(1 + ranks.index("9"))
            low += 1
    assert low > 1


def test_current_points_count_more_if_others_may_end_the_hole_sooner() -> None:
    rules = CATALOGUE["multiples"].for_seats(2)
    knowledge = next(iter(samples(rules, 2, "ending"))).knowledge
    high = len(knowledge.pack.ranks) - 4
    own, gone = tuple(range(high, high + 4)), (EMPTY,) * 4
    worth = []
    for down in (1, 2, 4):
        knowledge.layouts = tuple([own if seat == knowledge.seat else gone for seat in range(2)])
        knowledge.down = tuple([(seat != knowledge.seat,) * down for seat in range(2)])
        worth.append(MediumBot(rules, Random(1)).evaluator(knowledge).layout(own, 0))
    now, soon = [MediumBot(rules, Random(1)).unit_values(knowledge).value(own, turns) for turns in (0, 1)]
    assert now > worth[0] > worth[1] > worth[2] > soon
