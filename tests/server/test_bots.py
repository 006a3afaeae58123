"""Bots at real tables: they play to the end in virtual time, and are marked as bots."""

import re
from typing import Any

import pytest
import trio

from golfnet.bots.bot import LEVELS
from golfnet.protocol.commands.help import help_page
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from tests.server.house import House, Program


async def ended(program: Program) -> dict[str, object]:
    """Wait until the match is over, and return its last event."""
    for _ in range(3000):
        await program.poll()
        if over := program.events("match_ended"):
            return over[-1]
        await trio.sleep(5)
    raise AssertionError("the match did not end")


@pytest.mark.parametrize("rules", ["six-card-final", "cactus"])
async def test_a_bot_of_each_level_plays_a_match_to_the_end(house: House, rules: str) -> None:
    """The host has to be a person; since they do nothing after opening the table, the house plays their seat."""
    [ann] = await house.opened(f"{rules} seats=6 clock=15 pause=3 holes=2", "Ann")
    for level in LEVELS:
        await ann.done(f"bot {level}")
    await ann.done("start")
    over = await ended(ann)
    assert len(ann.events("hole_ended")) == 2
    assert {event["seat"] for event in ann.events("turn")} == set("ABCDEF")
    assert "abandoned" not in {event["reason"] for event in ann.events("hole_ended")}
    totals = over["totals"]
    assert isinstance(totals, list)
    assert len(totals) == 6


async def test_bots_are_marked_in_every_list(house: House) -> None:
    ann, bob, eve = await house.program("Ann"), await house.program("Bob"), await house.person("Eve")
    await ann.done("create six-card seats=3 holes=1 clock=5")
    for level in ("hard", "easy"):
        await ann.done(f"bot {level}")
    marked = [("Ann", "human"), ("hard-bot", "bot"), ("easy-bot", "bot")]
    assert named(ann.events("seated")) == marked
    await bob.done("watch t1")
    assert named(bob.last("view")["seats"]) == marked
    assert named((await bob.rows("tables"))[0]["players"]) == marked
    assert named(await bob.rows("who"))[-2:] == marked[1:]
    await ann.done("start")
    await ended(ann)
    (match,) = await ann.rows("history t1")
    assert [player["kind"] for player in match["players"]] == ["guest", "bot", "bot"]
    await eve.say("set width 200")
    for style in ("plain", "speech"):
        await eve.say(f"set style {style}")
        for line in ("tables", "history t1", "watch t1"):
            assert "hard-bot" in await eve.say(line)  # only bots can have such a name
            assert "Ann (bot)" in await eve.say("tables")
        assert re.search(r"hard-bot\W+(t1 B +)?bot", await eve.say("who"))
        await eve.say("unwatch")
    assert not await ann.rows("top six-card")  # bots have no rating


async def test_a_table_closes_when_only_bots_are_left(house: House) -> None:
    [ann], eve = await house.opened("six-card seats=3", "Ann"), await house.program("Eve")
    await eve.done("watch t1")
    for level in ("easy", "hard"):
        await ann.done(f"bot {level}")
    await ann.done("start")
    await ann.done("leave")
    assert [event["event"] for event in eve.events()][-3:] == ["hole_ended", "match_ended", "closed"]
    assert eve.events("hole_ended")[-1]["reason"] == "abandoned"
    assert not house.lobby.tables
    assert "when the last person leaves" in " ".join(help_page("bots", manual_for(Config())))


def named(things: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(thing["name"], thing["kind"]) for thing in things]
