"""What nodes ask the directory, and report to it: records of players, tables, sanctions and nodes.

The directory is what the nodes of one server share through their database, apart from the journal; see
``postgres.directory``. A node is one process of the server. A player or a table is on one node at a time, and requests
about it go to that node. Data for lists and for finding tables may be a second old.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from golfnet.storage.writes import PlayerKind


class NodeState(Struct, frozen=True):
    """A node that has not been declared gone, as last seen: its number, its last batch, and its name and link."""

    node: int
    batch: int
    name: str
    link: str
    is_connected: bool = False
    """Whether a connection holds the node's lock; nodes that run earlier versions have no lock."""


class ClusterLook(Struct, frozen=True):
    """All nodes not declared gone, and whether a table is waiting for this node to restore it, or has no owner.

    ``connection`` identifies the connection used: as long as it is the same, the database has not restarted.
    """

    nodes: tuple[NodeState, ...]
    are_tables_waiting: bool
    connection: int = 0


class Stay(Struct, frozen=True):
    """A player's stay on a node: the number of the stay, the node, and the table where the player has a seat."""

    number: int
    node: int
    table: str | None = None


class TableOffer(Struct, frozen=True, kw_only=True):
    """A table as other nodes see it: for lists, and for players who are looking for a table.

    ``fit`` is the name of its rule set while players looking for a table may sit down there, otherwise empty. ``terms``
    and ``row`` are JSON that only nodes read. A table that ``is_opening`` is about to be opened by a player who found
    no other.
    """

    table: str
    node: int
    fit: str
    terms: bytes
    row: bytes
    is_opening: bool = False


class Resident(Struct, frozen=True):
    """A player on a node, the table where they sit, or None, and whether they are connected to the node."""

    id: str
    name: str
    kind: PlayerKind
    node: int
    table: str | None
    is_connected: bool


ListedTable = tuple[int, bytes]
"""Another node's table in a list: the node, and the table's row, which is JSON that only nodes read."""


class SanctionKind(StrEnum):
    """What a sanction forbids."""

    BAN = "ban"
    MUTE = "mute"


class Sanction(Struct, frozen=True, kw_only=True):
    """A sanction: its target as typed, its reason, and when it was imposed (seconds since 1970)."""

    whom: str
    reason: str = ""
    since: float = 0.0


CHECKED_LATE: Final = 1.0
"""Seconds after the end of its lease until a node counts as silent: before that, a write may be on its way."""


class NodeReport(Struct, frozen=True, kw_only=True):
    """One node that has not been declared gone.

    ``silent`` is how many seconds ago it last wrote; once that exceeds ``lease``, others may declare it gone. ``up`` is
    how long it has been running, or None if unknown. ``link`` is empty for a single node, ``unreached`` are other nodes
    that do not answer its links, and ``version`` ends with a digest of the program. ``connected`` and ``seated`` count
    players who stay there; ``tables`` does not count those set aside.
    """

    node: int
    name: str
    link: str
    version: str
    up: float | None
    silent: float
    lease: float
    is_draining: bool
    unreached: tuple[int, ...] = ()
    tables: int
    connected: int
    seated: int

    @property
    def is_silent(self) -> bool:
        """Whether the node has written nothing for so long that other nodes no longer wait for it."""
        return self.silent > self.lease + CHECKED_LATE


class EndedNode(Struct, frozen=True, kw_only=True):
    """A node that is gone. Times are seconds ago; ``has_stopped`` means that it reported stopping."""

    node: int
    name: str
    began: float
    ago: float
    has_stopped: bool


class ClusterReport(Struct, frozen=True, kw_only=True):
    """The full report: the running nodes, a few that have gone in the last day (latest first), and totals.

    ``unowned`` are tables whose node is gone, at which ``waiting`` players have seats; ``aside`` are those set aside
    after a fault. ``at`` is the database's time, in seconds since 1970.
    """

    at: float
    nodes: tuple[NodeReport, ...]
    ended: tuple[EndedNode, ...]
    unowned: int
    waiting: int
    aside: int
    bans: int
    mutes: int
