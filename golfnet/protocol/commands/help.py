"""Pages of help, made from the manual and from the tables of commands, options, settings and error codes.

What stays true: every command, topic, option, setting and code has a page; a word that is several of these gets all
of their pages as one. Lines are ASCII and have at most ``WIDTH`` columns; no line is blank at its end.
"""

import difflib
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from golfnet.engine.options import FIELDS
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands import settings
from golfnet.protocol.commands.catalog import (
    COMMANDS,
    SHORT_FORMS,
    SIGNS,
    quoted,
    resolve,
    shortest,
    verbs_of,
)
from golfnet.protocol.commands.manual import TOPICS, Block, HelpPage, Manual, plain_word
from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, usage
from golfnet.protocol.errors import BYE_ONLY, Code, Refused

WIDTH: Final = 78
"""Columns of a page: a sign and a space before each line leave it within 80."""


def help_page(word: str | None, manual: Manual, variants: Iterable[str] = VARIANTS) -> list[str]:
    """Return the help on a word, or where to begin; ``variants`` are the rule sets of this server.

    Raises ``Refused`` with the nearest word there is help on.
    """
    if word is None or not word.strip():
        return _overview()
    wanted = plain_word(word)
    pages = list(_pages(wanted, manual, variants)) or list(_pages(_whole_verb(wanted), manual, variants))
    if not pages:
        raise Refused(Code.BAD_ARGUMENT, _no_help(word, wanted, variants))
    return [line for number, page in enumerate(pages) for line in (["", *page] if number else page)]


def words(variants: Iterable[str] = VARIANTS) -> list[str]:
    """Return every word there is help on, but for other names of topics."""
    fields = [name for name in (*FIELDS, *_TABLE_OPTIONS, *settings.SETTINGS) if name not in TOPICS]
    return list(dict.fromkeys([*COMMANDS, "commands", *TOPICS, *fields, *variants, *Code]))


def _overview() -> list[str]:
    return [
        "This is Golf, the card game: the lowest total wins. You play at a table.",
        "",
        "What to type first",
        *_columns(
            [
                ("name Ann", "come in as Ann"),
                ("tables", "see who plays; join t1 sits you down at table t1"),
                ("seek six-card", "or play with whoever comes"),
                ("create six-card", "or open a table of your own; bot fills a seat, start begins"),
                ("rules six-card", "read the rules; variants lists all rule sets"),
            ]
        ),
        "",
        "At a table you are told what you can do, such as draw or take 3.",
        "",
        "Commands (help and the command explains it, help commands lists them all)",
        *_columns([(group.value, " ".join(verbs_of(group))) for group in Group]),
        "",
        *_wrapped(f"Topics (help and the topic): {', '.join(TOPICS)}"),
    ]


def _pages(word: str, manual: Manual, variants: Iterable[str]) -> Iterator[list[str]]:
    """Yield each page that a word in its plain form has."""
    if word == "commands":
        yield _command_list()
    if word in COMMANDS:
        yield _command_page(COMMANDS[word], manual.commands[word])
    if word in manual.topic_names:
        yield _topic_page(manual.topics[manual.topic_names[word]])
    yield from _option_pages(word)
    if word in settings.SETTINGS:
        yield [line for text in settings.help_lines(word) for line in _wrapped(text)]
    if word.upper().replace("-", "_") in Code.__members__:
        yield _code_page(Code[word.upper().replace("-", "_")])
    if word in variants:
        yield _wrapped(
            f"{word} is a rule set: rules {word} prints its rules, create {word} opens a table for it."
        )


def _command_list() -> list[str]:
    lines = ["Commands (in capitals what you put in, in brackets what may be left out)"]
    for group in Group:
        lines += [
            "",
            group.value,
            *_columns([(_listed(COMMANDS[verb]), COMMANDS[verb].summary) for verb in verbs_of(group)]),
        ]
    return lines


def _command_page(spec: CommandSpec, page: HelpPage) -> list[str]:
    lines = [*_wrapped(usage(spec), hang=4), "", *_wrapped(f"{spec.summary[0].upper()}{spec.summary[1:]}.")]
    for paragraph in page.paragraphs:
        lines += ["", *_wrapped(paragraph)]
    if spec.options:
        rows = [(f"{option.name}={option.label}", option.meaning) for option in spec.options]
        lines += [
            "",
            "Options",
            *_columns([*rows, *([("RULE=VALUE", "see help options")] * spec.rule_options)]),
        ]
    lines += ["", "Examples", *_columns(list(page.rows))]
    lines += ["", *_wrapped(f"When: {spec.where[0].lower()}{spec.where[1:]}")]
    if (short := _short(spec)) != spec.verb:
        lines += _wrapped(f"Short: {short}.")
    return [*lines, *_see(page.see)]


def _topic_page(page: HelpPage) -> list[str]:
    lines = [page.title]
    for block in page.blocks:
        lines += ["", *_block(block)]
    return [*lines, *_see(page.see)]


def _option_pages(word: str) -> Iterator[list[str]]:
    name = word.replace("-", "_")
    if name in FIELDS:
        field = FIELDS[name]
        lines = [*_wrapped(f"{name}=VALUE, an option of create and seek"), "", *_wrapped(field.meaning)]
        lines += _wrapped(f"VALUE is {field.takes}.")
        yield [*lines, *_columns(list(field.words.items()))]
    if name in _TABLE_OPTIONS:
        option = _TABLE_OPTIONS[name]
        yield _wrapped(f"{name}={option.label}, an option of {_takers(name)}: {option.meaning}.")


def _code_page(code: Code) -> list[str]:
    if code in BYE_ONLY:
        advice = (
            "It makes sense to connect again." if code.retry else "Connecting again at once does not help."
        )
        return [f"{code} ends a connection.", "", *_wrapped(f"{code.meaning} {advice}")]
    advice = "may be accepted later" if code.retry else "will not be accepted either: change it"
    return [f"{code} refuses a command.", "", *_wrapped(f"{code.meaning} The same line {advice}.")]


def _table_options() -> list[str]:
    return _columns([(f"{name}={option.label}", option.meaning) for name, option in _TABLE_OPTIONS.items()])


def _rule_options() -> list[str]:
    return _columns(
        [
            (f"{name}=", f"{field.meaning} {field.takes[0].upper()}{field.takes[1:]}.")
            for name, field in FIELDS.items()
        ]
    )


def _codes(*, closing: bool) -> list[str]:
    return _columns([(code.value, code.meaning) for code in Code if (code in BYE_ONLY) == closing])


LISTS: Final[Mapping[str, Callable[[], list[str]]]] = {
    "[table options]": _table_options,
    "[rule options]": _rule_options,
    "[short forms]": lambda: _columns(list(SHORT_FORMS.items())),
    "[error codes]": lambda: _codes(closing=False),
    "[closing codes]": lambda: _codes(closing=True),
    "[settings]": lambda: [line for text in settings.help_lines() for line in _wrapped(text)],
}
"""Lists that the manual may ask for, made from the table where each is kept."""

_TABLE_OPTIONS: Final[dict[str, CommandOption]] = {
    option.name: option for verb in ("create", "join", "seek") for option in COMMANDS[verb].options
}


def _takers(name: str) -> str:
    return " and ".join(
        [spec.verb for spec in COMMANDS.values() if any(o.name == name for o in spec.options)]
    )


def _listed(spec: CommandSpec) -> str:
    """Return a usage line short enough for a list: options are left to the command's own page."""
    return usage(spec).split(" [", 1)[0] + " ..." if spec.options else usage(spec)


def _short(spec: CommandSpec) -> str:
    signs = [short for short in spec.short if short in SIGNS]
    return " or ".join([*([shortest(spec)] if shortest(spec) != spec.verb or not signs else []), *signs])


def _see(pages: tuple[str, ...]) -> list[str]:
    return ["", *_wrapped(f"See also: help {', help '.join(pages)}")] if pages else []


def _block(block: Block) -> list[str]:
    if not isinstance(block, str):
        return _columns(list(block))
    if block in LISTS:
        return LISTS[block]()
    return block.split("\n") if block.startswith("  ") else _wrapped(block)


def _wrapped(text: str, *, hang: int = 0) -> list[str]:
    indent = " " * (len(text) - len(text.lstrip(" ")))
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="",
        subsequent_indent=indent + " " * hang,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    """Return rows of two columns; a first column that is too wide has its line to itself."""
    width = max([len(first) for first, _ in rows if len(first) <= _WIDEST], default=0)
    lines = []
    for first, second in rows:
        indent = " " * (width + 4)
        wrapped = textwrap.wrap(second, WIDTH - len(indent), break_on_hyphens=False)
        if len(first) > width:
            lines += [f"  {first}", *[indent + line for line in wrapped]]
        else:
            lines += [f"  {first:<{width}}  {wrapped[0]}", *[indent + line for line in wrapped[1:]]]
    return lines


_WIDEST: Final = 26


def _whole_verb(word: str) -> str:
    """Return the verb of a short form or a beginning, the word itself where it is none."""
    try:
        return resolve(word, machine=False).verb
    except Refused:
        return word


def _no_help(word: str, wanted: str, variants: Iterable[str]) -> str:
    known = {plain_word(each): each for each in words(variants)}
    near = difflib.get_close_matches(wanted[:32], known, n=1, cutoff=0.6)
    hint = f"Did you mean help {known[near[0]]}?" if near else "help alone shows where to begin."
    return f"There is no help on {quoted(word)}. {hint}"
