"""Bots that think in threads: never two at once, no event missed, and a server that keeps running meanwhile."""

import threading
from random import Random
from typing import Any

import pytest
import trio

from golfnet.bots.bot import LEVELS
from golfnet.bots.player import SLOW, BotChoice, BotPlayer, Work
from golfnet.engine.actions import Draw, Slam
from golfnet.engine.layout import Position, Seat
from golfnet.engine.variants import CACTUS
from golfnet.server.table.bots import ThreadExecutor, make_bot_player

NOW: Any = None
"""A view that nobody looks at."""


class Listener:
    """A bot with one claim, which records what it is told."""

    level = "hard"

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def observe(self, event: Any) -> None:
        self.heard.append(event)

    def choose(self, view: Any) -> Any:
        return Draw()

    def claim(self, view: Any) -> Slam | None:
        return Slam(Position(Seat(0), 1), 1)

    def reaction(self, view: Any) -> float | None:
        return 0.5

    def think(self, view: Any) -> float:
        return 1.0


def test_events_while_a_bot_thinks_reach_it_afterwards_in_order() -> None:
    bot, pending = Listener(), list[Any]()
    mind = BotPlayer(bot)
    events: list[Any] = ["one", "two", "three", "four"]
    mind.observe(events[0])
    mind.submit(NOW, lambda work, then: pending.append((work, then)), pending.append)
    assert mind.is_busy
    for event in events[1:3]:
        mind.observe(event)
    assert bot.heard == events[:1]
    mind.resume()
    mind.observe(events[3])
    assert bot.heard == events
    assert not mind.is_busy


def test_a_bot_does_not_slam_while_it_thinks() -> None:
    mind = BotPlayer(Listener())
    assert (mind.reaction(NOW), mind.claim(NOW)) == (0.5, Slam(Position(Seat(0), 1), 1))
    mind.submit(NOW, lambda work, then: None, lambda choice: None)
    assert (mind.reaction(NOW), mind.claim(NOW)) == (None, None)


async def test_the_server_keeps_running_while_a_thread_thinks() -> None:
    heard, done = threading.Event(), trio.Event()
    made: list[BotChoice] = []

    def think() -> Draw:
        assert heard.wait(timeout=60)
        return Draw()

    def hear(choice: BotChoice) -> None:
        made.append(choice)
        done.set()

    async with trio.open_nursery() as nursery:
        ThreadExecutor(nursery.start_soon)(think, hear)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert not made
        heard.set()
        await done.wait()
    assert made == [BotChoice(Draw())]


async def test_an_exception_in_a_thread_is_passed_on_and_the_next_job_runs() -> None:
    made: list[BotChoice] = []

    works: list[Work] = [_fail, Draw]
    async with trio.open_nursery() as nursery:
        threads = ThreadExecutor(nursery.start_soon)
        for work in works:
            threads(work, made.append)
    faults = [choice for choice in made if choice.fault is not None]
    assert len(made) == 2
    with pytest.raises(LookupError, match="the bot failed"):
        faults[0].result()


async def test_a_stopping_server_does_not_wait_for_thinking_bots() -> None:
    release = threading.Event()

    def wait() -> None:
        release.wait(timeout=100)

    try:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                threads = ThreadExecutor(nursery.start_soon)
                threads(wait, _never)
                await trio.testing.wait_all_tasks_blocked(0.01)
                nursery.cancel_scope.cancel()
    finally:
        release.set()


def _fail() -> Draw:
    raise LookupError("the bot failed")


def _never(choice: BotChoice) -> None:
    raise AssertionError("nobody is there to receive the choice")


def test_slow_levels_exist_and_every_level_can_be_created() -> None:
    assert set(LEVELS) > SLOW
    for level in LEVELS:
        assert make_bot_player(level, CACTUS.for_seats(2), Random(1)).is_slow == (level in SLOW)
