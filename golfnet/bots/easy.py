"""The level ``easy``: takes low cards and pairs, closes when its cards look good, and forgets what it has looked at.

It does not count cards: it treats every card that it does not see as an average card. It ignores other layouts.
"""

from functools import lru_cache
from typing import Final

from golfnet.bots.bot import LEVELS, Bot
from golfnet.bots.seat_knowledge import EMPTY, Memory, SeatKnowledge, pack_of, replaced
from golfnet.bots.unit_values import UnitValues
from golfnet.engine import actions as do
from golfnet.engine.cards import Position
from golfnet.engine.hole import Phase
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View

TEMPTING: Final = 0.5
"""How much a discard must gain to be taken, as a fraction of an average card's points."""

CONTENT: Final = 0.5
"""The bot closes if its cards count at most this fraction of the points of the same number of average cards."""

CACHED_VALUES: Final = 16
"""Maximum number of rule sets whose values are cached."""


class EasyBot(Bot):
    """Does what looks good at a glance."""

    traits = LEVELS["easy"]

    def choose(self, view: View) -> do.Action | None:
        """Return the action that looks best."""
        allowed = view.choices.actions
        if not allowed:
            return None
        glance = _Glance(view, self.memory)
        match view.phase:
            case Phase.START:
                # Choose all cards at once: what the first one shows makes no difference to this level.
                most = _cards(allowed[-1])
                return self.chance.choice([action for action in allowed if _cards(action) == most])
            case Phase.TURN:
                return self._turn(glance, allowed)
            case Phase.HOLDING:
                return self._holding(glance, allowed)
            case Phase.FLIP:
                return self._flip(glance, allowed)
            case Phase.POWER if do.Decline() in allowed:
                return self._power(glance, allowed)
            case Phase.GIVE:
                gifts = [action for action in allowed if isinstance(action, do.Give)]
                return min(gifts, key=lambda gift: glance.without(gift.slot))
            case _:  # a slam window is open, or another seat has the power
                return self.claim(view)

    def target(self, view: View, rank: str) -> Position | None:
        """Return one of its own cards that it remembers."""
        for at in view.choices.slammable:
            if at.seat == view.seat and self.memory.known.get(at) == rank:
                glance = _Glance(view, self.memory)
                if glance.without(at.slot) <= glance.now:
                    return at
        return None

    def _turn(self, glance: "_Glance", allowed: tuple[do.Action, ...]) -> do.Action:
        if do.Knock() in allowed and glance.is_content:
            return do.Knock()
        slot, gain = glance.best(glance.top)
        if (
            slot
            and do.Take(slot) in allowed
            and (gain >= TEMPTING * glance.average or do.Draw() not in allowed)
        ):
            return do.Take(slot)
        return do.Draw() if do.Draw() in allowed else allowed[0]

    def _holding(self, glance: "_Glance", allowed: tuple[do.Action, ...]) -> do.Action:
        slot, gain = glance.best(glance.drawn)
        if slot and do.Swap(slot) in allowed and (gain > 0 or do.Discard() not in allowed):
            return do.Swap(slot)
        return do.Discard() if do.Discard() in allowed else allowed[0]

    def _flip(self, glance: "_Glance", allowed: tuple[do.Action, ...]) -> do.Action:
        flips = [action for action in allowed if isinstance(action, do.Flip)]
        if do.Pass() in allowed and len(flips) == 1 and glance.ends and not glance.is_content:
            return do.Pass()
        return self.chance.choice(flips)

    def _power(self, glance: "_Glance", allowed: tuple[do.Action, ...]) -> do.Action:
        """Look at one of its own cards that it does not know, if there is one."""
        for action in allowed:
            if isinstance(action, do.Peek):
                (at,) = action.at
                if at.seat == glance.seat and glance.own[at.slot - 1] < 0:
                    return action
        return do.Decline()


class _Glance(SeatKnowledge):
    """What the bot sees now, in points."""

    def __init__(self, view: View, memory: Memory) -> None:
        super().__init__(view, memory)
        self.points = _unit_values(view.rules, self.seats).points
        self.now = self.points(self.own)
        counts, values = self.pack.counts, self.pack.values
        self.average = sum([count * value for count, value in zip(counts, values, strict=True)]) / sum(counts)
        self.ends = view.rules.closes_first and view.closer is None

    @property
    def is_content(self) -> bool:
        """Whether the bot's own layout is good enough to close with."""
        slots = sum([symbol != EMPTY for symbol in self.own])
        return self.now <= CONTENT * self.average * slots

    def without(self, slot: int) -> float:
        """Return the points of the bot's own layout without the card in one slot."""
        return self.points(replaced(self.own, slot - 1, EMPTY))

    def best(self, rank: int | None) -> tuple[int, float]:
        """Return the slot where a card gains most, and the gain; slot 0 if it cannot be placed anywhere."""
        own, mark = self.own, self.placed_mark
        if rank is None:
            return 0, 0.0
        gains = [
            (self.now - self.points(replaced(own, index, rank + mark)), -index)
            for index in self.replaceable()
        ]
        gain, index = max(gains, default=(0.0, 1))
        return 1 - index, gain


@lru_cache(CACHED_VALUES)
def _unit_values(rules: RuleSet, seats: int) -> UnitValues:
    """Return the points of units if each unseen card is a random card of the whole deck."""
    pack = pack_of(rules, seats)
    return UnitValues(rules, pack, draws=pack.chances)


def _cards(action: do.Action) -> int:
    """Return the number of cards in a start choice; the last allowed action has the most."""
    match action:
        case do.Flip(slots=cards) | do.Peek(at=cards):
            return len(cards)
        case _:
            return 0
