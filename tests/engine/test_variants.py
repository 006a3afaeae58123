"""The six built-in rule sets have the numbers of the rules' table."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import DeckKind
from golfnet.engine.errors import RuleError
from golfnet.engine.options import differing
from golfnet.engine.rules import (
    Cancel,
    FaceUp,
    Leader,
    Penalty,
    Placed,
    Recall,
    RuleSet,
    SlamMode,
    Span,
    Start,
    StartMode,
    StockEnd,
)
from golfnet.engine.variants import (
    CACTUS,
    FOUR_CARD_KNOCK,
    FOUR_TURN,
    MAX_DEPTH,
    MULTIPLES,
    SIX_CARD,
    SIX_CARD_FINAL,
    VARIANTS,
    BadToml,
    load,
    parse_house_rules,
)
from tests.engine.strategies import rule_sets

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


def parsed(text: str) -> RuleSet:
    return parse_house_rules(text, VARIANTS)


def test_a_base_and_what_differs_in_native_toml() -> None:
    rules = parsed(
        """
        name = "pub-golf"
        title = "Golf as in the Crown"
        base = "six-card"
        holes = 18
        final_turn = true
        seats = 4
        cancel = "anywhere"
        values = { K = 13, 2 = 2, "*" = -5 }
        start = "flip-any-3"
        notes = ["The loser of a match pays.", "No grumbling."]
        """
    )
    assert (rules.name, rules.title) == ("pub-golf", "Golf as in the Crown")
    assert (rules.holes, rules.final_turn, rules.seats) == (18, True, Span(4, 4))
    assert rules.cancel is Cancel.ANYWHERE
    assert rules.start == Start(StartMode.FLIP_ANY, 3)
    assert {rank: rules.values[rank] for rank in ("K", "2", "*", "A")} == {"K": 13, "2": 2, "*": -5, "A": 1}
    assert rules.notes == ("The loser of a match pays.", "No grumbling.")
    assert (rules.rows, rules.columns, rules.flip) == (2, 3, True), "the rest is the base's"


def test_the_same_as_typed_text() -> None:
    typed = parsed(
        """
        name = "typed"
        base = "six-card"
        holes = "18"
        final_turn = "on"
        target = "none"
        slam = false
        values = "K:13,2:2"
        """
    )
    native = parsed(
        """
        name = "typed"
        base = "six-card"
        holes = 18
        final_turn = true
        [values]
        K = 13
        2 = 2
        """
    )
    assert typed == native


def test_the_title_is_made_of_the_name_where_there_is_none() -> None:
    assert parsed('name = "nans-golf"\nbase = "cactus"').title == "Nans Golf"


def test_x15_a_target_in_house_rules_drops_the_holes_too() -> None:
    rules = parsed('name = "hundred"\nbase = "six-card"\ntarget = 100')
    assert (rules.holes, rules.target) == (None, 100)


def test_house_rules_can_be_a_base_with_their_notes() -> None:
    first = parsed('name = "first"\nbase = "cactus"\ntarget = 50\nnotes = ["Slam gently."]')
    second = parse_house_rules(
        'name = "second"\nbase = "first"\nslam_window = 5\nnotes = ["And no cups."]',
        {**VARIANTS, "first": first},
    )
    assert (second.target, second.slam_window) == (50, 5)
    assert second.notes == ("Slam gently.", "And no cups.")


@given(rule_sets())
def test_every_option_of_a_command_exists_in_house_rules(rules: RuleSet) -> None:
    base = VARIANTS[rules.name]
    options = dict(option.split("=") for option in differing(rules, base).split())
    lines = [
        'name = "typed"',
        f'base = "{base.name}"',
        *[f'{name} = "{text}"' for name, text in options.items()],
    ]
    assert differing(parsed("\n".join(lines)), rules) == ""


WRONG = [
    ("name = 'pub\nbase = 'six-card'", r"TOML: .*line 1"),
    ("base = 'six-card'", "name: 2 to 31 of a-z, 0-9 and -, starting with a letter; it is missing"),
    ("name = 'Pub'\nbase = 'six-card'", "name: 2 to 31 of a-z, 0-9 and -, starting with a letter; not 'Pub'"),
    ("name = 'x'\nbase = 'six-card'", "name: 2 to 31 .*; not 'x'"),
    ("name = 'x234567890123456789012345678901x'\nbase = 'six-card'", "name: 2 to 31"),
    ("name = 'pub\\n'\nbase = 'six-card'", "name: 2 to 31"),
    ("name = 3\nbase = 'six-card'", "name: .*; not 3"),
    ("name = 'cactus'\nbase = 'six-card'", "name: a name that no other rule set has, not 'cactus'"),
    ("name = 'pub'", "base: one of four-turn, cactus, .*; it is missing"),
    ("name = 'pub'\nbase = 'sixcard'", "base: one of .*; not 'sixcard'"),
    ("name = 'pub'\nbase = ['six-card']", "base: one of"),
    (
        "name = 'pub'\nbase = 'six-card'\ntitle = ''",
        "title: one line of 1 to 400 printable characters; not ''",
    ),
    ("name = 'pub'\nbase = 'six-card'\ntitle = \"a\\u001b[2J\"", "title: one line"),
    ("name = 'pub'\nbase = 'six-card'\nnotes = 'one'", "notes: a list of sentences; not 'one'"),
    ("name = 'pub'\nbase = 'six-card'\nnotes = [1]", "notes: one line of"),
    ("name = 'pub'\nbase = 'six-card'\nhole = 9", "hole: no such option; did you mean holes?"),
    ("name = 'pub'\nbase = 'six-card'\nholes = 0", "holes: a number from 1 to 99, not 0"),
    ("name = 'pub'\nbase = 'six-card'\nholes = 9.5", "holes: a number from 1 to 99, or none, not 9.5"),
    ("name = 'pub'\nbase = 'six-card'\nlock = 1", "lock: on or off, not 1"),
    ("name = 'pub'\nbase = 'six-card'\nstarted = 1979-05-27", "started: no such option; did you mean start"),
    ("name = 'pub'\nbase = 'six-card'\nstart = [2]", r"start: .*, not \[2\]"),
    ("name = 'pub'\nbase = 'six-card'\ndecks = 1", "decks: 2 or more decks or at most 7 seats"),
    ("name = 'pub'\nbase = 'six-card'\n[values]\nX = 3", "values: ranks with points"),
    (
        "name = 'pub'\nbase = 'six-card'\n[values]\nK = 300",
        "values: a number from -100 to 100 for K, not 300",
    ),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_errors_name_their_key(text: str, said: str) -> None:
    with pytest.raises(RuleError, match=f"^{said.replace('?', '[?]')}"):
        parsed(text)


def test_the_known_rule_sets_stay_as_they_are() -> None:
    before = dict(VARIANTS)
    parsed('name = "pub"\nbase = "six-card"\nvalues = { K = 13 }')
    assert dict(VARIANTS) == before
    assert SIX_CARD.values["K"] == CACTUS.values["K"] == 0


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_numbers_have_64_bits(number: int) -> None:
    assert load(f"a = [{number}]") == {"a": [number]}
    outside = number + (1 if number > 0 else -1)
    with pytest.raises(BadToml, match="64 bits"):
        load(f"a = [{outside}]")


def test_nesting_has_a_bound() -> None:
    # The table of the file is the first level, the number the last.
    lists = MAX_DEPTH - 2
    assert load(f"a = {'[' * lists}1{']' * lists}")
    with pytest.raises(BadToml, match=f"nested at most {MAX_DEPTH} deep"):
        load(f"a = {'[' * (lists + 1)}1{']' * (lists + 1)}")


def test_a_mistake_is_placed() -> None:
    with pytest.raises(BadToml, match="line 2"):
        load("a = 1\nb = ?\n")


@given(st.text(st.sampled_from("a1=.[]{}\"'\n #,-x_e"), max_size=40))
def test_any_text_gives_values_or_one_error(text: str) -> None:
    with contextlib.suppress(BadToml):
        assert isinstance(load(text), dict)
