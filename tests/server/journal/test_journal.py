"""The journal, with a store whose delays and failures the test controls."""

import queue
from queue import SimpleQueue
from typing import Any

import pytest
import trio
import trio.testing

from golfnet.server.journal.journal import Journal
from golfnet.server.journal.writer import MAX_BATCH, PROBE_SECONDS, Writer
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import OpenTable, SaveTable
from tests.server.journal.conftest import FULL, ThreadedStore, Told, event, held_up, start


async def test_submissions_made_during_a_write_become_limited_batches_and_then_call_back_in_order(
    journal: Journal, store: ThreadedStore, told: Told
) -> None:
    await held_up(store, journal, told)
    events = range(1, MAX_BATCH + 11)
    for seq in events:
        journal.submit(event(seq), told(seq))
    assert journal.waiting == MAX_BATCH + 11
    assert told.said == []
    store.open.set()
    await journal.aclose()
    assert told.said == ["opened", *events]
    assert store.batches == [1, MAX_BATCH, 10]
    assert store.events == list(events)
    assert journal.waiting == 0


def test_an_idle_writer_waits_for_submissions_before_it_probes_the_store(store: ThreadedStore) -> None:
    bugs, waited = list[BaseException](), list[float | None]()

    class Empty(SimpleQueue[Any]):
        """A queue that stays empty, and ends once somebody has waited for it."""

        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            if not block:
                raise queue.Empty
            waited.append(timeout)

    store.gone = FULL
    Writer(store, Empty(), ()).run(lambda outcomes: bugs.extend([FULL] * len(outcomes)), bugs.append)
    assert (waited, bugs) == ([PROBE_SECONDS], [])


async def test_a_contradiction_is_logged_and_does_not_affect_other_submissions(
    journal: Journal, store: ThreadedStore, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    await held_up(store, journal, told)
    journal.submit(event(1), told(1))
    journal.submit([*event(2), *event(1, b"other")], told("wrong"))
    journal.submit([SaveTable("t9", b"")], told("wrong"))
    journal.submit(event(3), told(3))
    store.open.set()
    await told.until("opened", 1, 3)
    assert store.events == [1, 3]
    assert journal.failed is None
    assert [each.levelname for each in caplog.records if "t9" in each.getMessage()] == ["ERROR"]


async def test_closing_can_be_abandoned_while_the_store_fails(
    store: ThreadedStore, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    async with trio.open_nursery() as nursery:
        journal = await start(nursery, Journal(store, retry_seconds=(60.0,)))
        journal.on_failure = told.note
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


async def test_a_stopping_journal_stores_nothing_after_a_loss(store: ThreadedStore, told: Told) -> None:
    async with trio.open_nursery() as nursery:
        journal = await start(nursery, Journal(store, retry_seconds=(60.0,)))
        journal.on_failure = told.note
        journal.submit([OpenTable("t1", b"")], told("opened"))
        await told.until("opened")
        store.failing = FULL
        journal.submit(event(1), told(1))
        await told.until("opened", FULL)
        journal.submit(event(2), told(2))
        await trio.testing.wait_all_tasks_blocked()
        store.failing = None  # the disk has room again, but too late for the first submission
        nursery.cancel_scope.cancel()
    assert store.events == []
    assert journal.unstored == 2
    assert told.said == ["opened", FULL]


async def test_a_cancelled_journal_stores_everything_submitted_and_ends_its_thread(
    store: ThreadedStore, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    async with trio.open_nursery() as nursery:
        journal = await start(nursery, Journal(store))
        await held_up(store, journal, told)
        journal.submit(event(1), told(1))
        store.open.set()
        nursery.cancel_scope.cancel()
    assert store.events == [1]
    assert "not responding" not in caplog.text


@pytest.mark.parametrize(
    ("write", "raised"), [(OpenTable("t1", b""), ZeroDivisionError), (object(), KeyError)]
)
async def test_a_bug_stops_the_journal(store: ThreadedStore, write: Any, raised: type[Exception]) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.RaisesGroup(raised):
        async with trio.open_nursery() as nursery:
            journal = await start(nursery, Journal(store))
            journal.submit([write], fail)


# --- stores that take no time


def test_an_immediate_store_stores_what_a_callback_submits_after_the_callback_ends(told: Told) -> None:
    journal = Journal(MemoryStore())

    def opened() -> None:
        journal.submit(event(1), told("inner"))
        told.note("outer")

    journal.submit([OpenTable("t1", b"")], opened)
    assert told.said == ["outer", "inner"]
    assert journal.waiting == 0


def test_an_immediate_store_also_refuses_contradictions(told: Told, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(MemoryStore())
    journal.submit(event(1), told("wrong"))
    journal.submit([OpenTable("t1", b"")], told("right"))
    assert told.said == ["right"]
    assert "refused" in caplog.text
