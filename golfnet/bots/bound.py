"""How much better a seat could play against copies of ``hard``, and how much of that ``expert`` gains.

The clairvoyant is a search that plays one seat. It tries each action by playing the hole to its end with the true cards
and with ``hard`` in all seats, so it knows the whole future. Its results are not a mathematical bound: it improves only
one action at a time, and its playouts reuse the unit values of that decision for all later ones. That is faster, but
not quite how ``hard`` plays.
"""

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from golfnet.bots.arena import Matchup, with_error
from golfnet.bots.contest import Contest, Mean, playout
from golfnet.bots.expert import EARLY, ExpertBot, PlayoutBot, known_ranks
from golfnet.bots.hard import HardBot
from golfnet.bots.player import BotPlayer
from golfnet.bots.seat_knowledge import SeatKnowledge
from golfnet.engine.actions import Action, Slam
from golfnet.engine.layout import Seat
from golfnet.engine.views import View


class Clairvoyant(BotPlayer):
    """Plays the action with the best result, in a contest in which all others are ``hard``."""

    def __init__(self, bots: list[HardBot], seat: Seat, chance: Random) -> None:
        super().__init__(bots[seat])
        self.contest: Contest
        self._bots = bots
        self._own = bots[seat]
        self._seat = seat
        self._chance = chance

    def claim(self, view: View) -> Slam | None:
        """Return the slam that ``hard`` would want if it knew all cards."""
        self._look()
        return super().claim(view)

    def reaction(self, view: View) -> float | None:
        """Return how many seconds it takes to slam, None if it does not slam."""
        self._look()
        return super().reaction(view)

    def choose(self, view: View) -> Action:
        """Return the action with the best result in playouts; of equal ones, the one that ``hard`` values most."""
        self._look()
        if view.turns[self._seat] > EARLY:
            return super().choose(view)
        rated = sorted(self._own.action_values(view).rated(view), key=lambda one: one[0])
        if len(rated) < 2:
            return super().choose(view)
        knowledge = SeatKnowledge(view, self._own.memory)
        values, rivalry = self._own.unit_values(knowledge), self._own.rivalry(knowledge)
        seed = self._chance.random()

        def result(action: Action) -> float:
            hole = self.contest.hole
            players = [
                BotPlayer(PlayoutBot(bot.memory, hole, sees, Random(seed + seat), values))
                for seat, bot in enumerate(self._bots)
                for sees in [None if seat == self._seat else Seat(seat)]
            ]
            scores = playout(hole, players, self._seat, action)
            return scores[self._seat] + rivalry * (scores[self._seat] - sum(scores))

        return min([action for _, action in rated], key=result)

    def _look(self) -> None:
        self._own.memory.known = known_ranks(self.contest.hole, None)


class Bound(NamedTuple):
    """The result of one deal, as means over the seats: the points of ``hard``, and how much the two searches gain.

    A gain is how many points a seat saves; a lead is its gain less the mean gain of the other seats.
    """

    points: float
    clairvoyant_gain: float
    clairvoyant_lead: float
    expert_gain: float
    expert_lead: float


def play_bound(task: tuple[Matchup, int]) -> Bound:
    """Play one deal with ``hard`` in all seats, then again with each of the two searches in one seat after another."""
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
    return Bound(*[sum(column) / seats for column in zip(*rows, strict=True)])


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


def table_head() -> list[str]:
    """Return the two lines above the rows of the table."""
    return [
        f"{'':42} {'clairvoyant':>27} {'expert':>27}",
        " ".join(
            [f"{'rules':15} {'seats':>5} {'holes':>5} {'hard':>14}", *[f"{'points':>13} {'lead':>13}"] * 2]
        ),
    ]


def table_row(setting: Matchup, bounds: Iterable[Bound]) -> str:
    """Return the row of one setting, with standard errors over its deals."""
    columns = [Mean() for _ in Bound._fields]
    for bound in bounds:
        for column, value in zip(columns, bound, strict=True):
            column.add(value)
    seats = len(setting.levels)
    cells = [f"{with_error(column.mean, column.error, 2):>13}" for column in columns]
    return " ".join([f"{setting.rules.name:15} {seats:5} {columns[0].count * seats:5} ", *cells])
