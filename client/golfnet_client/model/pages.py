"""Texts and lists that are laid over a screen: help, rules, ladders, matches to be replayed."""

from textwrap import wrap
from typing import Any, Final

from msgspec import Struct

from golfnet.protocol.clean import clean_text
from golfnet.protocol.commands.settings import Cards, Prefix, Settings, Style
from golfnet.protocol.replies.replies import Rows


class Pages(Struct, frozen=True, kw_only=True):
    """A text laid over the screen: help, rules, a ladder, or a list of which a row can be chosen."""

    title: str
    lines: tuple[str, ...]
    rows: tuple[str, ...] = ()
    """The command of each row, for lists of which one can be chosen."""


def pages_of(kind: str, rows: list[Any]) -> Pages:
    """Return a list of the server as a text to be laid over the screen, set as in the server's text mode."""
    # The whole of text mode, for which the first picture need not wait.
    from golfnet.protocol.text.text import render

    lines = render(Rows(kind=kind, rows=tuple(rows)), _LISTS, you=None).lines
    heads = len(lines) - len(rows)
    # Where each row is one line under its heading, a row can be chosen.
    chosen = tuple(f"record {row['match']}" for row in rows) if kind == "history" and heads == 1 else ()
    return Pages(title=_TITLES.get(kind, kind.capitalize()), lines=tuple(lines), rows=chosen)


def another_server(what: str) -> Pages:
    """Return what a person has to know who is to trust another server; ``what`` says how it is another."""
    paragraphs = (
        f"{what}.",
        "Nothing was sent to it. If whoever runs the server has set it up anew, this is right: type :trust to play "
        "there. You come in as a newcomer; what the server before knows you by is kept.",
        "If you do not know, ask them for the first digits of the key, which the server prints when it starts. Where "
        "it is not theirs, somebody sits between you and the server, and could read and change all that goes by.",
    )
    lines = [line for paragraph in paragraphs for line in ("", *wrap(clean_text(paragraph), 72))]
    return Pages(title="Another server", lines=tuple(lines[1:]))


_LISTS: Final = Settings(style=Style.PLAIN, cards=Cards.SYMBOLS, width=90, prefix=Prefix.OFF)
"""How lists are set: as wide as a page laid over a screen may be."""

_TITLES: Final = {
    "top": "The ladder",
    "stats": "Results",
    "history": "Finished matches: Enter replays one",
    "log": "Slams",
}
