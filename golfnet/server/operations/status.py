"""The state of a server at one moment, in plain numbers; collected in the trio thread, readable from any thread."""

import logging
from typing import Final

import trio
from msgspec import Struct

from golfnet import __version__
from golfnet.engine import legality
from golfnet.engine.forms import listed
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.text.typeset import display_width
from golfnet.protocol.text.words import counted
from golfnet.server.faults import fault_boundary
from golfnet.server.lobby import Lobby
from golfnet.server.table.table import Table
from golfnet.storage.faults import StoreError, StoreReason


class Status(Struct, frozen=True, kw_only=True):
    """A snapshot of a server.

    ``not_ready`` says why it should get no new players (empty if it may get some), ``pause_reason`` why nothing can
    be stored, and ``damage`` what is wrong with the database; the last two have paths and advice for the operator.
    ``inspected_at`` is when the last inspection found no damage, in Unix seconds.
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


def status_of(lobby: Lobby) -> Status:
    """Return a server's status."""
    tables = lobby.tables.values()
    return Status(
        version=__version__,
        connections=len(lobby.sessions),
        players=players_here(lobby),
        tables={state.value: sum(table.state is state for table in tables) for state in TableState},
        watchers=sum(len(table.watchers) for table in tables),
        journal_waiting=lobby.gate.issued - lobby.gate.durable,
        matches_finished=lobby.counters.matches_finished,
        commands=sum(sum(buckets.counts) for buckets in lobby.counters.latency.values()),
        not_ready=_not_ready(lobby),
        pause_reason=lobby.pause_reason,
        damage=lobby.damage,
        inspected_at=lobby.inspected_at,
    )


def _not_ready(lobby: Lobby) -> str:
    if lobby.is_stopping or lobby.is_draining:
        return "the server is about to stop"
    return "nothing can be saved, and play is paused" if lobby.gate.is_stuck else ""


NAMED: Final = 6
"""Maximum number of players listed by name; the rest are counted."""

TABLES: Final = 8
"""Maximum number of tables listed, if they fit; the rest are counted."""

_AWAITED: Final = 2
"""How many of the players that a table is waiting for are named; the rest are counted."""

Standing = dict[str, tuple[int, float]]
"""The number of the last move at each table, and the time at which it was first seen, on trio's clock."""


def note_moves(lobby: Lobby, standing: Standing) -> Standing:
    """Return each table's last move and when it was first seen.

    Calling this every second is cheaper than recording the time of every move.
    """
    now = trio.current_time()
    noted: Standing = {}
    for table in lobby.tables.values():
        last = table.hole_seq if table.is_running else table.seq
        before = standing.get(table.id)
        noted[table.id] = (last, now) if before is None or before[0] != last else before
    return noted


def overview(lobby: Lobby, standing: Standing, width: int, separator: str = " | ") -> str:
    """Return the status line: who is here, and for whom and how long each table has been waiting.

    If the line would be longer than ``width``, first the players' names are left out, then details of the tables, and
    then some of the tables.
    """
    if lobby.gate.is_stuck:
        return "Play is paused: nothing can be saved. To see why: golfnet admin status"
    open_ones = [table for table in lobby.tables.values() if not table.is_closed]
    open_ones.sort(key=lambda table: table.state is TableState.FINISHED)
    tables = [_described(table, standing) for table in open_ones[:TABLES]]
    line, (by_name, in_short) = "", who_is_here(lobby, separator)
    for shown in range(len(tables), -1, -1):
        more = len(open_ones) - shown
        rest = [counted(more, "more table" if shown else "table")] if more else []
        long, short = zip(*tables[:shown], strict=True) if shown else ((), ())
        ways = [(long, by_name), (long, in_short), (short, by_name), (short, in_short)]
        for told, here in [*ways, (short, "")] if shown == 1 else ways:
            line = separator.join([each for each in (here, *told, *rest) if each])
            if display_width(line) <= width:
                return line
    return line


def waited_for(lobby: Lobby) -> str:
    """Return a text that says for whom a stopping server is waiting."""
    players = players_here(lobby)
    strangers = len(lobby.sessions) - players
    return counted(strangers, "connection") if strangers and not players else counted(players, "player")


def players_here(lobby: Lobby) -> int:
    """Return the number of connected players who have logged in."""
    return sum(session.player is not None for session in lobby.sessions)


def open_tables(lobby: Lobby) -> int:
    """Return the number of tables with a free seat."""
    return sum(
        table.state is TableState.OPEN
        and not table.seating.is_full
        and not table.is_private
        and not table.is_closed
        for table in lobby.tables.values()
    )


def who_is_here(lobby: Lobby, separator: str) -> tuple[str, str]:
    """Return who is connected, in two forms: with the first few names, and with numbers only."""
    players = [session.player for session in lobby.sessions if session.player is not None]
    strangers = len(lobby.sessions) - len(players)
    if not players and lobby.links is not None and (relayed := len(lobby.links.relays)):
        here = f"{counted(relayed, 'player')} connected here, playing on other nodes"
        return here, here
    if not players:
        here = f"{strangers} connected, without a name yet" if strangers else "Nobody is here yet"
        return here, here
    unnamed = f"{separator}{strangers} without a name yet" if strangers else ""
    in_short = f", {strangers} unnamed" if strangers else ""
    names = ", ".join(clean_text(player.name) for player in players[:NAMED])
    others = f" and {len(players) - NAMED} more" if len(players) > NAMED else ""
    return f"{len(players)} here: {names}{others}{unnamed}", f"{len(players)} here{in_short}"


def _described(table: Table, standing: Standing) -> tuple[str, str]:
    """Return a long and a short text: a table's game and progress, and for whom and how long it has been waiting."""
    match table.state:
        case TableState.FINISHED:
            progress = short = "finished"
        case TableState.OPEN:
            progress = short = f"{len(table.seating)} of {len(table.seating.chairs)} seats taken"
        case _:
            short = f"hole {len(table.match.scores) + table.match.is_playing or 1}"
            progress = f"{short} of {table.rules.holes}" if table.rules.holes else short
    what, wait = f"{table.id} {table.rules.name}, {progress}", ""
    begins_ms = table.starting.ms if table.state is TableState.OPEN else None
    if begins_ms is not None:
        wait = f"begins in {_span(begins_ms / 1000)}"
    elif table.state is not TableState.FINISHED and (awaited := _awaited(table)):
        _, since = standing.get(table.id, (0, trio.current_time()))
        wait = f"waiting for {awaited}, {_span(trio.current_time() - since)}"
    return (f"{what}: {wait}", f"{table.id} {wait}") if wait else (what, f"{table.id} {short}")


def _awaited(table: Table) -> str:
    """Return the first few names that a table is waiting for; empty if there are none."""
    chairs, hole = table.seating, table.hole
    if hole is not None:
        awaited = [chair for seat in legality.awaited(hole) if (chair := chairs.at(seat)) is not None]
    elif len(chairs) < table.rules.seats.low:
        return "players"
    else:
        is_open = table.state is TableState.OPEN
        awaited = [
            chair
            for chair in chairs
            if (is_open and not chair.present) or (chair.is_waited_for and not chair.ready)
        ]
        if is_open and not awaited and table.host is not None:
            return f"{clean_text(table.host.name)} to start"
    names = [
        f"{clean_text(chair.player_name)}{'' if chair.present else ' (away)'}" for chair in awaited[:_AWAITED]
    ]
    more = len(awaited) - len(names)
    return listed([*names, *([f"{more} more"] if more else [])]) if names else ""


def _span(seconds: float) -> str:
    """Return a time in short form: ``95 s``, ``12 min``, ``3 h``."""
    whole = int(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"


INSPECT_SECONDS: Final = 3600.0
"""Seconds between inspections; opening the database is the first one. A gigabyte takes half a minute."""

_SIGNS: Final = (StoreReason.DAMAGED, StoreReason.FAULTY)
"""Errors that mean damage. Other errors, such as a missing file, also pause the tables, so nothing more is needed."""

log = logging.getLogger(__name__)


async def keep_inspecting(lobby: Lobby) -> None:
    """Inspect the database every hour until cancelled, and note the result in the lobby. Play continues regardless."""
    while True:
        await trio.sleep(INSPECT_SECONDS)
        with fault_boundary(log, "could not inspect the database"):
            try:
                await trio.to_thread.run_sync(lobby.store.inspect, abandon_on_cancel=True)
            except StoreError as problem:
                if problem.reason in _SIGNS:
                    lobby.damage = problem.sentence
                log.error("inspection of the database: %s", problem.sentence)
            else:
                lobby.damage = ""
                lobby.inspected_at = lobby.wall_clock()
