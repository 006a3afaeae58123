"""Playthroughs and counts of action sequences match the files in tests/data; one count is checked by hand.

A playthrough is one hole of random play in full, with what every viewer sees each time it changes. It is written for a
reader who checks it against the rules; a changed line means a changed rule.

Counts are those of all sequences of actions up to a given depth from pinned holes; a change of any rule changes them.
At each step of a sequence, any seat that may act does so, or the table closes a slam window. The last action is counted
but not played.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from golfnet.engine import play
from golfnet.engine.actions import action_text
from golfnet.engine.cards import Card, Position, Seat, position_text, seat_letter
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EVENTS, Event, Slammed, SlamResult
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole
from golfnet.engine.legality import legal_actions
from golfnet.engine.rules import Recall, RuleSet
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import View, mask, owner, view
from golfnet.engine.wire import event_fields
from golfnet.rulesets import catalogue
from tests.engine.drawing import FOUR, begun, dealt
from tests.engine.random_play import Step, play_hole, play_match
from tests.golden import GoldenFiles

DATA = Path(__file__).parents[1] / "data"


def test_there_is_one_golden_file_for_each_rule_set() -> None:
    assert {path.stem for path in (DATA / "playthroughs").iterdir()} == set(SEEDS)
    assert {path.stem for path in (DATA / "perft").iterdir()} == set(catalogue())


# --- playthroughs

SEEDS: Final = {"cactus": 1912, "six-card": 175}
"""Seeds of two short holes, by rule set, that together show flips, passes and all kinds of slams."""


@pytest.mark.parametrize("name", SEEDS)
def test_playthroughs_replay_line_for_line(name: str, golden: GoldenFiles) -> None:
    golden.check(DATA / "playthroughs" / f"{name}.txt", playthrough(VARIANTS[name]))


def test_the_playthroughs_show_every_kind_of_event_except_a_reshuffle() -> None:
    shown = [event for name in SEEDS for step in golden_steps(VARIANTS[name]) for event in step.events]
    assert {event.name for event in shown} == EVENTS.keys() - {"reshuffled"}
    assert {event.result for event in shown if isinstance(event, Slammed)} == set(SlamResult)


def playthrough(rules: RuleSet) -> str:
    """Return the first hole of a seeded match as text."""
    lines = [f"{rules.name} recall=always, seed {SEEDS[rules.name]}"]
    seen: dict[str, str] = {}
    for step in golden_steps(rules):
        lines += step_lines(step)
        before, seen = seen, seen_after(step)
        lines += [f"  {viewer} {line}" for viewer, line in seen.items() if seen != before]
    return "\n".join(lines) + "\n"


def golden_steps(rules: RuleSet) -> Iterator[Step]:
    """Return the steps of a playthrough in which views keep showing what seats have seen (X16)."""
    remembered = replaced(rules, recall=Recall.ALWAYS)
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
    """Return what a viewer sees, except which cards have moved since the discard: the events show that."""
    window = seen.window
    layouts = " | ".join(" ".join(layout) for layout in seen.layouts)
    seats = {"turn_of": seen.turn, "holding": seen.holding, "closer": seen.closer}
    facts = {
        **{name: seat_letter(seat) for name, seat in seats.items() if seat is not None},
        **{"stock": seen.stock, "discard": seen.discard, "no": seen.discard_no, "drawn": seen.drawn},
        "power": seen.power or None,
        "gift": seen.gift and f"{seat_letter(seen.gift.seat)} for {position_text(seen.gift.to)}",
        "window": window
        and (window.discard_no, window.card, seen.rules.slam, window.won, bool(window.passed)),
    }
    told = " ".join(f"{name}={text(value)}" for name, value in facts.items() if value is not None)
    return f"{layouts}  {seen.phase} {told}"


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


# --- counts

MOST: Final = 30_000
"""Upper limit for a pinned count, so that the test stays quick."""


@pytest.mark.parametrize("name", catalogue())
def test_action_counts_match_the_pinned_ones(name: str, golden: GoldenFiles) -> None:
    path = DATA / "perft" / f"{name}.txt"
    holes = pinned(catalogue()[name])
    if golden.renew:
        numbers = {place: counts(hole) for place, hole in holes.items()}
    else:
        numbers = {
            place: [count(holes[place], depth) for depth in range(1, len(known.split()) + 1)]
            for place, known in (line.split(": ") for line in path.read_text("utf-8").splitlines())
        }
    lines = [f"{place}: {' '.join(map(str, found))}" for place, found in numbers.items()]
    golden.check(path, "\n".join(lines) + "\n")
    assert list(numbers) == list(holes)


def test_the_first_choices_of_two_seats_match_a_count_made_by_hand() -> None:
    hole = dealt(VARIANTS["four-turn"], FOUR).hole
    assert count(hole, 1) == 2 * 3, "slot 3, slot 4, or both"
    assert count(hole, 2) == 2 * (1 * (0 + 3) + 2 * (1 + 3)), (
        "the other seat's three choices; after a single slot, also the second one"
    )


def count(hole: Hole, depth: int) -> int:
    """Return the number of sequences of ``depth`` actions."""
    if depth == 1:
        closings = hole.window is not None and hole.gift is None
        return sum(len(legal_actions(hole, Seat(seat))) for seat in hole.seats) + closings
    return sum(count(after, depth - 1) for after in following(hole))


def counts(hole: Hole) -> list[int]:
    """Return the numbers of sequences of one action, of two actions and so on, while they are below ``MOST``."""
    found = [count(hole, 1)]
    while found[-1] > 0 and (lines := count(hole, len(found) + 1)) < MOST:
        found.append(lines)
    return found


def following(hole: Hole) -> Iterator[Hole]:
    """Yield each state that one action, or the closing of the window, leads to."""
    for seat in map(Seat, hole.seats):
        for action in legal_actions(hole, seat):
            yield play.decide(hole, seat, action)[1]
    try:
        yield play.close_window(hole)[1]
    except IllegalAction:
        return


def pinned(rules: RuleSet) -> dict[str, Hole]:
    """Return a two-seat hole at three points: after the deal, at the first turn, and somewhere in the middle."""
    played = begun(rules, seats=2)
    deal = played.hole
    played.chosen()
    steps = [*play_hole(played.match, Random(124))]
    middle = steps[len(steps) // 2].after.hole
    assert middle is not None
    return {"deal": deal, "first turn": played.hole, "middle": middle}
