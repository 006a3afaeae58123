"""Layouts: the cards in front of a seat, in slots numbered from 1 that are never renumbered.

A layout is a tuple of slots; index ``n - 1`` holds slot ``n``. An empty slot is ``None`` and stays in the tuple (C13);
penalty cards make the tuple longer (C15). Nothing here knows a rule set.
"""

from typing import NamedTuple, NewType

from golfnet.engine.cards import Card

Seat = NewType("Seat", int)
"""A place at the table, from 0; written as a letter, A for 0."""

MAX_SEATS = 12


class Position(NamedTuple):
    """One place for a card on the table: a seat and a slot number from 1."""

    seat: Seat
    slot: int


class Slot(NamedTuple):
    """A card in a layout; ``known`` has bit ``n`` set when seat ``n`` has lawfully seen the card (X16)."""

    card: Card
    face_up: bool = False
    known: int = 0


Layout = tuple[Slot | None, ...]


def with_slot(layout: Layout, number: int, slot: Slot | None) -> Layout:
    """Return the layout with slot ``number`` replaced; one above the highest number adds a slot."""
    return (*layout[: number - 1], slot, *layout[number:])


def cards_in(layout: Layout) -> list[Card]:
    """Return the cards of a layout in slot order, empty slots left out."""
    return [slot.card for slot in layout if slot is not None]


def face_down(layout: Layout) -> tuple[int, ...]:
    """Return the numbers of the slots with a face-down card."""
    return tuple([n for n, slot in enumerate(layout, 1) if slot is not None and not slot.face_up])


def occupied(layout: Layout) -> tuple[int, ...]:
    """Return the numbers of the slots with a card."""
    return tuple([n for n, slot in enumerate(layout, 1) if slot is not None])


def is_all_face_up(layout: Layout) -> bool:
    """Tell whether the layout has cards and none of them lies face down."""
    some = False
    for slot in layout:
        if slot is not None:
            if not slot.face_up:
                return False
            some = True
    return some


def is_empty(layout: Layout) -> bool:
    """Tell whether no card is left (C8, C14, C15)."""
    return not any(layout)


def column_slots(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Return the slot numbers of each column, top to bottom: (1, 4), (2, 5), (3, 6) for 2×3 (X1, S4)."""
    return tuple(tuple(column + row * columns for row in range(rows)) for column in range(1, columns + 1))
