"""The specification of a command: its words, where it may be used, and its arguments, with functions to parse them.

Parsing, usage lines, help, completion and the protocol page all use these records. The grammar of arguments is the same
in both modes: words, ``key=value`` and ``"text with spaces"``, or for chat the rest of the line. No error repeats an
argument, because the argument may be a secret.
"""

import re
from collections.abc import Callable
from enum import Enum, StrEnum
from typing import Final

from msgspec import Struct

from golfnet.engine.cards import Seat, parse_position, parse_seat, parse_slot
from golfnet.protocol.errors import Code, Refused

SingleArgument = str | int
"""A parsed argument: an int (number, slot, seat or discard), or text for everything else."""

Argument = SingleArgument | tuple[SingleArgument, ...]
"""The value of a parameter: one argument, or a tuple if it is repeated."""


def _only(pattern: str, read: Callable[[str], SingleArgument]) -> Callable[[str], SingleArgument]:
    def parse(word: str) -> SingleArgument:
        if not re.fullmatch(pattern, word):
            raise ValueError(word)
        return read(word)

    return parse


def _position(word: str) -> str:
    parse_position(word, own=Seat(0))  # any seat, since the sender's is not known here
    return word.upper()


def _table(word: str) -> str:
    return f"t{word}" if word.isascii() and word.isdigit() else word.lower()


class Kind(Enum):
    """The kind of an argument: what is expected, and its parser, which raises ``ValueError``."""

    WORD = "one word", str
    NUMBER = "a number", _only("[0-9]{1,9}", int)
    SLOT = "a slot number such as 3", parse_slot
    POSITION = "a position such as B3, or a slot number of your own", _position
    DISCARD = "the number of a discard, such as #12", _only("#.+", lambda word: parse_slot(word[1:]))
    SEAT = "a seat letter such as B", parse_seat
    TABLE = "a table such as t12", _table
    MATCH = "a match such as m7", str
    VARIANT = "the name of a rule set, such as six-card", str.lower
    PLAYER = "a player's name", str
    OCCUPANT = "a seat letter such as B, or a player's name", str
    LEVEL = "a level such as easy", str.lower
    SETTING = "the name of a setting, such as style", str.lower
    VALUE = "a value for the setting", str
    SWITCH = "on or off", _only("(?i:on|off)", str.lower)
    TOPIC = "a command, a topic or an error code", str
    TEXT = "some text", str
    DIGEST = "64 digits of lower-case hex", _only("[0-9a-f]{64}", str)

    def __init__(self, expected: str, parse: Callable[[str], SingleArgument]) -> None:
        self.expected = expected
        self.parse = parse


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
    """When a command may be used; the values are sentences for help."""

    ANYWHERE = "At any time."
    STRANGER = "Before you have a name."
    UNSEATED = "At any time, without a seat."
    NAMED = "Once you have a name."
    LOBBY = "With a name and without a seat."
    TABLE = "At a table, seated or watching."
    SEATED = "With a seat at a table."
    HOST = "As the host of a table."


class Parameter(Struct, frozen=True):
    """One positional argument; ``label`` is its form in usage lines, by default the name.

    ``asked``: text mode asks for it if it is missing. ``repeated``: takes one or more arguments; ``rest``: takes the
    rest of the line unchanged; only the last parameter can be either. ``secret``: never shown or logged.
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


class CommandOption(Struct, frozen=True):
    """One named argument, ``name=value``; ``words`` are all possible values, or the usual ones."""

    name: str
    label: str
    meaning: str
    words: tuple[str, ...] = ()
    secret: bool = False


class CommandSpec(Struct, frozen=True):
    """The specification of one command.

    ``changes``: the command changes recorded data, and is refused while the server cannot record. ``is_chat``: others
    see its text, and it counts against the chat limits. ``before_name``: clients send it before they have a name.
    ``for_programs``: people do not type it. ``frequent``: programs send it often; it never contains a secret.

    ``rule_options``: accepts every field of a rule set. ``open_options``: accepts unknown options, because peers may be
    newer than this server. ``short``: short forms of the verb in text mode; a sign needs no space after it.
    ``abbreviated``: text mode accepts prefixes of the verb. ``text_only``: not in machine mode. ``instead``: words that
    people try although they are not commands; the error then suggests this command. The help page is in the manual.
    """

    verb: str
    summary: str
    group: Group
    where: Where
    changes: bool = False
    is_chat: bool = False
    before_name: bool = False
    for_programs: bool = False
    frequent: bool = False
    parameters: tuple[Parameter, ...] = ()
    options: tuple[CommandOption, ...] = ()
    rule_options: bool = False
    open_options: bool = False
    short: tuple[str, ...] = ()
    abbreviated: bool = True
    text_only: bool = False
    instead: str = ""

    @property
    def takes_at(self) -> bool:
        """Whether the command accepts ``at=SEQ``."""
        return self.group is Group.PLAY

    @property
    def takes_options(self) -> bool:
        """Whether the command reads ``name=value`` as an option, not as a plain word."""
        return bool(self.options) or self.rule_options or self.takes_at


def usage(spec: CommandSpec, *, machine: bool = False) -> str:
    """Return the usage line of a command, such as ``take [SLOT]``; in text mode ``asked`` parameters are optional."""
    words = [spec.verb]
    for parameter in spec.parameters:
        word = parameter.placeholder + (" ..." if parameter.repeated else "")
        words.append(f"[{word}]" if parameter.optional or (parameter.asked and not machine) else word)
    words += [f"[{option.name}={option.label}]" for option in spec.options]
    if spec.rule_options:
        words.append("[RULE=VALUE ...]")
    return " ".join(words)


def split(text: str, *, options: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words of an argument list and, if it may have ``options``, its ``key=value`` pairs.

    Convert keys to lower case. Raise ``Refused`` for a quote that is not closed, or a key given twice.
    """
    words: list[str] = []
    pairs: dict[str, str] = {}
    for part in _parts(text, _WITH_OPTIONS if options else _WORDS):
        key, given, value = part.partition("=") if options else (part, "", "")
        if given and re.fullmatch(_KEY, key):
            key = key.lower()
            if key in pairs:
                raise Refused(Code.BAD_ARGUMENT, f"You gave {key}= twice. Give it once.")
            pairs[key] = _unquoted(value)
        else:
            words.append(_unquoted(part))
    return tuple(words), pairs


def split_rest(text: str, before: int) -> tuple[str, ...]:
    """Return the first ``before`` words, and then the rest of the line without one pair of enclosing quotes."""
    words = []
    for _ in range(before):
        word, _, text = text.partition(" ")
        text = text.lstrip(" ")
        if word:
            words.append(word)
    if text:
        words.append(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)
    return tuple(words)


def with_whole_name(spec: CommandSpec, text: str) -> str:
    """Return a command's arguments; if its only parameter is a table, put a name of several words in quotes.

    Words after a table's id may be a password: leave them alone, so that the command is refused.
    """
    if [(each.kind, each.optional) for each in spec.parameters] != [(Kind.TABLE, False)]:
        return text
    parts = _parts(text, _WITH_OPTIONS)
    words = [_unquoted(part) for part in parts if not re.match(_OPTION, part)]
    if len(words) < 2 or re.fullmatch(_TABLE_ID, words[0]):
        return text
    return " ".join([f'"{" ".join(words)}"', *[part for part in parts if re.match(_OPTION, part)]])


def read(spec: CommandSpec, words: tuple[str, ...], *, machine: bool) -> dict[str, Argument]:
    """Return the words parsed as the command's parameters, by name, omitting parameters that were not given.

    Raise ``Refused`` with what was expected.
    """
    arguments: dict[str, Argument] = {}
    left = list(words)
    try:
        for parameter in spec.parameters:
            if not left:
                if parameter.optional or (parameter.asked and not machine):
                    break
                raise _Misfit(_needed(parameter))
            if parameter.repeated:
                arguments[parameter.name] = tuple([_read(parameter, word) for word in left])
                left.clear()
            else:
                arguments[parameter.name] = _read(parameter, left.pop(0))
        if left:
            raise _Misfit("got too many words")
    except _Misfit as misfit:
        raise Refused(
            Code.BAD_ARGUMENT, f"{spec.verb} {misfit}. Usage: {usage(spec, machine=machine)}"
        ) from None
    return arguments


class _Misfit(Exception):
    """An argument list that does not fit its command; the message says what does not fit."""


def _read(parameter: Parameter, word: str) -> SingleArgument:
    try:
        return parameter.kind.parse(word)
    except ValueError:
        if parameter.kind in (Kind.SLOT, Kind.POSITION) and word.isascii() and word.isdigit():
            raise Refused(Code.BAD_SLOT, "There is no such slot: slots are numbered from 1.") from None
        raise _Misfit(_needed(parameter)) from None


def _needed(parameter: Parameter) -> str:
    """Return what was expected, but not what was typed, because it may be a misplaced password."""
    what = f" for {parameter.placeholder}" if parameter.kind is Kind.WORD else ""
    return f"needs {parameter.kind.expected}{what}"


_TABLE_ID: Final = r"[tT]?[0-9]+"
_KEY: Final = r"[A-Za-z][A-Za-z0-9_-]*"
_OPTION: Final = rf"{_KEY}="
_WORDS: Final = r'("[^"]*"(?= |\Z))|(")|([^ ]+)'
_WITH_OPTIONS: Final = rf'((?:{_OPTION})?"[^"]*"(?= |\Z))|((?:{_OPTION})?")|([^ ]+)'
"""Matches one argument: quoted text, an opening quote that is never closed, or a word."""


def _parts(text: str, pattern: str) -> list[str]:
    if '"' not in text:
        return [part for part in text.split(" ") if part]
    parts = re.findall(pattern, text)
    if any(unclosed for _, unclosed, _ in parts):
        raise Refused(
            Code.BAD_ARGUMENT, 'A quotation mark is missing or in the wrong place. Write: "text with spaces"'
        )
    return [quoted or word for quoted, _, word in parts]


def _unquoted(part: str) -> str:
    return part[1:-1] if part[:1] == '"' else part
