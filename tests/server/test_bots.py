"""Bots at real tables: they play to the end in virtual time."""

import pytest
import trio

from golfnet.bots.bot import LEVELS
from tests.server.house import House


@pytest.mark.parametrize("rules", ["six-card-final", "cactus"])
async def test_a_bot_of_each_level_plays_a_match_to_the_end(house: House, rules: str) -> None:
    """The host has to be a person, but does nothing after starting the match, so the house plays that seat."""
    [ann] = await house.opened(f"{rules} seats=6 clock=15 pause=3 holes=2", "Ann")
    await ann.done(*[f"bot {level}" for level in LEVELS], "start")
    await trio.sleep(10_000)
    [over] = ann.events("match_ended")
    assert len(ann.events("hole_ended")) == 2
    assert {event["seat"] for event in ann.events("turn")} == set("ABCDEF")
    assert "abandoned" not in {event["reason"] for event in ann.events("hole_ended")}
    assert len(over["totals"]) == 6
