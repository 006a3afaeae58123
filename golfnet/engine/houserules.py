"""House rules: a named rule set written in TOML as a base and the differences from it.

Only data: such a file can do nothing that the options of a table cannot. Every error names the key. Finding and reading
files is not part of this module.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from golfnet.engine.errors import RuleError
from golfnet.engine.options import override
from golfnet.engine.rules import RuleSet
from golfnet.engine.toml import BadToml, load

NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,30}")
"""What a rule set may be called: a word that can be typed in a command."""

MAX_TEXT: Final = 400
"""Characters of a title or note at the most: a note is a sentence or two, not a page."""


def parse_house_rules(text: str, known: Mapping[str, RuleSet]) -> RuleSet:
    """Return the rule set of a TOML text; raises ``RuleError`` with the key that is wrong.

    Keys are ``name``, ``base`` (one of ``known``), any options as TOML values or as text, and for people ``title``
    and ``notes``. The name must not be known yet.
    """
    try:
        keys = load(text)
    except BadToml as error:
        raise RuleError("TOML", str(error)) from None
    name = _name(keys.pop("name", None), known)
    base = keys.pop("base", None)
    if not isinstance(base, str) or base not in known:
        raise RuleError("base", f"one of {', '.join(known)}; {_not(base)}")
    title = _line("title", keys.pop("title", name.replace("-", " ").title()))
    notes = keys.pop("notes", [])
    if not isinstance(notes, list):
        raise RuleError("notes", f"a list of sentences; {_not(notes)}")
    sentences = tuple([_line("notes", note) for note in notes])
    named = replace(known[base], name=name, title=title, notes=(*known[base].notes, *sentences))
    return override(named, keys)


def _name(name: Any, known: Mapping[str, RuleSet]) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RuleError("name", f"2 to 31 of a-z, 0-9 and -, starting with a letter; {_not(name)}")
    if name in known:
        raise RuleError("name", f"a name that no other rule set has, not {name!r}")
    return name


def _line(key: str, text: Any) -> str:
    if not isinstance(text, str) or not 1 <= len(text) <= MAX_TEXT or not text.isprintable():
        raise RuleError(key, f"one line of 1 to {MAX_TEXT} printable characters; {_not(text)}")
    return text


def _not(value: Any) -> str:
    return "it is missing" if value is None else f"not {value!r}"
