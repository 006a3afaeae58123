"""A big screen: never wider or higher than the window, as large as it fits, and for all eyes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.text.stage import stage_lines
from golfnet.protocol.text.typeset import display_width, finished
from tests.protocol.tabletop import Tabletop

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView

NAMES = ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus", "Hoa", "Ida", "Jon", "桜子", "Maximiliane-Josefa")
MOVES = tuple(f"Bob (B) draws from the stock ({left} left)." for left in range(30, 20, -1))


def table(rules: str, seats: int, *, steps: int = 40) -> TableView:
    played = Tabletop(VARIANTS[rules], NAMES[:seats], None, seed=3)
    for _ in islice(played.replies(holes=1), steps):
        pass
    return played.view()


def shown(view: TableView, settings: Settings) -> list[str]:
    return finished(stage_lines(view, MOVES, settings), settings)


@hypothesis_settings(max_examples=40)
@given(
    rules=st.sampled_from(sorted(VARIANTS)),
    seats=st.integers(2, 12),
    steps=st.integers(5, 120),
    width=st.integers(32, 200),
    height=st.integers(16, 60),
    cards=st.sampled_from(Cards),
)
def test_it_fits_any_window_and_leaves_a_line_free(
    *, rules: str, seats: int, steps: int, width: int, height: int, cards: Cards
) -> None:
    view = table(rules, min(seats, VARIANTS[rules].seats.high), steps=steps)
    lines = shown(view, Settings(width=width, height=height, cards=cards))
    assert 0 < len(lines) < height
    assert max(map(display_width, lines)) <= width


def test_cards_are_as_large_as_the_window_allows() -> None:
    view = table("six-card", 4)
    heights = [
        len([line for line in shown(view, Settings(width=width, height=height)) if "\u2502" in line])
        for width, height in ((80, 24), (120, 40), (200, 60))
    ]
    assert heights == sorted(set(heights))
    assert "\u2588\u2588\u2588" in "".join(shown(view, Settings(width=200, height=60)))
    assert "".join(shown(view, Settings(width=200, height=60, cards=Cards.LETTERS))).isascii()


def test_the_last_moves_stand_below_the_table_the_latest_last() -> None:
    lines = shown(table("six-card", 2), Settings(width=120, height=40))
    assert lines[-1] == f"  - {MOVES[-1]}"
    assert lines[-2] == f"  - {MOVES[-2]}"


@pytest.mark.parametrize("seats", [2, 5])
def test_everybody_is_named_with_the_total_once_there_is_one(seats: int) -> None:
    view = table("six-card", seats)
    text = "\n".join(shown(view, Settings(width=160, height=50)))
    assert all(name in text for name in NAMES[:seats])
    assert "hole 1 of 9" in text
