"""A contest is a hole as a table would play it: cards are conserved, scores are right, bots observe what seats see."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.contest import Contest
from golfnet.bots.levels.factory import make_bot
from golfnet.bots.player import BotPlayer
from golfnet.engine.actions import Slam
from golfnet.engine.events import HoleEnded, MatchEnded, Penalized, Slammed, SlamResult
from golfnet.engine.layout import Seat
from golfnet.engine.views import mask
from golfnet.rulesets import catalogue
from tests.bots.playing import Watched, short
from tests.engine.naive import naive_scores

if TYPE_CHECKING:
    from golfnet.bots.levels.bot import Bot
    from golfnet.engine.actions import Action
    from golfnet.engine.cards import Card
    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.rules import RuleSet
    from golfnet.engine.views import View

CATALOGUE = catalogue()
CACTUS = CATALOGUE["cactus"]
LEVELS = ("easy", "random", "medium")


class Timed:
    """A random bot that claims the first card it may, after seconds of its own, or ignores every window."""

    level = "random"

    def __init__(self, seconds: float | None, seed: int) -> None:
        self.bot = make_bot("random", CACTUS, Random(seed))
        self.seconds = seconds
        self.observed: list[Event] = []

    def observe(self, event: Event) -> None:
        self.observed.append(event)

    def choose(self, view: View) -> Action | None:
        return self.bot.choose(view)

    def claim(self, view: View) -> Slam | None:
        if view.window is None or not view.choices.slammable:
            return None
        return Slam(view.choices.slammable[0], view.window.discard_no)

    def reaction(self, view: View) -> float | None:
        return self.seconds

    def think(self, view: View) -> float:
        raise AssertionError("a contest has no clock")


class Silent(Timed):
    """Chooses nothing, even where it has to."""

    def choose(self, view: View) -> Action | None:
        return None


def contest_of(rules: RuleSet, seed: int, bots: list[Bot]) -> Contest:
    return Contest(rules.for_seats(len(bots)), list(map(BotPlayer, bots)), Random(seed))


def watched(rules: RuleSet, seed: int) -> list[Watched]:
    played = rules.for_seats(len(LEVELS))
    return [Watched(make_bot(level, played, Random(f"{seed}/{level}")), []) for level in LEVELS]


@pytest.mark.parametrize("name", CATALOGUE)
def test_cards_are_conserved_and_scores_are_those_of_a_second_count(name: str) -> None:
    rules = short(CATALOGUE[name])
    for seed in range(3):
        bots = watched(rules, seed)
        contest = contest_of(rules, seed, list(bots))
        scores = contest.play_hole()
        hole = contest.match.hole
        assert hole is not None
        assert Counter(cards_of(hole)) == Counter(rules.deck_for(len(LEVELS)))
        ended = next(event for event in bots[0].observed if isinstance(event, HoleEnded))
        assert list(scores) == naive_scores(hole.rules, ended)


@pytest.mark.parametrize("name", ["cactus", "six-card", "four-turn"])
def test_the_same_seed_is_the_same_hole_event_by_event(name: str) -> None:
    def story(seed: int) -> list[list[Event]]:
        bots = watched(CATALOGUE[name], 1)
        contest_of(CATALOGUE[name], seed, list(bots)).play_hole()
        return [bot.observed for bot in bots]

    assert story(5) == story(5)
    assert story(5) != story(6)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_bot_observes_every_event_masked_for_its_seat(name: str) -> None:
    rules = short(CATALOGUE[name])
    bots = watched(rules, 1)
    contest_of(rules, 1, list(bots)).play_hole()
    for seat, bot in enumerate(bots):
        assert [mask(event, Seat(seat)) for event in bot.observed] == bot.observed
    public = [[mask(event, None) for event in bot.observed] for bot in bots]
    assert public[0] == public[1] == public[2]


def test_holes_follow_each_other_to_the_end_of_the_match() -> None:
    rules = short(CATALOGUE["six-card"])
    bots = watched(rules, 1)
    contest = contest_of(rules, 1, list(bots))
    assert rules.holes is not None
    scores = [contest.play_hole() for _ in range(rules.holes)]
    assert contest.match.scores == tuple(scores)
    assert contest.match.totals == tuple(map(sum, zip(*scores, strict=True)))
    assert isinstance(bots[0].observed[-1], MatchEnded)


def test_claims_are_made_in_the_order_of_reactions_and_end_with_a_success() -> None:
    """C12, C19: the slower of two never slams before the quicker, and nobody after a hit."""
    first, both = Counter[int](), 0
    for seed in range(20):
        bots = [Timed(2.0, seed), Timed(1.0, -1 - seed), Timed(None, 100 + seed)]
        contest_of(short(CACTUS), seed, list(bots)).play_hole()
        for claims in claims_by_window(bots[0].observed):
            seats = [claim.by for claim in claims]
            assert seats in ([1], [1, 0])
            assert (len(seats) == 1) is (claims[0].result is SlamResult.HIT)
            first[seats[0]] += 1
            both += len(seats) > 1
    assert first[1] > 20
    assert both > 20


def test_an_error_names_the_bot_that_chose_nothing() -> None:
    contest = contest_of(CACTUS, 1, [Silent(None, 1), Silent(None, 2)])
    with pytest.raises(LookupError, match="random chose nothing"):
        contest.play_hole()


def cards_of(hole: Hole) -> list[Card]:
    """Return every card on the table, wherever it is."""
    cards = [*hole.stock, *hole.discards]
    cards += [slot.card for layout in hole.layouts for slot in layout if slot is not None]
    if hole.drawn is not None:
        cards.append(hole.drawn.card)
    return cards


def claims_by_window(events: list[Event]) -> list[list[Slammed]]:
    """Return the slams of each window in which there were any."""
    windows: list[list[Slammed]] = [[]]
    for event in events:
        if isinstance(event, Slammed):
            windows[-1].append(event)
        elif not isinstance(event, Penalized) and windows[-1]:
            windows.append([])
    return [claims for claims in windows if claims]
