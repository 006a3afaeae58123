"""What layouts count: F3 to F5, C4, C9, S3, G3, G4, K3, M4, X9 and X11, and a second scorer that counts otherwise."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import CARDS, Card
from golfnet.engine.layout import Seat
from golfnet.engine.options import override
from golfnet.engine.rules import Cancel, Penalty, RuleSet
from golfnet.engine.scoring import cancelled_slots, hole_scores, layout_score, places, slot_points
from golfnet.engine.variants import CACTUS, FOUR_CARD_KNOCK, FOUR_TURN, MULTIPLES, SIX_CARD, SIX_CARD_FINAL
from tests.engine.strategies import rule_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

JOKERS = override(SIX_CARD_FINAL, {"jokers": "2"})
NINE = override(SIX_CARD_FINAL, {"rows": "3", "start": "flip-any-3", "decks": "2", "seats": "2-10"})


def layout(text: str) -> list[Card | None]:
    """Return the cards of a layout drawn row by row, ``-`` for an empty slot."""
    return [None if word == "-" else CARDS[word] for word in text.replace("/", " ").split()]


def score(rules: RuleSet, text: str) -> int:
    return layout_score(rules, layout(text))


@pytest.mark.parametrize(
    ("rules", "text", "points"),
    [
        pytest.param(FOUR_TURN, "6S QS / JC 6D", 10, id="F5: the first worked example"),
        pytest.param(FOUR_TURN, "7D 5S / 5H 7C", 0, id="F5: the second worked example"),
        pytest.param(FOUR_TURN, "7D 7S / 7H AC", 8, id="F3: three sevens count 7"),
        pytest.param(FOUR_TURN, "7D 7S / 7H 7C", 14, id="F3: four sevens count 14"),
        pytest.param(FOUR_TURN, "7D 7S / 2H 3C", 5, id="F3: a pair in a row"),
        pytest.param(FOUR_TURN, "7D 2S / 7H 3C", 5, id="F3: a pair in a column"),
        pytest.param(FOUR_TURN, "7D 2S / 3H 7C", 5, id="F3: a pair across"),
        pytest.param(FOUR_TURN, "JD QS / KH AC", 21, id="F4: jack 0, queen 10, king 10"),
        pytest.param(CACTUS, "7D 7S / 7H 7C", 28, id="C4: nothing cancels"),
        pytest.param(CACTUS, "JD QS / 0H 1C", 21, id="C4: jack and queen count 10"),
        pytest.param(CACTUS, "5D - / - - 3S", 8, id="C13, C15: empty slots count nothing, new ones count"),
        pytest.param(CACTUS, "- - / - -", 0, id="C14: no cards, no points"),
        pytest.param(SIX_CARD, "2S 5H AC / 2D 9H 3C", 18, id="S3: two twos count 0, not -4"),
        pytest.param(SIX_CARD, "2S 2H AC / 5D 9H 3C", 14, id="S3: twos in a row do not cancel"),
        pytest.param(SIX_CARD, "KS 5H AC / KD 5D AS", 0, id="S3: three pairs"),
        pytest.param(SIX_CARD, "7S 9H 7D / 7H 2C 7C", 7, id="S4: columns are slots 1 4, 2 5, 3 6"),
        pytest.param(SIX_CARD, "9S 8H 7D / 8S 7C 9C", 48, id="S4: rows and diagonals are no columns"),
        pytest.param(SIX_CARD_FINAL, "2S 5H AC / 3D 9H 3C", 23, id="G6: twos count 2"),
        pytest.param(JOKERS, "* 5H AC / 3D 9H 3C", 19, id="G3: a joker counts -2"),
        pytest.param(JOKERS, "* 5H AC / * 9H 3C", 18, id="G3: a joker pair in a column counts 0"),
        pytest.param(JOKERS, "* * AC / 3D 9H 3C", 12, id="G3: jokers in a row count -4"),
        pytest.param(FOUR_CARD_KNOCK, "7S 7H / 2C 3D", 19, id="K3: pairs cancel in columns"),
        pytest.param(MULTIPLES, "7S 7H / 7C 3D", 3, id="M4: three equal cards count 0"),
        pytest.param(MULTIPLES, "JS JH / JC JD", 0, id="M4: four jacks count 0"),
        pytest.param(MULTIPLES, "QS QH / 9C 9D", 0, id="M4: two pairs"),
        pytest.param(NINE, "5S 5H AC / 5D 9H 3C / 5C 2H 3D", 23, id="nine cards: a column of three cancels"),
        pytest.param(NINE, "5S 9H AC / 5D 9D 3C / 4C 2H 3D", 41, id="nine cards: two of a column do not"),
    ],
)
def test_what_a_layout_counts(rules: RuleSet, text: str, points: int) -> None:
    assert score(rules, text) == points


def test_k3_cancel_anywhere_counts_one_pair_per_rank() -> None:
    anywhere = override(FOUR_CARD_KNOCK, {"cancel": "anywhere"})
    assert score(anywhere, "7S 7H / 2C 3D") == 5
    assert score(anywhere, "7S 7H / 7C 3D") == 10


def test_c13_a_column_with_an_empty_slot_does_not_cancel_and_new_slots_are_in_no_column() -> None:
    columns = override(CACTUS, {"cancel": "column"})
    assert score(columns, "7S 3H / 7D 4C") == 7
    assert score(columns, "7S 3H / - 4C 7D") == 21


def test_a_single_row_has_no_columns_to_cancel() -> None:
    assert score(override(SIX_CARD, {"rows": "1"}), "7S 7H 3C") == 17


@st.composite
def scored(draw: DrawFn) -> tuple[RuleSet, list[Card | None]]:
    """Draw a rule set and a layout of it with many equal ranks, some slots emptied, some new."""
    rules = draw(rule_sets())
    deck = rules.deck_for(rules.seats.high)
    few = draw(st.lists(st.sampled_from(sorted({card.rank for card in deck})), min_size=1, max_size=3))
    likely = [card for card in deck if card.rank in few]
    slots = st.sampled_from(likely) | st.sampled_from(deck) | st.none()
    dealt = rules.rows * rules.columns
    return rules, draw(st.lists(slots, min_size=dealt, max_size=min(dealt + 2, 9) if dealt < 9 else dealt))


@given(scored())
def test_a_second_scorer_agrees(drawn: tuple[RuleSet, list[Card | None]]) -> None:
    rules, cards = drawn
    assert layout_score(rules, cards) == naive_score(rules, cards)


@given(scored())
def test_what_each_card_counts_makes_the_score_and_what_is_cancelled_counts_nothing(
    drawn: tuple[RuleSet, list[Card | None]],
) -> None:
    rules, cards = drawn
    each = slot_points(rules, cards)
    assert sum(points or 0 for points in each) == layout_score(rules, cards)
    assert [points is None for points in each] == [card is None for card in cards]
    groups = cancelled_slots(rules, cards)
    slots = [slot for group in groups for slot in group]
    assert len(slots) == len(set(slots))
    for group in groups:
        assert len({card and card.rank for card in (cards[slot - 1] for slot in group)}) == 1
    assert all(each[slot - 1] == 0 for slot in slots)
    kept = [card for slot, card in enumerate(cards, 1) if slot not in slots]
    assert layout_score(rules, cards) == sum(rules.values[card.rank] for card in kept if card is not None)


def test_cards_that_are_not_known_cancel_nothing() -> None:
    assert cancelled_slots(SIX_CARD, layout("7S - 3C / 7D - 3S")) == ((1, 4), (3, 6))
    assert cancelled_slots(SIX_CARD, layout("7S - 3C / - - 3S")) == ((3, 6),)
    assert cancelled_slots(FOUR_TURN, layout("7D 7S / 7H AC")) == ((1, 2),)


@given(scored())
def test_x11_suits_never_matter(drawn: tuple[RuleSet, list[Card | None]]) -> None:
    rules, cards = drawn
    one_suit = [card and CARDS[card.rank if card.rank == "*" else f"{card.rank}S"] for card in cards]
    assert layout_score(rules, one_suit) == layout_score(rules, cards)


def naive_score(rules: RuleSet, cards: Sequence[Card | None]) -> int:
    """Score by trying every set of slots as the cancelled one: the largest lawful set cancels, the rest counts."""
    held = {slot: card for slot, card in enumerate(cards) if card is not None}
    for size in range(len(held), -1, -1):
        for chosen in combinations(held, size):
            if lawful(rules, held, set(chosen)):
                return sum(rules.values[card.rank] for slot, card in held.items() if slot not in chosen)
    raise AssertionError("the empty set is always lawful")


def lawful(rules: RuleSet, held: dict[int, Card], chosen: set[int]) -> bool:
    ranks = [held[slot].rank for slot in chosen]
    if rules.cancel is Cancel.NONE:
        return not chosen
    if rules.cancel is Cancel.ANYWHERE:
        return all(ranks.count(rank) == 2 for rank in ranks)
    if rules.cancel is Cancel.ALL:
        return all(ranks.count(rank) >= 2 for rank in ranks)
    dealt = rules.rows * rules.columns
    columns = [set(range(column, dealt, rules.columns)) for column in range(rules.columns)]
    whole = [
        column for column in columns if column <= chosen and len({held[slot].rank for slot in column}) == 1
    ]
    return rules.rows > 1 and chosen == set().union(*whole) if chosen else True


A, B, C = Seat(0), Seat(1), Seat(2)


@pytest.mark.parametrize(
    ("knocker", "points"),
    [("2S 3S / 0S 0H", 5), ("2S 3S / 1S 0H", 12), ("JS JH / QS QD", 80), ("- - / - -", 0)],
)
def test_c9_the_knocker_pays_double_above_five(knocker: str, points: int) -> None:
    others = "9S 9H / 9D 9C"
    assert hole_scores(CACTUS, [layout(others), layout(knocker)], B) == (36, points)


def test_c9_the_knocker_pays_double_even_with_the_lowest_score() -> None:
    assert hole_scores(CACTUS, [layout("2S 2H / 1D 1C"), layout("9S 9H / 9D 9C")], A) == (12, 36)


def test_c9_no_score_is_doubled_without_a_knock() -> None:
    assert hole_scores(CACTUS, [layout("2S 2H / 1D 1C"), layout("9S 9H / 9D 9C")], None) == (6, 36)


LOW, MIDDLE, HIGH = "AS 5H 9C / AD 5D 9S", "AS 5H 9C / AD 5D 10S", "AS 5H 9C / AD 5D JS"
MINUS = "* 5H 9C / KS 5D 9S"


@pytest.mark.parametrize(
    ("penalty", "layouts", "closer", "expected"),
    [
        ("none", (LOW, HIGH), B, (0, 19)),
        ("+5", (LOW, HIGH), B, (0, 24)),
        ("+10", (LOW, HIGH), B, (0, 29)),
        ("double", (LOW, HIGH), B, (0, 38)),
        ("double", (LOW, HIGH, MIDDLE), C, (0, 19, 38)),
        ("double-over-5", (LOW, HIGH), B, (0, 38)),
        ("+5", (LOW, HIGH), A, (0, 19)),
        ("+5", (HIGH, HIGH), A, (19, 19)),
        ("double", (HIGH, HIGH), A, (19, 19)),
        ("double", (LOW, MINUS), A, (0, -2)),
        ("+5", (LOW, MINUS), A, (5, -2)),
        ("+10", (LOW, HIGH), None, (0, 19)),
    ],
)
def test_g4_the_price_of_closing_without_the_lowest_score_or_a_share_of_it(
    penalty: str, layouts: tuple[str, ...], closer: Seat | None, expected: tuple[int, ...]
) -> None:
    rules = override(JOKERS, {"penalty": penalty})
    assert hole_scores(rules, [layout(text) for text in layouts], closer) == expected


def test_g4_double_leaves_a_score_below_zero_as_it_is() -> None:
    rules = override(JOKERS, {"penalty": "double"})
    assert hole_scores(rules, [layout("* * 9C / KS KD 9S"), layout(MINUS)], B) == (-4, -2)


@given(st.sampled_from(list(Penalty)), st.data())
def test_closing_never_costs_anybody_else_and_never_gains(penalty: Penalty, data: st.DataObject) -> None:
    rules = override(JOKERS, {"penalty": penalty.value})
    deck = rules.deck_for(2)
    dealt = st.lists(st.sampled_from(deck), min_size=6, max_size=6)
    layouts = data.draw(st.lists(dealt, min_size=2, max_size=4))
    closer = data.draw(st.integers(0, len(layouts) - 1))
    free = hole_scores(rules, layouts, None)
    paid = hole_scores(rules, layouts, Seat(closer))
    assert paid[closer] >= free[closer]
    assert [n for n in range(len(free)) if paid[n] != free[n]] in ([], [closer])


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((10, 20, 30), (1, 2, 3)),
        ((30, 20, 10), (3, 2, 1)),
        ((10, 10, 30), (1, 1, 3)),
        ((10, 20, 20, 5), (2, 3, 3, 1)),
        ((7, 7, 7), (1, 1, 1)),
        ((-3, 0), (1, 2)),
    ],
)
def test_x9_the_lowest_total_is_first_and_equal_totals_share_a_place(
    totals: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert places(totals) == expected


@given(st.lists(st.integers(-50, 200), min_size=2, max_size=12))
def test_x9_a_place_is_one_more_than_the_number_of_lower_totals(totals: list[int]) -> None:
    assert list(places(totals)) == [1 + sum(other < total for other in totals) for total in totals]
