"""The directory: what the nodes of one server share through their database, apart from the journal.

A node is one process of the server. A player or a table is on one node at a time, and requests about it go to that
node. The directory knows which node that is, so nobody has two seats and no name has two owners.

Invariants: no id is assigned twice; a name belongs to one player; a player stays on one node, under a number that
increases with every arrival, until that node ends the stay or is gone. So a node can decide about the players who
stay there, for example about a seat, without asking the others. Data for lists and for finding tables may be a second
old.

Like a store, a directory is a plain synchronous object without a clock. Each method is one transaction, may be called
from any thread, and raises ``StoreError`` if the database cannot be reached.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from golfnet.storage.store import IdKind, Reads, TableLog
    from golfnet.storage.writes import PlayerKind, PlayerRow


class NodeState(NamedTuple):
    """A node that has not been declared gone, as last seen: its number, its last batch, and its name and link."""

    node: int
    batch: int
    name: str
    link: str
    is_connected: bool = False
    """Whether a connection holds the node's lock; nodes that run earlier versions have no lock."""


class ClusterLook(NamedTuple):
    """All nodes not declared gone, and whether a table is waiting for this node to restore it, or has no owner.

    ``connection`` identifies the connection used: as long as it is the same, the database has not restarted.
    """

    nodes: tuple[NodeState, ...]
    are_tables_waiting: bool
    connection: int = 0


class Stay(NamedTuple):
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


class Resident(NamedTuple):
    """A player on a node, the table where they sit, or None, and whether they are connected to the node."""

    id: str
    name: str
    kind: PlayerKind
    node: int
    table: str | None
    is_connected: bool


class ListedTable(NamedTuple):
    """Another node's table in a list: the node, and the table's row, which is JSON that only nodes read."""

    node: int
    row: bytes


class SanctionKind(StrEnum):
    """What a sanction forbids."""

    BAN = "ban"
    MUTE = "mute"


class Sanction(Struct, frozen=True, kw_only=True):
    """A sanction: its target as typed, its reason, and when it was imposed (seconds since 1970)."""

    whom: str
    reason: str = ""
    since: float = 0.0


class Directory:
    """A node's queries. This class itself is for a server with a single node, which has everything in its memory.

    ``node`` is its number, ``is_immediate`` whether answers take no time.
    """

    node = 0
    is_immediate = True

    def __init__(self, store: Reads) -> None:
        self._next = store.numbers()

    # --- ids and names

    def reserve(self, kind: IdKind, count: int) -> range:
        """Return the numbers of new ids, which are never assigned again."""
        first = self._next[kind]
        self._next[kind] += count
        return range(first, first + count)

    def claim_name(self, player: PlayerRow, instead_of: str | None) -> Stay | None:
        """Store a new player, with a stay at this node; return None if someone else has taken the name in the meantime.

        ``instead_of`` is the id of the name's previous player, who is deleted unless they have returned. A single node
        stores nothing here: its own memory says who has a name.
        """
        return _HERE

    # --- where players are

    def arrive(self, player: str) -> Stay:
        """Return a player's existing stay on another node or, if there is none, a new stay here."""
        return _HERE

    def take(self, player: str, number: int) -> Stay | None:
        """Move a player here if their stay elsewhere has this number, or if they have no stay; otherwise return None.

        Also return None if they have a seat at another node's table.
        """
        return None

    def depart(self, player: str, number: int) -> None:
        """End a stay here; do nothing if there is a newer one."""

    def keep(self, players: Collection[str]) -> Mapping[str, int]:
        """Record that players seated here stay here; return the stays' numbers (existing stays keep theirs).

        Players who stay on another node that is not gone are left out.
        """
        return {}

    def find(self, skeleton: str) -> Resident | None:
        """Return the player whose name has this skeleton, if they are on another node."""
        return None

    def staying(self, players: Collection[str]) -> frozenset[str]:
        """Return which of these players are on other nodes."""
        return frozenset()

    def place_of(self, player: str, table: str = "") -> int | None:
        """Return the node of a player: this one if they have no stay, or None if their table has no owner.

        ``table`` is where they last sat, which may not be stored yet. If it is stored, only its owner counts.
        """
        return self.node

    def residents(self, limit: int) -> tuple[int, tuple[Resident, ...]]:
        """Return how many players are connected or seated on other nodes, and some of them."""
        return 0, ()

    # --- tables

    def owner(self, table: str) -> int | None:
        """Return the other node that has a table, or None if none has it."""
        return None

    def seek(self, opening: TableOffer, rejected: Collection[str]) -> tuple[TableOffer, ...]:
        """Return a few tables on other nodes at which a player may sit down, oldest first, except the rejected ones.

        If there are none, ``opening`` is published in the same transaction: when several players look for the same kind
        of table at once, one opens a table and the others find it.
        """
        return ()

    def listed(self, limit: int) -> tuple[int, tuple[ListedTable, ...]]:
        """Return how many tables other nodes have, and the rows of the oldest ones."""
        return 0, ()

    def unowned(self, limit: int) -> tuple[bytes, ...]:
        """Return the rows of tables whose node is gone and which no other node has taken over yet."""
        return ()

    def publish(
        self, offers: Sequence[TableOffer], closed: Collection[str], connected: Mapping[str, bool]
    ) -> None:
        """Publish which of this node's tables have changed or closed, and which players who stay here are connected."""

    # --- nodes and the tables that they own

    def look(self) -> ClusterLook:
        """Return the state of the nodes, and whether tables are waiting for an owner."""
        return ClusterLook((), are_tables_waiting=False)

    def declare_gone(self, seen: NodeState, *, is_lost: bool = False) -> bool:
        """Declare a node gone if it has committed nothing since it was seen; return whether that was the case.

        Do nothing while the database is running one of its writes or, if ``is_lost``, while the node is connected.
        """
        return False

    def take_tables(self, limit: int, known: Collection[str]) -> tuple[TableLog, ...]:
        """Take tables without an owner; return them and those waiting for this node, oldest first.

        ``known`` are the tables that this node has already restored.
        """
        return ()

    def drain(self) -> None:
        """Stop other nodes from giving tables to this one."""

    def heirs(self) -> tuple[tuple[int, int], ...]:
        """Return the other nodes that accept tables, each with its number of tables, fewest first."""
        return ()

    def link_of(self, node: int) -> str | None:
        """Return the address for links to another node, or None if that node is gone."""
        return None

    def report_unreached(self, nodes: Collection[int]) -> None:
        """Report which other nodes do not answer this one's links, for the operator."""

    def cluster(self) -> ClusterReport:
        """Return what the database knows about all nodes."""
        return ClusterReport(at=0.0, nodes=(), ended=(), unowned=0, waiting=0, aside=0, bans=0, mutes=0)

    # --- sanctions, which a single node keeps in a file

    def sanctions(self) -> tuple[tuple[SanctionKind, Sanction], ...]:
        """Return all sanctions, in the order in which they were imposed."""
        return ()

    def sanction(self, kind: SanctionKind, sanction: Sanction) -> None:
        """Add or replace a sanction."""

    def lift(self, kind: SanctionKind, whom: str) -> None:
        """Remove a sanction; do nothing if there is none."""


_HERE = Stay(0, Directory.node)


PAYLOAD_LIMIT: Final = 3900
"""Maximum bytes in a payload, which is JSON; a line of chat takes a third of that. Longer payloads are dropped."""


class Bus:
    """How a node sends to the others. This class itself is for a server with a single node, so nobody is listening."""

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Send a payload to a node, which may be this one, or to all others; it may be lost."""

    def listen(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        """Call ``receive`` with each payload that other nodes send, and ``lost`` when the connection is lost."""


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
