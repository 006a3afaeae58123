"""Checks of ownership: what must hold when a table moves between nodes, or its node is declared gone.

Invariants: a new owner gets everything stored about a table, in the same state; nobody loses a seat in a move,
and no clock gets shorter; a node that was declared gone sends nothing about tables; no node is declared gone if it
has stored anything within a lease, or if no node could store; a player who moves with a table is not reported as
dropped.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import msgspec

from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.lobby import Lobby
from golfnet.server.net.hub import HubTransport
from golfnet.server.tables import Tables
from tests.simulation.insides import Standing, wrong_restoration
from tests.simulation.network import ServerSocket
from tests.simulation.wires import LinkSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table
    from golfnet.storage.store import TableLog
    from tests.simulation.cluster import ClusterWorld

_OF_TABLES: Final = (b'{"type":"event"', b'{"type":"view"', b'{"type":"prompt"')


class OwnersJudge:
    """Checks all moves of tables in one world."""

    def __init__(self, world: ClusterWorld) -> None:
        self._world = world
        self.stood: dict[str, Standing] = {}
        """The state of tables that are waiting for a new owner, if all of it was durable."""

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch every table that is handed over, and what is sent about tables."""
        give, take = Tables.give, Tables.take
        write, write_link, settle_in = HubTransport.write, LinkTransport.write, Lobby.settle_in
        judge = self

        def watched_give(tables: Tables, table: Table, node: int) -> int:
            # A node that was declared gone has no tables any more, and its write will be refused.
            if tables._lobby.nodes.number not in judge._world.engine.state.gone:
                judge.stood[table.id] = Standing.of(table)
            return give(tables, table, node)

        def watched_take(tables: Tables, logged: TableLog, *args: Any, **more: Any) -> Table | None:
            if problem := judge._world.ledger.wrong_log(logged):
                judge._world.fail(f"a new owner takes {problem}")
            table = take(tables, logged, *args, **more)
            if table is not None:
                judge._taken(table, logged)
            return table

        def watched_write(transport: HubTransport, data: bytes) -> None:
            sock: Any = transport._sock
            if isinstance(sock, ServerSocket) and not isinstance(sock, LinkSocket):
                server = sock.line.server
                if getattr(transport._peer, "relay", None) is None:
                    judge._told(getattr(server, "number", 0), data)
            write(transport, data)

        def watched_write_link(transport: LinkTransport, data: bytes) -> None:
            below: Any = transport._below
            judge._told(below._sock.line.node, data)
            write_link(transport, data)

        def watched_settle_in(lobby: Lobby, player: Player, stay: int | None) -> None:
            if stay is None:
                judge._world.fail(f"{player.name} logged in elsewhere without their seat")
            settle_in(lobby, player, stay)

        with (
            patch.object(Lobby, "settle_in", watched_settle_in),
            patch.object(Tables, "give", watched_give),
            patch.object(Tables, "take", watched_take),
            patch.object(HubTransport, "write", watched_write),
            patch.object(LinkTransport, "write", watched_write_link),
        ):
            yield

    def _taken(self, table: Table, logged: TableLog) -> None:
        """Check that a table is in the same state as before, and that nothing was lost."""
        if (seated := _seated_in(logged)) != set(table.seated):
            self._world.fail(f"table {table.id} is taken with seats of {table.seated}, but {seated} had them")
        self._world.check(wrong_restoration(table, self.stood.pop(table.id, None)))

    def _told(self, node: int, data: bytes) -> None:
        if node in self._world.engine.state.gone and data.startswith(_OF_TABLES):
            self._world.fail(f"node {node}, which was declared gone, sends {data[:200]!r}")


def _seated_in(logged: TableLog) -> set[str]:
    chairs = [chair for chair in msgspec.json.decode(logged.row)["chairs"] if chair is not None]
    owners = [chair.get(key) for chair in chairs for key in ("player", "kept_for")]
    return {owner for owner in owners if owner is not None}
