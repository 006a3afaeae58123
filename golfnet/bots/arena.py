"""Measuring bots against each other: duplicate deals, each played once in every rotation of the seats.

Invariant: a deal and every bot's random numbers follow from the seed and the deal's number alone, so that deals can be
played in any order, on any number of processors, with the same outcome. The deals are independent of each other, the
holes of one deal are not; all standard errors are those of means over deals.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from time import process_time
from typing import NamedTuple

from golfnet.bots.bot import Bot
from golfnet.bots.player import BotPlayer, make_bot
from golfnet.engine import match as matches
from golfnet.engine.actions import Action, Slam
from golfnet.engine.events import Event
from golfnet.engine.hole import Hole, changed
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view


class Contest:
    """A match between bots, seat by seat."""

    def __init__(self, rules: RuleSet, players: Sequence[BotPlayer], chance: Random) -> None:
        self._players = players
        self._chance = chance
        # Names are part of what a deal is made from, and a deal must not depend on who plays it.
        self._names = tuple(f"seat-{seat + 1}" for seat in range(len(players)))
        self.match = Match("m1")
        self._commit()
        self._apply(matches.start(self.match, rules, self._names))

    def play_hole(self) -> tuple[int, ...]:
        """Play the next hole to its end and return its scores by seat."""
        self._apply(matches.deal(self.match, ("",) * len(self._players)))
        scores = self._finish()
        if self.match.places is None:
            self._commit()
        return scores

    def playout(
        self, hole: Hole, players: Sequence[BotPlayer], seat: Seat, action: Action
    ) -> tuple[int, ...]:
        """Return the scores if these players play on from a hole with this action; the contest does not change."""
        other = copy(self)
        other._players = players
        other.match = changed(self.match, hole=hole)
        other._act(seat, action)
        hole = other.hole
        if hole.window is not None and hole.gift is None and not hole.power:
            other._apply(matches.close_window(other.match))  # all claims were made before the choice
        return other._finish()

    def _finish(self) -> tuple[int, ...]:
        while self.match.is_playing:
            self._step(self.hole)
        return self.match.scores[-1]

    @property
    def hole(self) -> Hole:
        """The hole in play."""
        if self.match.hole is None:
            raise LookupError("no hole was dealt")
        return self.match.hole

    def _commit(self) -> None:
        self._apply(matches.commit(self.match, self._chance.randbytes(32)))

    def _step(self, hole: Hole) -> None:
        if hole.window is not None and hole.gift is None:
            self._slams()
            hole = self.hole
            if hole.ended is None and hole.power and hole.turn is not None:
                self._choose(hole.turn)
            if self.hole.window is not None:
                self._apply(matches.close_window(self.match))
            return
        self._choose(awaited(hole)[0])

    def _slams(self) -> None:
        seats = [Seat(seat) for seat in self.hole.seats]
        times = [(self._players[seat].reaction(self._view(seat)), seat) for seat in seats]
        for _, seat in sorted((time, seat) for time, seat in times if time is not None):
            hole = self.hole
            if hole.window is None or hole.window.won:
                return
            claim = self._players[seat].claim(self._view(seat))
            if claim is not None:
                self._act(seat, claim)
            if self.hole.gift is not None:
                self._choose(self.hole.gift.seat)

    def _choose(self, seat: Seat) -> None:
        self._act(seat, self._players[seat].choose(self._view(seat)))

    def _act(self, seat: Seat, action: Action) -> None:
        self._apply(matches.act(self.match, seat, action))

    def _view(self, seat: Seat) -> View:
        return view(self.hole, seat)

    def _apply(self, step: tuple[tuple[Event, ...], Match]) -> None:
        events, self.match = step
        for event in events:
            for seat, player in enumerate(self._players):
                player.observe(mask(event, Seat(seat)))


class Matchup(NamedTuple):
    """What is measured: rules as played, a level for each seat, and the seed for all random numbers."""

    rules: RuleSet
    levels: tuple[str, ...]
    seed: int

    @property
    def rotations(self) -> tuple[tuple[str, ...], ...]:
        """The levels by seat in each distinct rotation."""
        seats = range(len(self.levels))
        return tuple(dict.fromkeys((*self.levels[at:], *self.levels[:at]) for at in seats))


class Outcome(NamedTuple):
    """The result of one deal: by level, the mean points and share of wins of one seat, over all rotations.

    If several seats win a hole, each gets an equal share. ``decisions``, all ``seconds`` of processor time, and those
    of the ``longest`` decision are by level, too.
    """

    points: dict[str, float]
    wins: dict[str, float]
    decisions: dict[str, int]
    seconds: dict[str, float]
    longest: dict[str, float]


def play_deal(setting: Matchup, number: int) -> Outcome:
    """Play one deal in every rotation."""
    levels = sorted(set(setting.levels))
    points: dict[str, list[float]] = {level: [] for level in levels}
    wins: dict[str, list[float]] = {level: [] for level in levels}
    decisions, seconds = dict.fromkeys(levels, 0), dict.fromkeys(levels, 0.0)
    longest = dict.fromkeys(levels, 0.0)
    for turn, rotation in enumerate(setting.rotations):
        bots = [
            TimedBot(make_bot(level, setting.rules, Random(f"{setting.seed}/{number}/{turn}/{seat}")))
            for seat, level in enumerate(rotation)
        ]
        players = [BotPlayer(bot) for bot in bots]
        scores = Contest(setting.rules, players, Random(f"{setting.seed}/{number}")).play_hole()
        lowest = min(scores)
        for bot, score in zip(bots, scores, strict=True):
            points[bot.level].append(score)
            wins[bot.level].append((score == lowest) / scores.count(lowest))
            decisions[bot.level] += bot.decisions
            seconds[bot.level] += bot.seconds
            longest[bot.level] = max(longest[bot.level], bot.longest)
    return Outcome(
        points={level: sum(each) / len(each) for level, each in points.items()},
        wins={level: sum(each) / len(each) for level, each in wins.items()},
        decisions=decisions,
        seconds=seconds,
        longest=longest,
    )


@dataclass(slots=True)
class Mean:
    """A running mean and its standard error (Welford's algorithm)."""

    count: int = 0
    mean: float = 0.0
    squares: float = field(default=0.0, repr=False)

    def add(self, value: float) -> None:
        """Add one number."""
        self.count += 1
        off = value - self.mean
        self.mean += off / self.count
        self.squares += off * (value - self.mean)

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite with fewer than two numbers."""
        return sqrt(self.squares / (self.count - 1) / self.count) if self.count > 1 else float("inf")


class Standing:
    """All outcomes of one setting so far, by level."""

    def __init__(self, setting: Matchup) -> None:
        self.setting = setting
        self.levels = sorted(set(setting.levels), key=setting.levels.index)
        self.deals = 0
        self.points = {level: Mean() for level in self.levels}
        self.wins = {level: Mean() for level in self.levels}
        self.decisions = dict.fromkeys(self.levels, 0)
        self.seconds = dict.fromkeys(self.levels, 0.0)
        self.longest = dict.fromkeys(self.levels, 0.0)
        self.leads = {
            (better, worse): Mean()
            for at, better in enumerate(self.levels)
            for worse in self.levels[at + 1 :]
        }
        """By how many points a hole the first of two levels is better than the second, deal by deal."""

    @property
    def holes(self) -> int:
        """Holes played."""
        return self.deals * len(self.setting.rotations)

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of one deal."""
        self.deals += 1
        for level in self.levels:
            self.points[level].add(outcome.points[level])
            self.wins[level].add(outcome.wins[level])
            self.decisions[level] += outcome.decisions[level]
            self.seconds[level] += outcome.seconds[level]
            self.longest[level] = max(self.longest[level], outcome.longest[level])
        for (better, worse), lead in self.leads.items():
            lead.add(outcome.points[worse] - outcome.points[better])

    def table(self) -> list[str]:
        """Return the standing as lines of text: the same for the same seed, whatever the computer."""
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
        """Return the processor time of each level in lines of text."""
        return [
            f"{level}: {1000 * self.seconds[level] / max(1, self.decisions[level]):.2f} ms of processor time "
            f"per decision, the longest {1000 * self.longest[level]:.1f} ms"
            for level in self.levels
        ]


def standing(setting: Matchup, outcomes: Iterable[Outcome]) -> Standing:
    """Return the standing after these outcomes, added in order."""
    result = Standing(setting)
    for outcome in outcomes:
        result.add(outcome)
    return result


def deals_for(setting: Matchup, holes: int) -> int:
    """Return how many deals are needed for at least this number of holes."""
    return -(-holes // len(setting.rotations))


class TimedBot:
    """A bot whose processor time is counted, including the time that its memory takes."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.decisions = 0
        self.seconds = 0.0
        self.longest = 0.0
        """Seconds that the longest choice took."""

    @property
    def level(self) -> str:
        """The bot's level."""
        return self._bot.level

    def observe(self, event: Event) -> None:
        """Pass an event to the bot."""
        began = process_time()
        self._bot.observe(event)
        self.seconds += process_time() - began

    def choose(self, view: View) -> Action | None:
        """Return the bot's choice, and count it as a decision."""
        began = process_time()
        action = self._bot.choose(view)
        seconds = process_time() - began
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.decisions += 1
        return action

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants."""
        began = process_time()
        slam = self._bot.claim(view)
        self.seconds += process_time() - began
        return slam

    def reaction(self, view: View) -> float | None:
        """Return how many seconds the bot takes to claim, None if it does not claim."""
        began = process_time()
        seconds = self._bot.reaction(view)
        self.seconds += process_time() - began
        return seconds

    def think(self, view: View) -> float:
        """Return how many seconds the bot thinks."""
        return self._bot.think(view)


def with_error(value: float, error: float, digits: int) -> str:
    """Return a number with its standard error, if there is one."""
    return f"{value:.{digits}f} ± {error:.{digits}f}" if error < float("inf") else f"{value:.{digits}f}"
