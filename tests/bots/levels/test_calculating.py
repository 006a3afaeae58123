"""The levels that calculate do what any good player would do where there is no doubt."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.levels.factory import make_bot
from golfnet.engine import match as matches
from golfnet.engine.actions import Draw, Knock, Swap
from golfnet.engine.cards import Card
from golfnet.engine.events import Peeked
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match
from golfnet.engine.views import mask, view
from golfnet.rulesets import catalogue

if TYPE_CHECKING:
    from golfnet.bots.levels.bot import Bot
    from golfnet.engine.actions import Action
    from golfnet.engine.match import Step
    from golfnet.engine.views import View

CACTUS = catalogue()["cactus"].for_seats(2)


class Dealt:
    """A hole of cactus up to its first turn, and the bot whose turn it is; what it knows of its cards is made up."""

    def __init__(self, level: str, seed: int, *ranks: str) -> None:
        self.match = Match("m1")
        self.bot: Bot = make_bot(level, CACTUS, Random(1))
        self.seat = Seat(0)
        chance = Random(seed)
        self._apply(matches.commit(self.match, chance.randbytes(32)))
        self._apply(matches.start(self.match, CACTUS, ("one", "two")))
        self._apply(matches.deal(self.match, ("", "")))
        while self.view.phase is Phase.START:
            assert self.match.hole is not None
            seat = awaited(self.match.hole)[0]
            self.act(view(self.match.hole, seat).choices.actions[-1], seat)
        at = tuple(Position(self.seat, slot) for slot in range(1, 5))
        self.bot.observe(Peeked(seat=self.seat, at=at, cards=tuple(Card(rank, "S") for rank in ranks)))

    @property
    def view(self) -> View:
        assert self.match.hole is not None
        return view(self.match.hole, self.seat)

    def act(self, action: Action, seat: Seat | None = None) -> None:
        self._apply(matches.act(self.match, self.seat if seat is None else seat, action))

    def _apply(self, step: Step) -> None:
        events, self.match = step
        for event in events:
            self.bot.observe(mask(event, self.seat))


@pytest.mark.parametrize("level", ["medium", "hard"])
@pytest.mark.parametrize("seed", range(3))
def test_a_bot_knocks_if_it_knows_that_its_cards_count_nothing(level: str, seed: int) -> None:
    """C7: from the first turn on."""
    dealt = Dealt(level, seed, "0", "0", "0", "0")
    assert dealt.bot.choose(dealt.view) == Knock()


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_bot_that_knows_its_high_cards_draws_and_swaps_a_low_one_in(level: str) -> None:
    low = 0
    for seed in range(8):
        dealt = Dealt(level, seed, "8", "7", "9", "6")
        assert dealt.bot.choose(dealt.view) == Draw()
        dealt.act(Draw())
        assert dealt.view.drawn is not None
        if CACTUS.values[dealt.view.drawn.rank] < 6:
            low += 1
            assert isinstance(dealt.bot.choose(dealt.view), Swap)
    assert low
