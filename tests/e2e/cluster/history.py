"""Everything that was ever stored of tables, and by whom: the database notes it in the transaction that stores it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA: Final = """
    CREATE TABLE history (
        ordinal bigint GENERATED ALWAYS AS IDENTITY, live bigint, seq bigint, body bytea, writer text
    );
    CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO history (live, seq, body, writer)
        SELECT live, seq, body, current_setting('application_name') FROM added ORDER BY live, seq;
        RETURN NULL;
    END $$;
    CREATE TRIGGER note_events AFTER INSERT ON event
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_events();
"""


class Stored(NamedTuple):
    """One event that was stored; ``writer`` is the number of the node."""

    table: str
    seq: int
    body: dict[str, Any]
    writer: int


class History:
    """What a database has and had."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._read = 0

    def install(self) -> None:
        """Start recording events in the database."""
        self.rows(_SCHEMA)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run something, and return its rows."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def new(self) -> Iterator[Stored]:
        """Yield the events that were stored since the last time, in the order in which they were."""
        with psycopg.connect(self.url) as connection:
            connection.execute("SET LOCAL lock_timeout = '30s'")
            connection.execute("LOCK TABLE history IN SHARE MODE")  # until nobody is in the middle of writing
            rows = connection.execute(
                "SELECT ordinal, live, seq, body, writer FROM history WHERE ordinal > %s ORDER BY ordinal",
                (self._read,),
            ).fetchall()
        for ordinal, live, seq, body, writer in rows:
            self._read = ordinal
            yield Stored(f"t{live}", seq, msgspec.json.decode(body), int(writer.split(":")[1].split("@")[0]))

    def events(self) -> dict[str, dict[int, dict[str, Any]]]:
        """Return the logs of the tables that are open."""
        logs: dict[str, dict[int, dict[str, Any]]] = {
            f"t{number}": {} for (number,) in self.rows("SELECT number FROM live")
        }
        for live, seq, body in self.rows("SELECT live, seq, body FROM event"):
            logs.setdefault(f"t{live}", {})[seq] = msgspec.json.decode(body)
        return logs

    def records(self, after: int = 0) -> Iterator[tuple[int, str, str, list[bytes]]]:
        """Yield the finished matches after an ordinal, each with its ordinal, its table and its record."""
        for ordinal, number, live, record in self.rows(
            f"SELECT ordinal, number, live, record FROM match WHERE ordinal > {after} ORDER BY ordinal"
        ):
            yield ordinal, f"m{number}", f"t{live}", zlib.decompress(record).splitlines()

    def owners(self) -> dict[str, int | None]:
        """Return the node that has each open table."""
        rows = self.rows("SELECT number, owner FROM live WHERE aside IS NULL")
        return {f"t{number}": owner for number, owner in rows}

    def gone(self) -> frozenset[int]:
        """Return the nodes that are gone for ever."""
        return frozenset([node for (node,) in self.rows("SELECT id FROM node WHERE gone")])
