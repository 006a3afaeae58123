"""Players who keep others waiting lose their seat to the house, and in the end cannot take it back in this hole."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from golfnet.engine.layout import Seat
from golfnet.server.table.membership import RETURNS_FORGIVEN
from golfnet.server.table.seating import Chair, ChairKind
from tests.server.house import House, Program

LONG = "multiples seats=2 holes=3 clock=10 pause=5"


async def play(ann: Program) -> None:
    await ann.poll()
    if actions := ann.last("prompt")["actions"]:
        await ann.ask(actions[0])


async def stall(house: House, ann: Program, trick: Callable[[], Awaitable[object]]) -> int:
    """Let Ann play a hole while Bob only repeats a trick every second; return how many seconds Ann waited for Bob."""
    waited, table = 0, house.lobby.tables["t1"]
    while not ann.events("hole_ended"):
        await play(ann)
        clock = table.view(None).clock
        waited += clock is not None and clock.seat == "B" and chair_of(house).kind is ChairKind.HUMAN
        await trio.sleep(1)
        await trick()
    return waited


def chair_of(house: House) -> Chair:
    chair = house.lobby.tables["t1"].seating.at(Seat(1))
    assert chair is not None
    return chair


@pytest.mark.parametrize("line", ["draw at=1", "say hm"])
async def test_a_command_that_plays_nothing_does_not_end_a_series_of_timeouts(
    house: House, line: str
) -> None:
    ann, bob = await house.table(LONG, "Ann", "Bob")

    async def type_it() -> None:
        if not (line == "draw at=1" and bob.last("prompt")["actions"]):
            await bob.ask(line)

    waited = await stall(house, ann, type_it)
    assert [event["cause"] for event in ann.events("house_plays")] == ["idle"]
    assert not ann.events("returned")
    assert waited <= 3 * 10 + 3


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize("trick", ["ready", "resume"])
async def test_taking_the_seat_back_repeatedly_does_not_keep_others_waiting_forever(
    house: House, trick: str
) -> None:
    ann, bob = await house.table("six-card seats=2 holes=3 clock=10 pause=5 turn_cap=40", "Ann", "Bob")
    table = house.lobby.tables["t1"]
    here = [bob]

    async def come_back() -> None:
        if chair_of(house).kind is ChairKind.HUMAN:
            return
        if trick == "ready":
            await bob.ask("ready")
        else:
            await here[0].drop()
            here[0] = await house.resumed(bob)

    waited = await stall(house, ann, come_back)
    returns = len(ann.events("returned"))
    assert waited <= (3 + RETURNS_FORGIVEN) * 10 + 10
    if trick == "ready":
        assert returns == RETURNS_FORGIVEN
        until_the_end = bob.objects[: bob.objects.index(bob.events("hole_ended")[-1])]
        prompts = [thing for thing in until_the_end if thing["type"] == "prompt"]
        assert "ready" not in prompts[-1]["actions"]
    assert table.view(None).pause_ms is not None
    await here[0].done("ready")
    assert chair_of(house).kind is ChairKind.HUMAN, "the seat can be taken back again between holes"


async def test_playing_resets_the_counts_of_timeouts_and_returns(house: House) -> None:
    ann, bob = await house.table(LONG, "Ann", "Bob")
    chair = chair_of(house)
    chair.timeouts, chair.returns = 2, 3
    while not bob.last("prompt")["actions"]:
        await play(ann)
        await bob.poll()
    await bob.ask("knock")
    assert (chair.timeouts, chair.returns) == (2, 3)
    await bob.done(bob.last("prompt")["actions"][0])
    assert (chair.timeouts, chair.returns) == (0, 0)
