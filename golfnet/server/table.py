"""A table: who is at it, what they do, and what everybody is told of it.

A plain synchronous object: a command is carried out from its first byte to its last effect without anybody coming
between. Everything that happens is one numbered event, journaled before it is shown; whoever may see less is sent the
masked form. The rules are the engine's, the clocks are ``pace``'s.
"""

import logging
from collections.abc import Callable
from typing import Final

from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, Event, HoleEnded, MatchEnded, TurnBegan
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import mask, owner
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.presence import (
    Cause,
    Closed,
    Cut,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    Opened,
    ReadySaid,
    Returned,
    Seated,
    TableEvent,
    Watching,
)
from golfnet.protocol.replies import Chat, Happened, Prompt
from golfnet.server.pace import Pace
from golfnet.server.planning import Setup
from golfnet.server.player import Player
from golfnet.server.seating import Chair, Kind, Seating
from golfnet.server.services import Services
from golfnet.server.tableview import State, prompt_for, view_for
from golfnet.storage.records import Entry, log_body
from golfnet.storage.writes import AppendEvent, OpenTable, SaveTable, Write

log = logging.getLogger(__name__)

DROPS_FORGIVEN: Final = 2
"""Drops after which a seat is still kept for its owner; with the next one the house plays it."""

RESTART_SECONDS: Final = 30
"""What a running clock gains when the server starts again."""

MAX_WATCHERS: Final = 200


class Table:
    """One table and the match at it."""

    def __init__(self, services: Services, *, number: int, rules: RuleSet, setup: Setup) -> None:
        self.services = services
        self.number = number
        self.id = f"t{number}"
        self.rules = rules
        self.setup = setup
        self.seating = Seating(rules.seats.high)
        self.host: Player | None = None
        self.watchers: dict[str, Player] = {}
        self.match = Match("")
        self.log: list[Entry] = []
        """The events of the match so far: what its record is made of."""
        self.seq = 0
        self.hole_seq = 0
        """The number of the last event of the match: what ``at=SEQ`` is compared with."""
        self.ticket = 0
        self.started_at = 0.0
        self.is_closed = False
        self.host_said_start = False
        self.pace = Pace(self)
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
    def is_private(self) -> bool:
        """Whether a password is needed to sit down."""
        return bool(self.setup.password)

    @property
    def hole(self) -> Hole | None:
        """The hole in play."""
        return self.match.hole if self.match.is_playing else None

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

    # --- coming and going

    def open(self, host: Player) -> None:
        """Open the table with its host in seat A and the first deal committed."""
        self.host = host
        self.match = Match(self.services.next_match())
        seat = self._take_seat(host)
        self.services.gate.submit([OpenTable(self.id, self.services.row_of(self))])
        self.emit(Opened(player=host.name), Seated(seat=seat, player=host.name))
        self.step(matches.commit(self.match, self.services.entropy(32)))
        self.settle()

    def sit(self, player: Player, password: str = "") -> None:
        """Give the player the first free seat; raises ``Refused``."""
        if self.state is not State.OPEN:
            raise Refused(
                Code.BAD_PHASE, f"The match at {self.id} has begun; watch {self.id}, or seek another table."
            )
        if self.seating.is_full:
            raise Refused(Code.TABLE_FULL, f"All {len(self.seating.chairs)} seats at {self.id} are taken.")
        if password != self.setup.password:
            raise Refused(Code.WRONG_PASSWORD, f"{self.id} is private: join {self.id} password=WORD.")
        if self.keeps_apart(player):
            raise Refused(Code.NOT_AVAILABLE, f"Somebody at {self.id} and you do not play together.")
        self.unwatch(player)
        self.emit(Seated(seat=self._take_seat(player), player=player.name))
        self.settle()

    def _take_seat(self, player: Player) -> Seat:
        player.table = self
        return self.seating.take(Chair(name=player.name, kind=Kind.HUMAN, player=player))

    def keeps_apart(self, player: Player) -> bool:
        """Tell whether the player and somebody here do not want to play with each other."""
        return any(chair.player and _avoid(chair.player, player) for _, chair in self.seating)

    def add_bot(self, chair: Chair) -> None:
        """Fill the first free seat with a bot; raises ``Refused``."""
        if self.state is not State.OPEN or self.seating.is_full:
            raise Refused(Code.TABLE_FULL, "A bot needs a free seat at a table that has not started.")
        seat = self.seating.take(chair)
        self.emit(Seated(seat=seat, player=chair.name, kind=chair.kind.value))
        self.settle()

    def leave(self, player: Player, cause: Cause = Cause.LEFT) -> None:
        """Give up the player's seat; in a running match the house plays on with it."""
        seat = self.seat_of(player)
        player.table = None
        self.vacate(seat, cause)

    def vacate(self, seat: Seat, cause: Cause) -> None:
        """Empty a seat before a match, hand it to the house during one."""
        chair = self.seating.chairs[seat]
        if chair is None:
            return
        was_host, running = chair.player is self.host and self.host is not None, self.is_running
        if chair.grace is not None:
            chair.grace.cancel()
        if chair.player is not None:
            chair.player.table = None
        self.emit(Left(seat=seat, player=chair.name, cause=cause))
        if running:
            chair.player, chair.bot, chair.kind, chair.prompted = None, None, Kind.HOUSE, None
            self.emit(HousePlays(seat=seat, player=chair.name, cause=cause))
        else:
            self.seating.vacate(seat)
        if was_host:
            self.host = None
            self._find_host()
        self.settle()

    @property
    def is_running(self) -> bool:
        """Whether the match has started and is not over."""
        return self.match.rules is not None and self.match.places is None

    def drop(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a player whose connection is gone; the third time the house plays it at once."""
        seat = self.seat_of(player)
        chair = self.seating.chairs[seat]
        if chair is None:
            return
        chair.prompted = None
        chair.drops += 1
        grace = self.services.config.grace if chair.drops <= DROPS_FORGIVEN else 0
        self.emit(Dropped(seat=seat, player=chair.name, cause=cause, grace_ms=grace * 1000))
        if grace:
            chair.grace = self.services.timers.after(grace, self.guarded(lambda: self._grace_over(seat)))
        else:
            self._grace_over(seat)
        self.settle()

    def come_back(self, player: Player) -> None:
        """Show a returned player its table, and let it play again."""
        seat = self.seat_of(player)
        chair = self.seating.chairs[seat]
        if chair is None:
            return
        if chair.grace is not None:
            chair.grace.cancel()
            chair.grace = None
        chair.kind, chair.timeouts, chair.prompted = Kind.HUMAN, 0, None
        self.emit(Returned(seat=seat, player=chair.name), but=seat)
        self.look(player)
        self.settle()

    def come_back_to_life(self) -> None:
        """Go on after a restart: everybody is dropped, with a fresh grace and more time."""
        self.pace.add_time(RESTART_SECONDS)
        for _, chair in self.seating.humans:
            if chair.player is not None and chair.kind is Kind.HUMAN:
                chair.drops -= 1
                self.drop(chair.player, Cause.RESTART)
        self.settle()

    def house_takes_over(self, seat: Seat, cause: Cause) -> None:
        """Let the house play a human's seat until its owner acts or returns."""
        chair = self.seating.chairs[seat]
        if chair is not None and chair.kind is Kind.HUMAN:
            chair.kind = Kind.HOUSE
            self.emit(HousePlays(seat=seat, player=chair.name, cause=cause))

    def _grace_over(self, seat: Seat) -> None:
        chair = self.seating.chairs[seat]
        if chair is None or chair.session is not None:
            return
        if self.is_running:
            self.house_takes_over(seat, Cause.GRACE)
            self.settle()
        else:
            self.vacate(seat, Cause.GRACE)

    def _find_host(self) -> None:
        """Make the first present human the host, as the old one is gone."""
        humans = self.seating.humans
        heir = next((pair for pair in humans if pair[1].present), humans[0] if humans else None)
        if heir is not None:
            seat, chair = heir
            self.host = chair.player
            self.emit(HostChanged(seat=seat, player=chair.name))

    def hand_over(self, player: Player, seat: Seat) -> None:
        """Make the human at another seat the host; raises ``Refused``."""
        self.need_host(player)
        chair = self.seating.at(seat)
        if chair is None or chair.player is None:
            raise Refused(Code.BAD_ARGUMENT, "host SEAT names the seat of a human at your table.")
        self.host = chair.player
        self.emit(HostChanged(seat=seat, player=chair.name))
        self.settle()

    def kick(self, player: Player, seat: Seat) -> None:
        """Empty a seat at the host's word; raises ``Refused``."""
        self.need_host(player)
        chair = self.seating.at(seat)
        if chair is None or chair.player is player:
            raise Refused(Code.BAD_ARGUMENT, "kick SEAT names a taken seat other than your own.")
        self.vacate(seat, Cause.KICKED)

    def need_host(self, player: Player) -> None:
        """Raise ``Refused`` unless the player is the host."""
        self.seat_of(player)
        if player is not self.host:
            name = self.host.name if self.host is not None else "nobody"
            raise Refused(Code.NOT_HOST, f"Only the host may do that; the host of {self.id} is {name}.")

    def watch(self, player: Player) -> None:
        """Let a player without a seat here see what everybody sees."""
        if player.table is self:
            raise Refused(
                Code.ALREADY_SEATED, f"You have a seat at {self.id}; there is nothing more to watch."
            )
        if len(self.watchers) >= MAX_WATCHERS:
            raise Refused(Code.TOO_MANY, f"{self.id} has {MAX_WATCHERS} watchers already.")
        if player.name not in self.watchers:
            self.watchers[player.name] = player
            player.watched[self.id] = self
            self.emit(Watching(player=player.name))
        self.look(player)

    def unwatch(self, player: Player) -> None:
        """Stop watching; harmless for those who do not."""
        if self.watchers.pop(player.name, None) is not None:
            player.watched.pop(self.id, None)
            self.emit(Left(seat=None, player=player.name, cause=Cause.LEFT))

    # --- the match

    def ready(self, player: Player) -> None:
        """Note that the player is ready for the start, or for the next deal."""
        seat = self.seat_of(player)
        chair = self.seating.chairs[seat]
        if self.state not in (State.OPEN, State.BETWEEN):
            raise Refused(Code.BAD_PHASE, "There is nothing to be ready for: the hole is in play.")
        if chair is not None and not chair.ready:
            chair.ready = True
            self.emit(ReadySaid(seat=seat, player=chair.name))
        self.settle()

    def start(self, player: Player) -> str | None:
        """Start at the host's word, at once or when all present are ready; return what is still missing."""
        self.need_host(player)
        if self.state is not State.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has started.")
        if len(self.seating) < self.rules.seats.low:
            needed = self.rules.seats.low
            raise Refused(
                Code.BAD_PHASE,
                f"{self.rules.name} needs {needed} seats taken; {self.id} has {len(self.seating)}.",
            )
        self.host_said_start = True
        seat = self.seat_of(player)
        chair = self.seating.chairs[seat]
        if chair is not None and not chair.ready:
            chair.ready = True
            self.emit(ReadySaid(seat=seat, player=chair.name))
        missing = [chair.name for _, chair in self.seating if chair.is_waited_for and not chair.ready]
        self.settle()
        return (
            f"The match starts when {', '.join(missing)} said ready."
            if missing and self.state is State.OPEN
            else None
        )

    def begin(self) -> None:
        """Close the seats, start the match and deal the first hole."""
        self.seating.close_ranks()
        self.host_said_start = False
        self.started_at = self.services.wall_clock()
        for _, chair in self.seating:
            chair.ready, chair.drops, chair.timeouts, chair.prompted = False, 0, 0, None
            if chair.kind is Kind.BOT:
                chair.bot = self.services.make_bot(chair.level, self.rules.for_seats(len(self.seating)))
        self.step(matches.start(self.match, self.rules, self.seating.names))
        self.deal()

    def deal(self) -> None:
        """Deal the next hole with the cuts made for it."""
        cuts = tuple(chair.cut for _, chair in self.seating)
        for _, chair in self.seating:
            chair.cut, chair.ready = "", False
        self.step(matches.deal(self.match, cuts))
        self.settle()

    def rematch(self, player: Player) -> None:
        """Open a new match between those who are still here; a later ``rematch`` says ready."""
        self.seat_of(player)
        if self.state is State.OPEN:
            self.ready(player)
            return
        if self.state is not State.FINISHED:
            raise Refused(Code.BAD_PHASE, "The match is not over; a rematch comes after it.")
        old = self.seating
        self.seating = Seating(self.rules.seats.high)
        for _, chair in old:
            if chair.kind is Kind.BOT or chair.player is not None:
                self.seating.take(chair)
                chair.kind = Kind.BOT if chair.kind is Kind.BOT else Kind.HUMAN
                chair.ready, chair.cut, chair.prompted = False, "", None
        self.match = Match(self.services.next_match())
        self.log.clear()
        self.step(matches.commit(self.match, self.services.entropy(32)))
        self.ready(player)

    def cut(self, player: Player, text: str) -> None:
        """Take a player's text for the next shuffle; a later one replaces it (fair deals)."""
        seat = self.seat_of(player)
        if len(text.encode()) > 200:
            raise Refused(Code.BAD_ARGUMENT, "A cut has at most 200 bytes.")
        if self.match.next_deal is None:
            raise Refused(
                Code.BAD_PHASE, "The cut for this hole is closed; the next one opens when the hole ends."
            )
        chair = self.seating.chairs[seat]
        if chair is not None:
            chair.cut = text
            self.emit(Cut(seat=seat, player=player.name))

    def act(self, player: Player, make: Callable[[Seat], Action], at: int | None = None) -> None:
        """Carry out a player's action in the hole; raises ``Refused``."""
        seat = self.seat_of(player)
        if at is not None and self.hole_seq > at:
            raise Refused(Code.STALE, f"Event {self.hole_seq} came after {at}; look again.")
        action = make(seat)
        chair = self.seating.chairs[seat]
        if chair is not None:
            chair.timeouts = 0
            if chair.kind is Kind.HOUSE:
                chair.kind = Kind.HUMAN
                self.emit(Returned(seat=seat, player=chair.name))
        self.pace.claim_or_act(seat, action)
        self.settle()

    def do(self, seat: Seat, action: Action) -> None:
        """Let the engine decide an action; raises ``Refused`` with the engine's reason."""
        try:
            step = matches.act(self.match, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal) from None
        self.step(step)

    def step(self, step: matches.Step) -> None:
        """Take over a step of the match: state at once, everybody told in order."""
        events, self.match = step
        self.emit(*events)
        if isinstance(events[-1], HoleEnded):
            self.step(matches.commit(self.match, self.services.entropy(32)))
        elif isinstance(events[-1], MatchEnded):
            self.services.match_finished(self)

    def settle(self) -> None:
        """After every change: see what the table waits for now, and tell each seat what it may do."""
        if self.is_closed:
            return
        if not self.seating.humans:
            self.close("everybody has left")
            return
        self.pace.update()
        if self._is_row_due and not self.is_closed:
            self._is_row_due = False
            self.services.gate.submit([SaveTable(self.id, self.services.row_of(self))])
        if not self.is_closed:
            self.prompt_all()

    # --- what everybody is told

    def emit(self, *events: Event | TableEvent, but: Seat | None = None) -> None:
        """Number, journal and show events; the seat ``but`` is not told, for it gets the whole view instead."""
        writes: list[Write] = []
        first = self.seq + 1
        for event in events:
            self.seq += 1
            ms = self.clock_ms if event.name == TurnBegan.name else None
            body = log_body(event) if ms is None else log_body(event, ms=ms)
            writes.append(AppendEvent(table=self.id, seq=self.seq, body=body))
            if event.name in EVENTS:
                self.hole_seq = self.seq
                self.log.append(Entry(self.seq, event, ms))  # type: ignore[arg-type]
            else:
                self._is_row_due = True
        self.ticket = self.services.gate.submit(writes)
        for seq, event in enumerate(events, first):
            self._show(seq, event, but)

    def _show(self, seq: int, event: Event | TableEvent, but: Seat | None) -> None:
        names, table, ticket = self.seating.names, self.id, self.ticket
        ms = self.clock_ms if event.name == TurnBegan.name else None
        if event.name in EVENTS:
            knows = owner(event)  # type: ignore[arg-type]
            public = Happened(table=table, seq=seq, event=mask(event, None), names=names, ms=ms)  # type: ignore[arg-type]
        else:
            knows = None
            public = Happened(table=table, seq=seq, event=event, names=names)
        for seat, chair in self.seating:
            if chair.bot is not None and event.name in EVENTS:
                chair.bot.observe(mask(event, seat))  # type: ignore[arg-type]
            session = chair.session
            if session is not None and seat != but:
                told = public
                if seat == knows:
                    told = Happened(table=table, seq=seq, event=mask(event, seat), names=names)  # type: ignore[arg-type]
                session.send(told, ticket=ticket, you=seat)
        for watcher in self.watchers.values():
            if watcher.session is not None:
                watcher.session.send(public, ticket=ticket)

    def look(self, player: Player) -> None:
        """Send a player its whole view."""
        if player.session is not None:
            seat = self.seating.of(player)
            player.session.send(view_for(self, seat), ticket=self.ticket, you=seat)

    def prompt_all(self) -> None:
        """Tell each present seat what it may do, where that has changed."""
        for seat, chair in self.seating:
            session = chair.session
            if session is None:
                continue
            prompt = prompt_for(self, seat)
            before, chair.prompted = chair.prompted, prompt
            if before is None or _offered(before) != _offered(prompt):
                if session.wants_pictures and prompt.actions and prompt.phase in ("start", "turn"):
                    session.send(view_for(self, seat), ticket=self.ticket, you=seat)
                session.send(prompt, ticket=self.ticket, you=seat)

    def say(self, player: Player, text: str) -> None:
        """Let a player or watcher speak at the table; watchers are not heard by players during a hole."""
        seated = self.seating.of(player) is not None
        chat = Chat(speaker=player.name, to="table" if seated else "watchers", text=text, table=self.id)
        hearers = [watcher.session for watcher in self.watchers.values()]
        if seated or not self.match.is_playing:
            hearers += [chair.session for _, chair in self.seating]
        for session in hearers:
            if session is not None and session.player is not None and player.name not in session.player.muted:
                session.send(chat)

    def slam_log(self) -> list[dict[str, object]]:
        """Return how the slams of the last finished hole were judged."""
        return self.pace.windows.log.rows

    # --- the end

    def close(self, reason: str) -> None:
        """Break off what is played, tell everybody and forget the table."""
        if self.is_closed:
            return
        if self.is_running:
            self.step(matches.abandon(self.match))
        self.is_closed = True
        self.pace.stop()
        self.emit(Closed(reason=reason))
        self._release_all()
        self.services.table_closed(self)

    def fail(self) -> None:
        """Close after a bug of ours, without trusting the state any more; the log is kept."""
        log.exception("table %s closed by a fault in the server", self.id)
        if self.is_closed:
            return
        self.is_closed = True
        self.pace.stop()
        try:
            self.emit(Closed(reason="a fault in the server; the match so far is kept"))
        finally:
            self._release_all()
            self.services.table_closed(self)

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
            if chair.grace is not None:
                chair.grace.cancel()
            if chair.player is not None:
                chair.player.table = None
        for watcher in self.watchers.values():
            watcher.watched.pop(self.id, None)
        self.watchers.clear()


def _offered(prompt: Prompt) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return prompt.phase, prompt.actions, prompt.targets


def _avoid(one: Player, other: Player) -> bool:
    return one.name in other.avoided or other.name in one.avoided
