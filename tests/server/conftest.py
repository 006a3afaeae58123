"""Fixtures: a cluster in virtual time, a held journal, each transport, and parts that are quick or late."""

from collections.abc import AsyncIterator, Callable, Sequence

import pytest
import trio

from golfnet.bots import expert
from golfnet.server.accounts.passwords import Hashing
from golfnet.storage.store import Store
from golfnet.storage.writes import Write
from tests.server import cluster, house
from tests.server.cluster import Cluster
from tests.server.house import House
from tests.server.listeners import needs_hub


class HeldJournal:
    """A journal that stores writes, in order, but only while ``is_open``."""

    def __init__(self, store: Store, *, is_open: bool = True) -> None:
        self._store = store
        self._waiting: list[tuple[Sequence[Write], Callable[[], None]]] = []
        self.is_open = is_open

    def go_on(self) -> None:
        """Open the journal, and store everything that is waiting."""
        self.is_open = True
        self.store_waiting()

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        self._waiting.append((writes, then))
        if self.is_open and len(self._waiting) == 1:
            self.store_waiting()

    def store_waiting(self, count: int = 1_000_000) -> None:
        while self._waiting and count:
            writes, then = self._waiting[0]
            self._store.write(writes)
            then()
            self._waiting.pop(0)
            count -= 1


@pytest.fixture
def held_journal(house: House) -> HeldJournal:
    """Give the server a journal whose writes the test can hold back, and return it."""
    journal = HeldJournal(house.lobby.store)
    house.lobby.gate._submit = journal.submit
    return journal


@pytest.fixture(name="cluster")
async def open_cluster(virtual_time: None, request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    """Yield a cluster in virtual time, of two nodes unless the test's mark ``settings`` gives another number."""
    settings = request.node.get_closest_marker("settings") or pytest.mark.settings().mark
    async with cluster.open_cluster(*settings.args, **settings.kwargs) as opened:
        yield opened


@pytest.fixture(autouse=True)
def hasty_experts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let expert bots play like hard bots, without playouts, whose number would depend on the machine's speed."""
    spent = expert.ThinkingTime(clock=lambda: 0.0)
    spent.spend(expert.SAVED)
    monkeypatch.setattr(expert, "SHARED", spent)


def replace_hashing(monkeypatch: pytest.MonkeyPatch, *, seconds: float) -> None:
    """Keep passwords in plain text, and let each hash take some seconds."""

    async def make(hashing: Hashing, password: str, origin: str) -> str:
        if seconds:
            await trio.sleep(seconds)
        return f"hash of {password}"

    async def check(hashing: Hashing, known: str, password: str, origin: str) -> bool:
        return known == await make(hashing, password, origin)

    monkeypatch.setattr(Hashing, "make", make)
    monkeypatch.setattr(Hashing, "check", check)


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store passwords in plain text."""
    replace_hashing(monkeypatch, seconds=0.0)


@pytest.fixture(params=["streams", pytest.param("hub", marks=needs_hub)])
def each_transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test twice: with peers of ``open_house`` connected by streams, and by sockets of a hub."""
    monkeypatch.setattr(house, "over", request.param)


@pytest.fixture
def late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store of ``open_house`` answer queries only after other tasks have run."""
    monkeypatch.setattr(house, "run_query", house.answer_late)


@pytest.fixture(params=["now", "late"])
def each_answer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test twice: with the store of ``open_house`` answering queries at once, and a while later."""
    monkeypatch.setattr(house, "run_query", house.answer_late if request.param == "late" else None)
