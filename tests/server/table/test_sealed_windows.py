"""Slam windows whose claims are shown only once everybody has answered, and passing for a whole hole."""

import pytest
import trio

from golfnet.engine import fairdeal
from golfnet.engine.layout import Seat
from tests.engine.drawing import THREE
from tests.server.house import House
from tests.server.slamming import open_window, slam_table


@pytest.mark.parametrize("mode", ["order", "lot"])
async def test_sealed_claims_are_not_shown_before_everybody_has_answered(mode: str, house: House) -> None:
    slam = await open_window(house, THREE, options=f"slam={mode}")
    lot = fairdeal.lot_order(slam.hole.deal.key, 1, (Seat(1), Seat(2), Seat(0)))
    assert (await slam.asks("A", "slam 1", at=5))["type"] == "ok", "speed does not count"
    assert (await slam.asks("C", "pass", at=900))["type"] == "ok"
    assert slam.seats["A"].last("prompt")["actions"] == []
    for seat, line in (("A", "slam 3"), ("C", "slam 3"), ("C", "pass")):
        assert (await slam.asks(seat, line))["code"] == "BAD_PHASE", "C21: one answer each"
    await slam.says("B", "slam 4", at=2000)
    order = "BCA" if mode == "order" else "".join("ABC"[seat] for seat in lot)
    first, second = [seat for seat in order if seat != "C"]
    said = {"A": "A A1", "B": "B B4"}
    judged = {"C": "passed C", first: f"slammed {said[first]} hit", second: f"slammed {said[second]} late"}
    expected = [f"2000 {what}" for what in (*[judged[seat] for seat in order], "slam_closed", "turn B", "ok")]
    assert await slam.timed("B", until=2500) == expected


async def test_sealed_claims_are_judged_when_time_is_up_and_then_the_window_closes(house: House) -> None:
    slam = await open_window(house, THREE, options="slam=order slam_window=4")
    await slam.says("B", "slam 1", at=100)
    await slam.says("C", "slam A3", at=3900)
    await slam.says("C", "give 2", at=6000)
    assert await slam.timed(until=7000) == [
        *("4000 slammed B B1 wrong", "4000 penalty B", "4000 slammed C A3 hit", "4000 clock C"),
        *("6000 gave C", "6000 slam_closed", "6000 turn B"),  # nobody can be late
    ]


async def test_a_seat_keeps_its_power_after_claiming_or_passing(house: House) -> None:
    slam = await open_window(house, stock="JC 5D QH", options="slam=order")
    await slam.says("A", "pass", at=500)
    await slam.listen()
    actions = slam.seats["A"].last("prompt")["actions"]
    assert "decline" in actions
    assert not {"pass", "slam"} & set(actions)


# pass hole: players with nothing to slam need not pass at every discard


async def test_a_player_passing_for_the_whole_hole_is_neither_awaited_nor_prompted(house: House) -> None:
    slam = await slam_table(house, THREE)
    assert (await slam.asks("B", "pass hole"))["type"] == "ok"
    await slam.discards()
    assert "pass" not in slam.table.broadcast.offer(Seat(1))[0]
    assert slam.table.broadcast.view(Seat(1)).targets == ()
    assert "pass" in slam.table.broadcast.offer(Seat(2))[0]
    await slam.says("A", "pass", at=500)
    await slam.says("C", "pass", at=600)
    assert (await slam.timed("B", until=700))[:3] == ["500 passed A", "600 passed C", "600 passed B"]


async def test_a_player_passing_for_the_whole_hole_may_still_slam_and_is_awaited_again(house: House) -> None:
    slam = await slam_table(house, THREE, stock="7C 8D QH QD")
    await slam.asks("B", "pass hole")
    await slam.discards()
    await slam.says("A", "pass", at=500)
    assert (await slam.asks("B", "slam 4", at=600))["type"] == "ok"
    await slam.says("C", "pass", at=900)
    assert "615 slammed B B4 hit" in await slam.timed("C", until=2000)
    await slam.discards("B")
    await slam.says("A", "pass", at=500)
    await slam.says("C", "pass", at=600)
    assert "slam_closed" not in str(await slam.timed("C", until=700))


async def test_passes_for_the_whole_hole_are_also_sealed(house: House) -> None:
    slam = await slam_table(house, THREE, options="slam=order")
    for seat in "BC":
        await slam.asks(seat, "pass hole")
    await slam.discards()
    await slam.says("A", "pass", at=500)
    told = await slam.timed("C", until=500)
    assert told[:4] == ["500 passed B", "500 passed C", "500 passed A", "500 slam_closed"]


async def test_passing_for_the_whole_hole_needs_slams(house: House) -> None:
    ann, _ = await house.table("cactus slam=off", "Ann", "Bob")
    assert await ann.codes("pass hole", "pass match") == ["NOT_IN_RULES", "BAD_ARGUMENT"]


async def test_passing_for_the_whole_hole_ends_with_the_hole(house: House) -> None:
    slam = await slam_table(house, stock="7C 8D QH QD", leader="B", options="holes=2 pause=1")
    await slam.asks("B", "pass hole")
    await slam.seats["B"].done("knock")
    await slam.discards("A")
    await slam.says("A", "pass")
    await slam.until(100)
    assert slam.table.state.value == "between", "nobody waits for B in this hole"
    await trio.sleep(2)
    assert slam.table.state.value == "playing"
    assert not slam.table.windows._passing
