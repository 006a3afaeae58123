"""The words that stand where an object has one of a few values: for the schema, the protocol page and who sends them.

What stays true: a word, once published, keeps its meaning, and others may be added. Who reads takes any word, known or
not, so that an older program understands a newer server; only who writes is bound to these.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Self

from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason, SlamResult
from golfnet.engine.hole import Phase
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import BYE_ONLY, Code
from golfnet.protocol.names.reserved import LEVELS
from golfnet.protocol.replies.presence import Cause


class Word(StrEnum):
    """A word with what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Make a word; a row of an enum below has its parts in this order."""
        word = str.__new__(cls, value)
        word._value_ = value
        word.meaning = meaning
        return word


class TableState(StrEnum):
    """Where a table is in its life."""

    OPEN = "open"
    PLAYING = "playing"
    BETWEEN = "between"
    FINISHED = "finished"


class Ending(StrEnum):
    """Why a table is closed: the ``reason`` of ``closed``, which is half a sentence."""

    EMPTY = "everybody has left"
    FAULT = "a fault in the server; the match so far is kept"


class NoticeCode(Word):
    """What a ``notice`` is about, beside the refusals of the rules: those say why a slam does not count."""

    GREETING = "GREETING", "The server greets a new connection."
    TEXT = "TEXT", "A line that was asked for, finished as it stands."
    ANNOUNCEMENT = "ANNOUNCEMENT", "The operator of the server speaks."
    PASSWORD = "PASSWORD", "The next line is taken for a password."
    WAIT = "WAIT", "Many wrong passwords came for this name; yours is checked in its turn."
    HERE = "HERE", "The answer to telnet's question whether anybody is there."
    IDLE = "IDLE", "Nothing was heard for long; the connection is closed after `ms`."
    LOBBY = "LOBBY", "Somebody has opened a table; only people who are at no table get it, no programs."
    SENT_AWAY = "SENT_AWAY", "The host of a table has ended your watching it."
    STARTING = "STARTING", "The match at `table` begins in `ms`; with 0 it does not begin yet after all."
    SEAT_OFFERED = (
        "SEAT_OFFERED",
        "The host of `table` lets you play the seat of somebody who is away: `join`.",
    )
    SEAT_BACK = "SEAT_BACK", "The owner of the seat that you played at `table` is back, and has it again."
    HOST_AWAY = "HOST_AWAY", "The host of `table` is away; after `ms` somebody else becomes the host."
    MOVING = "MOVING", "The table goes on at another machine; a view follows."
    PAUSED = "PAUSED", "Nothing can be recorded; all tables stand still."
    RESUMED = "RESUMED", "The tables go on."
    SHUTTING_DOWN = "SHUTTING_DOWN", "The server stops soon; seats are kept."


CAUSES: Final[Mapping[Cause, str]] = {
    Cause.QUIT: "The player said `quit`.",
    Cause.LOST: "The connection was lost, or its sending side ended.",
    Cause.IDLE: "Nothing was heard for too long, or three clocks in a row ran out.",
    Cause.SLOW: "More waited to be sent than the server keeps.",
    Cause.KICKED: "The host, or the operator, sent the player away.",
    Cause.RESTART: "The server was started again; nobody has come back yet.",
    Cause.GRACE: "The time for which the seat was kept is over.",
    Cause.LEFT: "The player said `leave`, `unwatch` or `unseek`.",
}
"""What the ``cause`` of ``dropped``, ``left`` and ``house_plays`` means."""

ROWS: Final = (
    *("who", "tables", "variants", "rules", "history", "record", "top", "stats", "help", "set", "log"),
    *("seal", "sessions", "evening"),
)
"""The kinds of ``rows``."""

SEATS: Final = ("human", "bot", "house")
"""The kinds of a seat in a view."""

ENUMS: Final[Mapping[str, tuple[str, ...]]] = {
    "view.state": tuple(TableState),
    "view.phase": tuple(Phase),
    "view.seats.kind": SEATS,
    "view.slam.mode": tuple(mode for mode in SlamMode if mode is not SlamMode.OFF),
    "view.filling.level": LEVELS,
    "prompt.phase": (*Phase, *(state for state in TableState if state is not TableState.PLAYING)),
    "rows.kind": ROWS,
    "notice.code": (*NoticeCode, *Refusal),
    "error.code": tuple(code for code in Code if code not in BYE_ONLY),
    "bye.code": tuple(Code),
    "seated.kind": ("human", "bot"),
    "left.cause": tuple(Cause),
    "closed.reason": tuple(Ending),
    "slammed.result": tuple(SlamResult),
    "hole_ended.reason": tuple(EndReason),
}
"""Every place of an object, by its type or event and the keys that lead there, that has one of a few words."""
