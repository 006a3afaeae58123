"""A table as one viewer sees it: the engine's view of the hole, with the table around it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from golfnet.engine.hole import phase
from golfnet.engine.notation import action_text, position_text, seat_letter
from golfnet.engine.views import view
from golfnet.protocol.replies.replies import Clock, Prompt
from golfnet.protocol.replies.viewing import seat_view, table_view
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.context.seating import Kind

if TYPE_CHECKING:
    from golfnet.engine.actions import Action
    from golfnet.engine.layout import Position, Seat
    from golfnet.engine.legality import Choices
    from golfnet.protocol.replies.replies import TableView
    from golfnet.server.table.table import Table


Offer = tuple[tuple[str, ...], tuple[str, ...]]
"""The command lines a viewer may send, and the targets of a bare ``switch`` or ``slam`` among them."""


def view_for(table: Table, seat: Seat | None) -> TableView:
    """Return the whole view of a seat, or of a watcher."""
    match = table.match
    seen = view(match.hole, seat) if match.hole is not None else None
    actions, targets = offers(table, seat, seen.choices if seen is not None else None)
    return table_view(
        match,
        seen,
        table=table.id,
        seq=table.seq,
        rules=match.rules or table.rules,
        state=table.state.value,
        you=seat,
        seats=[
            seat_view(
                match,
                seen,
                at,
                name=chair.name,
                kind=chair.kind.value,
                present=chair.present,
                ready=chair.ready,
                host=chair.player is not None and chair.player is table.host,
                **table.sealing.shown(chair),
            )
            for at, chair in table.seating
        ],
        slam_ms=table.pace.windows.remaining_ms,
        name=table.setup.name,
        actions=actions,
        targets=targets,
        clock=_clock(table, seat),
        pause_ms=table.pace.pause_ms,
        sealing_ms=table.sealing.ms,
        filling=table.pace.filling.view,
        watchers=len(table.gallery),
    )


def prompt_for(table: Table, seat: Seat, offer: Offer) -> Prompt:
    """Return a seat's prompt for what it is offered now."""
    hole = table.hole
    actions, targets = offer
    return Prompt(
        table=table.id,
        seq=table.seq,
        phase=phase(hole).value if hole is not None else table.state.value,
        actions=actions,
        targets=targets,
        ms=_time_left(table, seat, actions),
    )


def offers(table: Table, seat: Seat | None, choices: Choices | None) -> Offer:
    """Return what a viewer may send now."""
    chair = None if seat is None else table.seating.at(seat)
    if seat is None or chair is None:
        return (), ()
    if choices is not None and (hole := table.hole) is not None:
        lines, targets = action_lines(
            choices if hole.window is None else table.pace.windows.narrowed(choices, seat), seat
        )
        is_back = chair.kind is Kind.HOUSE and table.attendance.may_take_up(chair)
        return (("ready", *lines) if is_back else lines), targets
    match table.state:
        case State.OPEN:
            lines = () if chair.ready else ("ready",)
            may_start = chair.player is table.host and len(table.seating) >= table.rules.seats.low
            return (*lines, *(("start",) if may_start and not table.host_said_start else ())), ()
        case State.BETWEEN:
            return (() if chair.ready or table.sealing.is_closed else ("ready",)), ()
        case _:
            return ("rematch",), ()


def action_lines(choices: Choices, seat: Seat) -> Offer:
    """Return a seat's choices as command lines and targets; pairs and slams stand as the bare verb."""
    actions, switchable, slammable = choices
    lines = _lines(actions, seat) if actions else ()
    if switchable or slammable:
        pairs = ("switch",) if len(switchable) >= 2 else ()
        slams = ("slam",) if slammable else ()
        return (*lines, *pairs, *slams), _targets(switchable or slammable)
    return lines, ()


def _lines(actions: tuple[Action, ...], seat: Seat) -> tuple[str, ...]:
    """Return actions as command lines: a few lists, which the rules hand out again, are nearly all that is offered."""
    known = _known_lines.get((id(actions), seat))
    if known is None:
        if len(_known_lines) >= _LISTS_KEPT:
            _known_lines.clear()
        known = actions, tuple([action_text(action, seat) for action in actions])
        _known_lines[id(actions), seat] = known
    return known[1]


@lru_cache(maxsize=64)
def _targets(positions: tuple[Position, ...]) -> tuple[str, ...]:
    """Return positions as targets: for all seats at a table they are the same."""
    return tuple([position_text(at) for at in positions])


_LISTS_KEPT: Final = 1024
_known_lines: Final[dict[tuple[int, Seat], tuple[tuple[Action, ...], tuple[str, ...]]]] = {}
"""By the identity of the list, which cannot be another's as long as the list is kept beside its lines."""


def _time_left(table: Table, seat: Seat, actions: tuple[str, ...]) -> int | None:
    """Return how long a seat has for what it may do: until the next deal, by its clock, or in a slam window."""
    if table.state is State.BETWEEN:
        return table.sealing.ms if table.sealing.is_closed else table.pace.pause_ms
    own = table.pace.clock_ms(seat) if actions else None
    return table.pace.windows.remaining_ms if own is None and "slam" in actions else own


def _clock(table: Table, viewer: Seat | None) -> Clock | None:
    """Return the clock that runs: the viewer's own where several seats are waited for."""
    timed = table.pace.timed_seats
    if not timed:
        return None
    seat = viewer if viewer is not None and viewer in timed else timed[0]
    ms = table.pace.clock_ms(seat)
    return None if ms is None else Clock(seat=seat_letter(seat), ms=ms)
