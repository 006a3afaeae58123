"""A table and its match: state, events, and the way from its opening to its end.

A ``Table`` is a plain synchronous object: every call returns before anything else happens at the table. Everything that
happens is a numbered event, which is journaled before it is shown.

The rest is done by parts, which commands call directly: seats are in ``membership``, watchers in ``gallery``, the start
of a match or a hole in ``starting``, time limits in ``clocks``, slams in ``windows``, bots in ``bot_turns``. Every
change ends with ``settle``, which updates the parts in order.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from golfnet.engine import match as matches
from golfnet.engine.actions import Action, Pass, Slam
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, Event, HoleEnded, HoleStarted, MatchEnded, TurnBegan
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.data import AnyEvent, log_body
from golfnet.protocol.replies.presence import Cause, Closed, Ending, Opened, Seated, TableState
from golfnet.server.faults import fault_boundary
from golfnet.server.table import (
    Part,
    broadcast,
    distances,
    gallery,
    hosts,
    membership,
    sealing,
    starting,
    turns,
    windows,
)
from golfnet.server.table.seating import Chair, ChairKind, Seating
from golfnet.server.table.setup import Setup, row_bytes
from golfnet.storage.writes import AppendEvent, CloseTable, GiveTable, OpenTable, SaveTable, SetAside, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.engine.cards import Seat
    from golfnet.engine.hole import Hole
    from golfnet.protocol.replies.replies import Notice
    from golfnet.server.clock import Timer
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player

log = logging.getLogger(__name__)

RESTART_SECONDS: Final = 30
"""Seconds added to the clock and the slam window of a hole in play after a server restart."""


class Table:
    """One table and its match."""

    def __init__(self, lobby: Lobby, *, number: int, rules: RuleSet, setup: Setup) -> None:
        self.lobby = lobby
        self.id = f"t{number}"
        self.rules = rules
        self.setup = setup
        self.clock_ms = setup.clock * 1000 or None
        """The time per turn in milliseconds, or None without a clock."""
        self.seating = Seating([None] * rules.seats.high)
        self.host: Player | None = None
        self.watchers: dict[str, Player] = {}
        self.set_match(matches.Match(""))
        self.hole_log: list[Event] = []
        """The events of the current or last hole, which tell a bot that takes over a seat what has happened."""
        self.seq = 0
        self.hole_seq = 0
        """The number of the match's last event; ``at=SEQ`` is compared with it."""
        self.ticket = 0
        """The journal's ticket for the last event."""
        self.is_closed = False
        self.is_row_due = False
        """Whether the table's row has changed since it was stored; ``settle`` stores it."""
        self.broadcast = broadcast.Broadcast(self)
        self.gallery = gallery.Gallery(self)
        self.waiting = gallery.WaitingLine(self)
        self.membership = membership.Membership(self)
        self.hosts = hosts.Hosts(self)
        self.sealing = sealing.Sealing(self)
        self.distances = distances.Distances(self)
        self.starting = starting.Starting(self)
        self.filling = starting.Filling(self)
        self.clocks = turns.TurnClocks(self)
        self.windows = windows.Windows(self)
        self.bot_turns = turns.BotTurns(self)

    @property
    def _parts(self) -> dict[str, Part]:
        return {name: part for name, part in vars(self).items() if isinstance(part, Part)}

    # --- state

    @property
    def state(self) -> TableState:
        """The table's current state: open, playing, between holes or finished."""
        if self.match.places is not None:
            return TableState.FINISHED
        if self.match.is_playing:
            return TableState.PLAYING
        return TableState.OPEN if self.match.rules is None else TableState.BETWEEN

    @property
    def is_running(self) -> bool:
        """Whether the match has started and is not over."""
        return self.match.rules is not None and self.match.places is None

    @property
    def is_private(self) -> bool:
        """Whether a password is needed to sit down."""
        return self.setup.lock is not None

    @property
    def has_open_window(self) -> bool:
        """Whether a slam window is open; until it closes, the table cannot move to another node."""
        return self.hole is not None and self.hole.window is not None

    @property
    def has_enough(self) -> bool:
        """Whether enough seats are taken for a match that starts with fewer players than there are seats."""
        return self.setup.starts_when_enough and len(self.seating) >= self.rules.seats.low

    @property
    def seated(self) -> tuple[str, ...]:
        """The ids of the players who have a seat here."""
        return tuple([owner.id for owner in self.seating.owners])

    def is_holding(self, player: Player) -> bool:
        """Return whether the player holds a drawn card."""
        drawn = self.hole.drawn if self.hole is not None else None
        return drawn is not None and drawn.seat == self.seating.of(player)

    def chair_of(self, player: Player) -> Chair:
        """Return the player's chair here, or raise ``Refused``."""
        chair = self.seating.chair_of(player)
        if chair is None:
            raise Refused(
                Code.NOT_SEATED, f"You have no seat at {self.id}. To take one, type: join {self.id}"
            )
        return chair

    def need_unfinished(self) -> None:
        """Raise ``Refused`` if the match is over."""
        if self.state is TableState.FINISHED:
            raise Refused(Code.BAD_PHASE, matches.OVER)

    # --- play

    def act(self, seat: Seat, action: Action, at: int | None = None) -> bool:
        """Carry out a player's action in the hole, or hand a slam or pass to the open window; may raise ``Refused``.

        Refuse the action if the match has had an event after the one numbered ``at``. Return whether the action was for
        a slam window that is still open.
        """
        if at is not None and self.hole_seq > at:
            raise Refused(
                Code.STALE, f"Something has happened since event {at}: event {self.hole_seq}. Look again."
            )
        step = None
        try:
            if self.hole is not None and self.hole.window is not None and isinstance(action, Slam | Pass):
                self.windows.accept(seat, action)
            else:
                step = self.decide(seat, action)
            chair = self.seating.chairs[seat]
            if chair is not None:  # done before the step, which may end the match
                if chair.is_missed:
                    self.membership.restore_owner(chair)
                chair.timeouts = chair.returns = 0
            if step is not None:
                self.step(step)
        except Refused as refused:
            raise self.membership.explain(refused, seat) from None
        self.settle()
        return step is None and self.has_open_window

    def decide(self, seat: Seat, action: Action) -> matches.Step:
        """Return the result of an action under the rules, without carrying it out, or raise ``Refused``."""
        try:
            return matches.act(self.match, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal, self.seating.names) from None

    def do(self, seat: Seat, action: Action) -> None:
        """Carry out an action for a seat, or raise ``Refused``."""
        self.step(self.decide(seat, action))

    def set_match(self, match: matches.Match) -> None:
        """Replace the state of the match."""
        self.match = match
        hole = match.hole
        self.hole: Hole | None = hole if hole is not None and hole.ended is None else None
        """The hole in play."""

    def step(self, step: matches.Step, *, row: bool = False) -> None:
        """Apply a step of the match: set the new state and emit the events; ``row`` as for ``emit``."""
        events, match = step
        self.set_match(match)
        self.emit(*events, row=row)
        if isinstance(events[-1], HoleEnded):
            self.step(matches.commit(self.match, self.lobby.tables.entropy(32)))
        elif isinstance(events[-1], MatchEnded):
            self.lobby.tables.match_finished(self)
            self.membership.start_grace_for_absent()

    # --- events

    def emit(self, *events: AnyEvent, but: Seat | None = None, row: bool = False) -> None:
        """Number, journal and broadcast events of the match or the table.

        The seat ``but`` is not sent the events, because it gets a view instead. With ``row``, the table's row is stored
        in the same write.
        """
        first = self.seq + 1
        bodies: list[bytes] = []
        writes: list[Write] = []
        for event in events:
            self.seq += 1
            body = log_body(event, ms=self.clock_ms) if type(event) is TurnBegan else log_body(event)
            bodies.append(body)
            writes.append(AppendEvent(self.id, self.seq, body))
        if events[0].name in EVENTS:
            self.note(self.seq, events)  # type: ignore[arg-type]
        else:
            self.is_row_due = True
        if row:
            self.is_row_due = False
            writes.append(self.saved())
        self.ticket = self.lobby.gate.submit(writes)
        self.broadcast.send_events(first, events, bodies, but)

    def note(self, seq: int, events: Sequence[Event]) -> None:
        """Record events of the match; the last one has the number ``seq``."""
        self.hole_seq = seq
        for event in events:
            if type(event) is HoleStarted:
                self.hole_log.clear()
            self.hole_log.append(event)

    def notify(self, notice: Notice, but: Seat | None = None) -> None:
        """Send a notice to everyone at the table, after its events; skip the seat ``but`` if a person sits there."""
        for chair in self.seating:
            if chair.session is not None and (chair.seat != but or chair.session.writer.machine):
                chair.session.send(notice, ticket=self.ticket, you=chair.seat)
        for watcher in self.watchers.values():
            if watcher.session is not None:
                watcher.session.send(notice, ticket=self.ticket)

    def send(self, player: Player, notice: Notice) -> None:
        """Send a notice to one player after the table's events, unless the player is away."""
        if player.session is not None:
            player.session.send(notice, ticket=self.ticket, you=self.seating.of(player))

    def saved(self) -> SaveTable:
        """Return the write that stores the table's row and who is seated."""
        return SaveTable(self.id, row_bytes(self), self.seated)

    # --- time

    def after(self, seconds: float, call: Callable[[], None], *, settles: bool = True) -> Timer:
        """Call back after this many seconds, unless the table is closed by then; settle after the call."""

        def due() -> None:
            call()
            if settles:
                self.settle()

        return self.lobby.timers.after(seconds, self.guarded(due))

    def once_shown(self, call: Callable[[], None]) -> None:
        """Call back right after the replies about the last event have been sent, which may be immediately."""
        self.lobby.gate.once_shown(self.ticket, self.guarded(call))

    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return the call wrapped in this table's fault boundary, so that a bug stops one table, not the server."""

        def call_guarded() -> None:
            if not self.is_closed:
                with fault_boundary(log, "a fault in the server at table %s", self.id, on_fault=self.fail):
                    call()

        return call_guarded

    # --- after every change

    def settle(self) -> None:
        """Update all parts to the table's current state, and prompt each seat; call this after every change."""
        if self.is_closed:
            return
        if not (self.seating.players or self.waiting.take_empty_seats()):
            self.close(Ending.EMPTY)
            return
        if not self.lobby.gate.is_stuck:
            self._update_parts()
        if not self.is_closed:
            if self.is_row_due:
                self.is_row_due = False
                self.lobby.gate.submit([self.saved()])
            self.broadcast.send_prompts()
            if self.broadcast.has_news:
                self.broadcast.send_pictures()

    def _update_parts(self) -> None:
        """Update the parts that matter now, in order; a new deal may close the table."""
        if self.hole is None:
            self.hosts.update()
            self.waiting.update()
            self.distances.update()
            self.starting.update()
        if self.is_closed:
            return
        if self.filling.wanted is not None:
            self.filling.update(self.filling.wanted)
        hole = self.hole
        if self.rules.slam is not SlamMode.OFF:
            self.windows.update(hole)
            if self.hole is not None:  # not ``hole``: when a window closes, the next turn begins
                self.distances.update_in_hole(self.hole)
        if self.hole is None and hole is not None:  # closing the hole's last slam window ended the hole
            self._update_parts()
            return
        if self.clock_ms is not None:
            self.clocks.update(self.hole)
        if self.hole is None:
            self.bot_turns.stop()
        elif self.seating.has_bots:
            self.bot_turns.update(self.hole)

    def pause(self) -> None:
        """Cancel all timers; ``settle`` sets them again."""
        for part in self._parts.values():
            part.stop()

    # --- beginning and end

    def open(self, host: Player) -> None:
        """Open the table with its host in seat A and the first deal committed."""
        self.host = host
        seat = self.membership.take_seat(host)
        self.lobby.gate.submit([OpenTable(self.id, row_bytes(self), self.seated)])
        self.emit(Opened(player=host.name), Seated(seat=seat, player=host.name))
        self.starting.new_match()
        self.broadcast.send_view(host)
        self.settle()

    def restart(self) -> None:
        """Continue after a server restart: everyone counts as disconnected, with a new grace period and extra time."""
        if self.hole is not None:
            self.clocks.extra = RESTART_SECONDS
            self.windows.extra = RESTART_SECONDS if self.hole.window is not None else 0.0
        if self.sealing.is_closed:
            self.sealing.resume()
        for chair in self.seating.humans:
            chair.is_away = True
            if chair.kind is ChairKind.HUMAN:
                self.membership.lose(chair, Cause.RESTART)
        if self.state is TableState.FINISHED:
            self.membership.start_grace_for_absent()
        self.settle()

    def give(self, node: int) -> int:
        """Hand the table over to another node, and stop it here; return the journal's ticket."""
        row, stays = row_bytes(self), tuple([(owner.id, owner.stay) for owner in self.seating.owners])
        self.is_closed = True
        self.pause()
        self._release_all()
        ticket = self.lobby.gate.submit([GiveTable(self.id, row, node, stays)])
        self._take_apart()
        return ticket

    def close(self, reason: Ending) -> None:
        """Abandon the match, notify everyone and remove the table."""
        if not self.is_closed:
            self.is_closed = True
            if self.is_running:
                with fault_boundary(log, "a fault while closing table %s", self.id):
                    self.step(matches.abandon(self.match))
            self._end(reason, CloseTable(self.id))

    def fail(self) -> None:
        """Close the table after a fault in the server, without trusting its state; keep its log and never raise."""
        log.error("closing table %s after a fault in the server", self.id)
        if not self.is_closed:
            self.is_closed = True
            self._end(Ending.FAULT, SetAside(self.id, "a fault in the server"))

    def _end(self, reason: Ending, end: CloseTable | SetAside) -> None:
        """Notify everyone and remove the table; a fault in one step does not keep the others from being done."""
        for step in (
            self.pause,
            lambda: self.emit(Closed(reason=reason)),
            self._release_all,
            lambda: self.lobby.tables.table_ended(self, end),
            self._take_apart,
        ):
            with fault_boundary(log, "a fault while closing table %s", self.id):
                step()

    def _release_all(self) -> None:
        for chair in self.seating:
            chair.grace.cancel()
        for owner in self.seating.owners:
            owner.table = None
        for watcher in self.watchers.values():
            watcher.stop_watching(self.id)
        self.watchers.clear()

    def _take_apart(self) -> None:
        """Break the reference cycles between the table and its parts, so that it is freed without garbage collection.

        If a method of a part closes the table, the method keeps the table alive until it returns.
        """
        self.gallery.close()
        for name in self._parts:
            delattr(self, name)
