"""The fence: which servers a database belongs to, and how one that does not answer any more is declared gone.

Each server process has a row in ``node``, whose number is never given twice. Every batch that it commits counts up
``batch`` in that row, so that a row which stands still belongs to a server that has ended, hangs, or cannot reach the
database. Such a one may be declared gone, after which none of its writes can succeed, whatever its clock says. Time
decides only when that may be done, and nothing is wrong if it was too early: the other server stops.

A node of several also holds a lock as long as any of its connections lives that do so. The kernel ends the connections
of a process that is killed, so that others see at once that nobody holds its lock any more.
"""

from __future__ import annotations

import os
import socket
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import golfnet
from golfnet.storage.directory import ClusterLook, NodeState
from golfnet.storage.postgres.connections import used_by_another
from golfnet.storage.postgres.migrations import STARTING
from golfnet.storage.postgres.reads import PostgresReads
from golfnet.storage.store import LoggedEvent, TableLog, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from golfnet.storage.postgres.connections import LimitedConnection

LEASE_SECONDS: Final = 3.0
"""How long a server's row has to stand still before it may be declared gone; an idle one commits every second."""

LOOKS: Final = 8
"""How often the rows are looked at in that time."""

ROWS_KEPT: Final = "7 days"
"""How long the rows of servers that have gone are kept, for people to read."""


def become_owner(
    connection: LimitedConnection, place: str, lease: float, notify: Callable[[str], None], link: str = ""
) -> int:
    """Become a server of a database; return the number of the new row.

    ``link`` is where other servers reach this one, which takes tables when it runs. Without it this is to be the only
    one, and the owner of all tables that have none. Where servers are left that have not said that they stopped, and
    may not serve beside this one, watch them for a lease and then declare them gone; ``notify`` is told why that takes
    a while. Raise ``StoreError`` if one is alive, and ``psycopg.Error``.
    """
    while True:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (STARTING,))
            others = [other for other in living(connection) if not (link and other.link)]
            if not others:
                return _register(connection, link, lease)
        notify(
            f"The last server of this database ({others[0].name}) did not say that it stopped; waiting {lease:g} "
            "seconds to see whether it still runs."
        )
        for alive in _watch(connection, others, lease):
            raise used_by_another(place, alive.name)
        for other in others:
            declare_gone(connection, other)


def shut_out_silent(connection: LimitedConnection, lease: float) -> list[str]:
    """Declare gone those of several servers that commit nothing for a lease; return their names."""
    others = [other for other in living(connection) if other.link]
    alive = [*_watch(connection, others, lease)]
    return [other.name for other in others if other not in alive and declare_gone(connection, other)]


def living(connection: LimitedConnection) -> list[NodeState]:
    """Return the servers that have not gone."""
    return [NodeState(*row) for row in connection.execute(_LIVING)]


def hold(connection: LimitedConnection, node: int) -> None:
    """Hold the lock of this server as long as a connection lives; several may do so."""
    connection.execute(f"SELECT pg_advisory_lock_shared({_LOCK})".encode(), (node,))


def declare_gone(connection: LimitedConnection, seen: NodeState, *, is_lost: bool = False) -> bool:
    """Declare a server gone that has committed nothing since it was seen; return whether it had not.

    One that ``is_lost`` must have no connection that holds its lock. Of any other the connection is ended first: a
    server that was stopped within a transaction holds the lock of its row. It is let alone while the database works on
    a write of it, and does not wait for the server itself.
    """
    condition, values = "id = %s AND batch = %s AND NOT gone", [seen.node, seen.batch]
    if is_lost:
        condition, values = f"{condition} AND pg_try_advisory_xact_lock({_LOCK})", [*values, seen.node]
    elif _end_writer(connection, seen.node):
        return False
    declared = connection.execute(f"UPDATE node SET gone = true WHERE {condition}".encode(), values)
    return declared.rowcount == 1


def _end_writer(connection: LimitedConnection, node: int) -> bool:
    """End the writing connection of a server; return whether the database works on a write of it, and leave it then."""
    writers = connection.execute(
        "SELECT pid, state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s",
        (connection_name(connection, node),),
    ).fetchall()
    is_busy = any(is_busy for _, is_busy in writers)
    if not is_busy:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", ([pid for pid, _ in writers],)
        )
    return is_busy


def leave(connection: LimitedConnection, node: int) -> None:
    """Declare this server itself gone, which has stopped, so that the next one need not wait."""
    connection.execute("UPDATE node SET gone = true, stopped = true WHERE id = %s AND NOT gone", (node,))


def connection_name(connection: LimitedConnection, node: int) -> str:
    """Return the name of a server's writing connection in ``pg_stat_activity``."""
    row = connection.execute(
        "SELECT left('golfnet:' || %s || '@' || current_schema(), 63)", (node,)
    ).fetchone()
    return str(row[0]) if row is not None else ""


def _build() -> str:
    """Return a digest of the program: two commits of one version differ, too."""
    package = Path(golfnet.__file__).parent
    digest = sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".sql", ".toml", ".txt"):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:7]


def _register(connection: LimitedConnection, link: str, lease: float) -> int:
    """Add a row for this server, give it the tables without an owner if it is alone, and forget what is over."""
    row = connection.execute(
        "INSERT INTO node (name, link, version, lease) VALUES (%s, %s, %s, %s) RETURNING id",
        (
            f"process {os.getpid()} on {socket.gethostname()}",
            link,
            f"{golfnet.__version__}+{_build()}",
            lease,
        ),
    ).fetchone()
    node = int(row[0]) if row is not None else 0
    if not link:
        connection.execute(
            "UPDATE live SET owner = %s WHERE owner IS NULL OR owner IN (SELECT id FROM node WHERE gone)",
            (node,),
        )
    connection.execute(
        "DELETE FROM stay USING node WHERE node.id = stay.node AND gone"
        " AND NOT EXISTS (SELECT FROM seat WHERE seat.player = stay.player)"
    )
    connection.execute(
        "DELETE FROM offer USING node WHERE node.id = offer.node AND gone"
        " AND NOT EXISTS (SELECT 1 FROM live WHERE live.number = offer.number)"
    )
    connection.execute(
        "DELETE FROM node WHERE gone AND seen < now() - %s::interval"
        " AND NOT EXISTS (SELECT 1 FROM stay WHERE stay.node = node.id)"
        " AND NOT EXISTS (SELECT 1 FROM live WHERE live.owner = node.id)",
        (ROWS_KEPT,),
    )
    return node


def _watch(connection: LimitedConnection, others: Sequence[NodeState], lease: float) -> Iterator[NodeState]:
    """Watch servers for a lease, and yield each as soon as it shows that it is alive; forget those that stop.

    One that is alive commits every second and is waited for no longer. A database that answers late tells nothing
    about them: then the lease begins anew.
    """
    silent = {other.node: other for other in others}
    end = monotonic() + lease
    while silent and monotonic() < end:
        sleep(lease / LOOKS)
        asked = monotonic()
        batches = {other.node: other.batch for other in living(connection)}
        for node, seen in list(silent.items()):
            if batches.get(node) != seen.batch:
                del silent[node]
                if node in batches:
                    yield seen
        if monotonic() - asked > lease / 4:
            end = monotonic() + lease


class PostgresOwnership(PostgresReads):
    """Owners as the node with a number sees them; it has connections of its own."""

    def __init__(self, url: str, node: int) -> None:
        super().__init__(url)
        self.node = node

    def look(self) -> ClusterLook:
        """Return what there is to be seen of nodes and tables."""

        def look(connection: LimitedConnection) -> ClusterLook:
            rows = connection.execute(_LOOK, {"node": self.node}).fetchall()
            nodes = tuple([NodeState(*row) for *row, _ in rows])
            return ClusterLook(nodes, any(row[-1] for row in rows), connection.info.backend_pid)

        return self._use(look)

    def declare_gone(self, seen: NodeState, *, is_lost: bool = False) -> bool:
        """Declare a node gone that has committed nothing since it was seen; return whether it had not."""
        return self._use(lambda connection: declare_gone(connection, seen, is_lost=is_lost))

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
                    TableLog(
                        f"t{number}", row, tuple(events[number]), is_unrestored=True, was_given=was_given
                    )
                    for number, row, was_given in sorted(taken)
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
"""What waits for a node: what was given to it, and what nobody has, unless the node drains.

``moving`` is only a mark: while it is not null, the owner has yet to say that it has restored the table. It is empty
where the node before has died.
"""

_LOCK: Final = "hashtext('golfnet node of ' || current_schema()), %s::int"

_LIVING: Final = b"SELECT id, batch, name, link FROM node WHERE NOT gone ORDER BY id"

_LOOK: Final = f"""
    SELECT id, batch, name, link, NOT pg_try_advisory_xact_lock({_LOCK.replace("%s", "id")}),
        (SELECT EXISTS (SELECT FROM live WHERE {_WAITS}))
    FROM node WHERE NOT gone ORDER BY id
""".encode()
"""Look at the nodes, and whether a table waits for one. Whose lock can be had holds it with no connection; to read
that in a list of all locks or connections would cost more with each."""

_TAKE: Final = f"""
    WITH waiting AS (
        SELECT number, coalesce(moving, '') AS moving FROM live
        WHERE {_WAITS} AND number <> ALL(%(known)s::bigint[])
        ORDER BY number LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE live SET owner = node.id, moving = waiting.moving FROM waiting, node
        WHERE live.number = waiting.number AND node.id = %(node)s AND NOT node.gone
        RETURNING live.number, live.row, live.moving <> '' AS was_given
    )
    SELECT * FROM taken
""".encode()
"""Take tables; what another node takes at the same time is left to it, and one that is gone takes nothing."""
