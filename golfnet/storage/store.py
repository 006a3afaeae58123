"""What a store does, whatever it is made of.

A store is a plain synchronous object without a clock. ``write`` is called by one thread only and is all or nothing:
on return the whole batch is durable, on an exception none of it is stored. Reads see what is durable and may be
called by any thread; those of one row take microseconds, ``tables``, ``record``, ``stats`` and ``match_ids`` grow
with what is stored and belong in a worker thread while a server runs.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from golfnet.storage.writes import MatchResult, Player, PlayerKind, Rating, Write


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
    """An open table: its row, and its events by rising number."""

    table: str
    row: bytes
    events: tuple[LoggedEvent, ...]


class AsideTable(NamedTuple):
    """A table that could not be restored, and why."""

    log: TableLog
    why: str


class VariantStats(NamedTuple):
    """A player's finished matches under one rule set; ``best`` and ``average`` are totals, lower is better."""

    variant: str
    matches: int
    wins: int
    best: int
    average: float


def number_of(identity: str) -> int:
    """Return the number of an id such as ``t12``."""
    return int(identity[1:])


class Reads(Protocol):
    """What can be asked of a store; each raises ``StoreError`` where the store cannot be read."""

    def numbers(self) -> Numbers:
        """Return the numbers of the next new ids."""

    def tables(self) -> Iterator[TableLog]:
        """Yield the open tables in the order of their numbers."""

    def aside(self) -> Iterator[AsideTable]:
        """Yield the tables that were set aside."""

    def player(self, player: str) -> Player | None:
        """Return the player of an id."""

    def player_by_name(self, name: str) -> Player | None:
        """Return the player of exactly this name."""

    def player_by_skeleton(self, skeleton: str) -> Player | None:
        """Return the player whose name has this skeleton."""

    def player_by_token(self, token_hash: bytes) -> Player | None:
        """Return the player of a token's hash."""

    def stale_guests(self, seen_before: float) -> tuple[str, ...]:
        """Return the ids of guests that were last seen before a time, longest ago first."""

    def match(self, match: str) -> MatchResult | None:
        """Return a match that is over."""

    def matches(
        self, *, player: str | None = None, table: str | None = None, limit: int = 20
    ) -> tuple[MatchResult, ...]:
        """Return the matches stored last, latest first: all, or those of a player or of a table."""

    def match_ids(self) -> Iterator[str]:
        """Yield the ids of all matches that are over, in the order in which they were stored."""

    def record(self, match: str) -> Iterator[bytes] | None:
        """Return the lines of a match's record, each with its line end; None where the match is unknown."""

    def rating(self, player: str, variant: str, pool: PlayerKind) -> Rating | None:
        """Return a player's rating."""

    def top(self, variant: str, pool: PlayerKind, limit: int = 20) -> tuple[Rating, ...]:
        """Return the ladder of a rule set and a pool, best first."""

    def stats(self, player: str) -> tuple[VariantStats, ...]:
        """Return what a player has reached, by rule set in alphabetical order."""


class Store(Reads, Protocol):
    """A store that can be written; ``immediate`` says that a write takes no time and may be done in any thread."""

    immediate: bool

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing, durably; raises ``StoreError``."""

    def close(self) -> None:
        """Let go of what the store holds; it is not used afterwards."""
