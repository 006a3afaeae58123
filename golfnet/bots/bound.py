"""How much better a seat could play against copies of ``hard``: two searches that take the place of one of them.

Both try actions by playouts: an action is played, then the hole to its end with ``hard`` in all seats. The clairvoyant
does this with the true cards and so knows the whole future; the reply does it with many deals of the cards that its
seat has not seen, so it knows no more than the seat. Both results are achieved in play against the real bots. They are
not mathematical bounds: neither search is exhaustive, since each looks for one better action at a time, and playouts
take the unit values of ``hard`` at the decision for all later ones, which is quicker but not quite how ``hard`` plays.
"""

from collections.abc import Iterable
from copy import copy
from operator import truediv
from random import Random
from typing import Final, NamedTuple

from golfnet.bots.action_values import Rated
from golfnet.bots.arena import Contest, Matchup, Mean, with_error
from golfnet.bots.hard import HardBot
from golfnet.bots.player import BotPlayer
from golfnet.bots.seat_knowledge import KEPT, SeatKnowledge
from golfnet.bots.unit_values import UnitValues
from golfnet.engine.actions import Action, Slam
from golfnet.engine.cards import Card
from golfnet.engine.hole import Hole, Phase, changed, slot_at
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import Placed, SlamMode
from golfnet.engine.views import View

WORLDS: Final = 8
"""Maximum deals of the unseen cards in which the reply tries each action."""
FEW: Final = 4
"""Deals before an action can be dropped."""
CLOSE: Final = 2.0
"""Points within which ``hard`` must value an action for the reply to try it …"""
TRIED: Final = 4
"""… and the maximum number of actions that it tries. Of several with the same value it tries one."""
EARLY: Final = 20
"""Turns of its seat in which a search looks for better actions, so that a hole is bounded in time."""
CHECKS: Final = 4
"""Orders of the stock in which an action of the reply is compared with that of ``hard``, to see what it gains."""


class PlayoutBot(HardBot):
    """``hard`` in a playout: with the unit values of the decision, if given, it is several times as fast."""

    def __init__(
        self, bot: HardBot, hole: Hole, seat: Seat | None, chance: Random, values: UnitValues | None
    ) -> None:
        """Take over what a bot in a seat remembers, with the cards of this hole; seat None knows every card."""
        vars(self).update(vars(bot))
        self.chance = chance
        self.memory = copy(bot.memory)
        self.memory.known = {at: slot_at(hole, *at).card.rank for at in face_down(hole, seat, seen=True)}
        self.memory.kept, self.memory.looked = dict(bot.memory.kept), dict(bot.memory.looked)
        self.memory.pile, self.memory.stock = list(bot.memory.pile), copy(bot.memory.stock)
        self._cached_values = None
        self._values = values

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the given values, or those of ``hard``."""
        return self._values or super().unit_values(knowledge)


def face_down(hole: Hole, seat: Seat | None, *, seen: bool) -> list[Position]:
    """Return the positions of the face-down cards that a seat has or has not seen; seat None has seen all."""
    return [
        Position(Seat(owner), number)
        for owner, layout in enumerate(hole.layouts)
        for number in layout.face_down
        if (seat is None or bool(slot_at(hole, Seat(owner), number).known >> seat & 1)) is seen
    ]


def redealt(hole: Hole, knowledge: SeatKnowledge, chance: Random) -> Hole | None:
    """Return the hole with all cards that the seat has not seen dealt again at random.

    The result depends only on what the seat has seen. Cards that others know and keep are likely to be low, as
    ``hard`` assumes. Return None after a reshuffle under rules that place cards face down: the seat cannot tell which
    of them are from the first stock.
    """
    symbols = knowledge.layouts
    places = face_down(hole, knowledge.seat, seen=False)
    places.sort(key=lambda at: symbols[at.seat][at.slot - 1] != KEPT)
    hidden = [slot_at(hole, *at).card for at in places]
    if hole.reshuffles_left == hole.rules.reshuffles:
        pool = _shuffled([*hidden, *hole.stock], chance)
    elif hole.rules.placed is Placed.UP and hole.rules.slam is SlamMode.OFF:
        pool = [*_shuffled(list(hole.stock), chance), *_shuffled(hidden, chance)]
    else:
        return None
    liked = list(map(truediv, knowledge.kept, [each or 1.0 for each in knowledge.hidden]))
    layouts = list(hole.layouts)
    for seat, number in places:
        index = -1
        if symbols[seat][number - 1] == KEPT:
            weights = [liked[knowledge.pack.numbers[card.rank]] for card in pool]
            (index,) = chance.choices(range(len(pool)), weights)
        slot = changed(slot_at(hole, seat, number), card=pool.pop(index))
        layouts[seat] = layouts[seat].with_slot(number, slot)
    deal = changed(hole.deal, key=bytes(32))  # the real key would give away the order of a reshuffle
    return changed(hole, deal=deal, layouts=tuple(layouts), stock=tuple(pool))


def _shuffled(cards: list[Card], chance: Random) -> list[Card]:
    """Return the cards in an order that does not depend on the one they had."""
    cards.sort(key=str)
    chance.shuffle(cards)
    return cards


class Search(BotPlayer):
    """Plays like ``hard`` in a contest, except for choices in which playouts find a better action."""

    def __init__(self, bots: list[HardBot], seat: Seat, chance: Random, *, clairvoyant: bool) -> None:
        super().__init__(bots[seat])
        self.contest: Contest
        self.playouts = self.decisions = 0
        self.gain = self.gained_lead = 0.0
        """What its own actions are expected to gain, by comparing each with that of ``hard`` in other stock orders."""
        self._bots = bots
        self._own = bots[seat]
        self._seat = seat
        self._chance = chance
        self._clairvoyant = clairvoyant

    def claim(self, view: View) -> Slam | None:
        """Return the slam that ``hard`` wants, of all cards that this seat knows."""
        self._look()
        return super().claim(view)

    def reaction(self, view: View) -> float | None:
        """Return how many seconds it takes to slam, None if it does not slam."""
        self._look()
        return super().reaction(view)

    def choose(self, view: View) -> Action:
        """Return the action that ends best in playouts, or what ``hard`` chooses, if none is surely better."""
        self._look()
        if view.turns[self._seat] > EARLY:
            return super().choose(view)
        rated = sorted(self._own.action_values(view).rated(view), key=_value)
        if not self._clairvoyant:
            different = {round(value, 6): (value, action) for value, action in reversed(rated)}.values()
            rated = [one for one in sorted(different, key=_value)[:TRIED] if one[0] <= rated[0][0] + CLOSE]
        if len(rated) < 2 or (view.phase is Phase.START and not self._clairvoyant):
            return super().choose(view)
        self.decisions += 1
        first, *others = [action for _, action in rated]
        best = self._best(view, first, others)
        if best is not None and not self._clairvoyant:
            self._check(first, best)
        return best or first

    def _look(self) -> None:
        if self._clairvoyant:
            hole = self.contest.hole
            self._own.memory.known = {
                at: slot_at(hole, *at).card.rank for at in face_down(hole, None, seen=True)
            }

    def _best(self, view: View, first: Action, others: list[Action]) -> Action | None:
        """Return the action that is surely better than the first, None if none is."""
        knowledge = SeatKnowledge(view, self._own.memory)
        values, rivalry = self._own.unit_values(knowledge), self._own.rivalry(knowledge)

        def result(world: Hole, action: Action, seed: float) -> float:
            scores = self._playout(world, action, seed, values)
            return scores[self._seat] + rivalry * (scores[self._seat] - sum(scores))

        leads = {action: Mean() for action in others}
        for number in range(1, 2 if self._clairvoyant else WORLDS + 1):
            world = (
                self.contest.hole
                if self._clairvoyant
                else redealt(self.contest.hole, knowledge, self._chance)
            )
            if world is None:
                return None
            seed = self._chance.random()
            least = result(world, first, seed)
            for action, lead in leads.items():
                lead.add(least - result(world, action, seed))
            if number >= FEW:
                most = max(0.0, *[lead.mean for lead in leads.values()])
                leads = {action: lead for action, lead in leads.items() if lead.mean + 2 * lead.error >= most}
                if not leads:
                    return None
        action, lead = max(leads.items(), key=lambda one: one[1].mean)
        return action if lead.mean > (0.0 if self._clairvoyant else lead.error) else None

    def _check(self, first: Action, best: Action) -> None:
        """Add up what an action gains: nobody knows the order of the stock, so any other was as likely."""
        for _ in range(CHECKS):
            world = changed(
                self.contest.hole, stock=tuple(_shuffled(list(self.contest.hole.stock), self._chance))
            )
            seed = self._chance.random()
            gain, lead = _gain(
                self._seat, self._playout(world, first, seed, None), self._playout(world, best, seed, None)
            )
            self.gain += gain / CHECKS
            self.gained_lead += lead / CHECKS

    def _playout(
        self, world: Hole, action: Action, seed: float, values: UnitValues | None
    ) -> tuple[int, ...]:
        self.playouts += 1
        players = [
            BotPlayer(
                PlayoutBot(
                    bot,
                    world,
                    None if self._clairvoyant and seat == self._seat else Seat(seat),
                    Random(seed + seat),
                    values,
                )
            )
            for seat, bot in enumerate(self._bots)
        ]
        return self.contest.playout(world, players, self._seat, action)


def _value(rated: Rated) -> float:
    return rated[0]


def _gain(seat: Seat, before: tuple[int, ...], after: tuple[int, ...]) -> tuple[float, float]:
    """Return by how many points a seat is better after, and how much further ahead of the mean of the others."""
    own = before[seat] - after[seat]
    return own, own - (sum(before) - sum(after) - own) / (len(before) - 1)


class Bound(NamedTuple):
    """What one deal gave, as means over the seats: the points of ``hard``, and by how much each search is better.

    A gain is in own points, a lead against the mean of the others. The ``expected`` values add up what the reply's
    actions gain in other orders of the stock: in the long run the same as what it achieved, but they vary less.
    """

    points: float
    clairvoyant_gain: float
    clairvoyant_lead: float
    reply_gain: float
    reply_lead: float
    expected_gain: float
    expected_lead: float


def play_bound(task: tuple[Matchup, int]) -> Bound:
    """Play one deal with ``hard`` in all seats, then again with each search in each of the seats."""
    setting, number = task
    seats = len(setting.levels)
    hard, _ = play_with(setting, number)
    rows = []
    for seat in map(Seat, range(seats)):
        row: list[float] = [hard[seat]]
        for clairvoyant in (True, False):
            scores, search = play_with(setting, number, seat, clairvoyant=clairvoyant)
            row += _gain(seat, hard, scores)
        rows.append([*row, search.gain, search.gained_lead])
    return Bound(*[sum(column) / seats for column in zip(*rows, strict=True)])


def play_with(
    setting: Matchup, number: int, seat: Seat | None = None, *, clairvoyant: bool = False
) -> tuple[tuple[int, ...], Search]:
    """Play one deal, with a search in a seat or ``hard`` in all, and return the scores and the search."""
    deal = f"{setting.seed}/{number}"
    bots = [HardBot(setting.rules, Random(f"{deal}/0/{each}")) for each in range(len(setting.levels))]
    players = list(map(BotPlayer, bots))
    search = Search(bots, seat or Seat(0), Random(f"{deal}/{seat}/search"), clairvoyant=clairvoyant)
    if seat is not None:
        players[seat] = search
    search.contest = Contest(setting.rules, players, Random(deal))
    return search.contest.play_hole(), search


def table_head() -> list[str]:
    """Return the two lines above the rows of the table."""
    parts = ("clairvoyant", "reply, as played", "reply, expected")
    return [
        " ".join([f"{'':42}", *[f"{part:>27}" for part in parts]]),
        " ".join(
            [f"{'rules':15} {'seats':>5} {'holes':>5} {'hard':>14}", *[f"{'points':>13} {'lead':>13}"] * 3]
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
