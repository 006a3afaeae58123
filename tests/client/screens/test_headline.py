"""Every rule set has a lesson: at each step it names keys that work, and its text fits the window."""

import pytest
from msgspec.structs import replace

from golfnet.engine.options import as_options, override
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import TableView
from golfnet.rulesets import catalogue
from golfnet_client.model.lobby import about
from golfnet_client.screens.canvas import Look
from golfnet_client.screens.choices import choices
from golfnet_client.screens.headline import headline, lesson
from tests.client import tables

LONGEST = 150
"""Characters that surely fit into two lines of 80 columns."""


def a_turn(variant: str, phase: str, *actions: str, **changes: object) -> TableView:
    slots = " ".join(["?"] * VARIANTS[variant].slots)
    return tables.a_view(variant, slots, slots, phase=phase, actions=actions, **changes)


def said(view: TableView) -> str:
    text = lesson(view, Look())
    assert 0 < len(text) <= LONGEST
    assert text[0].isupper() or text.split()[0] in ("d", "t", "x", "space")
    return text


def keys_of(view: TableView) -> set[str]:
    model = tables.a_model(view)
    model.cursor = "A1"
    return {choice.key for choice in choices(model, Look())}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_tip_for_each_step_of_a_hole_names_its_keys(variant: str) -> None:
    turn = a_turn(variant, "turn", "draw", "take")
    assert {"d", "t"} <= keys_of(turn)
    assert "d draws" in said(turn)
    assert "t takes 7♥" in said(turn)
    numbers = tuple(f"swap {slot}" for slot in range(1, VARIANTS[variant].slots + 1))
    held = a_turn(variant, "holding", "discard", *numbers, holding="A", drawn="5S")
    assert f"1-{len(numbers)}" in said(held)
    assert "x to throw it away" in said(held)
    taken = replace(held, actions=numbers)
    assert "must go in" in said(taken)
    assert "x" not in keys_of(taken)
    for view in (replace(turn, actions=(), turn="B"), replace(turn, actions=(), turn="B", closer="B")):
        assert "Bob" in said(view)
    assert "r" in said(replace(turn, state="finished", actions=("rematch",))).split()


def test_cactus_explains_looking_power_slam_gift_and_knock() -> None:
    start = a_turn("cactus", "start", "peek 3", "peek 4", "peek 3 4", turn=None, owed=(2, 2))
    assert "Press Enter to look at your two bottom cards" in said(start)
    seats = tuple(replace(seat, turns=2) for seat in start.seats)
    knock = a_turn("cactus", "turn", "draw", "knock")
    assert "knock" not in said(replace(knock, seats=tuple(replace(seat, turns=1) for seat in start.seats)))
    assert "do it only with 5 points or less" in said(replace(knock, seats=seats))
    queen = a_turn("cactus", "holding", "discard", "swap 1", holding="A", drawn="QS")
    assert "x throws Q♠ away, and you may use its power" in said(queen)
    power = a_turn("cactus", "power", "peek B1", "switch", "decline", targets=("A1", "B1"))
    assert {"m", "w", "n", "enter"} <= keys_of(replace(power, actions=("peek A1", *power.actions))) | {"w"}
    assert "Enter looks" in said(power)
    assert "space slams another 9" in said(tables.cactus())
    assert {"space", "p"} <= keys_of(tables.cactus())
    both = replace(
        tables.cactus(), phase="power", turn="A", actions=("peek B1", "decline", "pass", "switch", "slam")
    )
    assert "Your power" in said(both)
    assert "space slams another 9" in said(both)
    another_s = replace(tables.cactus(), phase="power")
    assert said(another_s) == said(tables.cactus())
    assert "Give a high one" in said(a_turn("cactus", "give", "give 1", "give 2", owes="A"))


def test_a_start_with_a_free_choice_names_the_numbers() -> None:
    flips = tuple(f"flip {slot}" for slot in range(1, 7))
    pairs = tuple(f"flip {one} {other}" for one in range(1, 7) for other in range(one + 1, 7))
    first = a_turn("six-card", "start", *flips, *pairs, turn=None, owed=(2, 2))
    assert "two of your six cards" in said(first)
    assert "1-6" in said(first)
    assert "Turn up one more: press 1 3 4 5 6." in said(replace(first, actions=flips[:1] + flips[2:]))


def test_every_rule_set_has_its_own_short_description() -> None:
    texts = {name: about(rules) for name, rules in catalogue().items()}
    assert len(set(texts.values())) == len(texts)
    for name, text in texts.items():
        assert len(text) <= 54, "it fits beside the longest name in 80 columns"
        assert f"{catalogue()[name].rows}x{catalogue()[name].columns} cards" in text


def test_a_card_may_be_turned_up_after_a_discard() -> None:
    view = a_turn("six-card", "flip", "flip 2", "pass")
    assert headline(tables.a_model(view), Look())[0] == "You can turn up one of your cards."
    assert "p leaves them face down" in said(view)


def test_a_layout_of_one_row_has_no_columns_that_cancel() -> None:
    rules = override(VARIANTS["six-card"], {"rows": 1, "columns": 4})
    view = tables.a_view("six-card", "? ? ? ?", "? ? ? ?", phase="turn", actions=(), turn="B")
    assert "column" in said(view)
    assert "column" not in said(replace(view, options=as_options(rules)))
    assert "column" not in about(rules)
