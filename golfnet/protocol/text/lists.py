"""Lists as text: aligned columns, or one sentence per row for screen readers.

Rows are objects as programs receive them, or lines that are shown unchanged (rules, help, records). Unknown fields are
not shown. A cell is the text for one or several values of a row. If these are missing or unexpected, it is the plain
form of the field with its name, or empty; that is not an error.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from golfnet.protocol.commands.settings import Mark, Settings, Style
from golfnet.protocol.replies.replies import Rows
from golfnet.protocol.text.typeset import Column, TextLine, row_width, table
from golfnet.protocol.text.words import card_words, counted, ordinal, seconds

Row = Mapping[str, Any]
"""One row of a list, as programs receive it."""


def list_lines(rows: Rows, settings: Settings) -> list[TextLine]:
    """Return a list, or a sentence that says it is empty."""
    objects = [row for row in rows.rows if isinstance(row, Mapping)]
    if len(objects) < len(rows.rows) or rows.kind in ("rules", "help", "record"):
        return [line for row in rows.rows for line in _as_it_stands(row, rows.kind)]
    if not rows.rows:
        return [] if rows.more else [TextLine(Mark.DONE, _EMPTY.get(rows.kind, "There is nothing to list."))]
    plan = _PLANS.get(rows.kind)
    if plan is None:
        return _unplanned(objects, settings)
    told = [(row, _HONOURS.get(str(row.get("honour")))) for row in objects]
    honours = [TextLine(Mark.ROW, said(row, honour)) for row, honour in told if honour]
    listed = [row for row, honour in told if not honour]
    if settings.style is Style.SPEECH:
        return [*[TextLine(Mark.ROW, said(row, plan.spoken)) for row in listed], *honours]
    makes = [cell(column.key) for column in plan.columns]
    texts = [[make(row) for make in makes] for row in listed]
    return [*_set(plan.columns, texts, settings), *honours]


class _RowPlan(Struct, frozen=True):
    """How rows of one kind are shown: in columns, or as a sentence with cells (``said``)."""

    columns: tuple[Column, ...]
    spoken: str


_EMPTY: Final = {
    "tables": 'No tables yet. Type "create six-card" to open one.',
    "who": "Nobody is here.",
    "history": "No finished matches to show.",
    "top": "No ratings yet.",
    "stats": "No finished matches yet.",
    "evening": "No matches were finished in this time.",
    "log": "No slams to show.",
    "moves": "No cards have been dealt yet.",
}


def _as_it_stands(row: Any, kind: str) -> list[TextLine]:
    if isinstance(row, str):
        return [TextLine(Mark.ROW, line, verbatim=kind == "record") for line in row.split("\n")]
    return [TextLine(Mark.ROW, json.dumps(row, separators=(",", ":")), verbatim=True)]


def _set(columns: Sequence[Column], texts: Sequence[Sequence[str]], settings: Settings) -> list[TextLine]:
    used = [at for at in range(len(columns)) if any(row[at] for row in texts)]
    columns, texts = [columns[at] for at in used], [[row[at] for at in used] for row in texts]
    (heading, *lines), under = table(columns, texts, row_width(settings))
    out = [TextLine(Mark.HEADING, heading)] if heading else []
    for line, row in zip(lines, texts, strict=True):
        out.append(TextLine(Mark.ROW, line))
        cells = [(columns[at], row[at]) for at in under if row[at]]
        more = [f"{column.heading} {text}" if column.right else text for column, text in cells]
        out += [TextLine(Mark.MORE, f"  {'; '.join(more)}")] if more else []
    return out


def _unplanned(objects: Sequence[Row], settings: Settings) -> list[TextLine]:
    """Return rows of a kind that has no plan: a single row as names and values, several rows in columns."""
    shown = [[(_key_text(key), plain(row[key])) for key in row if plain(row[key])] for row in objects]
    if settings.style is Style.SPEECH:
        return [TextLine(Mark.ROW, _sentence([" ".join(pair) for pair in row])) for row in shown]
    if len(objects) == 1:
        return [TextLine(Mark.ROW, ": ".join(pair)) for pair in shown[0]]
    keys = list(dict.fromkeys([key for row in objects for key in row]))
    columns = [Column(_key_text(key), key, spare=at) for at, key in enumerate(keys)]
    return _set(columns, [[plain(row.get(key)) for key in keys] for row in objects], settings)


_WHOLE: Final = 10_000  # A minimum width for columns that must not be cut: they get separate lines instead.

_PLANS: Final[dict[str, _RowPlan]] = {
    "tables": _RowPlan(
        (
            Column("table", "table"),
            Column("rules", "variant", narrowest=32),
            Column("state", "state", spare=1, narrowest=8),
            Column("seats", "taken_seats", spare=2),
            Column("players", "players", narrowest=16, below=True),
            Column("name", "name", narrowest=12, below=True),
            Column("notes", "notes", narrowest=12, below=True),
        ),
        "Table {table}, called {name}, {variant}, {state}, {taken} of {seats} seats taken, {notes}, with {players}",
    ),
    "who": _RowPlan(
        (
            Column("name", "name", narrowest=8),
            Column("where", "where", narrowest=12),
            Column("kind", "kind", spare=2, narrowest=13),
            Column("silent for", "idle", spare=1),
        ),
        "{name}, {kind}, {where}, silent for {idle}",
    ),
    "variants": _RowPlan(
        (
            Column("name", "name", narrowest=16),
            Column("title", "title", narrowest=16, below=True),
            Column("seats", "seats"),
            Column("cards", "layout", spare=1),
            Column("holes", "holes", spare=3, right=True),
            Column("target", "target", spare=4, right=True),
            Column("", "summary", narrowest=20, below=True),
        ),
        "{name}: {title}, for {seats} players, layout {layout_words}, {summary}",
    ),
    "history": _RowPlan(
        (
            Column("match", "match"),
            Column("rules", "variant", narrowest=8),
            Column("ended (UTC)", "ended", spare=1, narrowest=16),
            Column("players and totals", "results", narrowest=_WHOLE, below=True),
        ),
        "Match {match}, {variant}, {ended}, {results}",
    ),
    "top": _RowPlan(
        (
            Column("place", "place", right=True),
            Column("name", "name", narrowest=8),
            Column("rating", "rating", right=True),
            Column("rules", "variant", spare=1),
            Column("matches", "matches", right=True, spare=3),
            Column("won", "wins", right=True, spare=2),
            Column("kind", "pool", spare=4),
        ),
        "{place}: {name}, {variant}, rating {rating}, {played}, {wins} won, {left_early} left early",
    ),
    "evening": _RowPlan(
        (
            Column("place", "place", right=True),
            Column("name", "name", narrowest=8),
            Column("won", "wins", right=True),
            Column("matches", "matches", right=True),
            Column("average place", "average_place", right=True, spare=1),
            Column("kind", "kind", spare=2),
        ),
        "{place}: {name}, {played}, {wins} won, {left_early} left early, average place {average_place}",
    ),
    "stats": _RowPlan(
        (
            Column("name", "name", spare=4),
            Column("rules", "variant", narrowest=8),
            Column("matches", "matches", right=True),
            Column("won", "wins", right=True),
            Column("left", "left_early", right=True, spare=3),
            Column("best", "best", right=True, spare=1),
            Column("average", "average", right=True, spare=2),
        ),
        "{name}, {variant}, {played}, {wins} won, {left_early} left early, best {best}, average {average}",
    ),
    "log": _RowPlan(
        (
            Column("discard", "slammed"),
            Column("player", "claimant"),
            Column("at", "at"),
            Column("result", "result"),
            Column("after (ms)", "waited_ms", right=True, spare=2),
            Column("less link", "allowed_ms", right=True, spare=3),
            Column("reaction", "reaction_ms", right=True, narrowest=8),
            Column("", "tie", spare=1),
        ),
        "Discard {discard_no}, {full_card}, {claimant}, slams {at}, {result}, reaction {reaction} milliseconds, {tie}",
    ),
    "sessions": _RowPlan(
        (
            Column("session", "session", right=True),
            Column("", "current", spare=1),
            Column("last used (UTC)", "used", narrowest=16),
            Column("from", "from", narrowest=9),
            Column("issued (UTC)", "issued", spare=2, narrowest=16),
        ),
        "Session {session}, {current}, last used {used}, from {from}, issued {issued}",
    ),
    "set": _RowPlan(
        (
            Column("setting", "name"),
            Column("value", "value"),
            Column("can be", "takes", narrowest=25, below=True),
        ),
        "{name} is {value}; it can be {takes}",
    ),
}
"""How the rows of each kind are shown; rows of other kinds are shown with all their fields."""

_HONOURS: Final = {
    "best_hole": "Best hole: {name}, {score} (hole {hole} of {match}, {variant})",
    "luckiest_slam": "Luckiest slam: {name}, {full_card} unseen (hole {hole} of {match}, {variant})",
    "comebacks": "Most comebacks: {name}, {played} won from last place",
}
"""The sentence for each honour."""


# --- cells


def _key_text(key: str) -> str:
    return key.removesuffix("_ms").replace("_", " ")


def plain(value: Any) -> str:
    """Return any JSON value in a few words; for an object with a name, only the name."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.1f}"
        case Mapping() if "name" in value:
            return plain(value["name"])
        case Mapping():
            return " ".join([f"{key}={plain(item)}" for key, item in value.items()])
        case Sequence():
            return ", ".join(map(plain, value))
        case _:
            return str(value)


def cell(name: str) -> Callable[[Row], str]:
    """Return the function that makes the cell with this name: from its maker or, if that fails, the field's value."""
    make = _MADE.get(name)

    def text(row: Row) -> str:
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return plain(row.get(name)) if make is None else make(row)
        return plain(row.get(name))

    return text


def said(row: Row, template: str) -> str:
    """Return a sentence with cells, such as ``{name}, silent for {idle}``, without the parts whose cells are empty."""
    parts = [(part, [make(row) for make in makes]) for part, makes in _parts(template)]
    return _sentence([part.format(*cells) for part, cells in parts if all(cells)])


@lru_cache(maxsize=64)
def _parts(template: str) -> tuple[tuple[str, tuple[Callable[[Row], str], ...]], ...]:
    """Return the parts of a template, with ``{}`` for each cell and the functions that make the cells."""
    return tuple(
        [(_NAME.sub("{}", part), tuple(map(cell, _NAME.findall(part)))) for part in template.split(", ")]
    )


def _sentence(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return f"{text}." if text and not text.endswith((".", "?", "!")) else text


_NAME: Final = re.compile(r"\{(\w+)\}")


def _moment(time: float) -> str:
    """Return a time in unix seconds as text in UTC."""
    moment = _EPOCH + timedelta(seconds=int(time))
    return f"{moment.year}-{moment:%m-%d %H:%M}"


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _where(row: Row) -> str:
    """Return where somebody is, written like ``t12 B`` or ``watches t12``."""
    if row.get("table"):
        return f"{plain(row['table'])} {plain(row.get('seat'))}".rstrip()
    return f"watches {plain(row['watching'])}" if row.get("watching") else "lobby"


def _notes(row: Row) -> str:
    """Return remarks about a table; options come last, because they may be long, and only the end is cut off."""
    remarks = (
        "private" if row.get("private") else "",
        f"bots in {seconds(row['filling']['ms'])}" if row.get("filling") else "",
        f"{row['watchers']} watching" if row.get("watchers") else "",
        " ".join([word for word in row.get("options", "").split() if not word.startswith("seats=")]),
    )
    return ", ".join(filter(None, remarks))


def _players(row: Row) -> str:
    players = row["players"]
    return players if isinstance(players, str) else ", ".join(map(_marked, players))


def _marked(player: Any) -> str:
    """Return the name of a player, followed by ``(bot)`` if a bot plays and its name does not say so.

    In a finished match, players who were absent at the end are marked ``(left)`` or ``(away)``.
    """
    about, name = player if isinstance(player, Mapping) else {}, plain(player)
    ending = _ENDINGS.get(str(about.get("ending")))
    is_bot = about.get("kind") in ("bot", "house") and "-bot" not in name
    return f"{name} ({ending or 'bot'})" if ending or is_bot else name


_ENDINGS: Final = {"left": "left", "absent": "away", "excused": "away"}


def _results(row: Row) -> str:
    results = zip(row.get("ranks") or row["places"], row["players"], row["totals"], strict=True)
    ordered = sorted(results, key=lambda result: result[0])
    return ", ".join([f"{_marked(player)} {plain(total)}" for _, player, total in ordered])


_MADE: Final[Mapping[str, Callable[[Row], str]]] = {
    "ended": lambda row: _moment(row["ended"]),
    "used": lambda row: _moment(row["used"]),
    "issued": lambda row: _moment(row["issued"]),
    "kind": lambda row: plain(row.get("kind")) + (", away" if row.get("present") is False else ""),
    "state": lambda row: "playing" if row.get("state") == "between" else plain(row.get("state")),
    "place": lambda row: ordinal(row["place"]),
    "score": lambda row: counted(row["score"], "point"),
    "played": lambda row: counted(row["matches"], "match"),
    "left_early": lambda row: plain(row.get("forfeits") or None),
    "layout_words": lambda row: plain(row.get("layout")).replace("x", " by "),
    "reaction": lambda row: f"{row['reaction_ms']:.0f}",
    "tie": lambda row: "by lot" if row.get("tied") is True else "",
    "current": lambda row: "this one" if row.get("current") else "",
    "idle": lambda row: counted(row["idle_ms"] // 60_000, "minute") if row["idle_ms"] >= 60_000 else "",
    "where": _where,
    "taken_seats": lambda row: f"{row['taken']}/{row['seats']}",
    "notes": _notes,
    "players": _players,
    "results": _results,
    "full_card": lambda row: f"the {card_words(row['card'])}",
    "slammed": lambda row: f"#{row['discard_no']} {row['card']}",
    "claimant": lambda row: f"{row['name']} ({row['seat']})",
}
"""What makes the cells that are not the value of the field with their name."""
