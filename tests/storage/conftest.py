"""Fixtures for tests of every kind of store: a durable store, and three nodes with a shared directory."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import Durability, MemoryStore, SqliteStore
from tests.server.cluster import SharedStore
from tests.server.shared_directory import FakeDirectory, SharedState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.storage.directory import NodeState, SharedDirectory
    from golfnet.storage.store import Store, TableLog
    from tests.postgres import PostgresServer


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        sqlite = SqliteStore(tmp_path / "golf.db", Durability.NORMAL)
        yield sqlite
        sqlite.close()
    else:
        from golfnet.storage.postgres.store import PostgresStore

        server: PostgresServer = request.getfixturevalue("postgres")
        store = PostgresStore(server.emptied_url())
        yield store
        store.close()


class NodeSide(NamedTuple):
    """One node's access to the database."""

    store: Store | SharedStore
    directory: SharedDirectory

    @property
    def number(self) -> int:
        return self.directory.node

    def seen(self) -> NodeState:
        """Return this node's state as the directory reports it."""
        return next(node for node in self.directory.look().nodes if node.node == self.number)

    def take(self, *known: str, limit: int = 20) -> list[TableLog]:
        return list(self.directory.take_tables(limit, known))


Three = tuple[NodeSide, NodeSide, NodeSide]


@pytest.fixture(params=["fake", "postgres"])
def nodes(request: pytest.FixtureRequest) -> Iterator[Three]:
    """Yield three nodes, with the directory in PostgreSQL or with the fake one for tests of several nodes."""
    if request.param == "fake":
        state = SharedState(MemoryStore())
        state.batches = dict.fromkeys((1, 2, 3), 0)
        one, two, three = [
            NodeSide(SharedStore(state, node), FakeDirectory(state, node)) for node in (1, 2, 3)
        ]
        yield one, two, three
        return
    from golfnet.storage.postgres.directory import PostgresDirectory
    from golfnet.storage.postgres.store import PostgresStore

    url = request.getfixturevalue("postgres").emptied_url()
    with ExitStack() as opened:
        sides = []
        for number in (1, 2, 3):
            store = opened.enter_context(closing(PostgresStore(url, link=f"10.0.0.{number}:7790")))
            directory = opened.enter_context(closing(PostgresDirectory(url, store.node)))
            sides.append(NodeSide(store, directory))
        one, two, three = sides
        yield one, two, three


@contextmanager
def refused(reason: StoreReason, *words: str) -> Iterator[None]:
    """Expect a refusal with the given reason, and these words in the operator's message."""
    with pytest.raises(StoreError) as caught:
        yield
    assert caught.value.reason is reason
    for part in words:
        assert part in caught.value.sentence
