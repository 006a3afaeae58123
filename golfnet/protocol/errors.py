"""The codes of all errors and goodbyes, which help and the protocol page list.

Invariants: a published code keeps its meaning; programs compare codes, never messages. The codes of the rules engine
are included under the same names.
"""

from collections.abc import Sequence
from typing import Final, Self

from golfnet.engine.errors import IllegalAction, RuleError
from golfnet.engine.forms import Explained

_LATER: Final = True


class Code(Explained):
    """Why a command was refused, or why the server closes a connection.

    In an ``error``, ``retry`` means that the same line may be accepted later; in a ``bye``, it means that reconnecting
    makes sense.
    """

    def __init__(self, _value: str, _meaning: str = "", retry: bool = False) -> None:
        self.retry = retry

    # Lines and limits
    UNKNOWN_VERB = "UNKNOWN_VERB", "There is no such command, or several commands begin with this."
    BAD_ARGUMENT = "BAD_ARGUMENT", "There are too few or too many arguments, or one is not understood."
    LINE_TOO_LONG = "LINE_TOO_LONG", "The line was longer than 1024 bytes and was ignored."
    BAD_ENCODING = "BAD_ENCODING", "The line was not UTF-8 and was ignored."
    RATE_LIMITED = "RATE_LIMITED", "You are sending too fast; wait_ms is how long to wait.", _LATER

    # Names and accounts
    NO_NAME = "NO_NAME", "Say who you are first: give a name, log in, or resume with a token.", _LATER
    BAD_NAME = "BAD_NAME", "This name is not allowed; the message says why."
    NAME_TAKEN = "NAME_TAKEN", "Somebody else has this name, or one that looks the same.", _LATER
    ALREADY_NAMED = "ALREADY_NAMED", "This connection already has a name."
    LOGIN_FAILED = "LOGIN_FAILED", "The name or the password is wrong; the server does not say which."
    BAD_TOKEN = "BAD_TOKEN", "That token is unknown or no longer valid."
    NO_ACCOUNT = "NO_ACCOUNT", "Only registered players can do this, and you are a guest."

    # Tables
    NO_SUCH_TABLE = (
        "NO_SUCH_TABLE",
        "No table has this id or name, several tables have this name, or the table is closed.",
    )
    NO_SUCH_VARIANT = "NO_SUCH_VARIANT", "There is no rule set with this name."
    BAD_OPTION = "BAD_OPTION", "These rules do not fit together; the message names the option."
    TABLE_FULL = "TABLE_FULL", "Every seat is taken.", _LATER
    WRONG_PASSWORD = "WRONG_PASSWORD", "The table is private and this is not its password."
    ALREADY_SEATED = "ALREADY_SEATED", "You can play at only one table at a time; leave yours first.", _LATER
    NOT_SEATED = "NOT_SEATED", "This needs a seat at a table.", _LATER
    NOT_WATCHING = "NOT_WATCHING", "You are not watching a table.", _LATER
    NOT_HOST = "NOT_HOST", "Only the host of the table may do this.", _LATER
    CONFIRM = (
        "CONFIRM",
        "People are asked to confirm this by typing the same line again. Programs are never asked.",
        _LATER,
    )
    PAUSED = "PAUSED", "Play is paused because the server cannot save what happens.", _LATER

    # Players and matches
    NO_SUCH_PLAYER = "NO_SUCH_PLAYER", "There is no player with this name, or they are not here now.", _LATER
    NO_SUCH_MATCH = "NO_SUCH_MATCH", "There is no finished match with this id."
    MUTED = "MUTED", "No longer sent: players who are muted are not told.", _LATER

    # Actions that the rules refuse
    NOT_YOUR_TURN = (
        "NOT_YOUR_TURN",
        "Another seat has to take its turn, use its power or give a card first.",
        _LATER,
    )
    BAD_PHASE = "BAD_PHASE", "Not now; the message says what is expected instead.", _LATER
    BAD_SLOT = "BAD_SLOT", "There is no such card, or it cannot be used for this."
    LOCKED = "LOCKED", "The card is face up and locked, so it cannot be replaced."
    NOTHING_TO_TAKE = "NOTHING_TO_TAKE", "The discard pile is empty.", _LATER
    MUST_PLACE = "MUST_PLACE", "A card taken from the discard pile has to go into your layout."
    TOO_LATE = "TOO_LATE", "The slam window of this discard is closed."
    FALSE_START = "FALSE_START", "Nobody can react that fast; your seat is out for this discard."
    CARD_MOVED = "CARD_MOVED", "The card at this position has changed since the discard."
    GIFT_OWED = "GIFT_OWED", "A card has to be given first; everything else waits.", _LATER
    CUT_MISMATCH = (
        "CUT_MISMATCH",
        "The text is not the one that you sealed; you can still send the right one.",
    )
    NOT_IN_RULES = "NOT_IN_RULES", "The rule set of this table has no such action."
    STALE = "STALE", "Something has happened in the hole since the event named by at=."

    # The server
    MOVED = (
        "MOVED",
        "The table or player moved or cannot be reached: the command may or may not have run.",
        _LATER,
    )
    TOO_MANY = "TOO_MANY", "There are already too many tables, watchers or connections.", _LATER
    SHUTTING_DOWN = "SHUTTING_DOWN", "The server will stop soon, so nothing new can begin.", _LATER
    BAD_PROTOCOL = "BAD_PROTOCOL", "The server does not speak this protocol or this version of it."
    NOT_AVAILABLE = "NOT_AVAILABLE", "This is not possible here, or not allowed for you."
    INTERNAL = (
        "INTERNAL",
        "A fault in the server, which has logged it; if it happened at a table, the table is closed.",
    )

    # Only in a bye
    QUIT = "QUIT", "You sent quit.", _LATER
    TAKEN_OVER = "TAKEN_OVER", "You have connected from somewhere else."
    SLOW_CONSUMER = "SLOW_CONSUMER", "Your connection is too slow: too much was waiting to be sent.", _LATER
    IDLE = "IDLE", "You sent nothing for too long.", _LATER
    NAME_TIMEOUT = "NAME_TIMEOUT", "You gave no name in time.", _LATER
    FLOOD = "FLOOD", "Too many commands, wrong passwords, telnet options or other bytes in too short a time."
    KICKED = "KICKED", "The operator of the server closed your connection."
    SHUTDOWN = "SHUTDOWN", "The server is stopping; your seat is kept.", _LATER


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

    ``message`` says what was expected. ``sentence`` says the same for people, with names instead of seat letters.
    ``wait_ms`` is how long to wait before trying again.
    """

    def __init__(self, code: Code, message: str, *, sentence: str = "", wait_ms: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.sentence = sentence or message
        self.wait_ms = wait_ms

    @classmethod
    def by_rules(cls, refusal: IllegalAction | RuleError, names: Sequence[str] = ()) -> Self:
        """Return the error for a refusal by the engine; ``names`` are the players in seat order."""
        if isinstance(refusal, RuleError):
            return cls(Code.BAD_OPTION, f"{refusal}.")
        sentence = refusal.with_names(names) if names else ""
        return cls(Code(refusal.refusal), refusal.expected, sentence=sentence)
