"""The end of a hole: each card is counted, with a line per seat, the penalty for closing, and the ranking."""

import pytest
from msgspec.structs import replace

from golfnet_client.model.story import Timed
from golfnet_client.screens.count import Preview, cancelled, is_counted, points, preview, showing
from tests.client import tables


def test_cards_are_counted_one_by_one() -> None:
    model, row = tables.a_model(tables.counted()), []
    for part in (0.0, 0.5, 1.0):
        model.count = Timed("count", 100 + 1 - part, 1.0)
        lines = tables.picture(model, 80, 23).lines()
        row.append(next(line for line in lines if "Bob" in line).strip("▌▐ "))
    assert [sum(line.count(sign) for sign in "♣♥♠♦") for line in row] == [0, 3, 6]
    assert row[0].split()[-1] == "0"
    assert row[1].split()[-1] == "9", "two queens cancel, leaving a nine"
    assert " 17 " in row[2]


def test_a_hole_is_counted_only_after_play_and_if_cards_were_dealt() -> None:
    view = tables.counted()
    assert is_counted(view)
    assert not is_counted(replace(view, state="playing"))
    empty = tuple(replace(seat, slots=()) for seat in view.seats)
    assert not is_counted(replace(view, seats=empty)), "before the first deal"


def test_visible_cards_are_counted_and_hidden_ones_are_not() -> None:
    view = tables.six_card()
    assert showing(view, ("5C", "?", "KD", "8H", "?", "?")) == 13
    assert showing(view, ("?", "?", "?", "?", "?", "?")) is None
    assert showing(view, ("?5C", "?", "-", "?", "?", "?")) == 5, (
        "a card that only the viewer knows is counted"
    )
    assert points(view, ("5C", "?", "KD", "5H", "9S", "2C")) == (0, None, 0, 0, 9, -2)
    assert cancelled(view, ("5C", "?", "KD", "5H", "9S", "2C")) == ((1, 4),)


@pytest.mark.parametrize(
    ("slot", "expected"),
    [(1, Preview(13, 13, False)), (4, Preview(13, 0, True)), (2, Preview(13, 18, False))],
)
def test_a_preview_shows_the_effect_of_a_swap(slot: int, expected: Preview) -> None:
    view = tables.holding()
    own = replace(view.seats[0], slots=("5C", "?", "KD", "8H", "?", "?"))
    view = replace(view, seats=(own, *view.seats[1:]))
    assert preview(view, slot) == expected


def test_there_is_no_preview_if_cards_must_be_remembered() -> None:
    held = replace(tables.cactus(), phase="holding", drawn="5S", holding="A", actions=("swap 1", "discard"))
    assert preview(held, 1) is None


def test_a_long_sum_beside_the_cards_is_shown_whole_on_two_lines() -> None:
    model = tables.a_model(tables.a_view("cactus", "10C 9D 8H 7S 6C 5D 4H 3S", "? ? ? ?"))
    lines = [" ".join(line[1:42].split()) for line in tables.picture(model, 160, 49).lines()]
    at = lines.index("showing 52")
    assert lines[at + 1 : at + 3] == ["10 + 9 + 8 + 7 + 6 + 5", "+ 4 + 3"]
