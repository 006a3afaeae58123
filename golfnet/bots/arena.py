"""Measuring bots: against each other, and against the best that a seat could do.

Levels are compared in duplicate deals, each played once in every rotation of the seats.

Invariant: a deal and every bot's random numbers follow from the seed and the deal's number alone, so that
deals can be played in any order, on any number of processors, with the same outcome. Deals are independent of
each other, but the holes of one deal are not, so standard errors are computed from the means of deals.

How much better a seat could play against copies of ``hard`` is shown by the clairvoyant, a search that plays one seat.
It tries each action by playing the hole to its end with the true cards and with ``hard`` in all seats, so it knows the
whole future. Its results are not a mathematical bound: it improves only one action at a time, and its playouts reuse
the unit values of that decision for all later ones. That is faster, but not quite how ``hard`` plays.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from operator import itemgetter
from random import Random
from time import process_time
from typing import Final, NamedTuple, TypeVar

from golfnet.bots.bot import Bot, BotPlayer, Contest, Mean, playout
from golfnet.bots.expert import EARLY, ExpertBot, PlayoutBot, known_ranks
from golfnet.bots.hard import HardBot
from golfnet.bots.levels import make_bot
from golfnet.bots.seat_knowledge import SeatKnowledge
from golfnet.engine.actions import Action, Slam
from golfnet.engine.cards import Seat
from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View

Given = TypeVar("Given")
Result = TypeVar("Result")


class Matchup(NamedTuple):
    """What is measured: rules as played, a level for each seat, and the seed for all random numbers."""

    rules: RuleSet
    levels: tuple[str, ...]
    seed: int

    @property
    def rotations(self) -> tuple[tuple[str, ...], ...]:
        """The levels by seat in each distinct rotation."""
        levels = self.levels
        return tuple(dict.fromkeys((*levels[at:], *levels[:at]) for at in range(len(levels))))


class Outcome(NamedTuple):
    """The result of one level in one deal: a seat's mean points and its share of wins, over all rotations.

    If several seats win a hole, each gets an equal share of the win. ``decisions`` is the number of choices,
    ``seconds`` the processor time of all choices, and ``longest`` the processor time of the slowest one.
    """

    points: float
    wins: float
    decisions: int
    seconds: float
    longest: float


def play_deal(setting: Matchup, number: int) -> dict[str, Outcome]:
    """Play one deal in every rotation, and return the outcome of each level."""
    played: defaultdict[str, list[Outcome]] = defaultdict(list)
    for turn, rotation in enumerate(setting.rotations):
        players = [
            TimedPlayer(make_bot(level, setting.rules, Random(f"{setting.seed}/{number}/{turn}/{seat}")))
            for seat, level in enumerate(rotation)
        ]
        scores = Contest(setting.rules, players, Random(f"{setting.seed}/{number}")).play_hole()
        lowest = min(scores)
        for level, player, score in zip(rotation, players, scores, strict=True):
            share = (score == lowest) / scores.count(lowest)
            played[level].append(Outcome(score, share, player.decisions, player.seconds, player.longest))
    return {level: _combined(outcomes) for level, outcomes in played.items()}


def _combined(outcomes: list[Outcome]) -> Outcome:
    points, wins, decisions, seconds, longest = zip(*outcomes, strict=True)
    seats = len(outcomes)
    return Outcome(sum(points) / seats, sum(wins) / seats, sum(decisions), sum(seconds), max(longest))


class Standing:
    """All outcomes of one matchup so far, by level."""

    def __init__(self, setting: Matchup) -> None:
        self.setting = setting
        self.levels = sorted(set(setting.levels), key=setting.levels.index)
        self.deals = 0
        self.points = {level: Mean() for level in self.levels}
        self.wins = {level: Mean() for level in self.levels}
        self.leads = {
            (better, worse): Mean()
            for at, better in enumerate(self.levels)
            for worse in self.levels[at + 1 :]
        }
        """By how many points per hole the first of two levels is better than the second, as a mean over deals."""
        self._outcomes: list[dict[str, Outcome]] = []

    @property
    def holes(self) -> int:
        """Holes played."""
        return self.deals * len(self.setting.rotations)

    def add(self, outcomes: dict[str, Outcome]) -> None:
        """Add the outcomes of one deal."""
        self.deals += 1
        self._outcomes.append(outcomes)
        for level, outcome in outcomes.items():
            self.points[level].add(outcome.points)
            self.wins[level].add(outcome.wins)
        for (better, worse), lead in self.leads.items():
            lead.add(outcomes[worse].points - outcomes[better].points)

    def table(self) -> list[str]:
        """Return the standing as lines of text, which depend on the seed but not on the computer."""
        lines = [f"{'level':8} {'seats':>5} {'points per hole':>16} {'share of wins':>17}"]
        for level in self.levels:
            points, wins = self.points[level], self.wins[level]
            lines.append(
                f"{level:8} {self.setting.levels.count(level):5} {with_error(points.mean, points.error, 2):>16} "
                f"{with_error(100 * wins.mean, 100 * wins.error, 1):>15} %"
            )
        lines += [
            f"{better} against {worse}: better by {with_error(lead.mean, lead.error, 2)} points per hole"
            + (f", {lead.mean / lead.error:.1f} standard errors" if 0 < lead.error < float("inf") else "")
            for (better, worse), lead in self.leads.items()
        ]
        return lines

    def times(self) -> list[str]:
        """Return the processor time of each level as lines of text."""
        totals = {level: _combined([deal[level] for deal in self._outcomes]) for level in self.levels}
        return [
            f"{level}: {1000 * total.seconds / total.decisions:.2f} ms of processor time per decision, the longest "
            f"{1000 * total.longest:.1f} ms"
            for level, total in totals.items()
        ]


def deals_for(setting: Matchup, holes: int) -> int:
    """Return how many deals are needed for at least this number of holes."""
    return -(-holes // len(setting.rotations))


class TimedPlayer(BotPlayer):
    """A player whose processor time is counted, including the time for remembering events."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        self.decisions = 0
        self.seconds = 0.0
        self.longest = 0.0
        """Seconds that the longest choice took."""

    def observe(self, event: Event) -> None:
        """Observe the next event."""
        self._timed(super().observe, event)

    def choose(self, view: View) -> Action:
        """Return the bot's choice, and count it as a decision."""
        before = self.seconds
        action = self._timed(super().choose, view)
        self.longest = max(self.longest, self.seconds - before)
        self.decisions += 1
        return action

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now."""
        return self._timed(super().claim, view)

    def reaction(self, view: View) -> float | None:
        """Return how many seconds the bot takes to slam, None if it does not slam."""
        return self._timed(super().reaction, view)

    def _timed(self, call: Callable[[Given], Result], given: Given) -> Result:
        began = process_time()
        result = call(given)
        self.seconds += process_time() - began
        return result


def with_error(value: float, error: float, digits: int) -> str:
    """Return a number with its standard error, if there is one."""
    return f"{value:.{digits}f} ± {error:.{digits}f}" if error < float("inf") else f"{value:.{digits}f}"


class Clairvoyant(BotPlayer):
    """Plays the action with the best result, in a contest in which all others are ``hard``."""

    def __init__(self, bots: list[HardBot], seat: Seat, chance: Random) -> None:
        super().__init__(bots[seat])
        self.contest: Contest | None = None
        self._bots = bots
        self._own = bots[seat]
        self._seat = seat
        self._chance = chance

    def observe(self, event: Event) -> None:
        """Observe the next event, then look at all cards."""
        super().observe(event)
        hole = None if self.contest is None else self.contest.match.hole
        if hole is not None:
            self._own.memory.known = known_ranks(hole, None)

    def choose(self, view: View) -> Action:
        """Return the action with the best result in playouts; of equal ones, the one that ``hard`` values most."""
        assert self.contest is not None
        rated = sorted(self._own.action_values(view).rated(view), key=itemgetter(0))
        if view.turns[self._seat] > EARLY or len(rated) < 2:
            return super().choose(view)
        knowledge = SeatKnowledge(view, self._own.memory)
        values, rivalry = self._own.unit_values(knowledge), self._own.rivalry(knowledge)
        seed, hole = self._chance.random(), self.contest.hole

        def result(action: Action) -> float:
            players = [
                BotPlayer(PlayoutBot(bot.memory, hole, sees, Random(seed + seat), values))
                for seat, bot in enumerate(self._bots)
                for sees in [None if seat == self._seat else Seat(seat)]
            ]
            scores = playout(hole, players, self._seat, action)
            return scores[self._seat] + rivalry * (scores[self._seat] - sum(scores))

        return min([action for _, action in rated], key=result)


def play_bound(task: tuple[Matchup, int]) -> tuple[float, ...]:
    """Play one deal with ``hard`` in all seats, then again with each of the two searches in one seat after another.

    Return means over the seats: the points of ``hard``, the gain and the lead of the clairvoyant, and those of
    ``expert``. A gain is how many points a seat saves; a lead is its gain less the mean gain of the other seats.
    """
    setting, number = task
    seats = len(setting.levels)
    hard = play_with(setting, number)
    rows = [
        [
            float(hard[seat]),
            *_gain(seat, hard, play_with(setting, number, clairvoyant=seat)),
            *_gain(seat, hard, play_with(setting, number, expert=seat)),
        ]
        for seat in map(Seat, range(seats))
    ]
    return tuple([sum(column) / seats for column in zip(*rows, strict=True)])


def play_with(
    setting: Matchup, number: int, *, clairvoyant: Seat | None = None, expert: Seat | None = None
) -> tuple[int, ...]:
    """Play one deal and return the scores; seats other than ``clairvoyant`` and ``expert`` are played by ``hard``."""
    deal = f"{setting.seed}/{number}"
    bots = [
        (ExpertBot if seat == expert else HardBot)(setting.rules, Random(f"{deal}/0/{seat}"))
        for seat in range(len(setting.levels))
    ]
    players = list(map(BotPlayer, bots))
    if clairvoyant is None:
        return Contest(setting.rules, players, Random(deal)).play_hole()
    players[clairvoyant] = search = Clairvoyant(bots, clairvoyant, Random(f"{deal}/{clairvoyant}/search"))
    search.contest = Contest(setting.rules, players, Random(deal))
    return search.contest.play_hole()


def _gain(seat: Seat, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[float, float]:
    """Return a seat's gain and lead; ``before`` are all scores with ``hard`` in the seat, ``after`` those without."""
    own = before[seat] - after[seat]
    return own, own - (sum(before) - sum(after) - own) / (len(before) - 1)


TABLE_HEAD: Final = (
    f"{'':42} {'clairvoyant':>27} {'expert':>27}\n"
    f"{'rules':15} {'seats':>5} {'holes':>5} {'hard':>14} {'points':>13} {'lead':>13} {'points':>13} {'lead':>13}"
)
"""The two lines above the rows of the table."""


def table_row(setting: Matchup, bounds: Iterable[tuple[float, ...]]) -> str:
    """Return the row of one setting, with standard errors over its deals."""
    columns = [Mean() for _ in range(5)]
    for bound in bounds:
        for column, value in zip(columns, bound, strict=True):
            column.add(value)
    seats = len(setting.levels)
    cells = [f"{with_error(column.mean, column.error, 2):>13}" for column in columns]
    return " ".join([f"{setting.rules.name:15} {seats:5} {columns[0].count * seats:5} ", *cells])
