"""What follows a verb: taken apart, and each part read as what it is.

One grammar in both modes: words, ``key=value`` and ``"text with spaces"``, or for talk the rest of the line as it
stands. What stays true of the two ways: ``split`` gives back what ``join`` was given, and what ``join`` cannot say
it refuses. No argument is ever repeated in an error, since it may be a secret.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from golfnet.engine.fairdeal import is_digest
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import parse_position, parse_seat, parse_slot
from golfnet.protocol.commands.specs import CommandSpec, Kind, Parameter, usage
from golfnet.protocol.errors import Code, Refused


class RelativePosition(NamedTuple):
    """A position as it is typed; ``seat`` is None for a bare slot of one's own."""

    seat: Seat | None
    slot: int

    def position(self, own: Seat) -> Position:
        """Return the position that the player in seat ``own`` means."""
        return Position(own if self.seat is None else self.seat, self.slot)


SingleArgument = str | int | RelativePosition
"""A typed argument: a number for numbers, slots, seats and discards, a position, and text for all else."""

Argument = SingleArgument | tuple[SingleArgument, ...]
"""What stands for a parameter: one argument, or a tuple where it is repeated."""


def split(text: str, *, options: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words of an argument list and, where ``options`` are taken, its ``key=value`` pairs.

    Keys come back in lower case. Raises ``Refused`` for a quote that is not closed and a key given twice.
    """
    words: list[str] = []
    pairs: dict[str, str] = {}
    for part in _parts(text, _WITH_OPTIONS if options else _WORDS):
        key, given, value = part.partition("=") if options else (part, "", "")
        if given and _KEY.fullmatch(key):
            key = key.lower()
            if key in pairs:
                raise Refused(Code.BAD_ARGUMENT, f"You gave {key}= twice. Give it once.")
            pairs[key] = _unquoted(value)
        else:
            words.append(_unquoted(part))
    return tuple(words), pairs


def split_rest(text: str, before: int) -> tuple[str, ...]:
    """Return so many words and then the rest of the line, one pair of enclosing quotes removed."""
    words = []
    for _ in range(before):
        word, _, text = text.partition(" ")
        text = text.lstrip(" ")
        if word:
            words.append(word)
    if text:
        words.append(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)
    return tuple(words)


def with_whole_name(spec: CommandSpec, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a command that takes nothing but a table, with a name of several words as one.

    What follows an id stays apart, and is refused: it may be a password.
    """
    is_name = [(each.kind, each.optional) for each in spec.parameters] == [(Kind.TABLE, False)]
    return (" ".join(words),) if is_name and len(words) > 1 and not _TABLE_ID.fullmatch(words[0]) else words


def join(words: Iterable[str], options: Mapping[str, str], *, takes_options: bool) -> str:
    """Return an argument list that ``split`` reads as these words and options; raises ``ValueError``."""
    written = [
        _quoted(word) if takes_options and _OPTION.match(word) else _quoted_if_needed(word) for word in words
    ]
    return " ".join([*written, *[f"{key}={_quoted_if_needed(value)}" for key, value in options.items()]])


def join_rest(words: tuple[str, ...], before: int) -> str:
    """Return an argument list that ``split_rest`` reads as these words."""
    rest = words[before:]
    if rest and (not rest[0] or rest[0] != rest[0].strip(" ") or rest[0][0] == rest[0][-1] == '"'):
        rest = (f'"{rest[0]}"',)
    return " ".join((*words[:before], *rest))


def read(spec: CommandSpec, words: tuple[str, ...], *, machine: bool) -> dict[str, Argument]:
    """Return the words as the command's parameters, by their names; what was not given is left out.

    Raises ``Refused`` with what was expected.
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
    """An argument list that does not fit its command; says how."""


def _read(parameter: Parameter, word: str) -> SingleArgument:
    try:
        return _READERS.get(parameter.kind, str)(word)
    except ValueError:
        if parameter.kind in (Kind.SLOT, Kind.POSITION) and word.isascii() and word.isdigit():
            raise Refused(Code.BAD_SLOT, "There is no such slot: slots are numbered from 1.") from None
        raise _Misfit(_needed(parameter)) from None


def _needed(parameter: Parameter) -> str:
    """Return what is missing or not understood; never what was typed, since it may be a password in a wrong place."""
    what = f" for {parameter.placeholder}" if parameter.kind is Kind.WORD else ""
    return f"needs {parameter.kind.value}{what}"


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise ValueError(word)
    return int(word)


def _position(word: str) -> RelativePosition:
    if word[:1].isdigit():
        return RelativePosition(None, parse_slot(word))
    return RelativePosition(*parse_position(word))


def _discard(word: str) -> int:
    if word[:1] != "#":
        raise ValueError(word)
    return parse_slot(word[1:])


def _table(word: str) -> str:
    return f"t{word}" if word.isascii() and word.isdigit() else word.lower()


def _digest(word: str) -> str:
    if not is_digest(word):
        raise ValueError(word)
    return word


def _switch(word: str) -> str:
    if word.lower() not in ("on", "off"):
        raise ValueError(word)
    return word.lower()


_READERS: Final[Mapping[Kind, Callable[[str], SingleArgument]]] = {
    Kind.NUMBER: _number,
    Kind.SLOT: parse_slot,
    Kind.POSITION: _position,
    Kind.DISCARD: _discard,
    Kind.SEAT: parse_seat,
    Kind.TABLE: _table,
    Kind.SWITCH: _switch,
    Kind.DIGEST: _digest,
    Kind.VARIANT: str.lower,
    Kind.LEVEL: str.lower,
    Kind.SETTING: str.lower,
}
"""How each kind is read, with ``ValueError`` for what it cannot be; kinds not listed are taken as they are."""

_TABLE_ID: Final = re.compile(r"[tT]?[0-9]+", re.ASCII)
_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OPTION: Final = re.compile(rf"{_KEY.pattern}=")
_WORDS: Final = re.compile(r'("[^"]*"(?= |\Z))|(")|([^ ]+)')
_WITH_OPTIONS: Final = re.compile(
    rf'((?:{_OPTION.pattern})?"[^"]*"(?= |\Z))|((?:{_OPTION.pattern})?")|([^ ]+)'
)
"""One argument: a quoted one, the beginning of one that is not closed, or a word."""


def _parts(text: str, pattern: re.Pattern[str]) -> list[str]:
    if '"' not in text:
        return [part for part in text.split(" ") if part]
    parts = []
    for quoted, unclosed, word in pattern.findall(text):
        if unclosed:
            raise Refused(
                Code.BAD_ARGUMENT,
                'A quotation mark is missing or in the wrong place. Write: "text with spaces"',
            )
        parts.append(quoted or word)
    return parts


def _unquoted(part: str) -> str:
    return part[1:-1] if part[:1] == '"' else part


def _quoted_if_needed(word: str) -> str:
    return _quoted(word) if not word or " " in word or word[0] == '"' else word


def _quoted(word: str) -> str:
    if '"' in word:
        raise ValueError("a quote cannot stand in a word that has to be quoted itself")
    return f'"{word}"'
