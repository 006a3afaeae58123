"""The six built-in rule sets have the numbers of the rules' table."""

from __future__ import annotations

import pytest

from golfnet.engine.cards import DeckKind
from golfnet.engine.rules import Cancel, FaceUp, Leader, Penalty, Placed, Recall, RuleSet, SlamMode, StockEnd
from golfnet.engine.variants import (
    CACTUS,
    FOUR_CARD_KNOCK,
    FOUR_TURN,
    MULTIPLES,
    SIX_CARD,
    SIX_CARD_FINAL,
    VARIANTS,
)

NAMES = ["four-turn", "cactus", "six-card", "six-card-final", "four-card-knock", "multiples"]
ALL = list(VARIANTS.values())


def of(field: str) -> list[object]:
    return [getattr(rules, field) for rules in ALL]


def test_there_are_six_by_name_in_the_order_of_the_table() -> None:
    assert list(VARIANTS) == NAMES == of("name")


def test_layouts() -> None:
    assert [(rules.rows, rules.columns) for rules in ALL] == [(2, 2), (2, 2), (2, 3), (2, 3), (2, 2), (2, 2)]


def test_seats() -> None:
    assert of("seats") == [(2, 6), (2, 10), (2, 8), (2, 12), (2, 12), (2, 12)]


@pytest.mark.parametrize(
    ("rules", "packs"),
    [
        (FOUR_TURN, {2: 1, 6: 1}),
        (SIX_CARD, {2: 1, 3: 1, 4: 2, 8: 2}),
        (SIX_CARD_FINAL, {3: 1, 4: 2, 7: 2, 8: 3, 12: 3}),
        (FOUR_CARD_KNOCK, {3: 1, 4: 2, 7: 2, 8: 3, 12: 3}),
        (MULTIPLES, {2: 2, 12: 2}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_m1_packs_by_seats_without_jokers(rules: RuleSet, packs: dict[int, int]) -> None:
    assert {seats: rules.deck_size(seats) for seats in packs} == {n: 52 * count for n, count in packs.items()}
    assert rules.deck is DeckKind.STANDARD
    assert rules.jokers == 0


def test_c1_cactus_adds_a_suit_per_seat_above_five() -> None:
    assert CACTUS.deck is DeckKind.NUMBERED
    assert [CACTUS.deck_size(seats) for seats in range(2, 11)] == [52, 52, 52, 52, 65, 78, 91, 104, 117]


def test_c2_only_cactus_begins_without_an_upcard() -> None:
    assert of("upcard") == [True, False, True, True, True, True]


def test_start_choices() -> None:
    assert [f"{rules.start.mode} {rules.start.cards}" for rules in ALL] == [
        "peek-bottom 2",
        "peek-bottom 2",
        "flip-any 2",
        "flip-any 2",
        "peek-any 2",
        "peek-bottom 2",
    ]


def test_f2_c3_how_placed_cards_lie_and_what_may_be_replaced() -> None:
    assert of("placed") == [Placed.UP, Placed.DOWN, Placed.UP, Placed.UP, Placed.UP, Placed.UP]
    assert of("lock") == [True, False, False, False, False, False]


def test_s1_c6_what_a_refused_stock_card_allows() -> None:
    assert of("flip") == [False, False, True, False, False, False]
    assert of("reveal") == [False] * 6
    assert of("power") == [(), ("J", "Q", "K"), (), (), (), ()]


def test_f1_c7_s2_g2_k2_m3_how_holes_end() -> None:
    assert of("turns") == [4, None, None, None, None, None]
    assert of("knock") == [False, True, False, False, True, False]
    assert of("face_up") == [FaceUp.OFF, FaceUp.OFF, FaceUp.FIRST, FaceUp.FIRST, FaceUp.FIRST, FaceUp.EVERY]
    assert [rules.final_turn for rules in (SIX_CARD, SIX_CARD_FINAL, FOUR_CARD_KNOCK, MULTIPLES)] == [
        *(False, True, True, False),
    ]
    assert of("stock_end") == [StockEnd.FINISH, StockEnd.AT_ONCE, *[StockEnd.FINISH] * 4]
    assert of("turn_cap") == [None, 100, 40, 40, 40, 40]
    assert of("reshuffles")[1:] == [0, 1, 1, 1, 0]


def test_c11_only_cactus_has_slams() -> None:
    assert of("slam") == [SlamMode.OFF, SlamMode.RACE, *[SlamMode.OFF] * 4]
    assert CACTUS.slam_window == 3


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (FOUR_TURN, {"A": 1, "2": 2, "J": 0, "Q": 10, "K": 10}),  # F4
        (CACTUS, {"0": 0, "1": 1, "2": 2, "J": 10, "Q": 10, "A": 1, "K": 0}),  # C1, C4
        (SIX_CARD, {"A": 1, "2": -2, "J": 10, "Q": 10, "K": 0}),
        (SIX_CARD_FINAL, {"A": 1, "2": 2, "J": 10, "Q": 10, "K": 0, "*": -2}),  # G3, G6
        (FOUR_CARD_KNOCK, {"A": 1, "2": 2, "J": 10, "Q": 10, "K": 0, "*": -2}),
        (MULTIPLES, {"A": 1, "2": 2, "J": 10, "Q": 10, "K": 0}),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_f4_c4_g3_g6_points(rules: RuleSet, points: dict[str, int]) -> None:
    assert {rank: rules.values[rank] for rank in points} == points
    assert [rules.values[str(n)] for n in range(3, 11)] == list(range(3, 11))


def test_f3_c4_s3_k3_m4_what_cancels() -> None:
    assert of("cancel") == [
        *(Cancel.ANYWHERE, Cancel.NONE),
        *(Cancel.COLUMN, Cancel.COLUMN, Cancel.COLUMN),
        Cancel.ALL,
    ]


def test_f6_c10_s5_how_long_a_match_is() -> None:
    assert of("holes") == [1, None, 9, 9, 9, 9]
    assert of("target") == [None, 25, None, None, None, None]


def test_c5_c9_and_the_defaults_of_all() -> None:
    assert of("leader") == [Leader.LEFT, Leader.HIGHEST, *[Leader.LEFT] * 4]
    assert of("penalty") == [Penalty.NONE, Penalty.DOUBLE_OVER_FIVE, *[Penalty.NONE] * 4]
    assert of("recall") == [Recall.ONCE] * 6, "X10: shown once by default"
