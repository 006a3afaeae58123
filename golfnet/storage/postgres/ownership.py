"""Owners in PostgreSQL: which nodes live, and tables that go from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.storage.ownership import ClusterLook
from golfnet.storage.postgres import fence
from golfnet.storage.postgres.reads import READ_SECONDS, PostgresReads
from golfnet.storage.store import LoggedEvent, TableLog, number_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.storage.ownership import NodeState
    from golfnet.storage.postgres.connections import LimitedConnection


class PostgresOwnership(PostgresReads):
    """Owners as the node with a number sees them; it has connections of its own."""

    def __init__(self, url: str, node: int) -> None:
        super().__init__(url, READ_SECONDS)
        self.node = node

    def look(self) -> ClusterLook:
        """Return what there is to be seen of nodes and tables."""

        def look(connection: LimitedConnection) -> ClusterLook:
            nodes = fence.living(connection)
            waiting = connection.execute(_ARE_WAITING, {"node": self.node}).fetchone()
            return ClusterLook(tuple(nodes), waiting == (True,))

        return self._use(look)

    def declare_gone(self, seen: NodeState) -> bool:
        """Declare a node gone that has committed nothing since it was seen; return whether it had not."""
        return self._use(lambda connection: fence.declare_gone(connection, seen))

    def take_tables(self, limit: int, known: Collection[str]) -> tuple[TableLog, ...]:
        """Take tables that belong to nobody; return them, and those that wait for this node, oldest first."""
        values = {"node": self.node, "limit": limit, "known": [number_of("t", table) for table in known]}

        def take(connection: LimitedConnection) -> tuple[TableLog, ...]:
            with connection.transaction():
                taken = connection.execute(_TAKE, values).fetchall()
                events: dict[int, list[LoggedEvent]] = {number: [] for number, _, _ in taken}
                logged = connection.execute(
                    "SELECT live, seq, body FROM event WHERE live = ANY(%s) ORDER BY live, seq",
                    (list(events),),
                )
                for number, seq, body in logged:
                    events[number].append(LoggedEvent(seq, body))
            return tuple(
                [
                    TableLog(f"t{number}", row, tuple(events[number]), moving)
                    for number, row, moving in sorted(taken)
                ]
            )

        return self._use(take)

    def drain(self) -> None:
        """Let the other nodes give this one nothing any more."""
        self._use(
            lambda connection: connection.execute(
                "UPDATE node SET draining = true WHERE id = %s", (self.node,)
            )
        )

    def heirs(self) -> tuple[tuple[int, int], ...]:
        """Return the other nodes that take tables, each with how many it has, the fewest first."""
        rows = self._all(
            "SELECT id, (SELECT count(*) FROM live WHERE owner = id AND aside IS NULL) AS tables FROM node"
            " WHERE NOT gone AND NOT draining AND link <> '' AND id <> ? ORDER BY tables, id",
            self.node,
        )
        return tuple([(node, tables) for node, tables in rows])


_WAITS: Final = """
    aside IS NULL AND (
        (owner = %(node)s AND moving IS NOT NULL)
        OR ((owner IS NULL OR owner = ANY(ARRAY(SELECT id FROM node WHERE gone)))
            AND EXISTS (SELECT FROM node WHERE id = %(node)s AND NOT draining))
    )
"""
"""What waits for a node: what was given to it, and what nobody has, unless the node drains."""

_ARE_WAITING: Final = f"SELECT EXISTS (SELECT FROM live WHERE {_WAITS})".encode()

_TAKE: Final = f"""
    WITH waiting AS (
        SELECT number, coalesce(moving, '') AS moving FROM live
        WHERE {_WAITS} AND number <> ALL(%(known)s::bigint[])
        ORDER BY number LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE live SET owner = node.id, moving = waiting.moving FROM waiting, node
        WHERE live.number = waiting.number AND node.id = %(node)s AND NOT node.gone
        RETURNING live.number, live.row, live.moving
    )
    SELECT * FROM taken
""".encode()
"""Take tables; what another node takes at the same time is left to it, and one that is gone takes nothing."""
