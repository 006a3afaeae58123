"""A seat knows every card that the engine does not hide from it, and how likely each rank is for the others."""

from collections import Counter
from itertools import chain
from random import Random

import pytest

from golfnet.bots.seat_knowledge import EMPTY, KEPT, LOCKED, RANK, UNKNOWN, Memory, SeatKnowledge
from golfnet.engine.actions import Swap
from golfnet.engine.cards import Seat, Slot
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole, Phase
from golfnet.engine.rules import FaceUp, Recall, RuleSet, SlamMode, StockEnd
from golfnet.rulesets import catalogue
from tests.bots.samples import Sample, moments, samples, short
from tests.engine.laws import Line, law

CATALOGUE = catalogue()

LONG = (
    replaced(CATALOGUE["eight-card"].for_seats(3), face_up=FaceUp.OFF, final_turn=False),
    replaced(CATALOGUE["cactus"], knock=False, slam=SlamMode.OFF, stock_end=StockEnd.FINISH, reshuffles=1),
)
"""Rules under which a hole outlasts its stock."""


NEGATIVE = replaced(CATALOGUE["six-card"], values=dict.fromkeys(CATALOGUE["six-card"].values, -1))
"""Rules under which an unknown card counts less than nothing on average."""


@law(examples=2)
def test_a_seat_knows_each_card_that_it_has_seen_and_the_chances_of_the_others(line: Line) -> None:
    for sample in samples(short(line.rules, turns=8), line.seats, str(line.seed)):
        check_knowledge(sample)


@pytest.mark.parametrize("rules", [*LONG, NEGATIVE], ids=lambda rules: rules.name)
def test_the_chances_are_right_after_a_reshuffle_or_if_an_unknown_card_counts_less_than_nothing(
    rules: RuleSet,
) -> None:
    reshuffled = 0
    for sample in chain(*[samples(rules, 3, str(seed)) for seed in range(4)]):
        check_knowledge(sample)
        reshuffled += sample.memory.stock is not None
    assert reshuffled or rules is NEGATIVE


def test_knowledge_follows_penalty_cards_and_gifts() -> None:
    """C14, C15: these are so rare that the law needs many holes to find a mistake."""
    for sample in chain(*[samples(CATALOGUE["cactus"], 3, f"gifts/{seed}") for seed in range(8)]):
        check_knowledge(sample)


def check_knowledge(sample: Sample) -> None:
    knowledge, pack = sample.knowledge, sample.knowledge.pack
    assert unseen(knowledge) == Counter(hidden_from(sample.seat, sample.hole))
    for seat, layout in enumerate(sample.hole.layouts):
        for slot, symbol, down in zip(layout, knowledge.layouts[seat], knowledge.down[seat], strict=True):
            assert down is (slot is not None and not slot.face_up)
            assert_is_symbol_of(slot, symbol, sample)
    if sample.view.phase is Phase.HOLDING and sample.may_act:
        slots = [action.slot for action in sample.view.choices.actions if isinstance(action, Swap)]
        assert [index + 1 for index in knowledge.replaceable()] == slots
    means = []
    for chances in (knowledge.draws, knowledge.hidden, knowledge.kept):
        assert sum(chances) == pytest.approx(1.0)
        assert min(chances) >= 0.0
        means.append(sum(chance * value for chance, value in zip(chances, pack.values, strict=True)))
    assert knowledge.mean == pytest.approx(means[1])
    assert means[2] <= means[1] + 1e-9, "a card that somebody kept is no higher on average"
    assert all(knowledge.draws[pack.numbers[card.rank]] > 0 for card in sample.hole.stock)
    for slot in unknown_slots(sample.seat, sample.hole):
        assert knowledge.hidden[pack.numbers[slot.card.rank]] > 0


def test_a_card_that_another_seat_has_seen_may_be_marked_as_kept() -> None:
    knowledge = [sample.knowledge for sample in samples(CATALOGUE["cactus"], 3, "kept")]
    assert any(KEPT in symbols for each in knowledge for symbols in each.layouts)


def test_a_seats_own_forgotten_card_is_marked_as_unknown_not_as_kept() -> None:
    forgotten = 0
    for sample in samples(CATALOGUE["cactus"], 3, "forgotten"):
        sample.memory.known.clear()
        assert set(sample.knowledge.own) <= {UNKNOWN, EMPTY}
        forgotten += any(at.seat == sample.seat for at in sample.memory.looked)
    assert forgotten


def test_after_a_reshuffle_the_stock_is_known_if_cards_are_placed_face_up() -> None:
    """The face-down cards are known, too; a card that another seat has drawn may be any card of the stock."""
    held = set()
    for sample in moments(LONG[0], 3, "stock", lambda each: each.memory.stock is not None, holes=4):
        knowledge, hole = sample.knowledge, sample.hole
        stock = [card.rank for card in hole.stock]
        if hole.drawn is not None and knowledge.drawn is None:
            stock.append(hole.drawn.card.rank)
        hidden = [slot.card.rank for slot in unknown_slots(sample.seat, hole)]
        for ranks, chances in ((stock, knowledge.draws), (hidden, knowledge.hidden)):
            if ranks:
                assert chances == [ranks.count(rank) / len(ranks) for rank in knowledge.pack.ranks]
        held.add(bool(hidden) and sample.view.holding not in (None, sample.seat))
    assert held == {True, False}


def test_a_view_that_still_shows_cards_replaces_a_memory() -> None:
    """X10, X16: a seat need not remember what it has lawfully seen."""
    rules = replaced(CATALOGUE["cactus"], recall=Recall.ALWAYS)
    for sample in samples(rules, 3, "always"):
        blank = Memory(rules, Random(1), recall=1.0)
        shown = [known_symbols(symbols) for symbols in SeatKnowledge(sample.view, blank).layouts]
        assert shown == [known_symbols(symbols) for symbols in sample.knowledge.layouts]


def unseen(knowledge: SeatKnowledge) -> Counter[str]:
    """Return how many cards of each rank a seat has not seen."""
    return Counter(
        {rank: count for rank, count in zip(knowledge.pack.ranks, knowledge.unseen, strict=True) if count}
    )


def hidden_from(seat: Seat, hole: Hole) -> list[str]:
    """Return the ranks hidden from a seat: the stock, unknown face-down cards, another seat's drawn card."""
    ranks = [card.rank for card in hole.stock]
    ranks += [slot.card.rank for slot in unknown_slots(seat, hole)]
    if hole.drawn is not None and hole.drawn.seat != seat and not hole.drawn.from_discard:
        ranks.append(hole.drawn.card.rank)
    return ranks


def unknown_slots(seat: Seat, hole: Hole) -> list[Slot]:
    """Return the slots with a face-down card that a seat has not lawfully seen (X16)."""
    return [
        slot
        for layout in hole.layouts
        for slot in layout
        if slot is not None and not slot.face_up and not slot.known >> seat & 1
    ]


def assert_is_symbol_of(slot: Slot | None, symbol: int, sample: Sample) -> None:
    """Check one symbol against the card in its slot."""
    if slot is None:
        assert symbol == EMPTY
    elif slot.face_up or slot.known >> sample.seat & 1:
        assert sample.knowledge.pack.ranks[symbol & RANK] == slot.card.rank
        assert (symbol >= LOCKED) is (slot.face_up and sample.hole.rules.lock)
    else:
        assert symbol in ((UNKNOWN, KEPT) if slot.known else (UNKNOWN,))


def known_symbols(symbols: tuple[int, ...]) -> list[int | None]:
    """Return the symbols of a layout, with None for cards that are not known."""
    return [symbol if symbol >= 0 else None for symbol in symbols]
