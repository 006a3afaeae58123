"""How a server is doing at one moment, in plain numbers; taken in the trio thread, read anywhere."""

import logging
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet import __version__
from golfnet.protocol.clean import clean_text
from golfnet.protocol.replies.presence import TableState
from golfnet.storage.faults import StoreError, StoreReason

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby
    from golfnet.server.table.context import TableContext


class Status(Struct, frozen=True, kw_only=True):
    """One look at a server.

    ``not_ready`` says why it should get no new players, empty where it should; ``pause_reason`` why nothing can be
    recorded, and ``damage`` what is wrong with the database, both with paths and advice for the operator.
    ``inspected_at`` is when the last look for damage found none, in Unix seconds.
    """

    version: str
    connections: int
    players: int
    tables: dict[str, int]
    watchers: int
    journal_waiting: int
    matches_finished: int
    commands: int
    not_ready: str
    pause_reason: str
    damage: str
    inspected_at: float | None


def status_of(lobby: "Lobby") -> Status:
    """Look at a server."""
    tables = dict.fromkeys((state.value for state in TableState), 0)
    watchers = 0
    for table in lobby.tables.values():
        tables[table.state.value] += 1
        watchers += len(table.watchers)
    return Status(
        version=__version__,
        connections=len(lobby.sessions),
        players=sum(session.player is not None for session in lobby.sessions),
        tables=tables,
        watchers=watchers,
        journal_waiting=lobby.gate.issued - lobby.gate.durable,
        matches_finished=lobby.counters.matches_finished,
        commands=sum(sum(buckets.counts) for buckets in lobby.counters.latency.values()),
        not_ready=_not_ready(lobby),
        pause_reason=lobby.pause_reason,
        damage=lobby.damage,
        inspected_at=lobby.inspected_at,
    )


def _not_ready(lobby: "Lobby") -> str:
    if lobby.is_stopping or lobby.is_draining:
        return "the server is about to stop"
    return "nothing can be saved, and play is paused" if lobby.is_paused else ""


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


INSPECT_SECONDS: Final = 3600.0
"""From the end of one look to the next; opening the database was the first. A gigabyte takes half a minute."""

_SIGNS: Final = (StoreReason.DAMAGED, StoreReason.FAULTY)
"""What tells of damage; a file that is not in its place pauses the tables by other ways."""

log = logging.getLogger(__name__)


async def keep_inspecting(lobby: "Lobby") -> None:
    """Look every hour until cancelled, and note in the lobby what was found. Play goes on whatever it is."""
    while True:
        await trio.sleep(INSPECT_SECONDS)
        try:
            await trio.to_thread.run_sync(lobby.store.inspect, abandon_on_cancel=True)
        except StoreError as problem:
            if problem.reason in _SIGNS:
                lobby.damage = problem.sentence
            log.error("a look for damage in the database: %s", problem.sentence)
        else:
            lobby.damage = ""
            lobby.inspected_at = lobby.wall_clock()
