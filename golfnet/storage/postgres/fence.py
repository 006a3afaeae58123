"""The fence: which servers a database belongs to, and how a server that is no longer responding is declared gone.

Each server process has a row in ``node``, whose number is never assigned again. Every batch that it commits increments
``batch`` in that row, so a row that does not change belongs to a server that has stopped, is hanging, or cannot reach
the database. Such a server may be declared gone, after which none of its writes can succeed, whatever its clock says.
Time decides only when that may be done, and doing it too early breaks nothing: the server declared gone just stops.

In a cluster, each node also holds a lock, which is free once all connections that took it are closed. The kernel
closes the connections of a killed process, so others see at once that its lock is free.
"""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import psycopg

import golfnet
from golfnet.storage.directory import NodeState
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.connections import STARTING, LimitedConnection, connect, shown, store_error

LEASE_SECONDS: Final = 3.0
"""Seconds without a change in a server's row before it may be declared gone; an idle server commits every second."""


def become_owner(
    connection: LimitedConnection, place: str, lease: float, notify: Callable[[str], None], link: str = ""
) -> int:
    """Register as one of a database's servers; return the number of the new row.

    With a ``link``, the address where other servers reach this one, it takes tables only once it is running. Without a
    link, it must be the only server, and takes all tables without an owner at once. If there are servers that have not
    reported a stop and may not run alongside this one, watch them for a lease and then declare them gone; ``notify`` is
    called with the reason for the delay. Raise ``StoreError`` if one of them is alive, or ``psycopg.Error``.
    """
    while True:
        with connection.transaction():
            connection.run("SELECT pg_advisory_xact_lock(?)", STARTING)
            others = [other for other in _living(connection) if not (link and other.link)]
            if not others:
                return _register(connection, link, lease)
        notify(
            f"The last server of this database ({others[0].name}) did not report that it stopped; waiting {lease:g} "
            "seconds to see whether it is still running."
        )
        for alive in _watch(connection, others, lease):
            raise StoreError(
                StoreReason.UNUSABLE,
                f"Another server ({alive.name}) is using the database {place}. Stop it first, or give this one "
                "another database with --database; to run several servers on one database, start each with --cluster.",
            )
        for other in others:
            declare_gone(connection, other)


def shut_out_silent(url: str, lease: float) -> list[str]:
    """Declare gone those cluster nodes that commit nothing during a lease; return their names.

    Raise ``StoreError`` on failure.
    """
    try:
        with closing(connect(url)) as connection:
            if connection.run("SELECT to_regclass('node') IS NULL").fetchone() == (True,):
                return []  # a new database
            others = [other for other in _living(connection) if other.link]
            alive = [*_watch(connection, others, lease)]
            return [other.name for other in others if other not in alive and declare_gone(connection, other)]
    except psycopg.Error as error:
        raise store_error(shown(url), error) from error


def _living(connection: LimitedConnection) -> list[NodeState]:
    return [
        NodeState(*row)
        for row in connection.run("SELECT id, batch, name, link FROM node WHERE NOT gone ORDER BY id")
    ]


def hold(connection: LimitedConnection, node: int) -> None:
    """Hold this server's lock for as long as the connection is open; several connections may hold it."""
    connection.run(f"SELECT pg_advisory_lock_shared({LOCK})", node)


def declare_gone(connection: LimitedConnection, seen: NodeState, *, is_lost: bool = False) -> bool:
    """Declare a server gone if it has committed nothing since it was seen; return whether that was the case.

    If ``is_lost``, no connection may hold the server's lock. Otherwise its writing connection is closed first, since a
    server that is suspended within a transaction keeps its row locked; but nothing is done while the database is
    executing one of the server's writes rather than waiting for the server.
    """
    condition, values = "id = ? AND batch = ? AND NOT gone", [seen.node, seen.batch]
    if is_lost:
        condition, values = f"{condition} AND pg_try_advisory_xact_lock({LOCK})", [*values, seen.node]
    elif _end_writer(connection, seen.node):
        return False
    return connection.run(f"UPDATE node SET gone = true WHERE {condition}", *values).rowcount == 1


def _end_writer(connection: LimitedConnection, node: int) -> bool:
    """Close a server's writing connection. If a write is running on it, leave it open and return True."""
    writers = connection.run(
        "SELECT pid, state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = ?",
        connection_name(connection, node),
    ).fetchall()
    is_busy = any(is_busy for _, is_busy in writers)
    if not is_busy:
        connection.run(
            "SELECT pg_terminate_backend(pid) FROM unnest(?::int[]) AS pid", [pid for pid, _ in writers]
        )
    return is_busy


def leave(connection: LimitedConnection, node: int) -> None:
    """Declare this server itself gone once it has stopped, so that the next one need not wait."""
    connection.run("UPDATE node SET gone = true, stopped = true WHERE id = ? AND NOT gone", node)


def fenced(place: str) -> StoreError:
    """Return the error for a server that has been declared gone."""
    return StoreError(
        StoreReason.FENCED,
        f"Another server has taken over from this one, which had not written to the database {place} for a while. This "
        "one stops; nothing that its players were told is lost.",
    )


def connection_name(connection: LimitedConnection, node: int) -> str:
    """Return the name of a server's writing connection in ``pg_stat_activity``."""
    ((name,),) = connection.run("SELECT left('golfnet:' || ? || '@' || current_schema(), 63)", node)
    return str(name)


def _build() -> str:
    """Return a digest of the program, which differs even between two commits of one version."""
    package = Path(golfnet.__file__).parent
    digest = sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".sql", ".toml", ".txt"):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:7]


def _register(connection: LimitedConnection, link: str, lease: float) -> int:
    """Add a row for this server, give it the tables without an owner if it is alone, and delete old rows."""
    name, version = f"process {os.getpid()} on {socket.gethostname()}", f"{golfnet.__version__}+{_build()}"
    ((node,),) = connection.run(
        "INSERT INTO node (name, link, version, lease) VALUES (?, ?, ?, ?) RETURNING id",
        *(name, link, version, lease),
    )
    if not link:
        connection.run(
            "UPDATE live SET owner = ? WHERE owner IS NULL OR owner IN (SELECT id FROM node WHERE gone)", node
        )
    connection.run(
        "DELETE FROM stay USING node WHERE node.id = stay.node AND gone"
        " AND NOT EXISTS (SELECT FROM seat WHERE seat.player = stay.player)"
    )
    connection.run(
        "DELETE FROM offer USING node WHERE node.id = offer.node AND gone"
        " AND NOT EXISTS (SELECT 1 FROM live WHERE live.number = offer.number)"
    )
    connection.run(  # people may want to read these rows for a week
        "DELETE FROM node WHERE gone AND seen < now() - interval '7 days'"
        " AND NOT EXISTS (SELECT 1 FROM stay WHERE stay.node = node.id)"
        " AND NOT EXISTS (SELECT 1 FROM live WHERE live.owner = node.id)"
    )
    return int(node)


def _watch(connection: LimitedConnection, others: Sequence[NodeState], lease: float) -> Iterator[NodeState]:
    """Watch servers for a lease, and yield each one as soon as it shows that it is alive; forget those that stop.

    A server that is alive commits every second, and once it has, it is no longer watched. If the database answers late,
    nothing can be concluded about the others, and the lease starts again.
    """
    silent = {other.node: other for other in others}
    end = monotonic() + lease
    while silent and monotonic() < end:
        sleep(lease / 8)
        asked = monotonic()
        batches = {other.node: other.batch for other in _living(connection)}
        for node, seen in list(silent.items()):
            if batches.get(node) != seen.batch:
                del silent[node]
                if node in batches:
                    yield seen
        if monotonic() - asked > lease / 4:
            end = monotonic() + lease


LOCK: Final = "hashtext('golfnet node of ' || current_schema()), ?::int"
"""A node's lock, as arguments for the database's lock functions; ``?`` is its number."""
