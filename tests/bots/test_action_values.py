"""No allowed action has a better value than the chosen one, as a second, naive calculation confirms.

The evaluator gives random values, so that no two choices happen to be worth the same.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from random import Random

import pytest

from golfnet.bots.action_values import CURIOSITY, SLAM_SURE, Evaluator, best_target
from golfnet.bots.medium import MediumBot
from golfnet.bots.seat_knowledge import EMPTY, UNKNOWN, Memory, SeatKnowledge, Symbols, replaced
from golfnet.bots.unit_values import UnitValues
from golfnet.engine import actions as do, frozen
from golfnet.engine.cards import HIDDEN, Position
from golfnet.engine.hole import Phase
from golfnet.engine.legality import legal_actions
from golfnet.engine.rules import Cancel, Placed, RuleSet, SlamMode, Start, StartMode
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, is_allowed, moments, shown_own, worth_slamming

CATALOGUE = catalogue()

TURNED_UP = frozen.replaced(
    CATALOGUE["cactus"], start=Start(StartMode.FLIP_ANY, 2), slam=SlamMode.OFF, power=(), name="turned-up"
)
"""Rules under which seats begin with some cards face up, but place cards face down."""

REVEAL = frozen.replaced(CATALOGUE["multiples"], reveal=True, name="reveal")


def unit_values_of(knowledge: SeatKnowledge) -> UnitValues:
    """Return unit values from what a seat knows, without slams."""
    chances = {"draws": knowledge.draws, "offers": knowledge.draws}
    chances |= {"hidden": knowledge.hidden, "kept": knowledge.kept}
    return UnitValues(knowledge.rules, knowledge.pack, **chances, slams=None)


class ArbitraryEvaluator(Evaluator):
    """Gives random values to discards and layouts; the order of the cards in a layout makes no difference."""

    def __init__(self, knowledge: SeatKnowledge, seed: str, rivalry: float) -> None:
        super().__init__(knowledge, unit_values_of(knowledge), rivalry)
        self._seed = seed

    def layout(self, symbols: Symbols, face_down: int) -> float:
        return self._worth(f"{sorted(symbols)}/{face_down}")

    def ending(self, symbols: Symbols) -> float:
        return self._worth("knocking")

    def continuing(self, symbols: Symbols, *, waits: bool) -> float:
        raise AssertionError("``layout`` needs no other value")

    @cached_property
    def leaving(self) -> list[float]:
        return [abs(self._worth(rank)) / 5 for rank in self.knowledge.pack.ranks]

    def _worth(self, of: str) -> float:
        return Random(f"{self._seed}/{of}").uniform(-10.0, 10.0)


@pytest.mark.parametrize("rules", [*CATALOGUE.values(), TURNED_UP, REVEAL], ids=lambda rules: rules.name)
def test_no_allowed_action_has_a_better_value_than_the_best(rules: RuleSet) -> None:
    phases = {*Phase} - {Phase.START}
    choosing = moments(rules, 3, "best", lambda each: each.has_to(*phases), holes=9)
    for number, sample in enumerate(islice(choosing, 40)):
        evaluator = ArbitraryEvaluator(sample.knowledge, str(number), number % 3 / 2)
        best_of(evaluator, legal_actions(sample.hole, sample.seat))
    assert number > 30


def test_the_value_of_a_discard_includes_a_later_slam() -> None:
    """C13: a card can be slammed after another of its rank is discarded, whether just drawn or swapped out."""
    coming = 0
    for sample in moments(CATALOGUE["cactus"], 2, "known", lambda each: each.has_to(Phase.HOLDING), holes=12):
        sample.memory.observe(shown_own(sample))
        for whim in range(4 if sample.knowledge.drawn in sample.knowledge.own else 0):
            evaluator = ArbitraryEvaluator(sample.knowledge, str(whim), 0.0)
            coming += best_of(evaluator, sample.view.choices.actions) == do.Discard()
    assert coming > 5


def test_no_other_gift_has_a_better_value_than_the_one_given() -> None:
    """C14: a seat gives away the card whose loss helps it most, unless that card helps the new owner more."""
    gifts = moments(CATALOGUE["cactus"], 3, "gifts", lambda each: each.has_to(Phase.GIVE), holes=40, least=3)
    for number, sample in enumerate(gifts):
        best_of(ArbitraryEvaluator(sample.knowledge, str(number), 0.5), sample.view.choices.actions)


def best_of(evaluator: ArbitraryEvaluator, allowed: Sequence[do.Action]) -> do.Action:
    """Return the best action; check that no allowed action has a better value."""
    best = evaluator.best(evaluator.knowledge.view)
    assert best is not None
    assert is_allowed(evaluator.knowledge.view, best)
    worths = {action: worth for action in allowed if (worth := naive_worth(evaluator, action)) is not None}
    assert worths[best] <= min(worths.values()) + 1e-9
    return best


def naive_worth(evaluator: ArbitraryEvaluator, action: do.Action) -> float | None:
    """Return the value of an action, calculated directly from what happens next; None if it is never rated."""
    knowledge = evaluator.knowledge
    own, down = knowledge.own, sum(knowledge.own_down)
    unchanged = evaluator.layout(own, down)
    match action:
        case do.Draw():
            best = [
                min(
                    [
                        discarded(evaluator, rank),
                        *(placed(evaluator, at, rank) for at in knowledge.replaceable()),
                    ]
                )
                for rank in range(len(knowledge.draws))
            ]
            return sum(chance * worth for chance, worth in zip(knowledge.draws, best, strict=True))
        case do.Take(slot=int(slot)) if knowledge.top is not None:
            return placed(evaluator, slot - 1, knowledge.top)
        case do.Swap(slot=slot) if knowledge.drawn is not None:
            return placed(evaluator, slot - 1, knowledge.drawn)
        case do.Discard() if knowledge.drawn is not None:
            return discarded(evaluator, knowledge.drawn)
        case do.Flip(slots=(slot,)):
            return shown(evaluator, slot - 1, knowledge.shown_mark, down - 1)
        case do.Pass() | do.Decline():
            return unchanged
        case do.Knock():
            return evaluator.ending(evaluator.knowledge.own)
        case do.Peek(at=(at,)) if at.seat == knowledge.seat:
            return shown(evaluator, at.slot - 1, 0, down)
        case do.Peek(at=(at,)):
            return unchanged - CURIOSITY * (knowledge.layouts[at.seat][at.slot - 1] < 0)
        case do.Give(slot=slot):
            kept = evaluator.layout(replaced(own, slot - 1, EMPTY), down - 1)
            return kept - evaluator.rivalry * evaluator.unit_values.value((own[slot - 1],), 0)
        case do.Switch(one, other) if (one.seat == knowledge.seat) is not (other.seat == knowledge.seat):
            mine, theirs = (one, other) if one.seat == knowledge.seat else (other, one)
            symbol = knowledge.layouts[theirs.seat][theirs.slot - 1]
            given = evaluator.unit_values.value((own[mine.slot - 1],), 0) - evaluator.unit_values.value(
                (symbol,), 0
            )
            return evaluator.layout(replaced(own, mine.slot - 1, symbol), down) - evaluator.rivalry * given
        case _:
            return None


def discarded(evaluator: ArbitraryEvaluator, rank: int) -> float:
    """Return the worth of discarding a drawn card, including a flip or a slam that may follow."""
    knowledge = evaluator.knowledge
    down = sum(knowledge.own_down)
    after = [evaluator.layout(knowledge.own, down)]
    if knowledge.rules.flip:
        face_down = [index for index, is_down in enumerate(knowledge.own_down) if is_down]
        after += [shown(evaluator, index, knowledge.shown_mark, down - 1) for index in face_down]
    return min(after) + evaluator.leaving[rank] - slammed(evaluator, knowledge.own, rank, down)


def placed(evaluator: ArbitraryEvaluator, index: int, rank: int) -> float:
    """Return the worth of putting a card into a slot, which leaves the old card to the next seat."""
    knowledge = evaluator.knowledge
    down = sum(knowledge.own_down) - knowledge.own_down[index] + (knowledge.rules.placed is Placed.DOWN)
    symbols = replaced(knowledge.own, index, rank + knowledge.placed_mark)
    out = knowledge.own[index]
    worth = evaluator.layout(symbols, down)
    if out >= 0:
        return worth + evaluator.leaving[out] - slammed(evaluator, symbols, out, down)
    return worth + sum(
        chance * cost for chance, cost in zip(knowledge.chances(out), evaluator.leaving, strict=True)
    )


def slammed(evaluator: ArbitraryEvaluator, symbols: Symbols, rank: int, down: int) -> float:
    """Return the expected gain from a slam, if the seat knows a card of its own of the rank just discarded."""
    if evaluator.knowledge.rules.slam is SlamMode.OFF or rank not in symbols:
        return 0.0
    less = evaluator.layout(replaced(symbols, symbols.index(rank), EMPTY), down - 1)
    return SLAM_SURE * max(0.0, evaluator.layout(symbols, down) - less)


def shown(evaluator: ArbitraryEvaluator, index: int, mark: int, down: int) -> float:
    """Return the worth of seeing one of the seat's own cards, averaged over all ranks that it may have."""
    symbol = evaluator.knowledge.own[index]
    if symbol >= 0:
        return evaluator.layout(replaced(evaluator.knowledge.own, index, symbol + mark), down)
    return sum(
        chance * evaluator.layout(replaced(evaluator.knowledge.own, index, rank + mark), down)
        for rank, chance in enumerate(evaluator.knowledge.chances(symbol))
    )


CACTUS = catalogue()["cactus"]

NEGATIVE = frozen.replaced(CACTUS, values={**CACTUS.values, "3": -3})
PAIRED = frozen.replaced(CACTUS, cancel=Cancel.COLUMN)


def target_of(knowledge: SeatKnowledge, rivalry: float = 0.25) -> Position | None:
    window = knowledge.view.window
    assert window is not None
    return best_target(knowledge, window.card.rank, unit_values_of(knowledge), rivalry)


def targets(sample: Sample) -> list[Position]:
    """Return the positions that may be slammed and whose card is known to the seat and matches the discard."""
    window = sample.view.window
    assert window is not None
    known = sample.memory.known
    return [at for at in sample.view.choices.slammable if known.get(at) == window.card.rank]


@pytest.mark.parametrize("rules", [CACTUS, NEGATIVE], ids=["cactus", "negative"])
def test_the_slammed_card_is_known_and_gains_the_most(rules: RuleSet) -> None:
    """After a successful slam, no other card is slammed (C12)."""
    claimed = declined = 0
    for sample in moments(rules, 3, "slams", lambda each: each.view.choices.slammable, holes=25):
        assert sample.view.window is not None
        if sample.view.window.won:
            bot = MediumBot(rules, Random(1))
            bot.memory = sample.memory
            assert bot.claim(sample.view) is None
            continue
        for rivalry in (0.0, 0.25, 3.0):
            at = target_of(sample.knowledge, rivalry)
            gains = {at: naive_gain(sample, at, rivalry) for at in targets(sample)}
            if at is None:
                assert all(gain <= 1e-9 for gain in gains.values())
                declined += bool(gains)
            else:
                assert gains[at] == pytest.approx(max(gains.values()))
                assert gains[at] >= -1e-9
                claimed += 1
    assert claimed > 15
    assert declined or rules is CACTUS


def test_a_card_of_a_cancelled_pair_is_not_slammed() -> None:
    """S3: without it, the other card of the pair would count. A third equal card outside the pair is slammed."""

    def may_slam_any_card(sample: Sample) -> bool:
        return len(sample.own_targets) == 4 and sample.view.layouts[sample.seat] == (HIDDEN,) * 4

    for sample in moments(
        PAIRED, 3, "slams", lambda each: worth_slamming(each) and may_slam_any_card(each), holes=25
    ):
        own, rank = sample.own_targets, worth_slamming(sample)
        for equal, expected in (((0, 2), None), ((0, 1), own[0]), ((0, 1, 2), own[1])):
            memory = Memory(PAIRED, Random(1), recall=1.0)
            memory.known = {own[index]: rank for index in equal}
            assert target_of(SeatKnowledge(sample.view, memory)) == expected


def naive_gain(sample: Sample, at: Position, rivalry: float) -> float:
    """Return what a slam gains if no cards cancel. An unknown card counts as the average of all cards it may be."""
    knowledge = sample.knowledge

    def points(symbol: int) -> float:
        if symbol >= 0:
            return knowledge.pack.values[symbol]
        if symbol == EMPTY:
            return 0.0
        chances = knowledge.hidden if symbol == UNKNOWN else knowledge.kept
        return sum(chance * value for chance, value in zip(chances, knowledge.pack.values, strict=True))

    slammed = points(knowledge.layouts[at.seat][at.slot - 1])
    if at.seat == sample.seat:
        return slammed
    own = [points(symbol) for symbol in knowledge.own if symbol != EMPTY]
    return max(given + rivalry * (given - slammed) for given in own)
