"""The lines of the form for a new table: readable labels, groups and presets. The rest comes from the protocol.

Invariant: every option of ``create`` and every field of a rule set has a line. An option without a label here appears
under its own name in the group ``Other``; a test checks that this group is empty.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from golfnet.engine.options import FIELDS
from golfnet.engine.rules import BOUNDS
from golfnet.protocol.commands.parse import COMMANDS


class Line(Struct, frozen=True, kw_only=True):
    """One line of the form: an option with its label, meaning and allowed values, and the words to step through."""

    name: str
    label: str
    meaning: str
    takes: str
    group: str = ""
    words: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None
    is_secret: bool = False
    empty: str = "none"
    """The text shown for an empty value."""


PRESETS: Final[dict[str, dict[str, str]]] = {
    "usual": {},
    "one hole": {"holes": "1"},
    "short": {"holes": "3"},
    "long course": {"holes": "18"},
    "to 50 points": {"target": "50"},
    "fast": {"clock": "20", "pause": "5"},
    "no hurry": {"clock": "0", "pause": "120"},
    "easy memory": {"recall": "always"},
}
"""Presets: named sets of changes; those that do not fit a rule set are not offered for it."""

_GROUPS: Final[dict[str, dict[str, str]]] = {
    "Table": {
        "name": "Name",
        "password": "Password",
        "seats": "Players",
        "clock": "Seconds per turn",
        "pause": "Pause in seconds",
        "fill": "Bots join after",
        "level": "Bot level",
        "hints": "Hints",
    },
    "Cards": {
        "rows": "Rows",
        "columns": "Columns",
        "decks": "Packs",
        "deck": "Ranks",
        "jokers": "Jokers per deck",
        "upcard": "First upcard",
        "extra_suits_from": "More suits from",
    },
    "Play": {
        "start": "At the start",
        "placed": "Placed cards lie",
        "lock": "Open cards stay",
        "flip": "Turn up after",
        "reveal": "Turn up as a turn",
        "power": "Power cards",
        "knock": "Knocking",
        "face_up": "All up ends hole",
        "final_turn": "Final turn",
        "turns": "Turns each",
        "turn_cap": "Max turns each",
        "reshuffles": "Reshuffles",
        "stock_end": "Empty stock",
        "recall": "Seen cards shown",
        "dealer": "First dealer",
        "leader": "First turn",
    },
    "Scoring": {
        "holes": "Holes",
        "target": "Target score",
        "cancel": "Cards count 0 for",
        "values": "Points",
        "penalty": "Closing penalty",
    },
    "Slams": {"slam": "Slams", "slam_window": "Seconds to slam"},
}

_WORDS: Final = {
    "column": "pairs in columns",
    "anywhere": "pairs anywhere",
    "all": "all equal cards",
    "up": "face up",
    "down": "face down",
    "always": "always",
    "once": "once",
}
"""Labels for words of the protocol that do not explain themselves."""


def shown(line: Line, value: str) -> str:
    """Return a value as the form shows it."""
    return _WORDS.get(value, value) if line.words else value.replace(",", ", ")


_TAKES: Final = {
    "TEXT": "some text",
    "WORD": "one word",
    "SECONDS": "a number of seconds",
    "LEVEL": "a bot level",
}
"""The values that the options of ``create`` take, in words."""


def _lines() -> list[Line]:
    found: dict[str, Line] = {}
    for option in COMMANDS["create"].options:
        found[option.name] = Line(
            name=option.name,
            label=option.name,
            meaning=f"{option.meaning[0].upper()}{option.meaning[1:]}.",
            takes=_TAKES.get(option.label, option.label.lower()),
            words=option.words,
            is_secret=option.secret,
            empty="none" if option.name in ("name", "password") else "usual",
        )
    for each in FIELDS.values():
        found[each.name] = Line(
            name=each.name,
            label=each.name.replace("_", " ").capitalize(),
            meaning=each.meaning,
            takes=each.takes,
            words=tuple(each.words) or (("off", "on") if each.takes == "on or off" else ()),
            bounds=BOUNDS[each.name] if each.name in BOUNDS.keys() - {"values", "decks"} else None,
        )
    named = {name: (group, label) for group, labels in _GROUPS.items() for name, label in labels.items()}
    names = [name for name in named if name in found] + [name for name in found if name not in named]
    places = [(found[name], *named.get(name, ("Other", found[name].label))) for name in names]
    return [replace(line, group=group, label=label) for line, group, label in places]


LINES: Final = _lines()
"""Every option in its group, the most used ones first."""
