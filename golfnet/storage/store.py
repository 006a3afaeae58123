"""The store's interface, whatever the database: what is stored, and how it is read.

A store is a plain synchronous object without a clock. ``write`` is called by one thread only and is all or nothing: on
return the whole batch is durable, on an exception none of it is stored. Reads see what is durable and may be called by
any thread. They wait for a disk or a database server, so a running server reads in worker threads, unless the store is
``immediate``.

Each read is a statement or two in the SQL that SQLite and PostgreSQL share, with ``?`` for values. None holds a cursor
open when it returns or yields, so others can write in between. Results, players and ratings are also written in this
SQL; tables and events are written elsewhere.
"""

import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from msgspec import Struct, convert

from golfnet.storage import results
from golfnet.storage.faults import StoreError, contradiction
from golfnet.storage.records import record_of
from golfnet.storage.writes import (
    DeletePlayer,
    FinishMatch,
    LoggedEvent,
    MatchResult,
    PlayerKind,
    PlayerRow,
    Rating,
    ReserveMatch,
    SavePlayer,
    SeatResult,
    Token,
    Write,
)


class IdKind(StrEnum):
    """The kind of an id; the value is its letter."""

    TABLE = "t"
    MATCH = "m"
    PLAYER = "p"


class TableLog(Struct, frozen=True):
    """An open table: its row, and its events in ascending order.

    ``is_unrestored`` is true until the table's owner has reported that it is restored; until then, ``was_given`` is
    true if the previous node gave the table away, and false if that node died.
    """

    table: str
    row: bytes
    events: tuple[LoggedEvent, ...]
    is_unrestored: bool = False
    was_given: bool = False


class VariantStats(Struct, frozen=True):
    """A player's matches under one rule set: those that were finished, and those that the player left early.

    ``wins`` counts the matches with rank 1, ``forfeits`` those that the player left or that ended without them.
    ``best`` and ``average`` are totals (lower is better) over the finished matches that the player played to the end,
    or None if there are none.
    """

    variant: str
    matches: int
    wins: int
    forfeits: int
    best: int | None
    average: float | None


@lru_cache(maxsize=4096)
def number_of(kind: str, identity: str) -> int:
    """Return the number in an id of the kind ``t`` (table), ``m`` (match) or ``p`` (player), or 0 for other text.

    It has at most 15 digits: more than needed, and exact in every JSON parser.
    """
    return int(identity[1:]) if re.fullmatch(rf"{kind}[1-9][0-9]{{0,14}}", identity) else 0


def need_number(kind: str, identity: str) -> int:
    """Return the number in an id, for writing. Raise ``StoreError`` for a malformed id."""
    return number_of(kind, identity) or contradiction(f"{identity!r} is not an id such as {kind}12")


@cache
def schema_steps(folder: Path) -> tuple[str, ...]:
    """Return the SQL of each migration step in a folder, in order."""
    return tuple(
        (folder / f"{number}.sql").read_text("utf-8") for number in range(1, len([*folder.iterdir()]) + 1)
    )


Run = Callable[..., Any]
"""Runs one statement with its values on a connection, and returns its rows or a cursor that yields them."""

S = TypeVar("S", bound=Struct)

_PLAYER = (
    "SELECT number, 'p' || number, name, skeleton, kind, password_hash, created, seen, settings FROM player"
)
_MATCH = (
    "SELECT ordinal, 'm' || number, 't' || live, variant, options, started, ended, finished, rated FROM match"
)
_TOKENS = "SELECT player, hash, issued, used, origin, claimed FROM token"
_SEATS = "SELECT match, 'p' || player, name, kind, total, place, ending, rank FROM match_seat"
_RATING = "SELECT 'p' || player, variant, pool, mu, sigma, matches, wins FROM rating"


class Reads(ABC):
    """The reads of a database. Each raises ``StoreError`` if the database cannot be read."""

    IS_BEYOND_ASCII: ClassVar[str]
    """The SQL condition for names with letters beyond ASCII."""
    _is_ours = "TRUE"
    """The SQL condition for the tables that belong to this server."""

    @abstractmethod
    def _all(self, sql: str, *values: Any) -> list[Any]:
        """Run one statement and return all its rows. Raise ``StoreError`` on failure."""

    @abstractmethod
    def _damaged(self, what: str) -> StoreError:
        """Return the error for stored bytes that differ from what was written."""

    @abstractmethod
    def inspect(self) -> None:
        """Scan everything stored for damage, which takes a long time. Raise ``StoreError`` on failure."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources; the database is not used afterwards."""

    def numbers(self) -> dict[IdKind, int]:
        """Return the numbers of the next new ids."""
        return {IdKind(kind): last + 1 for kind, last in self._all("SELECT kind, last FROM counter")}

    def tables(self) -> Iterator[TableLog]:
        """Yield the open tables in the order of their numbers, without those that have been set aside."""
        for number in self._column(
            f"SELECT number FROM live WHERE aside IS NULL AND {self._is_ours} ORDER BY number"
        ):
            events = self._all("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", number)
            # The row is read last: if there is none, the table has been closed in the meantime.
            for row in self._column("SELECT row FROM live WHERE number = ?", number):
                yield TableLog(f"t{number}", row, tuple([LoggedEvent(*event) for event in events]))

    def player(self, player: str) -> PlayerRow | None:
        """Return the player with this id."""
        return self._player("number = ?", number_of("p", player))

    def players(self, players: Collection[str]) -> dict[str, PlayerRow]:
        """Return, by id, those of the given players that are stored."""
        numbers = [number_of("p", player) for player in players]
        return {row.id: row for row in self._players(f"number IN ({_marks(numbers)})", *numbers)}

    def player_by_name(self, name: str) -> PlayerRow | None:
        """Return the player with exactly this name."""
        return self._player("name = ?", name)

    def player_by_skeleton(self, skeleton: str) -> PlayerRow | None:
        """Return the player whose name has this skeleton."""
        return self._player("skeleton = ?", skeleton)

    def names_beyond_ascii(self) -> list[tuple[str, str, str]]:
        """Return the players whose names have letters beyond ASCII, by number: ids, names and stored skeletons."""
        return self._all(
            f"SELECT 'p' || number, name, skeleton FROM player WHERE {self.IS_BEYOND_ASCII} ORDER BY number"
        )

    def player_by_token(self, token_hash: bytes) -> PlayerRow | None:
        """Return the player whose token has this hash."""
        return self._player("number = (SELECT player FROM token WHERE hash = ?)", token_hash)

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Return the ids of guests without a rating who were last seen before the given time, longest ago first."""
        return tuple(
            self._column(
                "SELECT 'p' || number FROM player WHERE kind = 'guest' AND seen < ?"
                " AND NOT EXISTS (SELECT 1 FROM rating WHERE rating.player = player.number)"
                " ORDER BY seen, number LIMIT ?",
                *(seen_before, limit),
            )
        )

    def match(self, match: str) -> MatchResult | None:
        """Return a finished match."""
        return next(iter(_matches_where(self._all, "WHERE number = ?", number_of("m", match))), None)

    def stored_matches(self, matches: Collection[str]) -> frozenset[str]:
        """Return which of these matches are stored."""
        numbers = [number_of("m", match) for match in matches]
        sql = f"SELECT 'm' || number FROM match WHERE number IN ({_marks(numbers)})"
        return frozenset(self._column(sql, *numbers))

    def matches(
        self,
        *,
        player: str | None = None,
        table: str | None = None,
        since: float | None = None,
        limit: int = 20,
    ) -> tuple[MatchResult, ...]:
        """Return the last matches stored, latest first: all, or only a player's or a table's.

        If ``since`` is given, return only those of the last ``limit`` matches that ended after it.
        """
        conditions, values = ["TRUE"], list[Any]()
        if player is not None:
            conditions.append("ordinal IN (SELECT match FROM match_seat WHERE player = ?)")
            values.append(number_of("p", player))
        if table is not None:
            conditions.append("live = ?")
            values.append(number_of("t", table))
        latest = f"WHERE {' AND '.join(conditions)} ORDER BY ordinal DESC LIMIT ?"
        if since is None:
            return _matches_where(self._all, latest, *values, limit)
        # No index orders matches by time, so at most ``limit`` of them are read.
        among = f"WHERE ordinal IN (SELECT ordinal FROM match {latest}) AND ended >= ? ORDER BY ordinal DESC"
        return _matches_where(self._all, among, *values, limit, since)

    def match_ids(self) -> list[str]:
        """Return the ids of all finished matches, in the order in which they were stored."""
        return self._column("SELECT 'm' || number FROM match ORDER BY ordinal")

    def record(self, match: str) -> Iterator[bytes] | None:
        """Return the lines of a match's record, each with its line ending, or None if the match is unknown."""
        for record in self._column("SELECT record FROM match WHERE number = ?", number_of("m", match)):
            try:
                return iter(zlib.decompress(record).splitlines(keepends=True))
            except zlib.error as error:
                raise self._damaged(f"record of {match}: {error}") from None
        return None

    def top(self, variant: str, pool: PlayerKind, limit: int = 20) -> tuple[Rating, ...]:
        """Return the ladder for a rule set and a pool, best first."""
        rows = self._all(
            f"{_RATING} WHERE variant = ? AND pool = ? ORDER BY mu - 3 * sigma DESC, player LIMIT ?",
            *(variant, pool, limit),
        )
        return tuple([struct_of(Rating, row) for row in rows])

    def stats(self, player: str) -> tuple[VariantStats, ...]:
        """Return a player's results, by rule set in alphabetical order."""
        rows = self._all(
            "SELECT variant, count(*), sum(CASE rank WHEN 1 THEN 1 ELSE 0 END),"
            " sum(CASE WHEN ending IN ('left', 'absent') THEN 1 ELSE 0 END),"
            " min(CASE ending WHEN 'played' THEN total END),"
            " CAST(avg(CASE ending WHEN 'played' THEN total END) AS DOUBLE PRECISION)"
            " FROM match_seat JOIN match ON match.ordinal = match_seat.match"
            " WHERE player = ? AND (finished OR ending IN ('left', 'absent'))"
            " GROUP BY variant ORDER BY variant",
            number_of("p", player),
        )
        return tuple(VariantStats(*row) for row in rows)

    def _column(self, sql: str, *values: Any) -> list[Any]:
        return [value for (value,) in self._all(sql, *values)]

    def _player(self, condition: str, value: Any) -> PlayerRow | None:
        return next(iter(self._players(condition, value)), None)

    def _players(self, condition: str, *values: Any) -> list[PlayerRow]:
        """Return the players that meet an SQL condition, with a second statement for all their tokens."""
        rows = self._all(f"{_PLAYER} WHERE {condition}", *values)
        tokens: dict[int, list[Token]] = {number: [] for number, *_ in rows}
        if tokens:
            for player, *token in self._all(
                f"{_TOKENS} WHERE player IN ({_marks(tokens)}) ORDER BY player, place", *tokens
            ):
                tokens[player].append(struct_of(Token, token))
        return [
            struct_of(PlayerRow, (*who, tokens[number], created, seen, settings))
            for number, *who, created, seen, settings in rows
        ]


class Store(Reads):
    """A store that can be written; ``immediate`` means that writes and reads take no time and may run in any thread."""

    immediate: ClassVar[bool] = False
    _writer: Any = None
    """The connection for writing, unless it has to be opened first."""

    @abstractmethod
    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch durably, all or nothing. Raise ``StoreError`` on failure."""

    @abstractmethod
    def probe(self) -> None:
        """Raise ``StoreError`` if nothing can be stored now, as far as can be seen without writing."""

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values)) or "NULL"


def _matches_where(run: Run, condition: str, *values: Any) -> tuple[MatchResult, ...]:
    """Return the matches that meet an SQL condition, with a second statement for all their seats."""
    rows = list(run(f"{_MATCH} {condition}", *values))
    seats: dict[int, list[SeatResult]] = {ordinal: [] for ordinal, *_ in rows}
    if seats:
        for match, *seat in run(f"{_SEATS} WHERE match IN ({_marks(seats)}) ORDER BY match, seat", *seats):
            seats[match].append(struct_of(SeatResult, seat))
    return tuple([struct_of(MatchResult, (*row, seats[ordinal])) for ordinal, *row in rows])


def _rating_of(run: Run, player: str, variant: str, pool: PlayerKind) -> Rating:
    """Return a player's rating, which may be that of a new player."""
    found = list(
        run(f"{_RATING} WHERE player = ? AND variant = ? AND pool = ?", number_of("p", player), variant, pool)
    )
    return struct_of(Rating, found[0]) if found else Rating(player=player, variant=variant, pool=pool)


def struct_of(kind: type[S], values: Iterable[object]) -> S:
    """Return a value made from a database row with its fields in order."""
    return convert(dict(zip(kind.__struct_fields__, values, strict=True)), kind, strict=False)


def count(run: Run, kind: str, number: int) -> None:
    """Make sure that no number of this kind up to this one is ever assigned again."""
    run("UPDATE counter SET last = ? WHERE kind = ? AND last < ?", number, kind, number)


def _finish_match(run: Run, write: FinishMatch) -> None:
    match, number = write.match, need_number("m", write.match.id)
    if stored := _matches_where(run, "WHERE number = ?", number):
        ((record,),) = run("SELECT record FROM match WHERE number = ?", number)
        if stored != (match,) or write.record not in (None, zlib.decompress(record)):
            contradiction(f"match {match.id} is stored with a different result")
        return
    table, record = need_number("t", match.table), write.record
    if record is None:
        events = run("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", table)
        record = record_of(match, (LoggedEvent(*event) for event in events))
    run(
        "INSERT INTO match (number, live, variant, options, started, ended, finished, rated, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(number, table, match.variant, match.options, match.started, match.ended),
        *(match.finished, match.rated, zlib.compress(record)),
    )
    for seat, result in enumerate(match.seats):
        run(
            "INSERT INTO match_seat (match, seat, player, name, kind, total, place, ending, rank)"
            " VALUES ((SELECT ordinal FROM match WHERE number = ?), ?, ?, ?, ?, ?, ?, ?, ?)",
            *(number, seat, None if result.player is None else need_number("p", result.player)),
            *(result.name, result.kind.value, result.total, result.place, result.ending.value, result.rank),
        )
    count(run, "m", number)
    for rating in results.rated(match, partial(_rating_of, run)):
        run(
            "INSERT INTO rating (player, variant, pool, mu, sigma, matches, wins) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (player, variant, pool) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,"
            " matches = excluded.matches, wins = excluded.wins",
            *(need_number("p", rating.player), rating.variant, rating.pool.value),
            *(rating.mu, rating.sigma, rating.matches, rating.wins),
        )


def _save_player(run: Run, write: SavePlayer) -> None:
    player, number = write.player, need_number("p", write.player.id)
    run(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, created, seen, settings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,"
        " skeleton = excluded.skeleton, kind = excluded.kind, password_hash = excluded.password_hash,"
        " created = excluded.created, seen = excluded.seen, settings = excluded.settings",
        *(number, player.name, player.skeleton, player.kind.value),
        *(player.password_hash, player.created, player.seen, player.settings),
    )
    run("DELETE FROM token WHERE player = ?", number)
    for place, token in enumerate(player.tokens):
        run(
            "INSERT INTO token (hash, player, place, issued, used, origin, claimed) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(token.hash, number, place, token.issued, token.used, token.origin, token.claimed),
        )
    count(run, "p", number)


def _delete_player(run: Run, write: DeletePlayer) -> None:
    number = need_number("p", write.player)
    run("DELETE FROM player WHERE number = ?", number)
    run("DELETE FROM rating WHERE player = ?", number)


WRITES: Final[dict[type[Write], Callable[[Run, Any], None]]] = {
    ReserveMatch: lambda run, write: count(run, "m", need_number("m", write.match)),
    FinishMatch: _finish_match,
    SavePlayer: _save_player,
    DeletePlayer: _delete_player,
}
"""The function that applies each kind of write. It raises ``StoreError`` if the write contradicts what is stored."""
