"""Random legal play: whole matches from a seed, with seats that know only the rules.

A line of play through a hole can be replayed with other cards where a viewer has not seen the cards.

A kind of action is picked first and then one of that kind, so that the many possible switches and slams do not crowd
out the rest. Knocks are picked rarely, so that holes end in other ways too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from random import Random
from typing import Any, NamedTuple, Self

from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.cards import Card, Seat
from golfnet.engine.events import Dealt, Event
from golfnet.engine.fairdeal import Scheme
from golfnet.engine.frozen import Frozen, fields_of, replaced
from golfnet.engine.hole import Hole
from golfnet.engine.legality import awaited, legal_actions
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


class Replay:
    """A line of play: its deck, with a distinct object for each card, and a script of who did what."""

    def __init__(self, rules: RuleSet, seats: int, chance: Random) -> None:
        steps = list(play_match(rules, seats, chance, holes=1))
        deal = next(step for step in steps if any(isinstance(event, Dealt) for event in step.events))
        played = [step for step in steps if step.before.is_playing]
        self.before = deal.before
        self.started, self.dealt, *self.others = deal.events
        assert isinstance(self.dealt, Dealt)
        self.deck = tuple(Card(card.rank, card.suit) for card in self.dealt.deck)
        self.rules = rules.for_seats(seats)
        self.script = [(step.seat, step.action) for step in played]
        self.asked = [
            (number, step.seat)
            for number, step in enumerate(played)
            if step.seat is not None and step.before.hole and step.seat in awaited(step.before.hole)
        ]
        """The index and the seat of each entry of the script that a seat had to choose."""

    def redealt(self, shown: object, chance: Random) -> Self:
        """Return a copy of the line in which every card that does not occur in ``shown`` is exchanged."""
        seen = {id(card) for card in _cards_in(shown)}
        unseen = [card for card in self.deck if id(card) not in seen]
        order = list(unseen)
        while order == unseen and len(set(unseen)) > 1:
            chance.shuffle(order)
        cards = iter(order)
        other = copy(self)
        other.deck = tuple(card if id(card) in seen else next(cards) for card in self.deck)
        return other

    def steps(self, until: int) -> Iterator[tuple[Sequence[Event], Match]]:
        """Yield the events of the deal and the resulting match, then the same for each entry before ``until``."""
        assert isinstance(self.dealt, Dealt)
        upcard = self.deck[-self.dealt.stock - 1] if self.dealt.discard else None
        events: Sequence[Event] = [
            self.started,
            replaced(self.dealt, deck=self.deck, discard=upcard),
            *self.others,
        ]
        match = self.before
        for event in events:
            match = matches.evolve(match, event)
        yield events, match
        for seat, action in self.script[:until]:
            if seat is None or action is None:
                events, match = matches.close_window(match)
            else:
                events, match = matches.act(match, seat, action)
            yield events, match

    def played(self, until: int) -> tuple[list[Event], Hole]:
        """Return all events before an entry of the script, and the resulting hole."""
        steps = list(self.steps(until))
        hole = steps[-1][1].hole
        assert hole is not None
        return [event for events, _ in steps for event in events], hole


def _cards_in(value: Any) -> Iterable[Card]:
    """Yield all card objects inside a value."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, Frozen):
        for item in fields_of(value).values():
            yield from _cards_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _cards_in(item)
