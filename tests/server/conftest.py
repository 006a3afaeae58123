"""Passwords that cost no time, since no thread waits for virtual time; and servers over each transport."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from golfnet.server.accounts.hashing import FairQueue, Hashing
from golfnet.server.net.hub import Hub
from tests.server import house

T = TypeVar("T")


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let passwords be kept as they are."""

    async def make(hashing: Hashing, password: str, origin: str) -> str:
        return f"hash of {password}"

    async def check(hashing: Hashing, known: str, password: str, origin: str) -> bool:
        return known == f"hash of {password}"

    monkeypatch.setattr(Hashing, "make", make)
    monkeypatch.setattr(Hashing, "check", check)


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what belongs in a worker thread be done at once."""

    async def run(queue: FairQueue, origin: str, work: Callable[[], T]) -> T:
        return work()

    monkeypatch.setattr(FairQueue, "run", run)


@pytest.fixture(
    params=[
        "streams",
        pytest.param("hub", marks=pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")),
    ]
)
def each_transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the peers of ``open_house`` come in by streams, and in another run of the test by sockets of a hub."""
    monkeypatch.setattr(house, "over", request.param)


@pytest.fixture(params=["now", "late"])
def each_answer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store of ``open_house`` answer queries at once, and in another run of the test a while later."""
    monkeypatch.setattr(house, "run_query", house.answer_late if request.param == "late" else None)
