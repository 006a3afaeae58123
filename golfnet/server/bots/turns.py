"""Seats that no person plays: when bots and the house make their choices.

What stays true: a table waits for one such choice at a time, and as long as the bot seems to think; a choice that was
made ahead counts only if nothing has happened in the hole since, otherwise it is made again. Where several are to
choose at the same time they think at the same time, so that many take little longer than one. In a slam window, where
choices are small and moments count, nothing is thought ahead. Whatever is chosen is an action like any other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from golfnet.engine.hole import Phase, phase
from golfnet.engine.legality import awaited, house_action
from golfnet.engine.views import mask, view
from golfnet.server.context.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.bots.player import BotChoice, BotPlayer
    from golfnet.engine.actions import Action
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext
    from golfnet.server.context.seating import Chair


def bot_for_seat(table: TableContext, seat: Seat, level: str) -> BotPlayer:
    """Return a bot for a seat of the running match, which has seen what the seat has seen of the hole so far."""
    mind = table.services.make_bot(level, table.match.rules or table.rules)
    for event in table.hole_log:
        mind.observe(mask(event, seat))
    return mind


class _Thought(NamedTuple):
    """What is thought about: whose choice, and the last event of the hole that was known."""

    mind: BotPlayer
    seat: Seat
    seq: int


class BotTurns:
    """The choices of bots and the house at one table, slam windows left to ``bot_slams``."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._timer: Timer | None = None
        self._thought: _Thought | None = None
        self._choice: BotChoice | None = None
        self._is_awaited = False
        """Whether the time of the choice has come, and it was not made yet."""

    def update(self, hole: Hole) -> None:
        """Let the next choice come, if there is one to be made."""
        if self._is_awaited or (self._timer is not None and self._timer.is_set):
            return
        choosers = self._choosers(hole)
        if not choosers:
            return
        seat, chair = choosers[0]
        if chair.bot is not None and chair.bot.is_busy:
            return  # the table settles again once the bot is back
        delay = self._table.services.config.house_delay
        seen = view(hole, seat)
        seconds = delay if chair.bot is None or chair.kind is ChairKind.HOUSE else chair.bot.think(seen)
        # Of so many who think at the same time the first is done that much sooner (X12).
        soon = seconds / len(choosers)
        self._timer = self._table.after(soon, self._time_has_come)
        if chair.bot is not None and _is_thought_ahead(chair.bot, hole):
            self._think(chair.bot, seat, hole)

    def stop(self) -> None:
        """Make no choice; ``update`` goes on."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._thought = self._choice = None
        self._is_awaited = False

    def _choosers(self, hole: Hole) -> list[tuple[Seat, Chair]]:
        """Return the seats that a bot or the house has to choose for, with their chairs: the first comes next."""
        if phase(hole) is Phase.SLAM:
            return []
        chairs = [(seat, self._table.seating.at(seat)) for seat in awaited(hole)]
        return [
            (seat, chair) for seat, chair in chairs if chair is not None and chair.kind is not ChairKind.HUMAN
        ]

    def _think(self, mind: BotPlayer, seat: Seat, hole: Hole) -> None:
        thought = self._thought = _Thought(mind, seat, self._table.hole_seq)
        self._choice = None
        table = self._table

        def made(choice: BotChoice) -> None:
            table.guarded(partial(self._made, thought, choice))()

        mind.submit(view(hole, seat), table.services.executor, made)

    def _made(self, thought: _Thought, choice: BotChoice) -> None:
        """Hear what a bot chose, if it is still of interest; a fault always is."""
        thought.mind.resume()
        choice.result()
        if thought is self._thought:
            self._choice = choice
        if self._is_awaited:
            self._time_has_come()
        elif self._timer is None:
            self._table.settle()

    def _time_has_come(self) -> None:
        """Make one choice for the first seat that a bot or the house plays."""
        table, hole = self._table, self._table.hole
        self._timer, self._is_awaited = None, False
        choosers = [] if hole is None else self._choosers(hole)
        if hole is not None and choosers:
            seat, chair = choosers[0]
            mind = chair.bot
            if mind is not None and not self._is_made(mind, seat, hole):
                return
            action = house_action(hole, seat) if mind is None else self._chosen(mind, seat, hole)
            if action is not None:
                table.do(seat, action)
        table.settle()

    def _is_made(self, mind: BotPlayer, seat: Seat, hole: Hole) -> bool:
        """Tell whether a bot's choice can be had now; otherwise it will come back to it."""
        if not mind.is_busy and (not _is_thought_ahead(mind, hole) or self._is_known(mind, seat)):
            return True
        self._is_awaited = True
        if not mind.is_busy:
            self._think(mind, seat, hole)
        return False

    def _is_known(self, mind: BotPlayer, seat: Seat) -> bool:
        return self._choice is not None and self._thought == (mind, seat, self._table.hole_seq)

    def _chosen(self, mind: BotPlayer, seat: Seat, hole: Hole) -> Action | None:
        if self._choice is not None and self._is_known(mind, seat):
            return self._choice.action
        return mind.choose(view(hole, seat))


def _is_thought_ahead(mind: BotPlayer, hole: Hole) -> bool:
    return mind.is_slow and hole.window is None
