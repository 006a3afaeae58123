"""A table as its parts see it: its state, and the few things that a part may do to it.

A plain synchronous object: whatever is called returns before anything else happens at the table. Everything that
happens is one numbered event, journaled before it is shown. Parts (clocks, slam windows, bots, membership ...) get a
``TableContext`` and never the ``Table`` behind it, so that no part reaches another one through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from golfnet.engine import match as matches
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, HoleEnded, HoleStarted, MatchEnded, TurnBegan
from golfnet.engine.match import Match
from golfnet.engine.rulebook import aim
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.seating import Seating
from golfnet.storage.records import log_body
from golfnet.storage.writes import AppendEvent, PlayerKind, SaveTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.bots.player import BotPlayer, Executor
    from golfnet.engine.actions import Action
    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.replies.presence import TableEvent
    from golfnet.server.clock import Timer, Timers
    from golfnet.server.config import Config
    from golfnet.server.counters import SlamTotals
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.session.player import Player, PlayerSession
    from golfnet.server.table.setup import Setup
    from golfnet.storage.writes import Write


class TableContext(ABC):
    """The state of one table, and how parts change it."""

    def __init__(self, services: Services, *, number: int, rules: RuleSet, setup: Setup) -> None:
        self.services = services
        self.number = number
        self.id = f"t{number}"
        self.rules = rules
        self.setup = setup
        self.seating = Seating([None] * rules.seats.high)
        self.host: Player | None = None
        self.watchers: dict[str, Player] = {}
        self.banned: dict[str, float] = {}
        """Until when those whom the host has sent away stay away, by player; seconds of trio's clock."""
        self.invited: dict[str, float] = {}
        """Until when those who were invited need no password, by player; seconds of trio's clock."""
        self.set_match(Match(""))
        self.hole_log: list[Event] = []
        """What has happened in this hole: what a bot that comes late has to observe."""
        self.seq = 0
        self.hole_seq = 0
        """The number of the last event of the match: what ``at=SEQ`` is compared with."""
        self.ticket = 0
        """The journal's ticket of the last event."""
        self.started_at = 0.0
        self.is_closed = False
        self.is_row_due = False
        """Whether what is stored of the table beside its events has changed; ``settle`` stores it."""

    # --- what a table is

    @property
    def state(self) -> TableState:
        """Where the table is in its life."""
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
            raise Refused(
                Code.NOT_SEATED, f"You have no seat at {self.id}. To take one, type: join {self.id}"
            )
        return seat

    def need_unfinished(self) -> None:
        """Raise ``Refused`` after the end of the match."""
        if self.state is TableState.FINISHED:
            raise Refused(Code.BAD_PHASE, matches.OVER)

    # --- what happens

    def decide(self, seat: Seat, action: Action) -> matches.Step:
        """Return what an action leads to by the rules, without carrying it out; raises ``Refused``."""
        try:
            return matches.act(self.match, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal, self.seating.names) from None

    def do(self, seat: Seat, action: Action) -> None:
        """Carry out an action for a seat; raises ``Refused``."""
        self.step(self.decide(seat, action))

    def set_match(self, match: Match) -> None:
        """Let the match be at another point."""
        self.match = match
        hole = match.hole
        self.hole: Hole | None = hole if hole is not None and hole.ended is None else None
        """The hole in play."""

    def step(self, step: matches.Step, *, row: bool = False) -> None:
        """Make a step of the match: its state at once, its events in order; ``row`` as for ``emit``."""
        events, match = step
        self.set_match(match)
        self.emit(*events, row=row)
        if isinstance(events[-1], HoleEnded):
            self.step(matches.commit(self.match, self.services.entropy(32)))
        elif isinstance(events[-1], MatchEnded):
            self.match_over()

    def emit(self, *events: Event | TableEvent, but: Seat | None = None, row: bool = False) -> None:
        """Number, journal and broadcast events; the seat ``but`` is left out, for it gets the whole view instead.

        With ``row``, what is stored of the table beside its events is in the same write, and never without them.
        """
        first = self.seq + 1
        bodies: list[bytes] = []
        writes: list[Write] = []
        for event in events:
            self.seq += 1
            body = log_body(event, ms=self.clock_ms) if type(event) is TurnBegan else log_body(event)
            bodies.append(body)
            writes.append(AppendEvent(self.id, self.seq, body))
            if event.name in EVENTS:
                self.note(self.seq, event)  # type: ignore[arg-type]
            else:
                self.is_row_due = True
        if row:
            self.is_row_due = False
            writes.append(self.saved())
        self.ticket = self.services.gate.submit(writes)
        self.broadcast(first, events, bodies, but)

    def saved(self) -> SaveTable:
        """Return the write of what is stored of the table beside its events, and of who has a seat."""
        return SaveTable(self.id, self.row(), self.seated)

    @property
    def seated(self) -> tuple[str, ...]:
        """The ids of those who have a seat here."""
        return tuple([owner.id for owner in self.seating.owners])

    def notify(self, notice: Notice, but: Seat | None = None) -> None:
        """Send a notice to everybody at the table, behind what has happened there; a person at ``but`` knows it."""
        for seat, chair in self.seating:
            if chair.session is not None and (seat != but or chair.session.writer.machine):
                chair.session.send(notice, ticket=self.ticket, you=seat)
        for watcher in self.watchers.values():
            if watcher.session is not None:
                watcher.session.send(notice, ticket=self.ticket)

    def tell_aim(self) -> None:
        """Tell guests what the match is about who have heard that in no other one, as far as this server knows."""
        for seat, chair in self.seating:
            player, session = chair.player, chair.session
            is_new = player is not None and player.kind is PlayerKind.GUEST and not player.knows_aim
            if player is not None and session is not None and is_new and not session.writer.machine:
                player.knows_aim = True
                for text in aim(self.rules):
                    session.send(Notice(code="AIM", text=text, table=self.id), ticket=self.ticket, you=seat)

    def note(self, seq: int, event: Event) -> None:
        """Remember an event of the match beside its state."""
        self.hole_seq = seq
        if type(event) is HoleStarted:
            self.hole_log.clear()
        self.hole_log.append(event)

    # --- time

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call back in so many seconds, unless the table is closed by then."""
        return self.services.timers.after(seconds, self.guarded(call))

    def once_shown(self, call: Callable[[], None]) -> None:
        """Call back right after the replies about the last event were sent, at once where they were."""
        self.services.gate.once_shown(self.ticket, self.guarded(call))

    # --- what the table itself does

    @abstractmethod
    def settle(self) -> None:
        """Update every part, and prompt each seat; to be called after every change."""

    @abstractmethod
    def guarded(self, call: Callable[[], None]) -> Callable[[], None]:
        """Return the call with the table's fault boundary around it."""

    @abstractmethod
    def broadcast(
        self,
        first: int,
        events: Sequence[Event | TableEvent],
        bodies: Sequence[bytes],
        but: Seat | None,
    ) -> None:
        """Send events, of which ``first`` is the number of the first, to all who may see them."""

    @abstractmethod
    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Note that the discard of a slam window was written to a seat, in seconds of trio's clock."""

    @abstractmethod
    def match_over(self) -> None:
        """Keep the result of the match."""

    @abstractmethod
    def row(self) -> bytes:
        """Return what is stored of the table beside its events."""


class Services(NamedTuple):
    """The server, seen from a table.

    ``entropy(n)`` gives n bytes of outside chance for seeds, ``wall_clock`` unix seconds for records, ``make_bot``
    makes a bot of a level for rules as played, ``executor`` runs the slow choices of bots.
    """

    config: Config
    timers: Timers
    gate: DurabilityGate
    entropy: Callable[[int], bytes]
    make_bot: Callable[[str, RuleSet], BotPlayer]
    executor: Executor
    wall_clock: Callable[[], float]
    slams: SlamTotals
