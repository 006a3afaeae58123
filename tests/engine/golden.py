"""Golden playthroughs: one hole of random play in full, with what every viewer sees after each step.

They are written for a reader who checks them against the rules; a changed line is a changed rule.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, Final

from golfnet.engine.cards import Card
from golfnet.engine.frozen import defaults_of, fields_of
from golfnet.engine.hole import Gift
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import action_text, position_text, seat_letter
from golfnet.engine.rules import Recall, RuleSet
from golfnet.engine.views import mask, owner, view
from tests.engine.random_play import Step, play_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.events import Event
    from golfnet.engine.views import View

SEEDS: Final = {"cactus": 82, "nine-card": 11}
"""Seeds of lines of play that show more than seed 1 does: slams of all kinds, a reshuffle."""

SEATS: Final = {"nine-card": 3}
"""Seats of the playthroughs that need more than two to show it."""


def playthrough(rules: RuleSet) -> str:
    """Return the first hole of a seeded match as text."""
    seats, seed = SEATS.get(rules.name, 2), SEEDS.get(rules.name, 1)
    steps = golden_steps(rules)
    heading = f"{rules.name} by {seats}, recall=always, seed {seed}"
    return "\n".join([heading, *(line for step in steps for line in step_lines(step, seats))]) + "\n"


def golden_steps(rules: RuleSet) -> Iterator[Step]:
    """Return the steps of a playthrough; cards are remembered (X16), so that more is to be seen."""
    seats, seed = SEATS.get(rules.name, 2), SEEDS.get(rules.name, 1)
    return play_match(replace(rules, recall=Recall.ALWAYS), seats, Random(seed), holes=1)


def step_lines(step: Step, seats: int) -> Iterator[str]:
    """Yield a step: who did what, the events in full, then a line for each viewer."""
    yield ""
    if step.seat is not None and step.action is not None:
        yield f"{seat_letter(step.seat)} {action_text(step.action, step.seat)}"
    else:
        yield "the table"
    for event in step.events:
        yield f"    {event_text(event)}{seen_by(event)}"
    hole = step.after.hole
    if hole is not None:
        for viewer in (*map(Seat, range(seats)), None):
            yield from view_lines(view(hole, viewer))


def seen_by(event: Event) -> str:
    """Return who sees an event in full, nothing where all do."""
    if mask(event, None) == event:
        return ""
    seat = owner(event)
    return " (seen by nobody)" if seat is None else f" (seen by {seat_letter(seat)})"


def event_text(event: Event) -> str:
    """Return an event in full, its fields in order; one that came later is left out where it has its default."""
    defaults = defaults_of(type(event))
    written = [
        f"{name}={field_text(name, value)}"
        for name, value in fields_of(event).items()
        if name not in defaults or value != defaults[name]
    ]
    return " ".join([event.name, *written])


def view_lines(seen: View) -> Iterator[str]:
    """Yield what a viewer sees, and what it may do."""
    layouts = " | ".join(" ".join(layout) for layout in seen.layouts)
    facts = {
        "turn_of": seen.turn,
        "stock": seen.stock,
        "discard": seen.discard,
        "no": seen.discard_no,
        "holding": seen.holding,
        "drawn": seen.drawn,
        "power": seen.power or None,
        "gift": seen.gift,
        "window": seen.window and seen.window[:-1],  # which cards have moved is in the events
        "closer": seen.closer,
    }
    told = " ".join(f"{name}={field_text(name, value)}" for name, value in facts.items() if value is not None)
    yield f"  {'-' if seen.seat is None else seat_letter(seen.seat)} {layouts}  {seen.phase} {told}"
    if seen.seat is not None and any(seen.choices):
        own = seen.seat
        ways = [action_text(action, own) for action in seen.choices.actions]
        targets = {"switchable": seen.choices.switchable, "slammable": seen.choices.slammable}
        ways += [f"{name} {text(at)}" for name, at in targets.items() if at]
        yield f"      {', '.join(ways)}"


def field_text(name: str, value: Any) -> str:
    """Return the text of a named value; seats are letters."""
    return seat_letter(value) if name in _SEATS and value is not None else text(value)


def text(value: Any) -> str:
    """Return any value in the notation of the engine, lists in brackets."""
    match value:
        case None:
            return "-"
        case RuleSet():
            return value.name
        case Card():
            return value.text
        case Gift():
            return f"{seat_letter(value.seat)} for {position_text(value.to)}"
        case Position():
            return position_text(value)
        case Enum():
            return str(value.value)
        case bytes():
            return value.hex()
        case str():
            return value or '""'
        case tuple():
            return f"[{' '.join(map(text, value))}]"
        case _:
            return str(value)


_SEATS: Final = frozenset({"seat", "by", "turn_of", "holding", "closer", "dealer", "leader"})
