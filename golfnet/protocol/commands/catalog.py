"""Every command by its verb, and what a person may type instead of the whole verb.

Invariants: the verb that ``resolve`` returns for a word never depends on the table or the state of play. A prefix
that fits two commands is refused; short forms are deliberate exceptions, and ``help short`` lists them all.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from golfnet.engine.notation import alike, listed
from golfnet.protocol.commands.specs import CommandSpec, Group
from golfnet.protocol.commands.verbs import VERBS
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text

COMMANDS: Final[Mapping[str, CommandSpec]] = MappingProxyType({spec.verb: spec for spec in VERBS})
"""Every command by its verb, in the order in which they are listed."""

SHORT_FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {short: spec.verb for spec in COMMANDS.values() for short in spec.short}
)
"""Verbs by their short forms, which only text mode accepts."""

SIGNS: Final = frozenset(short for short in SHORT_FORMS if not short.isalnum())
"""Short forms that need no space after them."""


def resolve(word: str, *, machine: bool) -> CommandSpec:
    """Return the command for the first word of a line.

    Machine mode accepts whole verbs, text mode also short forms and unambiguous prefixes. Raise ``Refused`` with the
    nearest verb or, for an ambiguous prefix, all verbs that begin with it.
    """
    verb = word.lower()
    spec = COMMANDS.get(verb)
    if spec is not None:
        if not (machine and spec.text_only):
            return spec
        raise Refused(
            Code.UNKNOWN_VERB, f"{verb} is only for people in text mode; look gives a program the whole view."
        )
    if not machine:
        if verb in SHORT_FORMS:
            return COMMANDS[SHORT_FORMS[verb]]
        fitting = _BEGINNINGS.get(verb, ())
        if len(fitting) == 1:
            return COMMANDS[fitting[0]]
        if fitting:
            raise Refused(
                Code.UNKNOWN_VERB, f"{verb} could be {listed(fitting, 'or')}. Type more of the word."
            )
    near = nearest(word)
    hint = f"Did you mean {near}?" if near else _HINTS.get(verb, "Type help for a list of commands.")
    raise Refused(Code.UNKNOWN_VERB, f"There is no command {quoted(word)}. {hint}")


def verbs_of(group: Group) -> tuple[str, ...]:
    """Return the verbs of one group."""
    return tuple([spec.verb for spec in COMMANDS.values() if spec.group is group])


def nearest(word: str) -> str | None:
    """Return the most likely verb for a mistyped or unknown word, or None if none is close."""
    verb = word.lower()
    if verb in _INSTEAD:
        return _INSTEAD[verb]
    if len(verb) > _LONGEST:
        return None
    near = alike(verb, COMMANDS, cutoff=0.66)
    return near[0] if near else None


def quoted(word: str) -> str:
    """Return a peer's text in quotes, short and clean enough to be shown in a sentence."""
    shown = clean_text(word)
    return f"'{shown[:_SHOWN]}...'" if len(shown) > _SHOWN else f"'{shown}'"


def shortest(spec: CommandSpec) -> str:
    """Return the shortest word that text mode accepts for a command."""
    beginnings = [word for word, verbs in _BEGINNINGS.items() if verbs == (spec.verb,)]
    words = [short for short in spec.short if short not in SIGNS]
    return min([spec.verb, *beginnings, *words], key=len)


def _beginnings() -> Mapping[str, tuple[str, ...]]:
    """Return the verbs that begin with each prefix, except for prefixes that are verbs or short forms themselves."""
    fitting: dict[str, tuple[str, ...]] = {}
    for spec in COMMANDS.values():
        if spec.abbreviated:
            for length in range(1, len(spec.verb)):
                beginning = spec.verb[:length]
                fitting[beginning] = (*fitting.get(beginning, ()), spec.verb)
    return {
        word: verbs for word, verbs in fitting.items() if word not in COMMANDS and word not in SHORT_FORMS
    }


_BEGINNINGS: Final = _beginnings()
_INSTEAD: Final = {
    word: spec.verb for spec in COMMANDS.values() for word in (*spec.instead.split(), *spec.short)
}
_HINTS: Final = {"undo": "A card that is played stays played."}
_LONGEST: Final = 20  # A longer word is not a mistyped verb, and comparing long words is slow.
_SHOWN: Final = 24
