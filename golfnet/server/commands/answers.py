"""Answers to requests: one ok or error each, and lists in as many parts as the maximum line length requires."""

import logging
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import MAX_OBJECT, Notice, Ok, Rows
from golfnet.protocol.text.text import AS_IT_IS
from golfnet.server.budget import ROWS_AT_ONCE
from golfnet.server.faults import fault_boundary
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Steps
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table

log = logging.getLogger(__name__)


class Answering:
    """A boundary around the handling of a request, which answers ``Refused`` or a fault in the server with one error.

    ``on_fault`` is called after a fault, before the error is sent.
    """

    __slots__ = ("_on_fault", "_request", "_session")

    def __init__(
        self, session: Session, request: Request, on_fault: Callable[[], None] | None = None
    ) -> None:
        self._session = session
        self._request = request
        self._on_fault = on_fault

    def __enter__(self) -> None:
        """Begin handling the request."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Answer an exception with an error; let cancellation and exits pass through."""
        if error is None:
            return False
        if not self._session.writer.machine and len(self._request.words) < _WORDS.get(self._request.verb, 0):
            self._session.end_questions()
        if isinstance(error, Refused):
            self._session.refuse(error, self._request.id)
            return True
        boundary = fault_boundary(log, "%s failed", self._request.verb, on_fault=self._on_fault)
        is_fault = boundary.__exit__(kind, error, trace)
        if is_fault:
            self._session.refuse(_FAULT, self._request.id)
        return is_fault


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
    """Return the connected player with this name; raises ``Refused``."""
    player = lobby.accounts.find(name)
    if player is None or player.session is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"{clean_text(name)} is not here. To see everybody, type: who")
    return player


def send_lines(session: Session, lines: Iterable[str]) -> None:
    """Send lines of text as they are."""
    for line in lines:
        session.send(Notice(code=AS_IT_IS, text=line))


def send_list(
    session: Session, request: Request, kind: str, rows: Iterable[Any], note: str | None = None
) -> None:
    """Answer a request with a list of any length and an ok, sending one part whenever the session has room.

    So a list delays nobody else, and is not sent faster than it is read. ``rows`` are generated as they are sent; the
    iterator may raise ``Refused`` before the first row.
    """
    parts = _send_parts(session, request, kind, rows, note)

    def send_part() -> bool:
        is_over = True
        with Answering(session, request):
            is_over = next(parts, _OVER) is _OVER
        return not is_over

    session.send_in_turns(send_part)


def _send_parts(
    session: Session, request: Request, kind: str, rows: Iterable[Any], note: str | None
) -> Iterator[None]:
    """Send a list; yield after each part but the last."""
    fields: dict[str, Any] = {} if request.id is None else {"id": request.id}
    part: list[Any] = []
    size = 0
    for row in rows:
        weight = len(msgspec.json.encode(row)) + 1
        if part and (size + weight > _ROWS_BYTES or len(part) == ROWS_AT_ONCE):
            session.send(Rows(kind=kind, rows=tuple(part), more=True, **fields))
            yield
            part, size = [], 0
        part.append(row)
        size += weight
    session.send(Rows(kind=kind, rows=tuple(part), **fields))
    send_ok(session, request, note=note)


_WORDS: Final = {"login": 2, "register": 1, "passwd": 2}
"""The word count of commands with passwords; if there are fewer, the next line may be a password."""

_OVER: Final = object()

_FAULT: Final = Refused(Code.INTERNAL, "An error occurred in the server. It has been logged.")

_ROWS_BYTES: Final = MAX_OBJECT - 1024
"""Maximum bytes of rows in one object; the rest of the line is for the object's other fields."""

Handler = Callable[[Any, Request], Steps[None] | None]
"""Handles a request in the context named in its signature: sends exactly one ok, or raises ``Refused``.

A handler that has to wait for lookups returns its steps.
"""

H = TypeVar("H", bound=Handler)


class Handlers(dict[str, Handler]):
    """The handlers of one module."""

    def on(self, *verbs: str) -> Callable[[H], H]:
        """Return a decorator that registers a handler for the given commands."""

        def register(handler: H) -> H:
            self.update(dict.fromkeys(verbs, handler))
            return handler

        return register
