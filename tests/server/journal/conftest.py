"""Fixtures: a store in its own thread, and a recorder of the journal's callbacks."""

import pytest

from tests.server.journal.stores import ThreadedStore, Told


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store() -> ThreadedStore:
    return ThreadedStore()
