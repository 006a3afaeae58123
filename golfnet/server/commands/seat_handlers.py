"""What the commands about seats do: opening tables, coming and going, what hosts may do, and how a match begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.notation import parse_seat, seat_letter
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.budget import WATCHED_AT_ONCE
from golfnet.server.commands.answers import Handler, need_player, need_table, send_ok, send_table_ok
from golfnet.server.context.setup import named_rules, seconds_option
from golfnet.server.table.filling import OPTIONS, Wish, known_level, wish_for, wish_of
from golfnet.server.table.results import forfeits

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.protocol.commands.parse import Request
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table


def _create(lobby: Lobby, session: Session, request: Request) -> None:
    player = _need_free(session)
    wish = wish_of(request.options)
    table = lobby.open(player, *lobby.plan(request.words[0], _about_play(request)))
    _fill(table, player, wish)
    send_table_ok(session, request, table)


def _join(lobby: Lobby, session: Session, request: Request) -> None:
    player = _need_free(session)
    table = lobby.tables.named(request.words[0])
    table.sit(player, request.options.get("password", ""))
    _sat_down(session, request, player, table)


def _seek(lobby: Lobby, session: Session, request: Request) -> None:
    player = _need_free(session)
    variant, options = request.words[0], _about_play(request)
    wish = wish_of(request.options, lobby.config.fill)
    table = lobby.tables.fitting(player, *lobby.plan(variant, options))
    if table is not None:
        table.sit(player)
    else:
        table = lobby.open(player, *lobby.plan(variant, {"seats": _usual_seats(lobby, request), **options}))
        _fill(table, player, wish)
    _sat_down(session, request, player, table)


def _about_play(request: Request) -> dict[str, str]:
    return {key: value for key, value in request.options.items() if key not in OPTIONS}


def _fill(table: Table, host: Player, wish: Wish | None) -> None:
    if wish is not None:
        table.fill(host, wish)


def _usual_seats(lobby: Lobby, request: Request) -> str:
    """Return how many seats a seek is for that names none: the fewest, so that it starts soonest."""
    return str(named_rules(lobby.catalogue, request.words[0]).seats.low)


def _unseek(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    if table.state is not State.OPEN:
        raise Refused(
            Code.BAD_PHASE, "You are not seeking any more, the match has begun; leave gives up the seat."
        )
    table.leave(need_player(session))
    send_ok(session, request, note=f"You have left {table.id}.")


def _need_free(session: Session) -> Player:
    player = need_player(session)
    if player.table is not None:
        raise Refused(Code.ALREADY_SEATED, f"You sit at {player.table.id}; leave it first.")
    return player


def _sat_down(session: Session, request: Request, player: Player, table: Table) -> None:
    seat = seat_letter(table.seat_of(player))
    send_table_ok(session, request, table, note=f"You sit at {table.id}, seat {seat}.")


def _watch(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)
    table = lobby.tables.named(request.words[0])
    if len(player.watched) >= WATCHED_AT_ONCE and table.id not in player.watched:
        raise Refused(
            Code.TOO_MANY, f"You watch {WATCHED_AT_ONCE} tables already. Type unwatch TABLE to stop with one."
        )
    table.watch(player, request.options.get("password", ""))
    send_table_ok(session, request, table, note=f"You watch {table.id}.")


def _unwatch(lobby: Lobby, session: Session, request: Request) -> None:
    player = need_player(session)
    tables = [lobby.tables.named(request.words[0])] if request.words else lobby.tables.watched_by(player)
    if not tables or any(table.id not in player.watched for table in tables):
        raise Refused(Code.NOT_WATCHING, "You are not watching that; watch TABLE begins it.")
    for table in tables:
        table.unwatch(player)
    send_ok(session, request, note=f"You no longer watch {', '.join(table.id for table in tables)}.")


def _leave(lobby: Lobby, session: Session, request: Request) -> None:
    player, table = need_player(session), need_table(lobby, session)
    note = f"You have left {table.id}."
    if forfeits(table, player, lobby.catalogue):
        note += " The match counts as a last place for you."
    table.leave(player)
    send_ok(session, request, note=note)


def _bot(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    host = need_player(session)
    level = known_level(request.text("level"))
    note = None
    if "fill" in request.options:
        note = table.fill(host, wish_for(level, seconds_option(request.options["fill"], "fill", 0)))
    else:
        table.add_bot(host, level)
    send_table_ok(session, request, table, **({} if note is None else {"note": note}))


def _kick(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    table.kick(need_player(session), request.words[0])
    send_table_ok(session, request, table)


def _host(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    table.hand_over(need_player(session), _seat(request.words[0]))
    send_table_ok(session, request, table)


def _seat(text: str) -> Seat:
    try:
        return parse_seat(text)
    except ValueError as problem:
        raise Refused(Code.BAD_ARGUMENT, f"That takes {problem}.") from None


def _start(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    missing = table.start(need_player(session))
    send_table_ok(session, request, table, **({} if missing is None else {"note": missing}))


def _ready(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    table.ready(need_player(session))
    send_table_ok(session, request, table)


def _rematch(lobby: Lobby, session: Session, request: Request) -> None:
    table = need_table(lobby, session)
    table.rematch(need_player(session))
    send_table_ok(session, request, table)


SEAT_HANDLERS: Final[dict[str, Handler]] = {
    "create": _create,
    "join": _join,
    "seek": _seek,
    "unseek": _unseek,
    "watch": _watch,
    "unwatch": _unwatch,
    "leave": _leave,
    "bot": _bot,
    "kick": _kick,
    "host": _host,
    "start": _start,
    "ready": _ready,
    "rematch": _rematch,
}
