"""The arena: duplicate deals, and means with standard errors."""

from collections import Counter
from collections.abc import Sequence
from math import inf, sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from golfnet.bots.arena import Matchup, Outcome, Standing, deals_for, play_deal
from golfnet.bots.bot import BotPlayer, Contest, Mean, RandomBot
from golfnet.bots.levels import make_bot
from golfnet.engine.actions import Slam
from golfnet.engine.cards import Seat
from golfnet.engine.events import Event, MatchEnded, Slammed, SlamOpened, SlamResult
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask
from golfnet.rulesets import catalogue
from tests.bots.samples import Watched, short

CATALOGUE = catalogue()
SIX_CARD, CACTUS = CATALOGUE["six-card"], CATALOGUE["cactus"]


def setting(*levels: str, rules: RuleSet = SIX_CARD) -> Matchup:
    return Matchup(rules.for_seats(len(levels)), levels, 1)


def outcomes(points: dict[str, float], *, seconds: float = 0.0) -> dict[str, Outcome]:
    """Return outcomes with two decisions per level, one of which took all the time."""
    return {level: Outcome(each, each, 2, seconds, seconds) for level, each in points.items()}


@pytest.mark.parametrize(
    ("levels", "rotations"),
    [("hard easy easy", 3), ("hard hard", 1), ("hard easy hard easy", 2), ("hard medium medium easy", 4)],
)
def test_identical_rotations_are_played_once(levels: str, rotations: int) -> None:
    measured = setting(*levels.split())
    assert len(measured.rotations) == rotations
    assert all(sorted(rotation) == sorted(levels.split()) for rotation in measured.rotations)
    assert [deals_for(measured, 10 * rotations + more) for more in (0, 1)] == [10, 11]


def test_the_cards_of_a_deal_do_not_depend_on_the_players() -> None:
    deals = set()
    for levels in (("random", "easy"), ("easy", "random"), ("easy", "easy")):
        contest = contest_of(SIX_CARD, 1, watched(SIX_CARD, *levels))
        contest.play_hole()
        assert contest.match.hole is not None
        deals.add((contest.match.hole.deal.key, contest.match.hole.deal.dealer))
    assert len(deals) == 1


def test_a_deal_has_the_same_outcome_whenever_it_is_played() -> None:
    measured = setting("medium", "random")
    first, again, other = [
        {level: outcome[:3] for level, outcome in play_deal(measured, number).items()} for number in (3, 3, 4)
    ]
    assert first == again != other


def test_the_wins_of_all_seats_in_a_deal_add_up_to_one() -> None:
    measured = setting("easy", "random", "random")
    for number in range(5):
        played = play_deal(measured, number)
        assert played["easy"].wins + 2 * played["random"].wins == pytest.approx(1.0)


def test_a_mean_has_a_standard_error_which_is_infinite_for_one_number() -> None:
    first, *others = numbers = [3.0, -1.0, 4.0, 1.5, -9.25]
    mean = Mean()
    mean.add(first)
    assert (mean.mean, mean.error) == (first, inf)
    for number in others:
        mean.add(number)
    assert mean.mean == pytest.approx(fmean(numbers))
    assert mean.error == pytest.approx(stdev(numbers) / sqrt(5))


def test_the_table_shows_each_mean_and_each_lead_with_its_error() -> None:
    standing = Standing(setting("hard", "easy", "easy"))
    standing.add(outcomes({"hard": 4.0, "easy": 7.0}))
    assert standing.table()[1].split() == ["hard", "1", "4.00", "400.0", "%"]
    standing.add(outcomes({"hard": 6.0, "easy": 8.0}))
    assert (standing.deals, standing.holes) == (2, 6)
    _, hard, easy, lead = standing.table()
    assert hard.split()[:5] == ["hard", "1", "5.00", "±", "1.00"]
    assert easy.split()[:5] == ["easy", "2", "7.50", "±", "0.50"]
    assert lead == "hard against easy: better by 2.50 ± 0.50 points per hole, 5.0 standard errors"


def test_the_line_for_times_gives_the_mean_and_the_longest_time_of_a_decision() -> None:
    standing = Standing(setting("hard", "hard"))
    standing.add(outcomes({"hard": 4.0}, seconds=0.003))
    standing.add(outcomes({"hard": 4.0}, seconds=0.005))
    assert standing.times() == ["hard: 2.00 ms of processor time per decision, the longest 5.0 ms"]


def test_a_deal_measures_how_long_each_level_takes_to_choose() -> None:
    easy = play_deal(setting("easy", "easy"), 1)["easy"]
    assert 0.0 < easy.longest < easy.seconds
    assert easy.decisions > 2


@pytest.mark.parametrize(
    ("rules", "better", "worse", "holes"),
    [("six-card", "easy", "random", 6), ("cactus", "medium", "easy", 40), ("cactus", "hard", "medium", 30)],
)
def test_a_stronger_level_beats_the_next_weaker_one(rules: str, better: str, worse: str, holes: int) -> None:
    """The seeds are fixed, so that the result is always the same; the README of the package has exact figures."""
    measured = setting(better, worse, rules=CATALOGUE[rules])
    standing = Standing(measured)
    for number in range(deals_for(measured, holes)):
        standing.add(play_deal(measured, number))
    lead = standing.leads[better, worse]
    assert lead.mean > 1.5 * lead.error


class Timed(Watched):
    """A random bot that slams the first allowed card after a fixed time, or ignores every slam window."""

    def __init__(self, seconds: float | None, seed: int) -> None:
        super().__init__(RandomBot(CACTUS, Random(seed)))
        self.seconds = seconds

    def claim(self, view: View) -> Slam | None:
        if view.window is None or not view.choices.slammable:
            return None
        return Slam(view.choices.slammable[0], view.window.discard_no)

    def reaction(self, view: View) -> float | None:
        return self.seconds

    def think(self, view: View) -> float:
        raise AssertionError("a contest has no clock")


def contest_of(rules: RuleSet, seed: int, players: Sequence[BotPlayer]) -> Contest:
    return Contest(rules.for_seats(len(players)), players, Random(seed))


def watched(rules: RuleSet, *levels: str) -> list[Watched]:
    played = rules.for_seats(len(levels))
    return [Watched(make_bot(level, played, Random(level))) for level in levels]


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_bot_observes_every_event_masked_for_its_seat(name: str) -> None:
    rules = short(CATALOGUE[name])
    bots = watched(rules, "easy", "random", "medium")
    contest_of(rules, 1, bots).play_hole()
    for seat, bot in enumerate(bots):
        assert [mask(event, Seat(seat)) for event in bot.observed] == bot.observed
    public = [[mask(event, None) for event in bot.observed] for bot in bots]
    assert public[0] == public[1] == public[2]


def test_holes_are_played_until_the_match_ends() -> None:
    rules = short(SIX_CARD)
    bots = watched(rules, "easy", "random")
    contest = contest_of(rules, 1, bots)
    assert rules.holes is not None
    scores = [contest.play_hole() for _ in range(rules.holes)]
    assert contest.match.scores == tuple(scores)
    assert contest.match.totals == tuple(map(sum, zip(*scores, strict=True)))
    assert isinstance(bots[0].observed[-1], MatchEnded)


def test_claims_are_made_in_the_order_of_reactions_until_one_succeeds() -> None:
    """C12, C19: the slower of two bots never slams before the quicker one, and no bot slams after a hit."""
    first, both = Counter[int](), 0
    for seed in range(20):
        bots = [Timed(2.0, seed), Timed(1.0, -1 - seed), Timed(None, 100 + seed)]
        contest_of(short(CACTUS), seed, bots).play_hole()
        for claims in claims_by_window(bots[0].observed):
            seats = [claim.by for claim in claims]
            assert seats in ([1], [1, 0])
            assert (len(seats) == 1) is (claims[0].result is SlamResult.HIT)
            first[seats[0]] += 1
            both += len(seats) > 1
    assert first[1] > 20
    assert both > 20


def claims_by_window(events: list[Event]) -> list[list[Slammed]]:
    """Return the slams of each window that had any."""
    windows: list[list[Slammed]] = []
    for event in events:
        if isinstance(event, SlamOpened):
            windows.append([])
        elif isinstance(event, Slammed):
            windows[-1].append(event)
    return [claims for claims in windows if claims]
