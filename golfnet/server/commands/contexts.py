"""Who asks, and from where: what a handler may rely on when it is called.

Each ``Where`` of a command has its context here, with the refusals for those who are elsewhere. A handler names the
context that it needs in its signature: whatever stands in it has been checked, and nothing else has.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.parse import Request
from golfnet.protocol.commands.specs import Where
from golfnet.protocol.errors import Code, Refused
from golfnet.server.commands.tasks import Tasks
from golfnet.server.lobby import Lobby
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.server.tables import table_id


class Anyone(Struct, frozen=True):
    """Whoever is connected; ``tasks`` are for answers that take a while."""

    lobby: Lobby
    tasks: Tasks
    session: Session


class NamedPlayer(Anyone, frozen=True):
    """A player."""

    player: Player


class Viewer(NamedPlayer, frozen=True):
    """A player and the table that it looks at, seated or watching."""

    table: Table


class SeatedPlayer(Viewer, frozen=True):
    """A player and the table at which it has a seat."""

    seat: Seat


class Host(SeatedPlayer, frozen=True):
    """The host of a table."""


def anyone(context: Anyone, request: Request) -> Anyone:
    """Return the context as it is."""
    return context


def stranger(context: Anyone, request: Request) -> Anyone:
    """Return the context of a connection without a name; raises ``Refused``."""
    player = context.session.player
    if player is not None:
        raise Refused(
            Code.ALREADY_NAMED,
            f"You are {player.name} already. For another name, type quit and connect again.",
        )
    return context


def unseated(context: Anyone, request: Request) -> Anyone:
    """Return the context of a connection, with a name or without, but not with a seat; raises ``Refused``."""
    player = context.session.player
    if player is not None and player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED,
            f"You are {player.name} and play at {player.table.id}. To {request.verb} as somebody else, leave first, "
            "or use another connection.",
        )
    return context


def named(context: Anyone, request: Request) -> NamedPlayer:
    """Return the context of a player; raises ``Refused`` before a name was given."""
    player = context.session.player
    if player is None:
        raise _no_name()
    return NamedPlayer(context.lobby, context.tasks, context.session, player)


def _no_name() -> Refused:
    return Refused(Code.NO_NAME, "Who are you? To come in, type: name YOURNAME, login NAME or resume TOKEN")


def free(context: Anyone, request: Request) -> NamedPlayer:
    """Return the context of a player without a seat; raises ``Refused``."""
    found = named(context, request)
    if found.player.table is not None:
        raise Refused(
            Code.ALREADY_SEATED, f"You are already at table {found.player.table.id}. To leave it, type: leave"
        )
    return found


def in_sight(context: Anyone, request: Request) -> Viewer:
    """Return the context of a player at the table it names, sits at or began to watch last; raises ``Refused``."""
    found = named(context, request)
    table = _table_in_sight(found, request.text("table"))
    return Viewer(found.lobby, found.tasks, found.session, found.player, table)


def _table_in_sight(context: NamedPlayer, asked: str) -> Table:
    own = context.lobby.tables.of(context.player)
    if own is not None and not asked:  # nearly always
        return own
    watched = context.lobby.tables.watched_by(context.player)
    if asked:
        for table in [*([] if own is None else [own]), *watched]:
            if table.id == table_id(asked):
                return table
        raise Refused(
            Code.NOT_SEATED,
            f"You are not at table {table_id(asked)}. Type: join {table_id(asked)} or watch {table_id(asked)}",
        )
    if watched:
        return watched[-1]
    raise Refused(Code.NOT_SEATED, "You are not at a table. To see all tables, type: tables")


def seated(context: Anyone, request: Request) -> SeatedPlayer:
    """Return the context of a player with a seat; raises ``Refused``."""
    return SeatedPlayer(*_seated(context))


def host(context: Anyone, request: Request) -> Host:
    """Return the context of the host of a table; raises ``Refused``."""
    found = Host(*_seated(context))
    found.table.need_host(found.player)
    return found


def _seated(context: Anyone) -> tuple[Lobby, Tasks, Session, Player, Table, Seat]:
    lobby, player = context.lobby, context.session.player
    if player is None:
        raise _no_name()
    table = lobby.tables.of(player)
    if table is None:
        raise Refused(
            Code.NOT_SEATED,
            "You are not at a table. Type tables to see them all, or create six-card to open one.",
        )
    return lobby, context.tasks, context.session, player, table, table.seat_of(player)


def need_confirmation(session: Session, what: str, question: str) -> None:
    """Ask a person once, who has to type the same line again; raises ``Refused``. Programs are never asked."""
    if not session.writer.machine and not session.confirmation.is_given(what, session.arrived):
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
"""What gives the context of a command, by where it may be used."""
