"""Completion of a line that is being typed, from the table of commands.

Invariants: a completion begins with what was typed, ignoring case; ``parse`` accepts the completed line, or a line that
begins with it. Play commands are completed only to lines that the server offers.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from golfnet.engine.forms import SWITCH, FormField
from golfnet.engine.layout import MAX_SEATS
from golfnet.engine.notation import SEAT_LETTERS
from golfnet.engine.options import FIELDS
from golfnet.protocol.commands.catalog import COMMANDS, resolve
from golfnet.protocol.commands.help import words as help_words
from golfnet.protocol.commands.settings import SETTINGS
from golfnet.protocol.commands.specs import CommandSpec, Group, Kind, Where
from golfnet.protocol.errors import Refused
from golfnet.protocol.replies.replies import Offer, offer_of


class Context(Struct, frozen=True, kw_only=True):
    """What a client knows: the names that a line may contain, and the play commands allowed now (``offer``)."""

    variants: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    offer: Offer = offer_of(())
    seats: int = MAX_SEATS
    seated: bool = False


class Completion(Struct, frozen=True, kw_only=True):
    """``text`` can replace the line from ``start`` to its end; ``meaning`` is shown next to it."""

    text: str
    start: int
    meaning: str = ""


def complete(text: str, context: Context) -> list[Completion]:
    """Return the completions of the last word of a line, the most likely ones first."""
    start = text.rfind(" ") + 1
    before, word = text[:start].split(), text[start:]
    if not before:
        offers = [*_lines(context), *_verbs(context)]
    else:
        try:
            spec = resolve(before[0], machine=False)
        except Refused:
            return []
        offers = list(_arguments(spec, before[1:], word, context))
    fitting = {
        offer: meaning
        for offer, meaning in offers
        if offer != word and offer.lower().startswith(word.lower())
    }
    return [Completion(text=offer, start=start, meaning=meaning) for offer, meaning in fitting.items()]


_Offer = tuple[str, str]
"""A possible text, and its meaning."""


def _positions(spec: CommandSpec) -> int:
    return sum(parameter.kind is Kind.POSITION for parameter in spec.parameters)


def _lines(context: Context) -> Iterator[_Offer]:
    """Yield the play commands that may be sent now; a command that still needs positions ends with a space."""
    for verb, lines in context.offer.arguments.items():
        spec = COMMANDS.get(verb)
        for words in lines:
            needs_more = spec is not None and not words and _positions(spec) > 0
            yield " ".join([verb, *words]) + " " * needs_more, spec.summary if spec is not None else ""


def _verbs(context: Context) -> Iterator[_Offer]:
    """Yield the verbs that can be used now, except play commands, which ``_lines`` yields."""
    useless = {Where.LOBBY, Where.STRANGER, Where.UNSEATED} if context.seated else {Where.SEATED, Where.HOST}
    for spec in COMMANDS.values():
        if spec.group is Group.PLAY or spec.text_only or spec.for_programs:
            continue
        if spec.where not in useless:
            needs_more = any(not parameter.optional for parameter in spec.parameters)
            yield spec.verb + " " * needs_more, spec.summary


def _arguments(spec: CommandSpec, before: list[str], word: str, context: Context) -> Iterator[_Offer]:
    if spec.group is Group.PLAY:
        yield from _continued(spec, before, context)
        return
    given = [each.partition("=")[0].lower() for each in before if spec.takes_options and "=" in each]
    if spec.takes_options and "=" in word:
        yield from _option_values(spec, word.partition("=")[0])
        return
    place = len(before) - len(given)
    if place < len(spec.parameters):
        yield from _words(spec.parameters[place].kind, before, context)
    if place == len(spec.parameters):
        yield from [(f"{name}=", meaning) for name, meaning in _options(spec) if name not in given]


def _continued(spec: CommandSpec, before: list[str], context: Context) -> Iterator[_Offer]:
    """Yield the next words of the play commands that begin with what was typed."""
    typed = tuple([each.lower() for each in before])
    for words in context.offer.arguments.get(spec.verb, ()):
        if words[: len(typed)] == typed and len(words) > len(typed):
            yield words[len(typed)], ""
        elif not words and len(typed) < _positions(spec):
            yield from _plain([target for target in context.offer.targets if target.lower() not in typed])


def _words(kind: Kind, before: list[str], context: Context) -> Iterable[_Offer]:
    match kind:
        case Kind.SETTING:
            return [(setting.name, setting.meaning) for setting in SETTINGS.values()]
        case Kind.VALUE if before[0].lower() in SETTINGS:
            return _values(SETTINGS[before[0].lower()])
        case Kind.TOPIC:
            return _plain([each.replace(" ", "-") for each in help_words(context.variants)])
        case _:
            return _plain(_named(kind, context))


def _named(kind: Kind, context: Context) -> Sequence[str]:
    return {
        Kind.VARIANT: context.variants,
        Kind.TABLE: context.tables,
        Kind.MATCH: context.matches,
        Kind.PLAYER: context.players,
        Kind.LEVEL: context.levels,
        Kind.SEAT: SEAT_LETTERS[: context.seats],
        Kind.OCCUPANT: (*SEAT_LETTERS[: context.seats], *context.players),
        Kind.SWITCH: _ON_OFF,
    }.get(kind, ())


def _options(spec: CommandSpec) -> Iterator[_Offer]:
    yield from [(option.name, option.meaning) for option in spec.options]
    if spec.rule_options:
        yield from [(field.name, field.meaning) for field in FIELDS.values()]


def _option_values(spec: CommandSpec, name: str) -> Iterator[_Offer]:
    key = name.lower()
    values: Iterable[_Offer] = ()
    for option in spec.options:
        if option.name == key:
            values = _plain(option.words)
    if spec.rule_options and key in FIELDS:
        values = _values(FIELDS[key])
    yield from [(f"{name}={value}", meaning) for value, meaning in values]


def _values(field: FormField[Any]) -> Iterable[_Offer]:
    return field.words.items() or _plain(_ON_OFF if field.read is SWITCH.read else ())


def _plain(names: Iterable[str]) -> list[_Offer]:
    return [(name, "") for name in names]


_ON_OFF: Final = ("on", "off")
"""The values of an option or setting that can only be on or off."""
