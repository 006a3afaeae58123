"""Options that are refused, joining by a player's name, leaving a line, and the limit on watched tables."""

import pytest

from golfnet.server.budget import WATCHED_AT_ONCE
from tests.server.house import House


@pytest.mark.parametrize("verb", ["create", "seek"])
async def test_unplayable_options_are_refused_with_their_limits(house: House, verb: str) -> None:
    ann = await house.program("Ann")
    for asked, code, named_in_it in (
        ("nothing", "NO_SUCH_VARIANT", "six-card"),
        ("six-card seats=9", "BAD_OPTION", "8"),
        ("six-card holes=0", "BAD_OPTION", "holes"),
        ("six-card clock=5000", "BAD_OPTION", "3600"),
        ("six-card decks=1 seats=8 rows=9", "BAD_OPTION", ""),
        ("six-card colour=red", "BAD_OPTION", "colour"),
        ("six-card fill=soon", "BAD_OPTION", "3600"),
        ("six-card fill=3601", "BAD_OPTION", "3600"),
        ("six-card fill=30 level=genius", "BAD_ARGUMENT", "hard"),
        ("six-card level=easy", "BAD_OPTION", "fill=SECONDS"),
        ("six-card level=easy fill=0", "BAD_OPTION", "fill=SECONDS"),
    ):
        error = await ann.ask(f"{verb} {asked}")
        assert error["code"] == code, asked
        assert named_in_it in error["message"], asked
    assert not house.lobby.tables


async def test_join_and_watch_accept_a_players_name_unless_a_table_has_it(house: House) -> None:
    await house.opened("six-card", "Ann", "Bob")
    await house.opened("six-card name=Bob", "Dan")
    eve = await house.program("Eve")
    assert (await eve.done("watch ANN"))["table"] == "t1"
    assert (await eve.done("join bob"))["table"] == "t2"


async def test_the_number_of_tables_watched_at_once_is_limited(house: House) -> None:
    for number in range(WATCHED_AT_ONCE + 1):
        await house.program(f"Keeper{number}", "create six-card")
    program = await house.program("Ann")
    for number in range(1, WATCHED_AT_ONCE + 1):
        await program.done(f"watch t{number}")
    await program.done("watch t1")
    refused = await program.ask(f"watch t{WATCHED_AT_ONCE + 1}")
    assert refused["code"] == "TOO_MANY"
    assert "unwatch" in refused["message"]
    await program.done("unwatch t3", f"watch t{WATCHED_AT_ONCE + 1}")


async def test_leave_gives_up_a_place_in_line_and_is_refused_to_other_watchers(house: House) -> None:
    await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    cid, eve = await house.person("Cid", "join t1"), await house.person("Eve", "watch t1")
    assert "You have left the line and stopped watching t1." in await cid.say("leave")
    assert [watcher.name for watcher in house.lobby.tables["t1"].watchers.values()] == ["Eve"]
    assert "NOT_SEATED" in await eve.say("leave")
