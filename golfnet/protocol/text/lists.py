"""Lists as text: aligned columns, or one sentence per row for screen readers.

Rows are objects as programs receive them, or lines that are shown unchanged (rules, help, records). A missing value
leaves its cell blank, and unknown fields are not shown.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from golfnet.engine.cards import CARDS
from golfnet.engine.layout import Seat
from golfnet.engine.scoring import places
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.replies.replies import Rows
from golfnet.protocol.text import cells
from golfnet.protocol.text.cells import Row, field, plain
from golfnet.protocol.text.typeset import (
    Column,
    Mark,
    TextLine,
    bold,
    display_width,
    padded,
    row_width,
    table,
)
from golfnet.protocol.text.words import Voice, capital, card_words, number, ordinal, points


def list_lines(rows: Rows, settings: Settings) -> list[TextLine]:
    """Return a list, or a sentence that says it is empty."""
    objects = [row for row in rows.rows if isinstance(row, Mapping)]
    if len(objects) < len(rows.rows) or rows.kind in _AS_THEY_STAND:
        return [line for row in rows.rows for line in _as_it_stands(row, rows.kind)]
    if not rows.rows:
        return [] if rows.more else [TextLine(Mark.DONE, _EMPTY.get(rows.kind, "There is nothing to list."))]
    plan = _PLANS.get(rows.kind)
    if plan is None:
        return _unplanned(objects, settings)
    honours = [TextLine(Mark.ROW, text) for row in objects if (text := cells.honour(row))]
    listed = [row for row in objects if not cells.honour(row)]
    if settings.style is Style.SPEECH:
        return [*[TextLine(Mark.ROW, plan.spoken(row)) for row in listed], *honours]
    texts = [[cell(row) for _, cell in plan.columns] for row in listed]
    return [*_set([column for column, _ in plan.columns], texts, settings), *honours]


class _RowPlan(Struct, frozen=True):
    """How rows of one kind are shown: in columns, each with a function that returns its cells, or as a sentence."""

    columns: tuple[tuple[Column, Callable[[Row], str]], ...]
    spoken: Callable[[Row], str]


_AS_THEY_STAND: Final = ("rules", "help", "record")

_EMPTY: Final = {
    "tables": 'No tables yet. Type "create six-card" to open one.',
    "who": "Nobody is here.",
    "history": "No finished matches yet.",
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
        if more := "; ".join([_with_heading(columns[at], row[at]) for at in under if row[at]]):
            out.append(TextLine(Mark.MORE, f"  {more}"))
    return out


def _with_heading(column: Column, cell: str) -> str:
    return f"{column.heading} {cell}" if column.right else cell


def _unplanned(objects: Sequence[Row], settings: Settings) -> list[TextLine]:
    """Return rows of a kind that has no plan: a single row as names and values, several rows in columns."""
    if settings.style is Style.SPEECH:
        sentences = [
            [f"{cells.key_text(key)} {plain(value)}" for key, value in row.items() if plain(value)]
            for row in objects
        ]
        return [TextLine(Mark.ROW, _sentence(*parts)) for parts in sentences]
    if len(objects) == 1:
        return [
            TextLine(Mark.ROW, f"{cells.key_text(key)}: {plain(value)}")
            for key, value in objects[0].items()
            if plain(value)
        ]
    keys = list(dict.fromkeys([key for row in objects for key in row]))
    columns = [Column(cells.key_text(key), spare=at) for at, key in enumerate(keys)]
    return _set(columns, [[plain(row.get(key)) for key in keys] for row in objects], settings)


def _sentence(*parts: str) -> str:
    text = ", ".join([part for part in parts if part])
    return f"{text}." if text and not text.endswith((".", "?", "!")) else text


def _say_table(row: Row) -> str:
    most, taken = plain(row.get("seats")), plain(row.get("taken"))
    name = f"called {row['name']}" if row.get("name") else ""
    filled = f"{taken} of {most} seats taken" if taken and most else ""
    return _sentence(
        f"Table {plain(row.get('table'))}",
        name,
        field("variant")(row),
        cells.state(row),
        filled,
        cells.notes(row),
        f"with {cells.players(row)}" if row.get("players") else "",
    )


def _say_variant(row: Row) -> str:
    fits = plain(row.get("seats"))
    return _sentence(
        f"{plain(row.get('name'))}: {plain(row.get('title'))}",
        f"for {fits} players" if fits else "",
        f"layout {plain(row['layout']).replace('x', ' by ')}" if row.get("layout") else "",
        field("summary")(row),
    )


def _say_top(row: Row) -> str:
    return _sentence(
        f"{capital(cells.place(row))}: {plain(row.get('name'))}",
        field("variant")(row),
        f"rating {plain(row['rating'])}" if row.get("rating") is not None else "",
        cells.matches(row),
    )


def _say_claim(row: Row) -> str:
    card = plain(row.get("card"))
    return _sentence(
        f"Discard {plain(row.get('discard_no'))}",
        f"the {card_words(card)}" if card in CARDS else card,
        cells.claimant(row),
        f"slams {plain(row['at'])}" if row.get("at") else "",
        field("result")(row),
        f"reaction {row['reaction_ms']:.0f} milliseconds"
        if isinstance(row.get("reaction_ms"), float)
        else "",
        cells.tie(row),
    )


_WHOLE: Final = 10_000  # A minimum width for columns that must not be cut: they get separate lines instead.

_PLANS: Final[dict[str, _RowPlan]] = {
    "tables": _RowPlan(
        (
            (Column("table"), field("table")),
            (Column("rules", narrowest=32), field("variant")),
            (Column("state", spare=1, narrowest=8), cells.state),
            (Column("seats", spare=2), cells.seats),
            (Column("players", narrowest=16, below=True), cells.players),
            (Column("name", narrowest=12, below=True), field("name")),
            (Column("notes", narrowest=12, below=True), cells.notes),
        ),
        _say_table,
    ),
    "who": _RowPlan(
        (
            (Column("name", narrowest=8), field("name")),
            (Column("where", narrowest=12), cells.where),
            (Column("kind", spare=2, narrowest=13), cells.kind),
            (Column("state", spare=3), field("state")),
            (Column("silent for", spare=1), cells.idle),
        ),
        lambda row: _sentence(
            plain(row.get("name")),
            cells.kind(row),
            cells.where(row),
            f"silent for {cells.idle(row)}" if cells.idle(row) else "",
        ),
    ),
    "variants": _RowPlan(
        (
            (Column("name", narrowest=8), field("name")),
            (Column("title", narrowest=16, below=True), field("title")),
            (Column("seats"), field("seats")),
            (Column("cards", spare=1), field("layout")),
            (Column("holes", spare=3, right=True), field("holes")),
            (Column("to points", spare=4, right=True), field("target")),
            (Column("", narrowest=20, below=True), field("summary")),
        ),
        _say_variant,
    ),
    "history": _RowPlan(
        (
            (Column("match"), field("match")),
            (Column("rules", narrowest=8), field("variant")),
            (Column("ended (UTC)", spare=1, narrowest=16), cells.moment("ended")),
            (Column("players and totals", narrowest=_WHOLE, below=True), cells.results),
        ),
        lambda row: _sentence(
            f"Match {plain(row.get('match'))}",
            field("variant")(row),
            cells.moment("ended")(row),
            cells.results(row),
        ),
    ),
    "top": _RowPlan(
        (
            (Column("place", right=True), cells.place),
            (Column("name", narrowest=8), field("name")),
            (Column("rating", right=True), field("rating")),
            (Column("rules", spare=1), field("variant")),
            (Column("matches", right=True, spare=3), field("matches")),
            (Column("won", right=True, spare=2), field("wins")),
            (Column("kind", spare=4), field("pool")),
        ),
        _say_top,
    ),
    "evening": _RowPlan(
        (
            (Column("place", right=True), cells.place),
            (Column("name", narrowest=8), field("name")),
            (Column("won", right=True), field("wins")),
            (Column("matches", right=True), field("matches")),
            (Column("average place", right=True, spare=1), field("average_place")),
            (Column("kind", spare=2), field("kind")),
        ),
        lambda row: _sentence(
            f"{capital(cells.place(row))}: {plain(row.get('name'))}",
            cells.matches(row),
            f"average place {plain(row['average_place'])}" if row.get("average_place") is not None else "",
        ),
    ),
    "stats": _RowPlan(
        (
            (Column("name", spare=4), field("name")),
            (Column("rules", narrowest=8), field("variant")),
            (Column("matches", right=True), field("matches")),
            (Column("won", right=True), field("wins")),
            (
                Column("left", right=True, spare=3),
                lambda row: field("forfeits")(row) if row.get("forfeits") else "",
            ),
            (Column("best", right=True, spare=1), field("best")),
            (Column("average", right=True, spare=2), field("average")),
        ),
        lambda row: _sentence(
            plain(row.get("name")),
            field("variant")(row),
            cells.matches(row),
            *[
                f"{cells.key_text(key)} {plain(row[key])}"
                for key in ("best", "average")
                if row.get(key) is not None
            ],
        ),
    ),
    "log": _RowPlan(
        (
            (Column("discard"), cells.slammed),
            (Column("player"), cells.claimant),
            (Column("at"), field("at")),
            (Column("result"), field("result")),
            (Column("came after", right=True, spare=2), field("waited_ms")),
            (Column("less link", right=True, spare=3), field("allowed_ms")),
            (Column("reaction", right=True, narrowest=8), field("reaction_ms")),
            (Column("", spare=1), cells.tie),
        ),
        _say_claim,
    ),
    "sessions": _RowPlan(
        (
            (Column("session", right=True), field("session")),
            (Column("", spare=1), lambda row: "this one" if row.get("current") else ""),
            (Column("last used (UTC)", narrowest=16), cells.moment("used")),
            (Column("from", narrowest=9), field("from")),
            (Column("issued (UTC)", spare=2, narrowest=16), cells.moment("issued")),
        ),
        lambda row: _sentence(
            f"Session {plain(row.get('session'))}",
            "this one" if row.get("current") else "",
            f"last used {cells.moment('used')(row)}",
            f"from {plain(row['from'])}" if row.get("from") else "",
            f"issued {cells.moment('issued')(row)}",
        ),
    ),
    "set": _RowPlan(
        (
            (Column("setting"), field("name")),
            (Column("value"), field("value")),
            (Column("can be", narrowest=25, below=True), field("takes")),
        ),
        lambda row: _sentence(
            f"{plain(row.get('name'))} is {plain(row.get('value'))}", f"it can be {plain(row.get('takes'))}"
        ),
    ),
}
"""How the rows of each kind are shown; rows of other kinds are shown with all their fields."""


Scores = Sequence[Sequence[int]]
"""Scores by hole, in seat order."""


def score_card(scores: Scores, totals: Sequence[int], voice: Voice, width: int) -> list[str]:
    """Return a score card as aligned lines, best seat first; split it into parts if not all holes fit in one."""
    order = _ordered(totals)
    ranks = places(totals)
    names = {seat: voice.label(seat, max(12, width // 3)) for seat in order}
    head_width = max(map(display_width, names.values()), default=0) + 1
    sizes = [len(str(score)) for hole in scores for score in hole]
    cell = max([2, *sizes, len(str(len(scores)))]) + 1
    total_width = max(5, *(len(str(total)) for total in totals)) + 2 if totals else 0
    across = max(1, (width - 6 - head_width - total_width) // cell)
    parts = max(1, -(-len(scores) // across))
    across = -(-len(scores) // parts) if scores else 0
    lines: list[str] = []
    for part in range(parts):
        holes = range(part * across, min((part + 1) * across, len(scores)))
        is_last = part == parts - 1
        heading = "".join([padded(str(hole + 1), cell, right=True) for hole in holes])
        lines.append(
            f"      {padded('hole', head_width)}{heading}{padded('total', total_width, right=True) if is_last else ''}"
        )
        for seat in order:
            row = "".join([padded(str(scores[hole][seat]), cell, right=True) for hole in holes])
            total = padded(str(totals[seat]), total_width, right=True) if is_last else ""
            is_bold = voice.settings.color and voice.is_you(seat)
            name = bold(padded(names[seat], head_width), on=is_bold)
            lines.append(f"{ordinal(ranks[seat]):<5} {name}{row}{total}")
    return [line.rstrip() for line in lines]


def spoken_score_card(scores: Scores, totals: Sequence[int], voice: Voice) -> list[str]:
    """Return a score card as sentences, one per seat, best first."""
    ranks = places(totals)
    lines = []
    for seat in _ordered(totals):
        holes = [number(hole[seat], voice.settings) for hole in scores]
        by_hole = f" Holes: {', '.join(holes)}." if len(holes) > 1 else ""
        who = "You" if voice.is_you(seat) else voice.name(seat)
        lines.append(f"{ordinal(ranks[seat])}: {who}, {points(totals[seat], voice.settings)}.{by_hole}")
    return lines


def _ordered(totals: Sequence[int]) -> list[Seat]:
    return sorted(map(Seat, range(len(totals))), key=totals.__getitem__)
