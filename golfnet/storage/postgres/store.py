"""A store in PostgreSQL: every acknowledged write is committed exactly once, unless this server is declared gone.

Writes use one connection in the writer's thread, reads a few others. After any failure the connection is closed and
reopened. A batch whose outcome is unknown, because the connection was lost during its commit, keeps its number:
repeated under the same number, it is stored exactly once.

A batch is one transaction, which begins by incrementing ``batch`` in the server's own row: if that fails, the server
has been declared gone, or the batch is already stored. Nine in ten batches have only events, and are one
statement. The statements of other batches are sent without waiting for each answer, which takes three round trips.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import psycopg

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres import fence
from golfnet.storage.postgres.connections import (
    CONTRADICTIONS,
    LimitedConnection,
    check_engine,
    connect,
    fenced,
    message,
    migrate,
    shown,
    steps,
    store_error,
)
from golfnet.storage.postgres.reads import PostgresReads, as_statement
from golfnet.storage.statements import WRITES, count
from golfnet.storage.store import Store, contradiction, need_number
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    FinishMatch,
    GiveTable,
    OpenTable,
    SaveTable,
    SetAside,
    TrimTable,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


IDLE_SECONDS: Final = 1.5
"""How many seconds a transaction may be idle between two statements. A healthy server never needs that long."""


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
        """Held while the writing connection is in use, for as long as the database takes."""
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
        """Store a batch durably, all or nothing. Raise ``StoreError`` on failure."""
        with self._in_use:
            try:
                self._write(tuple(batch))
            except psycopg.Error as error:
                self._drop_writer()
                raise store_error(self.place, error) from error

    def probe(self) -> None:
        """Raise ``StoreError`` if nothing can be stored now.

        For a single server, this is also the sign that it is alive. A node in a cluster has heartbeats instead: if its
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


OpenTableChange = SaveTable | SetAside | GiveTable


class Batch(NamedTuple):
    """The writing server, and the number of the batch; ``is_repeated`` if it may already be stored."""

    place: str
    node: int
    number: int
    is_repeated: bool


def apply(writer: LimitedConnection, batch: Batch, writes: Sequence[Write]) -> None:
    """Commit a batch, or change nothing.

    Raise ``StoreError`` if it contradicts what is stored or the server has been declared gone, or ``psycopg.Error`` on
    any other failure: the caller must then close the connection, and cannot know whether the batch was stored.
    """
    try:
        if all(type(write) is AppendEvent for write in writes):
            _append_alone(writer, batch, cast("Sequence[AppendEvent]", writes))
        else:
            _apply_together(writer, batch, writes)
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        # The fault is in the data, so a retry would not help.
        diagnosis = error.diag
        where = f"{diagnosis.table_name}.{diagnosis.column_name or diagnosis.constraint_name}"
        contradiction(next((text for part, text in CONTRADICTIONS.items() if part in where), message(error)))


def settle(writer: LimitedConnection, batch: Batch) -> None:
    """Use up the number of a batch that may have been stored, and the next one, so that it can no longer be stored."""
    taken = writer.execute(
        "UPDATE node SET batch = %s WHERE id = %s AND NOT gone AND batch BETWEEN %s AND %s",
        (batch.number + 1, batch.node, batch.number - 1, batch.number + 1),
    )
    if not taken.rowcount:
        _explain(writer, batch._replace(is_repeated=False))


def _append_alone(writer: LimitedConnection, batch: Batch, events: Sequence[AppendEvent]) -> None:
    """Append events in one statement, which is a transaction of its own."""
    ((servers,),) = writer.execute(
        _APPEND_ALONE, (batch.number, batch.node, batch.number - 1, *_columns(events))
    ).fetchall()
    if not servers:
        _explain(writer, batch)


def _apply_together(writer: LimitedConnection, batch: Batch, writes: Sequence[Write]) -> None:
    cursor = writer.execute(
        (
            f"BEGIN; UPDATE node SET batch = {batch.number:d}, seen = now()"
            f" WHERE id = {batch.node:d} AND NOT gone AND batch = {batch.number - 1:d}"
        ).encode()
    )
    try:
        cursor.nextset()
        if cursor.rowcount:
            _apply_in_order(writer, batch.node, writes)
            writer.execute("COMMIT")
            return
    except BaseException:
        if not writer.closed:
            writer.rollback()
        raise
    writer.rollback()
    _explain(writer, batch)


def _explain(writer: LimitedConnection, batch: Batch) -> None:
    """Return normally if the batch is already stored. Otherwise raise ``StoreError`` with the reason."""
    row = writer.execute("SELECT batch, gone FROM node WHERE id = %s", (batch.node,)).fetchone()
    if row is None or row[1]:
        raise fenced(batch.place)
    if row[0] != batch.number or not batch.is_repeated:
        raise StoreError(
            StoreReason.FENCED,
            f"The database {batch.place} is not as this server left it (batch {row[0]}, expected {batch.number - 1}): "
            "it was restored from a backup, or a standby that had not received everything took over. This server "
            "stops; the next start continues from what is stored.",
        )
    # This commit, too, waits for whatever commits have to wait for, such as a replica: then the batch is durable.
    writer.execute("UPDATE node SET seen = now() WHERE id = %s", (batch.node,))


def _apply_in_order(writer: LimitedConnection, node: int, writes: Sequence[Write]) -> None:
    """Apply writes in order; consecutive events are stored by one statement."""
    changes: list[tuple[OpenTableChange, psycopg.Cursor[Any]]] = []
    with writer.pipeline() if psycopg.Pipeline.is_supported() else nullcontext():
        _lock_ratings(writer, writes)
        for kind, neighbours in groupby(writes, type):
            if kind is AppendEvent:
                writer.execute(_APPEND, (node, *_columns(cast("Iterator[AppendEvent]", neighbours))))
                continue
            for write in neighbours:
                if isinstance(write, OpenTableChange):
                    changes.append((write, _change_table(writer, node, write)))
                elif (apply_here := _APPLY.get(type(write))) is not None:
                    apply_here(writer, node, write)
                else:
                    WRITES[type(write)](partial(_run, writer), write)
    for write, changed in changes:
        if not changed.rowcount:
            contradiction(f"table {write.table} is not open")


def _run(writer: LimitedConnection, sql: str, *values: Any) -> psycopg.Cursor[Any]:
    return writer.execute(as_statement(sql), values)


def _columns(events: Iterable[AppendEvent]) -> tuple[list[int], list[int], list[bytes]]:
    """Return the tables, numbers and bodies of events, each event once: one statement cannot touch a row twice."""
    given: dict[tuple[int, int], bytes] = {}
    for write in events:
        if given.setdefault((need_number("t", write.table), write.seq), write.body) != write.body:
            contradiction(f"table {write.table} has a different event {write.seq}")
    return [table for table, _ in given], [seq for _, seq in given], [*given.values()]


_INSERT: Final = """
    INSERT INTO event (live, seq, body)
    SELECT live.number, given.seq, given.body
    FROM owner CROSS JOIN unnest(%s::bigint[], %s::bigint[], %b::bytea[]) AS given (live, seq, body)
        LEFT JOIN live ON live.number = given.live AND live.owner = owner.id
    ON CONFLICT (live, seq) DO UPDATE SET body = NULL WHERE event.body <> excluded.body
"""
"""Insert events. One whose table is not open here, or that is stored with a different body, violates NOT NULL."""
_APPEND: Final = f"WITH owner AS (SELECT %s::bigint AS id) {_INSERT}".encode()
_APPEND_ALONE: Final = f"""
    WITH owner AS (
        UPDATE node SET batch = %s, seen = now() WHERE id = %s AND NOT gone AND batch = %s RETURNING id
    ), stored AS ({_INSERT})
    SELECT count(*) FROM owner
""".encode()


def _open_table(writer: LimitedConnection, node: int, write: OpenTable) -> None:
    number = need_number("t", write.table)
    writer.execute(
        "INSERT INTO live (number, owner, row) VALUES (%s, %s, %s) ON CONFLICT (number) DO UPDATE SET row = NULL"
        " WHERE live.row <> excluded.row OR live.owner IS DISTINCT FROM excluded.owner",
        (number, node, write.row),
    )
    _save_seats(writer, number, write.seated)
    count(partial(_run, writer), "t", number)


def _save_seats(writer: LimitedConnection, table: int, seated: Iterable[str]) -> None:
    """Store that exactly these players have seats at a table."""
    players = [need_number("p", player) for player in seated]
    writer.execute(
        "WITH others AS (DELETE FROM seat WHERE live = %s AND player <> ALL(%s::bigint[]))"
        " INSERT INTO seat (player, live) SELECT given, %s FROM unnest(%s::bigint[]) AS given"
        " ON CONFLICT (player) DO UPDATE SET live = excluded.live WHERE seat.live <> excluded.live",
        (table, players, table, players),
    )


def _change_table(writer: LimitedConnection, node: int, write: OpenTableChange) -> psycopg.Cursor[Any]:
    """Change an open table; the returned cursor has a row count of 0 if the table is not open here."""
    here = (need_number("t", write.table), node)
    match write:
        case SaveTable(row=row):
            changed = writer.execute(
                "UPDATE live SET row = %s, moving = NULL WHERE number = %s AND owner = %s", (row, *here)
            )
        case SetAside(why=why):
            changed = writer.execute(
                "UPDATE live SET aside = %s WHERE number = %s AND owner = %s", (why, *here)
            )
        case GiveTable():
            changed = _give_table(writer, node, write)
    _save_seats(writer, here[0], () if isinstance(write, SetAside) else write.seated)
    return changed


def _give_table(writer: LimitedConnection, node: int, write: GiveTable) -> psycopg.Cursor[Any]:
    """Give an open table away; if its next node is gone by now, the table and its players wait for any other node."""
    number = need_number("t", write.table)
    given = writer.execute(
        "UPDATE live SET row = %s, moving = 'given', owner = (SELECT id FROM node WHERE id = %s AND NOT gone)"
        " WHERE number = %s AND owner = %s",
        (write.row, write.node, number, node),
    )
    writer.execute(
        "UPDATE stay SET node = %s, number = given.number"
        " FROM unnest(%s::bigint[], %s::bigint[]) AS given (player, number)"
        " WHERE stay.player = given.player AND stay.node = %s",
        (
            write.node,
            [need_number("p", player) for player, _ in write.stays],
            [number for _, number in write.stays],
            node,
        ),
    )
    return given


def _close_table(writer: LimitedConnection, node: int, write: CloseTable) -> None:
    writer.execute(
        "WITH closed AS (DELETE FROM live WHERE number = %s AND owner = %s RETURNING number)"
        " DELETE FROM event USING closed WHERE event.live = closed.number",
        (need_number("t", write.table), node),
    )


def _trim_table(writer: LimitedConnection, node: int, write: TrimTable) -> None:
    table = need_number("t", write.table)
    writer.execute(
        "DELETE FROM event WHERE live = %s AND seq < %s AND EXISTS (SELECT 1 FROM match WHERE number = %s)"
        " AND EXISTS (SELECT 1 FROM live WHERE number = %s AND owner = %s)",
        (table, write.before, need_number("m", write.match), table, node),
    )


def _lock_ratings(writer: LimitedConnection, writes: Sequence[Write]) -> None:
    """Lock the ratings that a batch changes, in order, so that no other server's change to them is lost."""
    players = sorted(
        {
            need_number("p", seat.player)
            for write in writes
            if type(write) is FinishMatch and write.match.rated
            for seat in write.match.seats
            if seat.player is not None
        }
    )
    if players:
        writer.execute(
            "SELECT pg_advisory_xact_lock(-player) FROM unnest(%s::bigint[]) AS player", (players,)
        )


_APPLY: Final[dict[type[Write], Callable[[LimitedConnection, int, Any], None]]] = {
    OpenTable: _open_table,
    CloseTable: _close_table,
    TrimTable: _trim_table,
}
