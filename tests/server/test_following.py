"""A view that a peer folds from the server's events equals the server's own view."""

import random
from typing import Any

import pytest

from tests.server.following import Follower
from tests.server.house import House, Program, play_at_random


@pytest.mark.settings(seed=11, clock=0, pause=1)
@pytest.mark.parametrize("create", ["cactus slam=race", "cactus slam=order recall=always"])
async def test_folded_views_equal_those_of_the_server(house: House, create: str) -> None:
    programs = await house.table(f"{create} seats=3 target=60", "Ann", "Bob", "Cid")
    followers = [Follower(peer) for peer in (*programs, await house.program("Wim", "watch t1"))]

    async def compare() -> None:
        for follower in followers:
            await follower.compare()

    await play_at_random(programs, random.Random(create), compare)
    assert {"slammed", "penalty"} <= {event["event"] for event in programs[0].events()}


@pytest.mark.settings(clock=0, pause=1, grace=5, start_delay=60)
async def test_players_and_watchers_coming_and_going_are_also_folded(house: House) -> None:
    ann, bob, cid = await house.programs("ann", "bob", "cid")
    opened = await ann.done("create six-card holes=1")
    follower = Follower(ann)

    async def ask(peer: Program, line: str) -> dict[str, Any]:
        answer = await peer.ask(line)
        await follower.compare()
        return answer

    await ask(bob, f"join {opened['table']}")
    await ask(cid, f"join {opened['table']}")
    await ask(bob, "leave")
    await ask(ann, "bot")
    await ask(bob, f"watch {opened['table']}")
    await ask(bob, "unwatch")
    await ask(ann, "host C")
    await ask(cid, "ready")
    await ask(cid, "host A")
    await ask(ann, "start")
    await cid.drop()
    await follower.compare()
    back = await house.program()
    await ask(back, f"resume {cid.token}")
    await ask(back, "leave")
    assert follower.view is not None
    assert [seat.kind for seat in follower.view.seats][1:] in (["bot", "house"], ["house", "bot"])
