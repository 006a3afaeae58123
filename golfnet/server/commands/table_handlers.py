"""What the commands at a table do: looking, playing, talking, and looking back; ``seat_handlers`` has the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.rules import SlamMode
from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands.parse import to_action
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.speech import on_demand
from golfnet.server.commands import listings
from golfnet.server.commands.answers import (
    Handler,
    clean_speech,
    need_breath,
    need_player,
    need_table,
    send_lines,
    send_list,
    send_ok,
    send_rows,
    send_table_ok,
)
from golfnet.server.commands.seat_handlers import SEAT_HANDLERS
from golfnet.server.tables import table_id

if TYPE_CHECKING:
    from golfnet.protocol.commands.parse import Request
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table


def _look(lobby: Lobby, session: Session, request: Request) -> None:
    table = _table_in_sight(lobby, session, request.text("table"))
    table.look(need_player(session))
    send_table_ok(session, request, table)


def _table_in_sight(lobby: Lobby, session: Session, named: str = "") -> Table:
    """Return the table of an id, else the one at which the player sits or began to watch last; raises ``Refused``."""
    player = need_player(session)
    own, watched = lobby.tables.of(player), lobby.tables.watched_by(player)
    if named:
        for table in [*([] if own is None else [own]), *watched]:
            if table.id == table_id(named):
                return table
        raise Refused(Code.NOT_SEATED, f"You are not at {table_id(named)}: join or watch it.")
    if own is not None:
        return own
    if watched:
        return watched[-1]
    raise Refused(Code.NOT_SEATED, "You are at no table: join, create or watch one.")


def _cut(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    table.cut(need_player(session), clean_text(request.words[0]))
    send_table_ok(session, request, table)


def _seal(lobby: Lobby, session: Session, request: Request) -> None:
    table, player = need_table(lobby, session), need_player(session)
    if not request.words:
        send_rows(session, request, "seal", [listings.deal_of(table, table.seat_of(player))])
        return
    table.seal(player, request.words[0])
    send_table_ok(session, request, table)


def _say(lobby: Lobby, session: Session, request: Request) -> None:
    table = _table_in_sight(lobby, session)
    need_breath(lobby, session)
    table.say(need_player(session), clean_speech(request.words[0]))
    send_table_ok(session, request, table)


def _play(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    meant = session.discard_meant if request.verb == "slam" else 0
    table.act(need_player(session), lambda seat: to_action(request, seat, meant), request.at)
    window = table.hole.window if table.hole is not None else None
    sealed = window is not None and request.verb in ("slam", "pass") and table.rules.slam is not SlamMode.RACE
    send_table_ok(session, request, table, **({"note": _SEALED} if sealed else {}))


def _on_demand(lobby: Lobby, session: Session, request: Request) -> None:
    table = _table_in_sight(lobby, session)
    word = "top" if request.verb == "top-card" else request.verb
    send_lines(session, on_demand(word, table.view(table.seating.of(need_player(session)))))
    send_ok(session, request)


def _history(lobby: Lobby, session: Session, request: Request) -> None:
    table = request.text("table")
    if table:
        rows = listings.history(lobby.store, table=table)
    else:
        rows = listings.history(lobby.store, player=session.player.id if session.player is not None else None)
    send_list(lobby, session, request, "history", rows)


def _record(lobby: Lobby, session: Session, request: Request) -> None:
    send_list(lobby, session, request, "record", listings.record(lobby.store, request.words[0].lower()))


def _top(lobby: Lobby, session: Session, request: Request) -> None:
    variant = request.words[0] if request.words else None
    send_list(lobby, session, request, "top", listings.ladder(lobby.store, lobby.catalogue, variant))


def _stats(lobby: Lobby, session: Session, request: Request) -> None:
    name = request.words[0] if request.words else need_player(session).name
    send_list(lobby, session, request, "stats", listings.stats(lobby.store, name))


def _log(lobby: Lobby, session: Session, request: Request) -> None:
    table = _table_in_sight(lobby, session)
    rules = table.match.rules or table.rules
    note = f"There are no slams in {rules.name}." if rules.slam is SlamMode.OFF else table.slam_log_note()
    send_rows(session, request, "log", table.slam_log(), note=note)


def concerned(lobby: Lobby, session: Session, request: Request) -> Table | None:
    """Return the table that a request is about, which is closed if there is a fault in it."""
    player = session.player
    if player is None or request.verb not in TABLE_HANDLERS or request.verb in _LISTS:
        return None
    named = request.text("table")
    if named:
        return lobby.tables.get(table_id(named))
    return lobby.tables.of(player) or next(reversed(lobby.tables.watched_by(player)), None)


_SEALED: Final = "That is sealed until the window closes."

_LISTS: Final = frozenset(("history", "record", "top", "stats"))

TABLE_HANDLERS: Final[dict[str, Handler]] = {
    **SEAT_HANDLERS,
    "look": _look,
    "cut": _cut,
    "seal": _seal,
    "say": _say,
    **dict.fromkeys(
        (
            "peek",
            "flip",
            "draw",
            "take",
            "knock",
            "swap",
            "discard",
            "pass",
            "switch",
            "decline",
            "slam",
            "give",
        ),
        _play,
    ),
    **dict.fromkeys(("hand", "top-card", "turn", "score"), _on_demand),
    "history": _history,
    "record": _record,
    "top": _top,
    "stats": _stats,
    "log": _log,
}
