"""A store in PostgreSQL: every acknowledged write is committed exactly once, unless this server is declared gone.

Writes use one connection in the writer's thread, reads a few others. After any failure the connection is closed and
reopened. A batch whose outcome is unknown, because the connection was lost during its commit, keeps its number:
repeated under the same number, it is stored exactly once.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import psycopg

from golfnet.storage.faults import StoreError
from golfnet.storage.postgres import fence
from golfnet.storage.postgres.connections import (
    LimitedConnection,
    check_engine,
    connect,
    migrate,
    shown,
    steps,
    store_error,
)
from golfnet.storage.postgres.reads import PostgresReads
from golfnet.storage.postgres.writes import Batch, apply, settle
from golfnet.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.storage.writes import Write


IDLE_SECONDS: Final = 1.5
"""How many seconds a transaction may be idle between two statements: far longer than anything in between takes."""


class PostgresStore(PostgresReads, Store):
    """A database, migrated if necessary, that this server uses alone or, with a ``link``, together with other nodes.

    Raise ``StoreError`` if that is impossible. Opening takes as long as a lease if the last server did not report that
    it stopped; ``notify`` is then called.
    """

    def __init__(
        self,
        url: str,
        *,
        link: str = "",
        lease: float = fence.LEASE_SECONDS,
        notify: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.url, self.place = url, shown(url)
        self._in_use = threading.Lock()
        """Held while the writing connection is in use, which may take as long as the database does."""
        self._batch = 0
        self._unknown: tuple[Write, ...] | None = None
        """The batch that was sent to the database and may or may not be stored."""
        self._warnings: list[str] = []
        self._is_alone = not link
        self.node = 0
        self._writer: LimitedConnection | None = None

        def begin(writer: LimitedConnection) -> None:
            migrate(writer, self.place, steps())
            self.node = fence.become_owner(writer, self.place, lease, notify, link)

        try:
            self._open_writer(begin)
        except psycopg.Error as error:
            raise store_error(self.place, error) from error
        self._is_ours = f"owner = {self.node:d}"
        try:
            super().__init__(url)
        except BaseException:
            self.close()
            raise

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing, durably. Raise ``StoreError``."""
        with self._in_use:
            try:
                self._write(tuple(batch))
            except psycopg.Error as error:
                self._drop_writer()
                raise store_error(self.place, error) from error

    def probe(self) -> None:
        """Raise ``StoreError`` if nothing can be stored now.

        A single server also shows by this that it is alive. Several nodes have heartbeats for that instead: if a node's
        event loop hangs, the writer's thread must not make the node appear alive.
        """
        if self._is_alone:
            self.write(())
        else:
            self._use(lambda connection: connection.execute("SELECT"))

    def close(self) -> None:
        """Report that this server has stopped, and close the connections."""
        super().close()
        with self._in_use:
            try:
                if self._writer is not None:
                    fence.leave(self._writer, self.node)
            except psycopg.Error:
                pass  # the next server finds out by itself
            finally:
                self._drop_writer()

    def _write(self, writes: tuple[Write, ...]) -> None:
        writer = self._writer or self._open_writer()
        batch = Batch(self.place, self.node, self._batch + 1, is_repeated=self._unknown == writes)
        if self._unknown is not None and not batch.is_repeated:
            settle(writer, batch)
            self._batch += 2
            batch = batch._replace(number=self._batch + 1)
        self._unknown = writes
        self._warnings.clear()
        try:
            apply(writer, batch, writes)
        except StoreError:
            self._unknown = None
            raise
        if self._warnings:
            # For example, the wait for a replica was cancelled: the commit may be lost with the primary.
            raise psycopg.OperationalError("; ".join(self._warnings))
        self._unknown = None
        self._batch += 1

    def _open_writer(
        self, begin: Callable[[LimitedConnection], None] = lambda writer: None
    ) -> LimitedConnection:
        """Open the writing connection, and run ``begin`` on it. Raise ``StoreError`` or ``psycopg.Error``."""
        writer = connect(self.url)
        try:
            check_engine(writer, self.place)
            begin(writer)
            self._prepare(writer)
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        return writer

    def _prepare(self, writer: LimitedConnection) -> None:
        """Name the connection, so that others can close it, and have the database abort an idle transaction.

        Statements have no time limit: a commit that is cancelled while it waits for a replica looks like a success.
        """
        writer.execute(
            "SELECT set_config('application_name', %s, false),"
            " set_config('idle_in_transaction_session_timeout', %s, false),"
            " set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)",
            (fence.connection_name(writer, self.node), f"{round(IDLE_SECONDS * 1000)}"),
        )
        if not self._is_alone:
            fence.hold(writer, self.node)
        writer.add_notice_handler(self._note_warning)

    def _note_warning(self, diagnosis: psycopg.errors.Diagnostic) -> None:
        if diagnosis.severity_nonlocalized == "WARNING":
            self._warnings.append(diagnosis.message_primary or "a warning")

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
