"""Which nodes count as silent; the simulation checks that no other nodes do."""

from golfnet.server.ownership import LOST_SECONDS, Watch
from golfnet.storage.directory import ClusterLook, NodeState

LEASE = 3.0


def silent(watch: Watch, now: float, batch: int, *, is_connected: bool, connection: int = 7) -> list[bool]:
    """Return [] unless node 2 counts as silent, else whether it lost its connections rather than its lease."""
    seen = NodeState(2, batch, "node 2", "10.0.0.2:1", is_connected)
    return [found.is_lost for found in watch.silent(ClusterLook((seen,), False, connection), now)]


def test_an_older_node_never_seen_connected_keeps_its_full_lease() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, 5, is_connected=False) == []
    assert silent(watch, 12.0, 6, is_connected=False) == []
    assert silent(watch, 14.9, 6, is_connected=False) == []
    assert silent(watch, 15.0, 6, is_connected=False) == [False]


def test_a_node_that_lost_its_connections_has_a_moment_to_reconnect() -> None:
    watch = Watch(1, LEASE)
    assert silent(watch, 10.0, 5, is_connected=True) == []
    assert silent(watch, 10.1, 5, is_connected=False) == []
    assert watch.rest(10.1) == LOST_SECONDS
    assert silent(watch, 10.5, 5, is_connected=False, connection=8) == [], (
        "over a new connection of its own, the watching node cannot tell"
    )
    assert silent(watch, 10.6, 5, is_connected=True) == []
    assert silent(watch, 10.7, 5, is_connected=False) == []
    assert silent(watch, 11.0, 6, is_connected=False) == [True]
