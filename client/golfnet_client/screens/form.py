"""The form for a new table: every option of the rules with what it may be, and at once why something cannot be.

Pure. What the form holds is text, as ``create`` takes it; whether it can be played is asked of the engine's own
reader of options, with every change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from golfnet.engine.cards import JOKER
from golfnet.engine.errors import RuleError
from golfnet.engine.options import FIELDS, from_options, override
from golfnet.engine.rules import BOUNDS, RuleSet
from golfnet.protocol.commands.parse import COMMANDS
from golfnet.protocol.text.typeset import wrapped
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import Choice
from golfnet_client.screens.panels import draw_actions, draw_header

if TYPE_CHECKING:
    from collections.abc import Mapping

    from golfnet_client.model.model import Model
    from golfnet_client.screens.faces import Look

FORM_KEYS: Final = (
    Choice("enter", "open the table", "open"),
    Choice("left", "less", "less"),
    Choice("right", "more", "more"),
    Choice("e", "type a value", "edit"),
    Choice("del", "as usual", "reset"),
    Choice("u", "rules", "rules"),
    Choice("esc", "back", "back"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the form: an option, what it means, what it takes, and the words to go through."""

    name: str
    meaning: str
    takes: str
    words: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None


@dataclass(slots=True)
class Form:
    """What was chosen so far; ``variants`` are the rule sets of the server by name."""

    variants: dict[str, RuleSet]
    variant: str
    changes: dict[str, str] = field(default_factory=dict)
    at: int = 0
    problem: str = ""

    @property
    def lines(self) -> list[Line]:
        """The lines of the form, the rule set first."""
        first = Line(
            name="variant", meaning="The rule set.", takes="one of the server's", words=tuple(self.variants)
        )
        return [first, *_TABLE_LINES, *_RULE_LINES]

    def value(self, name: str) -> str:
        """Return what an option is now, as text."""
        if name == "variant":
            return self.variant
        if name in self.changes:
            return self.changes[name]
        if name not in FIELDS:
            return ""
        rules = self._played
        if name == "seats":
            return str(rules.seats.high)
        if name == "values":
            ranks = (*rules.deck.ranks, JOKER)
            return FIELDS[name].write({rank: rules.values[rank] for rank in ranks if rank in rules.values})
        return FIELDS[name].write(getattr(rules, name))

    def change(self, name: str, text: str) -> None:
        """Set an option, and see whether it can be played."""
        if name == "variant":
            self.variant, self.changes = text, {}
        elif text.strip():
            self.changes[name] = text.strip()
        else:
            self.changes.pop(name, None)
        self.problem = self.check()

    def step(self, by: int) -> None:
        """Go to the next or last value of the line that is chosen."""
        line = self.lines[self.at]
        now = self.value(line.name)
        if line.words:
            at = line.words.index(now) if now in line.words else 0
            self.change(line.name, line.words[(at + by) % len(line.words)])
        elif line.bounds is not None:
            low, high = line.bounds
            start = int(now) if now.lstrip("-").isdigit() else low - by
            self.change(line.name, str(min(high, max(low, start + by))))

    @property
    def _played(self) -> RuleSet:
        """The rules as changed; unchanged where they could not be played so."""
        changes = {name: text for name, text in self.changes.items() if name in FIELDS and name != "seats"}
        try:
            return override(self.variants[self.variant], changes)
        except RuleError:
            return self.variants[self.variant]

    def check(self) -> str:
        """Return why the table cannot be opened as it stands, empty if it can."""
        rules = self.variants[self.variant]
        changes = {name: text for name, text in self.changes.items() if name in FIELDS}
        seats = changes.get("seats", "")
        if seats.isdigit():
            if not rules.seats.low <= int(seats) <= rules.seats.high:
                return f"seats: from {rules.seats.low} to {rules.seats.high} for {rules.name}, not {seats}"
            changes["seats"] = f"{min(rules.seats.low, int(seats))}-{seats}"
        try:
            override(rules, changes)
        except RuleError as error:
            return str(error)
        return ""

    def command(self) -> str:
        """Return the command that opens the table."""
        words = [
            f'{name}="{text}"' if " " in text else f"{name}={text}" for name, text in self.changes.items()
        ]
        return " ".join(["create", self.variant, *words])


def new_form(rows: list[dict[str, Any]], fallback: Mapping[str, RuleSet]) -> Form:
    """Return the form for the rule sets that the server lists; without a list for those of the engine."""
    variants = {
        row["name"]: from_options(row["name"], row["options"]) for row in rows if row.get("options")
    } or dict(fallback)
    return Form(variants, next(iter(variants)))


def draw_form(form: Form, model: Model, width: int, height: int, look: Look) -> Canvas:
    """Return the picture of the form."""
    canvas = Canvas(width, height, "class:felt")
    draw_header(canvas, model, "a new table", look)
    used = draw_actions(canvas, 1, height - 1, width - 2, FORM_KEYS, look)
    bottom = height - used
    wide = width >= 96
    list_width = 46 if wide else width - 2
    foot = 0 if wide else 5
    room = bottom - 2 - foot
    lines = form.lines
    first = max(0, min(form.at - room // 2, len(lines) - room))
    for number, line in enumerate(lines[first : first + room], first):
        y = 2 + number - first
        chosen = number == form.at
        style = "class:row" if chosen else "class:felt"
        changed = line.name in form.changes or line.name == "variant"
        canvas.fill(1, y, list_width, 1, style)
        canvas.put(2, y, look.pointer if chosen else " ", style)
        canvas.put(4, y, line.name, style)
        mark = "*" if line.name in form.changes else " "
        value = form.value(line.name) or "-"
        canvas.put(
            22,
            y,
            f"{mark} {value}",
            f"{style} class:turn" if changed and not chosen else style,
            width=list_width - 23,
        )
        canvas.zone(1, y, list_width, 1, f"row {number}")
    if wide:
        canvas.box(49, 1, width - 50, bottom - 1, "class:panel", look.frame)
        _draw_detail(canvas, form, 51, 2, width - 54, bottom - 4, "class:panel", look)
    else:
        canvas.put(1, bottom - foot, look.line * (width - 2), "class:felt class:dim")
        _draw_detail(canvas, form, 2, bottom - foot + 1, width - 4, foot - 1, "class:felt", look)
    return canvas


def _draw_detail(
    canvas: Canvas, form: Form, x: int, y: int, width: int, height: int, style: str, look: Look
) -> None:
    line = form.lines[form.at]
    rows: list[tuple[str, str]] = []
    if form.problem:
        rows += [(part, f"{style} class:urgent") for part in wrapped(form.problem, width)]
    rows += [(part, f"{style} class:name") for part in wrapped(line.meaning, width)]
    rows += [(part, style) for part in wrapped(f"Takes {line.takes}.", width)]
    words = FIELDS[line.name].words if line.name in FIELDS else {}
    if height > 6:
        rows.append(("", style))
        rows += [
            (part, style) for word, text in words.items() for part in wrapped(f"  {word}  {text}", width)
        ]
        if line.name == "variant":
            rules = form.variants[form.variant]
            rows += [(part, style) for part in wrapped(_summary(rules), width)]
        rows += [("", style), (form.command(), f"{style} class:dim")]
    for number, (text, how) in enumerate(rows[:height]):
        canvas.put(x, y + number, text, how, width=width)


def _summary(rules: RuleSet) -> str:
    end = f"to {rules.target} points" if rules.target else f"{rules.holes} holes"
    return f"{rules.seats.low} to {rules.seats.high} seats, {rules.rows} by {rules.columns} cards, {end}."


_SWITCH_WORDS: Final = ("off", "on")

_TABLE_LINES: Final = tuple(
    [
        Line(
            name=option.name,
            meaning=f"{option.meaning[0].upper()}{option.meaning[1:]}.",
            takes=option.label.lower(),
            words=option.words,
        )
        for option in COMMANDS["create"].options
    ]
)

_RULE_LINES: Final = tuple(
    [
        Line(
            name=each.name,
            meaning=each.meaning,
            takes=each.takes,
            words=tuple(each.words) or (_SWITCH_WORDS if each.takes == "on or off" else ()),
            bounds=BOUNDS[each.name] if each.name in BOUNDS.keys() - {"values", "decks"} else None,
        )
        for each in FIELDS.values()
    ]
)
