"""All that can be stored: rows, and the changes to them as values.

Bodies of events and rows of tables are opaque bytes here (JSON by their writers); times are seconds since 1970, given
by the caller. Ids are a letter and a number from 1: tables ``t1``, matches ``m1``, players ``p1``. An id that was
ever stored is never handed out again, whatever was deleted since.
"""

from dataclasses import dataclass
from enum import StrEnum


class PlayerKind(StrEnum):
    """What a player is; also the pool in which it is rated, so that accounts, guests and bots stay apart."""

    ACCOUNT = "account"
    GUEST = "guest"
    BOT = "bot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Somebody with a name; ``skeleton`` is the name with look-alike letters made equal, unique among players.

    ``password_hash`` is the text of the hashing library, None for those without a password; ``token_hash`` is the
    hash of the secret for coming back, unique, None for bots.
    """

    id: str
    name: str
    skeleton: str
    kind: PlayerKind
    password_hash: str | None
    token_hash: bytes | None
    created: float
    seen: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """How one seat ended a match; ``player`` is None for a seat without an owner."""

    player: str | None
    name: str
    kind: PlayerKind
    total: int
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A match that is over; ``finished`` is False for one broken off, ``options`` the rule set as JSON.

    A match that is ``rated`` and finished changes the ratings of its players in the same write.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
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


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table is opened; ``row`` is what its owner needs to build it anew."""

    table: str
    row: bytes


@dataclass(frozen=True, slots=True)
class SaveTable:
    """An open table's row has changed."""

    table: str
    row: bytes


@dataclass(frozen=True, slots=True)
class AppendEvent:
    """A table's next event; the same again is ignored, another body under the same number is a conflict."""

    table: str
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True)
class CloseTable:
    """A table is closed: its row and events are deleted; its finished matches stay."""

    table: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """A table that cannot be restored: row and events are kept for inquiry, but no start restores it again."""

    table: str
    why: str


@dataclass(frozen=True, slots=True)
class ReserveMatch:
    """A match id is given away."""

    match: str


@dataclass(frozen=True, slots=True)
class FinishMatch:
    """A match is over; ``record`` holds its lines, each with its line end. The same match again is ignored."""

    match: MatchResult
    record: bytes


@dataclass(frozen=True, slots=True)
class SavePlayer:
    """A player is new or has changed; another's skeleton or token is a conflict."""

    player: Player


@dataclass(frozen=True, slots=True)
class DeletePlayer:
    """A player is gone, its ratings too; results keep its name."""

    player: str


@dataclass(frozen=True, slots=True)
class SaveRating:
    """A rating is new or has changed."""

    rating: Rating


Write = (
    OpenTable
    | SaveTable
    | AppendEvent
    | CloseTable
    | SetAside
    | ReserveMatch
    | FinishMatch
    | SavePlayer
    | DeletePlayer
    | SaveRating
)
