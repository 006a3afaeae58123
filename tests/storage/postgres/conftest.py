"""Fixtures: a database for each test, a connection to it that can be cut, and stores that are closed at the end."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import pytest

from golfnet.storage.postgres.store import PostgresStore
from tests.e2e.cluster.wires import Wire
from tests.postgres import PostgresServer

LEASE = 0.4
"""Seconds; much longer than a write takes, yet short enough for tests to wait."""

OpenStore = Callable[..., PostgresStore]
Sql = Callable[[str], list[tuple[Any, ...]]]
Loss = Literal["request", "answer"]


class Proxy(Wire):
    """A wire to PostgreSQL that can lose one request, or the reply to it, together with the connection."""

    url: str

    def __init__(self, target: int) -> None:
        self._loss: Loss | None = None
        self._mark = b""
        self._lost: list[socket.socket] = []
        super().__init__(target)

    def lose(self, what: Loss, mark: bytes = b"") -> None:
        """Lose the next request that contains ``mark``, or the reply to that request, and the connection."""
        self._loss, self._mark = what, mark

    def carried(self, data: bytes, near: socket.socket, *, is_request: bool) -> bytes:
        if is_request and self._loss is not None and self._mark in data:
            loss, self._loss = self._loss, None
            if loss == "request":
                raise ConnectionError
            self._lost.append(near)
        elif not is_request and near in self._lost:
            raise ConnectionError
        return data


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.emptied_url()


@pytest.fixture
def sql(url: str, postgres: PostgresServer) -> Sql:
    """Return a function that runs a statement on the database, and returns its rows."""
    return partial(postgres.execute, url=url)


@pytest.fixture
def proxy(url: str, postgres: PostgresServer) -> Iterator[Proxy]:
    with contextlib.closing(Proxy(postgres.port)) as proxy:
        proxy.url = url.replace(f":{postgres.port}/", f":{proxy.port}/")
        yield proxy


@pytest.fixture
def open_store(url: str) -> Iterator[OpenStore]:
    """Return a function that opens a store with a short lease, on the database unless another URL is given."""
    with contextlib.ExitStack() as opened:

        def open_one(named: str = "", **options: Any) -> PostgresStore:
            store = PostgresStore(named or url, lease=LEASE, **options)
            return opened.enter_context(contextlib.closing(store))

        yield open_one
