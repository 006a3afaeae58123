"""The events of a table outside play: who sits down, who is away, who plays for whom.

These events share a table's numbering with those of the engine but are not part of a match's record. ``seat`` is None
for watchers.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, get_args

from msgspec import Struct

from golfnet.engine.cards import Seat
from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason, SlamResult
from golfnet.engine.forms import Explained
from golfnet.engine.hole import Phase
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import BYE_ONLY, Code
from golfnet.protocol.names import LEVELS


class Cause(Explained):
    """Why a player is away, or has left: the ``cause`` of ``dropped``, ``left`` and ``house_plays``."""

    QUIT = "quit", "The player sent `quit`."
    LOST = "lost", "The connection was lost, or the peer closed its sending side."
    IDLE = "idle", "Nothing was received for too long, or three clocks in a row ran out."
    SLOW = "slow", "Too much was waiting to be sent."
    KICKED = "kicked", "The host, or the operator, removed the player."
    RESTART = "restart", "The server was restarted; the player has not reconnected yet."
    GRACE = "grace", "The time for which the seat was kept is over."
    LEFT = "left", "The player sent `leave`, `unwatch` or `unseek`."


class _Event(Struct, frozen=True, kw_only=True, tag_field="event"):
    @property
    def name(self) -> str:
        """The event's name on the wire."""
        return str(self.__struct_config__.tag)


class SeatEvent(_Event, frozen=True, kw_only=True):
    """An event about the player in a seat."""

    seat: Seat
    player: str


class Opened(_Event, frozen=True, kw_only=True, tag="opened"):
    """A player has opened the table."""

    player: str


class Seated(SeatEvent, frozen=True, kw_only=True, tag="seated"):
    """A player, or a bot, has sat down; ``kind`` is human or bot."""

    kind: str = "human"


class Left(_Event, frozen=True, kw_only=True, tag="left"):
    """A player has given up a seat, or stopped watching (``seat`` is None)."""

    seat: Seat | None
    player: str
    cause: Cause


class Dropped(SeatEvent, frozen=True, kw_only=True, tag="dropped"):
    """A player has lost the connection; the seat is kept for ``grace_ms`` milliseconds."""

    cause: Cause
    grace_ms: int


class Returned(SeatEvent, frozen=True, kw_only=True, tag="returned"):
    """A player has returned to their seat."""


class HousePlays(SeatEvent, frozen=True, kw_only=True, tag="house_plays"):
    """The house (the server) plays a seat until its owner returns; the seat keeps its letter and name."""

    cause: Cause


class Watching(_Event, frozen=True, kw_only=True, tag="watching"):
    """Somebody has begun to watch."""

    player: str


class Cut(SeatEvent, frozen=True, kw_only=True, tag="cut"):
    """A player has added a text to the next shuffle, or revealed a sealed one."""


class Sealed(SeatEvent, frozen=True, kw_only=True, tag="sealed"):
    """A player has sealed a text for the next shuffle, to be revealed once all texts are sealed."""

    seal: str


class SealsClosed(_Event, frozen=True, kw_only=True, tag="seals_closed"):
    """The deal is due: seals and cuts are final, and players have ``ms`` to reveal a sealed text.

    ``seals`` and ``cuts`` are by seat: the seal or None, and the text of a seat without a seal, perhaps empty. These
    texts are shown now, so that nobody can choose one after a sealed text is revealed.
    """

    seals: tuple[str | None, ...]
    cuts: tuple[str, ...]
    ms: int


class HostChanged(SeatEvent, frozen=True, kw_only=True, tag="host"):
    """Another player has become the table's host."""


class ReadySaid(SeatEvent, frozen=True, kw_only=True, tag="ready"):
    """A player is ready for the match, or the next hole, to begin."""


class BotsWanted(_Event, frozen=True, kw_only=True, tag="filling"):
    """Bots of this level will take free seats in ``ms`` milliseconds; 0 means now, None that they will not."""

    level: str
    ms: int | None


class ClockWarning(_Event, frozen=True, kw_only=True, tag="clock"):
    """A seat's clock has ``ms`` milliseconds left."""

    seat: Seat
    ms: int


class TimedOut(_Event, frozen=True, kw_only=True, tag="timed_out"):
    """A seat's clock has run out, and the server has chosen an action for it."""

    seat: Seat


class Paused(_Event, frozen=True, kw_only=True, tag="paused"):
    """Play has stopped, because events cannot be recorded."""

    reason: str


class Resumed(_Event, frozen=True, kw_only=True, tag="resumed"):
    """Play continues after a pause."""


class Closed(_Event, frozen=True, kw_only=True, tag="closed"):
    """The table is closed."""

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

TABLE_EVENTS: Final[dict[str, type[TableEvent]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(TableEvent)
}
"""Every kind of table event by its name on the wire."""


class TableState(StrEnum):
    """The stage of a table: before the match, during a hole, between two holes, or after the match."""

    OPEN = "open"
    PLAYING = "playing"
    BETWEEN = "between"
    FINISHED = "finished"


class Ending(StrEnum):
    """Why a table is closed: the ``reason`` of ``closed``, which completes a sentence."""

    EMPTY = "everybody has left"
    FAULT = "a fault in the server; the match so far is kept"
    OPERATOR = "the operator of the server has closed it"


class NoticeCode(Explained):
    """What a ``notice`` is about. Its ``code`` can also be a ``Refusal``: the reason why a slam does not count."""

    GREETING = "GREETING", "The server greets a new connection."
    TEXT = "TEXT", "A line that was requested, already rendered."
    ANNOUNCEMENT = "ANNOUNCEMENT", "A message from the operator of the server."
    PASSWORD = "PASSWORD", "The next line will be read as a password."
    WAIT = "WAIT", "Many wrong passwords were sent for this name; yours has to wait its turn."
    HERE = "HERE", "The answer to telnet's Are You There."
    IDLE = "IDLE", "Nothing was received for a long time; the connection will be closed after `ms`."
    LOBBY = "LOBBY", "Somebody has opened a table; only for people who are not at a table, not for programs."
    SENT_AWAY = "SENT_AWAY", "The host of a table has removed you as a watcher."
    STARTING = "STARTING", "The match at `table` begins in `ms`; with 0 the countdown was cancelled."
    AIM = (
        "AIM",
        "How to win; only for guests whose last match, if any, had another rule set, not for programs.",
    )
    INVITED = "INVITED", "The player `from`, who sits at `table`, invites you to it; to accept, send `join`."
    WAITING = (
        "WAITING",
        "Somebody is waiting for a seat at your `table`; `from` is a player who has just joined the line.",
    )
    IN_LINE = (
        "IN_LINE",
        "You are waiting for a seat at `table`: your place in line or what comes next has changed, or you got a seat.",
    )
    SEAT_OFFERED = (
        "SEAT_OFFERED",
        "The host of `table` lets you play the seat of somebody who is away; to accept, send `join`.",
    )
    SEAT_BACK = "SEAT_BACK", "The owner of the seat that you were playing at `table` has taken it back."
    LONG_ROUND_TRIP = (
        "LONG_ROUND_TRIP",
        "A player's round trip, which takes `ms`, is longer than a slam race makes up for.",
    )
    HOST_AWAY = "HOST_AWAY", "The host of `table` is away; after `ms` somebody else becomes the host."
    TEXT_AWAITED = (
        "TEXT_AWAITED",
        "Somebody who sealed a text for the next hole at `table` is away; the hole is dealt after at most `ms`.",
    )
    MOVING = (
        "MOVING",
        "The table is moving to another machine; a view follows. Pending commands are answered with `MOVED`.",
    )
    PAUSED = "PAUSED", "Nothing can be recorded; play stops at all tables."
    RESUMED = "RESUMED", "Play continues at all tables."
    SHUTTING_DOWN = "SHUTTING_DOWN", "The server will stop soon; seats are kept."


ENUMS: Final[Mapping[str, tuple[str, ...]]] = {
    "view.state": tuple(TableState),
    "view.phase": tuple(Phase),
    "view.seats.kind": ("human", "bot", "house"),
    "view.slam.mode": tuple(mode for mode in SlamMode if mode is not SlamMode.OFF),
    "view.filling.level": LEVELS,
    "prompt.phase": (*Phase, *(state for state in TableState if state is not TableState.PLAYING)),
    "rows.kind": (
        *("who", "tables", "variants", "rules", "history", "record", "top", "stats", "help", "set", "log"),
        *("seal", "sessions", "evening", "replay", "moves"),
    ),
    "notice.code": (*NoticeCode, *Refusal),
    "error.code": tuple(code for code in Code if code not in BYE_ONLY),
    "bye.code": tuple(Code),
    "seated.kind": ("human", "bot"),
    "left.cause": tuple(Cause),
    "closed.reason": tuple(Ending),
    "slammed.result": tuple(SlamResult),
    "hole_ended.reason": tuple(EndReason),
}
"""The values of fields that allow only certain words, by the type of the object or event and the path to the field."""
