"""The manual as pages: what help says of each command and topic, read from the text of its files.

How a file is written is told in ``golfnet.manual``, which has the files. What stays true: every command and every
topic has its page, or there is no manual.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.layout import Row
from golfnet.protocol.commands.placeholders import ManualError, fill_in

TOPICS: Final = (
    *("cards", "positions", "clock", "slam", "fair", "styles", "chat", "coming back"),
    *("rated", "telnet", "bots", "machine", "limits", "options", "short", "codes"),
)
"""Every topic, in the order of lists."""


class HelpPage(Struct, frozen=True, kw_only=True):
    """One page; ``title`` is the verb of a command. ``names`` are other words for it, ``see`` related pages."""

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
        """The rows of all tables; those of a command are examples: a line, and what it does."""
        return tuple([row for block in self.blocks if not isinstance(block, str) for row in block])


class Manual(Struct, frozen=True, kw_only=True):
    """Pages by verb and by topic; ``topic_names`` has the topic of every word in its plain form."""

    commands: Mapping[str, HelpPage]
    topics: Mapping[str, HelpPage]
    topic_names: Mapping[str, str]


def read_manual(files: Mapping[str, str], values: Mapping[str, float]) -> Manual:
    """Return the manual with a server's values in its text.

    ``files`` are texts by name, such as ``topics/fair``. Raises ``ManualError``.
    """
    commands: dict[str, HelpPage] = {}
    topics: dict[str, HelpPage] = {}
    for file, text in files.items():
        folder, _, name = file.partition("/")
        for page in _pages(fill_in(text, values, file=file), file):
            if folder == "commands":
                commands[page.title] = page
            else:
                topics[name.replace("-", " ")] = page
    for known, pages in ((COMMANDS, commands), (TOPICS, topics)):
        if odd := set(known) ^ set(pages):
            raise ManualError(
                f"golfnet/manual has a page for each command and topic, and no other: {', '.join(sorted(odd))}"
            )
    return Manual(
        commands={verb: commands[verb] for verb in COMMANDS},
        topics={name: topics[name] for name in TOPICS},
        topic_names={plain_word(word): name for name in TOPICS for word in (*topics[name].names, name)},
    )


def plain_word(word: str) -> str:
    """Return a word as names are compared: in lower case, what is between its words as a hyphen."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split())


def _pages(text: str, file: str) -> Iterator[HelpPage]:
    for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        title, *chunks = re.split(r"\n\n+", part.strip("\n"))
        blocks = [_block(chunk, file) for chunk in chunks if not chunk.startswith((_NAMES, _SEE))]
        names, see = _listed(_NAMES, chunks), _listed(_SEE, chunks)
        yield HelpPage(title=title, names=names, blocks=tuple(blocks), see=see)


def _listed(head: str, chunks: list[str]) -> tuple[str, ...]:
    """Return the words of the list that begins so, none where there is no such list."""
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
            raise ManualError(f"{file}: nothing is said of {first}")
    return tuple([(first, " ".join(second.split())) for first, _, second in rows])


_NAMES: Final = "Other names: "
_SEE: Final = "See also: "
_LITERAL: Final = "    "
