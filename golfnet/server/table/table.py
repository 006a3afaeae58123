"""A table and its match, with everything that commands can do to them.

The work is done by ``parts``, which know the table only as a ``TableContext``: seats in ``membership``,
watchers in ``gallery``, the start of a match or a hole in ``starting``, time limits in ``clocks``, slams in
``windows``, bots in ``bots``. ``Table`` updates the parts in order after every change (``settle``), and sends the views
that commands ask for.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from golfnet.engine import match as matches
from golfnet.engine.actions import Pass, Slam
from golfnet.engine.hole import TURN
from golfnet.engine.legality import choices
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Closed, Opened, Seated, TableState
from golfnet.server.faults import fault_boundary
from golfnet.server.table import hosts
from golfnet.server.table.broadcast import Broadcast
from golfnet.server.table.context import TableContext
from golfnet.server.table.parts import Parts
from golfnet.server.table.rows import row_bytes
from golfnet.server.table.seating import ChairKind
from golfnet.storage.writes import CloseTable, GiveTable, OpenTable, SaveTable, SetAside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.engine.actions import Action
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.replies.data import AnyEvent
    from golfnet.protocol.replies.replies import FillingView, TableView
    from golfnet.server.session.player import Player, PlayerSession
    from golfnet.server.table.context import Services
    from golfnet.server.table.seating import Chair
    from golfnet.server.table.setup import BotRequest, Setup

log = logging.getLogger(__name__)

RESTART_SECONDS: Final = 30
"""Seconds added to the clock of a hole in play after a server restart."""


class Table(TableContext):
    """One table and its match."""

    def __init__(self, services: Services, *, number: int, rules: RuleSet, setup: Setup) -> None:
        super().__init__(services, number=number, rules=rules, setup=setup)
        self.parts = Parts(self)
        self._broadcast = Broadcast(self, self.parts)
        self._boundary = fault_boundary(log, "a fault in the server at table %s", self.id, on_fault=self.fail)

    # --- coming and going

    def open(self, host: Player) -> None:
        """Open the table with its host in seat A and the first deal committed."""
        self.host = host
        seat = self.parts.membership.take_seat(host)
        self.services.gate.submit([OpenTable(self.id, row_bytes(self), self.seated)])
        self.emit(Opened(player=host.name), Seated(seat=seat, player=host.name))
        self.parts.starting.new_match()
        self.look(host)
        self.settle()

    def sit(self, player: Player, password: str = "") -> None:
        """Seat a player at the table, and send them the view, or raise ``Refused``."""
        self.parts.membership.sit(player, password)
        self.parts.waiting.update_places()
        if self.state is TableState.OPEN:  # if not, the player was lent a seat in a running match
            self.parts.starting.count_down(newcomer=self.seating.of(player))
        self.look(player)
        self.settle()

    def must_wait(self, player: Player) -> bool:
        """Return whether a player who wants a seat has to wait because all seats are taken or the match has begun."""
        has_free_seat = self.state is TableState.OPEN and not self.seating.is_full
        return not has_free_seat and hosts.offered(self, player) is None

    def wait_for_seat(self, player: Player, password: str = "") -> int:
        """Put a player in line for the next match, send them the view and return their place; may raise ``Refused``."""
        place = self.parts.waiting.enter(player, password)
        self.look(player)
        self.settle()
        return place

    def place_in_line(self, player: Player) -> int:
        """Return a player's place in line for a seat, counted from 1, or 0 if they are not in line."""
        return self.parts.waiting.place(player)

    def leave(self, player: Player) -> None:
        """Give up the player's seat, which the house plays if a match is running, or raise ``Refused``."""
        self.parts.membership.vacate(self.chair_of(player), Cause.LEFT)
        self.settle()

    def expel(self, player: Player) -> None:
        """Free the seat of a player banned by the operator, if they have one."""
        chair = self.seating.chair_of(player)
        if chair is not None:
            self.parts.membership.vacate(chair, Cause.KICKED)
            self.settle()

    def disconnect(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a disconnected player for a while."""
        self.parts.membership.disconnect(player, cause)
        self.settle()

    def reconnect(self, player: Player) -> None:
        """Let a player who has reconnected play again, and send them the view."""
        self.parts.membership.reconnect(player)
        self.look(player)
        self.settle()

    def watch(self, player: Player, password: str = "") -> None:
        """Let a player without a seat here watch the table, or raise ``Refused``."""
        self.parts.gallery.watch(player, password)
        self.look(player)

    def unwatch(self, player: Player) -> None:
        """Remove a watcher, even from the waiting line; do nothing for a player who is not watching."""
        self.parts.gallery.unwatch(player)
        self.parts.waiting.update_places()

    # --- what hosts do

    def kick(self, host: Player, whom: str) -> None:
        """Remove a player or watcher (seat letter or name) on behalf of the host, or raise ``Refused``."""
        self.parts.membership.kick(host, whom)
        self.settle()

    def hand_over(self, whom: str) -> None:
        """Make a human (seat letter or name) the host, or raise ``Refused``."""
        hosts.hand_over(self, whom)
        self.settle()

    def offer_seat(self, host: Player, seat: Seat, player: Player) -> None:
        """Let a player take the seat of an owner who is away, or raise ``Refused``.

        The host may do this, or any player while the host is away.
        """
        hosts.need_helper(self, host)
        hosts.offer_seat(self, host, seat, player)

    def add_bot(self, level: str) -> None:
        """Fill the first free seat with a bot, or raise ``Refused``."""
        self.parts.membership.add_bot(level)
        self.settle()

    def fill(self, wanted: BotRequest | None) -> str | None:
        """Let bots take the free seats after a delay, or cancel that; raise ``Refused`` after the match has started.

        Return a note for the host if there is more to say than the announcement to the table.
        """
        note = self.parts.filling.request(wanted)
        self.settle()
        return note

    def start(self, host: Player) -> str | None:
        """Start the match for the host, now or once everyone present is ready; return a text about who is not ready.

        Raise ``Refused``.
        """
        return self.parts.starting.start(host)

    # --- starting a match or a hole

    def ready(self, player: Player) -> None:
        """Mark the player as ready, or give them their seat back from the house; may raise ``Refused``."""
        has_seat_back = self.parts.membership.reclaim_seat(player)
        self.parts.starting.ready(player, has_seat_back=has_seat_back)
        self.settle()

    def missing(self, player: Player) -> str:
        """Return a text saying that more players are needed, and what to type; empty if there are enough."""
        return self.parts.starting.missing(player)

    def way_to_play(self, player: Player) -> str:
        """Return what a lone host can type to play at once, or a waiting player's place in line; empty for others."""
        if place := self.parts.waiting.place(player):
            return f"You are number {place} in line. To leave the line, type: leave"
        return self.parts.starting.way_to_play(player)

    def is_past_ready(self, seat: Seat) -> bool:
        """Return whether ``ready`` comes too late for a seat because its owner is already playing the hole."""
        return self.hole is not None and self.seating.chair(seat).kind is ChairKind.HUMAN

    def rematch(self, player: Player) -> None:
        """Open a new match for everyone still here; a later ``rematch`` counts as ready. Raise ``Refused``."""
        self.chair_of(player)
        if self.state is TableState.FINISHED:
            self.reopen()
        elif self.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match is not over yet. You can ask for a rematch when it is.")
        self.ready(player)

    def cut(self, player: Player, text: str) -> None:
        """Accept a player's text for the next deal, open or revealed; may raise ``Refused``."""
        self.parts.sealing.cut(player, text)
        self.settle()

    def seal(self, player: Player, seal: str) -> None:
        """Accept a player's seal on a text for the next deal, or raise ``Refused``."""
        self.parts.sealing.seal(player, seal)
        self.settle()

    # --- playing, chat and views

    def act(self, seat: Seat, action: Action, at: int | None = None) -> bool:
        """Carry out a player's action in the hole, or hand a slam or pass to the open window; may raise ``Refused``.

        Refuse the action if the match has had an event after the one numbered ``at``. Return whether the action was for
        a slam window that is still open.
        """
        if at is not None and self.hole_seq > at:
            raise Refused(
                Code.STALE, f"Something has happened since event {at}: event {self.hole_seq}. Look again."
            )
        claim = action if isinstance(action, Slam | Pass) and self.has_open_window else None
        try:
            step = self.decide(seat, action) if claim is None else None
            if claim is not None:
                self.parts.windows.accept(seat, claim)
            chair = self.seating.chairs[seat]
            if chair is not None:  # done before the step, which may end the match
                if chair.is_missed:
                    self.parts.membership.restore_owner(chair)
                chair.timeouts = chair.returns = 0
            if step is not None:
                self.step(step)
        except Refused as refused:
            raise self.parts.membership.explain(refused, seat) from None
        self.settle()
        return claim is not None and self.has_open_window

    def is_first_turn(self, seat: Seat) -> bool:
        """Return whether a seat is at the start of its first turn in the hole."""
        hole = self.hole
        return hole is not None and hole.stage is TURN and hole.turn == seat and hole.turns[seat] == 1

    def pass_hole(self, seat: Seat) -> None:
        """Pass for a seat in all remaining slam windows of the hole, unless it slams; may raise ``Refused``."""
        self.parts.windows.pass_hole(seat)
        self.settle()

    def offers(self, seat: Seat, line: str) -> bool:
        """Return whether a seat may send exactly this line now."""
        hole = self.hole
        return line in self._broadcast.offer(seat, None if hole is None else choices(hole, seat))[0]

    @property
    def has_open_window(self) -> bool:
        """Whether a slam window is open; until it closes, the table cannot move to another node."""
        return self.hole is not None and self.hole.window is not None

    def say(self, player: Player, text: str) -> None:
        """Send chat from a player or watcher to those at the table who may get it and have not muted the speaker."""
        self._broadcast.send_chat(player, text)

    def look(self, player: Player) -> None:
        """Send a player their full view."""
        self._broadcast.send_view(player)

    def view(self, seat: Seat | None) -> TableView:
        """Return the full view for a seat, or for a watcher if ``seat`` is None."""
        return self._broadcast.view(seat)

    @property
    def starts_ms(self) -> int | None:
        """The milliseconds until the match starts automatically, or None while no countdown is running."""
        return self.parts.starting.ms if self.state is TableState.OPEN else None

    @property
    def filling(self) -> FillingView | None:
        """Which bots will join and when, as shown to everyone; None if none will."""
        return self.parts.filling.view

    def shown_cut(self, chair: Chair) -> dict[str, Any]:
        """Return the public fields about a chair's cut and seal for the next deal."""
        return self.parts.sealing.shown(chair)

    def slam_log(self) -> tuple[list[dict[str, object]], str]:
        """Return rows about how the slams in the last finished hole were judged, and a sentence that names the hole."""
        rules, log = self.match.rules or self.rules, self.parts.windows.log
        if rules.slam is SlamMode.OFF:
            return log.rows, f"There are no slams in {rules.name}."
        return log.rows, log.note(None if self.hole is None else self.hole.deal.hole)

    # --- after every change

    def settle(self) -> None:
        """Update all parts to the table's current state, and prompt each seat."""
        if self.is_closed:
            return
        if not (self.seating.players or self.parts.waiting.take_empty_seats()):
            self.close("everybody has left")
            return
        self.parts.update()
        if self.is_row_due and not self.is_closed:
            self.is_row_due = False
            self.services.gate.submit([self.saved()])
        if not self.is_closed:
            self._broadcast.send_prompts()
            if self._broadcast.has_news:
                self._broadcast.send_pictures()

    def pause(self) -> None:
        """Cancel all timers; ``settle`` sets them again."""
        self.parts.stop()

    # --- for the parts

    def broadcast(
        self, first: int, events: Sequence[AnyEvent], bodies: list[bytes], but: Seat | None
    ) -> None:
        """Send events, numbered from ``first``, to all who may see them."""
        self._broadcast.send_events(first, events, bodies, but)

    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Record when a slam window's discard was written to a seat, on trio's clock."""
        self.parts.windows.shown(seat, discard_no, at, session)

    def deal(self) -> None:
        """Deal the next hole with its cuts; if some are sealed, have them revealed first."""
        self.parts.starting.deal()

    def match_over(self) -> None:
        """Store the result of the match, and keep absent players' seats for a while."""
        self.services.match_finished(self)
        self.parts.membership.start_grace_for_absent()

    def reopen(self) -> None:
        """Open a new match for everyone still here; it starts when they are all ready."""
        self.seating = self.parts.membership.new_seating()
        hosts.ensure_seated_host(self)
        self.parts.starting.new_match()
        self.look_all()
        self.is_rematch = True

    def saved(self) -> SaveTable:
        """Return the write that stores the table's row and who is seated."""
        return SaveTable(self.id, row_bytes(self), self.seated)

    # --- moving to another node

    def give(self, node: int) -> int:
        """Hand the table over to another node, and stop it here; return the journal's ticket."""
        row, stays = row_bytes(self), tuple([(owner.id, owner.stay) for owner in self.seating.owners])
        self.is_closed = True
        self.pause()
        self._release_all()
        ticket = self.services.gate.submit([GiveTable(self.id, row, node, stays)])
        self._take_apart()
        return ticket

    def watch_again(self, player: Player) -> None:
        """Restore a player who was watching before the table moved here."""
        self.parts.gallery.restore(player)
        self.look(player)

    # --- restart and end

    def restart(self) -> None:
        """Continue after a server restart: everyone counts as disconnected, with a new grace period and extra time."""
        if self.hole is not None:
            self.parts.clocks.extra = RESTART_SECONDS
        if self.is_sealing_closed:
            self.parts.sealing.resume()
        self.parts.membership.disconnect_all()
        if self.state is TableState.FINISHED:
            self.parts.membership.start_grace_for_absent()
        self.settle()

    def close(self, reason: str) -> None:
        """Abandon the match, notify everyone and remove the table."""
        if self.is_closed:
            return
        self.is_closed = True
        self.pause()
        if self.is_running:
            self.step(matches.abandon(self.match))
        self.emit(Closed(reason=reason))
        self._release_all()
        self.services.table_ended(self, CloseTable(self.id))
        self._take_apart()

    def fail(self) -> None:
        """Close the table after a fault in the server, without trusting its state; keep its log and never raise."""
        log.error("closing table %s after a fault in the server", self.id)
        if self.is_closed:
            return
        self.is_closed = True
        for step in (
            self.pause,
            lambda: self.emit(Closed(reason="a fault in the server; the match so far is kept")),
            self._release_all,
            lambda: self.services.table_ended(self, SetAside(self.id, "a fault in the server")),
            self._take_apart,
        ):
            with fault_boundary(log, "another fault while closing table %s", self.id):
                step()

    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return the call wrapped in this table's fault boundary, so that a bug stops one table, not the server."""

        def call_guarded() -> None:
            if not self.is_closed:
                with self._boundary:
                    call()

        return call_guarded

    def _release_all(self) -> None:
        for _, chair in self.seating:
            chair.stop_grace()
        for owner in self.seating.owners:
            owner.table = None
        for watcher in self.watchers.values():
            watcher.stop_watching(self.id)
        self.watchers.clear()

    def _take_apart(self) -> None:
        """Break the reference cycles between the table and its parts, so that it is freed without garbage collection.

        If a method of a part closes the table, the method keeps the table alive until it returns.
        """
        self.parts.close()
        del self.parts, self._broadcast, self._boundary
