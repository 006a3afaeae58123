"""The journal with disks that hang, and with a slow disk after which many callbacks are due at once."""

import itertools

import pytest
import trio
import trio.testing

from golfnet.server.journal import journal as journals, writer as journal_writer
from golfnet.server.journal.journal import Journal
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.writes import OpenTable
from tests.server.journal.conftest import FULL, ThreadedStore, Told, event, held_up, new_journal, start


async def after(seconds: float, clock: trio.testing.MockClock) -> None:
    """Let virtual time pass in steps, so that every timer fires on time."""
    for _ in range(round(seconds / 0.1)):
        await trio.testing.wait_all_tasks_blocked()
        clock.jump(0.1)
    await trio.testing.wait_all_tasks_blocked()


async def test_a_store_that_does_not_answer_for_two_seconds_counts_as_failing_until_it_answers(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    """Writes submitted before the journal starts are timed from its start."""
    mock_clock.jump(1000)
    journal, said = new_journal(store, told), list[object]()
    for name, writes in (("opened", [OpenTable("t1", b"")]), ("event", event(1))):
        store.open.clear()
        journal.submit(writes, told(name))
        if name == "opened":
            await start(nursery, journal)
        await after(2, mock_clock)
        assert told.said == said
        await after(1, mock_clock)
        said.append(StoreReason.SLOW)
        assert told.said == said
        await after(60, mock_clock)
        store.open.set()
        said += ["recovery", name]
        await told.until(*said)
        assert journal.failed is None
        await after(10, mock_clock)
    await journal.aclose()


async def test_a_store_does_not_count_as_failing_because_the_process_was_suspended(
    journal: Journal, store: ThreadedStore, told: Told, mock_clock: trio.testing.MockClock
) -> None:
    await after(1, mock_clock)
    await held_up(store, journal, told)
    mock_clock.jump(10)
    await trio.testing.wait_all_tasks_blocked()
    store.open.set()
    await told.until("opened")


async def test_a_slow_store_that_answers_does_not_count_as_failing(
    journal: Journal, store: ThreadedStore, told: Told, mock_clock: trio.testing.MockClock
) -> None:
    store.shuts_again = True
    await held_up(store, journal, told)
    said: list[object] = ["opened"]
    for seq in range(1, 6):
        journal.submit(event(seq), told(seq))  # so that something is always waiting
        await after(1.9, mock_clock)
        store.open.set()
        await told.until(*said)
        said.append(seq)
    store.shuts_again = False
    store.open.set()
    await journal.aclose()
    assert told.said == said


async def test_a_store_that_hangs_then_fails_and_hangs_again_is_reported_twice_and_recovers_once(
    journal: Journal, store: ThreadedStore, told: Told, mock_clock: trio.testing.MockClock
) -> None:
    await held_up(store, journal, told)
    await after(3, mock_clock)
    store.failing = FULL
    store.open.set()
    await told.until(StoreReason.SLOW, StoreReason.FULL)
    store.open.clear()
    await after(10, mock_clock)
    store.failing = None
    store.open.set()
    await told.until(StoreReason.SLOW, StoreReason.FULL, "recovery", "opened")


async def test_an_idle_store_is_probed(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.001)
    journal = await start(nursery, new_journal(store, told))
    store.gone = StoreError(StoreReason.MISSING, "moved")
    await told.until(StoreReason.MISSING)
    store.gone = StoreError(StoreReason.FAULTY, "worse")
    await told.until(StoreReason.MISSING, StoreReason.FAULTY)
    store.gone = None
    await told.until(StoreReason.MISSING, StoreReason.FAULTY, "recovery")
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await journal.aclose()
    assert told.said[-1] == "opened"


async def test_stopping_gives_up_on_a_hanging_disk_and_counts_what_may_be_lost(
    store: ThreadedStore, told: Told, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(journals, "LAST_SECONDS", 0.01)
    hung = new_journal(store, told)
    try:
        async with trio.open_nursery() as nursery:
            await start(nursery, hung)
            await held_up(store, hung, told)
            hung.submit(event(1), told(1))
            nursery.cancel_scope.cancel()
        assert hung.unstored == 2
        assert "2 submissions may not be stored" in caplog.text
        assert told.said == []
    finally:
        store.open.set()


async def test_callbacks_after_a_slow_write_are_spread_over_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here each callback takes as long as a whole turn, so other tasks run between any two callbacks."""
    monkeypatch.setattr(journals, "perf_counter", itertools.count(0.0).__next__)
    store, order = ThreadedStore(), list[object]()
    async with trio.open_nursery() as nursery:
        journal = Journal(store)
        await nursery.start(journal.run)
        store.open.clear()
        for number in range(20):
            journal.submit([], lambda number=number: order.append(number))  # type: ignore[misc]
        store.open.set()
        while journal.waiting:
            order.append("other")
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    numbers = [each for each in order if each != "other"]
    assert numbers == list(range(20))
    assert all("other" in order[at : at + 3] for at in range(len(order) - 2))
