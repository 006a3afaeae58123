"""The coach: what ``hard`` would do in a seat, and why, for the player who sits there.

The choice and the numbers in its reason come from one evaluation by ``hard``, which uses only a view of the
seat and the events that the seat was shown. A sentence is made of parts, since cards, numbers and positions
are written differently for each reader.
"""

from collections.abc import Iterable
from operator import itemgetter, mul
from random import Random
from typing import Final, NamedTuple

from golfnet.bots.action_values import Rated
from golfnet.bots.hard import HardBot
from golfnet.bots.seat_knowledge import EMPTY, KEPT, RANK, SeatKnowledge, Symbols, replaced
from golfnet.engine import actions as do
from golfnet.engine.cards import Card, Position
from golfnet.engine.events import Event
from golfnet.engine.hole import Phase
from golfnet.engine.rules import Cancel, Placed, RuleSet
from golfnet.engine.views import View

Parts = tuple[str | int | Card | Position, ...]
"""The parts of a sentence or of a phrase."""

SAME: Final = 0.05
"""Difference in points that is not worth mentioning: points are shown with one decimal."""
SOON: Final = 0.3
"""If the chance that others end the hole before the next turn is above this, a hint mentions it."""


class Advice(NamedTuple):
    """An action, and a sentence without its full stop: what to do, and why."""

    action: do.Action
    sentence: Parts


def new_bot(rules: RuleSet, events: Iterable[Event] = ()) -> HardBot:
    """Return a bot that has observed the events as one seat sees them."""
    bot = HardBot(rules, Random(0))  # Only the timing of this level is random.
    for event in events:
        bot.observe(event)
    return bot


def advise(bot: HardBot, view: View) -> Advice | None:
    """Return what a bot would do, or None if there is nothing to do.

    The bot must have observed everything that its seat was shown.
    """
    rated = bot.action_values(view).rated(view)
    slam = None if view.phase is Phase.GIVE else bot.claim(view)
    if slam is None and not rated and do.Pass() not in view.choices.actions:
        return None
    return _advice(bot, view, rated, slam or (_best(rated)[1] if rated else do.Pass()))


def compare(bot: HardBot, view: View, action: do.Action) -> tuple[float, Advice] | None:
    """Return how many points an action costs according to ``hard``, and what ``hard`` would do instead.

    Return None if ``hard`` has not valued the action: it values no slams, and not every switch. ``take``
    without a slot is valued as if the card went into the best slot.
    """
    rated = bot.action_values(view).rated(view)
    is_take = action == do.Take()
    values = [value for value, each in rated if each == action or (is_take and isinstance(each, do.Take))]
    if not values:
        return None
    value, best = _best(rated)
    return min(values) - value, _advice(bot, view, rated, best)


def _best(rated: tuple[Rated, ...]) -> Rated:
    return min(rated, key=itemgetter(0))


def _advice(bot: HardBot, view: View, rated: tuple[Rated, ...], action: do.Action) -> Advice:
    return Advice(action, (*_words(action, view)[0], ": ", *_Reasons(bot, view, rated).of(action)))


def _words(action: do.Action, view: View) -> tuple[Parts, Parts]:
    """Return an action as an instruction, and as a phrase for comparing the best one with it."""
    match action:
        case do.Take(slot=slot):
            card, where = _card(view.discard), f" into slot {slot}"
            return ("Take ", card, where), ("taking ", card, where)
        case do.Swap(slot=slot):
            return ("Put ", _card(view.drawn), f" into slot {slot}"), (f"putting it into slot {slot}",)
        case do.Discard():
            return ("Discard ", _card(view.drawn)), ("discarding it",)
        case do.Flip(slots=slots):
            return (f"Turn up slot {slots[0]}",), (f"turning up slot {slots[0]}",)
        case do.Peek(at=at):
            return ("Look at ", at[0]), ("looking at ", at[0])
        case do.Switch(first=first, second=second):
            return ("Switch ", first, " and ", second), _ANYTHING_ELSE
        case do.Slam(at=at):
            return ("Slam ", at), _ANYTHING_ELSE
        case do.Give(slot=slot):
            return (f"Give slot {slot}",), (f"giving slot {slot}",)
        case do.Pass():
            not_doing = "Turn up no card" if view.phase is Phase.FLIP else "Do not slam"
            return (not_doing,), ("leaving your cards face down",)
        case do.Decline():
            return ("Do not use the power",), _ANYTHING_ELSE
        case do.Draw():
            return ("Draw",), ("drawing",)
        case do.Knock():
            return ("Knock",), ("knocking",)


_ANYTHING_ELSE: Final[Parts] = ("anything else",)


def _card(card: Card | None) -> str | Card:
    return "the card" if card is None else card


class _Reasons:
    """Explains why an action is the best, from what the evaluator knows about it and the other actions."""

    def __init__(self, bot: HardBot, view: View, rated: tuple[Rated, ...]) -> None:
        self._view = view
        self._rated = rated
        self._values = bot.action_values(view)
        self._points = self._values.unit_values.points
        self._knowledge = knowledge = SeatKnowledge(view, bot.memory)
        self._own = knowledge.own
        self._down = sum(knowledge.own_down)

    def of(self, action: do.Action) -> Parts:
        """Return why an action is the best."""
        knowledge, own = self._knowledge, self._own
        match action:
            case do.Take(slot=int(slot)) | do.Swap(slot=slot):
                card = self._view.discard if isinstance(action, do.Take) else self._view.drawn
                return self._placing(action, slot - 1, card)
            case do.Discard():
                return self._discarding(action)
            case do.Draw() if self._view.discard is None:
                return ("there is no card to take yet",)
            case do.Knock():
                return self._ahead(own) or self._better(action)
            case do.Flip(slots=(slot,)) if self._values.ends(self._down - 1):
                return self._ahead(own) or self._better(action)
            case do.Peek(at=(at,)) if at.seat != knowledge.seat:
                return ("no switch would gain anything, but knowing a card may help",)
            case do.Switch(first=first, second=second):
                mine, theirs = (first, second) if first.seat == knowledge.seat else (second, first)
                exact = round(self._value(self._symbol(mine))) == round(self._value(self._symbol(theirs)))
                return (
                    "you give ",
                    *self._worth(mine, exact=exact),
                    " for ",
                    *self._worth(theirs, exact=exact),
                )
            case do.Decline():
                return ("neither a look nor a switch would gain anything",)
            case do.Slam(at=at) if at.seat == knowledge.seat:
                return ("it has the rank of the discard, and you get rid of it",)
            case do.Slam():
                return ("it has the rank of the discard, and you give one of your cards for it",)
            case do.Pass() if self._view.phase is not Phase.FLIP:
                return ("you know of no card of this rank that would gain you anything",)
            case do.Give(slot=slot):
                return "it is ", *self._worth(Position(knowledge.seat, slot))
            case _:
                return self._better(action)

    def _placing(self, action: do.Action, index: int, card: Card | None) -> Parts:
        knowledge, old = self._knowledge, self._own[index]
        if card is None:
            return self._better(action)
        rank = knowledge.pack.numbers[card.rank]
        after = replaced(self._own, index, rank + knowledge.placed_mark)
        down = self._down - knowledge.own_down[index] + (knowledge.rules.placed is Placed.DOWN)
        cancelling = self._cancelling(after, index, rank)
        ahead = self._ahead(after) if self._values.ends(down) else ()
        if cancelling or ahead:
            return (*cancelling, *[", and "] * bool(cancelling and ahead), *ahead)
        value = knowledge.pack.values[rank]
        if value < self._value(old) and self._points(after) < self._points(self._own) - SAME:
            return self._lower(value, old, index)
        return self._better(action)

    def _cancelling(self, after: Symbols, index: int, rank: int) -> Parts:
        """Return what a card cancels with in its slot; empty if it cancels nothing."""
        alike = tuple([symbol if symbol >= 0 and symbol & RANK == rank else EMPTY for symbol in after])
        without = self._points(replaced(alike, index, EMPTY))
        if self._points(alike) >= without + self._knowledge.pack.values[rank] - SAME:
            return ()
        rules, seat = self._knowledge.rules, self._knowledge.seat
        if rules.cancel is Cancel.COLUMN:
            return (f"it cancels column {index % rules.columns + 1}",)
        mate = next(i for i, symbol in enumerate(alike) if i != index and symbol != EMPTY)
        return "it cancels ", Position(seat, mate + 1)

    def _lower(self, value: int, old: int, index: int) -> Parts:
        unseen = self._knowledge.chances(old)
        place = Position(self._knowledge.seat, index + 1)
        if unseen:
            return (
                "it counts ",
                value,
                ", and ",
                place,
                " is unknown: ",
                round(self._value(old)),
                " on average",
            )
        return "it counts ", value, ", and ", place, " counts ", self._knowledge.pack.values[old & RANK]

    def _discarding(self, action: do.Action) -> Parts:
        drawn = self._view.drawn
        rank = None if drawn is None else self._knowledge.pack.numbers[drawn.rank]
        if rank is not None and self._values.slam(self._own, rank) > 0:
            return "you can then slam ", Position(self._knowledge.seat, self._own.index(rank) + 1)
        values = self._knowledge.pack.values
        counts = [self._value(symbol) for symbol in self._own if symbol != EMPTY]
        if rank is not None and counts and max(counts) <= values[rank]:
            return "it counts ", values[rank], ", and none of your cards seems to count more"
        return self._better(action)

    def _ahead(self, symbols: Symbols) -> Parts:
        """Return the seat's lead if it ends the hole now; empty if it would not be ahead."""
        mine, lowest = self._points(symbols), min(self._values.closed)
        if mine >= lowest:
            return ()
        if round(mine) == round(lowest):
            return ("it ends the hole while you are a little ahead",)
        return "it ends the hole while you are ahead: about ", round(mine), " against ", round(lowest)

    def _better(self, action: do.Action) -> Parts:
        """Return by how much an action is better than the next best one."""
        value = next((value for value, each in self._rated if each == action), 0.0)
        others = [(value, each) for value, each in self._rated if each != action]
        if not others:
            return ("it is all you can do",)
        second, other = min(others, key=itemgetter(0))
        why: tuple[str, ...] = ()
        if self._view.closer is not None:
            why = (" in your last turn",)
        elif (
            self._values.soon > SOON
            and second - value >= SAME
            # That others may end the hole soon is no reason to prefer one slot to another, or to wait.
            and type(action) is not type(other)
            and not isinstance(action, do.Pass)
            and not isinstance(other, do.Knock)
        ):
            why = (", since others may end the hole soon",)
        instead = _words(other, self._view)[1]
        if second - value < SAME:
            return "it is as good as ", *instead, *why
        return f"it is worth about {max(0.1, second - value):.1f} points more than ", *instead, *why

    def _worth(self, at: Position, *, exact: bool = False) -> Parts:
        """Return what a card is worth to the seat; with one decimal if ``exact``."""
        symbol = self._symbol(at)
        if not self._knowledge.chances(symbol):
            return "a card that counts ", self._knowledge.pack.values[symbol & RANK]
        mean = f"{self._value(symbol):.1f}" if exact else round(self._value(symbol))
        what = "a card that its owner kept" if symbol == KEPT else "an unknown card"
        return f"{what} (", mean, " on average)"

    def _symbol(self, at: Position) -> int:
        return self._knowledge.layouts[at.seat][at.slot - 1]

    def _value(self, symbol: int) -> float:
        values, unseen = self._knowledge.pack.values, self._knowledge.chances(symbol)
        return float(sum(map(mul, unseen, values)) if unseen else values[symbol & RANK])
