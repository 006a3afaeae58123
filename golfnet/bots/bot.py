"""The interface of a bot, the levels, and how bots are driven: at a table, or in a contest without a clock.

A bot is a plain synchronous object. It observes every event, masked for its seat, in order, and chooses from views of
its seat. A choice depends only on these, the level, and the bot's own random numbers. A bot reads no clock and does no
input or output: thinking and reaction times are numbers of seconds that the table waits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

from golfnet.bots.seat_knowledge import Memory
from golfnet.engine import match as matches
from golfnet.engine.actions import Action, Pass, Slam, Switch
from golfnet.engine.cards import Position, Seat
from golfnet.engine.events import Event
from golfnet.engine.frozen import Frozen
from golfnet.engine.hole import Hole, Phase, changed
from golfnet.engine.legality import awaited
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view as view_of


class Level(Frozen, kw_only=True):
    """How quick and attentive a level is; the module of the same name defines how it chooses.

    ``recall`` is the chance of remembering a face-down card for one more turn of any seat. ``reaction`` is the median
    time to a slam in seconds, and ``spread`` the standard deviation of the logarithm of that time. ``misses`` is the
    chance of overlooking a slam, ``thinking`` the median time for a choice in seconds.
    """

    name: str
    recall: float
    reaction: float
    spread: float
    misses: float
    thinking: float


LEVELS: Final = MappingProxyType(
    {
        level.name: level
        for level in (
            Level(name="random", recall=0.0, reaction=1.2, spread=0.5, misses=0.9, thinking=0.8),
            Level(name="easy", recall=0.93, reaction=0.9, spread=0.35, misses=0.35, thinking=1.6),
            Level(name="medium", recall=0.99, reaction=0.75, spread=0.3, misses=0.12, thinking=1.4),
            Level(name="hard", recall=1.0, reaction=0.6, spread=0.25, misses=0.03, thinking=1.2),
            Level(name="expert", recall=1.0, reaction=0.6, spread=0.25, misses=0.03, thinking=1.2),
        )
    }
)
"""Every level by its name, weakest first."""


THINKING_SPREAD = 0.4
"""Standard deviation of the logarithm of a thinking time: most choices take between half and twice the median."""

QUICKER = {Phase.FLIP: 0.5, Phase.HOLDING: 0.6}
"""The second choice in a turn takes this share of the usual time, since the first choice mostly determines it."""


class Bot(ABC):
    """A player that is a program. It thinks for a random time that depends on its level; subclasses choose."""

    traits: Level

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        self.rules = rules
        self.chance = chance
        self.memory = Memory(rules, chance, self.traits.recall)

    def observe(self, event: Event) -> None:
        """Observe the next event, masked for this seat, and remember what it shows."""
        self.memory.observe(event)

    @abstractmethod
    def choose(self, view: View) -> Action | None:
        """Return one of the actions that the view allows, None if the bot wants none of them.

        If this seat has to use a power or give a card, the choice is about that; otherwise, in a slam window, it is
        what ``claim`` returns. The choice is None only in a window or if the view allows nothing.
        """

    @abstractmethod
    def target(self, view: View, rank: str) -> Position | None:
        """Return the card that the bot wants to slam on a discard of this rank, None if it wants none."""

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now; None if it wants none, no window is open, or the window is won."""
        window = view.window
        if window is None or window.won or not view.choices.slammable:
            return None
        at = self.target(view, window.card.rank)
        return None if at is None else Slam(at, window.discard_no)

    def reaction(self, view: View) -> float | None:
        """Return the seconds to a claim in the window just opened (log-normal), None if the bot does not claim.

        After that time, ``claim`` is called with a new view and decides on the slam, if any.
        """
        overlooked = self.chance.random() < self.traits.misses
        seconds = self._about(self.traits.reaction, self.traits.spread)
        return None if overlooked or self.claim(view) is None else seconds

    def think(self, view: View) -> float:
        """Return how many seconds the bot should think about the choice in this view (log-normal)."""
        return self._about(self.traits.thinking * QUICKER.get(view.phase, 1.0), THINKING_SPREAD)

    def _about(self, median: float, spread: float) -> float:
        return median * exp(self.chance.gauss(0.0, spread))


class RandomBot(Bot):
    """Picks one of the actions in the view at random; all switches together count as one."""

    traits = LEVELS["random"]

    def observe(self, event: Event) -> None:
        """Remember nothing."""

    def choose(self, view: View) -> Action | None:
        """Return any allowed action but a slam, which only ``claim`` makes."""
        allowed = view.choices
        actions = [
            action for action in allowed.actions if view.window is None or not isinstance(action, Pass)
        ]
        if len(allowed.switchable) >= 2 and self.chance.random() * (len(actions) + 1) < 1:
            return Switch(*sorted(self.chance.sample(allowed.switchable, 2)))
        return self.chance.choice(actions) if actions else self.claim(view)

    def target(self, view: View, rank: str) -> Position:
        """Return any card."""
        return self.chance.choice(view.choices.slammable)


class BotChoice(NamedTuple):
    """The action that a bot chose, or the exception that it raised."""

    action: Action | None = None
    fault: Exception | None = None

    def result(self) -> Action | None:
        """Return the action, or raise the bot's exception."""
        if self.fault is not None:
            raise self.fault
        return self.action


Work = Callable[[], BotChoice]
Executor = Callable[[Work, Callable[[BotChoice], None]], None]
"""Runs a choice and passes the result to a callback, either before it returns or later."""

SLOW: Final = frozenset({"hard", "expert"})
"""Levels whose choices may take more than 0.01 s; a choice of ``expert`` may take half a second."""


class BotPlayer:
    """A bot of any level at a table; only one thread may use it.

    Invariant: while an executor runs a choice, nothing else uses the bot. Until the choice is made, events are held
    back and the bot does not slam.
    """

    def __init__(self, bot: Bot) -> None:
        self.is_busy = False
        """Whether an executor is running a choice of the bot."""
        self.is_slow = bot.traits.name in SLOW
        """Whether choices of the bot take a long time."""
        self._bot = bot
        self._missed: list[Event] = []

    def observe(self, event: Event) -> None:
        """Observe the next event, masked for its seat."""
        if self.is_busy:
            self._missed.append(event)
        else:
            self._bot.observe(event)

    def choose(self, view: View) -> Action:
        """Return the bot's choice, however long that takes. Raise ``LookupError`` if it chooses nothing."""
        action = self._bot.choose(view)
        if action is None:
            raise LookupError(f"{self._bot.traits.name} chose nothing although it had to")
        return action

    def think(self, view: View) -> float:
        """Return how many seconds the bot should think about a choice."""
        return self._bot.think(view)

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now."""
        return None if self.is_busy else self._bot.claim(view)

    def reaction(self, view: View) -> float | None:
        """Return how many seconds the bot takes to slam, None if it does not slam."""
        return None if self.is_busy else self._bot.reaction(view)

    def submit(self, view: View, executor: Executor, callback: Callable[[BotChoice], None]) -> None:
        """Run a choice on an executor; the callback must call ``resume``."""
        self.is_busy = True
        executor(lambda: self._made(view), callback)

    def _made(self, view: View) -> BotChoice:
        """Return the bot's choice, or the exception that it raised."""
        try:
            return BotChoice(self.choose(view))
        except Exception as fault:  # ``result`` raises it again where the choice is used.
            return BotChoice(fault=fault)

    def resume(self) -> None:
        """Observe the events that arrived while a choice was running."""
        self.is_busy = False
        missed, self._missed = self._missed, []
        for event in missed:
            self._bot.observe(event)


# --- holes without a clock


class Contest:
    """A match between bots, one for each seat."""

    def __init__(self, rules: RuleSet, players: Sequence[BotPlayer], chance: Random) -> None:
        self._players = players
        self._chance = chance
        # A shuffle depends on the players' names, but here it must not depend on which bots play.
        names = tuple(f"seat-{seat + 1}" for seat in range(len(players)))
        self.match = matches.Match("m1")
        self._apply(matches.start(self.match, rules, names))

    def play_hole(self) -> tuple[int, ...]:
        """Play the next hole to its end and return its scores by seat."""
        self._apply(matches.commit(self.match, self._chance.randbytes(32)))
        self._apply(matches.deal(self.match, ("",) * len(self._players)))
        return self._finish()

    def _finish(self) -> tuple[int, ...]:
        while self.match.is_playing:
            self._step(self.hole)
        return self.match.scores[-1]

    @property
    def hole(self) -> Hole:
        """The hole in play."""
        assert self.match.hole is not None
        return self.match.hole

    def _step(self, hole: Hole) -> None:
        if hole.window is not None and hole.gift is None:
            self._slams()
            hole = self.hole
            if hole.ended is None and hole.power and hole.turn is not None:
                self._choose(hole.turn)
            if self.hole.window is not None:
                self._apply(matches.close_window(self.match))
        else:
            self._choose(awaited(hole)[0])

    def _slams(self) -> None:
        times = [
            (self._players[seat].reaction(view_of(self.hole, seat)), seat)
            for seat in map(Seat, self.hole.seats)
        ]
        for _, seat in sorted((time, seat) for time, seat in times if time is not None):
            hole = self.hole
            if hole.window is None or hole.window.won:
                return
            claim = self._players[seat].claim(view_of(hole, seat))
            if claim is not None:
                self._act(seat, claim)
            if self.hole.gift is not None:
                self._choose(self.hole.gift.seat)

    def _choose(self, seat: Seat) -> None:
        self._act(seat, self._players[seat].choose(view_of(self.hole, seat)))

    def _act(self, seat: Seat, action: Action) -> None:
        self._apply(matches.act(self.match, seat, action))

    def _apply(self, step: tuple[tuple[Event, ...], matches.Match]) -> None:
        events, self.match = step
        for event in events:
            for seat, player in enumerate(self._players):
                player.observe(mask(event, Seat(seat)))


def playout(hole: Hole, players: Sequence[BotPlayer], seat: Seat, action: Action) -> tuple[int, ...]:
    """Return the scores that result when a seat chooses this action, and these players finish the hole."""
    contest = Contest(hole.rules, players, Random(0))
    contest.match = changed(contest.match, hole=hole)
    contest._act(seat, action)
    hole = contest.hole
    if hole.window is not None and hole.gift is None and not hole.power:
        contest._apply(matches.close_window(contest.match))  # All claims were made before this choice.
    return contest._finish()


class Mean:
    """A running mean and its standard error (Welford's algorithm)."""

    __slots__ = ("count", "mean", "squares")

    def __init__(self, count: int = 0, mean: float = 0.0, squares: float = 0.0) -> None:
        self.count, self.mean, self.squares = count, mean, squares

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
