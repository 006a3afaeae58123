"""Duplicate deals, and means with their errors."""

from __future__ import annotations

from math import inf, sqrt
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.arena import Matchup, Mean, Outcome, Standing, deals_for, play_deal
from golfnet.bots.contest import Contest
from golfnet.bots.levels.factory import make_bot
from golfnet.bots.player import BotPlayer
from golfnet.engine.events import Dealt
from golfnet.rulesets import catalogue
from tests.bots.playing import Chosen, Watched

if TYPE_CHECKING:
    from golfnet.engine.rules import RuleSet

SIX_CARD = catalogue()["six-card"]


def setting(*levels: str, rules: RuleSet = SIX_CARD, seed: int = 1) -> Matchup:
    return Matchup(rules.for_seats(len(levels)), levels, seed)


def outcome(points: dict[str, float], *, seconds: float = 0.0) -> Outcome:
    """Return an outcome with two decisions of each level, one of which took all of the time."""
    return Outcome(
        points,
        wins=points,
        decisions=dict.fromkeys(points, 2),
        seconds=dict.fromkeys(points, seconds),
        longest=dict.fromkeys(points, seconds),
    )


@pytest.mark.parametrize(
    ("levels", "rotations"),
    [("hard easy easy", 3), ("hard hard", 1), ("hard easy hard easy", 2), ("hard medium medium easy", 4)],
)
def test_rotations_that_differ_in_nothing_are_played_once(levels: str, rotations: int) -> None:
    measured = setting(*levels.split())
    assert len(measured.rotations) == rotations
    assert all(sorted(rotation) == sorted(levels.split()) for rotation in measured.rotations)
    assert [deals_for(measured, 10 * rotations + more) for more in (0, 1)] == [10, 11]


def test_the_players_do_not_change_the_cards_of_a_deal() -> None:
    decks = []
    for levels in (("random", "easy"), ("easy", "random"), ("easy", "easy")):
        choices: list[Chosen] = []
        rules = SIX_CARD.for_seats(2)
        bots = [Watched(make_bot(level, rules, Random(1)), choices) for level in levels]
        contest = Contest(rules, list(map(BotPlayer, bots)), Random("1/0"))
        contest.play_hole()
        assert contest.match.hole is not None
        decks.append((contest.match.hole.deal.key, contest.match.hole.deal.dealer))
        assert any(isinstance(event, Dealt) and not event.deck for event in bots[0].observed)
    assert len(set(decks)) == 1


def test_a_deal_has_the_same_outcome_whenever_it_is_played() -> None:
    measured = setting("medium", "random")
    first, again, other = play_deal(measured, 3), play_deal(measured, 3), play_deal(measured, 4)
    assert (first.points, first.wins, first.decisions) == (again.points, again.wins, again.decisions)
    assert first.points != other.points


def test_wins_are_shared_out_among_all_seats() -> None:
    measured = setting("easy", "random", "random")
    for number in range(5):
        wins = play_deal(measured, number).wins
        assert wins["easy"] + 2 * wins["random"] == pytest.approx(1.0)


def test_a_mean_has_the_error_of_its_numbers() -> None:
    numbers = [3.0, -1.0, 4.0, 1.5, -9.25]
    mean = Mean()
    for number in numbers:
        mean.add(number)
    assert mean.mean == pytest.approx(fmean(numbers))
    assert mean.error == pytest.approx(stdev(numbers) / sqrt(5))


def test_one_number_has_an_infinite_error() -> None:
    mean = Mean()
    mean.add(2.0)
    assert (mean.mean, mean.error) == (2.0, inf)


def test_the_table_shows_means_and_leads_with_their_errors() -> None:
    standing = Standing(setting("hard", "easy", "easy"))
    standing.add(outcome({"hard": 4.0, "easy": 7.0}))
    assert standing.table()[1].split() == ["hard", "1", "4.00", "400.0", "%"]
    standing.add(outcome({"hard": 6.0, "easy": 8.0}))
    assert (standing.deals, standing.holes) == (2, 6)
    _, hard, easy, lead = standing.table()
    assert hard.split()[:5] == ["hard", "1", "5.00", "±", "1.00"]
    assert easy.split()[:5] == ["easy", "2", "7.50", "±", "0.50"]
    assert lead == "hard against easy: better by 2.50 ± 0.50 points a hole, 5.0 standard errors"


def test_the_times_are_means_over_decisions_and_the_longest_of_all() -> None:
    standing = Standing(setting("hard", "hard"))
    standing.add(outcome({"hard": 4.0}, seconds=0.003))
    standing.add(outcome({"hard": 4.0}, seconds=0.005))
    assert standing.times() == ["hard: 2.00 ms of processor time a decision, the longest 5.0 ms"]


def test_a_deal_times_what_its_bots_choose() -> None:
    played = play_deal(setting("easy", "easy"), 1)
    assert 0.0 < played.longest["easy"] < played.seconds["easy"]
    assert played.decisions["easy"] > 2


@pytest.mark.parametrize(
    ("rules", "better", "worse", "holes"),
    [
        ("six-card", "easy", "random", 6),
        ("cactus", "easy", "random", 6),
        ("four-turn", "easy", "random", 6),
        ("cactus", "medium", "easy", 40),
        ("six-card-final", "medium", "easy", 120),
        ("cactus", "hard", "medium", 80),
    ],
)
def test_a_stronger_level_is_stronger(rules: str, better: str, worse: str, holes: int) -> None:
    """With these seeds, always the same; how much stronger is in the package's README."""
    measured = setting(better, worse, rules=catalogue()[rules])
    standing = Standing(measured)
    for number in range(deals_for(measured, holes)):
        standing.add(play_deal(measured, number))
    lead = standing.leads[better, worse]
    assert lead.mean > 1.5 * lead.error
