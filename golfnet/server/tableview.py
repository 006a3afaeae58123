"""A table as one viewer sees it: the engine's view of the hole, with the table around it."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from golfnet.engine.hole import phase
from golfnet.engine.notation import action_text, position_text, seat_letter
from golfnet.engine.options import as_options
from golfnet.engine.views import View, view
from golfnet.protocol.replies import Clock, Prompt, SeatView, SlamView, TableView

if TYPE_CHECKING:
    from golfnet.engine.actions import Action
    from golfnet.engine.layout import Seat
    from golfnet.engine.legality import Choices
    from golfnet.server.table import Table


Offer = tuple[tuple[str, ...], tuple[str, ...]]
"""The command lines a viewer may send, and the targets of a bare ``switch`` or ``slam`` among them."""


class State(StrEnum):
    """Where a table is in its life."""

    OPEN = "open"
    PLAYING = "playing"
    BETWEEN = "between"
    FINISHED = "finished"


def view_for(table: Table, seat: Seat | None) -> TableView:
    """Return the whole view of a seat, or of a watcher."""
    match = table.match
    seen = view(match.hole, seat) if match.hole is not None else None
    actions, targets = offers(table, seat, seen.choices if seen is not None else None)
    rules = match.rules or table.rules
    committed = match.next_deal or match.started
    window = seen.window if seen is not None else None
    return TableView(
        table=table.id,
        seq=table.seq,
        name=table.setup.name,
        variant=rules.name,
        options=as_options(rules),
        state=table.state.value,
        match=match.id,
        hole=seen.hole if seen is not None else 0,
        holes=rules.holes,
        target=rules.target,
        phase=seen.phase.value if seen is not None else None,
        you=_letter(seat),
        turn=_letter(seen.turn) if seen is not None else None,
        dealer=_letter(seen.dealer) if seen is not None else None,
        leader=_letter(seen.leader) if seen is not None else None,
        stock=seen.stock if seen is not None else 0,
        discard=seen.discard.text if seen is not None and seen.discard is not None else None,
        discard_no=seen.discard_no if seen is not None else 0,
        discard_count=seen.discard_count if seen is not None else 0,
        beneath=_beneath(table),
        reshuffles=seen.reshuffles_left if seen is not None else 0,
        holding=_letter(seen.holding) if seen is not None else None,
        drawn=seen.drawn.text if seen is not None and seen.drawn is not None else None,
        power=seen is not None and seen.power,
        owes=_letter(seen.gift.seat) if seen is not None and seen.gift is not None else None,
        gift_to=position_text(seen.gift.to) if seen is not None and seen.gift is not None else None,
        closer=_letter(seen.closer) if seen is not None else None,
        seats=_seats(table, seen),
        owed=seen.owed if seen is not None else (),
        scores=match.scores,
        actions=actions,
        targets=targets,
        clock=_clock(table, seat),
        slam=None
        if window is None
        else SlamView(
            discard_no=window.discard_no,
            card=window.card.text,
            ms=table.pace.windows.remaining_ms,
            mode=window.mode.value,
            won=window.won,
            passed=window.passed,
            moved=_moved(table),
        ),
        pause_ms=table.pace.pause_ms,
        filling=table.pace.filling.view,
        commitment=committed.commitment if committed is not None else "",
        watchers=len(table.watchers),
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
    match table.state:
        case State.PLAYING if choices is not None:
            return action_lines(table.pace.windows.narrowed(choices, seat), seat)
        case State.OPEN:
            lines = () if chair.ready else ("ready",)
            may_start = chair.player is table.host and len(table.seating) >= table.rules.seats.low
            return (*lines, *(("start",) if may_start and not table.host_said_start else ())), ()
        case State.BETWEEN:
            return (() if chair.ready else ("ready",)), ()
        case _:
            return ("rematch",), ()


def action_lines(choices: Choices, seat: Seat) -> Offer:
    """Return a seat's choices as command lines and targets; pairs and slams stand as the bare verb."""
    actions, switchable, slammable = choices
    lines = _lines(actions, seat)
    if switchable or slammable:
        pairs = ("switch",) if len(switchable) >= 2 else ()
        slams = ("slam",) if slammable else ()
        return (*lines, *pairs, *slams), tuple([position_text(at) for at in switchable or slammable])
    return lines, ()


@lru_cache(maxsize=1024)
def _lines(actions: tuple[Action, ...], seat: Seat) -> tuple[str, ...]:
    """Return actions as command lines: a few lists of them make up nearly all that is ever offered."""
    return tuple([action_text(action, seat) for action in actions])


def _beneath(table: Table) -> str | None:
    """Return the card under the top discard: it was seen by all when it was laid there."""
    hole = table.match.hole
    if hole is None or (hole.drawn is not None and hole.drawn.from_discard):
        return None
    discards = hole.discards
    return discards[-2].text if len(discards) >= 2 else None


def _moved(table: Table) -> tuple[str, ...]:
    """Return the positions whose card has changed since the window opened: all have seen which they are."""
    hole = table.match.hole
    if hole is None or hole.window is None:
        return ()
    return tuple([position_text(at) for at in sorted(hole.window.moved)])


def _time_left(table: Table, seat: Seat, actions: tuple[str, ...]) -> int | None:
    """Return how long a seat has for what it may do: until the next deal, by its clock, or in a slam window."""
    if table.state is State.BETWEEN:
        return table.pace.pause_ms
    own = table.pace.clock_ms(seat)
    return table.pace.windows.remaining_ms if own is None and "slam" in actions else own


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else seat_letter(seat)


def _seats(table: Table, seen: View | None) -> tuple[SeatView, ...]:
    totals = table.match.totals
    return tuple(
        SeatView(
            seat=seat_letter(seat),
            name=chair.name,
            kind=chair.kind.value,
            present=chair.present,
            slots=seen.layouts[seat] if seen is not None and seat < len(seen.layouts) else (),
            total=totals[seat] if seat < len(totals) else 0,
            turns=seen.turns[seat] if seen is not None and seat < len(seen.turns) else 0,
            ready=chair.ready,
            host=chair.player is not None and chair.player is table.host,
        )
        for seat, chair in table.seating
    )


def _clock(table: Table, viewer: Seat | None) -> Clock | None:
    """Return the clock that runs: the viewer's own where several seats are waited for."""
    timed = table.pace.timed_seats
    if not timed:
        return None
    seat = viewer if viewer is not None and viewer in timed else timed[0]
    ms = table.pace.clock_ms(seat)
    return None if ms is None else Clock(seat=seat_letter(seat), ms=ms)
