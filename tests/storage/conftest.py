"""What tests of every kind of store need: a store, a path, a full disk, and an expected refusal."""

import resource
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.store import Store

NewDatabase = Callable[[], Callable[[], Store]]


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> NewDatabase:
    """Return a function that makes an empty database and returns a function that opens it."""
    if request.param == "sqlite":
        numbers = count()
        return lambda: partial(SqliteStore, tmp_path / f"golf{next(numbers)}.db", "normal")
    server = request.getfixturevalue("postgres")
    return lambda: partial(PostgresStore, server.emptied_url())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a database that does not exist yet, in a folder that does not exist either."""
    return tmp_path / "state" / "golf.db"


@pytest.fixture
def store(new_database: NewDatabase) -> Iterator[Store]:
    with closing(new_database()()) as store:
        yield store


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
