"""What each event of play changes in a view; the events around play are in ``fold``."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from golfnet.engine.events import (
    Declined,
    Discarded,
    Drew,
    Flipped,
    Gave,
    Knocked,
    Passed,
    Peeked,
    Penalized,
    Reshuffled,
    SlamClosed,
    Slammed,
    SlamOpened,
    SlamResult,
    Swapped,
    Switched,
    Took,
    TurnBegan,
)
from golfnet.engine.layout import Position
from golfnet.engine.notation import EMPTY, HIDDEN, position_text, seat_letter
from golfnet.engine.rules import Placed, SlamMode
from golfnet.protocol.replies.replies import SlamView, TableView
from golfnet.protocol.replies.steps import (
    after_turn,
    closing,
    had_say,
    is_all_face_up,
    known,
    laid,
    moved,
    owed_less,
    put,
    rules_of,
    slot_at,
    slots_of,
    text_of,
    with_seat,
)


def _peeked(view: TableView, event: Peeked) -> TableView:
    if event.cards is not None and view.you == seat_letter(event.seat):
        for at, card in zip(event.at, event.cards, strict=True):
            view = known(view, at, card)
    if view.phase == "start":
        return owed_less(view, event.seat, len(event.at))
    return after_turn(view, power=False)


def _flipped(view: TableView, event: Flipped) -> TableView:
    view = put(view, Position(event.seat, event.slot), event.card.text)
    if view.phase == "start":
        return owed_less(view, event.seat, 1)
    return after_turn(closing(view, event.seat))


def _turn(view: TableView, event: TurnBegan) -> TableView:
    view = with_seat(view, event.seat, turns=event.turn)
    return replace(view, phase="turn", turn=seat_letter(event.seat), power=False)


def _drew(view: TableView, event: Drew) -> TableView:
    drawn = text_of(event.card)
    return replace(view, stock=event.stock, holding=seat_letter(event.seat), drawn=drawn, phase="holding")


def _took(view: TableView, event: Took) -> TableView:
    return replace(
        view,
        discard=view.beneath,
        beneath=None,
        discard_count=view.discard_count - 1,
        holding=seat_letter(event.seat),
        drawn=event.card.text,
        phase="holding",
    )


def _swapped(view: TableView, event: Swapped) -> TableView:
    rules = rules_of(view)
    at = Position(event.seat, event.slot)
    if rules.placed is Placed.UP and event.card is not None:
        view = put(view, at, event.card.text)
    else:
        view = put(view, at, HIDDEN)
        if event.card is not None:
            view = known(view, at, event.card)
    view = closing(laid(view, event.discard, event.discard_no), event.seat)
    view = replace(view, holding=None, drawn=None)
    return after_turn(view, power=event.discard.rank in rules.power)


def _discarded(view: TableView, event: Discarded) -> TableView:
    rules = rules_of(view)
    view = replace(laid(view, event.card, event.discard_no), holding=None, drawn=None)
    if rules.flip and not is_all_face_up(slots_of(view, event.seat)):
        return replace(view, phase="flip")
    return after_turn(view, power=event.card.rank in rules.power)


def _passed(view: TableView, event: Passed) -> TableView:
    return after_turn(view) if view.phase == "flip" else had_say(view, event.seat)


def _declined(view: TableView, event: Declined) -> TableView:
    return after_turn(view, power=False)


def _knocked(view: TableView, event: Knocked) -> TableView:
    return after_turn(replace(view, closer=seat_letter(event.seat)))


def _switched(view: TableView, event: Switched) -> TableView:
    first, second = event.at
    one, other = slot_at(view, first), slot_at(view, second)
    return after_turn(moved(put(put(view, first, other), second, one), first, second), power=False)


def _slam_opened(view: TableView, event: SlamOpened) -> TableView:
    window = SlamView(discard_no=event.discard_no, card=event.card.text, ms=event.ms, mode=event.mode.value)
    return after_turn(replace(view, slam=window))


def _slam_closed(view: TableView, event: SlamClosed) -> TableView:
    return replace(view, slam=None)


def _slammed(view: TableView, event: Slammed) -> TableView:
    if rules_of(view).slam is not SlamMode.RACE:
        view = had_say(view, event.by)
    if event.result is not SlamResult.HIT or event.discard_no is None:
        return known(view, event.at, event.card)
    view = laid(moved(put(view, event.at, EMPTY), event.at), event.card, event.discard_no)
    slam = None if view.slam is None else replace(view.slam, won=True)
    if event.at.seat == event.by:
        return after_turn(replace(view, slam=slam))
    return after_turn(replace(view, slam=slam, owes=seat_letter(event.by), gift_to=position_text(event.at)))


def _penalized(view: TableView, event: Penalized) -> TableView:
    new = Position(event.seat, event.slot)
    if event.source is None:
        return replace(moved(put(view, new, HIDDEN), new), stock=view.stock - 1)
    card = slot_at(view, event.source)
    return moved(put(put(view, event.source, EMPTY), new, card), event.source, new)


def _gave(view: TableView, event: Gave) -> TableView:
    source = Position(event.seat, event.slot)
    card = slot_at(view, source)
    view = moved(put(put(view, source, EMPTY), event.to, card), source, event.to)
    return after_turn(replace(view, owes=None, gift_to=None))


def _reshuffled(view: TableView, event: Reshuffled) -> TableView:
    return replace(
        view,
        stock=event.stock,
        discard=event.discard.text,
        beneath=None,
        discard_count=1,
        reshuffles=view.reshuffles - 1,
    )


PLAY: Final[dict[type, Callable[[TableView, Any], TableView]]] = {
    Peeked: _peeked,
    Flipped: _flipped,
    TurnBegan: _turn,
    Drew: _drew,
    Took: _took,
    Swapped: _swapped,
    Discarded: _discarded,
    Passed: _passed,
    Declined: _declined,
    Knocked: _knocked,
    Switched: _switched,
    SlamOpened: _slam_opened,
    SlamClosed: _slam_closed,
    Slammed: _slammed,
    Penalized: _penalized,
    Gave: _gave,
    Reshuffled: _reshuffled,
}
"""What each event of play changes."""
