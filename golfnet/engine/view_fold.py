"""How each event changes what one viewer sees: the counterpart of ``hole.evolve`` for views.

Invariant: for every event and viewer, folding the masked event (``views.mask``) into the viewer's old view gives the
same result as ``views.view`` of the new hole. The only exceptions are choices, which stay unchanged: they cannot be
computed from a view, because it does not contain what a seat has looked at (X10), and because a table may allow less
than the rules do. The server sends the allowed choices.

A view has no field for a hidden card. To fold an event, a hole is made from the view, with ``UNKNOWN`` for every card
that the viewer does not know. The event is folded into this hole, and the view of the result is returned.
"""

from functools import lru_cache
from typing import Any, Final

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, UNKNOWN
from golfnet.engine.hole import (
    DONE,
    EVERYBODY,
    FACE_UP,
    Deal,
    Drawn,
    Hole,
    Stage,
    Window,
    dealt,
    evolve,
)
from golfnet.engine.layout import EMPTY, HIDDEN, Layout, Seat, Slot
from golfnet.engine.legality import Choices
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import SeenLayout, View, view


def evolve_view(seen: View, event: ev.Event) -> View:
    """Return the view after an event that has been masked for its viewer; choices stay unchanged.

    Raise ``LookupError`` for an event that does not fit the view.
    """
    return view(evolve(_hole_behind(seen), event), seen.seat, seen.choices)


def dealt_view(
    rules: RuleSet,
    seat: Seat | None,
    event: ev.Dealt,
    *,
    hole: int,
    dealer: Seat,
    leader: Seat,
    commitment: str,
    totals: tuple[int, ...],
) -> View:
    """Return the view of a hole that has just been dealt: face-down cards, and the upcard if there is one."""
    deal = Deal(hole, dealer, leader, commitment, totals)
    upcard = (event.discard,) if event.discard else ()
    deck = _unknown(rules.slots * len(totals)) + upcard + _unknown(event.stock)
    return view(dealt(rules, deal, deck), seat, Choices())


def _hole_behind(seen: View) -> Hole:
    """Return the hole as far as its viewer knows it."""
    deal = Deal(seen.hole, seen.dealer, seen.leader, seen.commitment, seen.totals)
    known = tuple([card for card in (seen.beneath, seen.discard) if card is not None])
    drawn, window = None, seen.window
    if seen.holding is not None:
        # A viewer knows another seat's held card only if it was taken. While a taken card is held, ``beneath`` is None.
        is_taken = seen.holding != seen.seat or (seen.beneath is None and seen.discard_count > 1)
        drawn = Drawn(seen.holding, seen.drawn or UNKNOWN, is_taken and seen.drawn is not None)
    return Hole(
        rules=seen.rules,
        deal=deal,
        layouts=tuple(map(_layout_behind, seen.layouts)),
        stock=_unknown(seen.stock),
        discards=_unknown(seen.discard_count - len(known)) + known,
        discard_no=seen.discard_no,
        stage=_STAGES.get(seen.phase, DONE),
        owed=seen.owed,
        turns=seen.turns,
        reshuffles_left=seen.reshuffles_left,
        turn=seen.turn,
        drawn=drawn,
        power=seen.power,
        window=window
        and Window(
            window.discard_no,
            window.card,
            window.won,
            1 << seen.seat if window.passed and seen.seat is not None else 0,
            window.moved,
        ),
        gift=seen.gift,
        closer=seen.closer,
        ended=seen.ended,
    )


def _unknown(count: int) -> tuple[Any, ...]:
    if not 0 <= count <= len(_UNKNOWNS):
        raise LookupError(f"there cannot be {count} cards")
    return _UNKNOWNS[:count]


@lru_cache(1024)
def _layout_behind(shown: SeenLayout) -> Layout:
    return Layout([_SLOTS[text] for text in shown])


_UNKNOWNS: Final = (UNKNOWN,) * 1000
"""More cards than any deck has: a view in which more cards are unknown is refused."""

_STAGES: Final[dict[str, Stage]] = {stage.value: stage for stage in Stage}
_SLOTS: Final[dict[str, Slot | None]] = {
    **FACE_UP,
    **{card.known_text: Slot(card, False, EVERYBODY) for card in CARDS.values()},
    HIDDEN: Slot(UNKNOWN),
    EMPTY: None,
}
