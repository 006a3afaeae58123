"""One queue of timers: calls in the order of their deadlines, none that was cancelled, and a queue that stays short."""

import random

import pytest
import trio
from trio.testing import MockClock

from golfnet.server.clock import Countdown, Timers


@pytest.fixture
async def timers(nursery: trio.Nursery) -> Timers:
    timers = Timers()
    nursery.start_soon(timers.run)
    return timers


async def test_calls_are_made_when_due_and_in_order(timers: Timers, autojump_clock: MockClock) -> None:
    start, made = trio.current_time(), list[tuple[str, float]]()

    def note(name: str) -> None:
        made.append((name, trio.current_time() - start))

    timers.after(3, lambda: note("third"))
    timers.after(1, lambda: note("first"))
    second = timers.after(2, lambda: note("second"))
    assert second.remaining_ms == 2000
    await trio.sleep(5)
    assert made == [("first", 1), ("second", 2), ("third", 3)]
    assert not second.is_set
    assert second.remaining_ms == 0


async def test_a_sooner_timer_set_later_is_not_missed(timers: Timers, autojump_clock: MockClock) -> None:
    made = list[float]()
    timers.after(100, lambda: made.append(100))
    await trio.sleep(1)
    timers.after(1, lambda: made.append(2))
    await trio.sleep(2)
    assert made == [2]


async def test_a_timer_may_set_another(timers: Timers, autojump_clock: MockClock) -> None:
    made = list[float]()

    def set_another() -> None:
        timers.after(1, lambda: made.append(trio.current_time()))

    timers.after(1, set_another)
    start = trio.current_time()
    await trio.sleep(10)
    assert made == [start + 2]


async def test_a_cancelled_call_is_never_made_however_often_it_is_cancelled(
    timers: Timers, autojump_clock: MockClock
) -> None:
    made = list[int]()
    timer = timers.after(1, lambda: made.append(1))
    timer.cancel()
    timer.cancel()
    assert not timer.is_set
    await trio.sleep(2)
    timer.cancel()
    assert made == []
    assert timers.cancelled == 0


async def test_cancelled_timers_do_not_pile_up_and_the_others_are_kept(
    timers: Timers, autojump_clock: MockClock
) -> None:
    chance, made, kept = random.Random(5), list[float](), list[float]()
    for number in range(20_000):
        seconds = chance.uniform(10, 1000)
        timer = timers.after(seconds, lambda seconds=seconds: made.append(seconds))  # type: ignore[misc]
        if number % 100:
            timer.cancel()
        else:
            kept.append(seconds)
        assert timers.cancelled <= 2000
    await trio.sleep(1001)
    assert made == sorted(kept)
    assert timers.cancelled == 0


async def test_a_countdown_calls_at_its_marks_and_at_its_end(
    timers: Timers, autojump_clock: MockClock
) -> None:
    start, made = trio.current_time(), list[tuple[str, float, int]]()
    countdown = Countdown(
        timers,
        30,
        marks={10.0, 15.0, 30.0, 60.0},
        at_mark=lambda: made.append(("mark", trio.current_time() - start, countdown.remaining_ms)),
        at_end=lambda: made.append(("end", trio.current_time() - start, countdown.remaining_ms)),
    )
    assert countdown.remaining_ms == 30_000
    await trio.sleep(100)
    assert made == [("mark", 15, 15_000), ("mark", 20, 10_000), ("end", 30, 0)]


async def test_a_countdown_cancelled_on_its_way_calls_no_more(
    timers: Timers, autojump_clock: MockClock
) -> None:
    made = list[str]()

    def at_mark() -> None:
        made.append("mark")
        countdown.cancel()

    countdown = Countdown(timers, 30, marks=[20, 10], at_mark=at_mark, at_end=lambda: made.append("end"))
    await trio.sleep(100)
    assert made == ["mark"]
