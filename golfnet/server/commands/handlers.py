"""What the handlers of commands have in common: contexts, answers (one ok or error each) and lists.

For each ``Where``, a function here returns the context of a command (who sent it, and at which table), or refuses it to
those who may not use it. A handler names the type of its context in its signature. It may rely on what the context
contains, but has to check everything else in the request. Lists are sent in as many parts as the maximum line length
requires.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.commands.specs import Where
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import OBJECT_LIMIT, clean_text
from golfnet.protocol.replies.presence import NoticeCode
from golfnet.protocol.replies.replies import Notice, Ok, Rows
from golfnet.server.budget import ROWS_AT_ONCE
from golfnet.server.faults import fault_boundary
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Steps
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.server.tables import table_id

log = logging.getLogger(__name__)


class Answering(Struct, frozen=True):
    """Catches ``Refused`` or a fault in the server while a request is handled, and answers with one error.

    ``on_fault`` is called after a fault, before the error is sent.
    """

    session: Session
    request: Request
    on_fault: Callable[[], None] | None = None

    def __enter__(self) -> None:
        """Begin handling the request."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Answer an exception with an error; let cancellation and exits pass through."""
        if not isinstance(error, Exception):
            return False
        session, request, refused = self.session, self.request, _FAULT
        missing = request.spec.parameters[len(request.words) :]
        if not session.writer.machine and any([parameter.asked for parameter in missing]):
            session.end_questions()
        if isinstance(error, Refused):
            refused = error
        else:
            with fault_boundary(log, "%s failed", request.verb, on_fault=self.on_fault):
                raise error
        session.refuse(refused, request.id)
        return True


def send_ok(
    session: Session, request: Request, *, ticket: int = 0, note: str | None = None, **fields: Any
) -> None:
    """Answer a request with an ok, once ``ticket`` is durable."""
    id = UNSET if request.id is None else request.id
    session.send(Ok(id=id, note=UNSET if note is None else note, **fields), ticket=ticket)


def send_table_ok(
    session: Session, request: Request, table: Table, note: str | None = None, **fields: Any
) -> None:
    """Answer a request about a table with an ok that includes the number of the table's last event."""
    id, said = UNSET if request.id is None else request.id, UNSET if note is None else note
    session.send(Ok(id=id, table=table.id, seq=table.seq, note=said, **fields), ticket=table.ticket)


def present(lobby: Lobby, name: str) -> Player:
    """Return the connected player with this name, or raise ``Refused``."""
    player = lobby.accounts.find(name)
    if player is None or player.session is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"{clean_text(name)} is not here. To see everybody, type: who")
    return player


def send_lines(session: Session, lines: Iterable[str]) -> None:
    """Send lines of text as they are."""
    for line in lines:
        session.send(Notice(code=NoticeCode.TEXT, text=line))


def send_list(
    session: Session, request: Request, kind: str, rows: Iterable[Any], note: str | None = None
) -> None:
    """Answer a request with a list of any length and an ok, sending one part whenever the session has room.

    So a list delays nobody else, and is sent only as fast as the peer reads it. ``rows`` are generated as they are
    sent; the iterator may raise ``Refused`` before the first row.
    """
    session.send_in_turns(_send_parts(session, request, kind, rows, note))


def _send_parts(
    session: Session, request: Request, kind: str, rows: Iterable[Any], note: str | None
) -> Iterator[None]:
    """Send a list; yield after each part but the last."""
    id = UNSET if request.id is None else request.id
    part: list[Any] = []
    size = 0
    with Answering(session, request):
        for row in rows:
            weight = len(msgspec.json.encode(row)) + 1
            if part and (size + weight > _ROWS_BYTES or len(part) == ROWS_AT_ONCE):
                session.send(Rows(id=id, kind=kind, rows=tuple(part), more=True))
                yield
                part, size = [], 0
            part.append(row)
            size += weight
        session.send(Rows(id=id, kind=kind, rows=tuple(part)))
        send_ok(session, request, note=note)


_FAULT: Final = Refused(Code.INTERNAL, "An error occurred in the server. It has been logged.")

_ROWS_BYTES: Final = OBJECT_LIMIT - 1024
"""Maximum bytes of rows in one object; the rest of the line is for the object's other fields."""

Handler = Callable[[Any, Request], Steps[None] | None]
"""Handles a request in the context named in its signature: sends exactly one ok, or raises ``Refused``.

A handler that has to wait returns its steps.
"""

H = TypeVar("H", bound=Handler)


class Handlers(dict[str, Handler]):
    """Handlers by verb."""

    def on(self, *verbs: str) -> Callable[[H], H]:
        """Return a decorator that registers a handler for the given commands."""

        def register(handler: H) -> H:
            self.update(dict.fromkeys(verbs, handler))
            return handler

        return register


HANDLERS: Final = Handlers()
"""The handlers of all commands, registered by the modules that define them."""


class Anyone(Struct, frozen=True):
    """A connection, with or without a player."""

    lobby: Lobby
    session: Session


class NamedPlayer(Anyone, frozen=True):
    """A connection that has logged in, and its player."""

    player: Player


class Viewer(NamedPlayer, frozen=True):
    """A player and a table where they have a seat or watch."""

    table: Table


class SeatedPlayer(Viewer, frozen=True):
    """A player, the table where they have a seat, and the seat."""

    seat: Seat


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


def named(context: Anyone, request: Request) -> NamedPlayer:
    """Return the context of a player, or raise ``Refused``."""
    player = context.session.player
    if player is None:
        raise Refused(Code.NO_NAME, NO_NAME)
    return NamedPlayer(context.lobby, context.session, player)


NO_NAME: Final = "Who are you? To log in, type: name YOURNAME, login NAME or resume TOKEN"
"""The answer to connections without a name."""


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
    if asked or table is None:
        tables = list(context.lobby.tables.watched_by(player))
        if table is not None:
            tables.append(table)
        if asked:
            id = table_id(asked)
            tables = [table for table in tables if table.id == id]
            if not tables:
                raise Refused(Code.NOT_SEATED, f"You are not at table {id}. Type: join {id} or watch {id}")
        if not tables:
            raise Refused(Code.NOT_SEATED, _NO_TABLE)
        table = tables[-1]
    return Viewer(context.lobby, context.session, player, table)


def seated(context: Anyone, request: Request) -> SeatedPlayer:
    """Return the context of a player with a seat, or raise ``Refused``."""
    player = context.session.player
    if player is None:
        raise Refused(Code.NO_NAME, NO_NAME)
    if (table := player.table) is None:
        raise Refused(Code.NOT_SEATED, _NO_TABLE)
    return SeatedPlayer(context.lobby, context.session, player, table, table.chair_of(player).seat)


_NO_TABLE: Final = "You are not at a table. To play at once, type: play. To see all tables, type: tables"


def host(context: Anyone, request: Request) -> SeatedPlayer:
    """Return the context of the host of a table, or raise ``Refused``."""
    found = seated(context, request)
    found.table.hosts.need_host(found.player)
    return found


def need_confirmation(session: Session, what: str, question: str) -> None:
    """Raise ``Refused`` until a person confirms by typing the command again; programs need not confirm."""
    if not session.writer.machine and not session.is_confirmed(what):
        raise Refused(Code.CONFIRM, question)


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
