"""The lobby: everybody who is here and every table there is.

It opens and finds tables, seats players, carries what people say to all, and hears of every session's end. What the
commands of the wire mean is in ``handlers``.
"""

import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

import trio

from golfnet import __version__
from golfnet.engine.errors import DivergedLog
from golfnet.engine.rules import RuleSet
from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.presence import Cause
from golfnet.protocol.replies import MAX_OBJECT, PROTOCOL, Chat, Limits, Notice, Welcome
from golfnet.protocol.specs import Group
from golfnet.server.accounts import Accounts
from golfnet.server.answers import table_id
from golfnet.server.clock import Timer, Timers
from golfnet.server.config import Config
from golfnet.server.counters import Counters
from golfnet.server.gate import Gate
from golfnet.server.handlers import HANDLERS
from golfnet.server.planning import Setup, is_same, named_rules, plan
from golfnet.server.player import Player
from golfnet.server.recovery import restore, row_of
from golfnet.server.results import finish
from golfnet.server.sanctions import Sanctions
from golfnet.server.services import Services
from golfnet.server.session import Session
from golfnet.server.slamlog import SlamTotals
from golfnet.server.table import Table
from golfnet.server.table_handlers import concerned
from golfnet.server.tableview import State
from golfnet.server.thinking import Ponder, at_once, make_mind
from golfnet.server.throttle import RateLimit
from golfnet.storage.store import Store
from golfnet.storage.writes import (
    CloseTable,
    SetAside,
    Write,
)

log = logging.getLogger(__name__)

LOGINS: Final = 5
LOGIN_SECONDS: Final = 60.0
"""So many attempts to log in, for one name or from one address, in so many seconds."""

CAPS: Final = ("at", "prompt", "ping")

GREETING: Final = (
    f"golfnet {__version__}: the card game Golf, for people and programs.",
    "name YOURNAME lets you in, help tells more.",
)


class Lobby:
    """One server's players and tables."""

    def __init__(
        self,
        *,
        config: Config,
        store: Store,
        gate: Gate,
        timers: Timers,
        catalogue: Mapping[str, RuleSet],
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        wall_clock: Callable[[], float] = time.time,
        sanctions: Sanctions | None = None,
        ponder: Ponder = at_once,
    ) -> None:
        self.config = config
        self.store = store
        self.gate = gate
        self.timers = timers
        self.catalogue = dict(catalogue)
        self.sanctions = sanctions if sanctions is not None else Sanctions()
        self.counters = Counters()
        self.accounts = Accounts(store, gate, wall_clock)
        self.sessions: dict[Session, None] = {}
        self.tables: dict[str, Table] = {}
        self.is_draining = False
        self.is_stopping = False
        self.is_paused = False
        self.emptied = trio.Event()
        """Set once nobody is connected while the server drains."""
        self._spawn = spawn
        numbers = store.numbers()
        self._next_table = numbers.table
        self._next_match = numbers.match
        self._checks: dict[Session, Timer] = {}
        self._logins: dict[str, RateLimit] = {}
        self.services = Services(
            config=config,
            timers=timers,
            gate=gate,
            entropy=entropy,
            make_bot=lambda level, rules: make_mind(level, rules, random.Random(entropy(16))),
            ponder=ponder,
            wall_clock=wall_clock,
            row_of=row_of,
            next_match=self._match_id,
            match_finished=self._match_finished,
            table_closed=self._table_closed,
            table_failed=self._table_failed,
            slams=SlamTotals(),
        )

    # --- sessions

    def welcome(self, session: Session) -> None:
        """Greet a new connection, and give it a while to say who it is."""
        self.sessions[session] = None
        log.debug("a connection from %s", session.transport.address)
        for line in GREETING:
            session.send(Notice(code="GREETING", text=line))
        if self.is_paused:
            session.send(Notice(code="PAUSED", text="The tables stand still for now; nothing is lost."))
        self._check_later(session, self.config.name_time)

    def handle(self, session: Session, request: Request) -> None:
        """Carry out a request and answer it with exactly one ok or error."""
        try:
            if self.is_paused and (request.spec.group is Group.PLAY or request.verb in _RECORDED):
                raise Refused(Code.PAUSED, "The tables stand still until what happens can be recorded again.")
            HANDLERS[request.verb](self, session, request)
        except Refused as refused:
            session.refuse(refused, request.id)
        except Exception:
            log.exception("%s failed", request.verb)
            table = concerned(self, session, request)
            if table is not None:
                table.fail()
            session.refuse(_FAULT, request.id)
        self.counters.command(request.verb, trio.current_time() - session.arrived)
        if log.isEnabledFor(logging.DEBUG):
            name = session.player.name if session.player is not None else "a stranger"
            log.debug("%s of %s", request.verb, name)  # never its arguments: they hold passwords and tokens

    def ended(self, session: Session, cause: str) -> None:
        """Hear that a session is over; the player's seat is kept for a while."""
        self.sessions.pop(session, None)
        self.counters.ended[cause] += 1
        log.debug("the connection from %s is over: %s", session.transport.address, cause)
        if self.is_draining and not self.sessions:
            self.emptied.set()
        if (timer := self._checks.pop(session, None)) is not None:
            timer.cancel()
        player = session.player
        if player is None or player.session is not session:
            return
        player.session = None
        self._unwatch_all(player)
        if player.table is not None and not self.is_stopping:
            table = player.table
            how = _CAUSES.get(cause, Cause.LOST)
            table.guarded(partial(table.attendance.drop, player, how))()
        self.accounts.leave(player)

    def attach(self, session: Session, player: Player) -> None:
        """Make a connection the player's; an older one is told and closed. Raises ``Refused`` for the banned."""
        try:
            self.need_welcome(player.name)
        except Refused:
            self.accounts.leave(player)
            raise
        older = player.session
        player.session = session
        session.player = player
        self.accounts.enter(player)
        if older is not None and older is not session:
            older.player = None
            older.close(Code.TAKEN_OVER, "You came back on another connection.")
            self._unwatch_all(player)  # the new connection has seen no view of them
        if player.table is not None:
            player.table.attendance.come_back(player)

    def need_welcome(self, name: str) -> None:
        """Raise ``Refused`` where the operator keeps a name out."""
        if self.sanctions.bars_name(name):
            raise Refused(
                Code.NOT_AVAILABLE, f"The operator of this server does not let {clean_text(name)} in."
            )

    def _unwatch_all(self, player: Player) -> None:
        for table in list(player.watched.values()):
            table.guarded(partial(table.attendance.unwatch, player))()

    def later(self, session: Session, request: Request, work: Callable[[], Awaitable[None]]) -> None:
        """Answer a request from a task of its own; the session takes no further request until then."""
        session.suspend()

        async def answer() -> None:
            try:
                await work()
            except Refused as refused:
                session.refuse(refused, request.id)
            except Exception:
                log.exception("%s failed", request.verb)
                session.refuse(_FAULT, request.id)
            finally:
                session.resume()

        self._spawn(answer)

    def limits(self) -> Welcome:
        """Return the answer to ``hello``."""
        config = self.config
        return Welcome(
            protocol=PROTOCOL,
            server=f"golfnet/{__version__}",
            caps=CAPS,
            limits=Limits(
                line=1024,
                object=MAX_OBJECT,
                commands_per_second=config.commands_per_second,
                chat_per_10_seconds=config.chat_per_10_seconds,
                name_seconds=config.name_time,
                idle_seconds=config.idle_time,
                grace_seconds=config.grace,
                outbox=config.outbox,
            ),
        )

    def _check_later(self, session: Session, seconds: float) -> None:
        self._checks[session] = self.timers.after(seconds, lambda: self._check(session))

    def _check(self, session: Session) -> None:
        """Send off who gives no name or has not been heard of for long; play has clocks of its own."""
        now = trio.current_time()
        if session.player is None:
            waited = now - session.connected
            if waited >= self.config.name_time:
                session.close(Code.NAME_TIMEOUT, f"No name came within {self.config.name_time} seconds.")
            else:
                self._check_later(session, self.config.name_time - waited)
            return
        silent, limit = now - session.heard, float(self.config.idle_time)
        warning = limit - min(60.0, limit / 2)
        playing = session.player.table is not None and session.player.table.is_running
        if playing or silent < warning:
            self._check_later(session, warning if playing else max(1.0, warning - silent))
        elif silent < limit:
            session.send(
                Notice(
                    code="IDLE",
                    text=f"Still there? In {limit - silent:.0f} seconds you are sent off.",
                    ms=round((limit - silent) * 1000),
                )
            )
            self._check_later(session, limit - silent)
        else:
            session.close(Code.IDLE, f"Nothing was heard for {limit / 60:.0f} minutes.")

    # --- tables

    def table(self, text: str) -> Table:
        """Return the table of an id such as t12, or a bare 12; raises ``Refused``."""
        found = self.tables.get(table_id(text))
        if found is None:
            raise Refused(Code.NO_SUCH_TABLE, f"There is no table {clean_text(text)}; tables lists them.")
        return found

    def plan(self, variant: str, options: Mapping[str, str]) -> tuple[RuleSet, Setup]:
        """Return the rules and set-up that options ask for; raises ``Refused``."""
        return plan(self.config, named_rules(self.catalogue, variant), options)

    def open(self, host: Player, rules: RuleSet, setup: Setup) -> Table:
        """Open a table with the player as its host; raises ``Refused``."""
        if self.is_draining:
            raise Refused(Code.SHUTTING_DOWN, "The server is about to stop and opens no tables.")
        if len(self.tables) >= self.config.tables:
            raise Refused(
                Code.TOO_MANY, f"There are {self.config.tables} tables, and no more are opened now."
            )
        table = Table(self.services, number=self._next_table, rules=rules, setup=setup)
        self._next_table += 1
        self.tables[table.id] = table
        table.open(host)
        return table

    def fitting(self, player: Player, rules: RuleSet, setup: Setup) -> Table | None:
        """Return the first open table where the player may sit down, the same is played, and as fast."""
        for table in self.tables.values():
            if (
                table.state is State.OPEN
                and not table.is_private
                and not table.seating.is_full
                and is_same(table.rules, rules, any_seats=not setup.starts_when_full)
                and table.setup.clock == setup.clock
                and not table.attendance.keeps_apart(player)
            ):
                return table
        return None

    def restore(self) -> None:
        """Open the tables again that the journal holds; one that cannot be folded is set aside."""
        for logged in list(self.store.tables()):
            try:
                table = restore(self.services, logged, self.accounts.by_id)
            except DivergedLog as problem:
                log.error("table %s is set aside: %s", logged.table, problem)
                self.gate.submit([SetAside(logged.table, str(problem))])
                continue
            self.tables[table.id] = table
            if table.match.places is not None and self.store.match(table.match.id) is None:
                self._match_finished(table)  # the server ended between the last event and the result
            table.guarded(table.restart)()

    def need_patience(self, session: Session, name: str) -> None:
        """Count an attempt to log in, by name and by address; raises ``Refused`` for too many."""
        now = trio.current_time()
        for key in (f"name {skeleton(name)}", f"address {session.transport.address}"):
            limit = self._logins.setdefault(key, RateLimit(LOGINS, LOGIN_SECONDS))
            if wait := limit.take(now):
                raise Refused(
                    Code.RATE_LIMITED, f"Too many attempts; wait {wait // 1000 + 1} s.", wait_ms=wait
                )
        if len(self._logins) > 10_000:
            self._logins.clear()

    def shout(self, speaker: Player, text: str) -> None:
        """Say something to the speaker and everybody who sits at no table, as far as they listen."""
        chat = Chat(speaker=speaker.name, to="lobby", text=text)
        for player in self.accounts:
            hears = player is speaker or (player.table is None and not player.has_muted(speaker))
            if player.session is not None and hears:
                player.session.send(chat)

    def announce(self, code: str, text: str) -> None:
        """Let the server say something to every connection."""
        for session in list(self.sessions):
            session.send(Notice(code=code, text=text))

    def mssp(self) -> dict[str, str | list[str]]:
        """Return what MUD listings are told about the server."""
        return {
            "NAME": "golfnet",
            "PLAYERS": str(sum(player.session is not None for player in self.accounts)),
            "CODEBASE": f"golfnet {__version__}",
            "PORT": str(self.config.port),
            "GENRE": "None",
            "SUBGENRE": "Card game",
            "ANSI": "1",
            "UTF-8": "1",
            "GMCP": "1",
        }

    def drain(self) -> None:
        """Open no more tables, and say so."""
        if not self.is_draining:
            self.is_draining = True
            if not self.sessions:
                self.emptied.set()
            self.announce("SHUTTING_DOWN", "The server stops soon; seats and cards are kept for you.")

    def pause(self, reason: str) -> None:
        """Let all tables stand still while nothing can be recorded, and say so."""
        self.is_paused = self.gate.is_stuck = True
        for table in self.tables.values():
            table.pace.stop()
        for session in list(self.sessions):
            session.interject(Notice(code="PAUSED", text=f"The tables stand still: {reason}"))

    def go_on(self) -> None:
        """Let all tables go on after a pause."""
        self.is_paused = self.gate.is_stuck = False
        for session in list(self.sessions):
            session.interject(Notice(code="RESUMED", text="The tables go on."))
        for table in list(self.tables.values()):
            table.guarded(table.settle)()

    def stop(self) -> None:
        """Say goodbye to everybody; seats are kept as they are, for the next start."""
        self.is_stopping = True
        for session in list(self.sessions):
            session.close(Code.SHUTDOWN, "The server stops. Come back with your token.")

    def _match_id(self) -> str:
        self._next_match += 1
        return f"m{self._next_match - 1}"

    def _match_finished(self, table: Table) -> None:
        """Keep the record and the result of a match that is over."""
        self.counters.matches_finished += 1
        self.gate.submit([finish(table, self.catalogue, self.services.wall_clock())])

    def _table_closed(self, table: Table) -> None:
        self._forget(table, CloseTable(table.id))

    def _table_failed(self, table: Table) -> None:
        """Keep what is written of a table with a fault: the match so far can be replayed."""
        self._forget(table, SetAside(table.id, "a fault in the server"))

    def _forget(self, table: Table, write: Write) -> None:
        self.tables.pop(table.id, None)
        self.gate.submit([write])
        for player in [player for player in self.accounts if player.session is None and player.table is None]:
            self.accounts.leave(player)


_RECORDED: Final = frozenset(
    (
        *("name", "register", "passwd", "create", "join", "seek", "unseek", "leave"),
        *("bot", "kick", "host", "start", "ready", "rematch", "cut"),
    )
)
"""The commands beside play that change what the journal holds."""

_FAULT: Final = Refused(Code.INTERNAL, "That is a fault of the server; it was noted.")

_CAUSES: Final = {"quit": Cause.QUIT, "slow": Cause.SLOW, "idle": Cause.IDLE, "kicked": Cause.KICKED}
