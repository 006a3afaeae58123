"""Random legal play: whole matches from a seed, with seats that know only the rules.

A kind of action is picked first and then one of that kind, so that the many possible switches and slams do not crowd
out the rest. Knocks are picked rarely, so that holes end in other ways too.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.cards import Card
from golfnet.engine.events import Event
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.legality import legal_actions
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from tests.engine.drawing import NAMES


def cards_on_the_table(hole: Hole) -> Counter[Card]:
    """Return every card of a hole, wherever it is."""
    cards = [*hole.stock, *hole.discards, *([hole.drawn.card] if hole.drawn else [])]
    return Counter(cards + [slot.card for layout in hole.layouts for slot in layout if slot])


class Step(NamedTuple):
    """One step of a match: who did what (None for the table itself), the events, and the match before and after."""

    before: Match
    seat: Seat | None
    action: Action | None
    events: tuple[Event, ...]
    after: Match


def play_hole(match: Match, chance: Random) -> Iterator[Step]:
    """Yield the steps of random legal play up to the end of the hole in play."""
    while match.is_playing:
        step = random_step(match, chance)
        yield step
        match = step.after


def play_match(rules: RuleSet, seats: int, chance: Random, *, holes: int | None = None) -> Iterator[Step]:
    """Yield the steps of a whole match, or of its first holes, dealt with the scheme used for all pinned deals."""
    match = matches.Match("m1")
    steps: list[Callable[[], matches.Step]] = [
        lambda: matches.commit(match, chance.randbytes(32), Scheme.V1),
        lambda: matches.start(match, rules, NAMES[:seats]),
        lambda: matches.deal(match, ("",) * seats),
    ]
    while True:
        for step in steps:
            before = match
            events, match = step()
            yield Step(before, None, None, events, match)
        for played in play_hole(match, chance):
            yield played
            match = played.after
        if match.places is not None or len(match.scores) == holes:
            return
        steps = [steps[0], steps[-1]]


def random_step(match: Match, chance: Random) -> Step:
    """Return a random step: a seat that may act does so, or sometimes the table closes the slam window."""
    hole = match.hole
    assert hole is not None
    asked = [(seat, actions) for seat in map(Seat, hole.seats) if (actions := legal_actions(hole, seat))]
    if hole.window is not None and hole.gift is None and chance.random() < 0.1:
        return Step(match, None, None, *matches.close_window(match))
    seat, actions = chance.choice(asked)
    action = choose(actions, chance)
    return Step(match, seat, action, *matches.act(match, seat, action))


def choose(actions: Sequence[Action], chance: Random) -> Action:
    """Return one of the actions: pick a kind first, and a knock only rarely."""
    verbs = sorted({action.verb for action in actions})
    verb = chance.choice(verbs)
    if verb == "knock" and chance.random() < 0.9:
        verb = chance.choice(verbs)
    return chance.choice([action for action in actions if action.verb == verb])
