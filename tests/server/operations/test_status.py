"""The line about what is happening, on a server in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.server.operations.status import (
    INSPECT_SECONDS,
    keep_inspecting,
    open_tables,
    overview,
    status_of,
    waited_for,
    who_is_here,
)
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore
from tests.server.house import open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_who_is_here_is_named_in_the_order_of_coming() -> None:
    async with open_house() as house:
        assert overview(house.lobby) == "Nobody is here yet"
        await house.connect()
        assert overview(house.lobby) == "Nobody has given a name yet"
        assert waited_for(house.lobby) == "1 connection"
        people = [await house.person(name) for name in ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay")]
        assert who_is_here(house.lobby) == "6 here: Ann, Ben, Cid, Dan, Eve, Fay"
        await house.person("Gus")
        await house.person("Hal")
        assert who_is_here(house.lobby) == "8 here: Ann, Ben, Cid, Dan, Eve, Fay and 2 more"
        await people[0].say("quit")
        assert waited_for(house.lobby) == "7 players"


async def test_what_is_played_follows_a_few_tables_and_counts_the_others() -> None:
    async with open_house() as house:
        ann, ben = await house.table("six-card seats=2", "Ann", "Ben")
        assert overview(house.lobby) == "2 here: Ann, Ben | t1 six-card, hole 1 of 9"
        cid = await house.person("Cid")
        await cid.say("create cactus seats=3")
        assert overview(house.lobby, " · ").endswith(" · t2 cactus, 1 of 3 seats taken")
        assert open_tables(house.lobby) == 1
        for name in ("Dan", "Eve"):
            other = await house.person(name)
            await other.say("create four-turn seats=2 password=secret")
        assert overview(house.lobby).endswith(" | t3 four-turn, 1 of 2 seats taken | 1 more table")
        assert open_tables(house.lobby) == 1, "nobody sits down at a private table without its password"
        await ann.done("leave")
        await ben.done("leave")
        assert "t1" not in overview(house.lobby)


async def test_a_pause_comes_before_everything() -> None:
    async with open_house() as house:
        await house.person("Ann")
        house.lobby.pause("the disk is full")
        assert overview(house.lobby).startswith("Play is paused")


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
    clock.jump(INSPECT_SECONDS)
    await store.looks.wait()
    await trio.testing.wait_all_tasks_blocked()
    for _ in range(1_000_000):  # until the thread has answered, and the next hour is slept through
        if trio.lowlevel.current_statistics().seconds_to_next_deadline <= INSPECT_SECONDS:
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
