"""Reads have a limit of time, and find a connection again after the engine was away."""

from __future__ import annotations

import threading
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import psycopg
import pytest

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.reads import READERS, PostgresReads
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.writes import FinishMatch, OpenTable
from tests.postgres import PATIENCE
from tests.storage.rows import match

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.postgres import Engine

T = TypeVar("T")

LIMIT = 0.3


@pytest.fixture
def served(url: str) -> str:
    """Return the URL of a database that a server has used."""
    with closing(PostgresStore(url)) as store:
        store.write([OpenTable("t1", b"row"), FinishMatch(match(1), b"{}\n")])
    return url


def patiently(act: Callable[[], T]) -> T:
    """Return what something returns that may be too slow at first on a busy machine."""
    until = monotonic() + PATIENCE
    while True:
        try:
            return act()
        except StoreError as error:
            if error.reason is not StoreReason.SLOW or monotonic() > until:
                raise


def limited(url: str) -> closing[PostgresReads]:
    """Open a database for reads that soon take too long."""
    return closing(patiently(lambda: PostgresReads(url, LIMIT)))


def test_a_database_that_does_not_answer_holds_nobody_up(served: str, postgres: Engine) -> None:
    with limited(served) as reads:
        patiently(reads.numbers)
        postgres.freeze()
        try:
            with pytest.raises(StoreError) as caught:
                reads.numbers()
        finally:
            postgres.thaw()
        assert caught.value.reason is StoreReason.SLOW
        assert patiently(reads.numbers).table == 2


def test_a_read_that_takes_too_long_ends_in_the_engine_too(served: str, postgres: Engine) -> None:
    with limited(served) as reads, psycopg.connect(served) as in_the_way:
        in_the_way.execute("LOCK TABLE counter")
        with pytest.raises(StoreError) as caught:
            reads.numbers()
        assert caught.value.reason is StoreReason.SLOW
        assert patiently(lambda: reads.match("m1")) == match(1)


def test_reads_beyond_the_connections_wait_no_longer_either(served: str) -> None:
    with limited(served) as reads, psycopg.connect(served) as in_the_way:
        in_the_way.execute("LOCK TABLE counter")
        reasons: list[StoreReason] = []

        def read() -> None:
            try:
                reads.numbers()
            except StoreError as error:
                reasons.append(error.reason)

        threads = [threading.Thread(target=read) for _ in range(READERS + 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert reasons == [StoreReason.SLOW] * len(threads)
        in_the_way.rollback()
        assert patiently(reads.numbers).table == 2


def test_a_connection_that_the_engine_has_closed_is_replaced_unseen(served: str, postgres: Engine) -> None:
    with closing(PostgresReads(served)) as reads:
        reads.numbers()
        postgres.stop()
        with pytest.raises(StoreError) as caught:
            reads.numbers()
        assert caught.value.reason is StoreReason.UNREACHABLE
        postgres.start()
        assert reads.numbers().table == 2
        postgres.stop()
        postgres.start()
        assert reads.numbers().table == 2


def test_everything_is_read_in_a_check(served: str, postgres: Engine) -> None:
    with closing(PostgresReads(served)) as reads:
        reads.check()
        postgres.execute("UPDATE match SET record = 'x'", served)
        with pytest.raises(StoreError) as caught:
            reads.record("m1")
    assert caught.value.reason is StoreReason.DAMAGED
