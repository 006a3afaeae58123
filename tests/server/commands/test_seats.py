"""Tables that cannot be opened, and why."""

import pytest

from tests.server.house import open_house


@pytest.mark.parametrize("verb", ["create", "seek"])
@pytest.mark.parametrize(
    ("asked", "code", "named_in_it"),
    [
        ("nothing", "NO_SUCH_VARIANT", "six-card"),
        ("six-card seats=1", "BAD_OPTION", "seats"),
        ("six-card seats=9", "BAD_OPTION", "8"),
        ("six-card seats=x", "BAD_OPTION", "seats"),
        ("six-card holes=0", "BAD_OPTION", "holes"),
        ("six-card clock=5000", "BAD_OPTION", "3600"),
        ("six-card clock=-1", "BAD_OPTION", "clock"),
        ("six-card decks=1 seats=8 rows=9", "BAD_OPTION", ""),
        ("six-card colour=red", "BAD_OPTION", "colour"),
    ],
)
async def test_what_cannot_be_played_is_refused_with_the_option_and_the_bound(
    autojump_clock: object, verb: str, asked: str, code: str, named_in_it: str
) -> None:
    async with open_house() as house:
        ann = await house.program("Ann")
        error = await ann.ask(f"{verb} {asked}")
        assert error["code"] == code
        assert named_in_it in error["message"]
        assert not house.lobby.tables
