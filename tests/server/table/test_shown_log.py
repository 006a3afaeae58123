"""The log of slams as players see it after the hole: every claim, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.server.house import open_house
from tests.server.slamming import SEVEN, THREE, slam_table

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_the_log_is_shown_after_the_hole_with_every_number(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, delays=(0, 0.03))
        await slam.says("A", "knock")
        await slam.says("B", "draw")
        await trio.sleep(1)
        await slam.seats["B"].send("discard")
        await trio.sleep(0.03)
        await slam.seats["B"].settle()
        slam.opened = trio.current_time()
        slam.sends("B", "slam 4", at=520)
        await slam.says("A", "slam 1", at=500)
        await slam.until(600)
        assert slam.table.hole is None
        await slam.asks("A", "slam log")
        won, late = slam.seats["A"].last("rows")["rows"]
        assert won == {
            "hole": 1,
            "discard_no": 1,
            "card": "7C",
            "mode": "race",
            "place": 1,
            "seat": "B",
            "name": "Ben",
            "at": "B4",
            "result": "hit",
            "tied": False,
            "waited_ms": 520.0,
            "round_trip_ms": 60.0,
            "allowed_ms": 60.0,
            "jitter_ms": 0.0,
            "reaction_ms": 460.0,
            "margin_ms": 40.0,
        }
        assert (late["seat"], late["place"], late["result"], late["reaction_ms"]) == ("A", 2, "late", 500.0)
        totals = house.lobby.tables.services.slams
        assert (totals.windows, totals.results, totals.overtaken) == (1, {"hit": 1, "late": 1}, 1)
        assert totals.margins.counts == [0, 0, 0, 1, 0, 0, 0, 0, 0], "up to 60 ms"
        assert totals.wins.counts == [0, 0, 0, 1, 0, 0], "60 ms are in the bucket up to 100"
        assert totals.claims.counts == [1, 0, 0, 1, 0, 0]


async def test_the_log_is_not_shown_while_the_hole_is_played(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.until(2000)
        assert "slam_closed" in slam.story("A")
        assert (await slam.asks("B", "slam log"))["type"] == "ok"
        assert slam.seats["B"].last("rows")["rows"] == []


async def test_the_log_says_of_which_hole_it_is(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN, options="holes=3")
        await slam.discards()
        await slam.says("A", "slam 1", at=500)
        await slam.until(5000)
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of hole 1 when it is over."
        await slam.says("B", "knock")
        await slam.discards("A")
        await slam.until(8000)
        assert slam.table.hole is None
        assert (await slam.asks("A", "slam log"))["note"] == "These are the slams of hole 1."
        await trio.sleep(20)
        ok = await slam.asks("A", "slam log")
        assert len(slam.seats["A"].last("rows")["rows"]) == 1
        assert ok["note"] == "These are the slams of hole 1; you can see those of hole 2 when it is over."


async def test_the_log_says_that_nobody_slammed(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of hole 1 when it is over."
        await slam.says("A", "knock")
        await slam.discards("B")
        await slam.until(4000)
        assert (await slam.asks("A", "slam log"))["note"] == "There were no slams in hole 1."
        await slam.seats["A"].done("leave")
        await slam.asks("A", "create cactus")
        ok = await slam.asks("A", "slam log")
        assert ok["note"] == "You can see the slams of a hole when it is over."
        await slam.seats["A"].done("leave")
        await slam.asks("A", "create six-card")
        assert (await slam.asks("A", "slam log"))["note"] == "There are no slams in six-card."


async def test_a_race_is_over_when_every_seat_has_claimed_or_passed_but_not_before(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.discards()
        await slam.says("B", "slam 1", at=300)
        await slam.says("A", "pass", at=400)
        await slam.until(2500)
        assert "slam_closed" not in slam.story("A"), "C has said nothing yet"
        await slam.says("C", "slam 2", at=2500)
        await slam.until(2516)
        assert slam.story("A")[-4:] == ["slammed C C2 wrong", "penalty C", "slam_closed", "turn B"]


async def test_false_starts_and_void_claims_are_in_the_log_too(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.says("A", "knock")
        await slam.discards("B")
        await slam.says("B", "slam 4", at=50)
        await slam.says("A", "slam B4", at=500)
        await slam.says("A", "slam B4", at=600)
        await slam.listen()
        await slam.says("A", "give 1", at=700)
        await slam.until(3000)
        await slam.asks("A", "slam log")
        rows = slam.seats["A"].last("rows")["rows"]
        assert [(row["seat"], row["result"], row.get("waited_ms")) for row in rows] == [
            ("B", "false start", 50.0),
            ("A", "hit", 500.0),
        ]
