"""The lobby: what belongs to the server as a whole, not to one session or table.

Connections are in ``sessions``, matches in ``tables``, identities in ``accounts``; commands are handled in
``commands``, on which the lobby does not depend. Invariants: a player has at most one connection; no table is opened
while the server is draining.
"""

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet import __version__
from golfnet.engine.rules import RuleSet
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.presence import Cause
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.stage import NO_JOINING
from golfnet.server.accounts.accounts import HOUR, Accounts
from golfnet.server.accounts.passwords import FairQueue, Passwords
from golfnet.server.accounts.sanctions import Sanctions
from golfnet.server.budget import Budgets, Counters
from golfnet.server.clock import Timers
from golfnet.server.config import Config
from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.lookups import Lookups, Spawn
from golfnet.server.nodes import Lease, Nodes
from golfnet.server.seeking import Crowd, LobbyNews
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.session.sessions import Sessions
from golfnet.server.table.hosts import INVITED_SECONDS
from golfnet.server.table.turns import run_inline
from golfnet.server.tables import Tables
from golfnet.storage.results import HONOURS_KEPT, honours_of
from golfnet.storage.store import Store

if TYPE_CHECKING:
    from golfnet.bots.bot import Executor
    from golfnet.server.links.links import Links

GREETING: Final = (
    f"golfnet {__version__}: the card game Golf, for people and programs.",
    'Type "name YOURNAME" to log in, or "help".',
)


log = logging.getLogger(__name__)

EVENINGS: Final = 16
"""The maximum number of queued scoreboards: each takes a few milliseconds."""

HINTS: Final = 64
"""The maximum number of queued hints: each takes a few milliseconds, occasionally a tenth of a second."""
HINTS_EACH: Final = 20
"""How many hints one player may get in ``HINT_SECONDS``: nobody makes more decisions in that time."""
HINT_SECONDS: Final = 60.0


class Lobby:
    """One server: its players and its tables."""

    def __init__(
        self,
        *,
        config: Config,
        store: Store,
        gate: DurabilityGate,
        timers: Timers,
        catalogue: Mapping[str, RuleSet],
        spawn: Spawn,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        wall_clock: Callable[[], float] = time.time,
        sanctions: Sanctions | None = None,
        executor: "Executor" = run_inline,
        lookups: Lookups | None = None,
        nodes: Nodes | None = None,
        lease: Lease | None = None,
    ) -> None:
        self.config = config
        self.lease = lease
        """Decides how long this node may continue to send replies; None if there are no other nodes."""
        self.store = store
        self.lookups = Lookups(is_immediate=store.immediate) if lookups is None else lookups
        self.nodes = Nodes(spawn, numbers=store.numbers()) if nodes is None else nodes
        self.gate = gate
        self.spawn = spawn
        self.timers = timers
        self.catalogue = dict(catalogue)
        self.sanctions = sanctions if sanctions is not None else Sanctions()
        self.counters = Counters()
        self.wall_clock = wall_clock
        """Returns the time in Unix seconds, for records."""
        self.invitations = Budgets(1, INVITED_SECONDS)
        """Recent invitations, by the ids of both players."""
        self.honours = lru_cache(HONOURS_KEPT)(lambda match: honours_of(match, store.record(match.id) or ()))
        """Returns the remarkable moments in a match, which is read once."""
        self.evenings = FairQueue(EVENINGS)
        """Makes one scoreboard at a time."""
        self.coach = FairQueue(HINTS)
        """Finds one hint at a time."""
        self.hinted = Budgets(HINTS_EACH, HINT_SECONDS)
        """Recent hints, by the id of the player."""
        names = Budgets(config.names_per_hour, HOUR)
        self.accounts = Accounts(store, self.lookups, self.nodes, gate, timers, wall_clock, names)
        self.passwords = Passwords(self.accounts)
        self.sessions = Sessions(config, timers)
        self.tables = Tables(self, entropy=entropy, executor=executor)
        self.is_draining = False
        self.draining = trio.Event()
        """Set when the server begins to drain."""
        self.given_away = trio.Event()
        """Set once a draining node has handed over all the tables that other nodes accept."""
        self.is_stopping = False
        self.pause_reason = ""
        """Why the tables are paused, for the operator; empty while they are not."""
        self.damage = ""
        """The damage found by the last inspection, for the operator; empty if there is none."""
        self.inspected_at: float | None = None
        """When the last inspection found no damage, in Unix seconds."""
        self.emptied = trio.Event()
        """Set once a draining server has nobody left to wait for."""
        self.joining = NO_JOINING
        """How people connect, for big screens; set once the server is listening."""
        self.links: Links | None = None
        """The links to other nodes, if there are several."""
        self.crowd = Crowd(spawn)
        self.news = LobbyNews(self)

    # --- sessions

    def welcome(self, session: Session) -> None:
        """Greet a new connection, and start the time limit for giving a name."""
        log.debug("a connection from %s", session.transport.address)
        for line in GREETING:
            session.send(Notice(code="GREETING", text=line))
        if self.gate.is_stuck:
            session.send(Notice(code="PAUSED", text=_PAUSED))
        self.sessions.enter(session)

    @property
    def is_sure(self) -> bool:
        """Whether it is certain that this server still owns its tables, so it may send their state."""
        return self.lease is None or self.lease.is_sure()

    @property
    def connected(self) -> int:
        """The number of connections, including relayed ones."""
        return len(self.sessions) + (0 if self.links is None else len(self.links.relays))

    def ended(self, session: Session, cause: str) -> None:
        """Handle the end of a session; the player's seat is kept for a while."""
        self.sessions.leave(session)
        self.counters.ended[cause] += 1
        log.debug("the connection from %s has ended: %s", session.transport.address, cause)
        self.note_departure()
        player = session.player
        if player is None or player.session is not session:
            return
        player.session = None
        self._unwatch_all(player)
        if (table := player.table) is not None and not self.is_stopping:
            table.guarded(partial(table.membership.disconnect, player, _CAUSES.get(cause, Cause.LOST)))()
        self.accounts.leave(player, for_good=cause == "quit")

    def depart(self, session: Session) -> None:
        """Remove a session whose player has moved to another node."""
        self.sessions.leave(session)
        self.note_departure()
        player, session.player = session.player, None
        if player is not None and player.session is session:
            player.session = None
            self._unwatch_all(player)
            self.accounts.depart(player)

    def note_departure(self) -> None:
        """Handle the end of a connection, possibly the last one that a drain is waiting for."""
        is_waited_for = self.connected or not (self.nodes.is_alone or self.given_away.is_set())
        if self.is_draining and not is_waited_for:
            self.emptied.set()

    def settle_in(self, player: Player, stay: int | None) -> None:
        """Welcome a player who has a seat at a table that this node has taken; ``stay`` is the number of their stay.

        If ``stay`` is None, the player logged in on another node before the seat was known there, and loses the seat.
        """
        if stay is not None:
            player.stay = max(player.stay, stay)
            if player.session is not None:
                self.welcome_back(player)
            return
        log.warning("%s is on another node and has lost a seat here", player.name)
        if (table := player.table) is not None:
            table.guarded(partial(table.membership.leave, player))()
        self.accounts.depart(player)

    def attach(self, session: Session, player: Player) -> None:
        """Attach a connection to a player with their settings, and close their older connection.

        The connection's previous player leaves for good. The player gets a seat back only in ``welcome_back``. Raises
        ``Refused`` for banned players, while another server may own the tables, and if the player has logged in on a
        connection that was opened after this request was sent: checking a password can take seconds.
        """
        try:
            self.need_no_ban(player.name)
            if not self.is_sure:
                raise Refused(Code.PAUSED, _PAUSED)
            older = player.session
            if older is not None and older.connected > session.arrived:
                raise Refused(Code.MOVED, _IS_ON_A_NEWER_CONNECTION)
        except Refused:
            self.accounts.leave(player)
            raise
        before = session.player
        if before is not None and before is not player:
            before.session = None
            self._unwatch_all(before)
            self.accounts.leave(before, for_good=True)
        player.session = session
        session.player = player
        self.accounts.enter(player)
        if not session.writer.machine:
            session.writer.preferences.adopt(player.settings)
            self.accounts.keep_settings(player, session.writer.preferences.state.chosen)
        if older is not None and older is not session:
            older.player = None
            older.close(Code.TAKEN_OVER, _TAKEN_OVER)
            self._unwatch_all(player)  # the new connection has not been shown those tables

    def welcome_back(self, player: Player) -> None:
        """Show a player their table and let them play again, if they have a seat."""
        if (table := player.table) is not None:
            table.guarded(partial(table.membership.reconnect, player))()

    def need_no_ban(self, name: str) -> None:
        """Raise ``Refused`` if the operator has banned a name."""
        if self.sanctions.bars_name(name):
            raise Refused(Code.NOT_AVAILABLE, f"The operator of this server has banned {clean_text(name)}.")

    def _unwatch_all(self, player: Player) -> None:
        for table in self.tables.watched_by(player):
            table.guarded(partial(table.gallery.unwatch, player))()

    # --- tables

    def need_room(self) -> None:
        """Raise ``Refused`` if no table can be opened at the moment."""
        if self.is_draining:
            raise Refused(Code.SHUTTING_DOWN, "The server will stop soon, so no new tables can be opened.")
        if len(self.tables) >= (most := self.config.tables):
            raise Refused(
                Code.TOO_MANY,
                f"There are already {most} tables, and no more can be opened. To find one to join, type: tables",
            )

    def mssp(self) -> Mapping[str, str]:
        """Return the server's data for MUD listings."""
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

    # --- the whole server

    def drain(self) -> None:
        """Stop opening tables; if there are no other nodes, announce that the server will stop soon."""
        if not self.is_draining:
            self.is_draining = True
            self.draining.set()
            self.note_departure()
            if self.nodes.is_alone:
                kept = "Matches end then." if self.config.memory else "Your seat and your cards will be kept."
                self.sessions.announce("SHUTTING_DOWN", f"The server will stop soon. {kept}")

    def pause(self, reason: str) -> None:
        """Pause all tables while nothing can be stored, and notify everyone; the reason is only for the operator."""
        self.pause_reason = reason
        if self.gate.is_stuck:
            return
        self.gate.is_stuck = True
        self.counters.pauses += 1
        for table in self.tables.values():
            table.pause()
        self.sessions.interject("PAUSED", _PAUSED)

    def resume(self) -> None:
        """Resume all tables after a pause, unless another node may own them by now."""
        if not self.is_sure:
            return
        self.pause_reason = ""
        self.gate.is_stuck = False
        self.sessions.interject("RESUMED", "Play continues at all tables.")
        for table in list(self.tables.values()):
            table.guarded(table.settle)()

    def lapse(self) -> None:
        """Pause all tables, because another node may own them by now."""
        self.pause("the database has not confirmed for a while that this node still counts as alive")

    def renew(self) -> None:
        """Release held replies and resume all tables: this node certainly owns them."""
        self.gate.release()
        self.resume()

    def lose(self, reason: str) -> None:
        """Close all connections at once: another server owns the tables, and anything not yet stored is void."""
        self.pause_reason = reason
        self.is_draining = self.gate.is_stuck = True
        for session in list(self.sessions):
            session.discard_held()
        self.stop()
        self.given_away.set()  # there is nothing left to hand over
        self.emptied.set()

    def stop(self) -> None:
        """Close all connections with a goodbye; seats are kept until the next start."""
        self.is_stopping = True
        self.accounts.save_settings()
        goodbye = "The server is stopping." if self.config.memory else f"The server is stopping. {_TO_RETURN}"
        if self.links is not None:
            self.links.stop(Code.SHUTDOWN, goodbye)
        for session in list(self.sessions):
            session.close(Code.SHUTDOWN, goodbye)


_PAUSED: Final = "Play is paused: the server cannot save games at the moment. Nothing is lost."
"""The notice for players, without the details for the operator. It fits on a line of 80 columns."""

_TO_RETURN: Final = "To return later: name NAME, login NAME or resume TOKEN"

_IS_ON_A_NEWER_CONNECTION: Final = (
    "You have connected again since you sent this. To use this connection instead, send it again."
)
_TAKEN_OVER: Final = "You have connected from somewhere else, so this connection is closed."

_CAUSES: Final = {"quit": Cause.QUIT, "slow": Cause.SLOW, "idle": Cause.IDLE, "kicked": Cause.KICKED}
