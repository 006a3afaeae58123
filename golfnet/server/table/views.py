"""A table as one viewer sees it: the engine's view of the hole, with the table around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.hole import phase
from golfnet.engine.notation import seat_letter
from golfnet.engine.views import view
from golfnet.protocol.replies.offers import choices_to_wire
from golfnet.protocol.replies.replies import Clock, Prompt
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet.protocol.replies.vocabulary import TableState
from golfnet.server.context.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.engine.legality import Choices
    from golfnet.protocol.replies.replies import TableView
    from golfnet.server.context.context import TableContext
    from golfnet.server.slams.windows import Windows
    from golfnet.server.table.clocks import TurnClocks
    from golfnet.server.table.filling import Filling
    from golfnet.server.table.gallery import Gallery
    from golfnet.server.table.membership import Membership
    from golfnet.server.table.sealing import Sealing
    from golfnet.server.table.starting import Starting


Offer = tuple[tuple[str, ...], tuple[str, ...]]
"""The command lines a viewer may send, and the targets of a bare ``switch`` or ``slam`` among them."""

NOTHING: Final[Offer] = (), ()


class Views:
    """The views, offers and prompts of one table, put together from its parts."""

    def __init__(
        self,
        table: TableContext,
        *,
        membership: Membership,
        sealing: Sealing,
        gallery: Gallery,
        starting: Starting,
        filling: Filling,
        clocks: TurnClocks,
        windows: Windows,
    ) -> None:
        self._table = table
        self._membership = membership
        self._sealing = sealing
        self._gallery = gallery
        self._starting = starting
        self._filling = filling
        self._clocks = clocks
        self._windows = windows

    def view(self, seat: Seat | None) -> TableView:
        """Return the whole view of a seat, or of a watcher."""
        table, match = self._table, self._table.match
        seen = view(match.hole, seat) if match.hole is not None else None
        actions, targets = self.offer(seat, seen.choices if seen is not None else None)
        return view_to_wire(
            match,
            seen,
            table=table.id,
            seq=table.seq,
            rules=match.rules or table.rules,
            state=table.state.value,
            you=seat,
            seats=[
                seat_to_wire(
                    match,
                    seen,
                    at,
                    name=chair.name,
                    kind=chair.kind.value,
                    present=chair.present,
                    ready=chair.ready,
                    host=chair.player is not None and chair.player is table.host,
                    **self._sealing.shown(chair),
                )
                for at, chair in table.seating
            ],
            slam_ms=self._windows.remaining_ms,
            name=table.setup.name,
            actions=actions,
            targets=targets,
            clock=self._clock(seat),
            pause_ms=self._starting.pause_ms,
            starts_ms=self._starting.countdown.ms,
            sealing_ms=self._sealing.ms,
            filling=self._filling.view,
            watchers=len(self._gallery),
        )

    def prompt(self, seat: Seat, offer: Offer) -> Prompt:
        """Return a seat's prompt for what it is offered now."""
        table, hole = self._table, self._table.hole
        actions, targets = offer
        return Prompt(
            table=table.id,
            seq=table.seq,
            phase=phase(hole) if hole is not None else table.state,
            actions=actions,
            targets=targets,
            ms=self._time_left(seat, actions),
        )

    def offer(self, seat: Seat | None, choices: Choices | None) -> Offer:
        """Return what a viewer may send now; ``choices`` are what the rules allow it in the hole."""
        table = self._table
        chair = None if seat is None else table.seating.at(seat)
        if seat is None or chair is None:
            return NOTHING
        if choices is not None and (hole := table.hole) is not None:
            lines, targets = choices_to_wire(
                choices if hole.window is None else self._windows.narrowed(choices, seat), seat
            )
            is_back = chair.kind is ChairKind.HOUSE and self._membership.may_reclaim(chair)
            return (("ready", *lines) if is_back else lines), targets
        match table.state:
            case TableState.OPEN:
                lines = () if chair.ready else ("ready",)
                may_start = chair.player is table.host and len(table.seating) >= table.rules.seats.low
                start = ("start",) if may_start and not self._starting.host_said_start else ()
                return (*lines, *start), ()
            case TableState.BETWEEN:
                return (() if chair.ready or self._sealing.is_closed else ("ready",)), ()
            case _:
                return ("rematch",), ()

    def _time_left(self, seat: Seat, actions: tuple[str, ...]) -> int | None:
        """Return how long a seat has for what it may do: until a hole begins, by its clock, or in a slam window."""
        if self._table.hole is None:
            return self._until_hole()
        own = self._clocks.remaining_ms(seat) if actions else None
        return self._windows.remaining_ms if own is None and "slam" in actions else own

    def _until_hole(self) -> int | None:
        """Return how long it is until the match or the next deal begins, None where neither does by itself."""
        match self._table.state:
            case TableState.OPEN:
                return self._starting.countdown.ms
            case TableState.BETWEEN:
                return self._sealing.ms if self._sealing.is_closed else self._starting.pause_ms
            case _:
                return None

    def _clock(self, viewer: Seat | None) -> Clock | None:
        """Return the clock that runs: the viewer's own where several seats are waited for."""
        timed = self._clocks.timed_seats
        if not timed:
            return None
        seat = viewer if viewer is not None and viewer in timed else timed[0]
        ms = self._clocks.remaining_ms(seat)
        return None if ms is None else Clock(seat=seat_letter(seat), ms=ms)
