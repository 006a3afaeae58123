"""What a viewer is offered is what the rules allow, word for word, and its times are those that run."""

from __future__ import annotations

from itertools import combinations
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices, choices, legal_actions
from golfnet.engine.notation import action_text, parse_action, parse_position
from golfnet.engine.options import override
from golfnet.engine.rules import SlamMode
from golfnet.protocol.replies.vocabulary import State
from golfnet.rulesets import catalogue
from golfnet.server.table import views
from golfnet.server.table.views import Views, action_lines
from tests.engine.random_play import play_match
from tests.server.house import House, Program, choose_line, open_house
from tests.server.slamming import THREE, slam_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.hole import Hole
    from golfnet.server.table.table import Table

VARIED = [
    *((name, {}) for name in catalogue()),
    *(("cactus", {"slam": mode.value, "decks": 2}) for mode in SlamMode),
]


def holes(name: str, changes: dict[str, Any]) -> Iterator[Hole]:
    """Yield a hole after each step of random legal play."""
    rules = override(catalogue()[name], changes)
    for seats in (2, 4):
        for step in play_match(rules, seats, Random(f"{name} {seats}"), holes=2):
            if step.after.hole is not None and step.after.hole.ended is None:
                yield step.after.hole


def written_out(lines: tuple[str, ...], targets: tuple[str, ...], hole: Hole) -> Iterator[str]:
    """Yield an offer's lines with the targets put in, where a line is a verb that wants some."""
    moved = hole.window.moved if hole.window is not None else ()
    for line in lines:
        if line == "switch":
            yield from (f"switch {one} {other}" for one, other in combinations(targets, 2))
        elif line == "slam":
            yield from (f"slam {at}" for at in targets if parse_position(at) not in moved)
        else:
            yield line


@pytest.mark.parametrize(("name", "changes"), VARIED)
def test_what_is_offered_is_what_the_rules_allow_word_for_word(name: str, changes: dict[str, Any]) -> None:
    verbs = set()
    for hole in holes(name, changes):
        for seat in map(Seat, hole.seats):
            legal = legal_actions(hole, seat)
            offered, targets = action_lines(choices(hole, seat), seat)
            texts = [action_text(action, seat) for action in legal]
            assert [line for line in offered if line not in ("switch", "slam")] == [
                line for line in texts if line.split()[0] not in ("switch", "slam")
            ]
            number = hole.window.discard_no if hole.window is not None else 0
            read = [parse_action(line, seat, number) for line in written_out(offered, targets, hole)]
            assert len(set(read)) == len(read)
            assert set(read) == set(legal)
            verbs |= {action.verb for action in legal}
    assert {"draw", "take", "swap"} <= verbs
    if changes and changes["slam"] != "off":
        assert {"slam", "switch"} <= verbs


@pytest.mark.parametrize("count", range(5))
def test_a_switch_is_offered_as_soon_as_there_is_a_pair(count: int) -> None:
    positions = tuple(Position(Seat(0), slot) for slot in range(1, count + 1))
    offered, targets = action_lines(Choices((), positions, ()), Seat(1))
    assert ("switch" in offered) == any(True for _ in combinations(positions, 2))
    assert tuple(map(parse_position, targets)) == positions


@pytest.mark.parametrize("kept", [1, 3, 1024])
def test_equal_lists_give_equal_lines_though_the_kept_ones_were_cleared_away(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_LISTS_KEPT", kept)
    monkeypatch.setattr(views, "_known_lines", {})
    chance = Random(kept)
    lists = {choices(hole, seat) for hole in holes("cactus", {}) for seat in map(Seat, hole.seats)}
    known = sorted(lists, key=repr)
    for _ in range(3000):
        # A list of its own each time: its place in memory may have been another's.
        actions, switchable, slammable = chance.choice(known)
        seat = Seat(chance.randrange(4))
        fresh = Choices(tuple(list(actions)), switchable, slammable)
        lines, _ = action_lines(fresh, seat)
        texts = tuple(action_text(action, seat) for action in actions)
        assert lines[: len(texts)] == texts
        assert set(lines[len(texts) :]) <= {"switch", "slam"}
        assert len(views._known_lines) <= kept


@pytest.mark.parametrize("viewer", [None, Seat(1), Seat(7)])
def test_who_has_no_seat_is_offered_nothing(viewer: Seat | None) -> None:
    seating = SimpleNamespace(at=lambda seat: None)
    assert Views.offer(
        cast("Views", SimpleNamespace(_table=SimpleNamespace(seating=seating))), viewer, None
    ) == (
        (),
        (),
    )


# --- beside play


def table_of(house: House) -> Table:
    return house.lobby.tables["t1"]


def offered(house: House) -> list[tuple[str, ...]]:
    """Return what each seat is offered beside play, in seat order."""
    table = table_of(house)
    return [table.parts.views.offer(seat, None)[0] for seat, _ in table.seating]


async def play_until(house: House, programs: list[Program], state: State) -> None:
    """Let programs draw and discard until the table is in a state."""
    chance = Random(1)
    while table_of(house).state is not state:
        for program in programs:
            await program.poll()
        program = chance.choice([each for each in programs if each.last("prompt")["actions"]])
        await program.ask(choose_line(program.last("prompt"), chance))


async def test_beside_play_each_is_offered_what_it_has_still_to_say_and_that_is_carried_out(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        ann, bob = [await house.program(name) for name in ("Ann", "Bob")]
        await ann.done("create four-turn holes=2 pause=15")
        assert offered(house) == [("ready",)], "alone there is nothing to start"
        await bob.done("join t1")
        assert offered(house) == [("ready", "start"), ("ready",)]
        await ann.done("ready")
        await bob.done("ready")
        assert offered(house) == [("start",), ()]
        await ann.done("start")
        await play_until(house, [ann, bob], State.BETWEEN)
        table = table_of(house)
        assert offered(house) == [("ready",), ("ready",)]
        await trio.sleep(4)
        assert [table.parts.views.prompt(Seat(seat), (("ready",), ())).ms for seat in (0, 1)] == [11_000] * 2
        await bob.done("ready")
        assert offered(house) == [("ready",), ()]
        assert table.parts.views.prompt(Seat(1), ((), ())).ms == 11_000
        await ann.done("ready")
        assert table.state is State.PLAYING
        await play_until(house, [ann, bob], State.FINISHED)
        assert offered(house) == [("rematch",), ("rematch",)]
        await bob.done("rematch")
        assert offered(house) == [("ready", "start"), ()]


# --- times


async def test_the_time_of_a_turn_is_its_seats_clock_and_no_other_s(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2 clock=60", "Ann", "Bob")
        await ann.done("peek 3 4")
        await bob.done("peek 3 4")
        table = table_of(house)
        assert table.hole is not None
        start, turn = trio.current_time(), table.hole.turn
        for _ in range(5):
            left = 60_000 - round((trio.current_time() - start) * 1000)
            for seat in map(Seat, range(2)):
                offer = table.parts.views.offer(seat, choices(table.hole, seat))
                assert table.parts.views.prompt(seat, offer).ms == (left if seat == turn else None)
                clock = table.view(seat).clock
                assert clock is not None
                assert (clock.seat, clock.ms) == ("AB"[turn or 0], left)
            assert table.view(None).clock == clock
            await trio.sleep(7.25)


async def test_the_time_of_a_slam_is_what_its_window_has_left(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="7C 5D", options="slam_window=3")
        await slam.discards()
        for after in (100, 1700, 2950):
            await slam.until(after)
            for seat in map(Seat, range(3)):
                offer = slam.table.parts.views.offer(seat, choices(slam.hole, seat))
                assert "slam" in offer[0]
                assert slam.table.parts.views.prompt(seat, offer).ms == pytest.approx(3000 - after, abs=1)
                shown = slam.table.view(seat).slam
                assert shown is not None
                assert shown.ms == pytest.approx(3000 - after, abs=1)


async def test_who_has_a_power_in_a_window_has_the_time_of_its_clock(autojump_clock: object) -> None:
    async with open_house() as house:
        slam = await slam_table(house, THREE, stock="JC 5D", options="slam_window=3")
        await slam.discards()
        assert slam.hole.power
        await slam.until(1000)
        times = {}
        for seat in map(Seat, range(3)):
            offer = slam.table.parts.views.offer(seat, choices(slam.hole, seat))
            assert "slam" in offer[0]
            times[int(seat)] = slam.table.parts.views.prompt(seat, offer).ms
        assert times == pytest.approx({0: 59_000, 1: 2000, 2: 2000}, abs=1)


async def test_without_a_clock_there_is_no_time(autojump_clock: object) -> None:
    async with open_house() as house:
        await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
        table = table_of(house)
        assert table.hole is not None
        for seat in map(Seat, range(2)):
            assert (
                table.parts.views.prompt(seat, table.parts.views.offer(seat, choices(table.hole, seat))).ms
                is None
            )
            assert table.view(seat).clock is None
