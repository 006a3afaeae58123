"""Requests for bots to take free seats after a wait: made, shown, cancelled, and kept over a restart."""

import pytest
import trio

from golfnet.storage.sqlite import MemoryStore
from tests.server.following import Follower
from tests.server.house import House, Program, open_house

FOUR = "six-card seats=4"


def waits(program: Program) -> list[int | None]:
    return [event["ms"] for event in program.events("filling")]


async def seated(program: Program) -> list[str]:
    await program.done("look")
    return [seat["name"] for seat in program.last("view")["seats"]]


@pytest.mark.parametrize("opened", [f"seek {FOUR} fill=30", f"create {FOUR} fill=30"])
async def test_bots_take_the_free_seats_when_the_wait_is_over(house: House, opened: str) -> None:
    ann, bob = await house.programs("Ann", "Bob")
    await ann.done(f"{opened} level=easy")
    await trio.sleep(20)
    await bob.done("seek six-card seats=4")
    await trio.sleep(9.9)
    assert await seated(ann) == ["Ann", "Bob"]
    assert ann.last("view")["filling"]["level"] == "easy"
    assert ann.last("view")["filling"]["ms"] == pytest.approx(100, abs=1)
    await trio.sleep(0.2)
    assert await seated(ann) == ["Ann", "Bob", "easy-bot", "easy-bot-2"]
    assert ann.last("view")["filling"] is None
    assert waits(ann) == [30_000, 0]
    await trio.sleep(6)
    assert bob.events("match_started")


async def test_no_bots_come_if_people_join_in_time(house: House) -> None:
    ann, bob = await house.programs("Ann", "Bob")
    await ann.done("seek six-card fill=30")
    await bob.done("seek six-card")
    assert await seated(ann) == ["Ann", "Bob"]
    assert waits(ann) == [30_000, None]
    await bob.done("leave")  # Ann's request still counts, and the wait starts again
    await trio.sleep(29)
    assert await seated(ann) == ["Ann"]
    await trio.sleep(2)
    assert await seated(ann) == ["Ann", "medium-bot"]
    assert waits(ann) == [30_000, None, 30_000, 0]


async def test_the_host_requests_cancels_and_requests_bots_again(house: House) -> None:
    ann, bob = await house.opened(f"{FOUR}", "Ann", "Bob")
    assert (await bob.ask("bot fill=5"))["code"] == "NOT_HOST"
    await ann.done("bot hard fill=60")
    await ann.done("bot hard fill=10")
    await ann.done("bot fill=off")
    await trio.sleep(100)
    assert await seated(ann) == ["Ann", "Bob"]
    assert waits(ann) == [60_000, None, 10_000, None]
    await ann.done("bot hard fill=10")
    await ann.done("bot easy")  # one bot at once, in addition to the request
    await trio.sleep(11)
    assert await seated(ann) == ["Ann", "Bob", "easy-bot", "hard-bot"]


async def test_the_host_is_told_why_nothing_changes(house: House) -> None:
    [ann] = await house.opened("six-card seats=2", "Ann")
    for line, note in (
        ("fill=off", "No bots were due to come."),
        ("fill=9", None),
        ("fill=off", "No bots will come any more."),
        ("medium", None),
        ("fill=9", "All seats are taken. If one becomes free, a medium bot takes it after 9 seconds."),
        ("fill=off", "No bots will come if a seat becomes free."),
    ):
        assert (await ann.done(f"bot {line}")).get("note") == note


async def test_starting_or_closing_a_table_cancels_waiting_bots(house: House) -> None:
    ann, bob = await house.opened(f"{FOUR} fill=10", "Ann", "Bob")
    await bob.done("ready")
    await ann.done("start")
    await trio.sleep(20)
    assert await seated(ann) == ["Ann", "Bob"]
    assert waits(ann) == [10_000]
    assert (await ann.ask("bot fill=10"))["code"] == "BAD_PHASE"
    for program in (ann, bob):
        await program.done("leave")
    await ann.done(f"create {FOUR} fill=10")
    await ann.done("leave")
    await trio.sleep(20)
    assert not house.lobby.tables


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
    names = ("Ann", "Bob", "Cid", "Dan")
    ann, bob, cid, dan = await house.programs(*names)
    await ann.done("seek six-card")
    await bob.done("seek cactus fill=off")
    await cid.done("create six-card")
    await dan.done("seek six-card-final fill=7")
    assert [waits(program) for program in (ann, bob, cid, dan)] == [[40_000], [], [], [7_000]]


async def test_everybody_can_see_when_bots_will_come(house: House) -> None:
    ann, eve = await house.program("Ann"), await house.person("Eve")
    await ann.done("seek six-card seats=3 fill=30")
    assert (await ann.rows("tables"))[0]["filling"] == {"level": "medium", "ms": 30_000}
    assert "bots in 30 seconds" in await eve.say("tables")
    assert "will take free seats in 30 seconds" in " ".join((await eve.say("watch t1")).split())
    await trio.sleep(31)
    said = (await eve.take()).decode()
    assert "* medium-bot-2 sits down in seat C." in said
    assert (await ann.rows("tables"))[0]["filling"] is None


async def test_views_folded_from_events_show_the_wait(house: House) -> None:
    [ann], bob = await house.opened("six-card seats=3", "Ann"), await house.program("Bob")
    follower = Follower(ann)
    for line, wait in (("bot fill=30", 30_000), ("bot fill=off", None), ("bot fill=20", 20_000)):
        await ann.done(line)
        await follower.compare()
        view = follower.view
        assert view is not None
        assert (view.filling and view.filling.ms) == wait
    for program, line in ((bob, "join t1"), (bob, "ready"), (ann, "start")):
        await program.done(line)
        await follower.compare()
