"""Players who keep others waiting lose their seat to the house, and in the end cannot take it back in this hole."""

import pytest
import trio

from golfnet.engine.layout import Seat
from golfnet.server.table.membership import RETURNS_FORGIVEN
from golfnet.server.table.seating import Chair, ChairKind
from tests.server.house import House, Program


async def play(ann: Program) -> None:
    await ann.poll()
    if actions := ann.last("prompt")["actions"]:
        await ann.ask(actions[0])


def chair_of(house: House) -> Chair:
    chair = house.lobby.tables["t1"].seating.at(Seat(1))
    assert chair is not None
    return chair


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize("trick", ["ready", "resume"])
async def test_taking_the_seat_back_repeatedly_does_not_keep_others_waiting_forever(
    house: House, trick: str
) -> None:
    ann, bob = await house.table("six-card seats=2 holes=3 clock=10 pause=5 turn_cap=40", "Ann", "Bob")
    table, waited = house.lobby.tables["t1"], 0
    while not ann.events("hole_ended"):
        await play(ann)
        clock, is_here = table.broadcast.view(None).clock, chair_of(house).kind is ChairKind.HUMAN
        waited += clock is not None and clock.seat == "B" and is_here
        await trio.sleep(1)
        if chair_of(house).kind is ChairKind.HUMAN:
            continue
        if trick == "ready":
            await bob.ask("ready")
        else:
            await bob.drop()
            bob = await house.resumed(bob)
    assert waited <= (3 + RETURNS_FORGIVEN) * 10 + 10
    if trick == "ready":
        assert len(ann.events("returned")) == RETURNS_FORGIVEN
        until_the_end = bob.objects[: bob.objects.index(bob.events("hole_ended")[-1])]
        prompts = [thing for thing in until_the_end if thing["type"] == "prompt"]
        assert "ready" not in prompts[-1]["actions"]
    assert table.broadcast.view(None).pause_ms is not None
    await bob.done("ready")
    assert chair_of(house).kind is ChairKind.HUMAN, "the seat can be taken back again between holes"


async def test_playing_resets_the_counts_of_timeouts_and_returns(house: House) -> None:
    ann, bob = await house.table("multiples seats=2 holes=3 clock=10 pause=5", "Ann", "Bob")
    chair = chair_of(house)
    chair.timeouts, chair.returns = 2, 3
    while not bob.last("prompt")["actions"]:
        await play(ann)
        await bob.poll()
    for line in ("knock", "draw at=1", "say hm"):
        await bob.ask(line)
        assert (chair.timeouts, chair.returns) == (2, 3)
    await bob.done(bob.last("prompt")["actions"][0])
    assert (chair.timeouts, chair.returns) == (0, 0)
