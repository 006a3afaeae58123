"""The form for a new table: every option of the rules with its allowed values, and why a choice is refused.

This module does no I/O. The form holds text, as ``create`` accepts it; the engine's own option parser checks it after
every change. Every option of ``create`` and every field of a rule set has a line; a test checks that none is missing.
"""

from collections.abc import Mapping
from contextlib import suppress
from itertools import groupby
from typing import Any, Final

from msgspec import Struct, field

from golfnet.engine.cards import JOKER
from golfnet.engine.errors import RuleError
from golfnet.engine.options import FIELDS, override
from golfnet.engine.rules import BOUNDS, RuleSet
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.text.typeset import wrapped
from golfnet_client.model.model import Model
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import Choice, keys_of
from golfnet_client.screens.lobby_screen import about, rule_sets_of
from golfnet_client.screens.panels import draw_actions, draw_header


class Line(Struct, frozen=True, kw_only=True):
    """One line of the form: an option with its label, meaning and allowed values, and the values to step through."""

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

    @property
    def can_be_typed(self) -> bool:
        """Whether the value can also be typed; rule sets and presets can only be chosen."""
        return self.name not in ("variant", "preset")


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


_TAKES: Final = {
    "TEXT": "some text",
    "WORD": "one word",
    "SECONDS": "a number of seconds",
    "LEVEL": "a bot level",
}
"""Descriptions of the values that the options of ``create`` take."""


_OPTIONS: Final = {option.name: option for option in COMMANDS["create"].options}


def _line(group: str, name: str, label: str) -> Line:
    if name in FIELDS:
        each = FIELDS[name]
        return Line(
            name=name,
            label=label,
            meaning=each.meaning,
            takes=each.takes,
            group=group,
            words=tuple(each.words) or (("off", "on") if each.takes == "on or off" else ()),
            bounds=BOUNDS[name] if name in BOUNDS.keys() - {"values", "decks"} else None,
        )
    option = _OPTIONS[name]
    return Line(
        name=name,
        label=label,
        meaning=f"{option.meaning[0].upper()}{option.meaning[1:]}.",
        takes=_TAKES.get(option.label, option.label.lower()),
        group=group,
        words=option.words,
        is_secret=option.secret,
        empty="none" if name in ("name", "password") else "usual",
    )


LINES: Final = [_line(group, *each) for group, labels in _GROUPS.items() for each in labels.items()]
"""Every option in its group, the most used ones first."""


LIST_WIDTH: Final = 50
"""Width of the list in columns if the explanation is beside it."""

WIDE_FROM: Final = 96
"""Minimum number of window columns for the explanation to be beside the list."""

VALUE_AT: Final = 24
"""The column in which values begin, after the widest label."""


class Form(Struct):
    """The current choices; ``variants`` are the server's rule sets by name."""

    variants: dict[str, RuleSet]
    variant: str
    changes: dict[str, str] = field(default_factory=dict)
    at: int = 0
    preset: str = "usual"

    @property
    def lines(self) -> list[Line]:
        """Return the lines of the form, rule set and preset first."""
        rules = self.variants[self.variant]
        variant = Line(
            name="variant",
            label="Rule set",
            meaning="The rules to play by.",
            takes="one of the server's rule sets",
            words=tuple(self.variants),
        )
        preset = Line(
            name="preset",
            label="Preset",
            meaning="Sets several options at once.",
            takes="a preset; you can still change every option",
            words=tuple([name for name, changes in PRESETS.items() if not _problem(rules, changes)]),
        )
        return [variant, preset, *LINES]

    @property
    def line(self) -> Line:
        """The selected line."""
        return self.lines[self.at]

    def value(self, name: str) -> str:
        """Return the current value of an option, as text."""
        chosen = {"variant": self.variant, "preset": self.preset, **self.changes}
        if name in chosen or name not in FIELDS:
            return chosen.get(name, "")
        changes = {each: text for each, text in self.changes.items() if each in FIELDS and each != "seats"}
        rules = self.variants[self.variant]
        with suppress(RuleError):  # changes that cannot be played do not affect other options
            rules = override(rules, changes)
        if name == "seats":
            return str(rules.seats.high)
        if name == "values":
            ranks = (*rules.deck.ranks, JOKER)
            return FIELDS[name].write({rank: rules.values[rank] for rank in ranks if rank in rules.values})
        return FIELDS[name].write(getattr(rules, name))

    def change(self, name: str, text: str) -> None:
        """Set an option; an empty text resets it."""
        if name == "variant":
            self.variant, self.changes, self.preset = text or self.variant, {}, "usual"
        elif name == "preset":
            self.preset = text or "usual"
            kept = {key: value for key, value in self.changes.items() if key in ("name", "password")}
            self.changes = kept | PRESETS.get(self.preset, {})
        elif text.strip():
            self.changes[name] = text.strip()
        else:
            self.changes.pop(name, None)

    def go(self, by: int) -> None:
        """Select another line."""
        self.at = max(0, min(self.at + by, len(self.lines) - 1))

    def step(self, by: int) -> None:
        """Go to the next or previous value of the selected line."""
        line = self.line
        now = self.value(line.name)
        if line.words:
            at = line.words.index(now) if now in line.words else 0 if by < 0 else -1
            self.change(line.name, line.words[(at + by) % len(line.words)])
        elif line.bounds is not None:
            low, high = line.bounds
            start = int(now) if now.removeprefix("-").isdecimal() else low - by
            self.change(line.name, str(min(high, max(low, start + by))))

    def is_changed(self, line: Line) -> bool:
        """Return whether an option differs from the rule set's own value."""
        if line.name not in self.changes or line.name not in FIELDS or line.name == "seats":
            return line.name in self.changes
        rules = self.variants[self.variant]
        return FIELDS[line.name].write(getattr(rules, line.name)) != self.changes[line.name]

    @property
    def problem(self) -> str:
        """Why the table cannot be opened, or ``""`` if it can."""
        return _problem(self.variants[self.variant], self.changes)

    def command(self) -> str:
        """Return the command that opens the table."""
        words = [
            f'{name}="{text}"' if " " in text else f"{name}={text}" for name, text in self.changes.items()
        ]
        return " ".join(["create", self.variant, *words])


def _problem(rules: RuleSet, changes: Mapping[str, str]) -> str:
    """Return why rules cannot be played with these changes, or ``""`` if they can."""
    changed = {name: text for name, text in changes.items() if name in FIELDS}
    seats = changed.get("seats", "")
    if seats.isdecimal():
        if not rules.seats.low <= int(seats) <= rules.seats.high:
            return f"seats: from {rules.seats.low} to {rules.seats.high} for {rules.name}, not {seats}"
        changed["seats"] = f"{min(rules.seats.low, int(seats))}-{seats}"
    try:
        override(rules, changed)
    except RuleError as error:
        return str(error)
    return ""


def new_form(rows: list[dict[str, Any]], fallback: Mapping[str, RuleSet]) -> Form:
    """Return the form for the rule sets that the server lists, or the engine's if it has listed none yet."""
    variants = rule_sets_of(rows) or dict(fallback)
    return Form(variants, next(iter(variants)))


def form_keys(form: Form) -> list[Choice]:
    """Return the keys of the form."""
    line = form.line
    has_steps = bool(line.words) or line.bounds is not None
    return keys_of(
        ("enter", "open the table", not form.problem),
        ("left", "less" if line.bounds else "previous", has_steps),
        ("right", "more" if line.bounds else "next", has_steps),
        ("e", "type it", line.can_be_typed),
        ("del", "reset", line.name in form.changes),
        ("u", "rules", True),
        ("esc", "back", True),
    )


def draw_form(canvas: Canvas, form: Form, model: Model) -> None:
    """Draw the form."""
    width, height = canvas.width, canvas.height
    draw_header(canvas, model, "new table")
    bottom = height - draw_actions(canvas, 1, height - 1, width - 2, form_keys(form))
    wide = width >= WIDE_FROM
    list_width = LIST_WIDTH if wide else width - 2
    foot = 0 if wide else min(5, bottom - 6)
    _draw_list(canvas, form, list_width, bottom - 2 - foot)
    if wide:
        canvas.box(list_width + 3, 1, width - list_width - 4, bottom - 1, "panel")
        _draw_detail(canvas, form, list_width + 5, 2, width - list_width - 8, bottom - 4, "panel")
    else:
        canvas.put(1, bottom - foot, "─" * (width - 2), "felt dim")
        _draw_detail(canvas, form, 2, bottom - foot + 1, width - 4, foot - 1, "felt")


def _draw_list(canvas: Canvas, form: Form, width: int, room: int) -> None:
    """Draw as many lines as fit, under the names of their groups, with a mark if more follow."""
    lines = form.lines
    rows: list[str | Line] = []
    for group, members in groupby(lines, key=lambda line: line.group):
        rows += [*([group] if group else []), *members]
    first = max(0, min(rows.index(lines[form.at]) - room // 2, len(rows) - room))
    for y, row in enumerate(rows[first : first + room], 2):
        if isinstance(row, str):
            canvas.put(2, y, row, "felt title")
        else:
            _draw_line(canvas, form, row, lines.index(row), y, width)
    canvas.put(width, 2, "▲" if first else "", "felt dim")
    canvas.put(width, 1 + room, "▼" if first + room < len(rows) else "", "felt dim")


def _draw_line(canvas: Canvas, form: Form, line: Line, number: int, y: int, width: int) -> None:
    chosen, changed = number == form.at, form.is_changed(line)
    style = "row" if chosen else "felt"
    dim = style if chosen else f"{style} dim"
    canvas.fill(1, y, width - 1, 1, style)
    canvas.put(2, y, "▶" if chosen else " ", style)
    canvas.put(4, y, line.label, style, width=VALUE_AT - 7)
    canvas.put(VALUE_AT - 3, y, "*" if changed else " ", style)
    value = form.value(line.name)
    text = _WORDS.get(value, value) if line.words else value.replace(",", ", ")
    if line.is_secret:
        text = "*" * 6 * bool(value)
    how = f"{style} turn" if changed and not chosen else style
    end = canvas.put(VALUE_AT + 1, y, text or line.empty, how, width=width - VALUE_AT - 5)
    canvas.put_right(width - 2, y, "changed" if changed and width - end > 12 else "", dim)
    canvas.zone(1, y, width - 1, 1, f"row {number}")
    if line.words or line.bounds:
        for x, sign, by in ((VALUE_AT - 1, "◂", -1), (end + 1, "▸", 1)):
            canvas.put(x, y, sign, dim)
            canvas.zone(x, y, 1, 1, f"step {number} {by}")


def _draw_detail(canvas: Canvas, form: Form, x: int, y: int, width: int, height: int, style: str) -> None:
    """Draw what the selected line means and allows, preceded by the reason why the table cannot be opened, if any."""
    line = form.line
    if line.name == "variant":
        rules = form.variants[form.variant]
        allowed = f"{rules.seats.low} to {rules.seats.high} players, {about(rules)}."
    elif line.name == "preset":
        changes = " ".join([f"{name}={text}" for name, text in PRESETS[form.preset].items()])
        allowed = changes or "No changes to the rule set."
    else:
        allowed = f"{line.takes[:1].upper()}{line.takes[1:]}."
    texts = [(form.problem, f"{style} urgent")] if form.problem else []
    texts += [(line.meaning, f"{style} name"), (allowed, style)]
    if height > 6:
        words = FIELDS[line.name].words if line.name in FIELDS else {}
        texts += [("", style), *[(f"  {word}  {text}", style) for word, text in words.items()]]
        command, secret = form.command(), form.changes.get("password")
        texts += [("", style), (command.replace(secret, "*" * 6) if secret else command, f"{style} dim")]
    rows = [(part, how) for text, how in texts for part in wrapped(text, width)]
    for number, (text, how) in enumerate(rows[:height]):
        canvas.put(x, y + number, text, how, width=width)
