"""A table: its match, from the first commitment to the last score, and everything that commands do at it.

The one face of this room. What a table does is in its parts, which get a ``TableContext`` and never each other's
inside: who sits there in ``membership``, who watches in ``gallery``, beginnings in ``starting``, time in ``clocks``,
slam windows and bots in rooms of their own. A ``Table`` puts the parts together, calls them in their order after
every change (``settle``), and sends the views that commands ask for.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Protocol

from golfnet.engine import match as matches
from golfnet.engine.actions import Pass, Slam
from golfnet.engine.hole import TURN
from golfnet.engine.legality import choices
from golfnet.engine.notation import listed
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Closed, Opened, Seated, TableState
from golfnet.server.faults import fault_boundary
from golfnet.server.table import gallery, hosts, lending, rows
from golfnet.server.table.broadcast import told_again
from golfnet.server.table.context import TableContext
from golfnet.server.table.parts import Parts
from golfnet.server.table.rows import row_bytes
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.starting import are_away
from golfnet.storage.writes import GiveTable, OpenTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from golfnet.engine.actions import Action
    from golfnet.engine.events import Event
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.replies.presence import TableEvent
    from golfnet.protocol.replies.replies import FillingView, TableView
    from golfnet.server.session.player import Player, PlayerSession
    from golfnet.server.table.context import Services
    from golfnet.server.table.seating import Chair
    from golfnet.server.table.setup import Setup
    from golfnet.server.table.starting import Wish

log = logging.getLogger(__name__)

RESTART_SECONDS: Final = 30
"""What a running clock gains when the server starts again."""


class TableOwner(Protocol):
    """What a table needs of those who keep all tables."""

    def next_match(self) -> str:
        """Return the id of a new match, never to be given again."""

    def match_finished(self, table: Table) -> None:
        """Keep the record and the result of a match that is over."""

    def table_closed(self, table: Table) -> None:
        """Forget a table."""

    def table_failed(self, table: Table) -> None:
        """Forget a table with a fault, and keep what is stored of it."""


class Table(TableContext):
    """One table and the match at it."""

    def __init__(
        self, owner: TableOwner, services: Services, *, number: int, rules: RuleSet, setup: Setup
    ) -> None:
        super().__init__(services, number=number, rules=rules, setup=setup)
        self._owner = owner
        self.parts = Parts(self, owner.next_match)
        self._boundary = fault_boundary(log, "a fault in the server at table %s", self.id, on_fault=self.fail)

    # --- coming and going

    def open(self, host: Player) -> None:
        """Open the table with its host in seat A and the first deal committed."""
        self.host = host
        seat = self.parts.membership.take_seat(host)
        self.services.gate.submit([OpenTable(self.id, self.row(), self.seated)])
        self.emit(Opened(player=host.name), Seated(seat=seat, player=host.name))
        self.parts.starting.new_match()
        self.look(host)
        self.settle()

    def sit(self, player: Player, password: str = "") -> None:
        """Seat a player at the open table, and show it the table; raises ``Refused``."""
        self.parts.membership.sit(player, password)
        self.parts.waiting.tell_places()
        if self.state is TableState.OPEN:  # and no seat in a running match was lent
            self.parts.starting.count_down(newcomer=self.seating.of(player))
        self.look(player)
        self.settle()

    def must_wait(self, player: Player) -> bool:
        """Tell whether a player who wants a seat can have none now: all are taken, or the match has begun."""
        has_free_seat = self.state is TableState.OPEN and not self.seating.is_full
        return not has_free_seat and lending.offered(self, player) is None

    def wait_for_seat(self, player: Player, password: str = "") -> int:
        """Give a player a place in line for the next match, show it the table, and return it; raises ``Refused``."""
        place = self.parts.waiting.enter(player, password)
        self.look(player)
        self.settle()
        return place

    def place_in_line(self, player: Player) -> int:
        """Return the place of a player who waits for a seat, the first is 1; 0 for none."""
        return self.parts.waiting.place(player)

    def way_back(self, player: Player) -> str:
        """Return how a player who lost a seat here, and has another name now, gets it back; empty for nobody."""
        return lending.way_back(self, player)

    def forfeits(self, player: Player, catalogue: Mapping[str, RuleSet]) -> bool:
        """Tell whether leaving now costs the player rating."""
        return rows.forfeits(self, player, catalogue)

    def loss_by_leaving(self, player: Player, catalogue: Mapping[str, RuleSet]) -> str:
        """Return a sentence about what leaving now would cost, empty where no match runs."""
        return rows.loss_by_leaving(self, player, catalogue)

    def leave(self, player: Player) -> None:
        """Give up the player's seat; in a running match the house plays on with it. Raises ``Refused``."""
        self.parts.membership.vacate(self.seat_of(player), Cause.LEFT)
        self.settle()

    def expel(self, player: Player) -> None:
        """Give up the seat of a player whom the operator keeps out; harmless for those who have none."""
        seat = self.seating.of(player)
        if seat is not None:
            self.parts.membership.vacate(seat, Cause.KICKED)
            self.settle()

    def disconnect(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a player whose connection is gone for a while."""
        self.parts.membership.disconnect(player, cause)
        self.settle()

    def reconnect(self, player: Player) -> None:
        """Show a player who is back its table, and let it play again."""
        self.parts.membership.reconnect(player)
        self.look(player)
        self.settle()

    def watch(self, player: Player, password: str = "") -> None:
        """Show a player without a seat here what everybody sees; raises ``Refused``."""
        self.parts.gallery.watch(player, password)
        self.look(player)

    def unwatch(self, player: Player) -> None:
        """Stop watching, and waiting for a seat; harmless for those who do not."""
        self.parts.gallery.unwatch(player)
        self.parts.waiting.tell_places()

    def invite(self, inviter: Player, player: str, name: str) -> bool:
        """Let a player, by id and ``name``, in without the password for a while; raises ``Refused``.

        Return whether nobody with a seat avoids the player.
        """
        return gallery.invite(self, inviter, player, name)

    # --- what hosts do: for those whom ``need_host`` has let pass

    def need_host(self, player: Player) -> None:
        """Raise ``Refused`` unless the player is the host."""
        hosts.need_host(self, player)

    def kick(self, host: Player, whom: str) -> None:
        """Send somebody away by seat letter or name, at the host's word; raises ``Refused``."""
        hosts.kick(
            self, host, whom, vacate=self.parts.membership.vacate, unwatch=self.parts.gallery.send_away
        )
        self.settle()

    def hand_over(self, whom: str) -> None:
        """Make the human at another seat the host; raises ``Refused``."""
        hosts.hand_over(self, whom)
        self.settle()

    def offer_seat(self, host: Player, seat: Seat, player: Player) -> None:
        """Let a player take the seat of somebody who is away, at the host's word; raises ``Refused``.

        While the host is away, anybody else who plays may say it.
        """
        lending.need_helper(self, host)
        lending.offer(self, host, seat, player)

    def add_bot(self, level: str) -> None:
        """Fill the first free seat with a bot; raises ``Refused``."""
        self.parts.membership.add_bot(level)
        self.settle()

    def fill(self, wish: Wish | None) -> str | None:
        """Let bots take the free seats after a wait, None for no longer; return why no wait begins or ends, if so.

        Raises ``Refused``.
        """
        note = self.parts.filling.ask(wish)
        self.settle()
        return note

    def start(self, host: Player) -> str | None:
        """Start at the host's word, at once or when all present are ready; return what is still missing.

        Raises ``Refused``.
        """
        missing = self.parts.starting.start(host)
        self.settle()
        if self.is_running:
            return None
        have = "has" if len(missing) == 1 else "have"
        typed = [f"The match starts as soon as {listed(missing)} {have} typed ready."] if missing else []
        absent = self.seating.absent
        away = [f"{are_away(absent)}. To start without {absent[0]}, type: kick {absent[0]}"] if absent else []
        return " ".join([*typed, *away])

    # --- beginning a match or a hole

    def ready(self, player: Player) -> None:
        """Note that the player is ready, or give it its seat back from the house; raises ``Refused``."""
        has_seat_back = self.parts.membership.reclaim_seat(player)
        self.parts.starting.ready(player, has_seat_back=has_seat_back)
        self.settle()

    def missing(self, player: Player) -> str:
        """Return who is missing before the match, and what the player can type; empty where nobody is."""
        return self.parts.starting.missing(player)

    def way_to_play(self, player: Player) -> str:
        """Return what a lone host can type to play at once, or the place of who waits in line; else nothing."""
        if place := self.parts.waiting.place(player):
            return f"You are number {place} in line. To leave the line, type: leave"
        return self.parts.starting.way_to_play(player)

    def is_past_ready(self, seat: Seat) -> bool:
        """Tell whether ``ready`` of a seat comes too late: the hole is in play, and its owner plays it."""
        chair = self.seating.at(seat)
        return self.hole is not None and chair is not None and chair.kind is ChairKind.HUMAN

    def rematch(self, player: Player) -> None:
        """Open a new match between those who are still here; a later ``rematch`` says ready. Raises ``Refused``."""
        self.seat_of(player)
        if self.state is TableState.FINISHED:
            self.parts.reopen()
        elif self.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match is not over yet. You can ask for a rematch after it.")
        self.ready(player)

    def cut(self, player: Player, text: str) -> None:
        """Take a player's text for the coming deal; raises ``Refused``."""
        self.parts.sealing.cut(player, text)
        self.settle()

    def seal(self, player: Player, seal: str) -> None:
        """Take a player's seal of a text for the coming deal; raises ``Refused``."""
        self.parts.sealing.seal(player, seal)
        self.settle()

    # --- playing, talking and looking

    def act(self, seat: Seat, action: Action, at: int | None = None) -> bool:
        """Carry out a player's action in the hole, a slam through its window; raises ``Refused``.

        With ``at`` it is refused where the match has had an event after that number. Return whether it was for a slam
        window that is still open.
        """
        if at is not None and self.hole_seq > at:
            raise Refused(
                Code.STALE, f"Something has happened since event {at}: event {self.hole_seq}. Look again."
            )
        claim = action if isinstance(action, Slam | Pass) and self._has_open_window else None
        try:
            if claim is not None:
                self.parts.windows.take(seat, claim)
                self.parts.membership.has_played(seat)
            else:
                step = self.decide(seat, action)
                self.parts.membership.has_played(seat)  # first, since this action may be the match's last
                self.step(step)
        except Refused as refused:
            raise self.parts.membership.explain(refused, seat) from None
        self.settle()
        return claim is not None and self._has_open_window

    @property
    def hole_number(self) -> int:
        """The number of the hole in play, 0 where none is."""
        return 0 if self.hole is None else self.hole.deal.hole

    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether a seat may begin its first turn of the hole now."""
        hole = self.hole
        return hole is not None and hole.stage is TURN and hole.turn == seat and hole.turns[seat] == 1

    def pass_hole(self, seat: Seat) -> None:
        """Pass for a seat in all further slam windows of the hole, until it slams; raises ``Refused``."""
        self.parts.windows.pass_hole(seat)
        self.settle()

    def offers(self, seat: Seat, line: str) -> bool:
        """Tell whether a seat may send this very line now."""
        hole = self.hole
        return line in self.parts.views.offer(seat, None if hole is None else choices(hole, seat))[0]

    @property
    def _has_open_window(self) -> bool:
        return self.hole is not None and self.hole.window is not None

    def say(self, player: Player, text: str) -> None:
        """Send what a player or watcher says to everybody at the table who listens to it."""
        self.parts.broadcast.send_chat(player, text)

    def look(self, player: Player) -> None:
        """Send a player its whole view."""
        self.parts.broadcast.send_view(player)

    def moves(self, seat: Seat | None) -> Iterator[Event]:
        """Return what has happened in this hole or in the last, as far as a seat or a watcher may be told it again."""
        return told_again(self, seat)

    def view(self, seat: Seat | None) -> TableView:
        """Return the whole view of a seat, or of a watcher."""
        return self.parts.views.view(seat)

    @property
    def starts_ms(self) -> int | None:
        """The time until the match begins by itself, None while no countdown runs."""
        return self.parts.starting.countdown.ms

    @property
    def filling(self) -> FillingView | None:
        """The wait for bots as everybody may see it, None where none runs."""
        return self.parts.filling.view

    def shown_cut(self, chair: Chair) -> dict[str, Any]:
        """Return what everybody may see of a chair's text for the coming deal, as fields of its view."""
        return self.parts.sealing.shown(chair)

    def slam_log(self) -> list[dict[str, object]]:
        """Return how the slams of the last finished hole were judged."""
        return self.parts.windows.log.rows

    def slam_log_note(self) -> str:
        """Return a sentence about which hole the log of slams is of, or that these rules have none."""
        rules = self.match.rules or self.rules
        if rules.slam is SlamMode.OFF:
            return f"There are no slams in {rules.name}."
        return self.parts.windows.log.note(None if self.hole is None else self.hole.deal.hole)

    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Note that the discard of a slam window was written to a seat, in seconds of trio's clock."""
        self.parts.windows.shown(seat, discard_no, at, session)

    # --- after every change

    def settle(self) -> None:
        """Update every part to what the table waits for now, and prompt each seat."""
        if self.is_closed:
            return
        if not (self.seating.has_humans or self.parts.waiting.take_over()):
            self.close("everybody has left")
            return
        self.parts.update()
        if self.is_row_due and not self.is_closed:
            self.is_row_due = False
            self.services.gate.submit([self.saved()])
        if not self.is_closed:
            self.parts.broadcast.send_prompts()
            if self.parts.broadcast.has_news:
                self.parts.broadcast.send_pictures()

    def pause(self) -> None:
        """Cancel every timer; ``settle`` sets them again."""
        self.parts.stop()

    # --- what the context leaves to the table

    def broadcast(
        self,
        first: int,
        events: Sequence[Event | TableEvent],
        bodies: Sequence[bytes],
        but: Seat | None,
    ) -> None:
        """Send events, of which ``first`` is the number of the first, to all who may see them."""
        self.parts.broadcast.send_events(first, events, bodies, but)

    def match_over(self) -> None:
        """Keep the result of the match, and the seats of those who are away for a while."""
        self._owner.match_finished(self)
        self.parts.membership.start_grace_for_absent()

    def row(self) -> bytes:
        """Return what is stored of the table beside its events."""
        return row_bytes(
            self,
            wish=self.parts.filling.wish,
            is_rematch=self.parts.starting.is_rematch,
            is_sealing_closed=self.parts.sealing.is_closed,
        )

    # --- from node to node

    @property
    def can_move(self) -> bool:
        """Whether the table can go to another node now: in the middle of a slam window it cannot."""
        return not self._has_open_window

    def give(self, node: int) -> int:
        """Let another node go on with the table, and do nothing more; return the ticket of that."""
        row, stays = self.row(), tuple([(owner.id, owner.stay) for owner in self.seating.owners])
        self.is_closed = True
        self.pause()
        self._release_all()
        ticket = self.services.gate.submit([GiveTable(self.id, row, node, stays)])
        self._take_apart()
        return ticket

    def watch_again(self, player: Player) -> None:
        """Let somebody watch who did before the table came here."""
        self.parts.gallery.come_back(player)
        self.look(player)

    # --- restart and end

    def resume(self, *, wish: Wish | None, is_rematch: bool, is_sealing_closed: bool) -> None:
        """Take back what was stored of the table's parts, before ``restart``."""
        self.parts.filling.wish = wish
        self.parts.starting.is_rematch = is_rematch
        if is_sealing_closed and self.match.next_deal is not None:
            self.parts.sealing.resume()

    def restart(self) -> None:
        """Go on after a restart of the server: everybody is disconnected, with a fresh grace and more time."""
        if self.hole is not None:
            self.parts.clocks.add_time(RESTART_SECONDS)
        self.parts.membership.disconnect_all()
        if self.state is TableState.FINISHED:
            self.parts.membership.start_grace_for_absent()
        self.settle()

    def close(self, reason: str) -> None:
        """Break off what is played, tell everybody and forget the table."""
        if self.is_closed:
            return
        self.is_closed = True
        self.pause()
        if self.is_running:
            self.step(matches.abandon(self.match))
        self.emit(Closed(reason=reason))
        self._release_all()
        self._owner.table_closed(self)
        self._take_apart()

    def fail(self) -> None:
        """Close after a bug of ours, without trusting the state any more; the log is kept. Never fails itself."""
        log.error("table %s is closed by a fault in the server", self.id)
        if self.is_closed:
            return
        self.is_closed = True
        for step in (
            self.pause,
            lambda: self.emit(Closed(reason="a fault in the server; the match so far is kept")),
            self._release_all,
            lambda: self._owner.table_failed(self),
            self._take_apart,
        ):
            with fault_boundary(log, "table %s: after its fault", self.id):
                step()

    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return the call with this table's boundary around it: a bug closes one table, not the server."""

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
        """Cut the circles between the table and its parts, so that it dies with the last reference to it.

        A part that closed the table in the middle of its work keeps the table until it returns; the table has no use
        for its parts any more.
        """
        self.parts.close()
        del self.parts, self._boundary
