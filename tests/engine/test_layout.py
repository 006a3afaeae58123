"""Layouts: slots keep their numbers (X1, C13, C15)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.layout import MAX_SEATS, Layout, Slot, column_slots
from tests.engine.strategies import cards

slots = st.none() | st.builds(Slot, cards(), st.booleans(), st.integers(0, 4095))
layouts = st.lists(slots, max_size=8).map(Layout)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (2, 2, ((1, 3), (2, 4))),
        (2, 3, ((1, 4), (2, 5), (3, 6))),
        (3, 3, ((1, 4, 7), (2, 5, 8), (3, 6, 9))),
        (1, 4, ((1,), (2,), (3,), (4,))),
    ],
)
def test_x1_s4_columns_run_from_top_to_bottom(
    rows: int, columns: int, expected: tuple[tuple[int, ...], ...]
) -> None:
    assert column_slots(rows, columns) == expected


@given(layouts, st.data())
def test_c13_c15_setting_a_slot_changes_only_that_slot_or_adds_one_at_the_end(
    layout: Layout, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(layout) + 1))
    slot = data.draw(slots)
    before = tuple(layout)
    changed = layout.with_slot(number, slot)
    assert changed[number - 1] == slot
    assert len(changed) == max(len(layout), number)
    assert [n for n in range(len(layout)) if changed[n] != layout[n]] in ([], [number - 1])
    assert layout == before


@given(layouts)
def test_face_down_slots_are_occupied_slots(layout: Layout) -> None:
    there = layout.occupied
    assert set(layout.face_down) <= set(there)
    assert [card is not None for card in layout.cards] == [n in there for n in range(1, len(layout) + 1)]
    assert layout.is_empty == (not there)
    assert layout.is_all_face_up == (bool(there) and not layout.face_down)


@given(layouts)
def test_x16_a_layout_remembers_who_has_seen_a_card_that_lies_face_down(layout: Layout) -> None:
    hidden = [slot for slot in layout if slot is not None and not slot.face_up]
    for seat in range(MAX_SEATS):
        assert bool(layout.remembered >> seat & 1) is any(slot.known >> seat & 1 for slot in hidden)
