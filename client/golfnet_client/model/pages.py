"""Texts, lists, menus, and fields to type into, most of them shown over a screen; ``Way`` says where to play.

This module does no I/O. The rows of lists are stored as the server sent them.
"""

from collections.abc import Callable
from math import ceil
from textwrap import wrap
from typing import Any, Final

from msgspec import Struct, field, structs

from golfnet.protocol.address import Address
from golfnet.protocol.commands.settings import Cards, Prefix, Settings, Style
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.replies import Rows
from golfnet.protocol.text.typeset import wrapped


class Pages(Struct, kw_only=True):
    """A text shown over the screen: help, rules, a ladder, or a list with rows to select."""

    title: str
    lines: tuple[str, ...] = ()
    listed: Rows | None = None
    """A list or text from the server, whose lines depend on the width of the window, or None."""
    rows: tuple[str, ...] = ()
    """The command for each row, in lists with rows to select."""
    at: int = 0
    """The first line shown, or the index of the selected row."""

    def fit(self, width: int) -> None:
        """Lay out what the server sent for a width in columns, as in the server's text mode."""
        if self.listed is not None:
            # Imported here because it loads all of text mode, which the first picture does not need.
            from golfnet.protocol.text.text import render

            self.lines = tuple(render(self.listed, structs.replace(_LISTS, width=width), you=None).lines)

    def go(self, by: int) -> None:
        """Scroll by a number of lines, or select another row; one row is always selected."""
        # How far a text can be scrolled is known only when it is drawn.
        self.at = max(0, min(self.at + by, len(self.rows) - 1) if self.rows else self.at + by)


def pages_of(kind: str, rows: list[Any]) -> Pages:
    """Return a list from the server as a text to show."""
    chosen = [
        f"record {row['match']}"
        for row in rows
        if kind == "history" and isinstance(row, dict) and "match" in row
    ]
    title = _TITLES.get(kind, kind.capitalize())
    return Pages(title=title, listed=Rows(kind=kind, rows=tuple(rows)), rows=tuple(chosen))


def another_server(what: str) -> Pages:
    """Return the warning to read before trusting a changed key; ``what`` says what has changed."""
    paragraphs = (
        f"{what}.",
        "Nothing was sent to the server. If its operator has set it up again, this is normal: type :trust to play "
        "there. You will be a new player; your token for the previous server is kept.",
        "If you are not sure, ask the operator for the first digits of the key, which the server prints at its start. "
        "If they differ, somebody is intercepting the connection and can read and change everything that is sent.",
    )
    lines = [line for paragraph in paragraphs for line in ("", *wrap(clean_text(paragraph), 72))]
    return Pages(title="Another server", lines=tuple(lines[1:]))


_LISTS: Final = Settings(style=Style.PLAIN, cards=Cards.SYMBOLS, prefix=Prefix.OFF)
"""The settings for formatting lists, apart from their width."""

_TITLES: Final = {
    "top": "The ladder",
    "stats": "Results",
    "history": "Finished matches: Enter replays one",
    "log": "Slams",
}


_TABLE: Final = (
    "Choosing a card",
    "  arrows             choose a card; tab goes to the next usable one",
    "  1 to 9, 0          use one of your own slots, when one is asked for",
    "  b3                 choose another seat's card, for a slam or a power",
    "  enter              do what the line of keys says, or be ready",
    "  click              do the same with the card or pile you click",
    "",
    "Your turn",
    "  d  draw from the stock         t  take the top discard",
    "  x  discard the card you hold   k  knock",
    "  p  pass                        n  do not use a power",
    "  m  mark a card                 w  switch the two marked",
    "  space  slam the chosen card on the discard",
    "",
    "The table",
    "  r  ready, or a rematch         o  start the match (host)",
    "  b  add a bot (host)            f  add bots after a wait, or cancel them (host)",
    "  u  the rules of this table     v  score card",
    "  h  a hint: what to do now      g  tips on or off: how to play",
    "  z, Z, S  next theme, felt, suits",
    "  '  say something               :  type a command; tab completes it",
    "  page up, page down, end        older and newer lines of the log",
    "  q, esc  leave the table        ctrl-c  quit; your seat is kept for a while",
)
_LOBBY: Final = (
    "  arrows, click   choose a table         enter  join it, or watch it",
    "  p  play with others, or with a bot     s  find players for a rule set",
    "  c  create a table, set its options     g  learn: a hole against a bot",
    "  w  watch it                            n  get in line for a seat",
    "  h  finished matches, to replay         l  the ladder",
    "  '  say something to everybody          :  type a command; tab completes it",
    "  page up, page down, end                older and newer lines below",
    "  z, Z, S  next theme, felt, suits       q  quit",
    "  esc  leave this server",
)
_REPLAY: Final = (
    "  space         play or pause",
    "  up, down      faster, slower",
    "  right         the next event      left   the previous one",
    "  n             the next hole       p      the previous one",
    "  home          the beginning       end    the last event",
    "  click on the bar                  go to that moment",
    "  v             score card          esc    back",
)
_FORM: Final = (
    "  up, down      choose an option    left, right  change it (or click the arrows)",
    "  e             type a value        del          back to the default",
    "  u             the rules in full   enter        open the table",
    "  esc           back",
)


def alarm_pages(problems: tuple[str, ...], evidence: str) -> Pages:
    """Explain deals that were not as promised; ``evidence`` is the path of a file, or ``""`` if there is none."""
    kept = (
        "",
        "What you saw is stored in",
        f"  {evidence}",
        "golfnet verify RECORD --seen FILE compares it with the record.",
    )
    lines = [line for problem in problems for line in wrapped(problem, 70)]
    return Pages(
        title="The deal is not what was promised",
        lines=(
            *lines,
            "",
            "The cards do not match what was fixed before the deal. The operator of this",
            "server has cheated, or the server is broken.",
            "Nothing that happens here counts for anything.",
            *(kept if evidence else ()),
        ),
    )


def left_out_pages(holes: tuple[str, ...]) -> Pages:
    """Explain holes that were dealt without the player's text, the latest first."""
    return Pages(
        title=f"Dealt without your text: {len(holes)} so far",
        lines=(
            *[line for hole in reversed(holes) for line in wrapped(hole, 70)],
            "",
            "A connection can be lost by chance. But anyone who can cut yours, such as",
            "the operator, may have done so to influence the deal. Do not trust a server",
            "where this keeps happening. Anyone can check which holes these are:",
            "golfnet verify RECORD lists them.",
        ),
    )


def manual(place: str) -> Pages:
    """Return the list of keys for a screen."""
    lines = {"table": _TABLE, "replay": _REPLAY, "create": _FORM}.get(place, _LOBBY)
    return Pages(title="Keys", lines=(*lines, "", "help WORD explains a command, a topic or an error code."))


class LobbyLists(Struct):
    """The most recent lists from the server: tables, of which one is selected, players, and rule sets."""

    tables: list[dict[str, Any]] = field(default_factory=list)
    players: list[dict[str, Any]] = field(default_factory=list)
    variants: list[dict[str, Any]] = field(default_factory=list)
    chosen: int = 0
    listed: float = 0.0
    """When the server sent the list of tables, in seconds of any monotonic clock; countdowns in it start then."""

    def store(self, kind: str, rows: list[dict[str, Any]], now: float) -> bool:
        """Store a list; return whether it is one of the lobby's."""
        match kind:
            case "tables":
                self.tables, self.listed = rows, now
                self.choose(self.chosen)
            case "who":
                self.players = rows
            case "variants":
                self.variants = rows
            case _:
                return False
        return True

    def choose(self, number: int) -> None:
        """Choose a table, within the bounds of the list."""
        self.chosen = max(0, min(number, len(self.tables) - 1))

    def bots_in(self, row: dict[str, Any], now: float) -> int | None:
        """Return the seconds until bots take the free seats of a table, or None if they never do."""
        match row.get("filling"):
            case {"ms": int(ms)}:
                return max(0, ceil(ms / 1000 - (now - self.listed)))
            case _:
                return None


class Item(Struct, frozen=True, kw_only=True):
    """A choice in a menu: its label, its meaning, its effect besides closing the menu, and its key."""

    label: str
    do: Callable[[], None] = lambda: None
    meaning: str = ""
    key: str = ""


class Menu(Struct, kw_only=True):
    """Choices shown over the screen; ``text`` is above them, ``at`` is the index of the selected one."""

    title: str
    items: tuple[Item, ...]
    text: str = ""
    at: int = 0
    back: Callable[[], None] | None = None
    """What Escape does besides closing the menu."""
    needs: str = ""
    """The command that the menu is about; the menu closes once the server no longer offers it."""
    again: str = ""
    """The key that led to this question; pressed again, it chooses the last item."""
    stays: bool = False
    """Whether Escape leaves the menu open, because there is no screen below it."""

    def key_of(self, number: int) -> str:
        """Return the key of an item: its own, or its number if it has none."""
        return self.items[number].key or (str(number + 1) if number < 9 else "")

    def go(self, by: int) -> None:
        """Select another item, within the bounds of the list."""
        self.at = max(0, min(self.at + by, len(self.items) - 1))


class Field(Struct, frozen=True, kw_only=True):
    """A value typed on the command line and passed to ``do``. A ``secret`` one is shown as stars and never stored."""

    label: str
    do: Callable[[str], None]
    text: str = ""
    """The initial text."""
    hint: str = ""
    """A sentence that says what to type."""
    secret: bool = False
    back: Callable[[], None] | None = None
    """What Escape does besides leaving the field."""


class Way(Struct, frozen=True, kw_only=True):
    """Where to play: the address of a server, or in ``solo`` the rule set of a match against bots."""

    address: Address | None = None
    solo: str = ""
    bots: int = 3
    lesson: bool = False
