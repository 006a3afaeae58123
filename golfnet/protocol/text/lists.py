"""Lists as text: aligned columns, or one sentence per row for screen readers.

Rows are objects as programs receive them, or lines that are shown unchanged (rules, help, records). A missing value
leaves its cell blank, and unknown fields are not shown.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from golfnet.engine.layout import Seat
from golfnet.engine.scoring import places
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.replies.replies import Rows
from golfnet.protocol.text.cells import Row, cell, key_text, plain, said, sentence
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
from golfnet.protocol.text.words import Voice, number, ordinal, points


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
    told = [(row, _HONOURS.get(str(row.get("honour")))) for row in objects]
    honours = [TextLine(Mark.ROW, said(row, honour)) for row, honour in told if honour]
    listed = [row for row, honour in told if not honour]
    if settings.style is Style.SPEECH:
        return [*[TextLine(Mark.ROW, said(row, plan.spoken)) for row in listed], *honours]
    makes = [cell(column.key) for column in plan.columns]
    texts = [[make(row) for make in makes] for row in listed]
    return [*_set(plan.columns, texts, settings), *honours]


class _RowPlan(Struct, frozen=True):
    """How rows of one kind are shown: in columns, or as a sentence with cells (``cells.said``)."""

    columns: tuple[Column, ...]
    spoken: str


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
    shown = [[(key_text(key), plain(row[key])) for key in row if plain(row[key])] for row in objects]
    if settings.style is Style.SPEECH:
        return [TextLine(Mark.ROW, sentence([" ".join(pair) for pair in row])) for row in shown]
    if len(objects) == 1:
        return [TextLine(Mark.ROW, ": ".join(pair)) for pair in shown[0]]
    keys = list(dict.fromkeys([key for row in objects for key in row]))
    columns = [Column(key_text(key), key, spare=at) for at, key in enumerate(keys)]
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
            Column("name", "name", narrowest=8),
            Column("title", "title", narrowest=16, below=True),
            Column("seats", "seats"),
            Column("cards", "layout", spare=1),
            Column("holes", "holes", spare=3, right=True),
            Column("to points", "target", spare=4, right=True),
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
            Column("came after", "waited_ms", right=True, spare=2),
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
        "{name} is {value}, it can be {takes}",
    ),
}
"""How the rows of each kind are shown; rows of other kinds are shown with all their fields."""

_HONOURS: Final = {
    "best_hole": "Best hole: {name}, {score} (hole {hole} of {match}, {variant})",
    "luckiest_slam": "Luckiest slam: {name}, {full_card} unseen (hole {hole} of {match}, {variant})",
    "comebacks": "Most comebacks: {name}, {played} won from last place",
}
"""The sentence for each honour."""


Scores = Sequence[Sequence[int]]
"""Scores by hole, in seat order."""


def score_card(scores: Scores, totals: Sequence[int], voice: Voice, width: int) -> list[str]:
    """Return a score card as aligned lines, or as sentences for screen readers; best seat first."""
    if voice.settings.style is not Style.SPEECH:
        return aligned_score_card(scores, totals, voice, width)
    lines = []
    for seat, rank in _ranked(totals):
        holes = [number(hole[seat], voice.settings) for hole in scores]
        by_hole = f" Holes: {', '.join(holes)}." if len(holes) > 1 else ""
        who = "You" if seat == voice.you else voice.name(seat)
        lines.append(f"{ordinal(rank)}: {who}, {points(totals[seat], voice.settings)}.{by_hole}")
    return lines


def aligned_score_card(scores: Scores, totals: Sequence[int], voice: Voice, width: int) -> list[str]:
    """Return a score card as aligned lines, best seat first; split it into parts if not all holes fit in one."""
    ranked = _ranked(totals)
    names = {seat: voice.label(seat, max(12, width // 3)) for seat, _ in ranked}
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
        for seat, rank in ranked:
            row = "".join([padded(str(scores[hole][seat]), cell, right=True) for hole in holes])
            total = padded(str(totals[seat]), total_width, right=True) if is_last else ""
            is_bold = voice.settings.color and seat == voice.you
            name = bold(padded(names[seat], head_width), on=is_bold)
            lines.append(f"{ordinal(rank):<5} {name}{row}{total}")
    return [line.rstrip() for line in lines]


def _ranked(totals: Sequence[int]) -> list[tuple[Seat, int]]:
    """Return the seats with their places, best first."""
    ranks = places(totals)
    return [(Seat(seat), ranks[seat]) for seat in sorted(range(len(totals)), key=totals.__getitem__)]
