"""The codes of all errors and goodbyes: one registry for help and the protocol page.

Invariants: a published code keeps its meaning; programs compare codes, never messages. The codes of the rules engine
are included under the same names.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Self

from golfnet.engine.errors import IllegalAction, RuleError

_LATER: Final = True
_NEVER: Final = False


class Code(StrEnum):
    """Why a command was refused, or why the server closes a connection.

    In an ``error``, ``retry`` means that the same line may be accepted later, in a ``bye`` that it makes sense to
    reconnect.
    """

    meaning: str
    retry: bool

    def __new__(cls, value: str, retry: bool = False, meaning: str = "") -> Self:
        """Create a code with its attributes, which each row below lists in this order."""
        code = str.__new__(cls, value)
        code._value_ = value
        code.retry = retry
        code.meaning = meaning
        return code

    # Lines and limits
    UNKNOWN_VERB = "UNKNOWN_VERB", _NEVER, "There is no such command, or several commands begin with this."
    BAD_ARGUMENT = (
        "BAD_ARGUMENT",
        _NEVER,
        "There are too few or too many arguments, or one is not understood.",
    )
    LINE_TOO_LONG = "LINE_TOO_LONG", _NEVER, "The line was longer than 1024 bytes and was ignored."
    BAD_ENCODING = "BAD_ENCODING", _NEVER, "The line was not UTF-8 and was ignored."
    RATE_LIMITED = "RATE_LIMITED", _LATER, "You are sending too fast; wait_ms is how long to wait."

    # Names and accounts
    NO_NAME = "NO_NAME", _LATER, "Say who you are first: give a name, log in, or resume with a token."
    BAD_NAME = "BAD_NAME", _NEVER, "This name is not allowed; the message says why."
    NAME_TAKEN = "NAME_TAKEN", _LATER, "Somebody else has this name, or one that looks the same."
    ALREADY_NAMED = "ALREADY_NAMED", _NEVER, "This connection already has a name."
    LOGIN_FAILED = "LOGIN_FAILED", _NEVER, "The name or the password is wrong; the server does not say which."
    BAD_TOKEN = "BAD_TOKEN", _NEVER, "That token is unknown or no longer valid."
    NO_ACCOUNT = "NO_ACCOUNT", _NEVER, "Only registered players can do this, and you are a guest."

    # Tables
    NO_SUCH_TABLE = (
        "NO_SUCH_TABLE",
        _NEVER,
        "No table has this id or name, several tables have this name, or the table is closed.",
    )
    NO_SUCH_VARIANT = "NO_SUCH_VARIANT", _NEVER, "There is no rule set with this name."
    BAD_OPTION = "BAD_OPTION", _NEVER, "These rules do not fit together; the message names the option."
    TABLE_FULL = "TABLE_FULL", _LATER, "Every seat is taken."
    WRONG_PASSWORD = "WRONG_PASSWORD", _NEVER, "The table is private and this is not its password."
    ALREADY_SEATED = "ALREADY_SEATED", _LATER, "You can play at only one table at a time; leave yours first."
    NOT_SEATED = "NOT_SEATED", _LATER, "This needs a seat at a table."
    NOT_WATCHING = "NOT_WATCHING", _LATER, "You are not watching a table."
    NOT_HOST = "NOT_HOST", _LATER, "Only the host of the table may do this."
    CONFIRM = (
        "CONFIRM",
        _LATER,
        "People are asked to confirm this by typing the same line again. Programs are never asked.",
    )
    PAUSED = "PAUSED", _LATER, "Play is paused because the server cannot save what happens."

    # Players and matches
    NO_SUCH_PLAYER = "NO_SUCH_PLAYER", _LATER, "There is no player with this name, or they are not here now."
    NO_SUCH_MATCH = "NO_SUCH_MATCH", _NEVER, "There is no finished match with this id."
    MUTED = "MUTED", _LATER, "No longer sent: players who are muted are not told."

    # Play, refused by the rules
    NOT_YOUR_TURN = (
        "NOT_YOUR_TURN",
        _LATER,
        "Another seat has to take its turn, use its power or give a card first.",
    )
    BAD_PHASE = "BAD_PHASE", _LATER, "Not now; the message says what is expected instead."
    BAD_SLOT = "BAD_SLOT", _NEVER, "There is no such card, or it cannot be used for this."
    LOCKED = "LOCKED", _NEVER, "The card is face up and locked, so it cannot be replaced."
    NOTHING_TO_TAKE = "NOTHING_TO_TAKE", _LATER, "The discard pile is empty."
    MUST_PLACE = "MUST_PLACE", _NEVER, "A card taken from the discard pile has to go into your layout."
    TOO_LATE = "TOO_LATE", _NEVER, "The slam window of this discard is closed."
    FALSE_START = "FALSE_START", _NEVER, "Nobody can react that fast; your seat is out for this discard."
    CARD_MOVED = "CARD_MOVED", _NEVER, "The card at this position has changed since the discard."
    GIFT_OWED = "GIFT_OWED", _LATER, "A card has to be given first; everything else waits."
    CUT_MISMATCH = (
        "CUT_MISMATCH",
        _NEVER,
        "The text is not the one that you sealed; you can still send the right one.",
    )
    NOT_IN_RULES = "NOT_IN_RULES", _NEVER, "The rule set of this table has no such action."
    STALE = "STALE", _NEVER, "Something has happened in the hole since the event named by at=."

    # The server
    MOVED = (
        "MOVED",
        _LATER,
        "The table or player moved or cannot be reached: the command may or may not have been done.",
    )
    TOO_MANY = "TOO_MANY", _LATER, "There are already too many tables, watchers or connections."
    SHUTTING_DOWN = "SHUTTING_DOWN", _LATER, "The server will stop soon, so nothing new can begin."
    BAD_PROTOCOL = (
        "BAD_PROTOCOL",
        _NEVER,
        "The server does not speak this protocol or this version of it.",
    )
    NOT_AVAILABLE = "NOT_AVAILABLE", _NEVER, "This is not possible here, in this mode, or for you."
    INTERNAL = (
        "INTERNAL",
        _NEVER,
        "A fault in the server, which has logged it; if it happened at a table, the table is closed.",
    )

    # Only in a bye
    QUIT = "QUIT", _LATER, "You sent quit."
    TAKEN_OVER = "TAKEN_OVER", _NEVER, "You have connected from somewhere else."
    SLOW_CONSUMER = (
        "SLOW_CONSUMER",
        _LATER,
        "Your connection is too slow: too much was waiting to be sent.",
    )
    IDLE = "IDLE", _LATER, "You sent nothing for too long."
    NAME_TIMEOUT = "NAME_TIMEOUT", _LATER, "You gave no name in time."
    FLOOD = (
        "FLOOD",
        _NEVER,
        "Too many commands, wrong passwords, telnet options or other bytes in too short a time.",
    )
    KICKED = "KICKED", _NEVER, "The operator of the server closed your connection."
    SHUTDOWN = "SHUTDOWN", _LATER, "The server is stopping; your seat is kept."


BYE_ONLY: Final = frozenset(
    {
        *(Code.QUIT, Code.TAKEN_OVER, Code.SLOW_CONSUMER, Code.IDLE, Code.NAME_TIMEOUT),
        *(Code.FLOOD, Code.KICKED, Code.SHUTDOWN),
    }
)
"""Codes that end a connection and never answer a command."""


class RemoteProtocolError(Exception):
    """Another node sent something that the protocol does not allow; the message says what was expected."""


class Refused(Exception):
    """A command was refused: it is answered with one error, and nothing has changed.

    ``message`` says what was expected; ``sentence`` says the same to people, with names instead of seat letters;
    ``wait_ms`` is how long to wait before a retry; ``id`` is the command's, set by the parser if the line had one.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        sentence: str = "",
        wait_ms: int | None = None,
        id: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.sentence = sentence or message
        self.wait_ms = wait_ms
        self.id = id

    @classmethod
    def by_rules(cls, refusal: IllegalAction | RuleError, names: Sequence[str] = ()) -> Self:
        """Return the error for a refusal by the engine; ``names`` are the players in seat order."""
        if isinstance(refusal, RuleError):
            return cls(Code.BAD_OPTION, f"{refusal}.")
        sentence = refusal.with_names(names) if names else ""
        return cls(Code(refusal.refusal), refusal.expected, sentence=sentence)
