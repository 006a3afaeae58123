"""A synchronous standby takes over from a primary that fails: whatever was acknowledged is stored, once."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.writes import AppendEvent, OpenTable
from tests.storage.postgres.test_store import until

if TYPE_CHECKING:
    from tests.postgres import PostgresServer


class Appending(threading.Thread):
    """Appends one event after another as the journal does: a failed write is retried until it is stored."""

    def __init__(self, store: PostgresStore) -> None:
        super().__init__(daemon=True)
        self._store = store
        self.stored = 0
        self.failures: list[StoreReason] = []
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self._store.write([AppendEvent("t1", self.stored + 1, b"x")])
            except StoreError as error:
                self.failures.append(error.reason)
                self._over.wait(0.05)
            else:
                self.stored += 1

    def end(self) -> None:
        """Stop once the current event is stored."""
        self._over.set()
        self.join(60)


def test_nothing_acknowledged_is_lost_with_the_primary(postgres: PostgresServer) -> None:
    with ExitStack() as running:
        primary = running.enter_context(closing(postgres.another()))
        standby = running.enter_context(closing(primary.standby()))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        store = running.enter_context(
            closing(PostgresStore(f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"))
        )
        store.write([OpenTable("t1", b"row")])
        appending = Appending(store)
        until(lambda: appending.stored > 50)
        primary.kill()
        until(lambda: appending.failures)
        standby.promote()
        before = appending.stored
        until(lambda: appending.stored > before + 50)
        appending.end()
        seqs = [seq for seq, _ in next(store.tables()).events]
        assert seqs == [*range(1, appending.stored + 1)]
        assert standby.execute("SELECT batch FROM node") == [(appending.stored + 1,)]
        assert StoreReason.FENCED not in appending.failures
