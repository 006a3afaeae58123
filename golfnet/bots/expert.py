"""The level ``expert``: plays like ``hard``, unless playouts show that another of its best actions is better.

A playout tries an action: it plays the action, and then the rest of the hole with ``hard`` in all seats.
Actions of nearly equal value are tried in the same random deals of the unseen cards, until one is clearly
better or none can be.

Such a deal is a whole hole that agrees with everything that the seat has seen. It is folded from the events that the
seat was shown, with a blank for every card that it has not seen. A blank tells where its card comes from, the deck or
the discard pile of a reshuffle (X6), and so which cards it can be.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from math import inf, sqrt
from operator import itemgetter
from random import Random
from time import monotonic, thread_time
from typing import Any, Final

from golfnet.bots.bot import LEVELS, BotPlayer, Mean, playout
from golfnet.bots.hard import HardBot
from golfnet.bots.seat_knowledge import KEPT, Memory, SeatKnowledge
from golfnet.bots.unit_values import UnitValues
from golfnet.engine import events as ev
from golfnet.engine.actions import Action
from golfnet.engine.cards import Card, Layout, Position, Seat
from golfnet.engine.frozen import fields_of, replaced
from golfnet.engine.hole import Deal, Hole, Phase, changed, dealt, evolve
from golfnet.engine.inspection import completed
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask

WORLDS: Final = 32
"""Maximum deals of the unseen cards in which actions are tried."""
FEW: Final = 6
"""Minimum deals before an action is dropped or chosen."""
LUCK: Final = 1.0
"""An action is dropped if it would need more luck than this in the remaining deals, in standard deviations."""
SURE: Final = 2.0
"""By how many standard errors an action must beat the choice of ``hard`` after all deals."""
SOON_SURE: Final = 3.0
"""By how many standard errors an action must beat the choice of ``hard`` to be chosen before all deals are played."""
CLOSE: Final = 2.0
"""Only actions that ``hard`` values within this many points of the best one are tried."""
TRIED: Final = 4
"""Maximum number of actions tried; of several with the same value, only one is tried."""
EARLY: Final = 20
"""The bot uses playouts only in this many turns of a hole, from its first on, so that the time for them is bounded."""

SHARE: Final = 0.1
"""The share of one processor that all experts of a server may use together."""
SAVED: Final = 5.0
"""Maximum seconds of unused processor time that experts may save up."""
LONGEST: Final = 0.5
"""Maximum seconds of processor time for one choice of an expert."""


class ThinkingTime:
    """The processor time that experts may share; while there is none left, they play like ``hard``."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since = clock()
        self._saved = SAVED

    def seconds(self) -> float:
        """Return how many seconds of processor time one choice may take now."""
        now = self._clock()
        self._saved = min(SAVED, self._saved + SHARE * (now - self._since))
        self._since = now
        return min(LONGEST, self._saved)

    def spend(self, seconds: float) -> None:
        """Count the seconds that a choice has taken."""
        self._saved -= seconds


SHARED: Final = ThinkingTime()
"""The limit for all experts of this process that play at tables with people."""


class ExpertBot(HardBot):
    """Improves the choices of ``hard`` by playouts; ``limit``, if given, bounds their processor time."""

    traits = LEVELS["expert"]

    def __init__(self, rules: RuleSet, chance: Random, limit: ThinkingTime | None = None) -> None:
        super().__init__(rules, chance)
        self._limit = limit
        self._shown: list[ev.Event] = []

    def observe(self, event: ev.Event) -> None:
        """Remember the event, and everything shown in this hole."""
        if isinstance(event, ev.HoleStarted):
            self._shown.clear()
        self._shown.append(event)
        super().observe(event)

    def choose(self, view: View) -> Action | None:
        """Return an action that playouts find clearly better than the choice of ``hard``, or else that choice.

        There are no playouts in a slam window, where speed counts, or in a hole that the bot joins in the
        middle.
        """
        first = super().choose(view)
        is_whole = bool(self._shown) and isinstance(self._shown[0], ev.HoleStarted)
        if first is None or view.seat is None or view.window or view.phase is Phase.START or not is_whole:
            return first
        others = [action for action in close_actions(self, view) if action != first]
        seconds = self._limit.seconds() if self._limit else inf
        if not others or seconds <= 0 or view.turns[view.seat] > EARLY:
            return first
        began = thread_time()
        better = self._better(view, first, others, began + seconds)
        if self._limit:
            self._limit.spend(thread_time() - began)
        return better or first

    def _better(self, view: View, first: Action, others: list[Action], until: float) -> Action | None:
        """Return an action that proves clearly better than the first in the deals that time allows, or None."""
        knowledge = SeatKnowledge(view, self.memory)
        values, rivalry, seat = self.unit_values(knowledge), self.rivalry(knowledge), knowledge.seat
        seen = SeenHole(view, self._shown)
        memories = [self._memory_of(Seat(each)) for each in range(knowledge.seats)]
        leads = {action: Mean() for action in others}
        for number in range(1, WORLDS + 1):
            world = seen.world(knowledge, self.chance)
            seed = self.chance.random()
            results = []
            for action in (first, *leads):
                players = [
                    BotPlayer(PlayoutBot(memory, world, Seat(each), Random(seed + each), values))
                    for each, memory in enumerate(memories)
                ]
                scores = playout(world, players, seat, action)
                results.append(scores[seat] + rivalry * (scores[seat] - sum(scores)))
            for lead, result in zip(leads.values(), results[1:], strict=True):
                lead.add(results[0] - result)
            if number >= FEW:
                leads = {action: lead for action, lead in leads.items() if _can_still_win(lead)}
                if not leads:
                    return None
                action, lead = max(leads.items(), key=lambda one: one[1].mean)
                if len(leads) == 1 and lead.mean > SOON_SURE * lead.error:
                    return action
            if thread_time() > until:
                break
        return action if number >= FEW and lead.mean > SURE * lead.error else None

    def _memory_of(self, seat: Seat) -> Memory:
        """Return what another seat remembers, without the cards that only that seat has seen."""
        memory = Memory(self.rules, self.chance, 1.0)
        for event in self._shown:
            memory.observe(mask(event, seat))
        return memory


def _can_still_win(lead: Mean) -> bool:
    """Return whether the action may yet prove clearly better, if the remaining deals are like those so far."""
    deviation = lead.error * sqrt(lead.count)
    luck = LUCK * deviation * sqrt(WORLDS - lead.count)
    return lead.mean * WORLDS + luck > SURE * deviation * sqrt(WORLDS)


def close_actions(bot: HardBot, view: View) -> list[Action]:
    """Return the actions that ``hard`` finds nearly as good as the best one, best first; equal values count once."""
    rated = sorted(bot.action_values(view).rated(view), key=itemgetter(0))
    different = {round(value, 6): (value, action) for value, action in reversed(rated)}.values()
    closest = sorted(different, key=itemgetter(0))[:TRIED]
    return [action for value, action in closest if value <= rated[0][0] + CLOSE]


class PlayoutBot(HardBot):
    """``hard`` in a playout: several times as fast, because it reuses the unit values of the decision being made."""

    def __init__(
        self, memory: Memory, hole: Hole, seat: Seat | None, chance: Random, values: UnitValues
    ) -> None:
        """Copy a memory, but let it know the face-down cards that ``seat`` has seen, or all of them for seat None."""
        super().__init__(hole.rules, chance)
        self.memory = memory.copy(known_ranks(hole, seat))
        self._values = values

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the values of the decision being made."""
        return self._values


def known_ranks(hole: Hole, seat: Seat | None) -> dict[Position, str]:
    """Return the ranks of the face-down cards that a seat has seen, by position; without a seat, of all of them."""
    return {
        Position(Seat(owner), number): slot.card.rank
        for owner, layout in enumerate(hole.layouts)
        for number, slot in enumerate(layout, 1)
        if slot is not None and not slot.face_up and (seat is None or slot.known >> seat & 1)
    }


BLANK: Final = "?"
"""The rank of a blank; its suit says how many reshuffles there were before its card came into the stock."""


class SeenHole:
    """A hole as one seat has seen it. ``unseen`` maps each suit of blanks to the cards that they can stand for."""

    def __init__(self, view: View, events: Iterable[ev.Event]) -> None:
        """Fold all events of the hole, masked for the seat of the view."""
        deck = view.rules.deck_for(len(view.layouts))
        deal = Deal(view.hole, view.dealer, view.leader, view.commitment, view.totals)
        self.unseen = [Counter(deck)]
        self.hole = dealt(view.rules, deal, (Card(BLANK, "0"),) * len(deck))
        for event in events:
            self._observe(event)

    def world(self, knowledge: SeatKnowledge, chance: Random) -> Hole:
        """Return the hole with a random card in place of each blank.

        Cards that others know and keep are likely to be low, as ``hard`` assumes.
        """
        hole = self.hole
        pools = [list(cards.elements()) for cards in self.unseen]
        for pool in pools:
            chance.shuffle(pool)
        numbers = knowledge.pack.numbers
        liking = [
            kept / (hidden or 1.0) for kept, hidden in zip(knowledge.kept, knowledge.hidden, strict=True)
        ]

        def card(blank: Card, *, kept: bool = False) -> Card:
            if blank.rank != BLANK:
                return blank
            pool = pools[int(blank.suit)]
            if not kept:
                return pool.pop()
            (index,) = chance.choices(range(len(pool)), [liking[numbers[each.rank]] for each in pool])
            return pool.pop(index)

        layouts = [list(layout) for layout in hole.layouts]
        places = [
            (symbols[index] != KEPT, seat, index, slot)
            for seat, symbols in enumerate(knowledge.layouts)
            for index, slot in enumerate(layouts[seat])
            if slot is not None
        ]
        for unkept, seat, index, slot in sorted(places):
            layouts[seat][index] = changed(slot, card=card(slot.card, kept=not unkept))
        drawn = hole.drawn
        return changed(
            hole,
            layouts=tuple(map(Layout, layouts)),
            stock=tuple(map(card, hole.stock)),
            drawn=drawn and changed(drawn, card=card(drawn.card)),
        )

    def _observe(self, event: ev.Event) -> None:
        """Fold an event, and remove from ``unseen`` each card that it shows where the hole has a blank."""
        hole = self.hole
        match event:
            case ev.Committed() | ev.MatchStarted() | ev.HoleStarted() | ev.MatchEnded():
                return
            case ev.Dealt():
                if event.discard is not None:
                    self._see(hole.discards[0], event.discard)
                    self.hole = changed(hole, discards=(event.discard,))
                return
            case ev.Reshuffled():
                self.unseen.append(Counter(hole.discards[:-1]))
                blank = Card(BLANK, str(len(self.unseen) - 1))
                event = replaced(event, order=(blank,) * event.stock)
            case _:
                for mine, shown in zip(
                    fields_of(completed(hole, event)).values(), fields_of(event).values(), strict=True
                ):
                    self._see(mine, shown)
        self.hole = evolve(hole, event)

    def _see(self, mine: Any, shown: Any) -> None:
        """Remove shown cards from ``unseen``, for one field: ``mine`` is the hole's value, ``shown`` the event's."""
        if isinstance(shown, tuple):
            for one, other in zip(mine, shown, strict=True):
                self._see(one, other)
        elif isinstance(shown, Card) and mine.rank == BLANK:
            self.unseen[int(mine.suit)][shown] -= 1
