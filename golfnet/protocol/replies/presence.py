"""What happens at a table beside play: who sits, who is gone, who plays for whom.

These events share a table's numbering with those of the engine but are no part of a match's record. ``seat`` is None
for watchers and for what concerns no seat.
"""

from enum import StrEnum
from typing import ClassVar, Final, get_args

from msgspec import Struct

from golfnet.engine.layout import Seat


class Cause(StrEnum):
    """Why a player is gone from a seat."""

    QUIT = "quit"
    LOST = "lost"
    IDLE = "idle"
    SLOW = "slow"
    KICKED = "kicked"
    RESTART = "restart"
    GRACE = "grace"
    LEFT = "left"


class Opened(Struct, frozen=True, kw_only=True):
    """A player has opened the table."""

    name: ClassVar[str] = "opened"
    player: str


class Seated(Struct, frozen=True, kw_only=True):
    """A player, or a bot, has sat down; ``kind`` is human or bot."""

    name: ClassVar[str] = "seated"
    seat: Seat
    player: str
    kind: str = "human"


class Left(Struct, frozen=True, kw_only=True):
    """A player has given up a seat, or stopped watching (``seat`` None)."""

    name: ClassVar[str] = "left"
    seat: Seat | None
    player: str
    cause: Cause


class Dropped(Struct, frozen=True, kw_only=True):
    """A player's connection is gone; the seat is kept for ``grace_ms`` milliseconds."""

    name: ClassVar[str] = "dropped"
    seat: Seat
    player: str
    cause: Cause
    grace_ms: int


class Returned(Struct, frozen=True, kw_only=True):
    """A player is back in its seat."""

    name: ClassVar[str] = "returned"
    seat: Seat
    player: str


class HousePlays(Struct, frozen=True, kw_only=True):
    """The house plays a seat until its owner returns; the seat keeps its letter and name."""

    name: ClassVar[str] = "house_plays"
    seat: Seat
    player: str
    cause: Cause


class Watching(Struct, frozen=True, kw_only=True):
    """Somebody has begun to watch."""

    name: ClassVar[str] = "watching"
    player: str


class Cut(Struct, frozen=True, kw_only=True):
    """A player has added an own text to the next shuffle, or told the text that it sealed."""

    name: ClassVar[str] = "cut"
    seat: Seat
    player: str


class Sealed(Struct, frozen=True, kw_only=True):
    """A player has sealed a text for the next shuffle, to be told after all are sealed."""

    name: ClassVar[str] = "sealed"
    seat: Seat
    player: str
    seal: str


class SealsClosed(Struct, frozen=True, kw_only=True):
    """The hole is due: no seal or cut is added or replaced, and for ``ms`` those who sealed a text may tell it.

    ``seals`` and ``cuts`` are by seat: the seal or None, and the text of a seat without a seal, empty if none. These
    texts are told here, so that nobody can still choose one once a sealed text is told.
    """

    name: ClassVar[str] = "seals_closed"
    seals: tuple[str | None, ...]
    cuts: tuple[str, ...]
    ms: int


class HostChanged(Struct, frozen=True, kw_only=True):
    """Another player is the table's host."""

    name: ClassVar[str] = "host"
    seat: Seat
    player: str


class ReadySaid(Struct, frozen=True, kw_only=True):
    """A player is ready for the match, or the next hole, to begin."""

    name: ClassVar[str] = "ready"
    seat: Seat
    player: str


class BotsWanted(Struct, frozen=True, kw_only=True):
    """Bots of a level take the free seats in ``ms`` milliseconds, at once where 0; None: they do not come any more."""

    name: ClassVar[str] = "filling"
    level: str
    ms: int | None


class ClockWarning(Struct, frozen=True, kw_only=True):
    """A seat's clock has run down to ``ms`` milliseconds."""

    name: ClassVar[str] = "clock"
    seat: Seat
    ms: int


class TimedOut(Struct, frozen=True, kw_only=True):
    """A seat's clock has run out and the house chose for it."""

    name: ClassVar[str] = "timed_out"
    seat: Seat


class Paused(Struct, frozen=True, kw_only=True):
    """The table stands still, because what happens cannot be recorded."""

    name: ClassVar[str] = "paused"
    reason: str


class Resumed(Struct, frozen=True, kw_only=True):
    """The table goes on after a pause."""

    name: ClassVar[str] = "resumed"


class Closed(Struct, frozen=True, kw_only=True):
    """The table is closed."""

    name: ClassVar[str] = "closed"
    reason: str


TableEvent = (
    Opened
    | Seated
    | Left
    | Dropped
    | Returned
    | HousePlays
    | Watching
    | Cut
    | Sealed
    | SealsClosed
    | HostChanged
    | ReadySaid
    | BotsWanted
    | ClockWarning
    | TimedOut
    | Paused
    | Resumed
    | Closed
)

TABLE_EVENTS: Final[dict[str, type[TableEvent]]] = {kind.name: kind for kind in get_args(TableEvent)}
"""Every kind of table event by its name on the wire."""
