"""Fixtures: a store in its own thread, a journal on it, and a recorder of the journal's callbacks."""

from collections.abc import AsyncIterator

import pytest
import trio

from golfnet.server.journal.journal import Journal
from tests.server.journal.stores import ThreadedStore, Told, new_journal, start


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store() -> ThreadedStore:
    return ThreadedStore()


@pytest.fixture
async def journal(store: ThreadedStore, told: Told, nursery: trio.Nursery) -> AsyncIterator[Journal]:
    """Yield a running journal, and close it after the test."""
    journal = await start(nursery, new_journal(store, told))
    yield journal
    await journal.aclose()
