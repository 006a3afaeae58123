"""The points of layouts: F3, F5, C4, S3, G3, G4, K3, M4, X9 and X11, and a second scorer to compare with."""

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from golfnet.engine.cards import CARDS, Card, Seat
from golfnet.engine.options import override
from golfnet.engine.rules import RuleSet
from golfnet.engine.scoring import cancelled_slots, hole_scores, layout_score, places, slot_points
from golfnet.engine.variants import CACTUS, FOUR_CARD_KNOCK, FOUR_TURN, MULTIPLES, SIX_CARD, SIX_CARD_FINAL
from tests.engine.naive import naive_places, naive_points
from tests.engine.strategies import rule_sets

JOKERS = override(SIX_CARD_FINAL, {"jokers": "2"})
ANYWHERE = override(FOUR_CARD_KNOCK, {"cancel": "anywhere"})
COLUMNS = override(CACTUS, {"cancel": "column"})
ONE_ROW = override(SIX_CARD, {"rows": "1"})
NINE = override(SIX_CARD_FINAL, {"rows": "3", "start": "flip-any-3", "decks": "2", "seats": "2-10"})


def layout(text: str) -> list[Card | None]:
    """Return the cards of a layout drawn row by row, ``-`` for an empty slot."""
    return [None if word == "-" else CARDS[word] for word in text.replace("/", " ").split()]


@pytest.mark.parametrize(
    ("rules", "text", "points"),
    [
        pytest.param(FOUR_TURN, "6S QS / JC 6D", 10, id="F5: the first worked example"),
        pytest.param(FOUR_TURN, "7D 5S / 5H 7C", 0, id="F5: the second worked example"),
        pytest.param(FOUR_TURN, "7D 7S / 7H AC", 8, id="F3: three sevens count 7"),
        pytest.param(FOUR_TURN, "7D 7S / 7H 7C", 14, id="F3: four sevens count 14"),
        pytest.param(CACTUS, "7D 7S / 7H 7C", 28, id="C4: nothing cancels"),
        pytest.param(CACTUS, "5D - / - - 3S", 8, id="C13, C15: empty slots count nothing, new slots count"),
        pytest.param(SIX_CARD, "2S 5H AC / 2D 9H 3C", 18, id="S3: two twos count 0, not -4"),
        pytest.param(SIX_CARD, "7S 9H 7D / 7H 2C 7C", 7, id="S4: columns are slots 1 4, 2 5, 3 6"),
        pytest.param(JOKERS, "* 5H AC / * 9H 3C", 18, id="G3: a joker pair in a column counts 0"),
        pytest.param(ANYWHERE, "7S 7H / 2C 3D", 5, id="K3: or anywhere"),
        pytest.param(ANYWHERE, "7S 7H / 7C 3D", 10, id="K3: one pair of each rank"),
        pytest.param(MULTIPLES, "7S 7H / 7C 3D", 3, id="M4: three equal cards count 0"),
        pytest.param(NINE, "5S 5H AC / 5D 9H 3C / 5C 2H 3D", 23, id="nine cards: a column of three cancels"),
        pytest.param(ONE_ROW, "7S 7H 3C", 17, id="a single row has no columns"),
        pytest.param(COLUMNS, "7S 3H / - 4C 7D", 21, id="C13: no column with an empty or a new slot"),
    ],
)
def test_f3_f5_c4_c13_s3_s4_g3_k3_m4_layouts_are_scored(rules: RuleSet, text: str, points: int) -> None:
    assert layout_score(rules, layout(text)) == points


@st.composite
def scored(draw: DrawFn) -> tuple[RuleSet, list[Card | None]]:
    """Draw a rule set and a layout for it with many equal ranks, and some slots empty or new."""
    rules = draw(rule_sets())
    deck = rules.deck_for(rules.seats.high)
    few = draw(st.lists(st.sampled_from(sorted({card.rank for card in deck})), min_size=1, max_size=3))
    likely = [card for card in deck if card.rank in few]
    slots = st.sampled_from(likely) | st.sampled_from(deck) | st.none()
    dealt = rules.rows * rules.columns
    return rules, draw(st.lists(slots, min_size=dealt, max_size=min(dealt + 2, 9) if dealt < 9 else dealt))


@given(scored())
def test_x11_a_second_scorer_that_sees_only_ranks_agrees(drawn: tuple[RuleSet, list[Card | None]]) -> None:
    rules, cards = drawn
    score, each = layout_score(rules, cards), slot_points(rules, cards)
    assert score == naive_points(rules, tuple(cards)) == sum(points or 0 for points in each)
    groups = cancelled_slots(rules, cards)
    slots = [slot for group in groups for slot in group]
    assert len(slots) == len(set(slots))
    for group in groups:
        assert len({card and card.rank for card in (cards[slot - 1] for slot in group)}) == 1
    assert each == tuple(
        card and (0 if slot in slots else rules.values[card.rank]) for slot, card in enumerate(cards, 1)
    )


A, B, C = Seat(0), Seat(1), Seat(2)


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
        ("double", ("* * 9C / KS KD 9S", MINUS), B, (-4, -2)),
    ],
)
def test_g4_closing_has_a_price_unless_the_closer_has_or_shares_the_lowest_score(
    penalty: str, layouts: tuple[str, ...], closer: Seat | None, expected: tuple[int, ...]
) -> None:
    rules = override(JOKERS, {"penalty": penalty})
    assert hole_scores(rules, [layout(text) for text in layouts], closer) == expected


@given(st.lists(st.integers(-50, 200), min_size=2, max_size=12))
def test_x9_a_place_is_one_more_than_the_number_of_lower_totals(totals: list[int]) -> None:
    assert list(places(totals)) == naive_places(totals)
