"""What the cards that a viewer sees count, and what a swap would change: the engine's own arithmetic on a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from golfnet.engine.cards import CARDS
from golfnet.engine.notation import HIDDEN
from golfnet.engine.rules import Placed, Recall
from golfnet.engine.scoring import cancelled_slots, layout_score, slot_points
from golfnet.protocol.replies.view_codec import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.engine.cards import Card
    from golfnet.protocol.replies.replies import TableView


class Preview(Struct, frozen=True):
    """What the visible cards count before and after a swap, and whether the new card is cancelled."""

    before: int
    after: int
    cancels: bool


def visible(slots: Sequence[str]) -> tuple[Card | None, ...]:
    """Return the cards of slots as a view writes them, None for what is empty or not known."""
    return tuple([CARDS.get(slot.removeprefix(HIDDEN)) for slot in slots])


def showing(view: TableView, slots: Sequence[str]) -> int | None:
    """Return what the visible cards of a layout count, None where none is visible."""
    cards = visible(slots)
    return layout_score(rules_of(view), cards) if any(cards) else None


def cancelled(view: TableView, slots: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the slots whose visible cards cancel each other, by group."""
    return cancelled_slots(rules_of(view), visible(slots))


def points(view: TableView, slots: Sequence[str]) -> tuple[int | None, ...]:
    """Return what each visible card counts where it lies, None for an empty or unknown one."""
    return slot_points(rules_of(view), visible(slots))


def preview(view: TableView, slot: int) -> Preview | None:
    """Return what putting the held card into an own slot would do, None where that cannot be said."""
    own = next((seat for seat in view.seats if seat.seat == view.you), None)
    rules = rules_of(view)
    is_from_memory = rules.placed is Placed.DOWN and rules.recall is Recall.ONCE
    if own is None or view.drawn is None or is_from_memory or f"swap {slot}" not in view.actions:
        return None
    after = (*own.slots[: slot - 1], view.drawn, *own.slots[slot:])
    cancels = any(slot in group for group in cancelled(view, after))
    return Preview(layout_score(rules, visible(own.slots)), layout_score(rules, visible(after)), cancels)
