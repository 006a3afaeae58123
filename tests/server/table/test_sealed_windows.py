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
    assert (await slam.asks("A", "slam 1", at=5))["type"] == "ok", "speed does not count"
    assert (await slam.asks("C", "pass", at=900))["type"] == "ok"
    for seat in "ABC":
        assert [word for word in slam.story(seat) if word != "ok"] == []
    assert slam.seats["A"].last("prompt")["actions"] == []
    assert (await slam.asks("A", "slam 3"))["code"] == "BAD_PHASE"
    assert (await slam.asks("C", "slam 3"))["code"] == "BAD_PHASE", (
        "C21: a seat that has passed may not claim"
    )
    assert (await slam.asks("C", "pass"))["code"] == "BAD_PHASE"
    slam.forget()
    await slam.says("B", "slam 4", at=2000)
    await slam.listen()
    lot = fairdeal.lot_order(slam.hole.deal.key, 1, (Seat(1), Seat(2), Seat(0)))
    order = "BCA" if mode == "order" else "".join("ABC"[seat] for seat in lot)
    first, second = [seat for seat in order if seat != "C"]
    said = {"A": "A A1", "B": "B B4"}
    expected = {"C": "passed C", first: f"slammed {said[first]} hit", second: f"slammed {said[second]} late"}
    assert slam.story("C") == [*[expected[seat] for seat in order], "slam_closed", "turn B"]
    assert slam.story("B") == [*slam.story("C"), "ok"]


async def test_sealed_claims_are_judged_at_the_windows_end_which_then_closes_at_once(house: House) -> None:
    slam = await open_window(house, THREE, options="slam=order slam_window=4")
    await slam.says("B", "slam 1", at=100)
    await slam.says("C", "slam A3", at=3900)
    await slam.until(3999)
    assert slam.story("A") == []
    await slam.until(4000)
    judged = [word for word in slam.story("A") if "slammed" in word or "closed" in word]
    assert judged == ["slammed B B1 wrong", "slammed C A3 hit"]
    assert slam.hole.gift is not None
    await slam.says("C", "give 2", at=6000)
    await slam.listen()
    assert slam.story("A")[-2:] == ["slam_closed", "turn B"], "nobody can be late"


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
    assert not slam.table.offers(Seat(1), "pass")
    assert slam.table.view(Seat(1)).targets == ()
    assert slam.table.offers(Seat(2), "pass")
    await slam.says("A", "pass", at=500)
    await slam.until(500)
    assert slam.story("A") == ["passed A", "ok"]
    await slam.says("C", "pass", at=600)
    await slam.until(600)
    assert "slam_closed" in slam.story("C")
    assert slam.story("B")[:2] == ["passed A", "passed C"]


async def test_a_player_passing_for_the_whole_hole_may_still_slam_and_is_awaited_again(house: House) -> None:
    slam = await slam_table(house, THREE, stock="7C 8D QH QD")
    assert (await slam.asks("B", "pass hole"))["type"] == "ok"
    await slam.discards()
    await slam.says("A", "pass", at=500)
    await slam.until(500)
    assert (await slam.asks("B", "slam 4", at=600))["type"] == "ok"
    await slam.says("C", "pass", at=900)
    await slam.until(900)
    assert "slammed B B4 hit" in slam.story("C")
    await slam.until(2000)
    await slam.discards("B")
    await slam.says("A", "pass", at=500)
    await slam.says("C", "pass", at=600)
    await slam.until(600)
    assert "slam_closed" not in slam.story("C")


async def test_passes_for_the_whole_hole_are_also_sealed(house: House) -> None:
    slam = await slam_table(house, THREE, options="slam=order")
    for seat in "BC":
        assert (await slam.asks(seat, "pass hole"))["type"] == "ok"
    await slam.discards()
    assert slam.story("A") == []
    await slam.says("A", "pass", at=500)
    await slam.until(500)
    assert sorted(slam.story("C")[:4]) == ["passed A", "passed B", "passed C", "slam_closed"]


async def test_passing_for_the_whole_hole_needs_slams(house: House) -> None:
    ann, _ = await house.table("cactus slam=off", "Ann", "Bob")
    assert (await ann.ask("pass hole"))["code"] == "NOT_IN_RULES"
    assert (await ann.ask("pass match"))["code"] == "BAD_ARGUMENT"


async def test_the_next_hole_waits_for_everybody_again(house: House) -> None:
    slam = await slam_table(house, stock="7C 8D QH QD", leader="B", options="holes=2 pause=1")
    await slam.asks("B", "pass hole")
    await slam.seats["B"].done("knock")
    await slam.discards("A")
    await slam.says("A", "pass")
    await slam.until(100)
    assert slam.table.state.value == "between", "nobody waits for B in this hole"
    await trio.sleep(2)
    assert slam.table.state.value == "playing"
    assert not slam.table.parts.windows._passing
