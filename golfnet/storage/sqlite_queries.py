"""Queries of a database: each read is a statement or two, on a connection opened by the caller.

One thread uses the connection at a time. No read holds a cursor open when it returns or yields, so that other
connections can write in between and a checkpoint can run.
"""

import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from golfnet.storage.faults import damaged, store_error
from golfnet.storage.store import (
    AsideTable,
    LoggedEvent,
    Numbers,
    StoredName,
    TableLog,
    VariantStats,
    number_of,
)
from golfnet.storage.writes import (
    MatchResult,
    PlayerKind,
    PlayerRow,
    Rating,
    SeatEnding,
    SeatKind,
    SeatResult,
    Token,
)

Query = Callable[..., list[Any]]
"""Runs one statement with its values on some connection, and returns all rows."""

_PLAYER = "SELECT number, name, skeleton, kind, password_hash, created, seen, settings FROM player"
_MATCH = "SELECT ordinal, number, live, variant, options, started, ended, finished, rated FROM match"
_TOKENS = "SELECT hash, issued, used, origin, claimed FROM token WHERE player = ? ORDER BY place"
_SEATS = "SELECT player, name, kind, total, place, ending, rank FROM match_seat WHERE match = ? ORDER BY seat"
_RATING = "SELECT player, variant, pool, mu, sigma, matches, wins FROM rating"


class SqliteQueries:
    """All reads of a database, on one connection. Raise ``StoreError`` if it cannot be read."""

    def __init__(self, path: Path, reader: sqlite3.Connection) -> None:
        self.path = path
        self._reading = threading.Lock()
        """Held while the connection is used."""
        self._reader = reader

    def close(self) -> None:
        """Close the connection."""
        with self._reading:
            self._reader.close()

    def numbers(self) -> Numbers:
        """Return the numbers of the next new ids."""
        last = dict(self._all("SELECT kind, last FROM counter"))
        return Numbers(table=last["t"] + 1, match=last["m"] + 1, player=last["p"] + 1)

    def tables(self) -> Iterator[TableLog]:
        """Yield the open tables in the order of their numbers."""
        for (number,) in self._all("SELECT number FROM live WHERE aside IS NULL ORDER BY number"):
            yield from self._logs(number)

    def aside(self) -> Iterator[AsideTable]:
        """Yield the tables that were set aside."""
        for number, why in self._all(
            "SELECT number, aside FROM live WHERE aside IS NOT NULL ORDER BY number"
        ):
            for log in self._logs(number):
                yield AsideTable(log, why)

    def player(self, player: str) -> PlayerRow | None:
        """Return the player of an id."""
        return self._player("number = ?", number_of("p", player))

    def player_by_name(self, name: str) -> PlayerRow | None:
        """Return the player of exactly this name."""
        return self._player("name = ?", name)

    def player_by_skeleton(self, skeleton: str) -> PlayerRow | None:
        """Return the player whose name has this skeleton."""
        return self._player("skeleton = ?", skeleton)

    def names_beyond_ascii(self) -> tuple[StoredName, ...]:
        """Return the names that have other letters than those of ASCII, in the order of their players' numbers."""
        rows = self._all(
            "SELECT number, name, skeleton FROM player WHERE name GLOB '*[^ -~]*' ORDER BY number"
        )
        return tuple([StoredName(f"p{number}", name, skeleton) for number, name, skeleton in rows])

    def player_by_token(self, token_hash: bytes) -> PlayerRow | None:
        """Return the player of a token's hash."""
        return self._player("number = (SELECT player FROM token WHERE hash = ?)", token_hash)

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Return the ids of guests without a rating that were last seen before a time, longest ago first."""
        rows = self._all(
            "SELECT number FROM player WHERE kind = 'guest' AND seen < ?"
            " AND NOT EXISTS (SELECT 1 FROM rating WHERE rating.player = player.number)"
            " ORDER BY seen, number LIMIT ?",
            seen_before,
            limit,
        )
        return tuple(f"p{number}" for (number,) in rows)

    def match(self, match: str) -> MatchResult | None:
        """Return a finished match."""
        found = matches_where(self._all, "WHERE number = ?", number_of("m", match))
        return found[0] if found else None

    def matches(
        self, *, player: str | None = None, table: str | None = None, limit: int = 20
    ) -> tuple[MatchResult, ...]:
        """Return the matches stored last, latest first: all, or those of a player or of a table."""
        conditions, values = ["1"], list[Any]()
        if player is not None:
            conditions.append("ordinal IN (SELECT match FROM match_seat WHERE player = ?)")
            values.append(number_of("p", player))
        if table is not None:
            conditions.append("live = ?")
            values.append(number_of("t", table))
        return matches_where(
            self._all, f"WHERE {' AND '.join(conditions)} ORDER BY ordinal DESC LIMIT ?", *values, limit
        )

    def match_ids(self) -> Iterator[str]:
        """Yield the ids of all finished matches, in the order in which they were stored."""
        for (number,) in self._all("SELECT number FROM match ORDER BY ordinal"):
            yield f"m{number}"

    def record(self, match: str) -> Iterator[bytes] | None:
        """Return the lines of a match's record, each with its line end; None where the match is unknown."""
        for (record,) in self._all("SELECT record FROM match WHERE number = ?", number_of("m", match)):
            try:
                return iter(zlib.decompress(record).splitlines(keepends=True))
            except zlib.error as error:
                raise damaged(self.path, f"record of {match}: {error}") from None
        return None

    def rating(self, player: str, variant: str, pool: PlayerKind) -> Rating | None:
        """Return a player's rating."""
        return rating_of(self._all, player, variant, pool)

    def top(self, variant: str, pool: PlayerKind, limit: int = 20) -> tuple[Rating, ...]:
        """Return the ladder of a rule set and a pool, best first."""
        rows = self._all(
            f"{_RATING} WHERE variant = ? AND pool = ? ORDER BY mu - 3 * sigma DESC, player LIMIT ?",
            *(variant, pool, limit),
        )
        return tuple(_rating(*row) for row in rows)

    def stats(self, player: str) -> tuple[VariantStats, ...]:
        """Return a player's results, by rule set in alphabetical order."""
        rows = self._all(
            "SELECT variant, count(*), sum(rank = 1), sum(ending IN ('left', 'absent')),"
            " min(CASE ending WHEN 'played' THEN total END), avg(CASE ending WHEN 'played' THEN total END)"
            " FROM match_seat JOIN match ON match.ordinal = match_seat.match"
            " WHERE player = ? AND (finished OR ending IN ('left', 'absent'))"
            " GROUP BY variant ORDER BY variant",
            number_of("p", player),
        )
        return tuple(VariantStats(*row) for row in rows)

    def _all(self, sql: str, *values: Any) -> list[Any]:
        with self._reading:
            try:
                return self._reader.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    def _logs(self, number: int) -> Iterator[TableLog]:
        """Yield the table with a number, unless it was closed in the meantime: its row is read last."""
        events = self._all("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", number)
        for (row,) in self._all("SELECT row FROM live WHERE number = ?", number):
            yield TableLog(f"t{number}", row, tuple([LoggedEvent(*event) for event in events]))

    def _player(self, condition: str, value: Any) -> PlayerRow | None:
        for number, name, skeleton, kind, password, created, seen, settings in self._all(
            f"{_PLAYER} WHERE {condition}", value
        ):
            tokens = self._all(_TOKENS, number)
            return PlayerRow(
                id=f"p{number}",
                name=name,
                skeleton=skeleton,
                kind=PlayerKind(kind),
                password_hash=password,
                tokens=tuple(
                    [
                        Token(hash=hash, issued=issued, used=used, origin=at, claimed=claimed)
                        for hash, issued, used, at, claimed in tokens
                    ]
                ),
                created=created,
                seen=seen,
                settings=settings,
            )
        return None


def matches_where(query: Query, condition: str, *values: Any) -> tuple[MatchResult, ...]:
    """Return the matches of an SQL condition."""
    return tuple(
        MatchResult(
            id=f"m{number}",
            table=f"t{live}",
            variant=variant,
            options=options,
            started=started,
            ended=ended,
            finished=bool(finished),
            rated=bool(rated),
            seats=tuple(_seat(*seat) for seat in query(_SEATS, ordinal)),
        )
        for ordinal, number, live, variant, options, started, ended, finished, rated in query(
            f"{_MATCH} {condition}", *values
        )
    )


def rating_of(query: Query, player: str, variant: str, pool: PlayerKind) -> Rating | None:
    """Return a player's rating."""
    found = query(
        f"{_RATING} WHERE player = ? AND variant = ? AND pool = ?", number_of("p", player), variant, pool
    )
    return _rating(*found[0]) if found else None


def _seat(
    player: int | None, name: str, kind: str, total: int, place: int, ending: str, rank: int
) -> SeatResult:
    return SeatResult(
        player=None if player is None else f"p{player}",
        name=name,
        kind=SeatKind(kind),
        total=total,
        place=place,
        ending=SeatEnding(ending),
        rank=rank,
    )


def _rating(player: int, variant: str, pool: str, mu: float, sigma: float, matches: int, wins: int) -> Rating:
    return Rating(
        player=f"p{player}",
        variant=variant,
        pool=PlayerKind(pool),
        mu=mu,
        sigma=sigma,
        matches=matches,
        wins=wins,
    )
