"""Help pages: parsed from the files of the manual, and laid out for the width of the reader's window.

``golfnet.manual`` has the files and describes their syntax. Invariants: a manual has a page for every command and
topic; no line of a page is wider than the width, so that no other code has to wrap it; no line ends with spaces.
"""

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from golfnet.engine.forms import word
from golfnet.protocol.commands.catalog import COMMANDS

PAGE_WIDTH: Final = 78
"""The width of a page for programs, in columns: 80, minus the mark and the space before each line."""

Row = tuple[str, str]


class Hanging(Struct, frozen=True):
    """A paragraph whose lines after the first are indented."""

    text: str


Block = str | Hanging | tuple[Row, ...]
"""A paragraph, or a table of two columns.

An empty paragraph is an empty line. The lines of a paragraph that begins with two spaces are not joined.
"""


class PageLayout(Struct, frozen=True):
    """The width of a page, and whether it is for a screen reader, which needs no columns."""

    width: int = PAGE_WIDTH
    is_spoken: bool = False

    def lines(self, blocks: Iterable[Block]) -> list[str]:
        """Return blocks as lines."""
        return [line for block in blocks for line in self._block(block)]

    def _block(self, block: Block) -> list[str]:
        if isinstance(block, Hanging):
            return self._wrapped(block.text, further=_HANG)
        if isinstance(block, tuple):
            if self.is_spoken:
                return [line for first, second in block for line in self._wrapped(f"{first}: {second}")]
            return self._columns(block)
        if block.startswith("  "):
            return [piece for line in block.split("\n") for piece in self._as_it_stands(line)]
        if not block:
            return [] if self.is_spoken else [""]
        return self._wrapped(block)

    def _wrapped(self, text: str, *, first: str = "", further: str = "") -> list[str]:
        return textwrap.wrap(
            text, self.width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False
        )

    def _as_it_stands(self, line: str) -> list[str]:
        indent = " " * (len(line) - len(line.lstrip(" ")))
        return [line] if len(line) <= self.width else self._wrapped(line, further=f"{indent}  ")

    def _columns(self, rows: tuple[Row, ...]) -> list[str]:
        """Return a table as lines; the first cell of a row has its own line if it is wide or the page is narrow."""
        size = max([len(first) for first, _ in rows if len(first) <= _WIDEST_FIRST], default=0)
        if self.width - size - len(_HANG) < _LEAST_SECOND:
            size = 0
        indent = " " * (size + 4) if size else _HANG
        lines = []
        for first, second in rows:
            if len(first) <= size:
                lines += self._wrapped(second, first=f"  {first:<{size}}  ", further=indent)
            else:
                lines += self._wrapped(first, first="  ", further=_HANG)
                lines += self._wrapped(second, first=indent, further=indent)
        return lines


_HANG: Final = " " * 4
_WIDEST_FIRST: Final = 26
_LEAST_SECOND: Final = 36
"""The minimum width of the second column: a narrower one is hard to read."""


PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*(?:\.[A-Z_]+)?)(?::([^{}\n]+))?\}")
"""Matches ``{name}`` or ``{name:form}`` in a page: the name of a value, and how to write it."""


class ManualError(Exception):
    """A mistake in a file of the manual; the message names the file."""


def fill_in(text: str, values: Mapping[str, float], *, file: str) -> str:
    """Return a text with its placeholders filled in, or raise ``ManualError`` for an unknown name or form."""

    def value_of(found: re.Match[str]) -> str:
        name, form = found.groups("number")
        if name not in values:
            raise ManualError(f"{file}: no value has the name {name}")
        if "|" in form:
            one, many = form.split("|", 1)
            return f"{_plain(values[name])} {one if values[name] == 1 else many}"
        if form not in FORMS:
            raise ManualError(f"{file}: {form} is none of the forms {', '.join(FORMS)} and ONE|MANY")
        return FORMS[form](values[name])

    return PLACEHOLDER.sub(value_of, text)


def _plain(number: float) -> str:
    return f"{number:.15g}"


def _time(seconds: float, number: Callable[[int], str] = str) -> str:
    """Return a time in the largest unit that gives a whole number of at least two."""
    if 0 < seconds < 1:
        return f"{round(seconds * 1000)} ms"
    whole = math.ceil(seconds)
    for length, unit in _UNITS:
        if whole >= 2 * length and whole % length == 0:
            return f"{number(whole // length)} {unit}s"
    return f"{number(whole)} second{'s' * (whole != 1)}"


def _time_in_words(seconds: float) -> str:
    share = _share(seconds) if 0 < seconds < 1 else ""
    return f"{share} of a second" if share in _SHARES.values() else _time(seconds, word)


def _share(part: float) -> str:
    return _SHARES.get(part, f"{part:.0%}")


def _size(octets: float) -> str:
    return f"{_plain(octets / 1024**2)} MiB" if octets % 1024**2 == 0 else f"{round(octets / 1024)} KiB"


_DAY: Final = 24 * 3600
_UNITS: Final = ((30 * _DAY, "month"), (_DAY, "day"), (3600, "hour"), (60, "minute"))
_ORDINALS: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_SHARES: Final = {0.5: "half", 0.25: "a quarter", 0.75: "three quarters"}

FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "number": _plain,
    "words": lambda number: word(int(number)),
    "ordinal": lambda number: _ORDINALS.get(int(number), f"{_plain(number)}th"),
    "share": _share,
    "time": _time,
    "time in words": _time_in_words,
    "time of microseconds": lambda number: _time(number / 1e6),
    "limit": lambda seconds: _time(seconds) if seconds else "as long as you like",
    "size": _size,
}
"""How a value can be written in a sentence, by the name of the form.

Examples, in the order of the forms: ``3`` (also without a form), ``three``, ``third``, ``half``, ``2 minutes``, ``two
minutes``, ``80 ms``, ``2 minutes`` (or ``as long as you like`` for 0), ``256 KiB``. There is one more form:
``{name:line|lines}`` is the number with its noun in singular or plural.
"""


TOPICS: Final = (
    *("cards", "positions", "clock", "slam", "powers", "fair", "styles", "chat", "coming back"),
    *("rated", "telnet", "bots", "machine", "limits", "options", "short", "codes"),
)
"""Every topic, in the order in which they are listed."""


class HelpPage(Struct, frozen=True, kw_only=True):
    """One page: its title (a verb or a topic's heading), its aliases in plain form, its text, and related pages."""

    title: str
    names: tuple[str, ...] = ()
    blocks: tuple[str | tuple[Row, ...], ...] = ()
    see: tuple[str, ...] = ()

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The blocks that are text."""
        return tuple([block for block in self.blocks if isinstance(block, str)])

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all tables; on the page of a command, each row is an example: a line, and its effect."""
        return tuple([row for block in self.blocks if not isinstance(block, str) for row in block])


class Manual(Struct, frozen=True, kw_only=True):
    """Pages by verb and by topic; ``topic_names`` maps every alias, in plain form, to its topic."""

    commands: Mapping[str, HelpPage]
    topics: Mapping[str, HelpPage]
    topic_names: Mapping[str, str]


def read_manual(files: Mapping[str, str], values: Mapping[str, float]) -> Manual:
    """Return the manual with a server's values in its text.

    ``files`` are texts by name, such as ``topics/fair``. Raise ``ManualError`` for a mistake in one of them.
    """
    commands: dict[str, HelpPage] = {}
    topics: dict[str, HelpPage] = {}
    for file, text in files.items():
        folder, _, name = file.partition("/")
        pages = list(_pages(fill_in(text, values, file=file), file))
        if folder == "commands":
            commands |= {page.title: page for page in pages}
        else:
            topics |= {name.replace("-", " "): page for page in pages}
    for known, found in ((COMMANDS, commands), (TOPICS, topics)):
        if odd := set(known) ^ set(found):
            raise ManualError(
                f"golfnet/manual has a page for each command and topic, and no other: {', '.join(sorted(odd))}"
            )
    return Manual(
        commands={verb: commands[verb] for verb in COMMANDS},
        topics={name: topics[name] for name in TOPICS},
        topic_names={word: name for name in TOPICS for word in (*topics[name].names, plain_word(name))},
    )


def plain_word(word: str) -> str:
    """Return a word in the form in which words are compared: in lower case, with hyphens between its parts."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split())


def _pages(text: str, file: str) -> Iterator[HelpPage]:
    for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        title, *chunks = re.split(r"\n\n+", part.strip("\n"))
        blocks = [_block(chunk, file) for chunk in chunks if not chunk.startswith((_NAMES, _SEE))]
        names, see = tuple(map(plain_word, _listed(_NAMES, chunks))), _listed(_SEE, chunks)
        yield HelpPage(title=title, names=names, blocks=tuple(blocks), see=see)


def _listed(head: str, chunks: list[str]) -> tuple[str, ...]:
    """Return the words of the list that begins with ``head``, or an empty tuple if there is no such list."""
    lists = [" ".join(chunk.removeprefix(head).split()) for chunk in chunks if chunk.startswith(head)]
    return tuple(lists[0].split(", ")) if lists else ()


def _block(chunk: str, file: str) -> str | tuple[Row, ...]:
    if chunk.startswith(_LITERAL):
        return "\n".join([line.removeprefix("  ") for line in chunk.split("\n")])
    if "\n: " not in chunk:
        return " ".join(chunk.split())
    rows = [row.partition("\n: ") for row in re.split(r"\n(?!: |  )", chunk)]
    for first, colon, _ in rows:
        if not colon:
            raise ManualError(f"{file}: there is no description of {first}")
    return tuple([(first, " ".join(second.split())) for first, _, second in rows])


_NAMES: Final = "Other names: "
_SEE: Final = "See also: "
_LITERAL: Final = "    "
