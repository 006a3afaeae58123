"""The table as seen by its parts: its state, and what a part may do with it.

A ``TableContext`` is a plain synchronous object: every call returns before anything else happens at the table.
Everything that happens is a numbered event, which is journaled before it is shown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from golfnet.engine import match as matches
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, HoleEnded, HoleStarted, MatchEnded, TurnBegan
from golfnet.engine.match import Match
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.clock import NO_TIMER
from golfnet.server.table.seating import Seating
from golfnet.storage.records import log_body
from golfnet.storage.writes import AppendEvent, CloseTable, PlayerKind, SaveTable, SetAside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.bots.player import BotPlayer, Executor
    from golfnet.engine.actions import Action
    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.replies.data import AnyEvent
    from golfnet.server.budget import SlamTotals
    from golfnet.server.clock import Timer, Timers
    from golfnet.server.config import Config
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.session.player import Player, PlayerSession
    from golfnet.server.table.seating import Chair
    from golfnet.server.table.setup import BotRequest, Setup
    from golfnet.storage.writes import Write


class TableContext(ABC):
    """The state of one table, and the ways to change it."""

    def __init__(self, services: Services, *, number: int, rules: RuleSet, setup: Setup) -> None:
        self.services = services
        self.id = f"t{number}"
        self.rules = rules
        self.setup = setup
        self.clock_ms = setup.clock * 1000 or None
        """The time per turn in milliseconds, or None without a clock."""
        self.seating = Seating([None] * rules.seats.high)
        self.host: Player | None = None
        self.watchers: dict[str, Player] = {}
        self.banned: dict[str, float] = {}
        """By player id, the time on trio's clock at which a player whom the host has removed may come back."""
        self.invited: dict[str, float] = {}
        """By player id, the time on trio's clock until which an invited player needs no password."""
        self.wanted_bots: BotRequest | None = None
        """The host's request that bots take the free seats after a while."""
        self.is_rematch = False
        """Whether the next match waits until everyone is ready, however the table was set up."""
        self.is_sealing_closed = False
        """Whether no text for the next deal can be sealed any more, but the hole has not been dealt yet."""
        self.set_match(Match(""))
        self.hole_log: list[Event] = []
        """The events of the current or last hole, which tell a bot that takes over a seat what has happened."""
        self.seq = 0
        self.hole_seq = 0
        """The number of the match's last event; ``at=SEQ`` is compared with it."""
        self.ticket = 0
        """The journal's ticket for the last event."""
        self.started_at = 0.0
        self.is_closed = False
        self.is_row_due = False
        """Whether the table's row has changed since it was stored; ``settle`` stores it."""

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

    # --- events

    def decide(self, seat: Seat, action: Action) -> matches.Step:
        """Return the result of an action under the rules, without carrying it out, or raise ``Refused``."""
        try:
            return matches.act(self.match, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal, self.seating.names) from None

    def do(self, seat: Seat, action: Action) -> None:
        """Carry out an action for a seat, or raise ``Refused``."""
        self.step(self.decide(seat, action))

    def set_match(self, match: Match) -> None:
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
            self.step(matches.commit(self.match, self.services.entropy(32)))
        elif isinstance(events[-1], MatchEnded):
            self.match_over()

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
        self.ticket = self.services.gate.submit(writes)
        self.broadcast(first, events, bodies, but)

    @property
    def seated(self) -> tuple[str, ...]:
        """The ids of the players who have a seat here."""
        return tuple([owner.id for owner in self.seating.owners])

    def notify(self, notice: Notice, but: Seat | None = None) -> None:
        """Send a notice to everyone at the table, after its events; skip the seat ``but`` if a person sits there."""
        for seat, chair in self.seating:
            if chair.session is not None and (seat != but or chair.session.writer.machine):
                chair.session.send(notice, ticket=self.ticket, you=seat)
        for watcher in self.watchers.values():
            if watcher.session is not None:
                watcher.session.send(notice, ticket=self.ticket)

    def look_all(self) -> None:
        """Send everyone the full view, because the seat letters have changed."""
        for player in (*self.seating.players, *self.watchers.values()):
            self.look(player)

    def send_aim(self) -> None:
        """Explain the aim of the game to guests who, as far as this server knows, have not been told yet."""
        for seat, chair in self.seating:
            player, session = chair.player, chair.session
            is_new = player is not None and player.kind is PlayerKind.GUEST and not player.knows_aim
            if player is not None and session is not None and is_new and not session.writer.machine:
                from golfnet.engine.rulebook import aim  # loaded on first use

                player.knows_aim = True
                for text in aim(self.rules):
                    session.send(Notice(code="AIM", text=text, table=self.id), ticket=self.ticket, you=seat)

    def note(self, seq: int, events: Sequence[Event]) -> None:
        """Record events of the match; the last one has the number ``seq``."""
        self.hole_seq = seq
        for event in events:
            if type(event) is HoleStarted:
                self.hole_log.clear()
            self.hole_log.append(event)

    # --- time

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call back after this many seconds, unless the table is closed by then."""
        return self.services.timers.after(seconds, self.guarded(call))

    def once_shown(self, call: Callable[[], None]) -> None:
        """Call back right after the replies about the last event have been sent, which may be immediately."""
        self.services.gate.once_shown(self.ticket, self.guarded(call))

    # --- implemented by ``Table``

    @abstractmethod
    def settle(self) -> None:
        """Update all parts and prompt each seat; call this after every change."""

    @abstractmethod
    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return a function that makes the call inside the table's fault boundary."""

    @abstractmethod
    def broadcast(
        self, first: int, events: Sequence[AnyEvent], bodies: list[bytes], but: Seat | None
    ) -> None:
        """Send events, numbered from ``first``, to all who may see them."""

    @abstractmethod
    def look(self, player: Player) -> None:
        """Send a player their full view."""

    @abstractmethod
    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Record when a slam window's discard was written to a seat, on trio's clock."""

    @abstractmethod
    def deal(self) -> None:
        """Deal the next hole with its cuts; if some are sealed, have them revealed first."""

    @abstractmethod
    def match_over(self) -> None:
        """Store the result of the match."""

    @abstractmethod
    def reopen(self) -> None:
        """Open a new match for everyone still here; it starts when they are all ready."""

    @abstractmethod
    def saved(self) -> SaveTable:
        """Return the write that stores the table's row and who is seated."""


class Part:
    """A part of a table; most have one timer, which the next update sets again after ``stop``."""

    _timer = NO_TIMER

    def __init__(self, table: TableContext) -> None:
        self._table = table

    def stop(self) -> None:
        """Cancel the timers; the next update sets them again."""
        self._timer.cancel()


class Services(NamedTuple):
    """What a table needs from the server.

    ``entropy(n)`` returns n random bytes for seeds, ``wall_clock`` returns Unix seconds, ``make_bot`` makes a bot of a
    given level for the rules as played, ``executor`` computes slow bots' choices. ``next_match`` returns a unique match
    id; ``match_finished`` stores the result of a match, ``table_ended`` removes a table and stores how it ended.
    """

    config: Config
    timers: Timers
    gate: DurabilityGate
    entropy: Callable[[int], bytes]
    make_bot: Callable[[str, RuleSet], BotPlayer]
    executor: Executor
    wall_clock: Callable[[], float]
    slams: SlamTotals
    next_match: Callable[[], str]
    match_finished: Callable[[TableContext], None]
    table_ended: Callable[[TableContext, CloseTable | SetAside], None]
