"""Fixtures: a database for each test, a connection to it that can be cut, and stores that are closed at the end."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from golfnet.storage.postgres.store import PostgresStore
from tests.postgres import PostgresServer
from tests.storage.postgres.proxy import Proxy

LEASE = 0.4
"""Seconds; much longer than a write takes, yet short enough for tests to wait."""


OpenStore = Callable[..., PostgresStore]


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.emptied_url()


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[Proxy]:
    proxy = Proxy(postgres.port)
    yield proxy
    proxy.close()


@pytest.fixture
def through_proxy(url: str, postgres: PostgresServer, proxy: Proxy) -> str:
    return url.replace(f":{postgres.port}/", f":{proxy.port}/")


@pytest.fixture
def open_store(url: str) -> Iterator[OpenStore]:
    """Return a function that opens a store with a short lease, on the database unless another URL is given."""
    with contextlib.ExitStack() as opened:

        def open_one(named: str = "", **options: Any) -> PostgresStore:
            store = PostgresStore(named or url, lease=LEASE, **options)
            return opened.enter_context(contextlib.closing(store))

        yield open_one
