"""Requests for bots to take free seats after a wait: made, shown, cancelled, and kept over a restart."""

import pytest
import trio

from golfnet.storage.sqlite import MemoryStore
from tests.server.house import House, Program, open_house


def waits(program: Program) -> list[int | None]:
    return [event["ms"] for event in program.events("filling")]


async def seated(program: Program) -> list[str]:
    await program.done("look")
    return [seat["name"] for seat in program.last("view")["seats"]]


@pytest.mark.settings(grace=1000)
async def test_the_wait_for_bots_stops_while_everybody_is_gone(house: House) -> None:
    ann = await house.program("Ann", "seek six-card fill=30")
    await trio.sleep(20)
    await ann.drop()
    await trio.sleep(100)
    ann = await house.resumed(ann)
    assert await seated(ann) == ["Ann"]
    await trio.sleep(29)
    assert await seated(ann) == ["Ann"]
    await trio.sleep(2)
    assert await seated(ann) == ["Ann", "medium-bot"]


async def test_the_wait_for_bots_survives_a_restart(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann = await house.program("Ann", "seek six-card fill=30 level=hard")
        await trio.sleep(20)
    async with open_house(store=store) as house:
        await trio.sleep(60)
        ann = await house.resumed(ann)
        assert await seated(ann) == ["Ann"]
        assert ann.last("view")["filling"] == {"level": "hard", "ms": 30_000}
        await trio.sleep(31)
        assert await seated(ann) == ["Ann", "hard-bot"]
    async with open_house(store=store) as house:
        ann = await house.resumed(ann)
        await trio.sleep(60)
        assert len(await seated(ann)) == 2


async def test_a_request_for_bots_without_a_running_wait_also_survives_a_restart(
    autojump_clock: object,
) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, bob = await house.opened("six-card seats=2", "Ann", "Bob")
        await ann.done("bot easy fill=30")  # every seat is taken
    async with open_house(store=store) as house:
        ann, bob = await house.resumed(ann), await house.resumed(bob)
        await bob.done("leave")
        assert (await ann.look())["filling"]["level"] == "easy"
        bob = await house.program("Bea", "join t1")
        await ann.done("bot fill=0")
    async with open_house(store=store) as house:
        ann, bob = await house.resumed(ann), await house.resumed(bob)
        await bob.done("leave")
        assert (await ann.look())["filling"] is None


@pytest.mark.settings(fill=40)
async def test_the_servers_default_wait_applies_to_seeks_and_can_be_declined(house: House) -> None:
    ann, bob, cid, dan = await house.programs("Ann", "Bob", "Cid", "Dan")
    await ann.done("seek six-card")
    await bob.done("seek cactus fill=off")
    await cid.done("create six-card")
    await dan.done("seek six-card-final fill=7")
    assert [waits(program) for program in (ann, bob, cid, dan)] == [[40_000], [], [], [7_000]]
    assert (await ann.rows("tables"))[-1]["filling"] == {"level": "medium", "ms": 7_000}
