"""Seats without a person: a bot slams once, never sooner than a person could, and absent players pass."""

import pytest

from golfnet.server.table.bots import QUICKEST
from golfnet.server.table.seating import ChairKind
from tests.engine.drawing import THREE
from tests.server.house import House
from tests.server.slamming import put_bot, slam_table


@pytest.mark.parametrize(("mode", "reaction"), [("race", 0.0), ("race", -1.0), ("race", 1.0), ("order", 0.0)])
async def test_a_bot_claims_once_after_its_reaction_time_and_never_before_the_minimum(
    mode: str, reaction: float, house: House
) -> None:
    assert QUICKEST > 0.12, "sooner, it would be a false start"
    slam = await slam_table(house, THREE, options=f"slam={mode}")
    bot = put_bot(slam, "C", reaction=reaction, claim="A3")
    await slam.discards()
    for seat in "AB":
        await slam.says(seat, "pass", at=50)
    told = await slam.timed(until=2000)
    due = 1000 * max(reaction, QUICKEST)
    assert [word for word in told if "slammed" in word] == [f"{due:g} slammed C A3 hit"]
    assert bot.asked == [2], "once"


@pytest.mark.parametrize("kind", [ChairKind.BOT, ChairKind.HOUSE])
async def test_only_seats_from_which_no_answer_will_come_pass_automatically(
    kind: ChairKind, house: House
) -> None:
    slam = await slam_table(house, THREE)
    for seat, reaction in (("B", None), ("C", 2.0)):
        put_bot(slam, seat, reaction=reaction, claim="1")
        slam.table.seating.chairs["ABC".index(seat)].kind = kind  # type: ignore[union-attr]
    await slam.opens()
    await slam.until(1000)
    assert slam.hole.window is not None
    assert slam.hole.window.passed == 0b010
    await slam.seats["A"].drop()
    assert slam.hole.window.passed == 0b011
    await slam.until(2000)
    assert "slammed C C1 wrong" in slam.story("B")


async def test_bots_pass_if_another_claim_succeeds_before_theirs(house: House) -> None:
    slam = await slam_table(house, THREE)
    for seat, reaction in (("B", 0.3), ("C", 2.0)):
        put_bot(slam, seat, reaction=reaction, claim=f"{seat}4")
    await slam.discards()
    told = await slam.timed(until=2500)
    assert told[:3] == ["315 slammed B B4 hit", "315 passed B", "315 passed C"]
    assert "slammed C" not in str(told)


async def test_a_bots_claim_that_the_rules_no_longer_allow_is_not_a_fault(house: House) -> None:
    slam = await slam_table(house, THREE)
    put_bot(slam, "C", reaction=1.0, claim="9")
    await slam.discards()
    assert await slam.timed(until=3500) == ["1000 passed C", "3000 slam_closed", "3000 turn B"]
