"""The specification of a command: its words, where it may be used, and its arguments.

Parsing, usage lines, help, completion and the protocol page all read these records.
"""

from enum import Enum, StrEnum
from typing import Final

from msgspec import Struct


class Kind(Enum):
    """The kind of an argument; the value says what is expected."""

    WORD = "one word"
    NUMBER = "a number"
    SLOT = "a slot number such as 3"
    POSITION = "a position such as B3, or a slot number of your own"
    DISCARD = "the number of a discard, such as #12"
    SEAT = "a seat letter such as B"
    TABLE = "a table such as t12"
    MATCH = "a match such as m7"
    VARIANT = "the name of a rule set, such as six-card"
    PLAYER = "a player's name"
    OCCUPANT = "a seat letter such as B, or a player's name"
    LEVEL = "a level such as easy"
    SETTING = "the name of a setting, such as style"
    VALUE = "a value for the setting"
    SWITCH = "on or off"
    TOPIC = "a command, a topic or an error code"
    TEXT = "some text"
    DIGEST = "64 digits of lower-case hex"


class Group(StrEnum):
    """The groups of the list of commands, in its order."""

    YOU = "Who you are"
    LOBBY = "Finding a table"
    TABLE = "At your table"
    PLAY = "Playing"
    TALK = "Talking"
    ASK = "What is on the table"
    PAST = "What was played"
    CONNECTION = "Help and your connection"


class Where(StrEnum):
    """Who may use a command; the values are sentences for help."""

    ANYWHERE = "At any time."
    STRANGER = "Before you have a name."
    UNSEATED = "At any time, without a seat."
    NAMED = "Once you have a name."
    LOBBY = "With a name and without a seat."
    TABLE = "At a table, seated or watching."
    SEATED = "With a seat at a table."
    HOST = "As the host of a table."


class Parameter(Struct, frozen=True, kw_only=True):
    """One positional argument.

    ``asked``: text mode asks for it if it is missing. ``repeated``: one or more; only for the last parameter.
    ``rest``: the rest of the line unchanged; only for the last parameter. ``secret``: never shown or logged.
    """

    name: str
    kind: Kind
    label: str = ""
    optional: bool = False
    asked: bool = False
    repeated: bool = False
    rest: bool = False
    secret: bool = False

    @property
    def placeholder(self) -> str:
        """The parameter's form in usage lines."""
        return self.label or self.name.upper()


class CommandOption(Struct, frozen=True, kw_only=True):
    """One named argument, ``name=value``; ``words`` are all possible values, or the usual ones."""

    name: str
    label: str
    meaning: str
    words: tuple[str, ...] = ()
    secret: bool = False


class CommandSpec(Struct, frozen=True, kw_only=True):
    """The specification of one command.

    ``changes``: changes what the server has to record, and is refused while it cannot do so. ``is_chat``: others see
    it, and it counts against the chat limits. ``before_name``: clients send it before they have a name.
    ``for_programs``: people do not type it. ``frequent``: programs send it often; it never has a secret.

    ``rule_options``: accepts every field of a rule set. ``open_options``: accepts unknown options, for peers newer than
    this server. ``short``: other words for it in text mode; a sign needs no space after it. ``abbreviated``: text mode
    accepts the beginning of the verb. ``text_only``: not in machine mode. ``instead``: words that people try, for which
    it is suggested. Its help page is in the manual.
    """

    verb: str
    group: Group
    where: Where
    changes: bool = False
    is_chat: bool = False
    before_name: bool = False
    for_programs: bool = False
    frequent: bool = False
    summary: str
    parameters: tuple[Parameter, ...] = ()
    options: tuple[CommandOption, ...] = ()
    rule_options: bool = False
    open_options: bool = False
    short: tuple[str, ...] = ()
    abbreviated: bool = True
    text_only: bool = False
    instead: tuple[str, ...] = ()

    @property
    def takes_at(self) -> bool:
        """Whether it accepts ``at=SEQ``."""
        return self.group is Group.PLAY

    @property
    def takes_options(self) -> bool:
        """Whether ``name=value`` is one of its options, not a plain word."""
        return bool(self.options) or self.rule_options or self.takes_at

    @property
    def takes_rest(self) -> bool:
        """Whether its last parameter is the rest of the line."""
        return bool(self.parameters) and self.parameters[-1].rest


def usage(spec: CommandSpec, *, machine: bool = False) -> str:
    """Return the usage line of a command, such as ``take [SLOT]``; in text mode ``asked`` parameters are optional."""
    words = [spec.verb]
    for parameter in spec.parameters:
        word = parameter.placeholder + (" ..." if parameter.repeated else "")
        words.append(f"[{word}]" if parameter.optional or (parameter.asked and not machine) else word)
    words += [f"[{option.name}={option.label}]" for option in spec.options]
    if spec.rule_options:
        words.append(RULE_OPTIONS)
    return " ".join(words)


RULE_OPTIONS: Final = "[RULE=VALUE ...]"
"""The fields of a rule set in usage lines."""
