"""A view that a peer folds from the server's events equals the server's own view and the engine's."""

import random
from typing import Any

import pytest
import trio

from golfnet.engine.hole import Hole
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text
from golfnet.engine.views import View, view
from golfnet.protocol.replies.view_codec import view_from_wire
from golfnet.server.table.table import Table
from tests.server.following import Follower
from tests.server.house import House, Program, choose_line

MATCHES = [
    ("cactus seats=4 slam=race target=80", {"gave", "penalty", "switched"}),
    ("cactus seats=3 slam=order recall=always target=80", {"gave", "penalty", "switched"}),
    ("six-card-final holes=2 seats=4 decks=1 reshuffles=2", {"reshuffled"}),
]
"""What is played, and the events that must happen in it for the comparison to mean something."""


def truth(table: Table, seat: Seat) -> View | None:
    """Return the engine's view, with only those choices that the server offers the seat in a window."""
    if table.hole is None:
        return None
    full = view(table.hole, seat)
    return full._replace(choices=table.parts.windows.narrowed(full.choices, seat))


def lively(hole: Hole, seat: Seat, prompt: dict[str, Any], chance: random.Random) -> str:
    """Return an offered line: often a correct slam, rarely one that soon ends the hole."""
    hits = [
        position_text(Position(Seat(owner), number))
        for owner, layout in enumerate(hole.layouts)
        for number, slot in enumerate(layout, 1)
        if slot is not None and hole.window is not None and slot.card.rank == hole.window.card.rank
    ]
    offered = set(prompt["targets"]) & set(hits)
    if "slam" in prompt["actions"] and offered and chance.random() < 0.5:
        return f"slam {min(offered)}"
    if "switch" in prompt["actions"] and chance.random() < 0.5:
        return f"switch {' '.join(chance.sample(prompt['targets'], 2))}"
    long = [line for line in prompt["actions"] if line in ("draw", "discard", "pass")]
    if long and chance.random() < 0.8:
        return str(long[0])
    return choose_line(prompt, chance)


@pytest.mark.settings(seed=11, clock=0, pause=1)
@pytest.mark.parametrize(("match", "must_happen"), MATCHES)
async def test_folded_views_equal_those_of_the_server_and_the_engine(
    match: str, must_happen: set[str], house: House
) -> None:
    chance = random.Random(match)
    count = next(int(word[6:]) for word in match.split() if word.startswith("seats="))
    programs = await house.table(match, *["Ann", "Bob", "Cid", "Dora"][:count])
    table = next(iter(house.lobby.tables.values()))
    watcher = await house.program("Wim", f"watch {table.id}")
    followers = [Follower(peer) for peer in (*programs, watcher)]
    compared = 0
    while not programs[0].events("match_ended"):
        for follower in followers:
            await follower.compare()
        for seat, follower in enumerate(followers[:-1]):
            assert follower.view is not None
            told = view_from_wire(follower.view)
            assert told == truth(table, Seat(seat))
            compared += told is not None
        ready = [seat for seat, peer in enumerate(programs) if peer.last("prompt")["actions"]]
        if not ready or table.hole is None:
            await trio.sleep(0.5)
            continue
        seat = Seat(chance.choice(ready))
        line = lively(table.hole, seat, programs[seat].last("prompt"), chance)
        if line.startswith("slam"):  # nobody slams faster than a person could
            await trio.sleep(0.2)
        await programs[seat].ask(line)
    assert compared > 30
    assert must_happen <= {event["event"] for event in programs[0].events()}


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
