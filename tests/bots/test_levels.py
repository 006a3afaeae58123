"""Every level obeys every rule set, plays the same with the same seed, and uses nothing that it cannot see."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.bots.bot import LEVELS
from golfnet.bots.levels import make_bot
from golfnet.engine import match as matches
from golfnet.engine.actions import Action, Take
from golfnet.engine.cards import Card
from golfnet.engine.events import Dealt, Event
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole, Phase
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited, choices
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view
from golfnet.rulesets import catalogue
from tests.bots.playing import is_allowed, play, short
from tests.bots.samples import last_choices, pairs_to_complete
from tests.engine.random_play import play_match
from tests.engine.strategies import rule_sets
from tests.engine.test_laws_of_secrecy import found_in

CATALOGUE = catalogue()


FINAL = [name for name, rules in CATALOGUE.items() if rules.final_turn or rules.knock]
THOUGHTFUL = pytest.mark.parametrize("level", ["easy", "medium", "hard"])


@THOUGHTFUL
@pytest.mark.parametrize("name", FINAL)
def test_the_last_choice_gives_the_lowest_possible_score(name: str, level: str) -> None:
    compared = 0
    for chosen, least in last_choices(level, CATALOGUE[name]):
        assert chosen == least
        compared += 1
    assert compared > 3


@THOUGHTFUL
@pytest.mark.parametrize("name", ["six-card", "six-card-final"])
def test_a_card_that_completes_a_known_pair_is_taken(name: str, level: str) -> None:
    choices = list(pairs_to_complete(level, CATALOGUE[name]))
    assert len(choices) > 3
    assert set(choices) == {Take(4)}


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_level_plays_every_rule_set_to_the_end_within_the_rules(name: str) -> None:
    rules = CATALOGUE[name]
    scores, chosen = play(rules, ("hard", "medium", "easy", "random"), 1)
    assert len(scores) == 4
    assert {choice.seat for choice in chosen} == {0, 1, 2, 3}


@settings(max_examples=30)
@given(rule_sets(), st.integers(0, 2**32), st.sampled_from(list(LEVELS)), st.sampled_from(list(LEVELS)))
def test_every_level_plays_with_any_options_a_host_chooses(
    rules: RuleSet, seed: int, one: str, another: str
) -> None:
    seats = rules.seats.low
    play(short(rules, turns=3), ([one, another] * seats)[:seats], seed)


@pytest.mark.parametrize("name", ["six-card", "cactus", "four-turn"])
def test_the_same_seed_makes_the_same_hole(name: str) -> None:
    levels = ("hard", "medium", "easy", "random")
    assert play(CATALOGUE[name], levels, 7) == play(CATALOGUE[name], levels, 7)
    assert play(CATALOGUE[name], levels, 7) != play(CATALOGUE[name], levels, 8)


# --- a choice is a function of what the seat sees


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CATALOGUE)
def test_redealing_what_a_bot_cannot_see_leaves_its_choice_unchanged(name: str, level: str) -> None:
    """Play a random line and note the choice at its end, then play the same line with all unseen cards exchanged."""
    compared = 0
    for seed in range(4):
        chance = Random(f"{name}/{level}/{seed}")
        line = Line(CATALOGUE[name], 3, chance)
        for until, seat in chance.sample(line.asked, min(3, len(line.asked))):
            choice, shown, seen = line.choice(until, seat, level)
            other = line.redealt(seen, chance)
            again, shown_again, _ = other.choice(until, seat, level)
            assert other.deck != line.deck
            assert shown_again == shown
            assert again == choice
            compared += 1
    assert compared >= 6


class Line:
    """A random line of play through one hole, which can be replayed with other cards."""

    def __init__(self, rules: RuleSet, seats: int, chance: Random) -> None:
        steps = list(play_match(rules, seats, chance, holes=1))
        deal = next(step for step in steps if any(isinstance(event, Dealt) for event in step.events))
        self.before = deal.before
        self.started, dealt, *self.others = deal.events
        assert isinstance(dealt, Dealt)
        self.deck = tuple(Card(card.rank, card.suit) for card in dealt.deck)
        self.dealt = dealt
        self.rules = rules.for_seats(seats)
        played = [step for step in steps if step.before.is_playing]
        self.script = [(step.seat, step.action) for step in played]
        self.asked = [
            (number, step.seat)
            for number, step in enumerate(played)
            if step.seat is not None and step.before.hole and step.seat in awaited(step.before.hole)
        ]
        """The entries of the script that are choices, each with its seat."""

    def redealt(self, seen: set[int], chance: Random) -> "Line":
        """Return the same line with all unseen cards exchanged."""
        unseen = [card for card in self.deck if id(card) not in seen]
        order = list(unseen)
        while order == unseen and len(set(unseen)) > 1:
            chance.shuffle(order)
        cards = iter(order)
        line = object.__new__(Line)
        line.__dict__.update(self.__dict__)
        line.deck = tuple(card if id(card) in seen else next(cards) for card in self.deck)
        return line

    def choice(self, until: int, seat: Seat, level: str) -> tuple[Action | None, list[Any], set[int]]:
        """Return what a bot chooses at an entry, everything it was shown, and the ids of the card objects in that."""
        bot = make_bot(level, self.rules, Random(5))
        events, hole = self.played(until)
        shown: list[Any] = [mask(event, seat) for event in events]
        for event in shown:
            bot.observe(event)
        seen: View = view(hole, seat)
        shown.append(seen)
        chosen = bot.choose(seen)
        assert chosen is None or is_allowed(seen, chosen)
        assert chosen is not None or seen.phase is Phase.SLAM or not choices(hole, seat).actions
        shown_cards = {id(card) for card in found_in(shown)}
        return chosen, shown, shown_cards

    def played(self, until: int) -> tuple[list[Event], Hole]:
        """Return the events up to an entry, and the hole there."""
        upcard = self.deck[-self.dealt.stock - 1] if self.dealt.discard else None
        happened = [self.started, replaced(self.dealt, deck=self.deck, discard=upcard), *self.others]
        match = self.before
        for event in happened:
            match = matches.evolve(match, event)
        for who, action in self.script[:until]:
            events, match = _step(match, who, action)
            happened += events
        assert match.hole is not None
        return happened, match.hole


def _step(match: Match, seat: Seat | None, action: Action | None) -> matches.Step:
    return matches.close_window(match) if seat is None or action is None else matches.act(match, seat, action)
