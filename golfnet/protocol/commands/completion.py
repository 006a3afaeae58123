"""Completion of a line that is being typed, from the table of commands.

Invariants: a completion begins with what was typed, ignoring case; ``parse`` accepts the completed line, or a line that
begins with it. Play commands are completed only to lines that the server offers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from golfnet.engine.forms import SWITCH, ValueForm
from golfnet.engine.options import FIELDS
from golfnet.protocol.commands.catalog import COMMANDS, resolve
from golfnet.protocol.commands.help import words as help_words
from golfnet.protocol.commands.settings import SETTINGS
from golfnet.protocol.commands.specs import CommandSpec, Group, Kind, Where
from golfnet.protocol.errors import Refused
from golfnet.protocol.names import LEVELS
from golfnet.protocol.replies.replies import Offer, offer_of


class Context(Struct, frozen=True, kw_only=True):
    """What a client knows: the names that a line may contain, and the play commands allowed now (``offer``)."""

    names: Mapping[Kind, Sequence[str]]
    offer: Offer = offer_of(())
    seated: bool = False


def complete(text: str, context: Context) -> dict[str, str]:
    """Return what can replace the last word of a line, the most likely text first, each with its meaning."""
    head, _, word = text.rpartition(" ")
    typed = head.split()
    if not typed:
        offers = [*_lines(context), *_verbs(context)]
    else:
        try:
            spec = resolve(typed[0], machine=False)
        except Refused:
            return {}
        offers = list(_arguments(spec, typed[1:], word, context))
    return {
        offer: meaning
        for offer, meaning in offers
        if offer != word and offer.lower().startswith(word.lower())
    }


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
            yield " ".join([verb, *words]) + " " * needs_more, "" if spec is None else spec.summary


def _verbs(context: Context) -> Iterator[_Offer]:
    """Yield the verbs that can be used now, except play commands, which ``_lines`` yields."""
    useless = {Where.LOBBY, Where.STRANGER, Where.UNSEATED} if context.seated else {Where.SEATED, Where.HOST}
    for spec in COMMANDS.values():
        is_typed = not (spec.group is Group.PLAY or spec.text_only or spec.for_programs)
        if is_typed and spec.where not in useless:
            needs_more = any(not parameter.optional for parameter in spec.parameters)
            yield spec.verb + " " * needs_more, spec.summary


def _arguments(spec: CommandSpec, before: list[str], word: str, context: Context) -> Iterator[_Offer]:
    given = [each.partition("=")[0].lower() for each in before if spec.takes_options and "=" in each]
    place = len(before) - len(given)
    if spec.group is Group.PLAY:
        yield from _continued(spec, before, context)
    elif spec.takes_options and "=" in word:
        for name, _, values in _options(spec):
            yield from [(f"{name}={value}", meaning) for value, meaning in values]
    elif place < len(spec.parameters):
        yield from _words(spec.parameters[place].kind, before, context)
    elif place == len(spec.parameters):
        yield from [(f"{name}=", meaning) for name, meaning, _ in _options(spec) if name not in given]


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
            return _plain(
                [each.replace(" ", "-") for each in help_words(context.names.get(Kind.VARIANT, ()))]
            )
        case Kind.OCCUPANT:
            return [*_words(Kind.SEAT, before, context), *_words(Kind.PLAYER, before, context)]
        case _:
            return _plain({**_FIXED, **context.names}.get(kind, ()))


def _options(spec: CommandSpec) -> Iterator[tuple[str, str, Iterable[_Offer]]]:
    """Yield the name, the meaning and the values of each option."""
    yield from [(option.name, option.meaning, _plain(option.words)) for option in spec.options]
    if spec.rule_options:
        yield from [(field.name, field.meaning, _values(field)) for field in FIELDS.values()]


def _values(field: ValueForm[Any]) -> Iterable[_Offer]:
    return field.words.items() or _plain(_ON_OFF if field.read is SWITCH.read else ())


def _plain(names: Iterable[str]) -> list[_Offer]:
    return [(name, "") for name in names]


_ON_OFF: Final = ("on", "off")
"""The values of an option or setting that can only be on or off."""

_FIXED: Final = {Kind.LEVEL: LEVELS, Kind.SWITCH: _ON_OFF}
"""The words of those kinds that do not depend on what a client knows."""
