"""The operator's status line, and reports of damage to the database."""

from errno import EMFILE

import pytest
import trio

from golfnet.protocol.text.typeset import display_width
from golfnet.server.operations.status import (
    Standing,
    Status,
    keep_inspecting,
    note_moves,
    open_tables,
    overview,
    status_of,
    waited_for,
    who_is_here,
)
from golfnet.storage.faults import StoreError, StoreReason
from tests.server.house import House, open_house


def line(house: House, width: int = 200) -> str:
    return overview(house.lobby, {}, width)


async def test_players_are_named_in_order_of_arrival(house: House) -> None:
    assert line(house) == "Nobody is here yet"
    await house.connect()
    assert line(house) == "1 connected, without a name yet"
    assert waited_for(house.lobby) == "1 connection"
    people = [await house.person(name) for name in ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay")]
    assert line(house) == "6 here: Ann, Ben, Cid, Dan, Eve, Fay | 1 without a name yet"
    await house.person("Gus")
    await house.person("Hal")
    assert who_is_here(house.lobby, "; ")[0] == (
        "8 here: Ann, Ben, Cid, Dan, Eve, Fay and 2 more; 1 without a name yet"
    )
    await people[0].say("quit")
    assert waited_for(house.lobby) == "7 players"
    house.lobby.pause("the disk is full")
    assert line(house).startswith("Play is paused")


async def test_a_few_tables_are_followed_and_the_others_counted(house: House) -> None:
    ann, ben = await house.table("six-card seats=2", "Ann", "Ben")
    assert line(house) == ("2 here: Ann, Ben | t1 six-card, hole 1 of 9: waiting for Ann and Ben, 0 s")
    await house.person("Cid", "create cactus seats=3")
    assert line(house).endswith(" | t2 cactus, 1 of 3 seats taken: waiting for players, 0 s")
    assert open_tables(house.lobby) == 1
    for name in ("Dan", "Eve"):
        other = await house.person(name)
        await other.say("create four-turn seats=2 password=secret")
    assert line(house, 90) == (
        "5 here | t1 waiting for Ann and Ben, 0 s | t2 waiting for players, 0 s | 2 more tables"
    )
    assert open_tables(house.lobby) == 1, "nobody joins a private table without its password"
    await ann.done("leave")
    await ben.done("leave")
    assert "t1" not in line(house)


async def test_a_tables_waiting_time_starts_at_its_last_move(house: House) -> None:
    ann, ben = await house.table("six-card seats=2 clock=0 holes=1", "Ann", "Ben")
    standing: Standing = {}

    async def after(seconds: float) -> str:
        nonlocal standing
        standing = note_moves(house.lobby, standing)
        await trio.sleep(seconds)
        standing = note_moves(house.lobby, standing)
        return overview(house.lobby, standing, 100).partition("hole 1 of 1: ")[2]

    assert await after(40) == "waiting for Ann and Ben, 40 s"
    await ann.done("flip 1 2")
    assert await after(5) == "waiting for Ben, 5 s"
    await ben.done("flip 1 2")
    first = ben if "waiting for Ben" in await after(1) else ann
    await first.done("draw")
    assert (await after(121)).endswith(", 2 min")
    await first.drop()
    assert (await after(5)).endswith(" (away), 2 min")


async def test_before_a_match_the_line_says_who_is_not_ready(house: House) -> None:
    ann, ben = await house.program("Ann"), await house.program("Ben")
    await ann.done("create six-card")
    assert line(house).endswith("t1 six-card, 1 of 8 seats taken: waiting for players, 0 s")
    await ben.done("join t1")
    assert line(house).endswith("2 of 8 seats taken: waiting for Ann and Ben, 0 s")
    await ann.done("ready")
    assert line(house).endswith("waiting for Ben, 0 s")
    await ben.done("ready")
    assert line(house).endswith("waiting for Ann to start, 0 s")
    await ben.drop()
    assert line(house).endswith("waiting for Ben (away), 0 s")


@pytest.mark.parametrize("tables", [1, 12])
async def test_the_line_is_no_wider_than_the_terminal(house: House, tables: int) -> None:
    await house.connect()
    for number in range(tables):
        ann = await house.program(f"桜子{number}", "create six-card seats=2")
        await house.program(f"Maximiliane{number}", f"join t{number + 1}", "ready")
        await ann.done("ready")
        await ann.done("flip 1 2")
    for width in (59, 79, 119, 199):
        drawn = line(house, width)
        assert display_width(drawn) <= width
        told = drawn.count("waiting for Maximiliane")
        assert told == min(tables, drawn.count("waiting for"))
        more = tables - told
        assert (f"{more} more table" in drawn) is bool(more)
        assert told >= min(tables, (width - 20) // 40)


@pytest.mark.parametrize(
    ("reason", "is_damage"),
    [(StoreReason.DAMAGED, True), (StoreReason.FAULTY, True), (StoreReason.MISSING, False)],
)
async def test_damage_is_reported_until_it_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, reason: StoreReason, is_damage: bool
) -> None:
    looks, problem = list[None](), list[Exception]()

    def inspect() -> None:
        looks.append(None)
        if problem:
            raise problem[0]

    async def inspected() -> Status:
        seen = len(looks) + 2  # wait for two inspections, since one may have begun already
        while len(looks) < seen:  # noqa: ASYNC110 -- a thread looks
            await trio.sleep(0.001)
        return status_of(house.lobby)

    monkeypatch.setattr("golfnet.server.operations.status.INSPECT_SECONDS", 0.001)
    async with open_house() as house:
        monkeypatch.setattr(house.lobby.store, "inspect", inspect)
        house.nursery.start_soon(keep_inspecting, house.lobby)
        first = await inspected()
        assert (first.damage, first.not_ready) == ("", "")
        problem.append(StoreError(reason, "Pages are torn."))
        found = await inspected()
        assert (found.damage, found.not_ready) == ("Pages are torn." if is_damage else "", "")
        assert (await inspected()).inspected_at == found.inspected_at
        assert "Pages are torn." in caplog.text
        problem[:] = [OSError(EMFILE, "Too many open files")]
        assert (await inspected()).damage == found.damage
        assert "could not inspect the database" in caplog.text
        problem.clear()
        healed = await inspected()
        assert healed.damage == ""
        assert (healed.inspected_at or 0) > (found.inspected_at or 0) > 0
