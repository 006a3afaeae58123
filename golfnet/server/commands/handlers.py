"""What the handlers of commands have in common: contexts, errors and lists.

The context of a command is who sent it, and at which table. A handler names the type of its context in its signature.
It may rely on what the context contains, but has to check everything else in the request. Lists are sent in as many
parts as the maximum line length requires.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct, json

from golfnet.engine.cards import Seat
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import OBJECT_LIMIT, clean_text
from golfnet.protocol.replies.presence import NoticeCode
from golfnet.protocol.replies.replies import Notice, Rows
from golfnet.server.budget import ROWS_AT_ONCE
from golfnet.server.faults import fault_boundary
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Steps
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table

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
    session.parts = _send_parts(session, request, kind, rows, note)


def _send_parts(
    session: Session, request: Request, kind: str, rows: Iterable[Any], note: str | None
) -> Iterator[None]:
    """Send a list; yield after each part but the last."""
    id = UNSET if request.id is None else request.id
    part: list[Any] = []
    size = 0
    with Answering(session, request):
        for row in rows:
            weight = len(json.encode(row)) + 1
            if part and (size + weight > _ROWS_BYTES or len(part) == ROWS_AT_ONCE):
                session.send(Rows(id=id, kind=kind, rows=tuple(part), more=True))
                yield
                part, size = [], 0
            part.append(row)
            size += weight
        session.send(Rows(id=id, kind=kind, rows=tuple(part)))
        session.send_ok(request, note=note)


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


def named(context: Anyone, request: Request) -> NamedPlayer:
    """Return the context of a player, or raise ``Refused``."""
    player = context.session.player
    if player is None:
        raise Refused(Code.NO_NAME, NO_NAME)
    return NamedPlayer(context.lobby, context.session, player)


NO_NAME: Final = "Who are you? To log in, type: name YOURNAME, login NAME or resume TOKEN"
"""The answer to connections without a name."""


def need_confirmation(session: Session, what: str, question: str) -> None:
    """Raise ``Refused`` until a person confirms by typing the command again; programs need not confirm."""
    if not session.writer.machine and not session.is_confirmed(what):
        raise Refused(Code.CONFIRM, question)
