"""Dispatches requests to their handlers: the server as seen by sessions.

For each ``Where``, a function here returns the context of a command, or refuses it to those who may not use it.

Invariants: a command is handled only where its ``CommandSpec`` allows it, and its handler gets the matching context;
every request is answered with exactly one ok or error, whatever goes wrong (only ``pong`` has no answer); a fault
closes the table that the request is about, and nothing else.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

import trio
from msgspec import Struct

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.parse import Request, parse
from golfnet.protocol.commands.specs import Group, Where
from golfnet.protocol.errors import Code, Refused
from golfnet.server.budget import Addresses
from golfnet.server.commands import chat, identity, lists, play, seats  # noqa: F401 -- they register handlers
from golfnet.server.commands.handlers import (
    HANDLERS,
    NO_NAME,
    Answering,
    Anyone,
    NamedPlayer,
    SeatedPlayer,
    Viewer,
    named,
)
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Question, Steps, advance, carry_on
from golfnet.server.net.transport import Transport
from golfnet.server.nodes import Elsewhere
from golfnet.server.session.session import Session
from golfnet.server.tables import table_id

log = logging.getLogger(__name__)


def anyone(context: Anyone, request: Request) -> Anyone:
    """Return the context as it is."""
    return context


def stranger(context: Anyone, request: Request) -> Anyone:
    """Return the context of a connection without a name, or raise ``Refused``."""
    player = context.session.player
    if player is not None:
        raise Refused(
            Code.ALREADY_NAMED,
            f"You are already {player.name}. For another name, type quit and connect again.",
        )
    return context


def unseated(context: Anyone, request: Request) -> Anyone:
    """Return the context of a connection without a seat, with or without a name; may raise ``Refused``."""
    player = context.session.player
    if player is not None and player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You are {player.name} and are playing at {player.table.id}. To {request.verb} as somebody else, leave "
            "first, or use another connection.",
        )
    return context


def free(context: Anyone, request: Request) -> NamedPlayer:
    """Return the context of a player without a seat, or raise ``Refused``."""
    found = named(context, request)
    found.player.need_free()
    return found


def in_sight(context: Anyone, request: Request) -> Viewer:
    """Return the context of a player at the named table (default: their own or last watched), or raise ``Refused``."""
    player = context.session.player
    if player is None:
        raise Refused(Code.NO_NAME, NO_NAME)
    table, asked = player.table, request.text("table")
    if table is None or (asked and table.id != table_id(asked)):
        watched = context.lobby.tables.watched_by(player)
        if asked:
            id = table_id(asked)
            watched = [table for table in watched if table.id == id]
            if not watched:
                raise Refused(Code.NOT_SEATED, f"You are not at table {id}. Type: join {id} or watch {id}")
        if not watched:
            raise Refused(Code.NOT_SEATED, _NO_TABLE)
        table = watched[-1]
    return Viewer(context.lobby, context.session, player, table)


def seated(context: Anyone, request: Request) -> SeatedPlayer:
    """Return the context of a player with a seat, or raise ``Refused``."""
    player = context.session.player
    if player is None:
        raise Refused(Code.NO_NAME, NO_NAME)
    if (table := player.table) is None:
        raise Refused(Code.NOT_SEATED, _NO_SEAT if player.watched else _NO_TABLE)
    return SeatedPlayer(context.lobby, context.session, player, table, table.chair_of(player).seat)


_NO_SEAT: Final = "You have no seat. To play at once, type: play. To see all tables, type: tables"
_NO_TABLE: Final = "You are not at a table. To play at once, type: play. To see all tables, type: tables"


def host(context: Anyone, request: Request) -> SeatedPlayer:
    """Return the context of the host of a table, or raise ``Refused``."""
    found = seated(context, request)
    found.table.hosts.need_host(found.player)
    return found


CONTEXTS: Final[Mapping[Where, Callable[[Anyone, Request], Anyone]]] = {
    Where.ANYWHERE: anyone,
    Where.STRANGER: stranger,
    Where.UNSEATED: unseated,
    Where.NAMED: named,
    Where.LOBBY: free,
    Where.TABLE: in_sight,
    Where.SEATED: seated,
    Where.HOST: host,
}
"""For each place, the function that makes the context of commands allowed there."""

_ROUTES: Final = {verb: (spec, CONTEXTS[spec.where], HANDLERS[verb]) for verb, spec in COMMANDS.items()}
"""The specification, context and handler of each verb."""

_TURN: Final = parse("turn", machine=False)
"""Stands for the missing request when a bare Enter has to be answered with an error."""


class Dispatcher:
    """Handles the requests of sessions."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._now = trio.lowlevel.current_clock().current_time
        """Bound once, since ``trio.current_time`` looks the clock up for every line of every peer."""
        self.hand_over: Callable[[Session, Request, int], Awaitable[None]] | None = None
        """Moves a session to another node, or raises ``Refused``; None if there is only one node."""
        self._stops: dict[Session, Callable[[], None]] = {}
        """For each suspended session, the function that cancels its work."""

    def handle(self, session: Session, request: Request) -> None:
        """Handle a request and answer it with exactly one ok or error."""
        spec, context_of, handler = _ROUTES[request.verb]
        context = Anyone(self.lobby, session)
        try:
            lobby = self.lobby
            if lobby.lease is not None and not lobby.lease.is_sure():
                # Tables and players may be on other nodes by now, but the connection is here.
                if spec.group is not Group.CONNECTION and spec.verb != "quit":
                    raise Refused(Code.PAUSED, _PAUSED)
            elif spec.changes and lobby.gate.is_stuck:
                raise Refused(Code.PAUSED, _PAUSED)
            context = context_of(context, request)
            if spec.is_chat:
                chat.need_voice(context)
            steps = handler(context, request)
            if steps is not None and (question := advance(steps)) is not None:
                answering = Answering(session, request, partial(_fail_table, context, request))
                self._continue(answering, steps, question)
        except Exception:  # ``Answering`` costs time, and this runs for every line of every peer
            with Answering(session, request, partial(_fail_table, context, request)):
                raise
        if not request.typed:  # if passwords were typed, the request was counted at the first prompt
            self.lobby.counters.latency[request.verb].add(self._now() - session.arrived)
        if log.isEnabledFor(logging.DEBUG):
            # Not the arguments, which can be passwords.
            log.debug("%s from %s", request.verb, session.player.name if session.player else "a stranger")

    def _continue(self, answering: Answering, steps: Steps[None], question: Question) -> None:
        """Suspend the session while a question and the rest of a request's steps are answered.

        A task is started only for steps that wait for something other than a lookup.
        """
        session = answering.session
        if question.lookups is None:
            self._start(answering, partial(carry_on, steps, question))
            return
        session.suspend()

        def then(answer: object, problem: Exception | None) -> None:
            del self._stops[session]
            following = None
            if session.is_open:  # otherwise nobody is waiting for the answer
                with answering:
                    try:
                        if problem is not None:
                            raise problem
                        following = advance(steps, answer)
                    except Elsewhere as elsewhere:
                        following = Question(
                            None, partial(self._move, session, answering.request, elsewhere.node)
                        )
            if following is None or not session.is_open:
                steps.close()
                session.resume()
            else:
                self._continue(answering, steps, following)

        self._stops[session] = steps.close
        question.lookups.ask_soon(question.query, then, self.lobby.spawn)

    def _start(self, answering: Answering, work: Callable[[], Awaitable[None]]) -> None:
        """Answer a request in a task, and suspend the session meanwhile."""
        session = answering.session
        session.suspend()
        scope = trio.CancelScope()
        self._stops[session] = scope.cancel

        async def answer() -> None:
            try:
                with scope, answering:
                    try:
                        await work()
                    except Elsewhere as elsewhere:
                        await self._move(session, answering.request, elsewhere.node)
            finally:
                del self._stops[session]
                session.resume()

        self.lobby.spawn(answer)

    async def _move(self, session: Session, request: Request, node: int) -> None:
        """Move a session to another node, which handles the request."""
        if self.hand_over is None or session.is_carried:
            raise Refused(Code.MOVED, "What you asked for has just moved to another machine. Try again.")
        await self.hand_over(session, request, node)

    def entered(self, session: Session) -> None:
        """Answer a bare Enter: send a person what they can do now."""
        with Answering(session, _TURN):
            play.tell_what_now(self.lobby, session)

    def ended(self, session: Session, cause: str) -> None:
        """Handle the end of a session, and cancel its work."""
        if session.relay is not None:
            session.relay.end(cause)  # this also notifies the player's node
        else:
            self.lobby.ended(session, cause)
        if (stop := self._stops.get(session)) is not None:
            stop()


def _fail_table(context: Anyone, request: Request) -> None:
    """Close the table that a request is about, if any: the one in its context, or one that it names or has opened."""
    table = None
    if isinstance(context, Viewer):
        table = context.table
    elif isinstance(context, NamedPlayer):
        if asked := request.text("table"):
            table = context.lobby.tables.get(table_id(asked))
        elif request.spec.where is Where.LOBBY:
            table = context.player.table
    if table is not None:
        table.fail()


_PAUSED: Final = "Play is paused until the server can save games again. Try again later."


class LobbyAcceptor(Struct, eq=False):
    """Accepts connections for the lobby, with or without telnet; several acceptors can share one ``addresses``."""

    dispatcher: Dispatcher
    addresses: Addresses
    telnet: bool = False

    def admit(self, address: str) -> bool:
        """Admit a connection unless the server is full, or its address is banned or has too many connections."""
        lobby = self.dispatcher.lobby
        if lobby.sanctions.bars_address(address):
            reason = "banned"
        elif lobby.connected >= lobby.config.connections:
            reason = "full"
        elif not self.addresses.admit(address):
            reason = "address"
        else:
            lobby.counters.connections += 1
            return True
        lobby.counters.turned_away[reason] += 1
        return False

    def welcome(self, transport: Transport) -> Session:
        """Return a session on an accepted connection, and greet the peer."""
        session = Session(self.dispatcher, transport, telnet=self.telnet)
        self.dispatcher.lobby.welcome(session)
        return session

    def gone(self, address: str) -> None:
        """Stop counting an accepted connection that has ended."""
        self.addresses.release(address)
