"""A server whose database another one has taken over: it tells nobody what was not stored, says goodbye and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from golfnet.server.journal import writer as journal_writer
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import MemoryStore
from tests.server.test_serve import calling, served

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.server.serve import Running
    from golfnet.storage.writes import Write


class FencedStore(MemoryStore):
    """A store in a thread of its own that another server takes over while ``error`` is set."""

    immediate = False
    error: StoreError | None = None

    def __init__(self) -> None:
        super().__init__()
        self.attempts = 0

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, or refuse it."""
        if self.error is not None:
            self.attempts += 1
            raise self.error
        super().write(batch)

    def probe(self) -> None:
        """Refuse it too."""
        if self.error is not None:
            raise self.error


FENCED = StoreError(StoreReason.FENCED, "Another server has it.")


async def over(running: Running) -> None:
    with trio.fail_after(60):
        await running.over.wait()


async def test_everybody_is_sent_off_and_told_nothing_that_was_not_stored() -> None:
    store = FencedStore()
    async with served(store, drain_time=600) as running:
        async with (
            calling(running.plain[0], "hello 1", "name Ann", "1 create four-turn seats=3") as ann,
            calling(running.plain[0], "name Bob") as bob,
        ):
            await ann.until(b'"id":1,"table":"t1","seq":3}')
            await bob.until(b"Bob")
            store.error = FENCED
            await ann.stream.send_all(b"2 cut seven\n3 ping\n")
            said = await ann.rest()
            assert b'"type":"bye","code":"SHUTDOWN"' in said
            assert b'"event":"cut"' not in said
            assert b'"id":2' not in said
            assert b"resume TOKEN" in b" ".join((await bob.rest()).split())
        await over(running)
        assert running.journal.is_fenced
        assert running.journal.unstored >= 1
    assert store.attempts == 1, "a store that another server has is not tried again"


async def test_an_idle_server_notices_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.01)
    store = FencedStore()
    async with served(store, drain_time=600) as running:
        async with calling(running.plain[0], "hello 1", "name Ann") as ann:
            await ann.until(b'"token"')
            store.error = FENCED
            assert b'"code":"SHUTDOWN"' in await ann.rest()
        await over(running)


@pytest.mark.parametrize("is_stopping", [False, True])
async def test_it_is_noticed_in_the_middle_of_another_failure(
    monkeypatch: pytest.MonkeyPatch, is_stopping: bool
) -> None:
    monkeypatch.setattr(journal_writer, "PROBE_SECONDS", 0.01)
    store = FencedStore()
    async with served(store, drain_time=600) as running:
        async with calling(running.plain[0], "hello 1", "name Ann", "1 create four-turn seats=3") as ann:
            await ann.until(b'"id":1,"table":"t1","seq":3}')
            store.error = StoreError(StoreReason.UNREACHABLE, "It is away.")
            await ann.stream.send_all(b"2 cut seven\n")
            await ann.until(b'"code":"PAUSED"')
            if is_stopping:
                running.stop.set()
                await trio.testing.wait_all_tasks_blocked()
                assert running.lobby.is_draining
            store.error = FENCED
            said = await ann.rest()
            assert b'"code":"SHUTDOWN"' in said
            assert b'"event":"cut"' not in said
        await over(running)
    assert next(store.tables()).events[-1].seq == 3
