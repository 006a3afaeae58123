"""All that can be stored: rows, and the changes to them as values.

Bodies of events and rows of tables are opaque bytes here (JSON by their writers); times are seconds since 1970, given
by the caller. Ids are a letter and a number from 1: tables ``t1``, matches ``m1``, players ``p1``. An id that was
ever stored is never handed out again, whatever was deleted since.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class PlayerKind(StrEnum):
    """What a player is; also the pool in which it is rated, so that accounts, guests and bots stay apart."""

    ACCOUNT = "account"
    GUEST = "guest"
    BOT = "bot"


class SeatKind(StrEnum):
    """Whose a seat was: a player's of a kind, or a bot's.

    ``HOUSE`` stands where a seat was left to the house and it is not known any more who had left it.
    """

    ACCOUNT = "account"
    GUEST = "guest"
    BOT = "bot"
    HOUSE = "house"


class SeatEnding(StrEnum):
    """How the owner of a seat ended a match.

    ``PLAYED``: at the table, or away no longer than the seat was kept. ``LEFT``: had given the seat up. ``ABSENT``:
    the house played the seat, since the owner did not act in time or did not come back in time. ``EXCUSED``: the same
    after a restart of the server, which is nobody's fault.
    """

    PLAYED = "played"
    LEFT = "left"
    ABSENT = "absent"
    EXCUSED = "excused"


FORFEITED: Final = frozenset((SeatEnding.LEFT, SeatEnding.ABSENT))
"""Endings that count as a last place."""


class Token(Struct, frozen=True, kw_only=True):
    """A secret for coming back, as its hash, which is unique; ``used`` is when it last was, from ``origin``.

    ``origin`` is an IPv4 address or an IPv6 network, empty where it is not known. ``claimed`` is when a
    guest's name was taken again without a token, for the tokens that come from that; 0 for all others.
    """

    hash: bytes
    issued: float
    used: float
    origin: str
    claimed: float = 0.0


class PlayerRow(Struct, frozen=True, kw_only=True):
    """Somebody with a name; ``skeleton`` is the name with look-alike letters made equal, unique among players.

    ``password_hash`` is the text of the hashing library, None for those without a password; ``tokens`` are those that
    are good, in the order in which they were issued. ``settings`` is JSON of its writer, empty where none were chosen.
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
    """How one seat ended a match; ``player`` is who had the seat, None for a bot.

    ``total`` and ``place`` are as played, whoever played. ``rank`` is what counts for ladders and statistics: the place
    with those who forfeited behind all others, and of these the first to go last.
    """

    player: str | None
    name: str
    kind: SeatKind
    total: int
    place: int
    ending: SeatEnding = SeatEnding.PLAYED
    rank: int


class MatchResult(Struct, frozen=True, kw_only=True):
    """A match that is over; ``finished`` is False for one broken off, ``options`` the rule set as JSON.

    A match that is ``rated`` changes the ratings of its players in the same write, if it was finished or everybody
    has forfeited it.
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


class Rating(Struct, frozen=True, kw_only=True):
    """A player's strength under one rule set, among its kind: ``mu`` give or take ``sigma``, higher is better."""

    player: str
    variant: str
    pool: PlayerKind
    mu: float
    sigma: float
    matches: int
    wins: int

    @property
    def points(self) -> float:
        """The strength that is almost certainly reached, by which ladders are ordered."""
        return self.mu - 3 * self.sigma


class OpenTable(Struct, frozen=True):
    """A table is opened; ``row`` is what its owner needs to build it anew."""

    table: str
    row: bytes


class SaveTable(Struct, frozen=True):
    """An open table's row has changed."""

    table: str
    row: bytes


class AppendEvent(Struct, frozen=True):
    """A table's next event; the same again is ignored, another body under the same number is a conflict."""

    table: str
    seq: int
    body: bytes


class CloseTable(Struct, frozen=True):
    """A table is closed: its row and events are deleted; its finished matches stay."""

    table: str


class SetAside(Struct, frozen=True):
    """A table that cannot be restored: row and events are kept for inquiry, but no start restores it again."""

    table: str
    why: str


class TrimTable(Struct, frozen=True):
    """A table's events before a number belong to a match that is over: they are deleted, if that match is kept."""

    table: str
    before: int
    match: str


class ReserveMatch(Struct, frozen=True):
    """A match id is given away."""

    match: str


class FinishMatch(Struct, frozen=True):
    """A match is over; the same match again is ignored.

    ``record`` holds its lines, each with its line end; None where the store is to make it of its table's events.
    """

    match: MatchResult
    record: bytes | None = None


class SavePlayer(Struct, frozen=True):
    """A player is new or has changed, its tokens too; another's skeleton or token is a conflict."""

    player: PlayerRow


class DeletePlayer(Struct, frozen=True):
    """A player is gone, its ratings too; results keep its name."""

    player: str


class SaveRating(Struct, frozen=True):
    """A rating is new or has changed."""

    rating: Rating


Write = (
    OpenTable
    | SaveTable
    | AppendEvent
    | CloseTable
    | SetAside
    | TrimTable
    | ReserveMatch
    | FinishMatch
    | SavePlayer
    | DeletePlayer
    | SaveRating
)
