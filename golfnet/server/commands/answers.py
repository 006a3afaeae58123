"""How handlers answer: one ok for a request, lists in as many parts as lines of the wire need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio
from msgspec import UNSET

from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import MAX_OBJECT, Notice, Ok, Rows
from golfnet.protocol.text.text import AS_IT_IS
from golfnet.server.budget import ROWS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from golfnet.protocol.commands.parse import Request
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table

Handler = Callable[["Lobby", "Session", "Request"], None]
"""Carries out a request of one verb: sends exactly one ok, or raises ``Refused``."""

_ROWS_BYTES: Final = MAX_OBJECT - 1024
"""Bytes of rows in one object: what is left of a line beside its other fields."""


def need_player(session: Session) -> Player:
    """Return the session's player; raises ``Refused`` before a name was given."""
    if session.player is None:
        raise Refused(Code.NO_NAME, "First say who you are: name NAME, login NAME or resume TOKEN.")
    return session.player


def need_table(lobby: Lobby, session: Session) -> Table:
    """Return the table at which the session's player sits; raises ``Refused``."""
    table = lobby.tables.of(need_player(session))
    if table is None:
        raise Refused(
            Code.NOT_SEATED, "You sit at no table: tables lists them, join or create takes you to one."
        )
    return table


def need_breath(lobby: Lobby, session: Session) -> None:
    """Count a line of chat; raises ``Refused`` for too many, and for who was silenced by the operator."""
    if session.player is not None and lobby.sanctions.silences(session.player.name):
        raise Refused(Code.NOT_AVAILABLE, "The operator of this server has taken your voice.")
    wait = session.chat_limit.take(trio.current_time())
    if wait:
        raise Refused(Code.RATE_LIMITED, f"That is much talk; wait {wait} ms.", wait_ms=wait)


def clean_speech(text: str) -> str:
    """Return what a player says as others may see it; raises ``Refused`` where nothing is left."""
    cleaned = clean_text(text).strip()
    if not cleaned:
        raise Refused(Code.BAD_ARGUMENT, "There is no text left to say.")
    return cleaned


def send_ok(session: Session, request: Request, *, ticket: int = 0, **fields: Any) -> None:
    """Answer a request with an ok, once ``ticket`` is durable."""
    session.send(Ok(id=UNSET if request.id is None else request.id, **fields), ticket=ticket)


def send_table_ok(session: Session, request: Request, table: Table, **fields: Any) -> None:
    """Answer a request about a table with an ok that tells the number of its last event."""
    send_ok(session, request, ticket=table.ticket, table=table.id, seq=table.seq, **fields)


def send_lines(session: Session, lines: Iterable[str]) -> None:
    """Send ready-made lines of text, behind everything that waits."""
    for line in lines:
        session.send(Notice(code=AS_IT_IS, text=line))


def send_rows(session: Session, request: Request, kind: str, rows: Iterable[Any], **ok: Any) -> None:
    """Answer a request with a list that is short by nature, in as many parts as it needs, and an ok."""
    for _ in _send_parts(session, request, kind, rows, ok):
        pass


def send_list(
    lobby: Lobby, session: Session, request: Request, kind: str, rows: Iterable[Any], **ok: Any
) -> None:
    """Answer a request with a list of any length and an ok: a part in each of the session's turns.

    So a list keeps nobody else waiting, and never outruns its reader. ``rows`` are made as they are sent; it may raise
    ``Refused`` before the first.
    """
    parts = _send_parts(session, request, kind, rows, ok)

    def send_part() -> bool:
        is_over = True
        with lobby.answering(session, request):
            is_over = next(parts, _OVER) is _OVER
        return not is_over

    session.send_in_turns(send_part)


def _send_parts(
    session: Session, request: Request, kind: str, rows: Iterable[Any], ok: dict[str, Any]
) -> Iterator[None]:
    """Send a list; yield after each part that another follows."""
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
    send_ok(session, request, **ok)


_OVER: Final = object()
