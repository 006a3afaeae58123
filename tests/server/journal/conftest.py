"""A store in a thread of its own, and an ear for what the journal over it tells."""

import pytest

from tests.server.journal.stores import ThreadedStore, Told


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store() -> ThreadedStore:
    return ThreadedStore()
