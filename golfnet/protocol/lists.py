"""Lists as text: aligned columns, or one sentence a row for screen readers.

Rows are objects as programs get them, or lines that are shown as they stand (rules, help, records). A row may lack
what is expected here, and may have more: the first is left blank, the second not shown.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from golfnet.protocol.replies import Rows
from golfnet.protocol.settings import Settings, Style
from golfnet.protocol.typeset import Column, Line, Mark, prefix, table
from golfnet.protocol.words import capital, ordinal, seconds

Row = Mapping[str, Any]


def list_lines(rows: Rows, settings: Settings) -> list[Line]:
    """Return a list, or a sentence that says it is empty."""
    objects = [row for row in rows.rows if isinstance(row, Mapping)]
    if len(objects) < len(rows.rows) or rows.kind in _VERBATIM:
        return [line for row in rows.rows for line in _verbatim(row)]
    if not rows.rows:
        return [] if rows.more else [Line(Mark.DONE, _EMPTY.get(rows.kind, "There is nothing to list."))]
    plan = _PLANS.get(rows.kind)
    if plan is None:
        return _unplanned(objects, settings)
    if settings.style is Style.SPEECH:
        return [Line(Mark.ROW, plan.spoken(row)) for row in objects]
    cells = [[cell(row) for _, cell in plan.columns] for row in objects]
    return _set([column for column, _ in plan.columns], cells, settings)


class _Plan(NamedTuple):
    """How rows of a kind are shown: the columns with what stands in them, and the sentence."""

    columns: tuple[tuple[Column, Callable[[Row], str]], ...]
    spoken: Callable[[Row], str]


_VERBATIM: Final = ("rules", "help", "record")

_EMPTY: Final = {
    "tables": "No table is open. create VARIANT opens one, seek VARIANT finds company.",
    "who": "Nobody is here.",
    "history": "No match has been finished yet.",
    "top": "Nobody has a rating yet.",
    "stats": "Nothing has been counted yet.",
    "log": "There was no slam in the last hole.",
}


def _verbatim(row: Any) -> list[Line]:
    if isinstance(row, str):
        return [Line(Mark.ROW, line) for line in row.split("\n")]
    return [Line(Mark.ROW, json.dumps(row, separators=(",", ":")), verbatim=True)]


def _set(columns: Sequence[Column], cells: Sequence[Sequence[str]], settings: Settings) -> list[Line]:
    # A column in which nothing stands says nothing.
    used = [at for at in range(len(columns)) if any(row[at] for row in cells)]
    room = settings.width - len(prefix(Mark.ROW, settings))
    heading, *lines = table([columns[at] for at in used], [[row[at] for at in used] for row in cells], room)
    return [Line(Mark.HEADING, heading), *[Line(Mark.ROW, line) for line in lines]]


def _unplanned(objects: Sequence[Row], settings: Settings) -> list[Line]:
    """Return rows of a kind that has no plan: one alone as name and value, several as columns of their keys."""
    if len(objects) == 1 or settings.style is Style.SPEECH:
        return [
            Line(Mark.ROW, f"{_name(key)}: {_plain(value)}")
            for row in objects
            for key, value in row.items()
            if _plain(value)
        ]
    keys = list(dict.fromkeys([key for row in objects for key in row]))
    columns = [Column(_name(key), spare=at) for at, key in enumerate(keys)]
    return _set(columns, [[_plain(row.get(key)) for key in keys] for row in objects], settings)


def _name(key: str) -> str:
    return key.removesuffix("_ms").replace("_", " ")


def _plain(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.1f}"
        case str() | int():
            return str(value)
        case Mapping():
            return (
                str(value["name"])
                if "name" in value
                else " ".join([f"{k}={_plain(v)}" for k, v in value.items()])
            )
        case Sequence():
            return ", ".join(map(_plain, value))
        case _:
            return str(value)


def _of(key: str) -> Callable[[Row], str]:
    return lambda row: _plain(row.get(key))


def _idle(row: Row) -> str:
    idle = row.get("idle_ms")
    return seconds(idle) if isinstance(idle, int) and idle >= _IDLE_MS else ""


def _when(row: Row) -> str:
    """Return the time a match ended, which programs get in unix seconds, in UTC."""
    ended = row.get("ended")
    if not isinstance(ended, int | float):
        return _plain(ended)
    days, rest = divmod(int(ended), 86400)
    # The civil calendar from a count of days; years begin in March here, so that leap days come last.
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    year = era * 400 + year_of_era + (month >= 10)
    return f"{year}-{(month + 2) % 12 + 1:02}-{day:02} {rest // 3600:02}:{rest // 60 % 60:02}"


def _where(row: Row) -> str:
    """Return where somebody is, as ``t12 B`` or ``watches t12``."""
    if row.get("table"):
        return f"{row['table']} {_plain(row.get('seat'))}".rstrip()
    if watching := _plain(row.get("watching")):
        return f"watches {watching}"
    return _plain(row.get("where")) or "lobby"


def _kind(row: Row) -> str:
    kind = _plain(row.get("kind"))
    return f"{kind}, gone" if row.get("present") is False else kind


def _seats(row: Row) -> str:
    seats, taken = _plain(row.get("seats")), _plain(row.get("taken"))
    return f"{taken}/{seats}" if taken and seats else seats


def _table_note(row: Row) -> str:
    watchers = row.get("watchers")
    return ", ".join(
        [
            *(["private"] if row.get("private") else []),
            *([f"{watchers} watching"] if isinstance(watchers, int) and watchers else []),
            *([str(row["options"])] if row.get("options") and isinstance(row["options"], str) else []),
        ]
    )


def _place(row: Row) -> str:
    place = row.get("place")
    return ordinal(place) if isinstance(place, int) else _plain(place)


def _results(row: Row) -> str:
    """Return the players of a finished match by place, each with the total."""
    names = row.get("players") or ()
    totals, places = row.get("totals") or (), row.get("places") or ()
    if not isinstance(names, Sequence) or isinstance(names, str):
        return _plain(names)
    results = []
    for at, name in enumerate(names):
        place = places[at] if at < len(places) else at
        total = f" {totals[at]}" if at < len(totals) else ""
        results.append((place, f"{_plain(name)}{total}"))
    return ", ".join([text for _, text in sorted(results, key=lambda result: result[0])])


def _sentence(*parts: str) -> str:
    """Return what is there of some parts as a sentence."""
    text = ", ".join([part for part in parts if part])
    return f"{text}." if text and not text.endswith((".", "?", "!")) else text


def _say_table(row: Row) -> str:
    seats, taken = _plain(row.get("seats")), _plain(row.get("taken"))
    name = f"called {row['name']}" if row.get("name") else ""
    filled = f"{taken} of {seats} seats taken" if taken and seats else ""
    players = f"at it {_plain(row['players'])}" if row.get("players") else ""
    return _sentence(
        f"Table {_plain(row.get('table'))}",
        name,
        _of("variant")(row),
        _of("state")(row),
        filled,
        players,
        _table_note(row),
    )


def _say_variant(row: Row) -> str:
    seats = _plain(row.get("seats"))
    return _sentence(
        f"{_plain(row.get('name'))}: {_plain(row.get('title'))}",
        f"for {seats} players" if seats else "",
        f"layout {_plain(row['layout']).replace('x', ' by ')}" if row.get("layout") else "",
        _of("summary")(row),
    )


def _say_top(row: Row) -> str:
    return _sentence(
        f"{capital(_place(row))}: {_plain(row.get('name'))}",
        _of("variant")(row),
        f"rating {_plain(row['rating'])}" if row.get("rating") is not None else "",
        f"{_plain(row.get('matches'))} matches, {_plain(row.get('wins'))} won"
        if row.get("matches") is not None
        else "",
    )


_IDLE_MS: Final = 60_000
"""Silence that is worth showing."""

_PLANS: Final[dict[str, _Plan]] = {
    "tables": _Plan(
        (
            (Column("table"), _of("table")),
            (Column("rules", narrowest=8), _of("variant")),
            (Column("state", spare=1), _of("state")),
            (Column("seats"), _seats),
            (Column("players", narrowest=8), _of("players")),
            (Column("name", spare=3), _of("name")),
            (Column("notes", spare=2), _table_note),
        ),
        _say_table,
    ),
    "who": _Plan(
        (
            (Column("name", narrowest=8), _of("name")),
            (Column("where"), _where),
            (Column("kind", spare=2), _kind),
            (Column("state", spare=3), _of("state")),
            (Column("silent for", spare=1), _idle),
        ),
        lambda row: _sentence(
            _plain(row.get("name")), _kind(row), _where(row), f"silent for {_idle(row)}" if _idle(row) else ""
        ),
    ),
    "variants": _Plan(
        (
            (Column("name", narrowest=8), _of("name")),
            (Column("title", spare=2), _of("title")),
            (Column("seats"), _of("seats")),
            (Column("cards", spare=1), _of("layout")),
            (Column("holes", spare=3, right=True), _of("holes")),
            (Column("to points", spare=4, right=True), _of("target")),
            (Column("", spare=5, narrowest=20), _of("summary")),
        ),
        _say_variant,
    ),
    "history": _Plan(
        (
            (Column("match"), _of("match")),
            (Column("rules", narrowest=8), _of("variant")),
            (Column("ended (UTC)", spare=1), _when),
            (Column("players and totals", narrowest=12), _results),
        ),
        lambda row: _sentence(
            f"Match {_plain(row.get('match'))}", _of("variant")(row), _when(row), _results(row)
        ),
    ),
    "top": _Plan(
        (
            (Column("place", right=True), _place),
            (Column("name", narrowest=8), _of("name")),
            (Column("rating", right=True), _of("rating")),
            (Column("rules", spare=1), _of("variant")),
            (Column("matches", right=True, spare=3), _of("matches")),
            (Column("won", right=True, spare=2), _of("wins")),
            (Column("among", spare=4), _of("pool")),
        ),
        _say_top,
    ),
    "stats": _Plan(
        (
            (Column("name", spare=4), _of("name")),
            (Column("rules", narrowest=8), _of("variant")),
            (Column("matches", right=True), _of("matches")),
            (Column("won", right=True), _of("wins")),
            (Column("best", right=True, spare=1), _of("best")),
            (Column("average", right=True, spare=2), _of("average")),
        ),
        lambda row: _sentence(
            _plain(row.get("name")),
            _of("variant")(row),
            *[
                f"{_name(key)} {_plain(row[key])}"
                for key in ("matches", "wins", "best", "average")
                if key in row
            ],
        ),
    ),
    "set": _Plan(
        (
            (Column("setting"), _of("name")),
            (Column("value"), _of("value")),
            (Column("takes", spare=1), _of("takes")),
            (Column("meaning", spare=2, narrowest=12), _of("meaning")),
        ),
        lambda row: _sentence(
            f"{_plain(row.get('name'))} is {_plain(row.get('value'))}", f"it takes {_plain(row.get('takes'))}"
        ),
    ),
}
"""How the rows of each kind are shown; a kind that is not here shows whatever its rows have."""
