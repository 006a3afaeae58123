"""A folded view equals the server's own at every step, for every rule set."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import fold
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.replies.steps import Gap
from tests.protocol.following import Follower
from tests.server.house import Program, choose_line, open_house

if TYPE_CHECKING:
    import trio.testing

GAMES = [
    "four-turn holes=2",
    "cactus seats=3 slam=race",
    "cactus seats=2 slam=order recall=always",
    "cactus seats=4 slam=lot recall=always deck=standard",
    "six-card holes=2",
    "six-card-final holes=2 jokers=2 penalty=double",
    "four-card-knock holes=2 recall=always",
    "multiples holes=2 final_turn=on",
    "multiples holes=1 turn_cap=6",
    "eight-card holes=1",
    "nine-card holes=1",
]


@pytest.mark.parametrize("game", GAMES)
async def test_the_fold_equals_the_servers_view_after_every_command(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    chance = random.Random(game)
    async with open_house(seed=7, clock=0, pause=1) as house:
        seats = next((int(word[6:]) for word in game.split() if word.startswith("seats=")), 2)
        names = ["ann", "bob", "cid", "dora"][:seats]
        programs = [await house.program(name) for name in names]
        watcher = await house.program("wim")
        opened = await programs[0].done(f"create {game}")
        await watcher.done(f"watch {opened['table']}")
        followers = [Follower(peer) for peer in (*programs, watcher)]
        for program in programs[1:]:
            await program.done(f"join {opened['table']}")
        for follower in followers:
            await follower.compare()
        for program in programs:
            await program.ask("ready")
        await programs[0].ask("start")
        await play_and_compare(programs, followers, chance)
        assert all(follower.compared > 10 for follower in followers)


async def play_and_compare(programs: list[Program], followers: list[Follower], chance: random.Random) -> None:
    import trio

    for _ in range(600):
        for follower in followers:
            await follower.compare()
        if any(thing.get("event") == "match_ended" for thing in programs[0].objects):
            return
        ready = [peer for peer in programs if peer.last("prompt")["actions"]]
        if not ready:
            await trio.sleep(0.5)
            continue
        peer = chance.choice(ready)
        await peer.ask(choose_line(peer.last("prompt"), chance))


async def test_those_who_come_and_go_are_folded_too(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house(clock=0, pause=1, grace=5, start_delay=60) as house:
        ann, bob, cid = [await house.program(name) for name in ("ann", "bob", "cid")]
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


async def test_a_gap_asks_for_a_whole_view(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house(clock=0) as house:
        ann = await house.program("ann")
        await ann.done("create six-card")
        view = data.decode(msgspec.json.encode(ann.last("view")))
        assert isinstance(view, TableView)
        await ann.done("bot")
        await ann.done("bot")
        later = data.decode(msgspec.json.encode(ann.events("seated")[-1]))
        assert isinstance(later, Happened)
        with pytest.raises(Gap):
            fold(view, later)
