"""A host who vanishes: the others are told, and one of them is the host soon."""

from __future__ import annotations

import trio

from golfnet.server.table.succession import HOST_WAITED_FOR
from tests.server.house import Program, open_house


def waits(program: Program) -> list[int]:
    """Return what a program was told of waits for a host, in seconds."""
    return [
        thing["ms"] // 1000
        for thing in program.objects
        if thing["type"] == "notice" and thing["code"] == "HOST_AWAY"
    ]


async def test_a_host_who_vanishes_is_followed_by_somebody_who_is_there(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob, cid = [await house.program(name) for name in ("Ann", "Bob", "Cid")]
        await ann.done("create multiples")
        await bob.done("join t1")
        await cid.done("join t1")
        await bob.drop()
        assert not waits(cid)
        await ann.drop()
        await cid.poll()
        assert waits(cid) == [HOST_WAITED_FOR]
        assert (await cid.ask("start"))["code"] == "NOT_HOST"
        await trio.sleep(HOST_WAITED_FOR)
        await cid.poll()
        assert [event["name"] for event in cid.events("host")] == ["Cid"]
        await cid.done("start")


async def test_a_host_who_is_back_in_time_stays_the_host(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.program("Ann"), await house.program("Bob")
        await ann.done("create multiples")
        await bob.done("join t1")
        await ann.drop()
        await trio.sleep(HOST_WAITED_FOR - 1)
        back = await house.program()
        await back.done(f"resume {ann.token}")
        await trio.sleep(HOST_WAITED_FOR)
        await bob.poll()
        assert not bob.events("host")


async def test_who_sits_down_where_nobody_is_there_becomes_the_host(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.program("Ann"), await house.program("Bob")
        await ann.done("create multiples")
        await ann.drop()
        await trio.sleep(2 * HOST_WAITED_FOR)
        await bob.done("join t1")
        assert waits(bob) == [HOST_WAITED_FOR]
        await trio.sleep(HOST_WAITED_FOR)
        await bob.poll()
        assert bob.events("host")[-1]["name"] == "Bob"


async def test_nobody_follows_a_host_while_a_match_runs(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("multiples clock=0", "Ann", "Bob")
        await ann.drop()
        await trio.sleep(2 * HOST_WAITED_FOR)
        await bob.poll()
        assert not waits(bob)
        assert not bob.events("host")
