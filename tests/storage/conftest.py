"""What tests of every kind of store need: a durable store, a full disk, and an expected refusal."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import Durability, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golfnet.storage.store import Store
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


@contextmanager
def full_disk() -> Iterator[None]:
    """Let files be created, but only a few bytes be written to each of them."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def refused(reason: StoreReason, *words: str) -> Iterator[None]:
    """Expect a refusal for this reason, whose message to the operator contains these words."""
    with pytest.raises(StoreError) as caught:
        yield
    assert caught.value.reason is reason
    for part in words:
        assert part in caught.value.sentence
