"""What happens at a table beside play: who sits, who is gone, who plays for whom.

These events share a table's numbering with those of the engine but are no part of a match's record. ``seat`` is None
for watchers and for what concerns no seat.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A player has opened the table."""

    name: ClassVar[str] = "opened"
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated:
    """A player, or a bot, has sat down; ``kind`` is human or bot."""

    name: ClassVar[str] = "seated"
    seat: Seat
    player: str
    kind: str = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A player has given up a seat, or stopped watching (``seat`` None)."""

    name: ClassVar[str] = "left"
    seat: Seat | None
    player: str
    cause: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A player's connection is gone; the seat is kept for ``grace_ms`` milliseconds."""

    name: ClassVar[str] = "dropped"
    seat: Seat
    player: str
    cause: Cause
    grace_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A player is back in its seat."""

    name: ClassVar[str] = "returned"
    seat: Seat
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HousePlays:
    """The house plays a seat until its owner returns; the seat keeps its letter and name."""

    name: ClassVar[str] = "house_plays"
    seat: Seat
    player: str
    cause: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Somebody has begun to watch."""

    name: ClassVar[str] = "watching"
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A player has added an own text to the next shuffle; the text stays unknown until the hole ends."""

    name: ClassVar[str] = "cut"
    seat: Seat
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChanged:
    """Another player is the table's host."""

    name: ClassVar[str] = "host"
    seat: Seat
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadySaid:
    """A player is ready for the match, or the next hole, to begin."""

    name: ClassVar[str] = "ready"
    seat: Seat
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockWarning:
    """A seat's clock has run down to ``ms`` milliseconds."""

    name: ClassVar[str] = "clock"
    seat: Seat
    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """A seat's clock has run out and the house chose for it."""

    name: ClassVar[str] = "timed_out"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The table stands still, because what happens cannot be recorded."""

    name: ClassVar[str] = "paused"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The table goes on after a pause."""

    name: ClassVar[str] = "resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
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
    | HostChanged
    | ReadySaid
    | ClockWarning
    | TimedOut
    | Paused
    | Resumed
    | Closed
)

TABLE_EVENTS: Final[dict[str, type[TableEvent]]] = {
    kind.name: kind
    for kind in (
        *(Opened, Seated, Left, Dropped, Returned, HousePlays, Watching, Cut, HostChanged, ReadySaid),
        *(ClockWarning, TimedOut, Paused, Resumed, Closed),
    )
}
"""Every kind of table event by its name on the wire."""
