"""Options that are refused, and the limit on watched tables; ``conversations`` show how people find tables."""

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
