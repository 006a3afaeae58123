"""Timers fire in the order of their deadlines and not after cancellation, and their queue stays short."""

import random

import pytest
import trio

from golfnet.server.clock import Timers


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
