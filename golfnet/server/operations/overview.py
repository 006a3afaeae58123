"""What is happening on a server, in one line for the person who runs it: who is here, and what is played.

Names and tables beyond the first few are counted; the rest is cut by whoever shows the line.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from golfnet.protocol.clean import clean_text
from golfnet.protocol.replies.vocabulary import TableState

if TYPE_CHECKING:
    from golfnet.server.context.context import TableContext
    from golfnet.server.lobby import Lobby

NAMED: Final = 6
"""Players who are named; more are counted."""

TABLES: Final = 3
"""Tables that are told of one by one; more are counted."""


def overview(lobby: "Lobby", separator: str = " | ") -> str:
    """Return who is here and what is played."""
    if lobby.is_paused:
        return "Play is paused: nothing can be saved. To see why: golfnet admin status"
    tables = [table for table in lobby.tables.values() if not table.is_closed]
    tables.sort(key=lambda table: table.state is TableState.FINISHED)
    parts = [_told(table) for table in tables[:TABLES]]
    if len(tables) > TABLES:
        more = len(tables) - TABLES
        parts.append(f"{more} more table{'' if more == 1 else 's'}")
    return separator.join([who_is_here(lobby), *parts])


def waited_for(lobby: "Lobby") -> str:
    """Return for whom a stop waits, in words."""
    players = players_here(lobby)
    strangers = len(lobby.sessions) - players
    number, thing = (players, "player") if players or not strangers else (strangers, "connection")
    return f"{number} {thing}{'' if number == 1 else 's'}"


def players_here(lobby: "Lobby") -> int:
    """Return how many are connected who have given a name."""
    return sum(1 for _ in _names(lobby))


def open_tables(lobby: "Lobby") -> int:
    """Return how many tables anybody may still sit down at."""
    return sum(
        table.state is TableState.OPEN
        and not table.seating.is_full
        and not table.is_private
        and not table.is_closed
        for table in lobby.tables.values()
    )


def who_is_here(lobby: "Lobby") -> str:
    """Return who is connected: the first few by name, the others by number."""
    players = players_here(lobby)
    if not players and lobby.links is not None and (relayed := len(lobby.links.relays)):
        return f"{relayed} player{'' if relayed == 1 else 's'} of other nodes connected here"
    if not players:
        return "Nobody has given a name yet" if len(lobby.sessions) else "Nobody is here yet"
    names = ", ".join(islice(_names(lobby), NAMED))
    others = f" and {players - NAMED} more" if players > NAMED else ""
    return f"{players} here: {names}{others}"


def _names(lobby: "Lobby") -> Iterator[str]:
    for session in lobby.sessions:
        if session.player is not None:
            yield clean_text(session.player.name)


def _told(table: "TableContext") -> str:
    """Return what is played at a table, and how far it is."""
    what = f"{table.id} {table.rules.name}"
    match table.state:
        case TableState.OPEN:
            return f"{what}, {len(table.seating)} of {len(table.seating.chairs)} seats taken"
        case TableState.FINISHED:
            return f"{what}, finished"
        case TableState.PLAYING | TableState.BETWEEN:
            number = len(table.match.scores) + table.match.is_playing or 1
            return f"{what}, hole {number}{f' of {table.rules.holes}' if table.rules.holes else ''}"
