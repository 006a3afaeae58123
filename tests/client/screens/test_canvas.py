"""A canvas keeps its size, whatever is drawn on it and wherever."""

import pytest
from hypothesis import given, strategies as st

from golfnet.protocol.text.typeset import display_width
from golfnet_client.screens.canvas import Canvas

WORDS = st.text(alphabet="ab ♥│漢字é\u0301", max_size=12)
PLACES = st.integers(-15, 15)


@given(
    st.lists(st.tuples(PLACES, PLACES, WORDS, st.sampled_from(["put", "right", "middle", "box", "stamp"])))
)
def test_a_canvas_keeps_its_size_whatever_is_drawn(drawn: list[tuple[int, int, str, str]]) -> None:
    canvas = Canvas(9, 4, "felt")
    other = Canvas(5, 3, "card")
    for x, y, text, how in drawn:
        match how:
            case "put":
                canvas.put(x, y, text, "ink")
            case "right":
                canvas.put_right(x, y, text)
            case "middle":
                canvas.put_middle(x, y, 6, text)
            case "box":
                canvas.box(x, y, 4, 3, "edge", "++++-|")
            case _:
                canvas.stamp(x, y, other)
    assert [len(row) for row in canvas.chars] == [9] * 4
    assert [len(row) for row in canvas.styles] == [9] * 4
    assert [sum(map(display_width, row)) for row in canvas.chars] == [9] * 4


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("Jose\u0301!", ["J", "o", "s", "e\u0301", "!"]),
        ("e\u0302\u0301", ["e\u0302\u0301"]),
        ("\U0001f469\u200d\U0001f680.", ["\U0001f469\u200d\U0001f680", "", "."]),
        ("\u2764\ufe0f.", ["\u2764\ufe0f", "", "."]),
        ("漢\u0301字", ["漢\u0301", "", "字", ""]),
        ("\u0301a", ["a"]),
        ("a\x1b\u202eb", ["a", "b"]),
        ("a\x1bb\n", ["a", "b"]),
    ],
)
def test_combined_characters_stay_together(text: str, cells: list[str]) -> None:
    canvas = Canvas(len(cells), 1)
    assert canvas.put(0, 0, text) == len(cells)
    assert canvas.chars[0] == cells


def test_a_wide_character_that_does_not_fit_is_left_out_or_blank_at_an_edge() -> None:
    canvas = Canvas(9, 1)
    assert canvas.put(0, 0, "ab\u2764\ufe0f", width=3) == 3
    assert canvas.lines() == ["ab"]
    canvas = Canvas(3, 1)
    canvas.put(2, 0, "漢")
    canvas.put(-1, 0, "字")
    assert canvas.chars == [[" ", " ", " "]]


def test_text_without_a_style_keeps_the_style_below() -> None:
    canvas = Canvas(4, 1, "felt")
    canvas.put(1, 0, "ab")
    canvas.put(2, 0, "c", "ink")
    assert canvas.styles == [["felt", "felt", "ink", "felt"]]


def test_a_click_where_zones_overlap_hits_the_last_zone() -> None:
    canvas = Canvas(10, 5)
    canvas.zone(0, 0, 10, 5, "row 1")
    canvas.zone(2, 2, 3, 1, "key d")
    assert canvas.target_at(3, 2) == "key d"
    assert canvas.target_at(9, 4) == "row 1"
    assert canvas.target_at(10, 4) is None


@given(st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1)]), st.integers(0, 8))
def test_the_neighbour_of_a_card_is_the_next_card_in_a_direction(way: tuple[int, int], start: int) -> None:
    canvas = Canvas(30, 30)
    for number in range(9):
        canvas.zone(number % 3 * 9, number // 3 * 7, 7, 5, f"card A{number}")
    found = canvas.neighbour(f"card A{start}", *way, "card ")
    x, y = start % 3 + way[0], start // 3 + way[1]
    inside = 0 <= x < 3 and 0 <= y < 3
    assert found == (f"card A{3 * y + x}" if inside else None)
