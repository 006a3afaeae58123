"""Golden playthroughs: one hole of random play in full, with what every viewer sees each time it changes.

They are written for a reader who checks them against the rules; a changed line means a changed rule.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

from golfnet.engine.cards import Card
from golfnet.engine.events import Event
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.notation import action_text, position_text, seat_letter
from golfnet.engine.rules import Recall, RuleSet
from golfnet.engine.views import View, mask, owner, view
from golfnet.engine.wire import event_fields
from tests.engine.random_play import Step, play_match

SEEDS: Final = {"cactus": 1912, "six-card": 175}
"""Seeds of two short holes, by rule set, that together show flips, passes and all kinds of slams."""


def playthrough(rules: RuleSet) -> str:
    """Return the first hole of a seeded match as text."""
    lines = [f"{rules.name} recall=always, seed {SEEDS[rules.name]}"]
    seen: dict[str, str] = {}
    may: dict[str, str] = {}
    for step in golden_steps(rules):
        lines += step_lines(step)
        before, seen = seen, seen_after(step)
        lines += [f"  {viewer} {line}" for viewer, line in seen.items() if seen != before]
        before, may = may, offered_after(step)
        lines += [f"  {seat} may {line}" for seat, line in may.items() if may != before]
    return "\n".join(lines) + "\n"


def golden_steps(rules: RuleSet) -> Iterator[Step]:
    """Return the steps of a playthrough in which views keep showing what seats have seen (X16)."""
    remembered = replace(rules, recall=Recall.ALWAYS)
    return play_match(remembered, rules.seats.low, Random(SEEDS[rules.name]), holes=1)


def step_lines(step: Step) -> Iterator[str]:
    """Yield a step: who did what, and the events in full."""
    if step.seat is not None and step.action is not None:
        yield f"{seat_letter(step.seat)} {action_text(step.action, step.seat)}"
    else:
        yield "the table"
    for event in step.events:
        yield f"    {event_text(event)}{seen_by(event)}"


def seen_after(step: Step) -> dict[str, str]:
    """Return the view of a watcher after a step, and of each seat whose view differs from it."""
    hole = step.after.hole
    if hole is None:
        return {}
    watched = view_line(view(hole, None))
    own = {seat_letter(seat): view_line(view(hole, seat)) for seat in map(Seat, hole.seats)}
    return {"-": watched} | {seat: line for seat, line in own.items() if line != watched}


def offered_after(step: Step) -> dict[str, str]:
    """Return what each seat may do after a step, if anything."""
    hole = step.after.hole
    if hole is None:
        return {}
    seats = map(Seat, hole.seats)
    offers = {seat_letter(seat): ", ".join(ways(view(hole, seat).choices, seat)) for seat in seats}
    return {seat: line for seat, line in offers.items() if line}


def seen_by(event: Event) -> str:
    """Return who sees an event in full, or an empty text if everybody does."""
    if mask(event, None) == event:
        return ""
    seat = owner(event)
    return " (seen by nobody)" if seat is None else f" (seen by {seat_letter(seat)})"


def event_text(event: Event) -> str:
    """Return an event with its fields as they are stored, apart from the options of the rules."""
    (_, name), *fields = event_fields(event, internal=True).items()
    return " ".join([str(name), *(f"{field}={text(value)}" for field, value in fields if field != "options")])


def view_line(seen: View) -> str:
    """Return what a viewer sees."""
    layouts = " | ".join(" ".join(layout) for layout in seen.layouts)
    seats = {"turn_of": seen.turn, "holding": seen.holding, "closer": seen.closer}
    facts = {
        **{name: seat_letter(seat) for name, seat in seats.items() if seat is not None},
        **{"stock": seen.stock, "discard": seen.discard, "no": seen.discard_no, "drawn": seen.drawn},
        "power": seen.power or None,
        "gift": seen.gift and f"{seat_letter(seen.gift.seat)} for {position_text(seen.gift.to)}",
        "window": seen.window and seen.window[:-1],  # the events show which cards have moved
    }
    told = " ".join(f"{name}={text(value)}" for name, value in facts.items() if value is not None)
    return f"{layouts}  {seen.phase} {told}"


def ways(offered: Choices, own: Seat) -> Iterator[str]:
    """Yield what a seat may do: its actions, then the cards that it may switch or slam."""
    yield from (action_text(action, own) for action in offered.actions)
    targets = {"switchable": offered.switchable, "slammable": offered.slammable}
    yield from (f"{name} {text(at)}" for name, at in targets.items() if at)


def text(value: object) -> str:
    """Return any value in the engine's notation, with lists in brackets."""
    match value:
        case None:
            return "-"
        case Card():
            return value.text
        case Position():
            return position_text(value)
        case list() | tuple():
            return f"[{' '.join(map(text, value))}]"
        case _:
            return str(value)
