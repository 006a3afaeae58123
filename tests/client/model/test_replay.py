"""A record looked at again ends where the match ended, with every card open to the eye."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from golfnet_client.model.model import Model, Place
from golfnet_client.model.replay import replay_of
from golfnet_client.terminal.client import Client
from tests.server.house import open_house, play_at_random

if TYPE_CHECKING:
    import trio.testing


async def record_of(create: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Play a match at random; return its record and its last event."""
    async with open_house(clock=0, pause=1) as house:
        programs = await house.table(create, "ann", "bob")
        await play_at_random(programs, random.Random(5))
        ended = programs[0].events("match_ended")[-1]
        await programs[0].done(f"record {ended['match']}")
        lines = [
            line for thing in programs[0].objects if thing.get("kind") == "record" for line in thing["rows"]
        ]
        return lines, ended


@pytest.mark.parametrize(
    "create", ["six-card holes=2", "cactus holes=2 target=none", "multiples holes=1 turn_cap=5"]
)
async def test_a_replay_tells_the_match(create: str, autojump_clock: trio.testing.MockClock) -> None:
    lines, ended = await record_of(create)
    replay = replay_of(lines)
    last = replay.views[-1]
    assert [seat.total for seat in last.seats] == ended["totals"]
    assert last.state == "finished"
    hidden = [slot for view in replay.views for seat in view.seats for slot in seat.slots if slot == "?"]
    assert hidden == [], "a record hides nothing"


async def test_one_goes_to_and_fro(autojump_clock: trio.testing.MockClock) -> None:
    lines, _ = await record_of("six-card holes=3")
    model = Model()
    client = Client(model, send=lambda line: None, now=lambda: 0.0)
    replay = client.replay = replay_of(lines)
    replay.show(model)
    assert model.table is not None
    assert model.table.phase == "start", "it begins with the first deal"
    client.press("n")
    assert model.table is not None
    assert model.table.hole == 2
    assert model.table.phase == "start"
    client.press("p")
    assert model.table.hole == 1
    client.press("end")
    assert model.table.state == "finished"
    client.press("right")
    assert replay.at == len(replay.views) - 1
    assert "replay, " in client.picture(80, 23).lines()[0]
    client.press("q")
    assert model.place is Place.LOBBY
