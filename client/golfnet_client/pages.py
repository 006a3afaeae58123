"""Texts and lists that are laid over a screen: help, rules, ladders, matches to be replayed."""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A text laid over the screen: help, rules, a ladder, or a list of which a row can be chosen."""

    title: str
    lines: tuple[str, ...]
    rows: tuple[str, ...] = ()
    """The command of each row, for lists of which one can be chosen."""


def pages_of(kind: str, rows: list[Any]) -> Pages:
    """Return a list of the server as a text to be laid over the screen."""
    title = _TITLES.get(kind, kind.capitalize())
    if not rows:
        return Pages(title=title, lines=("Nothing yet.",))
    if all(isinstance(row, str) for row in rows):
        return Pages(title=title, lines=tuple(rows))
    cells = [[_cell(value) for value in row.values()] for row in rows]
    heads = [name.replace("_", " ") for name in rows[0]]
    sizes = [max(len(heads[at]), *(len(row[at]) for row in cells)) for at in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)) for row in [heads, *cells]
    ]
    chosen = tuple(f"record {row['match']}" for row in rows) if kind == "history" else ()
    return Pages(title=title, lines=tuple(lines), rows=chosen)


_TITLES: Final = {
    "top": "The ladder",
    "stats": "What was achieved",
    "history": "Finished matches",
    "log": "Slams",
}


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(_cell(each) for each in value)
        case dict():
            return str(value.get("name", ""))
        case float():
            return f"{value:.1f}"
        case _:
            return str(value)
