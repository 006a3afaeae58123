"""Slam windows with seats that are away, that come back, or that bots play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from tests.server.house import open_house
from tests.server.slamming import SEVEN, THREE, put_bot, slam_table

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_c19_a_seat_that_is_gone_passes_by_itself(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        assert not slam.story("A"), "with the discard, before the test began to listen"
        assert slam.hole.window is not None
        assert slam.hole.window.passed == 0b010
        await slam.says("A", "pass")
        await slam.seats["C"].drop()
        await slam.listen()
        assert slam.story("A")[-3:] == ["passed C", "slam_closed", "turn B"]


async def test_who_comes_back_while_the_window_is_open_may_slam(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        await slam.until(1000)
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await back.poll()
        assert back.last("view")["slam"]["discard_no"] == 1
        assert (await back.ask("slam 4"))["code"] == "FALSE_START", "sooner than the view can be read"
        await slam.says("A", "slam 1", at=1300)
        await slam.until(1400)
        assert slam.story("A")[-1] == "slammed A A1 hit"


async def test_the_shown_discard_of_a_returned_player_is_in_its_view(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, absent="B")
        await slam.discards()
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await slam.until(200)
        await back.done("slam 4")
        await slam.until(400)
        assert slam.story("A")[-1] == "slammed B B4 hit"


@pytest.mark.parametrize("absent", ["", "B"])
async def test_coming_back_does_not_shorten_a_reaction(absent: str, autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0, 0, 0.04), absent=absent)
        await slam.discards()
        if not absent:
            await slam.seats["B"].drop()
        await slam.until(1000)
        back = await house.program()
        await back.done(f"resume {slam.seats['B'].token}")
        await slam.says("A", "slam 1", at=1190)
        await trio.sleep_until(slam.opened + 1.21)
        await back.done("slam 4")
        await slam.until(1400)
        assert [word for word in slam.story("C") if "slammed" in word] == [
            "slammed A A1 hit",
            "slammed B B4 late",
        ]


async def test_c19_bots_that_do_not_want_to_slam_pass_and_others_claim_through_the_arbiter(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="7C 5D", delays=(0, 0.01))
        put_bot(slam, "C", reaction=0.3, claim="B4")
        put_bot(slam, "B", reaction=None, claim=None)
        await slam.discards()
        await slam.until(299)
        assert slam.story("A") == []
        await slam.until(300 + 15)
        assert slam.story("A")[0] == "slammed C B4 hit"
        assert slam.hole.gift is not None
        assert slam.hole.gift.seat == 2


async def test_a_person_faster_than_a_bot_wins_though_the_line_comes_later(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, delays=(0.05,))
        put_bot(slam, "C", reaction=0.4, claim="B4")
        await slam.discards()
        await slam.says("A", "slam 1", at=480)
        await slam.until(480)
        judged = [word for word in slam.story("B") if "slammed" in word]
        assert judged == ["slammed A A1 hit", "slammed C B4 late"], "380 against 400 ms"


async def test_no_bot_is_faster_than_a_false_start_allows_and_it_claims_once(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock=SEVEN)
        bot = put_bot(slam, "B", reaction=0.01, claim="B1")
        await slam.discards()
        await slam.until(100)
        assert slam.story("A") == []
        await slam.until(142)
        assert slam.story("A") == ["slammed B B1 wrong", "penalty B", "passed B"]
        assert bot.asked == 1
        await slam.says("A", "pass")
        await slam.listen()
        assert slam.story("A")[-3:] == ["slam_closed", "turn B", "ok"]


@pytest.mark.parametrize("mode", ["order", "lot"])
async def test_bots_seal_their_claims_like_everybody(mode: str, autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock=SEVEN, options=f"slam={mode}")
        put_bot(slam, "C", reaction=0.5, claim="B4")
        put_bot(slam, "B", reaction=None, claim=None)
        await slam.discards()
        await slam.says("A", "pass", at=300)
        await slam.until(499)
        assert slam.story("B") == []
        await slam.until(500)
        assert "slammed C B4 hit" in slam.story("B")
        await slam.until(31_000)
        told = [word for word in slam.story("B") if word[:5] in ("passe", "slamm")]
        assert sorted(told) == ["passed A", "passed B", "slammed C B4 hit"], "the others after the gift"


async def test_what_a_power_left_of_its_clock_is_not_for_the_same_moment_of_the_next_match(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="JC 5D QH", layouts="4H 2C | 3S 4S\n7S 9C | 6S 7D")
        dealt_anew = slam.table.match
        await slam.discards()
        await slam.until(40_000)
        assert (await _view(slam.seats["A"]))["clock"] == {"seat": "A", "ms": 20_000}
        await slam.says("A", "decline")
        slam.table.set_match(dealt_anew._replace(hole=None))
        slam.table.settle()
        slam.table.set_match(dealt_anew)
        slam.table.settle()
        await slam.discards()
        assert (await _view(slam.seats["A"]))["clock"] == {"seat": "A", "ms": 60_000}


async def _view(program: Any) -> dict[str, Any]:
    await program.done("look")
    return dict(program.last("view"))
