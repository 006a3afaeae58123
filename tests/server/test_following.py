"""A view that a peer folds from the server's events equals the server's own view."""

import random

import msgspec
import pytest

from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold, prompted
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from tests.protocol.tabletop import differences
from tests.server.house import House, Program, play_at_random
from tests.server.table.test_sealing import TEXT, sealed


class Follower:
    """Folds the events sent to one peer into a view, and compares it with the server's answer to ``look``."""

    def __init__(self, peer: Program) -> None:
        self.peer = peer
        self._view: TableView | None = None
        self._read = 0

    async def compare(self) -> None:
        await self.peer.poll()
        for thing in self.peer.objects[self._read :]:
            reply = data.decode(msgspec.json.encode(thing))
            match reply:
                case TableView() if self._view is None:
                    self._view = reply
                case Happened() if self._view is not None:
                    self._view = fold(self._view, reply)
                case Prompt() if self._view is not None:
                    self._view = prompted(self._view, reply)
                case _:
                    pass
        truth = data.decode(msgspec.json.encode(await self.peer.look("t1")))
        self._read = len(self.peer.objects)
        assert isinstance(truth, TableView)
        assert self._view is not None
        assert differences(self._view, truth) == {}


@pytest.mark.settings(seed=11, clock=0, pause=1)
@pytest.mark.parametrize("create", ["cactus slam=race", "cactus slam=order recall=always"])
async def test_folded_views_equal_those_of_the_server(house: House, create: str) -> None:
    programs = await house.table(f"{create} seats=3 target=25", "Ann", "Bob", "Cid")
    followers = [Follower(peer) for peer in (*programs, await house.program("Wim", "watch t1"))]

    async def compare() -> None:
        for follower in followers:
            await follower.compare()

    await play_at_random(programs, random.Random(create), compare)
    assert {"slammed", "penalty"} <= {event["event"] for event in programs[0].events()}


@pytest.mark.settings(clock=0, pause=1, grace=5, start_delay=60)
async def test_what_happens_outside_play_is_also_folded(house: House) -> None:
    people = {each.name: each for each in await house.programs("ann", "bob", "cid", "dee")}
    await people["ann"].done("create four-turn holes=1")
    followers = [Follower(people["ann"]), Follower(await house.program("Wim", "watch t1"))]
    for who, line in (
        *(("bob", "join t1"), ("cid", "join t1"), ("bob", "leave"), ("bob", "watch t1"), ("bob", "unwatch")),
        *(("ann", "bot fill=30"), ("ann", "bot fill=off"), ("ann", "bot fill=20"), ("ann", "bot fill=off")),
        *(("ann", "bot"), ("ann", "host C"), ("cid", "host A"), ("cid", "cut in the open")),
        *(("ann", f"seal {sealed('ann')}"), ("cid", "ready"), ("ann", "start"), ("ann", f"cut {TEXT}")),
        *(("cid", "gone"), ("ann", "seat C dee"), ("dee", "join t1"), ("cid", "back"), ("cid", "leave")),
    ):
        if line == "gone":
            await people[who].drop()
        elif line == "back":
            people[who] = await house.resumed(people[who])
        else:
            await people[who].done(line)
        for follower in followers:
            await follower.compare()
    shown = people["ann"].last("view")["seats"]
    assert [seat["kind"] for seat in shown] == ["human", "bot", "house"]
