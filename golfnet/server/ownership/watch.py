"""Who is silent: what a node concludes from looking at the others again and again.

What stays true: a node counts as silent only after a whole lease, by this node's own clock, in which it committed
nothing at all while this one saw its own commits go through and had quick answers. After an outage of the database
everybody therefore waits for a lease before judging anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.storage.ownership import NodeState


class _Seen(NamedTuple):
    """The last batch of a node, and since when it has been the last (seconds of this node's clock)."""

    batch: int
    since: float


class Watch:
    """What the node ``here`` has seen of the others."""

    def __init__(self, here: int, lease: float) -> None:
        self._here = here
        self._lease = lease
        self._seen: dict[int, _Seen] = {}

    def forget(self) -> None:
        """Begin anew, because nothing can be concluded from the time before now."""
        self._seen.clear()

    def silent(self, nodes: Collection[NodeState], now: float) -> list[NodeState]:
        """Return those that have been silent for a lease, as they were seen now."""
        before, self._seen = self._seen, {}
        silent = []
        for node in nodes:
            if node.node == self._here:
                continue
            seen = before.get(node.node)
            if seen is None or seen.batch != node.batch or node.is_writing:
                seen = _Seen(node.batch, now)
            elif now - seen.since >= self._lease:
                silent.append(node)
            self._seen[node.node] = seen
        return silent
