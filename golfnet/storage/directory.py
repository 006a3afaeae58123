"""The directory: what the nodes of one server ask of their database beside the journal, and tell each other by it.

A node is one process of the server. A player is at one node at a time, and so is a table: whoever wants something of
either goes there. The directory knows where that is, so that nobody has two seats and no name two owners.

What stays true: no id is given out twice; a name belongs to one player; a player stays at one node, under a number
that rises with every arrival, and leaves it only by that node's doing or with its end. So whatever a node decides about
a player that stays there, such as a seat, needs nobody else. What is for lists and for finding tables may be a second
old.

Like a store, a directory is a plain synchronous object without a clock. Each method is one transaction, may be called
by any thread, and raises ``StoreError`` where the database cannot be reached.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from golfnet.storage.store import Reads, TableLog
    from golfnet.storage.writes import PlayerKind, PlayerRow


class NodeState(NamedTuple):
    """What is seen of a node that has not gone: its number, its last batch, and who it is."""

    node: int
    batch: int
    name: str
    link: str
    is_connected: bool = False
    """Whether a connection of it lives that holds its lock; nodes of former versions have none."""


class ClusterLook(NamedTuple):
    """All nodes that have not gone, and whether any table waits for this node to restore it, or belongs to nobody.

    ``connection`` is the one that has looked: as long as it is the same, the database has not begun anew.
    """

    nodes: tuple[NodeState, ...]
    are_tables_waiting: bool
    connection: int = 0


class IdKind(StrEnum):
    """What an id is of; the value is its letter."""

    TABLE = "t"
    MATCH = "m"
    PLAYER = "p"


class Stay(NamedTuple):
    """That a player is at a node, the number of this stay, and where the player has a seat."""

    number: int
    node: int
    table: str | None = None


class TableOffer(Struct, frozen=True, kw_only=True):
    """A table as other nodes see it: for lists, and for those who seek one.

    ``fit`` is the name of its rule set while somebody who seeks may sit down, empty otherwise. ``terms`` and ``row``
    are JSON of the nodes. A table that ``is_opening`` is about to be opened by somebody who found no other.
    """

    table: str
    node: int
    fit: str
    terms: bytes
    row: bytes
    is_opening: bool = False


class PlayerPlace(NamedTuple):
    """Where a player sits at its node, None for nowhere, and whether it is connected."""

    table: str | None
    is_connected: bool


class Resident(NamedTuple):
    """A player at a node, and where it is there."""

    id: str
    name: str
    kind: PlayerKind
    node: int
    place: PlayerPlace


class ListedTable(NamedTuple):
    """A table of another node, in a list: the node, and the table's row, which is JSON of the nodes."""

    node: int
    row: bytes


class SanctionKind(StrEnum):
    """What a sanction keeps somebody from."""

    BAN = "ban"
    MUTE = "mute"


class SanctionRow(Struct, frozen=True, kw_only=True):
    """A sanction: against whom it is as it was typed, why, and since when (seconds since 1970)."""

    kind: SanctionKind
    whom: str
    reason: str
    since: float


class Directory:
    """What a node asks; here of a server that is alone: whatever there is, is here, and its own memory knows it.

    ``node`` is its own number, ``is_immediate`` whether answers take no time.
    """

    node = 0
    is_immediate = True

    def __init__(self, store: Reads) -> None:
        numbers = store.numbers()
        self._next = {
            IdKind.TABLE: numbers.table,
            IdKind.MATCH: numbers.match,
            IdKind.PLAYER: numbers.player,
        }

    # --- ids and names

    def reserve(self, kind: IdKind, count: int) -> range:
        """Return the numbers of new ids, which nobody else ever gets."""
        first = self._next[kind]
        self._next[kind] += count
        return range(first, first + count)

    def claim_name(self, player: PlayerRow, instead_of: str | None) -> Stay | None:
        """Store a new player, who stays here; None where somebody took the name meanwhile.

        ``instead_of`` is the id of a player who had the name and is deleted, unless it is back. A server that is alone
        stores nothing: it knows who has a name before anybody is stored.
        """
        return _HERE

    # --- where players are

    def arrive(self, player: str) -> Stay:
        """Return where a player is: here, under a new number, where it was nowhere or here already."""
        return _HERE

    def take(self, player: str, number: int) -> Stay | None:
        """Let a player stay here who was elsewhere under a number, or is nowhere by now; None where it is otherwise.

        None, too, where it has a seat at a table of another node.
        """
        return None

    def depart(self, player: str, number: int) -> None:
        """End a stay here; harmless where there is a newer one."""

    def find(self, skeleton: str) -> Resident | None:
        """Return the player with a name's skeleton, where it is at another node."""
        return None

    def staying(self, players: Collection[str]) -> frozenset[str]:
        """Return which of some players are at other nodes."""
        return frozenset()

    # --- tables

    def owner(self, table: str) -> int | None:
        """Return the other node that has a table, None where none has it."""
        return None

    def seek(self, opening: TableOffer, rejected: Collection[str]) -> tuple[TableOffer, ...]:
        """Return tables of other nodes at which one may sit down and that were not rejected: a few, oldest first.

        Where there are none, ``opening`` is offered in the same transaction: of those who seek the same at the same
        time one opens a table, and the others find it.
        """
        return ()

    def listed(self, limit: int) -> tuple[int, tuple[ListedTable, ...]]:
        """Return how many tables other nodes have, and the rows of the oldest."""
        return 0, ()

    def unowned(self, limit: int) -> tuple[bytes, ...]:
        """Return the rows of tables whose node has gone and that nobody has taken over yet."""
        return ()

    def residents(self, limit: int) -> tuple[int, tuple[Resident, ...]]:
        """Return how many players are connected or seated at other nodes, and some of them."""
        return 0, ()

    # --- nodes

    def heirs(self) -> tuple[tuple[int, int], ...]:
        """Return the other nodes that take tables, each with how many it has, the fewest first."""
        return ()

    def cluster(self) -> ClusterReport:
        """Return what the database knows of all nodes."""
        return ClusterReport(at=0.0, nodes=(), ended=(), unowned=0, waiting=0, aside=0, bans=0, mutes=0)


_HERE = Stay(0, Directory.node)


class SharedDirectory(Directory, ABC):
    """What a node of several asks and tells besides: nothing that ``Directory`` answers is true of it."""

    is_immediate = False

    # --- owners

    @abstractmethod
    def look(self) -> ClusterLook:
        """Return what there is to be seen of nodes and tables."""

    @abstractmethod
    def declare_gone(self, seen: NodeState, *, is_lost: bool = False) -> bool:
        """Declare a node gone that has committed nothing since it was seen; return whether it had not.

        It is let alone while the database works on a write of it, and one that ``is_lost`` where it is connected.
        """

    @abstractmethod
    def take_tables(self, limit: int, known: Collection[str]) -> tuple[TableLog, ...]:
        """Take tables that belong to nobody; return them, and those that wait for this node, oldest first.

        ``known`` are tables that this node has restored already.
        """

    @abstractmethod
    def drain(self) -> None:
        """Let the other nodes give this one nothing any more."""

    # --- nodes, tables, players

    @abstractmethod
    def link_of(self, node: int) -> str | None:
        """Return the address for links to another node, None where it is gone."""

    @abstractmethod
    def tell_unreached(self, nodes: Collection[int]) -> None:
        """Tell which other nodes do not answer this one's links, for whoever looks after them."""

    @abstractmethod
    def place_of(self, player: str, table: str = "") -> int | None:
        """Return the node at which a player belongs, this one without any, None while its table belongs to nobody.

        ``table`` is where it sat lately, which may not be stored yet.
        """

    @abstractmethod
    def keep(self, players: Collection[str]) -> Mapping[str, int]:
        """Let players stay here who have a seat here; return the numbers of their stays, which remain.

        Players who stay at another node, which is not gone, are left out.
        """

    @abstractmethod
    def publish(
        self, offers: Sequence[TableOffer], closed: Collection[str], connected: Mapping[str, bool]
    ) -> None:
        """Tell of this node's tables that have changed or are no more, and who of those who stay here is connected."""

    @abstractmethod
    def sanctions(self) -> tuple[SanctionRow, ...]:
        """Return all sanctions, in the order in which they were made."""

    @abstractmethod
    def sanction(self, row: SanctionRow) -> None:
        """Add a sanction, or replace it."""

    @abstractmethod
    def lift(self, kind: SanctionKind, whom: str) -> None:
        """Remove a sanction; harmless where there is none."""


PAYLOAD_LIMIT: Final = 3900
"""Bytes of one payload, which is JSON: a line of chat has a third. What is longer is lost."""


class Bus:
    """How a node speaks to the others; here of a server that is alone: nobody listens."""

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Send something to a node, also to this one, or to all others; it may be lost."""

    def listen(self, receive: Callable[[bytes], None]) -> None:
        """Call ``receive`` with what other nodes send."""


CHECKED_LATE: Final = 1.0
"""Seconds beyond its lease after which a node counts as silent: it may be just about to write."""


class NodeReport(Struct, frozen=True, kw_only=True):
    """One node that has not gone.

    ``silent`` is how long ago it has written last, ``lease`` how long that may be before others may declare it gone,
    ``up`` how long it serves, None where that is not known. ``link`` is empty for a server that is alone,
    ``unreached`` are other nodes that do not answer its links, and ``version`` ends with a digest of the program.
    ``connected`` and ``seated`` are players who stay there; ``tables`` has none that were set aside.
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
        """Whether it has written nothing for longer than others wait for it."""
        return self.silent > self.lease + CHECKED_LATE


class EndedNode(Struct, frozen=True, kw_only=True):
    """One node that began and has ended, each so many seconds ago; ``has_stopped`` is whether it has said so itself."""

    node: int
    name: str
    began: float
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
