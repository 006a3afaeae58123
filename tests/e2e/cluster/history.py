"""Every table event ever stored, and by whom: the database records it in the transaction that stores it."""

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
    """What a database contains and has contained."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._read = 0

    def install(self) -> None:
        """Start recording events in the database."""
        self.rows(_SCHEMA)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def new(self) -> Iterator[Stored]:
        """Yield the events stored since the last call, in the order in which they were stored."""
        with psycopg.connect(self.url) as connection:
            connection.execute("SET LOCAL lock_timeout = '30s'")
            connection.execute("LOCK TABLE history IN SHARE MODE")  # waits until nobody is writing
            rows = connection.execute(
                "SELECT ordinal, live, seq, body, writer FROM history WHERE ordinal > %s ORDER BY ordinal",
                (self._read,),
            ).fetchall()
        for ordinal, live, seq, body, writer in rows:
            self._read = ordinal
            yield Stored(f"t{live}", seq, msgspec.json.decode(body), int(writer.split(":")[1].split("@")[0]))

    def events(self) -> dict[str, dict[int, dict[str, Any]]]:
        """Return the logs of the open tables."""
        logs: dict[str, dict[int, dict[str, Any]]] = {
            f"t{number}": {} for (number,) in self.rows("SELECT number FROM live")
        }
        for live, seq, body in self.rows("SELECT live, seq, body FROM event"):
            logs.setdefault(f"t{live}", {})[seq] = msgspec.json.decode(body)
        return logs

    def records(self, after: int = 0) -> Iterator[tuple[int, str, str, list[bytes]]]:
        """Yield the matches after the given ordinal, each with its ordinal, number, table and record."""
        for ordinal, number, live, record in self.rows(
            f"SELECT ordinal, number, live, record FROM match WHERE ordinal > {after} ORDER BY ordinal"
        ):
            yield ordinal, f"m{number}", f"t{live}", zlib.decompress(record).splitlines()

    def owners(self) -> dict[str, int | None]:
        """Return the node that owns each open table."""
        rows = self.rows("SELECT number, owner FROM live WHERE aside IS NULL")
        return {f"t{number}": owner for number, owner in rows}

    def gone(self) -> frozenset[int]:
        """Return the nodes that have been declared gone."""
        return frozenset([node for (node,) in self.rows("SELECT id FROM node WHERE gone")])
