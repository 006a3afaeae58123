"""A store in PostgreSQL: every acknowledged write is committed exactly once, unless this server is declared gone.

Writes use one connection in the writer's thread, reads a few others. After any failure the connection is closed and
reopened. A batch whose outcome is unknown, because the connection was lost during its commit, keeps its number:
repeated under the same number, it is stored exactly once.

A batch is one transaction, which begins by incrementing ``batch`` in the server's own row: if that fails, the server
has been declared gone, or the batch is already stored. Nine in ten batches have only events, and are one
statement. The statements of other batches are sent without waiting for each answer, which takes three round trips.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from typing import Any, Final, cast

import psycopg

from golfnet.storage.faults import StoreError, StoreReason, contradiction, violation
from golfnet.storage.postgres import fence
from golfnet.storage.postgres.connections import (
    LimitedConnection,
    PostgresReads,
    check_engine,
    connect,
    message,
    migrate,
    shown,
    steps,
    store_error,
)
from golfnet.storage.store import WRITES, Store, count, need_number
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

Cursor = psycopg.Cursor[tuple[Any, ...]]
Run = Callable[..., Cursor]

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
            self._use(lambda connection: connection.run("SELECT"))

    def close(self) -> None:
        """Report that this server has stopped, and close the connections."""
        super().close()
        with self._in_use:
            if self._writer is not None:
                with suppress(psycopg.Error):  # otherwise the next server finds out by itself
                    fence.leave(self._writer, self.node)
            self._drop_writer()

    def _write(self, writes: tuple[Write, ...]) -> None:
        writer = self._writer or self._open_writer()
        is_repeated = self._unknown == writes
        if self._unknown is not None and not is_repeated:
            self._settle(writer)
        self._unknown = writes
        self._warnings.clear()
        try:
            self._commit(writer, writes, is_repeated=is_repeated)
        except StoreError:
            self._unknown = None
            raise
        if self._warnings:
            # For example, the wait for a replica was cancelled: the commit may be lost with the primary.
            raise psycopg.OperationalError("; ".join(self._warnings))
        self._unknown = None
        self._batch += 1

    def _settle(self, writer: LimitedConnection) -> None:
        """Skip the number of the batch that may be stored, and one more, so that it can no longer be stored."""
        settled = self._batch + 2
        taken = writer.run(
            "UPDATE node SET batch = ? WHERE id = ? AND NOT gone AND batch BETWEEN ? AND ?",
            *(settled, self.node, self._batch, settled),
        )
        if not taken.rowcount:
            self._explain(writer, is_repeated=False)
        self._batch = settled

    def _commit(self, writer: LimitedConnection, writes: tuple[Write, ...], *, is_repeated: bool) -> None:
        """Commit the next batch, or change nothing; if it ``is_repeated``, it may already be stored.

        Raise ``StoreError`` if it contradicts what is stored or the server has been declared gone, or ``psycopg.Error``
        on any other failure: the connection must then be closed, and nobody knows whether the batch was stored.
        """
        try:
            if all(type(write) is AppendEvent for write in writes):
                events = _columns(cast("Sequence[AppendEvent]", writes))
                ((has_passed,),) = writer.execute(
                    _APPEND_ALONE, (self._batch + 1, self.node, self._batch, *events)
                )
            else:
                has_passed = self._commit_together(writer, writes)
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            # The fault is in the data, so a retry would not help.
            diagnosis = error.diag
            where = f"{diagnosis.table_name}.{diagnosis.column_name or diagnosis.constraint_name}"
            contradiction(violation(where) or message(error))
        if not has_passed:
            self._explain(writer, is_repeated=is_repeated)

    def _commit_together(self, writer: LimitedConnection, writes: Sequence[Write]) -> bool:
        """Commit a batch in one transaction, if the fence lets it pass; return whether it does."""
        cursor = writer.execute(
            (
                f"BEGIN; UPDATE node SET batch = {self._batch + 1:d}, seen = now()"
                f" WHERE id = {self.node:d} AND NOT gone AND batch = {self._batch:d}"
            ).encode()
        )
        try:
            cursor.nextset()
            if not cursor.rowcount:
                return False
            _apply_in_order(writer, self.node, writes)
            writer.execute("COMMIT")
            return True
        finally:
            if not writer.closed:
                writer.rollback()  # which does nothing after a commit

    def _explain(self, writer: LimitedConnection, *, is_repeated: bool) -> None:
        """Return normally if the batch is already stored. Otherwise raise ``StoreError`` with the reason."""
        row = writer.run("SELECT batch, gone FROM node WHERE id = ?", self.node).fetchone()
        if row is None or row[1]:
            raise fence.fenced(self.place)
        if row[0] != self._batch + 1 or not is_repeated:
            raise StoreError(
                StoreReason.FENCED,
                f"The database {self.place} is not as this server left it (batch {row[0]}, expected {self._batch}): it "
                "was restored from a backup, or a standby that had not received everything took over. This server "
                "stops; the next start continues from what is stored.",
            )
        # This commit, too, waits for whatever commits have to wait for, such as a replica: then the batch is durable.
        writer.run("UPDATE node SET seen = now() WHERE id = ?", self.node)

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
        writer.run(
            "SELECT set_config('application_name', ?, false),"
            " set_config('idle_in_transaction_session_timeout', ?, false),"
            " set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)",
            *(fence.connection_name(writer, self.node), f"{round(IDLE_SECONDS * 1000)}"),
        )
        if not self._is_alone:
            fence.hold(writer, self.node)
        writer.add_notice_handler(self._note_warning)

    def _note_warning(self, diagnosis: psycopg.errors.Diagnostic) -> None:
        if diagnosis.severity_nonlocalized == "WARNING":
            self._warnings.append(diagnosis.message_primary or "a warning")


def _apply_in_order(writer: LimitedConnection, node: int, writes: Sequence[Write]) -> None:
    """Apply writes in order; consecutive events are stored by one statement."""
    changes: list[tuple[Any, Cursor]] = []
    with writer.pipeline() if psycopg.Pipeline.is_supported() else nullcontext():
        _lock_ratings(writer.run, writes)
        for kind, neighbours in groupby(writes, type):
            if kind is AppendEvent:
                writer.execute(_APPEND, (node, *_columns(cast("Iterator[AppendEvent]", neighbours))))
                continue
            for write in neighbours:
                if kind in WRITES:
                    WRITES[kind](writer.run, write)
                elif (changed := _APPLY[kind](writer.run, node, write)) is not None:
                    changes.append((write, changed))
    for write, changed in changes:
        if not changed.rowcount:
            contradiction(f"table {write.table} is not open")


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


def _open_table(run: Run, node: int, write: OpenTable) -> None:
    number = need_number("t", write.table)
    run(
        "INSERT INTO live (number, owner, row) VALUES (?, ?, ?) ON CONFLICT (number) DO UPDATE SET row = NULL"
        " WHERE live.row <> excluded.row OR live.owner IS DISTINCT FROM excluded.owner",
        *(number, node, write.row),
    )
    _save_seats(run, number, write.seated)
    count(run, "t", number)


def _change_table(
    run: Run, node: int, table: str, change: str, value: bytes | str, seated: Iterable[str]
) -> Cursor:
    number = need_number("t", table)
    changed = run(f"UPDATE live SET {change} WHERE number = ? AND owner = ?", value, number, node)
    _save_seats(run, number, seated)
    return changed


def _give_table(run: Run, node: int, write: GiveTable) -> Cursor:
    """Give an open table away; if its next node is gone by now, the table and its players wait for any other node."""
    number = need_number("t", write.table)
    given = run(
        "UPDATE live SET row = ?, moving = 'given', owner = (SELECT id FROM node WHERE id = ? AND NOT gone)"
        " WHERE number = ? AND owner = ?",
        *(write.row, write.node, number, node),
    )
    players, stays = [need_number("p", player) for player in write.seated], [stay for _, stay in write.stays]
    run(
        "UPDATE stay SET node = ?, number = given.number"
        " FROM unnest(?::bigint[], ?::bigint[]) AS given (player, number)"
        " WHERE stay.player = given.player AND stay.node = ?",
        *(write.node, players, stays, node),
    )
    _save_seats(run, number, write.seated)
    return given


def _save_seats(run: Run, table: int, seated: Iterable[str]) -> None:
    players = [need_number("p", player) for player in seated]
    run(
        "WITH others AS (DELETE FROM seat WHERE live = ? AND player <> ALL(?::bigint[]))"
        " INSERT INTO seat (player, live) SELECT given, ? FROM unnest(?::bigint[]) AS given"
        " ON CONFLICT (player) DO UPDATE SET live = excluded.live WHERE seat.live <> excluded.live",
        *(table, players, table, players),
    )


def _close_table(run: Run, node: int, write: CloseTable) -> None:
    run(
        "WITH closed AS (DELETE FROM live WHERE number = ? AND owner = ? RETURNING number)"
        " DELETE FROM event USING closed WHERE event.live = closed.number",
        *(need_number("t", write.table), node),
    )


def _trim_table(run: Run, node: int, write: TrimTable) -> None:
    table = need_number("t", write.table)
    run(
        "DELETE FROM event WHERE live = ? AND seq < ? AND EXISTS (SELECT 1 FROM match WHERE number = ?)"
        " AND EXISTS (SELECT 1 FROM live WHERE number = ? AND owner = ?)",
        *(table, write.before, need_number("m", write.match), table, node),
    )


def _lock_ratings(run: Run, writes: Sequence[Write]) -> None:
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
        run("SELECT pg_advisory_xact_lock(-player) FROM unnest(?::bigint[]) AS player", players)


_APPLY: Final[dict[type[Write], Callable[[Run, int, Any], Cursor | None]]] = {
    OpenTable: _open_table,
    SaveTable: lambda run, node, write: _change_table(
        run, node, write.table, "row = ?, moving = NULL", write.row, write.seated
    ),
    SetAside: lambda run, node, write: _change_table(run, node, write.table, "aside = ?", write.why, ()),
    GiveTable: _give_table,
    CloseTable: _close_table,
    TrimTable: _trim_table,
}
"""The function that applies each kind of write; the cursor that it may return has changed no row if the table is not
open here."""
