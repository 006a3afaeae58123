"""Positions in random play, each with what the engine knows and what a seat knows, for tests to compare."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from golfnet.bots.bot import Bot
from golfnet.bots.levels import make_bot
from golfnet.bots.seat_knowledge import Memory, SeatKnowledge
from golfnet.engine.actions import Action, Discard, Draw, Swap, Take
from golfnet.engine.cards import Card
from golfnet.engine.events import Peeked
from golfnet.engine.hole import Hole, Phase
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match, act
from golfnet.engine.rules import RuleSet, SlamMode, Start, StartMode
from golfnet.engine.scoring import layout_score
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


def first_turn(level: str, rules: RuleSet, seed: str, *ranks: str) -> tuple[Sample, Bot]:
    """Return the first turn of a hole, and the bot that plays it, which believes that its cards have these ranks."""
    sample = next(each for each in samples(rules, 2, seed) if each.view.turn == each.seat)
    bot = make_bot(level, rules, Random(1))
    at = tuple(Position(sample.seat, slot) for slot in range(1, len(ranks) + 1))
    bot.observe(Peeked(seat=sample.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))
    return sample, bot


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


def score_after(sample: Sample, action: Action) -> int:
    """Return the points of the seat's layout once it has placed or discarded a card."""
    cards: list[Card | None] = list(sample.hole.layouts[sample.seat].cards)
    match action:
        case Swap(slot=slot):
            cards[slot - 1] = sample.view.drawn
        case Take(slot=int(slot)):
            cards[slot - 1] = sample.view.discard
        case _:
            assert action == Discard()
    return layout_score(sample.hole.rules, cards)


def last_choices(level: str, rules: RuleSet) -> Iterator[tuple[int, int]]:
    """Yield the points of a layout after the last choice of a hole, and the fewest points it could have had.

    The bot knows its own cards and holds a drawn card. The next seat is the closer and has no more turns, so it does
    not matter which card is discarded. Powers and slams are off.
    """
    rules = replace(rules, slam=SlamMode.OFF, power=())
    for seed in range(30):
        bots = [[make_bot(level, rules.for_seats(3), Random(seat))] for seat in range(3)]
        for sample in samples(rules, 3, f"last/{seed}", observers=bots):
            next_seat = (sample.seat + 1) % 3
            if sample.view.phase is Phase.HOLDING and sample.may_act and sample.view.closer == next_seat:
                (bot,) = bots[sample.seat]
                bot.observe(shown_own(sample))
                chosen = bot.choose(sample.view)
                assert chosen is not None
                allowed = sample.view.choices.actions
                yield score_after(sample, chosen), min(score_after(sample, action) for action in allowed)


def pairs_to_complete(level: str, rules: RuleSet) -> Iterator[Action | None]:
    """Yield a bot's choice in its first turn with six cards, when it knows that the top discard makes a pair in slot 4.

    Taking it replaces a card of ten points and cancels one of at least five points; the other cards are low.
    """
    rules = replace(rules.for_seats(2), start=Start(StartMode.NONE, 0))
    for seed in range(12):
        sample = next(each for each in samples(rules, 2, f"pairs/{seed}") if each.may_act)
        top = sample.view.discard
        assert top is not None
        if rules.values[top.rank] < 5:
            continue
        bot = make_bot(level, rules, Random(seed))
        at = tuple(Position(sample.seat, slot) for slot in range(1, 7))
        high = "J" if top.rank == "Q" else "Q"
        ranks = (top.rank, "A", "K", high, "3", "4")
        bot.observe(Peeked(seat=sample.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))
        yield bot.choose(sample.view)
