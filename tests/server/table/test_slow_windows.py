"""Slam windows over a slow disk, and over a pause of the tables: reactions begin when the discard was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.server.house import open_house
from tests.server.slamming import SEVEN, THREE, put_bot, slam_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio.testing import MockClock

    from golfnet.storage.writes import Write


async def test_the_window_and_reactions_begin_when_the_discard_was_shown(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN)
        await slam.seats["A"].done("draw")
        house.lobby.gate._log = SlowDisk(house.lobby.tables.services.timers.after, 0.4)
        await slam.seats["A"].send("discard")
        await slam.listen()
        slam.opened = trio.current_time()
        slam.forget()
        await slam.says("B", "slam 4 #1", at=350)
        await slam.until(399)
        assert slam.story("C") == []
        await slam.says("A", "slam 1", at=400 + 119.9)
        await slam.until(1000)
        for seat in "AB":
            assert slam.seats[seat].answers[-1].get("code") == "FALSE_START"
        await slam.says("C", "slam A1", at=400 + 2999)
        await slam.until(400 + 2999 + 500)
        assert slam.story("C")[-3:] == ["slammed C A1 hit", "clock C", "ok"]


async def test_claims_outlive_a_pause_of_the_tables(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options="slam=order slam_window=3")
        put_bot(slam, "C", reaction=1.0, claim="A3")
        await slam.discards()
        await slam.says("B", "slam 4", at=300)
        house.lobby.pause("the disk is full")
        await slam.until(20_000)
        assert not [word for word in slam.story("A") if "slam" in word]
        house.lobby.go_on()
        await slam.until(22_999)
        assert not [word for word in slam.story("A") if "slam" in word]
        await slam.until(23_000)
        judged = [word for word in slam.story("A") if "slam" in word]
        assert judged == ["slammed B B4 hit", "slammed C A3 late", "slam_closed"]


async def test_a_window_that_was_shown_only_after_a_pause_has_one_end(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        await slam.seats["A"].done("draw")
        house.lobby.gate._log = SlowDisk(house.lobby.tables.services.timers.after, 0.4)
        await slam.seats["A"].send("discard")
        await slam.listen()
        slam.opened = trio.current_time()
        for _ in range(2):  # before the discard was shown, and while the window is open
            house.lobby.pause("the disk is full")
            house.lobby.go_on()
            await slam.until(1000)
        await slam.until(1000 + 2999)
        assert slam.hole.window is not None
        await slam.until(1000 + 3001)
        assert slam.hole.window is None


class SlowDisk:
    """A journal that takes its time."""

    def __init__(self, after: Callable[[float, Callable[[], None]], object], seconds: float) -> None:
        self.after = after
        self.seconds = seconds

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """Say a while later that the writes are durable."""
        self.after(self.seconds, then)
