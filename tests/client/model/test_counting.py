"""What visible cards count is what the engine counts, and a preview is what the swap then does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from golfnet_client.model.counting import Preview, cancelled, points, preview, showing
from tests.client import tables


def test_what_shows_is_counted_and_what_is_hidden_is_not() -> None:
    view = tables.six_card()
    assert showing(view, ("5C", "?", "KD", "8H", "?", "?")) == 13
    assert showing(view, ("?", "?", "?", "?", "?", "?")) is None
    assert showing(view, ("?5C", "?", "-", "?", "?", "?")) == 5, "what the viewer alone knows counts for it"
    assert points(view, ("5C", "?", "KD", "5H", "9S", "2C")) == (0, None, 0, 0, 9, -2)
    assert cancelled(view, ("5C", "?", "KD", "5H", "9S", "2C")) == ((1, 4),)


@pytest.mark.parametrize(
    ("slot", "expected"),
    [(1, Preview(13, 13, False)), (4, Preview(13, 0, True)), (2, Preview(13, 18, False))],
)
def test_a_preview_says_what_a_swap_does(slot: int, expected: Preview) -> None:
    view = tables.holding()
    own = replace(view.seats[0], slots=("5C", "?", "KD", "8H", "?", "?"))
    view = replace(view, seats=(own, *view.seats[1:]))
    assert preview(view, slot) == expected


def test_where_no_swap_is_offered_or_cards_are_to_be_remembered_there_is_no_preview() -> None:
    assert preview(tables.six_card(), 1) is None
    held = replace(tables.cactus(), phase="holding", drawn="5S", holding="A", actions=("swap 1", "discard"))
    assert preview(held, 1) is None
