"""A store in memory: for tests, for play at home, and for a server that shall forget.

It obeys the same contract as one on a disk, but for one thing: it remembers no more than ``MATCHES_KEPT`` finished
matches, and no more than ``RECORD_BYTES_KEPT`` of their records. Ratings stay. What a batch replaces is noted while it
is applied, and put back when it fails.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from golfnet.storage import ratings
from golfnet.storage.records import record_of
from golfnet.storage.store import (
    AsideTable,
    LoggedEvent,
    Numbers,
    StoredName,
    TableLog,
    VariantStats,
    contradiction,
    need_number,
    number_of,
)
from golfnet.storage.writes import (
    FORFEITED,
    AppendEvent,
    CloseTable,
    DeletePlayer,
    FinishMatch,
    MatchResult,
    OpenTable,
    Player,
    PlayerKind,
    Rating,
    ReserveMatch,
    SavePlayer,
    SaveRating,
    SaveTable,
    SeatEnding,
    SeatResult,
    SetAside,
    TrimTable,
    Write,
)

MATCHES_KEPT: Final = 1000
RECORD_BYTES_KEPT: Final = 64 << 20
"""The finished matches of an evening with everybody one knows: a match of six-card has a record of some 40 kB."""

_ABSENT: Final = object()


class MemoryStore:
    """Everything in dictionaries, gone with the process."""

    immediate = True

    def __init__(self) -> None:
        self._last = {"t": 0, "m": 0, "p": 0}
        self._rows: dict[str, bytes] = {}
        self._events: dict[str, dict[int, bytes]] = {}
        self._aside: dict[str, str] = {}
        self._players: dict[str, Player] = {}
        self._by_skeleton: dict[str, Player] = {}
        self._by_token: dict[bytes, Player] = {}
        self._matches: dict[str, MatchResult] = {}
        self._records: dict[str, bytes] = {}
        self._ratings: dict[tuple[str, str, PlayerKind], Rating] = {}
        self._record_bytes = 0
        self._ended: list[str] = []
        """The matches that the batch which is applied ends."""
        self._undo: list[tuple[dict[Any, Any], Any, Any]] = []

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing; raises ``StoreError`` where it contradicts what is stored."""
        try:
            for write in batch:
                _APPLY[type(write)](self, write)
        except BaseException:
            for mapping, key, old in reversed(self._undo):
                if old is _ABSENT:
                    del mapping[key]
                else:
                    mapping[key] = old
            raise
        else:
            self._forget_old_matches()
        finally:
            self._undo.clear()
            self._ended.clear()

    def probe(self) -> None:
        """Find that memory can always be written."""

    def inspect(self) -> None:
        """Find no damage: there is none in memory."""

    def close(self) -> None:
        """Do nothing: memory needs no goodbye."""

    def numbers(self) -> Numbers:
        """Return the numbers of the next new ids."""
        return Numbers(*(self._last[kind] + 1 for kind in "tmp"))

    def tables(self) -> Iterator[TableLog]:
        """Yield the open tables in the order of their numbers."""
        for table in sorted(self._rows.keys() - self._aside.keys(), key=_table_number):
            if table in self._rows:  # not closed in the meantime
                yield self._log(table)

    def aside(self) -> Iterator[AsideTable]:
        """Yield the tables that were set aside."""
        for table in sorted(self._aside, key=_table_number):
            if table in self._aside:
                yield AsideTable(self._log(table), self._aside[table])

    def player(self, player: str) -> Player | None:
        """Return the player of an id."""
        return self._players.get(player)

    def player_by_name(self, name: str) -> Player | None:
        """Return the player of exactly this name."""
        return next((each for each in self._players.values() if each.name == name), None)

    def player_by_skeleton(self, skeleton: str) -> Player | None:
        """Return the player whose name has this skeleton."""
        return self._by_skeleton.get(skeleton)

    def names_beyond_ascii(self) -> tuple[StoredName, ...]:
        """Return the names that have other letters than those of ASCII, in the order of their players' numbers."""
        found = [each for each in self._players.values() if not each.name.isascii()]
        found.sort(key=lambda each: number_of("p", each.id))
        return tuple([StoredName(each.id, each.name, each.skeleton) for each in found])

    def player_by_token(self, token_hash: bytes) -> Player | None:
        """Return the player of a token's hash."""
        return self._by_token.get(token_hash)

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Return the ids of guests without a rating that were last seen before a time, longest ago first."""
        rated = {player for player, _, _ in self._ratings}
        stale = [
            each
            for each in self._players.values()
            if each.kind is PlayerKind.GUEST and each.seen < seen_before and each.id not in rated
        ]
        stale.sort(key=lambda each: (each.seen, number_of("p", each.id)))
        return tuple(each.id for each in stale[:limit])

    def match(self, match: str) -> MatchResult | None:
        """Return a match that is over."""
        return self._matches.get(match)

    def matches(
        self, *, player: str | None = None, table: str | None = None, limit: int = 20
    ) -> tuple[MatchResult, ...]:
        """Return the matches stored last, latest first: all, or those of a player or of a table."""
        found = [
            match
            for match in reversed(self._matches.values())
            if (table is None or match.table == table)
            and (player is None or any(seat.player == player for seat in match.seats))
        ]
        return tuple(found[:limit])

    def match_ids(self) -> Iterator[str]:
        """Yield the ids of all matches that are over, in the order in which they were stored."""
        yield from tuple(self._matches)

    def record(self, match: str) -> Iterator[bytes] | None:
        """Return the lines of a match's record, each with its line end; None where the match is unknown."""
        record = self._records.get(match)
        return None if record is None else iter(record.splitlines(keepends=True))

    def rating(self, player: str, variant: str, pool: PlayerKind) -> Rating | None:
        """Return a player's rating."""
        return self._ratings.get((player, variant, pool))

    def top(self, variant: str, pool: PlayerKind, limit: int = 20) -> tuple[Rating, ...]:
        """Return the ladder of a rule set and a pool, best first."""
        ladder = [each for each in self._ratings.values() if each.variant == variant and each.pool is pool]
        ladder.sort(key=lambda each: (-each.points, number_of("p", each.player)))
        return tuple(ladder[:limit])

    def stats(self, player: str) -> tuple[VariantStats, ...]:
        """Return what a player has reached, by rule set in alphabetical order."""
        seats: dict[str, list[SeatResult]] = {}
        for match in self._matches.values():
            for seat in match.seats:
                if seat.player == player and (match.finished or seat.ending in FORFEITED):
                    seats.setdefault(match.variant, []).append(seat)
        return tuple(_stats(variant, results) for variant, results in sorted(seats.items()))

    def _log(self, table: str) -> TableLog:
        events = self._events[table]
        return TableLog(
            table, self._rows[table], tuple(LoggedEvent(*each) for each in sorted(events.items()))
        )

    def _forget_old_matches(self) -> None:
        """Forget the oldest matches, with their records, of which there are too many now."""
        self._record_bytes += sum([len(self._records[match]) for match in self._ended])
        while len(self._matches) > MATCHES_KEPT or self._record_bytes > RECORD_BYTES_KEPT:
            oldest = next(iter(self._matches))
            del self._matches[oldest]
            self._record_bytes -= len(self._records.pop(oldest))

    def _set(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        self._undo.append((mapping, key, mapping.get(key, _ABSENT)))
        mapping[key] = value

    def _drop(self, mapping: dict[Any, Any], key: Any) -> None:
        if key in mapping:
            self._undo.append((mapping, key, mapping.pop(key)))

    def _count(self, kind: str, identity: str) -> None:
        number = need_number(kind, identity)
        if number > self._last[kind]:
            self._set(self._last, kind, number)

    def _open_table(self, write: OpenTable) -> None:
        if self._rows.get(write.table, write.row) != write.row:
            contradiction(f"table {write.table} is open already")
        self._set(self._rows, write.table, write.row)
        if write.table not in self._events:
            self._set(self._events, write.table, {})
        self._count("t", write.table)

    def _save_table(self, write: SaveTable) -> None:
        if write.table not in self._rows:
            contradiction(f"table {write.table} is not open")
        self._set(self._rows, write.table, write.row)

    def _append_event(self, write: AppendEvent) -> None:
        events = self._events.get(write.table)
        if events is None:
            contradiction(f"table {write.table} is not open")
        if events.get(write.seq, write.body) != write.body:
            contradiction(f"table {write.table} has another event {write.seq}")
        self._set(events, write.seq, write.body)

    def _close_table(self, write: CloseTable) -> None:
        for mapping in (self._rows, self._events, self._aside):
            self._drop(mapping, write.table)

    def _trim_table(self, write: TrimTable) -> None:
        events = self._events.get(write.table)
        if events is not None and write.match in self._matches:
            for seq in [seq for seq in events if seq < write.before]:
                self._drop(events, seq)

    def _set_aside(self, write: SetAside) -> None:
        if write.table not in self._rows:
            contradiction(f"table {write.table} is not open")
        self._set(self._aside, write.table, write.why)

    def _reserve_match(self, write: ReserveMatch) -> None:
        self._count("m", write.match)

    def _finish_match(self, write: FinishMatch) -> None:
        match = write.match
        if (stored := self._matches.get(match.id)) is not None:
            if stored != match or write.record not in (None, self._records[match.id]):
                contradiction(f"match {match.id} has ended otherwise")
            return
        record = write.record
        if record is None:
            events = self._events.get(match.table, {})
            record = record_of(match, [LoggedEvent(seq, events[seq]) for seq in sorted(events)])
        self._set(self._matches, match.id, match)
        self._set(self._records, match.id, record)
        self._ended.append(match.id)
        self._count("m", match.id)
        for rating in ratings.rated(match, self.rating):
            self._save_rating(SaveRating(rating))

    def _save_player(self, write: SavePlayer) -> None:
        player = write.player
        hashes = [token.hash for token in player.tokens]
        if len(set(hashes)) < len(hashes):
            contradiction(f"player {player.id} has a token twice")
        for other in (self._by_skeleton.get(player.skeleton), *map(self._by_token.get, hashes)):
            if other is not None and other.id != player.id:
                contradiction(f"player {other.id} has the name or the token of {player.id}")
        self._forget(player.id)
        self._set(self._players, player.id, player)
        self._set(self._by_skeleton, player.skeleton, player)
        for hashed in hashes:
            self._set(self._by_token, hashed, player)
        self._count("p", player.id)

    def _forget(self, player: str) -> None:
        if (old := self._players.get(player)) is not None:
            self._drop(self._players, player)
            self._drop(self._by_skeleton, old.skeleton)
            for token in old.tokens:
                self._drop(self._by_token, token.hash)

    def _delete_player(self, write: DeletePlayer) -> None:
        self._forget(write.player)
        for key in [key for key in self._ratings if key[0] == write.player]:
            self._drop(self._ratings, key)

    def _save_rating(self, write: SaveRating) -> None:
        rating = write.rating
        self._set(self._ratings, (rating.player, rating.variant, rating.pool), rating)


def _stats(variant: str, seats: Sequence[SeatResult]) -> VariantStats:
    totals = [seat.total for seat in seats if seat.ending is SeatEnding.PLAYED]
    return VariantStats(
        variant,
        matches=len(seats),
        wins=sum(seat.rank == 1 for seat in seats),
        forfeits=sum(seat.ending in FORFEITED for seat in seats),
        best=min(totals, default=None),
        average=sum(totals) / len(totals) if totals else None,
    )


def _table_number(table: str) -> int:
    return number_of("t", table)


_APPLY: Final[dict[type[Write], Callable[[MemoryStore, Any], None]]] = {
    OpenTable: MemoryStore._open_table,
    SaveTable: MemoryStore._save_table,
    AppendEvent: MemoryStore._append_event,
    CloseTable: MemoryStore._close_table,
    SetAside: MemoryStore._set_aside,
    TrimTable: MemoryStore._trim_table,
    ReserveMatch: MemoryStore._reserve_match,
    FinishMatch: MemoryStore._finish_match,
    SavePlayer: MemoryStore._save_player,
    DeletePlayer: MemoryStore._delete_player,
    SaveRating: MemoryStore._save_rating,
}
