"""A table: its match, from the first commitment to the last score, and what is done at it.

A plain synchronous object: a command is carried out from its first byte to its last effect without anybody coming
between. Everything that happens is one numbered event, journaled before it is shown. The rules are the engine's, the
clocks are ``pace``'s; who comes and goes is in ``attendance``, who is told what in ``telling``, and what players say
about beginning in ``starting``.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, Event, HoleEnded, HoleStarted, MatchEnded, TurnBegan
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Closed, Opened, Seated, TableEvent
from golfnet.protocol.replies.replies import FillingView, TableView
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.context.seating import Chair, Kind, Seating
from golfnet.server.context.services import Services
from golfnet.server.context.setup import Setup
from golfnet.server.session.player import Player, PlayerSession
from golfnet.server.table import broadcast as telling
from golfnet.server.table import hosts, starting
from golfnet.server.table.clocks import Pace
from golfnet.server.table.filling import Wish, bot_chair
from golfnet.server.table.gallery import Gallery
from golfnet.server.table.membership import Attendance
from golfnet.server.table.sealing import Sealing
from golfnet.server.table.tableview import view_for
from golfnet.storage.records import log_body
from golfnet.storage.writes import AppendEvent, OpenTable, ReserveMatch, SaveTable, TrimTable, Write

log = logging.getLogger(__name__)

RESTART_SECONDS: Final = 30
"""What a running clock gains when the server starts again."""


class Table:
    """One table and the match at it."""

    def __init__(self, services: Services, *, number: int, rules: RuleSet, setup: Setup) -> None:
        self.services = services
        self.number = number
        self.id = f"t{number}"
        self.rules = rules
        self.setup = setup
        self.seating = Seating([None] * rules.seats.high)
        self.host: Player | None = None
        self.watchers: dict[str, Player] = {}
        self.kept_out: dict[str, float] = {}
        """Until when those whom the host has sent away stay away, by player."""
        self.match = Match("")
        self.hole_log: list[Event] = []
        """What has happened in this hole: what a bot that comes late has to be told."""
        self.seq = 0
        self.hole_seq = 0
        """The number of the last event of the match: what ``at=SEQ`` is compared with."""
        self.ticket = 0
        self.started_at = 0.0
        self.is_closed = False
        self.host_said_start = False
        self.is_rematch = False
        """Whether the coming match waits for everybody's word, however the table was opened."""
        self.sealing = Sealing(self)
        self.pace = Pace(self)
        self.attendance = Attendance(self)
        self.gallery = Gallery(self)
        self._is_row_due = False

    # --- what a table is

    @property
    def state(self) -> State:
        """Where the table is in its life."""
        if self.match.places is not None:
            return State.FINISHED
        if self.match.is_playing:
            return State.PLAYING
        return State.OPEN if self.match.rules is None else State.BETWEEN

    @property
    def is_running(self) -> bool:
        """Whether the match has started and is not over."""
        return self.match.rules is not None and self.match.places is None

    @property
    def is_private(self) -> bool:
        """Whether a password is needed to sit down."""
        return self.setup.lock is not None

    @property
    def hole(self) -> Hole | None:
        """The hole in play."""
        hole = self.match.hole
        return hole if hole is not None and hole.ended is None else None

    @property
    def clock_ms(self) -> int | None:
        """The clock that a turn starts with, None without one."""
        return self.setup.clock * 1000 or None

    def is_holding(self, player: Player) -> bool:
        """Tell whether the player holds a drawn card."""
        drawn = self.hole.drawn if self.hole is not None else None
        return drawn is not None and drawn.seat == self.seating.of(player)

    def seat_of(self, player: Player) -> Seat:
        """Return the player's seat here; raises ``Refused``."""
        seat = self.seating.of(player)
        if seat is None:
            raise Refused(Code.NOT_SEATED, f"You have no seat at {self.id}; join {self.id} to take one.")
        return seat

    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Note that the discard of a slam window was written to a seat, in seconds of trio's clock."""
        self.pace.windows.shown(seat, discard_no, at, session)

    # --- what commands do

    def sit(self, player: Player, password: str = "") -> None:
        """Seat a player at the open table, and show it the table; raises ``Refused``."""
        self.attendance.sit(player, password)

    def leave(self, player: Player) -> None:
        """Give up the player's seat; in a running match the house plays on with it. Raises ``Refused``."""
        self.attendance.leave(player)

    def expel(self, player: Player) -> None:
        """Give up the seat of a player whom the operator keeps out; harmless for those who have none."""
        seat = self.seating.of(player)
        if seat is not None:
            self.attendance.vacate(seat, Cause.KICKED)

    def disconnect(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a player whose connection is gone for a while."""
        self.attendance.drop(player, cause)

    def reconnect(self, player: Player) -> None:
        """Show a player who is back its table, and let it play again."""
        self.attendance.come_back(player)

    def watch(self, player: Player, password: str = "") -> None:
        """Show a player without a seat here what everybody sees; raises ``Refused``."""
        self.gallery.watch(player, password)

    def unwatch(self, player: Player) -> None:
        """Stop watching; harmless for those who do not."""
        self.gallery.unwatch(player)

    def kick(self, host: Player, whom: str) -> None:
        """Send somebody away by seat letter or name, at the host's word; raises ``Refused``."""
        hosts.kick(self, host, whom)

    def hand_over(self, host: Player, seat: Seat) -> None:
        """Make the human at another seat the host; raises ``Refused``."""
        hosts.hand_over(self, host, seat)

    def add_bot(self, host: Player, level: str) -> None:
        """Fill the first free seat with a bot; raises ``Refused``."""
        hosts.need_host(self, host)
        self.attendance.add_bot(bot_chair(self.seating, level))

    def fill(self, host: Player, wish: Wish | None) -> str | None:
        """Let bots take the free seats after a wait, None for no longer; return why no wait begins or ends, if so.

        Raises ``Refused``.
        """
        hosts.need_host(self, host)
        return self.pace.filling.ask(wish)

    def ready(self, player: Player) -> None:
        """Note that the player is ready, or give it its seat back from the house; raises ``Refused``."""
        starting.ready(self, player)

    def start(self, player: Player) -> str | None:
        """Start at the host's word, at once or when all present are ready; return what is still missing."""
        return starting.start(self, player)

    def rematch(self, player: Player) -> None:
        """Open a new match between those who are still here; raises ``Refused``."""
        starting.rematch(self, player)

    def cut(self, player: Player, text: str) -> None:
        """Take a player's text for the coming deal; raises ``Refused``."""
        self.sealing.cut(player, text)

    def seal(self, player: Player, seal: str) -> None:
        """Take a player's seal of a text for the coming deal; raises ``Refused``."""
        self.sealing.seal(player, seal)

    def say(self, player: Player, text: str) -> None:
        """Send what a player or watcher says to everybody at the table who listens to it."""
        telling.say(self, player, text)

    def look(self, player: Player) -> None:
        """Send a player its whole view."""
        telling.look(self, player)

    def view(self, player: Player) -> TableView:
        """Return the whole view of a player, seated or watching."""
        return view_for(self, self.seating.of(player))

    @property
    def filling(self) -> FillingView | None:
        """The wait for bots as everybody may see it, None where none runs."""
        return self.pace.filling.view

    def shown_cut(self, chair: Chair) -> dict[str, Any]:
        """Return what everybody may see of a chair's text for the coming deal, as fields of its view."""
        return self.sealing.shown(chair)

    def slam_log(self) -> list[dict[str, object]]:
        """Return how the slams of the last finished hole were judged."""
        return self.pace.windows.log.rows

    def slam_log_note(self) -> str:
        """Return a sentence about which hole the log of slams is of."""
        return self.pace.windows.log.note(None if self.hole is None else self.hole.deal.hole)

    def pause(self) -> None:
        """Stop all clocks, until ``settle``."""
        self.pace.stop()

    # --- the match

    def open(self, host: Player) -> None:
        """Open the table with its host in seat A and the first deal committed."""
        self.host = host
        seat = self.attendance.take_seat(host)
        self.services.gate.submit([OpenTable(self.id, self.services.row_of(self))])
        self.emit(Opened(player=host.name), Seated(seat=seat, player=host.name))
        self.new_match()
        telling.look(self, host)
        self.settle()

    def restart(self) -> None:
        """Go on after a restart of the server: everybody is dropped, with a fresh grace and more time."""
        if self.hole is not None:
            self.pace.add_time(RESTART_SECONDS)
        self.attendance.drop_all()
        if self.state is State.FINISHED:
            self.attendance.keep_seats_of_the_away()
        self.settle()

    def new_match(self) -> None:
        """Give the coming match its number, never to be given again, and commit to its first deal.

        The log of the match before, which is kept as a record by now, is not needed any more.
        """
        over, first = self.match.id, self.seq + 1
        self.match = Match(self.services.next_match())
        self.services.gate.submit([ReserveMatch(self.match.id)])
        self.step(matches.commit(self.match, self.services.entropy(32)))
        if over:
            self.services.gate.submit([TrimTable(self.id, first, over)])

    def begin(self) -> None:
        """Close the seats, start the match and deal the first hole."""
        self.pace.distances.tell()
        letters = list(self.seating)
        self.seating.close_ranks()
        self.host_said_start = self.is_rematch = False
        self.started_at = self.services.wall_clock()
        for _, chair in self.seating:
            chair.begin_match()
            if chair.kind is Kind.BOT:
                chair.bot = self.services.make_bot(chair.level, self.rules.for_seats(len(self.seating)))
        self.step(matches.start(self.match, self.rules, self.seating.names))
        if list(self.seating) != letters:
            telling.look_all(self)
        self.deal()

    def deal(self) -> None:
        """Deal the next hole, which is due, with the cuts made for it; those that are sealed are told first."""
        if not self.sealing.close():
            cuts, seals = self.sealing.take()
            for _, chair in self.seating:
                chair.ready = False
            self.step(matches.deal(self.match, cuts, seals), row=True)
        self.settle()

    def act(self, player: Player, make: Callable[[Seat], Action], at: int | None = None) -> None:
        """Carry out a player's action in the hole; raises ``Refused``."""
        seat = self.seat_of(player)
        if at is not None and self.hole_seq > at:
            raise Refused(Code.STALE, f"Event {self.hole_seq} came after {at}; look again.")
        try:
            self.pace.claim_or_act(seat, make(seat))
        except Refused as refused:
            raise self.attendance.explained(refused, seat) from None
        self.settle()

    def do(self, seat: Seat, action: Action, *, is_own: bool = False) -> None:
        """Let the engine decide an action, the owner's own or made for the seat; raises ``Refused`` with its reason."""
        try:
            step = matches.act(self.match, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal) from None
        if is_own:
            self.attendance.has_played(seat)  # first, since this action may be the match's last
        self.step(step)

    def step(self, step: matches.Step, *, row: bool = False) -> None:
        """Take over a step of the match: state at once, everybody told in order; ``row`` as for ``emit``."""
        events, self.match = step
        self.emit(*events, row=row)
        if isinstance(events[-1], HoleEnded):
            self.step(matches.commit(self.match, self.services.entropy(32)))
        elif isinstance(events[-1], MatchEnded):
            self.services.match_finished(self)
            self.attendance.keep_seats_of_the_away()

    def settle(self) -> None:
        """After every change: see what the table waits for now, and tell each seat what it may do."""
        if self.is_closed:
            return
        if not self.seating.has_humans:
            self.close("everybody has left")
            return
        self.pace.update()
        if self._is_row_due and not self.is_closed:
            self._is_row_due = False
            self.services.gate.submit([SaveTable(self.id, self.services.row_of(self))])
        if not self.is_closed:
            telling.prompt_all(self)

    def emit(self, *events: Event | TableEvent, but: Seat | None = None, row: bool = False) -> None:
        """Number, journal and show events; the seat ``but`` is not told, for it gets the whole view instead.

        With ``row``, what is kept of the table beside its events is stored in the same write, and never without them.
        """
        first = self.seq + 1
        bodies = []
        for event in events:
            self.seq += 1
            if type(event) is TurnBegan:
                bodies.append(log_body(event, ms=self.clock_ms))
            else:
                bodies.append(log_body(event))
            if event.name in EVENTS:
                self.note(self.seq, event)  # type: ignore[arg-type]
            else:
                self.keep_row()
        writes: list[Write] = [AppendEvent(self.id, seq, body) for seq, body in enumerate(bodies, first)]
        if row:
            self._is_row_due = False
            writes.append(SaveTable(self.id, self.services.row_of(self)))
        self.ticket = self.services.gate.submit(writes)
        telling.show(self, first, events, bodies, but)

    def note(self, seq: int, event: Event) -> None:
        """Take up an event of the match in what the table remembers beside its state."""
        self.hole_seq = seq
        if type(event) is HoleStarted:
            self.hole_log.clear()
        self.hole_log.append(event)

    def keep_row(self) -> None:
        """Note that what is kept of the table beside its events has changed: ``settle`` writes it down."""
        self._is_row_due = True

    # --- the end

    def close(self, reason: str) -> None:
        """Break off what is played, tell everybody and forget the table."""
        if self.is_closed:
            return
        self.is_closed = True
        self.pace.stop()
        if self.is_running:
            self.step(matches.abandon(self.match))
        self.emit(Closed(reason=reason))
        self._release_all()
        self.services.table_closed(self)
        self._take_apart()

    def fail(self) -> None:
        """Close after a bug of ours, without trusting the state any more; the log is kept. Never fails itself."""
        log.exception("table %s closed by a fault in the server", self.id)
        if self.is_closed:
            return
        self.is_closed = True
        for step in (
            self.pace.stop,
            lambda: self.emit(Closed(reason="a fault in the server; the match so far is kept")),
            self._release_all,
            lambda: self.services.table_failed(self),
            self._take_apart,
        ):
            try:
                step()
            except Exception:
                log.exception("table %s: after its fault", self.id)

    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return the call with this table's boundary around it: a bug closes one table, not the server."""

        def call_guarded() -> None:
            if self.is_closed:
                return
            try:
                call()
            except Exception:
                self.fail()

        return call_guarded

    def _release_all(self) -> None:
        for _, chair in self.seating:
            chair.stop_grace()
            if chair.player is not None:
                chair.player.table = None
        for watcher in self.watchers.values():
            watcher.watched.pop(self.id, None)
        self.watchers.clear()

    def _take_apart(self) -> None:
        """Cut the circles between the table and its parts, so that it dies with the last reference to it.

        A part that closed the table in the middle of its work keeps the table until it returns; the table has no use
        for its parts any more.
        """
        self.pace.close()
        self.gallery.stop()
        del self.pace, self.attendance, self.gallery, self.sealing
