"""The rows that can be stored, and changes to them, as values.

Event bodies and table rows are opaque bytes here (their writers' JSON); times are seconds since 1970, given by the
caller. Ids are a letter and a number from 1: tables ``t1``, matches ``m1``, players ``p1``. An id that has ever been
stored is never assigned again, even if it has been deleted.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct


class PlayerKind(StrEnum):
    """A player's kind; also the pool in which they are rated, so that accounts, guests and bots stay apart."""

    ACCOUNT = "account"
    GUEST = "guest"
    BOT = "bot"


class SeatKind(StrEnum):
    """The kind of player at a seat.

    ``HOUSE`` is a seat that was left to a bot and whose earlier owner is no longer known.
    """

    ACCOUNT = "account"
    GUEST = "guest"
    BOT = "bot"
    HOUSE = "house"


class SeatEnding(StrEnum):
    """How a match ended for a seat's owner.

    ``PLAYED``: at the table, or away no longer than the seat was kept. ``LEFT``: had given up the seat. ``ABSENT``: a
    bot was playing the seat, because the owner did not act or reconnect in time. ``EXCUSED``: absent after a server
    restart, which is not the player's fault.
    """

    PLAYED = "played"
    LEFT = "left"
    ABSENT = "absent"
    EXCUSED = "excused"


FORFEITED: Final = frozenset((SeatEnding.LEFT, SeatEnding.ABSENT))
"""Endings that count as finishing last."""


class Token(Struct, frozen=True, kw_only=True):
    """The hash of a secret with which a player can reconnect; ``used`` is when it was last used, from ``origin``.

    The hash is unique. ``origin`` is an IPv4 address or an IPv6 network, empty if unknown. ``claimed`` is when someone
    first claimed the guest's name without this token, or 0 for never.
    """

    hash: bytes
    issued: float
    used: float
    origin: str
    claimed: float = 0.0


class PlayerRow(Struct, frozen=True, kw_only=True):
    """A player with a name. No two players have the same ``skeleton``, in which letters that look alike are equal.

    ``password_hash`` is the hashing library's text, or None for players without a password; ``tokens`` are the valid
    ones, in the order in which they were issued. ``settings`` is JSON, or empty if the player has chosen none.
    """

    id: str
    name: str
    skeleton: str
    kind: PlayerKind
    password_hash: str | None
    tokens: tuple[Token, ...] = ()
    created: float
    seen: float
    settings: bytes = b""


class SeatResult(Struct, frozen=True, kw_only=True):
    """How a match ended for one seat; ``player`` is the seat's owner, or None for a bot.

    ``total`` and ``place`` are the seat's, whoever played it. ``rank`` counts for ladders and statistics: the place,
    but with those who forfeited behind all others, the first to leave ranked last.
    """

    player: str | None
    name: str
    kind: SeatKind
    total: int
    place: int
    ending: SeatEnding = SeatEnding.PLAYED
    rank: int


class MatchResult(Struct, frozen=True, kw_only=True):
    """A match that is over; ``finished`` is False for an abandoned one, ``options`` is the rule set as JSON.

    A ``rated`` match changes its players' ratings in the same write, if it was finished or every player forfeited it.
    """

    id: str
    table: str
    variant: str
    options: bytes
    started: float
    ended: float
    finished: bool
    rated: bool
    seats: tuple[SeatResult, ...]


START_MU: Final = 25.0
START_SIGMA: Final = 25.0 / 3
"""The rating of a new player: the library's defaults, fixed here because stored ladders depend on them."""


class Rating(Struct, frozen=True, kw_only=True):
    """A player's strength under one rule set, in their pool: ``mu`` plus or minus ``sigma``; higher is better."""

    player: str
    variant: str
    pool: PlayerKind
    mu: float = START_MU
    sigma: float = START_SIGMA
    matches: int = 0
    wins: int = 0

    @property
    def points(self) -> float:
        """A low estimate of the strength, almost certainly exceeded; ladders are ordered by it."""
        return self.mu - 3 * self.sigma


class LoggedEvent(NamedTuple):
    """One event in a table's log."""

    seq: int
    body: bytes


class OpenTable(Struct, frozen=True):
    """A table is opened; ``row`` is what its owner needs to restore it, ``seated`` the ids of the seated players."""

    table: str
    row: bytes
    seated: tuple[str, ...] = ()


class SaveTable(Struct, frozen=True):
    """An open table's row has changed, and perhaps its seated players (which a single server does not store)."""

    table: str
    row: bytes
    seated: tuple[str, ...] = ()


class GiveTable(Struct, frozen=True):
    """In a cluster, a table moves to the given node, or to any other node if that one is gone.

    This is the last thing that its old node writes about the table. ``stays`` has the ids of the players with a seat,
    who stay at the new node from now on, each with the stay's number as known to the old node and to the front.
    """

    table: str
    row: bytes
    node: int
    stays: tuple[tuple[str, int], ...]

    @property
    def seated(self) -> tuple[str, ...]:
        """The ids of the players with a seat."""
        return tuple([player for player, _ in self.stays])


class AppendEvent(Struct, frozen=True):
    """A table's next event. A repeat is ignored; a different body with the same number is a conflict."""

    table: str
    seq: int
    body: bytes


class CloseTable(Struct, frozen=True):
    """A table is closed: its row and events are deleted; its finished matches stay."""

    table: str


class SetAside(Struct, frozen=True):
    """A table cannot be restored: its row and events are kept for inspection, but later starts skip it."""

    table: str
    why: str


class TrimTable(Struct, frozen=True):
    """A table's events before the given number belong to a finished match: delete them if that match is stored."""

    table: str
    before: int
    match: str


class ReserveMatch(Struct, frozen=True):
    """A match id is assigned."""

    match: str


class FinishMatch(Struct, frozen=True):
    """A match is over; a repeat of the same match is ignored.

    ``record`` contains its lines, each with its line ending, or is None if the store should make them from its table's
    events.
    """

    match: MatchResult
    record: bytes | None = None


class SavePlayer(Struct, frozen=True):
    """A player is new or has changed, tokens included; another player's skeleton or token is a conflict."""

    player: PlayerRow


class DeletePlayer(Struct, frozen=True):
    """A player is deleted with their ratings; results keep their name."""

    player: str


Write = (
    OpenTable
    | SaveTable
    | GiveTable
    | AppendEvent
    | CloseTable
    | SetAside
    | TrimTable
    | ReserveMatch
    | FinishMatch
    | SavePlayer
    | DeletePlayer
)
