"""An in-memory store deletes old matches, so that its server does not grow without limit."""

import random

import pytest

from golfnet.storage import sqlite as memory
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.store import IdKind
from golfnet.storage.writes import FinishMatch, MatchResult
from tests.storage.rows import ACCOUNT, match, rating, seat


def finish(result: MatchResult, size: int = 10) -> FinishMatch:
    """Return a match whose record is random and so takes slightly more than ``size`` bytes when compressed."""
    return FinishMatch(result, random.Random(size).randbytes(size))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    monkeypatch.setattr(memory, "MATCHES_KEPT", 5)
    monkeypatch.setattr(memory, "RECORD_BYTES_KEPT", 1000)
    return MemoryStore()


def test_only_the_last_matches_are_kept_but_all_count_for_ratings(store: MemoryStore) -> None:
    for number in range(1, 9):
        store.write([finish(match(number, seat(1, 1), seat(2, 2)))])
        assert list(store.match_ids())[-1] == f"m{number}"
    assert list(store.match_ids()) == ["m4", "m5", "m6", "m7", "m8"]
    assert (store.match("m3"), store.record("m3")) == (None, None)
    assert store.record("m4") is not None
    assert store.numbers()[IdKind.MATCH] == 9
    found = rating(store, "p1", "six-card", ACCOUNT)
    assert found is not None
    assert (found.matches, found.wins) == (8, 8)


def test_long_records_leave_room_for_fewer_matches(store: MemoryStore) -> None:
    store.write([finish(match(number), 300) for number in range(1, 5)])
    assert list(store.match_ids()) == ["m2", "m3", "m4"]
    store.write([finish(match(5), 980)])
    assert list(store.match_ids()) == ["m5"]
    store.write([finish(match(6), 1000)])
    assert list(store.match_ids()) == []
    store.write([finish(match(7))])
    assert list(store.match_ids()) == ["m7"]
