"""The journal, over a store whose slowness and failures the test decides."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from golfnet.server.journal import journal as journals
from golfnet.server.journal import writer as journal_writer
from golfnet.server.journal.journal import Journal
from golfnet.server.journal.writer import MAX_BATCH
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_memory import MemoryStore
from golfnet.storage.writes import AppendEvent, OpenTable, SaveTable, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

FULL = StoreError(StoreReason.FULL, "no room")
AT_ONCE = (0.0,)


class ThreadedStore(MemoryStore):
    """A memory store that is written in the journal's thread, can be held up, and fails while it is told to."""

    immediate = False

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.writing = threading.Event()
        self.failing: StoreError | None = None
        self.gone: StoreError | None = None
        self.shuts_again = False
        self.batches: list[int] = []

    def write(self, batch: Sequence[Write]) -> None:
        self.writing.set()
        assert self.open.wait(60)
        if self.shuts_again:
            self.open.clear()
        if self.failing is not None:
            raise self.failing
        super().write(batch)
        self.batches.append(len(batch))

    def probe(self) -> None:
        if self.gone is not None:
            raise self.gone

    @property
    def events(self) -> list[int]:
        return [seq for log in self.tables() for seq, _ in log.events]


class Told:
    """What the journal has called back, in order."""

    def __init__(self) -> None:
        self.said: list[object] = []
        self._more = trio.Event()

    def __call__(self, what: object) -> Callable[[], None]:
        return lambda: self.note(what)

    def note(self, what: object) -> None:
        self.said.append(what)
        self._more.set()
        self._more = trio.Event()

    async def until(self, *said: object) -> None:
        while len(self.said) < len(said):
            await self._more.wait()
        assert self.said == list(said)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store() -> ThreadedStore:
    return ThreadedStore()


def event(seq: int, body: bytes = b"x") -> list[Write]:
    return [AppendEvent("t1", seq, body)]


async def start(nursery: trio.Nursery, journal: Journal) -> Journal:
    await nursery.start(journal.run)
    return journal


async def held_up(store: ThreadedStore, journal: Journal, told: Told) -> None:
    """Let the store stop in the middle of a first batch, so that more can gather behind it."""
    store.writing.clear()
    store.open.clear()
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await trio.to_thread.run_sync(store.writing.wait, 10)


async def test_callbacks_come_in_order_after_their_writes(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = await start(nursery, Journal(store))
    journal.submit([OpenTable("t1", b"")], told("opened"))
    for seq in range(1, 50):
        journal.submit(event(seq), told(seq))
    assert told.said == []
    await told.until("opened", *range(1, 50))
    assert store.events == list(range(1, 50))
    await journal.aclose()


async def test_what_happens_at_once_is_one_batch(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = await start(nursery, Journal(store))
    journal.submit([OpenTable("t1", b"")], told("opened"))
    for seq in range(1, 10):
        journal.submit(event(seq), told(seq))
    await journal.aclose()
    assert store.batches == [10]


async def test_what_was_submitted_before_it_runs_is_stored_too(store: ThreadedStore, told: Told) -> None:
    journal = Journal(store)
    journal.submit([OpenTable("t1", b"")], told("opened"))
    async with trio.open_nursery() as nursery:
        await start(nursery, journal)
        await journal.aclose()
    assert told.said == ["opened"]


async def test_what_gathers_while_the_store_writes_is_one_batch(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = await start(nursery, Journal(store))
    await held_up(store, journal, told)
    for seq in range(1, 101):
        journal.submit(event(seq), told(seq))
    assert journal.waiting == 101
    store.open.set()
    await told.until("opened", *range(1, 101))
    assert store.batches == [1, 100]
    assert journal.waiting == 0
    await journal.aclose()


async def test_a_batch_has_a_bound(store: ThreadedStore, told: Told, nursery: trio.Nursery) -> None:
    journal = await start(nursery, Journal(store))
    await held_up(store, journal, told)
    for seq in range(1, MAX_BATCH + 11):
        journal.submit(event(seq), lambda: None)
    store.open.set()
    await journal.aclose()
    assert store.batches == [1, MAX_BATCH, 10]


async def test_a_callback_sees_that_its_writes_are_stored(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = await start(nursery, Journal(store))
    journal.submit([OpenTable("t1", b"")], lambda: told.note(len(list(store.tables()))))
    await told.until(1)
    await journal.aclose()


async def test_a_callback_may_submit_more(store: ThreadedStore, told: Told, nursery: trio.Nursery) -> None:
    journal = await start(nursery, Journal(store))

    def play(seq: int) -> None:
        told.note(seq)
        if seq < 5:
            journal.submit(event(seq + 1), lambda: play(seq + 1))

    journal.submit([OpenTable("t1", b"")], lambda: play(0))
    await journal.aclose()
    assert told.said == [0, 1, 2, 3, 4, 5]


async def test_a_failing_store_is_tried_until_it_works_and_nothing_is_lost(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = Journal(
        store,
        on_failure=lambda error: told.note(("failure", error, journal.failed)),
        on_recovery=lambda: told.note(("recovery", journal.failed)),
        retry_seconds=(0.0, 0.001),
    )
    await start(nursery, journal)
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await told.until("opened")
    store.failing = FULL
    journal.submit(event(1), told(1))
    await told.until("opened", ("failure", FULL, FULL))
    for seq in (2, 3):
        journal.submit(event(seq), told(seq))
    for _ in range(5):
        store.writing.clear()
        await trio.to_thread.run_sync(store.writing.wait, 10)
    assert store.events == []
    store.failing = None
    await told.until("opened", ("failure", FULL, FULL), ("recovery", None), 1, 2, 3)
    assert store.events == [1, 2, 3]
    await journal.aclose()


async def test_a_second_failure_is_told_again(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = Journal(store, on_failure=told.note, on_recovery=told("recovery"), retry_seconds=AT_ONCE)
    await start(nursery, journal)
    said: list[object] = []
    for failing in (FULL, StoreError(StoreReason.READ_ONLY, "closed")):
        store.failing = failing
        journal.submit([OpenTable("t1", b"")], told("opened"))
        said.append(failing)
        await told.until(*said)
        store.failing = None
        said += ["recovery", "opened"]
        await told.until(*said)
    await journal.aclose()


async def test_a_contradiction_harms_nobody_else(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = Journal(store, on_failure=told.note, on_recovery=told("recovery"))
    await start(nursery, journal)
    await held_up(store, journal, told)
    journal.submit(event(1), told(1))
    journal.submit([*event(2), *event(1, b"other")], told("wrong"), lambda error: told.note(error.reason))
    journal.submit(event(3), told(3))
    store.open.set()
    await told.until("opened", 1, StoreReason.CONFLICT, 3)
    assert store.events == [1, 3]
    assert journal.failed is None
    await journal.aclose()


async def test_a_contradiction_without_an_ear_is_logged(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, caplog: pytest.LogCaptureFixture
) -> None:
    journal = await start(nursery, Journal(store))
    journal.submit([SaveTable("t9", b"")], told("wrong"))
    with caplog.at_level(logging.ERROR):
        await journal.aclose()
    assert "t9" in caplog.text
    assert told.said == []


async def test_closing_waits_for_all_that_was_submitted(
    store: ThreadedStore, told: Told, nursery: trio.Nursery
) -> None:
    journal = await start(nursery, Journal(store))
    await held_up(store, journal, told)
    journal.submit(event(1), told(1))

    async def let_go() -> None:
        await trio.testing.wait_all_tasks_blocked()
        store.open.set()

    nursery.start_soon(let_go)
    await journal.aclose()
    assert told.said == ["opened", 1]


async def test_closing_while_the_store_fails_can_be_given_up(
    store: ThreadedStore, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    async with trio.open_nursery() as nursery:
        journal = await start(nursery, Journal(store, on_failure=told.note, retry_seconds=(60.0,)))
        store.failing = FULL
        journal.submit([OpenTable("t1", b"")], told("opened"))
        await told.until(FULL)
        with trio.move_on_after(0.01) as closing:
            await journal.aclose()
        assert closing.cancelled_caught
        nursery.cancel_scope.cancel()
    assert told.said == [FULL]
    assert journal.unstored == 1
    assert "were not stored" in caplog.text


async def test_a_cancelled_journal_still_stores_what_was_submitted(store: ThreadedStore, told: Told) -> None:
    async with trio.open_nursery() as nursery:
        journal = await start(nursery, Journal(store))
        await held_up(store, journal, told)
        journal.submit(event(1), told(1))
        store.open.set()
        nursery.cancel_scope.cancel()
    assert store.events == [1]


async def test_a_callback_that_raises_ends_the_journal(store: ThreadedStore) -> None:
    def bug() -> None:
        raise ZeroDivisionError

    with pytest.RaisesGroup(ZeroDivisionError):
        async with trio.open_nursery() as nursery:
            journal = await start(nursery, Journal(store))
            journal.submit([OpenTable("t1", b"")], bug)


async def test_a_bug_of_the_store_ends_the_journal(store: ThreadedStore) -> None:
    with pytest.RaisesGroup(KeyError):
        async with trio.open_nursery() as nursery:
            journal = await start(nursery, Journal(store))
            journal.submit([object()], lambda: None)  # type: ignore[list-item]


# Disks that hang.


async def after(seconds: float, clock: trio.testing.MockClock) -> None:
    """Let virtual time pass in steps, so that whoever waits for a moment is woken at it."""
    for _ in range(round(seconds / 0.1)):
        await trio.testing.wait_all_tasks_blocked()
        clock.jump(0.1)
    await trio.testing.wait_all_tasks_blocked()


def slow_journal(store: ThreadedStore, told: Told) -> Journal:
    return Journal(
        store,
        on_failure=lambda error: told.note(error.reason),
        on_recovery=told("recovery"),
        retry_seconds=AT_ONCE,
    )


async def test_a_store_that_does_not_answer_for_two_seconds_counts_as_failing_until_it_does(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    journal = await start(nursery, slow_journal(store, told))
    await after(10, mock_clock)
    await held_up(store, journal, told)
    journal.submit(event(1), told(1))
    await after(2, mock_clock)
    assert told.said == []
    await after(1, mock_clock)
    assert told.said == [StoreReason.SLOW]
    await after(60, mock_clock)
    store.open.set()
    await told.until(StoreReason.SLOW, "recovery", "opened", 1)
    assert journal.failed is None
    await journal.aclose()


async def test_a_store_that_is_slow_but_answers_is_left_alone(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    journal = await start(nursery, slow_journal(store, told))
    store.shuts_again = True
    await held_up(store, journal, told)
    said: list[object] = ["opened"]
    for seq in range(1, 6):
        journal.submit(event(seq), told(seq))  # so there is always something that waits
        await after(1.9, mock_clock)
        store.open.set()
        await told.until(*said)
        said.append(seq)
    store.shuts_again = False
    store.open.set()
    await journal.aclose()
    assert told.said == said


async def test_a_store_that_hangs_and_then_fails_is_told_once_more_and_recovers_once(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    journal = await start(nursery, slow_journal(store, told))
    await held_up(store, journal, told)
    await after(3, mock_clock)
    store.failing = FULL
    store.open.set()
    await told.until(StoreReason.SLOW, StoreReason.FULL)
    await after(10, mock_clock)
    store.failing = None
    await told.until(StoreReason.SLOW, StoreReason.FULL, "recovery", "opened")
    await journal.aclose()


async def test_a_store_that_hangs_while_it_fails_is_not_told_of_again(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    journal = await start(nursery, slow_journal(store, told))
    store.failing = FULL
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await told.until(StoreReason.FULL)
    store.open.clear()
    await after(10, mock_clock)
    store.failing = None
    store.open.set()
    await told.until(StoreReason.FULL, "recovery", "opened")
    await journal.aclose()


async def test_an_idle_store_is_looked_after(
    store: ThreadedStore, told: Told, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.001)
    journal = await start(nursery, slow_journal(store, told))
    store.gone = StoreError(StoreReason.MISSING, "moved")
    await told.until(StoreReason.MISSING)
    store.gone = StoreError(StoreReason.FAULTY, "worse")
    await told.until(StoreReason.MISSING, StoreReason.FAULTY)
    store.gone = None
    await told.until(StoreReason.MISSING, StoreReason.FAULTY, "recovery")
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await journal.aclose()
    assert told.said[-1] == "opened"


async def test_a_stop_gives_up_a_disk_that_hangs_and_counts_what_may_not_be_stored(
    store: ThreadedStore, told: Told, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(journals, "LAST_SECONDS", 0.01)
    hung = slow_journal(store, told)
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


# Stores that take no time.


async def test_an_immediate_store_is_written_at_once(
    told: Told, autojump_clock: trio.testing.MockClock
) -> None:
    store = MemoryStore()
    journal = Journal(store)
    journal.submit([OpenTable("t1", b"")], told("before it runs"))
    async with trio.open_nursery() as nursery:
        await start(nursery, journal)
        journal.submit(event(1), told("at once"))
        assert told.said == ["before it runs", "at once"]
        await trio.sleep(1000)
        await journal.aclose()


def test_with_an_immediate_store_what_a_callback_submits_comes_after_it(told: Told) -> None:
    journal = Journal(MemoryStore())

    def opened() -> None:
        journal.submit(event(1), told("inner"))
        told.note("outer")

    journal.submit([OpenTable("t1", b"")], opened)
    assert told.said == ["outer", "inner"]
    assert journal.waiting == 0


def test_an_immediate_store_refuses_contradictions_too(told: Told) -> None:
    journal = Journal(MemoryStore())
    journal.submit(event(1), told("wrong"), lambda error: told.note(error.reason))
    journal.submit([OpenTable("t1", b"")], told("right"))
    assert told.said == [StoreReason.CONFLICT, "right"]


# With a real file.


async def test_a_journal_on_disk(tmp_path: Path, told: Told, nursery: trio.Nursery) -> None:
    path = tmp_path / "golf.db"
    store = SqliteStore(path)
    journal = await start(nursery, Journal(store))
    journal.submit([OpenTable("t1", b"")], told("opened"))
    for seq in range(1, 1001):
        journal.submit(event(seq), lambda: None)
    await journal.aclose()
    store.close()
    store = SqliteStore(path)
    assert [seq for log in store.tables() for seq, _ in log.events] == list(range(1, 1001))
    store.close()


async def test_what_a_slow_disk_has_let_go_is_called_back_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each callback takes the time of a turn here: between any two of them others are served."""
    seconds = iter(range(10_000))
    monkeypatch.setattr(journals, "perf_counter", lambda: float(next(seconds)))
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
