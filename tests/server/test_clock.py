"""Timers fire in the order of their deadlines and not after cancellation, and their queue stays short."""

import random
from collections.abc import Callable

import pytest
import trio

from golfnet.server.clock import Timer, Timers
from golfnet.server.table.clocks import Countdown


@pytest.fixture
async def timers(virtual_time: None, nursery: trio.Nursery) -> Timers:
    timers = Timers()
    nursery.start_soon(timers.run)
    return timers


async def test_timers_fire_when_due_and_in_order(timers: Timers) -> None:
    start, made = trio.current_time(), list[tuple[str, float]]()

    def note(name: str) -> None:
        made.append((name, trio.current_time() - start))

    timers.after(5, lambda: note("third"))
    second = timers.after(3, lambda: note("second"))
    assert second.remaining_ms == 3000
    await trio.sleep(1)
    timers.after(1, lambda: note("first"))
    await trio.sleep(5)
    assert made == [("first", 2), ("second", 3), ("third", 5)]
    assert not second.is_set
    assert second.remaining_ms == 0


async def test_cancelled_timers_are_removed_from_the_queue_and_only_others_fire(timers: Timers) -> None:
    chance, made, kept = random.Random(5), list[float](), list[float]()
    for number in range(5000):
        seconds = chance.uniform(10, 1000)
        timer = timers.after(seconds, lambda seconds=seconds: made.append(seconds))  # type: ignore[misc]
        if number % 100:
            for _ in range(2):
                timer.cancel()
            assert not timer.is_set
        else:
            kept.append(seconds)
        assert timers.cancelled <= 2000
    await trio.sleep(1001)
    assert made == sorted(kept)
    assert timers.cancelled == 0


class Story:
    """A countdown that records its calls, with the time and the remaining seconds."""

    def __init__(self, timers: Timers) -> None:
        self.calls: list[tuple[str, float, int]] = []
        self._start = trio.current_time()
        self.countdown = Countdown(timers, at_mark=lambda: self.note("mark"), at_end=lambda: self.note("end"))

    def note(self, name: str) -> None:
        self.calls.append((name, trio.current_time() - self._start, self.countdown.remaining_ms))


async def test_a_countdown_may_be_stopped_and_restarted_for_longer_or_shorter(timers: Timers) -> None:
    story = Story(timers)
    story.countdown.start(30, (15, 10))
    assert (story.countdown.is_running, story.countdown.remaining_ms) == (True, 30_000)
    await trio.sleep(14)
    story.countdown.start(30, (15, 10))
    await trio.sleep(14)
    story.countdown.stop()
    assert story.countdown.remaining_ms == 0
    await trio.sleep(22)
    assert story.calls == [], "a stopped countdown makes no calls"
    story.countdown.start(3)
    await trio.sleep(50)
    story.countdown.start(30, (15, 10))
    await trio.sleep(100)
    assert story.calls == [("end", 53, 0), ("mark", 115, 15_000), ("mark", 120, 10_000), ("end", 130, 0)]


async def test_a_closed_countdown_leaves_no_timer(timers: Timers) -> None:
    story = Story(timers)
    story.countdown.start(30, (10,))
    story.countdown.close()
    await trio.sleep(100)
    assert (story.calls, len(timers)) == ([], 0)


async def test_a_countdown_never_has_more_than_one_timer_in_the_queue(timers: Timers) -> None:
    story, genuine, times = Story(timers), timers.at, list[float]()

    def at(deadline: float, callback: Callable[[], None]) -> Timer:
        times.append(deadline)
        return genuine(deadline, callback)

    timers.at = at  # type: ignore[method-assign]
    for _ in range(100):
        story.countdown.start(30, (15, 10))
        await trio.sleep(0.5)
    assert story.calls == []
    assert len(times) < 10
