"""Takes tables: those of nodes that are gone, and those given to this node by others.

Invariants: a table that this node owns in the database is restored here once, even if the database's answer was lost;
other work gets its turn after every few tables.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.server.lookups import carried_out
from golfnet.server.tables import match_in, players_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.storage.directory import SharedDirectory
    from golfnet.storage.store import TableLog
    from golfnet.storage.writes import PlayerRow

AT_ONCE: Final = 60
"""Tables taken in one transaction: few enough that other nodes get their share."""

RESTORED_AT_ONCE: Final = 10
"""Tables restored before other work gets its turn: a few milliseconds."""


class _Taken(NamedTuple):
    """A few tables, with the data needed to restore them."""

    logs: tuple[TableLog, ...]
    players: Mapping[str, PlayerRow]
    stored: frozenset[str]
    """Matches at these tables whose results are stored."""
    stays: Mapping[str, int]
    """The stay numbers of players who are on this node from now on."""


class Taking:
    """How one node takes tables."""

    def __init__(self, lobby: Lobby, directory: SharedDirectory) -> None:
        self._lobby = lobby
        self._directory = directory
        self._turn = trio.Lock()
        """One take at a time: otherwise the same table would be restored twice."""
        self._unsettled: set[str] = set()
        """Tables that have been restored, and perhaps closed again, before the database shows either."""

    async def take_all(self) -> int:
        """Take all available tables; return their number. Raises ``Refused``."""
        count = 0
        async with self._turn:
            while True:
                known = self._unsettled.union(self._lobby.tables)
                taken = await carried_out(self._lobby.nodes.asked(partial(self._read, known)))
                if not taken.logs:
                    return count
                for first in range(0, len(taken.logs), RESTORED_AT_ONCE):
                    count += self._restore(taken, taken.logs[first : first + RESTORED_AT_ONCE])
                    await trio.lowlevel.checkpoint()

    async def fetch(self, table: str) -> None:
        """Restore a table here if it belongs to this node, after any take in progress.

        Raises ``Refused`` if that cannot be determined: an arriving player would have no seat.
        """
        if table and table not in self._lobby.tables:
            await self.take_all()
        elif self._turn.locked():
            async with self._turn:
                pass

    def _read(self, known: Collection[str]) -> _Taken:
        """Take a few tables, and read their stored data: a query."""
        store, directory = self._lobby.store, self._directory
        logs = directory.take_tables(AT_ONCE, known)
        ids = {player for taken in logs for player in players_in(taken)}
        matches = {match_in(taken) for taken in logs}
        kept = directory.keep(ids) if ids else {}
        return _Taken(logs, store.players(ids), store.stored_matches(matches), kept)

    def _restore(self, taken: _Taken, logs: Collection[TableLog]) -> int:
        """Restore some of the tables, and reconnect those of their players who are already here."""
        lobby, ids = self._lobby, {player for logged in logs for player in players_in(logged)}

        def find(player: str) -> Player | None:
            found = lobby.accounts.of_row(player, taken.players.get(player))
            # A player with a seat here arrived before the seat at that table was known.
            return None if found is None or found.table is not None else found

        tables = [lobby.tables.take(logged, find, taken.stored.__contains__) for logged in logs]
        for player in [one for one in lobby.accounts if one.id in ids]:
            if player.table in tables:
                lobby.settle_in(player, taken.stays.get(player.id))
            else:
                lobby.accounts.depart(player)  # unless the player is here for something else
        lobby.counters.tables_taken += sum(not logged.was_given for logged in logs)
        taken_here = {logged.table for logged in logs}
        self._unsettled |= taken_here
        lobby.gate.once_shown(lobby.gate.issued, partial(self._unsettled.difference_update, taken_here))
        return sum(table is not None for table in tables)
