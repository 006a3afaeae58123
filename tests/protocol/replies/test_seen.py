"""What a seat is told, read back, is what the engine shows that seat: for every rule set, at every prompt."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import trio
from msgspec.structs import replace

from golfnet.engine.actions import Pass
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text
from golfnet.engine.views import View, view
from golfnet.protocol.replies.replies import SlamView, TableView
from golfnet.protocol.replies.seen import seen
from golfnet.rulesets import catalogue
from tests.client import tables
from tests.protocol.following import Follower, differences, timeless
from tests.server.house import choose_line, open_house

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.server.table.table import Table

A, B = Seat(0), Seat(1)

MATCHES = [
    *((f"{name} holes=2", set[str]()) for name in catalogue() if name != "cactus"),
    ("cactus seats=4 slam=race target=80", {"gave", "penalty", "switched"}),
    ("cactus seats=3 slam=order recall=always target=80", {"gave", "penalty", "switched"}),
    ("cactus seats=4 slam=lot target=80", {"gave", "penalty", "switched"}),
    ("six-card-final holes=2 seats=4 decks=1 reshuffles=2", {"reshuffled"}),
]
"""What is played, and what has to happen in it for the comparison to be worth something."""


def truth(table: Table, seat: Seat) -> View | None:
    """Return the engine's view with the choices that the server leaves a seat in a window."""
    if table.hole is None:
        return None
    full = view(table.hole, seat)
    return full._replace(choices=table._windows.narrowed(full.choices, seat))


def lively(hole: Hole, seat: Seat, prompt: dict[str, Any], chance: random.Random) -> str:
    """Return an offered line: often a slam that hits, seldom what ends a hole soon."""
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


@pytest.mark.parametrize(("match", "must_happen"), MATCHES)
async def test_what_is_told_is_what_the_engine_shows(
    match: str, must_happen: set[str], autojump_clock: object
) -> None:
    chance = random.Random(match)
    async with open_house(seed=11, clock=0, pause=1) as house:
        count = next((int(word[6:]) for word in match.split() if word.startswith("seats=")), 3)
        programs = await house.table(match, *["Ann", "Bob", "Cid", "Dora"][:count])
        table = next(iter(house.lobby.tables.values()))
        followers = [Follower(program) for program in programs]
        compared = 0
        while not programs[0].events("match_ended"):
            for seat, follower in enumerate(followers):
                await follower.peer.poll()
                follower.catch_up()
                assert follower.view is not None
                assert differences(timeless(follower.view), timeless(table.view(Seat(seat)))) == {}
                told = seen(follower.view)
                assert told == truth(table, Seat(seat))
                compared += told is not None
            ready = [seat for seat, peer in enumerate(programs) if peer.last("prompt")["actions"]]
            if not ready or table.hole is None:
                await trio.sleep(0.5)
                continue
            seat = Seat(chance.choice(ready))
            line = lively(table.hole, seat, programs[seat].last("prompt"), chance)
            if line.startswith("slam"):  # nobody is faster than people are
                await trio.sleep(0.2)
            await programs[seat].ask(line)
        assert compared > 30
        assert must_happen <= {event["event"] for event in programs[0].events()}


def test_nothing_is_seen_where_no_hole_is_in_play() -> None:
    for state in ("open", "between", "finished"):
        assert seen(tables.a_view("six-card", "? ? ? ? ? ?", "? ? ? ? ? ?", state=state)) is None


def test_a_watcher_has_no_choices() -> None:
    told = seen(tables.a_view("six-card", "? ? ? ? ? ?", "? ? ? ? ? ?", you=None, actions=()))
    assert told is not None
    assert told.seat is None
    assert told.choices == ((), (), ())


def with_both() -> TableView:
    """Return a moment with a power and a window, when one card has moved since the discard."""
    view = tables.a_view("cactus", "? ? ? ?", "? ? - ?", turn="A", phase="power", power=True)
    return replace(
        view,
        actions=("peek A1", "decline", "pass", "switch", "slam", "dance"),
        targets=("A1", "A2", "B1"),
        slam=SlamView(discard_no=3, card="JD", ms=2000, mode="race", won=True, moved=("A2",)),
    )


def test_with_a_power_in_a_window_targets_are_told_apart_and_unknown_lines_passed_over() -> None:
    told = seen(with_both())
    assert told is not None
    assert told.choices.switchable == (Position(A, 1), Position(A, 2), Position(B, 1))
    assert told.choices.slammable == (Position(A, 1), Position(B, 1))
    assert [action.verb for action in told.choices.actions] == ["peek", "decline", "pass"]
    assert Pass() in told.choices.actions
    assert told.window is not None
    assert told.window.won
