"""Read what the database knows of all nodes, as of one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.storage.cluster_report import ClusterReport, EndedNode, NodeReport

if TYPE_CHECKING:
    from golfnet.storage.postgres.connections import LimitedConnection

ENDED: Final = 5
"""How many nodes are told of that have ended in the last day: the latest say most."""


def read_report(connection: LimitedConnection) -> ClusterReport:
    """Return the report. Raise ``psycopg.Error``."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        nodes = connection.execute(_NODES).fetchall()
        ended = connection.execute(_ENDED, (ENDED,)).fetchall()
        ((at, unowned, waiting, aside, bans, mutes),) = connection.execute(_SUMS).fetchall()
    return ClusterReport(
        at=float(at),
        nodes=tuple([_node(*row) for row in nodes]),
        ended=tuple(
            [
                EndedNode(node=node, name=name, ago=float(ago), has_stopped=stopped)
                for node, name, ago, stopped in ended
            ]
        ),
        unowned=unowned,
        waiting=waiting,
        aside=aside,
        bans=bans,
        mutes=mutes,
    )


def _node(
    node: int,
    name: str,
    link: str,
    version: str,
    up: float | None,
    silent: float,
    lease: float,
    draining: bool,
    tables: int,
    connected: int,
    seated: int,
) -> NodeReport:
    return NodeReport(
        node=node,
        name=name,
        link=link,
        version=version,
        up=None if up is None else float(up),
        silent=max(0.0, float(silent)),
        lease=lease,
        is_draining=draining,
        tables=tables,
        connected=connected,
        seated=seated,
    )


_NODES: Final = """
    SELECT id, name, link, version, extract(epoch FROM now() - began), extract(epoch FROM now() - seen), lease,
        draining,
        (SELECT count(*) FROM live WHERE owner = node.id AND aside IS NULL),
        (SELECT count(*) FROM stay WHERE stay.node = node.id AND connected),
        (SELECT count(*) FROM seat JOIN live ON live.number = seat.live WHERE owner = node.id)
    FROM node WHERE NOT gone ORDER BY id
"""

_ENDED: Final = """
    SELECT id, name, extract(epoch FROM now() - seen), stopped
    FROM node WHERE gone AND began IS NOT NULL AND seen > now() - interval '1 day' ORDER BY seen DESC, id DESC LIMIT %s
"""
"""Of a node without a beginning it is not known either how it has ended: it is older than both columns."""

_SUMS: Final = """
    WITH unowned AS (
        SELECT number FROM live LEFT JOIN node ON node.id = owner
        WHERE aside IS NULL AND (owner IS NULL OR node.gone)
    )
    SELECT extract(epoch FROM now()), (SELECT count(*) FROM unowned),
        (SELECT count(*) FROM seat JOIN unowned ON unowned.number = seat.live),
        (SELECT count(*) FROM live WHERE aside IS NOT NULL),
        count(*) FILTER (WHERE kind = 'ban'), count(*) FILTER (WHERE kind = 'mute')
    FROM sanction
"""
