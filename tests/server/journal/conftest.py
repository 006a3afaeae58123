"""A store whose delays and failures a test controls, a journal on it, and a recorder of the journal's callbacks."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
import trio

from golfnet.server.journal.journal import Journal
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import AppendEvent, OpenTable, Write

FULL = StoreError(StoreReason.FULL, "no room")


class ThreadedStore(MemoryStore):
    """A memory store, written to in the journal's thread, that a test can hold up or make fail."""

    immediate = False

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.writing = threading.Event()
        self.failing: StoreError | None = None
        self.gone: StoreError | None = None
        self.shuts_again = False
        self.refused = 0
        self.batches: list[int] = []

    def write(self, batch: Sequence[Write]) -> None:
        self.writing.set()
        assert self.open.wait(60)
        if self.shuts_again:
            self.open.clear()
        if self.failing is not None:
            self.refused += 1
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
    """Records which of the journal's callbacks were called, in order."""

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


def event(seq: int, body: bytes = b"x") -> list[Write]:
    return [AppendEvent("t1", seq, body)]


def new_journal(store: ThreadedStore, told: Told) -> Journal:
    """Return a journal that retries at once and reports failures by their reasons."""
    journal = Journal(store, retry_seconds=(0.0,))
    journal.on_failure = lambda error: told.note(error.reason)
    journal.on_recovery = told("recovery")
    return journal


async def start(nursery: trio.Nursery, journal: Journal) -> Journal:
    await nursery.start(journal.run)
    return journal


async def held_up(store: ThreadedStore, journal: Journal, told: Told) -> None:
    """Hold up the store in the middle of a first batch, so that more submissions queue up behind it."""
    store.writing.clear()
    store.open.clear()
    journal.submit([OpenTable("t1", b"")], told("opened"))
    await trio.to_thread.run_sync(store.writing.wait, 10)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store() -> ThreadedStore:
    return ThreadedStore()


@pytest.fixture
async def journal(store: ThreadedStore, told: Told, nursery: trio.Nursery) -> AsyncIterator[Journal]:
    """Yield a running journal, and close it after the test."""
    journal = await start(nursery, new_journal(store, told))
    yield journal
    await journal.aclose()
