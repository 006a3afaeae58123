"""Command lines: from text to requests, for both sides of the wire.

Invariants: every line gives a ``Request`` or raises ``Refused``; what a person typed and its ``spelled_out`` form give
the same request. A request is only well-formed: whether the command may be used now is decided elsewhere.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from golfnet.engine.forms import alike
from golfnet.engine.options import FIELDS
from golfnet.protocol.commands import specs
from golfnet.protocol.commands.catalog import COMMANDS, SHORT_FORMS, SIGNS, quoted, resolve
from golfnet.protocol.errors import Code, Refused


class Request(Struct, frozen=True, kw_only=True):
    """One well-formed command.

    ``words`` are the positional arguments as they were typed, without quotes. ``arguments`` are the same arguments
    parsed, by parameter name. ``options`` has lower-case keys. ``at`` is the event number of ``at=SEQ``. ``typed`` are
    the answers to the command's prompts, such as a password.
    """

    verb: str
    words: tuple[str, ...] = ()
    arguments: Mapping[str, specs.Argument] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    id: int | None = None
    at: int | None = None
    typed: tuple[str, ...] = ()

    @property
    def spec(self) -> specs.CommandSpec:
        """The specification of the command."""
        return COMMANDS[self.verb]

    def text(self, name: str) -> str:
        """Return an argument as text, empty if it was not given."""
        return str(self.arguments.get(name, ""))

    def number(self, name: str) -> int | None:
        """Return an argument that is a number, a slot, a seat or a discard; None if it was not given."""
        value = self.arguments.get(name)
        return value if isinstance(value, int) else None

    def __repr__(self) -> str:
        return f"<Request {self.verb}>"  # not the arguments, which can be passwords


def parse(line: str, *, machine: bool, holding: bool = False, spoken: bool = False) -> Request:
    """Return the request in a line, given without its line end.

    ``holding``: the peer holds a drawn card, so that in text mode a slot number alone means ``swap``.
    ``spoken``: the peer is at a table in speech style, so that ``top`` alone means ``top-card``. Raise ``Refused``
    with ``UNKNOWN_VERB``, ``BAD_ARGUMENT``, ``BAD_OPTION`` or ``BAD_SLOT``.
    """
    key = line if machine else (line, holding, spoken)
    if (known := _known.get(key)) is not None:
        return known
    number, line = _take_id(line)
    meant = _meant(line, number, machine=machine, holding=holding, spoken=spoken)
    request = _request(*meant, number, machine=machine)
    if number is None and request.spec.frequent and len(line) <= _LONGEST_KEPT:
        if len(_known) >= _LINES_KEPT:  # Normal play does not have so many different lines.
            _known.clear()
        _known[key] = request
    return request


def spelled_out(line: str, *, holding: bool = False) -> str:
    """Return the line that a program sends for what a person has typed, or raise ``Refused``."""
    number = parse(line, machine=False, holding=holding).id
    spec, rest = _meant(_take_id(line)[1], number, machine=False, holding=holding, spoken=False)
    return " ".join(["" if number is None else str(number), spec.verb, rest]).strip(" ")


def id_of(line: str) -> int | None:
    """Return the id of a line without parsing the rest, or None if it has no id."""
    return _take_id(line)[0]


def pong_key(line: str) -> str | None:
    """Return the key of a ``pong``, the only command without an answer; None for any other line."""
    found = _PONG.match(line) if "pong" in line.lower() else None
    return None if found is None else found[1] or ""


_PONG: Final = re.compile(r" *(?:[0-9]+ +)?pong(?: +([^ ]*)|$)", re.IGNORECASE)


_ID: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


_LINES_KEPT: Final = 1024
_LONGEST_KEPT: Final = 32
"""The maximum length of a cached line: no play command is longer."""

_known: Final[dict[str | tuple[str, bool, bool], Request]] = {}
"""Cached requests, which are immutable; the key is the line and, in text mode, the flags that affect parsing."""


def _meant(
    line: str, number: int | None, *, machine: bool, holding: bool, spoken: bool
) -> tuple[specs.CommandSpec, str]:
    """Return the command in a line, and its arguments as a program writes them."""
    verb, rest = _take_verb(line) if machine else _take_text_verb(line)
    if verb.isdigit() and not machine and holding and number is None and not rest:
        verb, rest = "swap", verb
    elif verb.isdigit() and machine:
        raise Refused(Code.UNKNOWN_VERB, "An id has 1 to 9 digits, no leading zero, and a command after it.")
    elif verb.isdigit():
        meant = f"flip {number} {verb[:3]}" if number is not None else f"flip {verb[:3]} or take {verb[:3]}"
        raise Refused(
            Code.UNKNOWN_VERB,
            "A number alone works only while you hold a card: it swaps the card into that slot. "
            f"Otherwise say what to do with the slot, such as {meant}.",
        )
    spec = resolve(verb, machine=machine)
    if spec.verb == "slam" and rest.lower() == "log":
        return COMMANDS["log"], ""
    if machine:
        return spec, rest
    if spec.verb == "top" and verb.lower() != "ladder" and spoken and not rest:
        return COMMANDS["top-card"], ""
    if spec.verb == "hello" and not rest[:1].isdigit():
        return spec, ""  # A person typed a greeting.
    return spec, rest.replace(",", " ") if _takes_slots(spec) else specs.with_whole_name(spec, rest)


def _take_id(line: str) -> tuple[int | None, str]:
    """Return the id and the rest of a line; a number alone is not an id."""
    line = line.strip(" ")
    head, _, rest = line.partition(" ")
    return (int(head), rest.lstrip(" ")) if rest and _ID.fullmatch(head) else (None, line)


def _take_verb(line: str) -> tuple[str, str]:
    verb, _, rest = line.partition(" ")
    return verb, rest.lstrip(" ")


def _take_text_verb(line: str) -> tuple[str, str]:
    """Return the verb and the rest of a line; a sign, which is a short form, needs no space after it."""
    if line[:1] not in SIGNS:
        return _apart(*_take_verb(line))
    verb, rest = SHORT_FORMS[line[0]], line[1:].lstrip(" ")
    # In a line such as "hello", the sign is the opening quote: remove the closing one, too.
    return verb, rest[:-1].rstrip(" ") if line[0] == '"' and rest[-1:] == '"' else rest


def _apart(verb: str, rest: str) -> tuple[str, str]:
    """Split a verb from a slot if there is no space between them: ``t5`` is ``take 5``.

    Raise ``Refused`` if the digits may mean several slots: ``flip12`` could be ``flip 1 2``.
    """
    glued = _GLUED.fullmatch(verb)
    word = "" if glued is None else glued[1].lower()
    spec = COMMANDS.get(SHORT_FORMS.get(word, word))
    if glued is None or spec is None or not _takes_slots(spec):
        return verb, rest
    if spec.parameters[0].repeated and len(glued[2]) > 1:
        meant = f"{spec.verb} {' '.join(glued[2][:_SLOTS_MEANT])}"
        raise Refused(Code.UNKNOWN_VERB, f"There is no command {quoted(verb)}. Did you mean {meant}?")
    return word, f"{glued[2]} {rest}".rstrip(" ")


def _takes_slots(spec: specs.CommandSpec) -> bool:
    return spec.takes_at and any(
        each.kind in (specs.Kind.SLOT, specs.Kind.POSITION) for each in spec.parameters
    )


_GLUED: Final = re.compile(r"([A-Za-z]+)([0-9]+)", re.ASCII)
_SLOTS_MEANT: Final = 6  # The maximum number of slots in a suggestion: nobody turns up more at once.


def _request(spec: specs.CommandSpec, rest: str, number: int | None, *, machine: bool) -> Request:
    if spec.verb == "hello" and not machine and not rest:
        return Request(verb=spec.verb, id=number)
    options: dict[str, str] = {}
    if spec.parameters and spec.parameters[-1].rest:
        words = specs.split_rest(rest, len(spec.parameters) - 1)
    else:
        words, options = specs.split(rest, options=spec.takes_options)
    at = options.pop("at", None) if spec.takes_at else None
    if at is not None and not (at.isascii() and at.isdigit() and len(at) <= 9):
        raise Refused(Code.BAD_ARGUMENT, "at= needs the number of an event, such as at=58.")
    if options and not spec.open_options:
        _check_options(spec, options)
    return Request(
        verb=spec.verb,
        words=words,
        arguments=specs.read(spec, words, machine=machine),
        options=options,
        id=number,
        at=None if at is None else int(at),
    )


def _check_options(spec: specs.CommandSpec, options: Mapping[str, str]) -> None:
    """Refuse options that the command does not have; their values are checked elsewhere."""
    names = [*[option.name for option in spec.options], *(FIELDS if spec.rule_options else ())]
    for key in options:
        if key not in names:
            code, hint = Code.BAD_ARGUMENT, f"Usage: {specs.usage(spec)}"
            if spec.rule_options:
                code, hint = Code.BAD_OPTION, f"To see its options, type: help {spec.verb}"
            if near := alike(key[:32], names):
                hint = f"Did you mean {near[0]}=?"
            raise Refused(code, f"{spec.verb} has no option {quoted(key)}. {hint}")
