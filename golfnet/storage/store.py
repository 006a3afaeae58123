"""The interface of a store, whatever its implementation.

A store is a plain synchronous object without a clock. ``write`` is called by one thread only and is all or nothing: on
return the whole batch is durable, on an exception none of it is stored. Reads see what is durable and may be called by
any thread. They take as long as a disk or an engine does, so that a server which runs asks in worker threads, unless
the store is ``immediate``.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn, Protocol

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.writes import MatchResult, PlayerKind, PlayerRow, Rating, Write

MAX_DIGITS: Final = 15
"""Maximum digits of an id's number: more than needed, and exact in every JSON parser."""


class Numbers(NamedTuple):
    """The next number of each kind of id."""

    table: int
    match: int
    player: int


class LoggedEvent(NamedTuple):
    """One event of a table's log."""

    seq: int
    body: bytes


class TableLog(NamedTuple):
    """An open table: its row, and its events by ascending number.

    ``moving`` is None unless its owner has yet to say that it is restored here: empty after another one has died, else
    that one has given it away.
    """

    table: str
    row: bytes
    events: tuple[LoggedEvent, ...]
    moving: bytes | None = None


class AsideTable(NamedTuple):
    """A table that could not be restored, and why."""

    log: TableLog
    why: str


class StoredName(NamedTuple):
    """A player's name, and the skeleton under which it is stored."""

    player: str
    name: str
    skeleton: str


class VariantStats(NamedTuple):
    """A player's matches under one rule set: those that were finished, and those that the player had left before.

    ``wins`` are by rank, ``forfeits`` those that were left or ended without the player. ``best`` and ``average`` are
    totals, lower is better, of the finished matches that the player played to the end; None without one.
    """

    variant: str
    matches: int
    wins: int
    forfeits: int
    best: int | None
    average: float | None


@lru_cache(maxsize=4096)
def number_of(kind: str, identity: str) -> int:
    """Return the number of an id of a kind, ``t`` of a table, ``m`` of a match, ``p`` of a player; 0 for no such id."""
    digits = identity[1:]
    is_id = identity[:1] == kind and digits.isascii() and digits.isdigit() and digits[0] != "0"
    return int(digits) if is_id and len(digits) <= MAX_DIGITS else 0


def need_number(kind: str, identity: str) -> int:
    """Return the number of an id to be written. Raise ``StoreError`` for a malformed id."""
    return number_of(kind, identity) or contradiction(f"{identity!r} is no id such as {kind}12")


def contradiction(what: str) -> NoReturn:
    """Raise ``StoreError`` for a write that contradicts what is stored."""
    raise StoreError(StoreReason.CONFLICT, f"The store refuses a contradiction: {what}.")


class Reads(Protocol):
    """The reads of a store. Each raises ``StoreError`` if the store cannot be read."""

    def numbers(self) -> Numbers:
        """Return the numbers of the next new ids."""

    def tables(self) -> Iterator[TableLog]:
        """Yield the open tables in the order of their numbers."""

    def aside(self) -> Iterator[AsideTable]:
        """Yield the tables that were set aside."""

    def player(self, player: str) -> PlayerRow | None:
        """Return the player of an id."""

    def players(self, players: Collection[str]) -> dict[str, PlayerRow]:
        """Return those of some players who are stored, by their ids."""

    def player_by_name(self, name: str) -> PlayerRow | None:
        """Return the player of exactly this name."""

    def player_by_skeleton(self, skeleton: str) -> PlayerRow | None:
        """Return the player whose name has this skeleton."""

    def names_beyond_ascii(self) -> tuple[StoredName, ...]:
        """Return the names that have other letters than those of ASCII, in the order of their players' numbers."""

    def player_by_token(self, token_hash: bytes) -> PlayerRow | None:
        """Return the player of a token's hash."""

    def stale_guests(self, seen_before: float, *, limit: int = 100) -> tuple[str, ...]:
        """Return the ids of guests without a rating that were last seen before a time, longest ago first."""

    def stored_matches(self, matches: Collection[str]) -> frozenset[str]:
        """Return those of some matches that are stored."""

    def match(self, match: str) -> MatchResult | None:
        """Return a finished match."""

    def matches(
        self,
        *,
        player: str | None = None,
        table: str | None = None,
        since: float | None = None,
        limit: int = 20,
    ) -> tuple[MatchResult, ...]:
        """Return the matches stored last, latest first: all, or those of a player or of a table.

        Of those ``limit`` matches only the ones that ended ``since`` a time, if one is given.
        """

    def match_ids(self) -> Iterator[str]:
        """Yield the ids of all finished matches, in the order in which they were stored."""

    def record(self, match: str) -> Iterator[bytes] | None:
        """Return the lines of a match's record, each with its line end; None where the match is unknown."""

    def rating(self, player: str, variant: str, pool: PlayerKind) -> Rating | None:
        """Return a player's rating."""

    def top(self, variant: str, pool: PlayerKind, limit: int = 20) -> tuple[Rating, ...]:
        """Return the ladder of a rule set and a pool, best first."""

    def stats(self, player: str) -> tuple[VariantStats, ...]:
        """Return a player's results, by rule set in alphabetical order."""


class Store(Reads, Protocol):
    """A store that can be written; ``immediate`` means that writes and reads take no time and may run in any thread."""

    immediate: bool

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing, durably. Raise ``StoreError``."""

    def probe(self) -> None:
        """Raise ``StoreError`` if nothing could be stored now, as far as that is visible without writing."""

    def inspect(self) -> None:
        """Scan everything stored for damage, slowly. Raise ``StoreError``. Call it in a worker thread."""

    def close(self) -> None:
        """Release all resources; the store is not used afterwards."""
