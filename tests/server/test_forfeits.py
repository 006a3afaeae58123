"""Leaving a rated match, or being absent at its end, means last place; the scores stay as played."""

import math
import random
from typing import Any

import pytest
import trio

from golfnet.engine.layout import Seat
from golfnet.protocol.replies.presence import Cause, Ending
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import PlayerKind
from tests.server.house import House, Program, open_house, play_at_random
from tests.storage.rows import rating as stored_rating

pytestmark = pytest.mark.usefixtures("virtual_time")

ONE_HOLE = "six-card holes=1 clock=20"
GRACE = 30


async def play_on(*programs: Program) -> None:
    await play_at_random([*programs], random.Random(1))


UNRATED = -math.inf


def rating(house: House, name: str) -> float:
    player = house.lobby.store.player_by_name(name)
    assert player is not None
    found = stored_rating(house.lobby.store, player.id, "six-card", PlayerKind.GUEST)
    return UNRATED if found is None else found.mu


async def history(program: Program) -> dict[str, Any]:
    [row] = await program.rows("history t1")
    return dict(row)


async def test_a_player_who_leaves_ranks_last_and_the_one_who_stays_wins(house: House) -> None:
    ann, bob = await house.table(ONE_HOLE, "Ann", "Bob")
    await ann.done("leave")
    await play_on(bob)
    assert rating(house, "Bob") > 25 > rating(house, "Ann")
    row = await history(bob)
    assert row["ranks"] == [2, 1]
    assert [(player["kind"], player["ending"]) for player in row["players"]] == [
        ("house", "left"),
        ("guest", "played"),
    ]
    # What players are sent still has the totals and places as played.
    ended = bob.events("match_ended")[0]
    assert (row["totals"], row["places"]) == (ended["totals"], ended["places"])
    assert (await bob.rows("stats Ann"))[0] == {
        **{"name": "Ann", "variant": "six-card", "matches": 1, "wins": 0},
        **{"forfeits": 1, "best": None, "average": None},
    }
    eve = await house.person("Eve")
    assert "Ann (left)" in await eve.say("history t1")


async def test_a_match_ended_by_the_operator_is_not_rated(house: House) -> None:
    ann, _, _ = await house.table(ONE_HOLE, "Ann", "Bob", "Cid")
    await ann.done("leave")
    house.lobby.tables["t1"].close(Ending.OPERATOR)
    assert [rating(house, name) for name in ("Ann", "Bob", "Cid")] == [UNRATED] * 3


@pytest.mark.settings(house_delay=10, clock=20)
async def test_a_player_who_plays_the_last_action_was_present_at_the_end(house: House) -> None:
    """The house plays the seat, but its owner acts before the house does, and so ends the match."""
    ann, bob = await house.table("four-turn holes=1", "Ann", "Bob")
    table = house.lobby.tables["t1"]
    table.membership.house_takes_over(table.seating.chair(Seat(0)), Cause.IDLE)
    table.settle()
    await bob.poll()
    await play_on(ann, bob)
    row = await history(bob)
    assert [player["ending"] for player in row["players"]] == ["played", "played"]


@pytest.mark.parametrize("ending", ["played", "excused", "absent"])
async def test_absence_because_of_a_restart_is_excused_unless_the_player_returns_without_playing(
    ending: str,
) -> None:
    store = MemoryStore()
    async with open_house(store=store, grace=GRACE) as house:
        ann, bob, cid = await house.table(ONE_HOLE, "Ann", "Bob", "Cid")
        await cid.done("leave")
    async with open_house(store=store, grace=GRACE) as house:
        programs = [await house.resumed(bob)]
        if ending != "excused":
            programs.append(await house.resumed(ann))
        if ending == "absent":
            programs.pop()
        await trio.sleep(GRACE + 1)
        await play_on(*programs)
        row = await history(programs[0])
        assert [player["ending"] for player in row["players"]] == [ending, "played", "left"]
        assert row["ranks"][2] == 3
        assert (rating(house, "Ann") == UNRATED) is (ending == "excused")
        assert rating(house, "Bob") > rating(house, "Cid") > UNRATED
