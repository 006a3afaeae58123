"""The level ``hard`` values what is better in every respect no less; golden hints pin what it plays."""

from collections.abc import Iterator
from itertools import islice, product
from random import Random

import pytest

from golfnet.bots.hard import SMALL, HardBot, HardEvaluator
from golfnet.bots.medium import MediumBot
from golfnet.bots.seat_knowledge import UNKNOWN
from golfnet.bots.unit_values import LayoutPartition
from golfnet.engine import frozen
from golfnet.engine.rules import Cancel, Penalty, RuleSet, SlamMode
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, samples

CATALOGUE = catalogue()
WHOLE_DECK = ["four-turn", "multiples", "nine-card"]
"""Rules with large units, whose values are calculated once from the whole deck."""


ANYWHERE = frozen.replaced(CATALOGUE["eight-card"], cancel=Cancel.ANYWHERE, name="anywhere")


@pytest.mark.parametrize("rules", [*CATALOGUE.values(), ANYWHERE], ids=lambda rules: rules.name)
def test_placing_a_card_has_the_value_of_the_resulting_layout(rules: RuleSet) -> None:
    for sample in islice(samples(rules, 2, f"placing/{rules.name}"), 0, 120, 6):
        knowledge = sample.knowledge
        for bot in (HardBot(rules.for_seats(2), Random(1)), MediumBot(rules.for_seats(2), Random(1))):
            evaluator = bot.evaluator(knowledge)
            for index, face_down in product(knowledge.replaceable(), (0, 1)):
                layouts = knowledge.with_each_rank(knowledge.own, index)
                values = [evaluator.layout(symbols, face_down) for symbols in layouts]
                assert evaluator.placed(index, face_down) == pytest.approx(values)


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_unknown_card_counts_as_the_mean_of_the_unseen_cards_or_of_the_deck(name: str) -> None:
    """The mean of the deck is used only where all bots of a table share the unit values of ``hard``."""
    rules = CATALOGUE[name].for_seats(3)
    large = name in WHOLE_DECK
    assert large is (LayoutPartition(rules).largest > SMALL)
    means, shared = set(), set[int]()
    for sample in samples(rules, 3, name):
        knowledge = sample.knowledge
        near_the_end = rules.turns is not None and rules.turns - sample.view.turns[sample.seat] <= 3
        medium = MediumBot(rules, Random(1)).unit_values(knowledge)
        assert medium.value((UNKNOWN,), 0) == pytest.approx(knowledge.mean)
        unit_values = HardBot(rules, Random(1)).unit_values(knowledge)
        if large and not near_the_end:
            shared.add(id(unit_values))
            counts = zip(knowledge.pack.counts, knowledge.pack.values, strict=True)
            mean = sum(count * value for count, value in counts) / sum(knowledge.pack.counts)
        else:
            mean = knowledge.mean
        assert unit_values.value((UNKNOWN,), 0) == pytest.approx(mean)
        means.add(mean)
    assert len(shared) == large  # the bots of a table share one object
    assert large or len(means) > 5


# --- the evaluator


PLAIN = {
    name: frozen.replaced(rules, cancel=Cancel.NONE, slam=SlamMode.OFF, power=())
    for name, rules in CATALOGUE.items()
}
"""Every rule set without pairs, slams and powers, so that a lower card is always better."""

PRICED = {penalty.value: frozen.replaced(PLAIN["six-card-final"], penalty=penalty) for penalty in Penalty}


def evaluators(rules: RuleSet, step: int = 7) -> Iterator[tuple[Sample, HardEvaluator]]:
    """Yield some samples of random play of a hole by three seats with their evaluators."""
    bot = HardBot(rules.for_seats(3), Random(1))
    for sample in islice(samples(rules, 3, "prospects"), 0, None, step):
        yield sample, bot.evaluator(sample.knowledge)


@pytest.mark.parametrize("rules", [*PLAIN.values(), *PRICED.values()], ids=[*PLAIN, *PRICED])
def test_a_layout_that_is_better_in_every_card_is_worth_no_less(rules: RuleSet) -> None:
    """This holds whether or not cards lie face down, and whatever closing costs (C9, G4)."""
    chance = Random(1)
    for _, evaluator in evaluators(rules):
        ranks = range(len(evaluator.knowledge.pack.ranks))
        for _ in range(5):
            cards = [sorted(chance.choices(ranks, k=2)) for _ in range(rules.slots)]
            marks = [chance.choice([0, evaluator.knowledge.placed_mark]) for _ in cards]
            low = tuple(pair[0] + mark for pair, mark in zip(cards, marks, strict=True))
            high = tuple(pair[1] + mark for pair, mark in zip(cards, marks, strict=True))
            for face_down in (0, 1, rules.slots):
                assert evaluator.layout(low, face_down) <= evaluator.layout(high, face_down) + 1e-9


@pytest.mark.parametrize("name", CATALOGUE)
def test_discarding_never_gains_anything_and_costs_nothing_if_the_closer_is_next(name: str) -> None:
    costly = free = 0
    for sample, evaluator in evaluators(CATALOGUE[name], step=4):
        costs = evaluator.leaving
        assert len(costs) == len(evaluator.knowledge.pack.ranks)
        assert min(costs) >= 0.0
        if sample.view.closer == (sample.seat + 1) % 3:
            assert set(costs) == {0.0}
            free += 1
        costly += max(costs) > 0.0
    assert costly
    assert free or not CATALOGUE[name].final_turn
