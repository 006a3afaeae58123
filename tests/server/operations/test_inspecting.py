"""Looks for damage from time to time: what is found is told to the operator, and play goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.server.operations.inspecting import EVERY_SECONDS, keep_inspecting
from golfnet.server.operations.status import status_of
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.sqlite_memory import MemoryStore
from tests.server.house import open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


class FragileStore(MemoryStore):
    """A store with the damage that the test decides."""

    def __init__(self) -> None:
        super().__init__()
        self.damage: StoreError | None = None
        self.looks = trio.Event()

    def inspect(self) -> None:
        trio.from_thread.run_sync(self.looks.set)
        if self.damage is not None:
            raise self.damage


async def next_look(store: FragileStore, clock: MockClock) -> None:
    """Let the hour pass, and the look that comes then."""
    store.looks = trio.Event()
    await trio.testing.wait_all_tasks_blocked()
    clock.jump(EVERY_SECONDS)
    await store.looks.wait()
    await trio.testing.wait_all_tasks_blocked()
    for _ in range(1_000_000):  # until the thread has answered, and the next hour is slept through
        if trio.lowlevel.current_statistics().seconds_to_next_deadline <= EVERY_SECONDS:
            return
        await trio.lowlevel.checkpoint()
    raise AssertionError("the look did not end")


@pytest.mark.parametrize("reason", [StoreReason.DAMAGED, StoreReason.FAULTY])
async def test_damage_is_told_until_it_is_gone(
    mock_clock: MockClock, caplog: pytest.LogCaptureFixture, reason: StoreReason
) -> None:
    store = FragileStore()
    async with open_house(store=store) as house:
        house.nursery.start_soon(keep_inspecting, house.lobby)
        await next_look(store, mock_clock)
        assert status_of(house.lobby).damage == ""
        first = status_of(house.lobby).inspected_at
        assert first is not None
        store.damage = StoreError(reason, "Pages are torn.")
        await next_look(store, mock_clock)
        found = status_of(house.lobby)
        assert (found.damage, found.inspected_at, found.not_ready) == ("Pages are torn.", first, "")
        assert "Pages are torn." in caplog.text
        store.damage = None
        await next_look(store, mock_clock)
        assert status_of(house.lobby).damage == ""
        assert (status_of(house.lobby).inspected_at or 0) > first


async def test_a_file_that_is_not_in_its_place_is_no_damage(mock_clock: MockClock) -> None:
    store = FragileStore()
    store.damage = StoreError(StoreReason.MISSING, "It was moved.")
    async with open_house(store=store) as house:
        house.nursery.start_soon(keep_inspecting, house.lobby)
        await next_look(store, mock_clock)
        assert status_of(house.lobby).damage == ""
        assert status_of(house.lobby).inspected_at is None
