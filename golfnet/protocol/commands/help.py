"""Help pages, made from the manual and from the tables of commands, options, settings and error codes.

Invariants: every command, topic, option, setting and code has a page. If a word has several pages, for example as a
command and as a topic, help shows them all. For any other word, help finds the pages that may be meant. Lines are
ASCII, and fit the width of the reader's window.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from golfnet.engine.forms import alike, listed
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
from golfnet.protocol.commands.pages import (
    TOPICS,
    Block,
    Hanging,
    HelpPage,
    Manual,
    PageLayout,
    plain_word,
)
from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, usage
from golfnet.protocol.errors import BYE_ONLY, Code, Refused

FOR_PROGRAMS: Final = PageLayout()


def help_page(
    word: str, manual: Manual, variants: Iterable[str] = VARIANTS, layout: PageLayout = FOR_PROGRAMS
) -> list[str]:
    """Return the help on a word, or an overview, as lines; ``variants`` are the rule sets of this server.

    For a word without a page, return the page that may be meant, or a list of pages if there are several. If there is
    none, raise ``Refused`` with the nearest words that have a page.
    """
    return layout.lines(_blocks(word, manual, variants))


def _blocks(word: str, manual: Manual, variants: Iterable[str]) -> list[Block]:
    wanted = plain_word(word)
    if not word.strip() or wanted in _THE_GAME:
        return _overview()
    found = _synonyms(wanted, manual, variants)
    pages = list(_pages(wanted, manual, variants)) or list(_pages(_whole_verb(wanted), manual, variants))
    if pages:
        topics = manual.topic_names
        shown = {wanted, _whole_verb(wanted), topics.get(wanted), *variants}
        others = [each for each in found if topics.get(each, each) not in shown]
        if others := [each for each in others if not _is_named(each, pages)]:
            pages[-1] += ["", f"See also: help {', help '.join(others)}"]
    else:
        found = found or _mentions(wanted, manual)
        if len(found) > 1:
            rows = tuple([(f"help {title}", about) for title, about in list(found.items())[:_MOST_FOUND]])
            return [f"Pages about {quoted(word)}:", "", rows]
        pages = [page for title in found for page in _pages(plain_word(title), manual, variants)]
    if not pages:
        raise Refused(Code.BAD_ARGUMENT, _no_help(word, wanted, manual, variants))
    return [block for number, page in enumerate(pages) for block in (["", *page] if number else page)]


def _is_named(title: str, pages: list[list[Block]]) -> bool:
    names = re.compile(rf"help {re.escape(title)}(?:$|,)")
    return any(isinstance(block, str) and names.search(block) for page in pages for block in page)


def words(variants: Iterable[str] = VARIANTS) -> list[str]:
    """Return every word that has a page, except for topics' aliases."""
    fields = [name for name in (*FIELDS, *_TABLE_OPTIONS, *settings.SETTINGS) if name not in TOPICS]
    return list(dict.fromkeys([*COMMANDS, "commands", *TOPICS, *fields, *variants, *Code]))


def _overview() -> list[Block]:
    return [
        "This is Golf, the card game: the lowest total wins. You play at a table.",
        "",
        "What to type first",
        (
            ("name Ann", "take the name Ann"),
            ("play", "play with whoever is here, or else with a bot"),
            ("tables", "see who is playing; join t1 sits you down at table t1"),
            ("create six-card", "or open your own table; bot adds a bot, start begins"),
            ("rules six-card", "read the rules; variants lists all rule sets"),
        ),
        "",
        "At a table you are always told what you can type, such as draw or take 3.",
        "",
        f"How lines begin: {settings.SIGNS_IN_SHORT}.",
        "",
        "Commands (type help and a command to read about it, or help commands)",
        tuple([(group.value, " ".join(verbs_of(group))) for group in Group]),
        "",
        f"Topics (type help and a topic): {', '.join(TOPICS)}",
    ]


def _pages(word: str, manual: Manual, variants: Iterable[str]) -> Iterator[list[Block]]:
    """Yield each page about a word, given its plain form."""
    if word == "commands":
        yield _command_list()
    if word in COMMANDS:
        yield _command_page(COMMANDS[word], manual.commands[word])
    if word in manual.topic_names:
        yield _topic_page(manual.topics[manual.topic_names[word]])
    name = word.replace("-", "_")
    if name in FIELDS:
        field = FIELDS[name]
        takers = listed([spec.verb for spec in COMMANDS.values() if spec.rule_options])
        head = [f"{name}=VALUE, an option of {takers}", "", field.meaning, f"VALUE is {field.takes}."]
        yield [*head, tuple(field.words.items())]
    if name in _TABLE_OPTIONS:
        option = _TABLE_OPTIONS[name]
        yield [f"{name}={option.label}, an option of {listed(_takers(name))}: {option.meaning}."]
    if word in settings.SETTINGS:
        yield settings.help_blocks(word)
    if (code := Code.__members__.get(word.upper().replace("-", "_"))) is not None:
        yield _code_page(code)
    if word in variants:
        yield [f"{word} is a rule set: rules {word} prints its rules, create {word} opens a table for it."]


def _command_list() -> list[Block]:
    blocks: list[Block] = ["Commands (replace words in capitals; what is in brackets is optional)"]
    for group in Group:
        rows = tuple([(_listed(COMMANDS[verb]), COMMANDS[verb].summary) for verb in verbs_of(group)])
        blocks += ["", group.value, rows]
    return blocks


def _command_page(spec: CommandSpec, page: HelpPage) -> list[Block]:
    blocks: list[Block] = [Hanging(usage(spec)), "", f"{_capital(spec.summary)}."]
    blocks += [block for paragraph in page.paragraphs for block in ("", paragraph)]
    if spec.options:
        rows = [(f"{option.name}={option.label}", option.meaning) for option in spec.options]
        blocks += ["", "Options", (*rows, *([("RULE=VALUE", "see help options")] * spec.rule_options))]
    blocks += ["", "Examples", page.rows, "", f"When: {spec.where[0].lower()}{spec.where[1:]}"]
    if (short := _short(spec)) != spec.verb:
        blocks.append(f"Short: {short}.")
    return [*blocks, *_see(page.see)]


def _topic_page(page: HelpPage) -> list[Block]:
    blocks: list[Block] = [page.title]
    for block in page.blocks:
        listed = LISTS[block]() if isinstance(block, str) and block in LISTS else [block]
        blocks += ["", *listed]
    return [*blocks, *_see(page.see)]


def _code_page(code: Code) -> list[Block]:
    if code in BYE_ONLY:
        advice = "You can connect again." if code.retry else "Connecting again at once does not help."
        return [f"The code {code} ends a connection.", "", f"{code.meaning} {advice}"]
    advice = "may be accepted later" if code.retry else "will be refused again: change it"
    return [f"The code {code} refuses a command.", "", f"{code.meaning} The same line {advice}."]


def _codes(*, closing: bool) -> list[Block]:
    return [tuple([(code.value, code.meaning) for code in Code if (code in BYE_ONLY) == closing])]


LISTS: Final[Mapping[str, Callable[[], list[Block]]]] = {
    "[table options]": lambda: [
        tuple(
            [
                (f"{o.name}={o.label}", f"{o.meaning} ({', '.join(_takers(o.name))})")
                for o in _TABLE_OPTIONS.values()
            ]
        )
    ],
    "[rule options]": lambda: [
        tuple([(f"{name}=", f"{field.meaning} {_capital(field.takes)}.") for name, field in FIELDS.items()])
    ],
    "[short forms]": lambda: [tuple(SHORT_FORMS.items())],
    "[error codes]": lambda: _codes(closing=False),
    "[closing codes]": lambda: _codes(closing=True),
    "[settings]": settings.help_blocks,
}
"""Lists that the manual can include, generated from their tables."""

_TABLE_OPTIONS: Final[dict[str, CommandOption]] = {
    option.name: option for verb in ("create", "join", "seek") for option in COMMANDS[verb].options
}


def _takers(option: str) -> list[str]:
    """Return the commands that have an option."""
    return [spec.verb for spec in COMMANDS.values() if any(o.name == option for o in spec.options)]


def _listed(spec: CommandSpec) -> str:
    """Return a command's usage line for a list, without the options: they are on the command's page."""
    return usage(spec).split(" [", 1)[0] + " ..." if spec.options else usage(spec)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _short(spec: CommandSpec) -> str:
    signs = [short for short in spec.short if short in SIGNS]
    return " or ".join([*([shortest(spec)] if shortest(spec) != spec.verb or not signs else []), *signs])


def _see(pages: tuple[str, ...]) -> list[Block]:
    return ["", f"See also: help {', help '.join(pages)}"] if pages else []


def _whole_verb(word: str) -> str:
    try:
        return resolve(word, machine=False).verb
    except Refused:
        return word


def _synonyms(word: str, manual: Manual, variants: Iterable[str]) -> dict[str, str]:
    """Return the subjects, by title, of all pages that have a word, in singular or plural, as an alias or a value."""
    forms = {word, f"{word}s", word.removesuffix("s")}
    known = [
        *[
            (verb, spec.summary, {*map(plain_word, _values(spec)), *manual.commands[verb].names})
            for verb, spec in COMMANDS.items()
        ],
        *[(name, page.title, {plain_word(name), *page.names}) for name, page in manual.topics.items()],
        *[
            (name, form.meaning, {*map(plain_word, (name, *form.words))})
            for name, form in (*FIELDS.items(), *settings.SETTINGS.items())
        ],
        *[(name, "a rule set", set(name.split("-"))) for name in variants],
    ]
    return {title: about for title, about, names in known if forms & names}


def _values(spec: CommandSpec) -> list[str]:
    """Return what people type instead of a command, and the values of the options that only it has."""
    options = [option for option in spec.options if option.name not in _TABLE_OPTIONS]
    return [*spec.instead.split(), *[word for option in options for word in option.words]]


def _mentions(word: str, manual: Manual) -> dict[str, str]:
    """Return the subjects, by title, of all pages whose one-line description contains a word."""
    lines = {
        **{name: form.meaning for name, form in (*FIELDS.items(), *settings.SETTINGS.items())},
        **{name: page.title for name, page in manual.topics.items()},
        **{verb: spec.summary for verb, spec in COMMANDS.items()},
    }
    return {title: about for title, about in lines.items() if word in re.findall(r"[a-z]{3,}", about.lower())}


def _no_help(word: str, wanted: str, manual: Manual, variants: Iterable[str]) -> str:
    """Return an error message with the nearest words; error codes are suggested only for words that look like one."""
    names = {plain_word(each): each for each in Code} if "_" in word or word.isupper() else {}
    kinds = [
        *[
            {plain_word(each): each for each in kind}
            for kind in (COMMANDS, FIELDS, settings.SETTINGS, variants)
        ],
        *(manual.topic_names, names),
    ]
    near = [kind[word] for kind in kinds for word in alike(wanted[:32], kind, cutoff=_NEAR)]
    hint = f"Did you mean {' or '.join([f'help {each}' for each in dict.fromkeys(near)])}?" if near else ""
    return f"There is no help on {quoted(word)}. {hint or 'To see what there is, type: help'}"


_THE_GAME: Final = ("golf", "golfnet", "game")
_MOST_FOUND: Final = 12  # The maximum number of pages in a list: a longer list would not help.
_NEAR: Final = 0.75  # Words that are at least this similar are probably misspellings of each other.
