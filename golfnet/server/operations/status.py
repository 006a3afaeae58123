"""How a server is doing at one moment, in plain numbers; taken in the trio thread, read anywhere."""

from typing import TYPE_CHECKING

from msgspec import Struct

from golfnet import __version__
from golfnet.protocol.replies.vocabulary import TableState

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby


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
