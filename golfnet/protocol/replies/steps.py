"""Small steps from one view to the next, of which the fold of every event is made.

Views are never changed: each step returns a new one that shares what stays.
"""

from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from golfnet.engine.cards import Card
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import EMPTY, HIDDEN, parse_position, position_text, seat_letter
from golfnet.engine.options import from_options
from golfnet.engine.rules import FaceUp, Recall, RuleSet
from golfnet.protocol.replies.replies import TableView


class Gap(Exception):
    """What has happened cannot be folded into the view at hand; the server has to be asked for a whole one."""


def rules_of(view: TableView) -> RuleSet:
    """Return the rules of the table as the engine knows them."""
    return _rules(view.variant, msgspec.json.encode(view.options, order="sorted"))


@lru_cache(maxsize=32)
def _rules(variant: str, options: bytes) -> RuleSet:
    return from_options(variant, msgspec.json.decode(options))


def text_of(card: Card | None) -> str | None:
    """Return a card as it is written, None for none."""
    return None if card is None else card.text


def with_seat(view: TableView, seat: Seat, **changes: Any) -> TableView:
    """Return the view with something changed at one seat."""
    letter = seat_letter(seat)
    return replace(
        view,
        seats=tuple(replace(each, **changes) if each.seat == letter else each for each in view.seats),
    )


def slots_of(view: TableView, seat: Seat) -> tuple[str, ...]:
    """Return the slots of a seat, none for a seat that is not taken."""
    letter = seat_letter(seat)
    return next((each.slots for each in view.seats if each.seat == letter), ())


def slot_at(view: TableView, at: Position) -> str:
    """Return what lies at a position; raises ``Gap``."""
    slots = slots_of(view, at.seat)
    if not 1 <= at.slot <= len(slots):
        raise Gap(f"there is no {position_text(at)} here")
    return slots[at.slot - 1]


def put(view: TableView, at: Position, slot: str) -> TableView:
    """Return the view with something else at a position; one slot above the highest is added."""
    slots = slots_of(view, at.seat)
    return with_seat(view, at.seat, slots=(*slots[: at.slot - 1], slot, *slots[at.slot :]))


def known(view: TableView, at: Position, card: Card) -> TableView:
    """Return the view with a face-down card known, for those whose views remember (X10, X16)."""
    if view.you is None or rules_of(view).recall is not Recall.ALWAYS:
        return view
    return put(view, at, card.known_text)


def laid(view: TableView, card: Card, number: int) -> TableView:
    """Return the view with a card laid on the discard pile under its number."""
    return replace(
        view,
        discard=card.text,
        beneath=view.discard,
        discard_no=number,
        discard_count=view.discard_count + 1,
    )


def moved(view: TableView, *positions: Position) -> TableView:
    """Return the view with positions that cannot be slammed any more, where a window is open (C11)."""
    if view.slam is None:
        return view
    all_of_them = {*map(parse_position, view.slam.moved), *positions}
    return replace(view, slam=replace(view.slam, moved=tuple(map(position_text, sorted(all_of_them)))))


def had_say(view: TableView, seat: Seat) -> TableView:
    """Return the view with a seat's say in the open window taken: a viewer is told of its own only."""
    if view.slam is None or view.you != seat_letter(seat):
        return view
    return replace(view, slam=replace(view.slam, passed=True))


def owed_less(view: TableView, seat: Seat, count: int) -> TableView:
    """Return the view with a seat owing fewer start choices."""
    return replace(view, owed=(*view.owed[:seat], view.owed[seat] - count, *view.owed[seat + 1 :]))


def after_turn(view: TableView, *, power: bool | None = None) -> TableView:
    """Return the view with the phase that follows a turn's last choice: gift, then power, then window (C14, C18)."""
    has_power = view.power if power is None else power
    phase = "give" if view.owes is not None else "power" if has_power else "slam"
    return replace(view, power=has_power, phase=phase, clock=None)


def is_all_face_up(slots: tuple[str, ...]) -> bool:
    """Tell whether a layout has cards and none of them lies face down."""
    return any(slot != EMPTY for slot in slots) and not any(slot.startswith(HIDDEN) for slot in slots)


def closing(view: TableView, seat: Seat) -> TableView:
    """Return the view with its closer once a seat has turned up or placed a card; the first stays (X14)."""
    rules = rules_of(view)
    if view.closer is not None or rules.face_up is FaceUp.OFF or not is_all_face_up(slots_of(view, seat)):
        return view
    everybody = all(is_all_face_up(each.slots) for each in view.seats)
    if rules.face_up is FaceUp.FIRST or rules.final_turn or everybody:
        return replace(view, closer=seat_letter(seat))
    return view
