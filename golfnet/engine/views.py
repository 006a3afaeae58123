"""What a viewer may see of a hole: the only form in which its state leaves the engine.

A view is built up from what a seat may see, never cut down from the state: it has no field for a hidden card.
Invariant: re-dealing the cards that a viewer cannot see does not change what ``view`` and ``mask`` return for that
viewer.

``evolve_view`` is the counterpart of ``hole.evolve``. Invariant: for every event and viewer, folding the masked event
into the viewer's old view gives the same result as ``view`` of the new hole. The only exceptions are choices, which
stay unchanged: they cannot be computed from a view, because it does not contain what a seat has looked at (X10), and
because a table may allow less than the rules do. The server sends the allowed choices.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, EMPTY, HIDDEN, UNKNOWN, Card, Layout, Seat, Slot
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import (
    DONE,
    EVERYBODY,
    FACE_UP,
    Deal,
    Drawn,
    Gift,
    Hole,
    Phase,
    Window,
    changed,
    dealt,
    evolve,
    phase,
)
from golfnet.engine.legality import Choices, choices
from golfnet.engine.rules import Recall, RuleSet

SeenLayout = tuple[str, ...]
"""One layout as a viewer sees it: ``7H`` face up, ``?`` face down, ``?7H`` face down but known, ``-`` empty."""


class View(NamedTuple):
    """A hole as one viewer sees it; ``seat`` is None for a watcher.

    ``stock`` and ``discard_count`` are numbers of cards. ``discard`` is the top card of the discard pile, and
    ``beneath`` the card under it, None while a taken card is held. ``drawn`` is the held card if the viewer may know
    it. ``owed`` is how many start choices each seat still has to make. ``power`` is whether the seat whose turn it is
    may use a power. ``passed`` of the ``window`` has only the viewer's own bit. ``choices`` is what the viewer may do
    now.
    """

    rules: RuleSet
    seat: Seat | None
    hole: int
    dealer: Seat
    leader: Seat
    commitment: str
    totals: tuple[int, ...]
    phase: Phase
    turn: Seat | None
    turns: tuple[int, ...]
    owed: tuple[int, ...]
    layouts: tuple[SeenLayout, ...]
    stock: int
    discard: Card | None
    beneath: Card | None
    discard_no: int
    discard_count: int
    reshuffles_left: int
    holding: Seat | None
    drawn: Card | None
    power: bool
    gift: Gift | None
    window: Window | None
    closer: Seat | None
    ended: ev.HoleEnded | None
    choices: Choices


def view(hole: Hole, seat: Seat | None, offered: Choices | None = None) -> View:
    """Return what a seat may see of a hole; ``seat`` is None for a watcher.

    The choices in the view are ``offered`` or, if that is None, all that the rules allow the seat.
    """
    rules, deal, drawn, window, discards = hole.rules, hole.deal, hole.drawn, hole.window, hole.discards
    reminded = seat if rules.recall is _ALWAYS else None
    return View(
        rules,
        seat,
        deal.hole,
        deal.dealer,
        deal.leader,
        deal.commitment,
        deal.totals,
        phase(hole),
        hole.turn,
        hole.turns,
        hole.owed,
        tuple([layout.shown if reminded is None else _recalled(layout, reminded) for layout in hole.layouts]),
        len(hole.stock),
        discards[-1] if discards else None,
        discards[-2] if len(discards) > 1 and (drawn is None or not drawn.from_discard) else None,
        hole.discard_no,
        len(discards),
        hole.reshuffles_left,
        None if drawn is None else drawn.seat,
        drawn.card if drawn is not None and (drawn.from_discard or drawn.seat == seat) else None,
        hole.power,
        hole.gift,
        window and changed(window, passed=0 if seat is None else window.passed & 1 << seat),
        hole.closer,
        hole.ended,
        offered if offered is not None else _NONE if seat is None else choices(hole, seat),
    )


def open_layouts(hole: Hole) -> tuple[SeenLayout, ...]:
    """Return all layouts with every card known, as replays of finished matches show them."""
    return tuple(
        [
            tuple(
                EMPTY if slot is None else slot.card.text if slot.face_up else slot.card.known_text
                for slot in layout
            )
            for layout in hole.layouts
        ]
    )


def owner(event: ev.Event) -> Seat | None:
    """Return the seat that may know more about an event than the others, or None if there is no such seat."""
    match event:
        case ev.Peeked() | ev.Drew() | ev.Swapped(hidden=True) | ev.Gave(known=True):
            return event.seat
        case _:
            return None


def mask(event: ev.Event, viewer: Seat | None) -> ev.Event:
    """Return the event without anything the viewer may not know; ``viewer`` is None for a watcher."""
    secrets = SECRETS.get(type(event))
    if (
        secrets is None
        or (viewer is not None and viewer == owner(event))
        or (isinstance(event, ev.Swapped) and not event.hidden)
    ):
        return event
    return replaced(event, **secrets)


_NONE = Choices()
_ALWAYS: Final = Recall.ALWAYS
SECRETS: Final[dict[type[ev.Event], dict[str, Any]]] = {
    **{kind: {field: None} for kind, field in ev.PRIVATE.items()},
    **{kind: ev.INTERNAL[kind] for kind in (ev.Committed, ev.HoleStarted, ev.Dealt)},
    ev.Gave: {ev.PRIVATE[ev.Gave]: None, **ev.INTERNAL[ev.Gave]},
}
"""The values that replace an event's secret fields for viewers who may not know them."""


def _recalled(layout: Layout, seat: Seat) -> SeenLayout:
    bit = 1 << seat
    if not layout.remembered & bit:
        return layout.shown
    return tuple(
        [
            slot.card.known_text if slot is not None and slot.known & bit and not slot.face_up else shown
            for slot, shown in zip(layout, layout.shown, strict=True)
        ]
    )


def evolve_view(seen: View, event: ev.Event) -> View:
    """Return the view after an event that has been masked for its viewer; choices stay unchanged.

    The event is folded into a hole made from the view, with ``UNKNOWN`` for every card that the viewer does not know.
    Raise ``LookupError`` for an event that does not fit the view.
    """
    return view(evolve(_hole_behind(seen), event), seen.seat, seen.choices)


def dealt_view(rules: RuleSet, seat: Seat | None, deal: Deal, event: ev.Dealt) -> View:
    """Return the view of a hole that has just been dealt: face-down cards, and the upcard if there is one."""
    upcard = (event.discard,) if event.discard else ()
    deck = _unknown(rules.slots * len(deal.totals)) + upcard + _unknown(event.stock)
    return view(dealt(rules, deal, deck), seat, Choices())


def _hole_behind(seen: View) -> Hole:
    deal = Deal(seen.hole, seen.dealer, seen.leader, seen.commitment, seen.totals)
    known = tuple([card for card in (seen.beneath, seen.discard) if card is not None])
    drawn = None
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
        stage=DONE if seen.phase in (Phase.POWER, Phase.GIVE) else seen.phase,
        owed=seen.owed,
        turns=seen.turns,
        reshuffles_left=seen.reshuffles_left,
        turn=seen.turn,
        drawn=drawn,
        power=seen.power,
        window=seen.window,
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

_SLOTS: Final[dict[str, Slot | None]] = {
    **FACE_UP,
    **{card.known_text: Slot(card, False, EVERYBODY) for card in CARDS.values()},
    HIDDEN: Slot(UNKNOWN),
    EMPTY: None,
}
