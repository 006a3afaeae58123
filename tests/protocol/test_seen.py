"""What a seat is told, read back, is what the engine shows that seat: for every rule set, at every prompt."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio
from msgspec.structs import replace

from golfnet.engine.actions import Pass
from golfnet.engine.layout import Position, Seat
from golfnet.engine.views import View, view
from golfnet.protocol.replies import SlamView, TableView
from golfnet.protocol.seen import seen
from golfnet.rulesets import catalogue
from tests.client import tables
from tests.protocol.following import Follower
from tests.server.house import choose_line, open_house

if TYPE_CHECKING:
    from golfnet.server.table import Table

A, B = Seat(0), Seat(1)

MATCHES = [
    *(f"{name} holes=2" for name in catalogue() if name != "cactus"),
    "cactus seats=4 slam=race slam_window=2",
    "cactus seats=3 slam=order recall=always",
    "cactus seats=4 slam=lot",
    "four-card-knock holes=2 seats=3 recall=always reshuffles=1 decks=1",
]


def truth(table: Table, seat: Seat) -> View | None:
    """Return the engine's view with the choices that the server leaves a seat in a window."""
    if table.hole is None:
        return None
    full = view(table.hole, seat)
    return full._replace(choices=table.pace.windows.narrowed(full.choices, seat))


@pytest.mark.parametrize("match", MATCHES)
async def test_what_is_told_is_what_the_engine_shows(match: str, autojump_clock: object) -> None:
    chance = random.Random(match)
    async with open_house(seed=11, clock=0, pause=1) as house:
        count = next((int(word[6:]) for word in match.split() if word.startswith("seats=")), 3)
        programs = await house.table(match, *["Ann", "Bob", "Cid", "Dora"][:count])
        table = next(iter(house.lobby.tables.values()))
        followers = [Follower(program) for program in programs]
        compared = 0
        for _ in range(4000):
            for seat, follower in enumerate(followers):
                await follower.peer.poll()
                follower.catch_up()
                assert follower.view is not None
                told = seen(follower.view)
                assert told == truth(table, Seat(seat))
                compared += told is not None
            if programs[0].events("match_ended"):
                break
            ready = [peer for peer in programs if peer.last("prompt")["actions"]]
            if not ready:
                await trio.sleep(0.5)
                continue
            peer = chance.choice(ready)
            line = choose_line(peer.last("prompt"), chance)
            if line.startswith("slam"):
                if chance.random() < 0.6:
                    line = "pass" if "pass" in peer.last("prompt")["actions"] else line
                await trio.sleep(0.2)
            await peer.ask(line)
        assert programs[0].events("match_ended")
        assert compared > 30


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
