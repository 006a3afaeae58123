"""All nodes of one database at one moment, as the database itself knows them: for people who look after them.

Ages are seconds by the clock of the database, the same for all nodes.
"""

from msgspec import Struct


class NodeReport(Struct, frozen=True, kw_only=True):
    """One node that has not gone.

    ``silent`` is how long ago it has written last, ``lease`` how long that may be before others may declare it gone,
    ``up`` how long it serves, None where that is not known. ``link`` is empty for a server that is alone. ``connected``
    and ``seated`` are players who stay there; ``tables`` has none that were set aside.
    """

    node: int
    name: str
    link: str
    version: str
    up: float | None
    silent: float
    lease: float
    is_draining: bool
    tables: int
    connected: int
    seated: int


class EndedNode(Struct, frozen=True, kw_only=True):
    """One node that has ended, so many seconds ``ago``; ``has_stopped`` is whether it has said so itself."""

    node: int
    name: str
    ago: float
    has_stopped: bool


class ClusterReport(Struct, frozen=True, kw_only=True):
    """All of it: who serves, who has ended in the last day (latest first, a few), and sums.

    ``unowned`` are tables whose node has gone, at which ``waiting`` players have seats; ``aside`` are those set aside
    after a fault. ``at`` is the time of the database in Unix seconds.
    """

    at: float
    nodes: tuple[NodeReport, ...]
    ended: tuple[EndedNode, ...]
    unowned: int
    waiting: int
    aside: int
    bans: int
    mutes: int
