"""Determinization: whole holes that agree with everything that a seat has seen, for searches by playouts.

The hole is folded from the events that the seat was shown, with a blank for every card that it has not seen. A blank
tells where its card comes from, the deck or the discard pile of a reshuffle (X6), and so which cards it can be.
"""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any, Final

from golfnet.bots.seat_knowledge import KEPT, SeatKnowledge
from golfnet.engine import events as ev
from golfnet.engine.cards import Card
from golfnet.engine.frozen import fields_of, replaced
from golfnet.engine.hole import Deal, Hole, changed, dealt, evolve
from golfnet.engine.inspection import whole
from golfnet.engine.layout import Layout
from golfnet.engine.views import View

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
            (symbols[index] != KEPT, seat, index)
            for seat, symbols in enumerate(knowledge.layouts)
            for index, slot in enumerate(layouts[seat])
            if slot is not None
        ]
        for unkept, seat, index in sorted(places):
            slot = layouts[seat][index]
            if slot is not None:
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
                    fields_of(whole(hole, event)).values(), fields_of(event).values(), strict=True
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
