"""Random lines of play through a hole, which can be replayed with other cards where a viewer has not seen the cards."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from random import Random
from typing import Any, Self

from golfnet.engine import match as matches
from golfnet.engine.cards import Card
from golfnet.engine.events import Dealt, Event
from golfnet.engine.frozen import Frozen, fields_of, replaced
from golfnet.engine.hole import Hole
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from tests.engine.random_play import play_match


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
