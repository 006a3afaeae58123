"""Situations in random play, each with what the engine knows and what a seat knows; bots whose choices are checked."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from golfnet.bots.bot import Bot, BotPlayer
from golfnet.bots.levels import make_bot
from golfnet.bots.seat_knowledge import Memory, SeatKnowledge
from golfnet.engine.actions import Action, Draw, Slam, Switch
from golfnet.engine.cards import Card, Position, Seat
from golfnet.engine.events import Event, Peeked
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole, Phase, Window
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match, act
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view
from tests.engine.random_play import play_match


class Sample(NamedTuple):
    """A hole in play as one seat sees it. The memory changes when the next sample is taken."""

    match: Match
    hole: Hole
    seat: Seat
    view: View
    memory: Memory

    @property
    def knowledge(self) -> SeatKnowledge:
        """What the seat knows if it forgets nothing."""
        return SeatKnowledge(self.view, self.memory)

    @property
    def may_act(self) -> bool:
        """Whether the seat has something to choose outside a slam window."""
        return self.view.phase is not Phase.SLAM and self.seat in awaited(self.hole)

    def has_to(self, *phases: Phase) -> bool:
        """Return whether the seat has something to choose in one of these phases."""
        return self.may_act and self.view.phase in phases

    @property
    def open_window(self) -> Window | None:
        """The slam window, if the discard has not been slammed yet."""
        window = self.view.window
        return None if window is None or window.won else window

    @property
    def own_targets(self) -> list[Position]:
        """The positions in the seat's own layout that it may slam."""
        return [at for at in self.view.choices.slammable if at.seat == self.seat]


def samples(
    rules: RuleSet, seats: int, seed: str, *, observers: Sequence[Sequence[Bot]] = ()
) -> Iterator[Sample]:
    """Play a hole at random; yield a sample for every seat after every step. No memory forgets anything.

    ``observers`` has a list of bots for each seat; they observe the seat's events.
    """
    rules = rules.for_seats(seats)
    memories = [Memory(rules, Random(seed), recall=1.0) for _ in range(seats)]
    for step in play_match(rules, seats, Random(seed), holes=1):
        for event in step.events:
            for seat, memory in enumerate(memories):
                masked = mask(event, Seat(seat))
                memory.observe(masked)
                for bot in observers[seat] if observers else ():
                    bot.observe(masked)
        hole = step.after.hole
        if hole is None or not step.after.is_playing:
            continue
        for seat, memory in enumerate(memories):
            yield Sample(step.after, hole, Seat(seat), view(hole, Seat(seat)), memory)


def moments(
    rules: RuleSet, seats: int, seed: str, when: Callable[[Sample], object], *, holes: int = 1, least: int = 1
) -> Iterator[Sample]:
    """Yield the samples of some holes in which a condition holds; in the end, fail if there were too few."""
    found = 0
    for number in range(holes):
        for sample in samples(rules, seats, f"{seed}/{number}"):
            if when(sample):
                found += 1
                yield sample
    assert found >= least, f"{found} samples are too few"


def worth_slamming(sample: Sample) -> str:
    """Return the rank that may be slammed; an empty text if there is none, or if it counts 0 points."""
    window = sample.open_window
    return window.card.rank if window and sample.view.rules.values[window.card.rank] else ""


def knowing(sample: Sample, level: str, *ranks: str) -> Bot:
    """Return a bot for the seat of a sample, which believes that the seat's first cards have these ranks."""
    bot = make_bot(level, sample.view.rules, Random(1))
    at = tuple(Position(sample.seat, slot) for slot in range(1, len(ranks) + 1))
    bot.observe(Peeked(seat=sample.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))
    return bot


def drawn(sample: Sample) -> View:
    """Return the view of the seat once it has drawn a card."""
    hole = act(sample.match, sample.seat, Draw())[1].hole
    assert hole is not None
    return view(hole, sample.seat)


def shown_own(sample: Sample) -> Peeked:
    """Return the event by which a seat learns its own face-down cards."""
    layout = sample.hole.layouts[sample.seat]
    at = tuple(Position(sample.seat, slot) for slot in layout.face_down)
    cards = tuple(slot.card for slot in layout if slot is not None and not slot.face_up)
    return Peeked(seat=sample.seat, at=at, cards=cards)


# --- bots


class Watched(BotPlayer):
    """A bot whose choices are checked against the view, and which keeps what it has observed."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        self.observed: list[Event] = []

    def observe(self, event: Event) -> None:
        self.observed.append(event)
        super().observe(event)

    def choose(self, view: View) -> Action:
        action = super().choose(view)
        assert is_allowed(view, action), action
        return action

    def claim(self, view: View) -> Slam | None:
        slam = super().claim(view)
        assert slam is None or is_allowed(view, slam), slam
        return slam


def is_allowed(view: View, action: Action) -> bool:
    """Return whether a view allows an action."""
    allowed = view.choices
    match action:
        case Switch(first, second):
            return first < second and first in allowed.switchable and second in allowed.switchable
        case Slam(at, number):
            return view.window is not None and number == view.window.discard_no and at in allowed.slammable
        case _:
            return action in allowed.actions


def short(rules: RuleSet, *, turns: int = 6) -> RuleSet:
    """Return the rules with holes of a few turns, so that tests do not wait for holes to end by chance."""
    return replaced(rules, turn_cap=min(turns, rules.turn_cap or turns))
