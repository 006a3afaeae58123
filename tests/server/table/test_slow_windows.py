"""Slam windows that are interrupted: by a slow disk, a pause, reconnecting seats, or bots."""

import pytest
import trio

from tests.engine.drawing import THREE
from tests.server.held_journal import HeldJournal
from tests.server.house import House
from tests.server.slamming import SlamTable, open_window, put_bot, slam_table


async def test_the_window_and_reactions_start_when_the_discard_is_shown(
    house: House, held_journal: HeldJournal
) -> None:
    slam = await unshown_discard(house, held_journal, THREE)
    assert slam.table.windows.remaining_ms == 3000
    await slam.says("B", "slam 4 #1", at=350)
    await slam.until(400)
    assert slam.story("C") == []
    held_journal.go_on()
    await slam.says("A", "slam 1", at=400 + 119.9)
    await slam.until(1000)
    for seat in "AB":
        assert slam.seats[seat].answers[-1].get("code") == "FALSE_START"
    await slam.says("C", "slam A1", at=400 + 2999)
    assert (await slam.timed("C", until=3600))[-3:] == ["3399 slammed C A1 hit", "3399 clock C", "3399 ok"]


async def test_claims_survive_a_pause(house: House) -> None:
    slam = await slam_table(house, THREE, options="slam=order slam_window=3")
    put_bot(slam, "C", reaction=1.0, claim="A3")
    await slam.discards()
    await slam.says("B", "slam 4", at=300)
    house.lobby.pause("the disk is full")
    await slam.until(20_000)
    house.lobby.resume()
    judged = [word for word in await slam.timed(until=24_000) if "slam" in word]
    assert judged == ["23000 slammed B B4 hit", "23000 slammed C A3 late", "23000 slam_closed"]


async def test_a_window_that_is_first_shown_after_a_pause_is_closed_once(
    house: House, held_journal: HeldJournal
) -> None:
    slam = await unshown_discard(house, held_journal)
    for _ in range(2):  # the first pause is before the discard is shown, the second while the window is open
        house.lobby.pause("the disk is full")
        house.lobby.resume()
        held_journal.go_on()
        await slam.until(1000)
    assert [word for word in await slam.timed(until=9000) if "closed" in word] == ["4000 slam_closed"]


async def unshown_discard(house: House, journal: HeldJournal, *layouts: str) -> SlamTable:
    """Let A discard while the disk is too slow for anybody to be shown the card."""
    slam = await slam_table(house, *layouts)
    await slam.seats["A"].done("draw")
    journal.is_open = False
    await slam.seats["A"].send("discard")
    await slam.listen()
    slam.opened = trio.current_time()
    slam.forget()
    return slam


async def test_a_player_who_reconnects_cannot_slam_sooner_than_a_person_can_read_the_view(
    house: House,
) -> None:
    slam = await open_window(house, THREE, absent="B")
    await slam.until(1000)
    back = await house.resumed(slam.seats["B"])
    assert back.last("view")["slam"]["discard_no"] == 1
    assert (await back.ask("slam 4"))["code"] == "FALSE_START"


@pytest.mark.parametrize("absent", ["", "B"])
async def test_reconnecting_does_not_shorten_a_reaction(absent: str, house: House) -> None:
    slam = await open_window(house, THREE, delays=(0, 0, 0.04), absent=absent)
    if not absent:
        await slam.seats["B"].drop()
    await slam.until(1000)
    back = await house.resumed(slam.seats["B"])
    await slam.says("A", "slam 1", at=1190)
    await trio.sleep_until(slam.opened + 1.21)
    await back.done("slam 4")
    await slam.until(1400)
    slams = [word for word in slam.story("C") if "slammed" in word]
    assert slams == ["slammed A A1 hit", "slammed B B4 late"]


async def test_a_powers_remaining_clock_does_not_carry_over_to_the_next_match(house: House) -> None:
    slam = await slam_table(house, stock="JC 5D QH", layouts="4H 2C | 3S 4S\n7S 9C | 6S 7D")
    dealt_anew = slam.table.match
    await slam.discards()
    await slam.until(40_000)
    assert (await slam.seats["A"].look())["clock"] == {"seat": "A", "ms": 20_000}
    await slam.says("A", "decline")
    slam.table.set_match(dealt_anew._replace(hole=None))
    slam.table.settle()
    slam.table.set_match(dealt_anew)
    slam.table.settle()
    await slam.discards()
    assert (await slam.seats["A"].look())["clock"] == {"seat": "A", "ms": 60_000}
