"""Whose the tables are: what the nodes of one server see of each other, and how a table comes to another node.

A table belongs to one node, which alone writes and tells what happens there. It comes to another one in two ways only:
its node gives it away as the last thing that it writes of it, or its node was declared gone, which is final.

What stays true: safety needs no clock. A node that was declared gone can store nothing any more, however wrong that
was; time decides only when somebody may be declared gone. A table that was given or taken waits for its new node, under
that node's number, until this has restored it: an answer that is lost on the way loses no table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.storage.store import TableLog


class NodeState(NamedTuple):
    """What is seen of a node that has not gone: its number, its last batch, and who it is."""

    node: int
    batch: int
    is_writing: bool
    """Whether the database works on a write of it just now."""
    name: str
    link: str


class ClusterLook(NamedTuple):
    """All nodes that have not gone, and whether any table waits for this node to restore it, or belongs to nobody."""

    nodes: tuple[NodeState, ...]
    are_tables_waiting: bool


class Ownership(Protocol):
    """What a node asks and tells about owners; each method is one transaction and raises ``StoreError``."""

    def look(self) -> ClusterLook:
        """Return what there is to be seen of nodes and tables."""

    def declare_gone(self, seen: NodeState) -> bool:
        """Declare a node gone that has committed nothing since it was seen; return whether it had not."""

    def take_tables(self, limit: int, known: Collection[str]) -> tuple[TableLog, ...]:
        """Take tables that belong to nobody; return them, and those that wait for this node, oldest first.

        ``known`` are tables that this node has restored already.
        """

    def drain(self) -> None:
        """Let the other nodes give this one nothing any more."""
