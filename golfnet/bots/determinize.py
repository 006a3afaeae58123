"""Determinization: whole holes that agree with everything that a seat has seen, for searches by playouts.

The hole is folded from the events that the seat was shown, with a blank for every card that it has not seen. A blank
tells where its card comes from, the deck or the discard pile of a reshuffle (X6), and so which cards it can be.
"""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Final

from golfnet.bots.seat_knowledge import KEPT, SeatKnowledge
from golfnet.engine import events as ev
from golfnet.engine.cards import Card
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Deal, Hole, changed, dealt, evolve, slot_at
from golfnet.engine.layout import Layout, Position
from golfnet.engine.views import View

BLANK: Final = "?"
"""The rank of a blank; its suit says how many reshuffles there were before its card came into the stock."""


class SeenHole:
    """A hole as one seat has seen it. ``unseen`` maps each suit of blanks to the cards that they can stand for."""

    def __init__(self, view: View, events: Iterable[ev.Event]) -> None:
        """Fold all events of the hole, masked for the seat of the view."""
        rules, seats = view.rules, len(view.layouts)
        deck = rules.deck_for(seats)
        deal = Deal(
            hole=view.hole,
            dealer=view.dealer,
            leader=view.leader,
            commitment=view.commitment,
            totals=view.totals,
            seed=b"",
            cuts=("",) * seats,
            key=bytes(32),
        )
        self.unseen = [Counter(deck)]
        self.hole = dealt(rules, deal, (Card(BLANK, "0"),) * len(deck))
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
        """Replace blanks by the cards that an event shows, then fold the event."""
        hole = self.hole
        match event:
            case ev.Committed() | ev.MatchStarted() | ev.HoleStarted() | ev.MatchEnded():
                return
            case ev.Dealt():
                if event.discard is not None:
                    self.hole = changed(hole, discards=(self._seen(hole.discards[0], event.discard),))
                return
            case ev.Drew(card=Card() as card):
                self.hole = changed(hole, stock=(self._seen(hole.stock[0], card), *hole.stock[1:]))
            case ev.Swapped():
                self._see_drawn(event.card)
                self._see_slot(Position(event.seat, event.slot), event.discard)
            case ev.Discarded(card=card):
                self._see_drawn(card)
            case ev.Flipped(card=card):
                self._see_slot(Position(event.seat, event.slot), card)
            case ev.Peeked(cards=tuple() as cards):
                for at, card in zip(event.at, cards, strict=True):
                    self._see_slot(at, card)
            case ev.Slammed(at=at, card=card):
                self._see_slot(at, card)
            case ev.Reshuffled():
                self.unseen.append(Counter(hole.discards[:-1]))
                blank = Card(BLANK, str(len(self.unseen) - 1))
                event = replaced(event, order=(blank,) * event.stock)
        self.hole = evolve(self.hole, event)

    def _see_drawn(self, card: Card | None) -> None:
        drawn = self.hole.drawn
        if card is not None and drawn is not None:
            self.hole = changed(self.hole, drawn=changed(drawn, card=self._seen(drawn.card, card)))

    def _see_slot(self, at: Position, card: Card) -> None:
        slot = changed(slot_at(self.hole, *at), card=self._seen(slot_at(self.hole, *at).card, card))
        layouts = list(self.hole.layouts)
        layouts[at.seat] = layouts[at.seat].with_slot(at.slot, slot)
        self.hole = changed(self.hole, layouts=tuple(layouts))

    def _seen(self, blank: Card, card: Card) -> Card:
        """Return the shown card, and remove it from ``unseen`` if it replaces a blank."""
        if blank.rank == BLANK:
            self.unseen[int(blank.suit)][card] -= 1
        return card
