"""What each event beside play changes at a table as its viewer sees it: who comes and goes, and what is waited for."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from golfnet.engine.layout import Seat
from golfnet.engine.notation import seat_letter
from golfnet.engine.view_fold import Changes
from golfnet.protocol.replies.presence import (
    BotsWanted,
    ClockWarning,
    Closed,
    Cut,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    ReadySaid,
    Returned,
    Sealed,
    SealsClosed,
    Seated,
    Watching,
)
from golfnet.protocol.replies.replies import Clock, FillingView, SeatView, TableView


class TableClosed(Exception):
    """The table is no more."""


def _at(view: TableView, seat: Seat, **changes: Any) -> Changes:
    """Return what changes with something at one seat."""
    letter = seat_letter(seat)
    return {
        "seats": tuple([replace(each, **changes) if each.seat == letter else each for each in view.seats])
    }


def _seated(view: TableView, event: Seated) -> Changes:
    newcomer = SeatView(
        seat=seat_letter(event.seat),
        name=event.player,
        kind=event.kind,
        present=True,
        slots=(),
        total=0,
        turns=0,
        ready=False,
        host=False,
    )
    others = [seat for seat in view.seats if seat.seat != newcomer.seat]
    return {"seats": tuple(sorted([*others, newcomer], key=lambda seat: seat.seat))}


def _left(view: TableView, event: Left) -> Changes:
    if event.seat is None:
        return {"watchers": max(0, view.watchers - 1)}
    if view.state in ("playing", "between"):
        # A text that nobody is left to tell is not waited for, and its seal does not count.
        kept = {} if view.sealing_ms is not None else {"seal": None}
        return _at(view, event.seat, present=False, host=False, **kept)
    letter = seat_letter(event.seat)
    return {"seats": tuple([seat for seat in view.seats if seat.seat != letter])}


def _dropped(view: TableView, event: Dropped) -> Changes:
    return _at(view, event.seat, present=False)


def _returned(view: TableView, event: Returned) -> Changes:
    return _at(view, event.seat, present=True, kind="human")


def _house_plays(view: TableView, event: HousePlays) -> Changes:
    return _at(view, event.seat, kind="house")


def _watching(view: TableView, event: Watching) -> Changes:
    return {"watchers": view.watchers + 1}


def _host_changed(view: TableView, event: HostChanged) -> Changes:
    letter = seat_letter(event.seat)
    return {"seats": tuple([replace(seat, host=seat.seat == letter) for seat in view.seats])}


def _ready_said(view: TableView, event: ReadySaid) -> Changes:
    return _at(view, event.seat, ready=True)


def _cut(view: TableView, event: Cut) -> Changes:
    return {} if view.sealing_ms is None else _at(view, event.seat, told=True)


def _sealed(view: TableView, event: Sealed) -> Changes:
    return _at(view, event.seat, seal=event.seal)


def _seals_closed(view: TableView, event: SealsClosed) -> Changes:
    fixed = enumerate(zip(event.seals, event.cuts, strict=False))
    by_letter = {seat_letter(Seat(seat)): pair for seat, pair in fixed}
    seats = []
    for seat in view.seats:
        seal, cut = by_letter.get(seat.seat, (None, ""))
        seats.append(replace(seat, seal=seal, cut=cut))
    return {"sealing_ms": event.ms, "pause_ms": None, "seats": tuple(seats)}


def _filling(view: TableView, event: BotsWanted) -> Changes:
    return {"filling": FillingView(level=event.level, ms=event.ms) if event.ms else None}


def _clock_warning(view: TableView, event: ClockWarning) -> Changes:
    letter = seat_letter(event.seat)
    if view.clock is not None and view.clock.seat == view.you != letter:
        return {}  # several are waited for, and one's own clock is the one to show
    return {"clock": Clock(seat=letter, ms=event.ms)}


def _closed(view: TableView, event: Closed) -> Changes:
    raise TableClosed(event.reason)


PRESENCE: Final[dict[type, Callable[[TableView, Any], Changes]]] = {
    Seated: _seated,
    Left: _left,
    Dropped: _dropped,
    Returned: _returned,
    HousePlays: _house_plays,
    Watching: _watching,
    HostChanged: _host_changed,
    ReadySaid: _ready_said,
    Cut: _cut,
    Sealed: _sealed,
    SealsClosed: _seals_closed,
    BotsWanted: _filling,
    ClockWarning: _clock_warning,
    Closed: _closed,
}
"""The fields that each event changes, with their new values; those that are not here change nothing that is seen."""
