"""The immediate events of a legal action; ``play`` adds the events that follow automatically.

Nothing here checks legality. Events contain everything that the fold needs, including hidden cards.
"""

from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import actions as do
from golfnet.engine import events as ev
from golfnet.engine import fairdeal
from golfnet.engine.cards import Card
from golfnet.engine.hole import Drawn, Hole, slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.rules import Placed, Recall


def outcome(hole: Hole, seat: Seat, action: do.Action) -> tuple[ev.Event, ...]:
    """Return the immediate events of an action, which must be legal."""
    return _OUTCOMES[type(action)](hole, seat, action)


def discarded(hole: Hole, drawn: Drawn) -> ev.Discarded:
    """Return the event that discards a drawn card, with its number on the pile (C20)."""
    return ev.Discarded(seat=drawn.seat, card=drawn.card, discard_no=hole.discard_no + 1)


def _draw(hole: Hole, seat: Seat, action: do.Draw) -> tuple[ev.Event, ...]:
    if hole.stock:
        return (ev.Drew(seat=seat, stock=len(hole.stock) - 1, card=hole.stock[0]),)
    reshuffled = _reshuffled(hole)
    return reshuffled, ev.Drew(seat=seat, stock=reshuffled.stock - 1, card=_order(reshuffled)[0])


def _take(hole: Hole, seat: Seat, action: do.Take) -> tuple[ev.Event, ...]:
    card = hole.discards[-1]
    took = ev.Took(seat=seat, card=card)
    if action.slot is None:
        return (took,)
    return took, _swapped(hole, action.slot, Drawn(seat, card, True))


def _swap(hole: Hole, seat: Seat, action: do.Swap) -> tuple[ev.Event, ...]:
    return (_swapped(hole, action.slot, _held(hole)),)


def _discard(hole: Hole, seat: Seat, action: do.Discard) -> tuple[ev.Event, ...]:
    return (discarded(hole, _held(hole)),)


def _held(hole: Hole) -> Drawn:
    if hole.drawn is None:
        raise LookupError("nobody holds a card")
    return hole.drawn


def _flip(hole: Hole, seat: Seat, action: do.Flip) -> tuple[ev.Event, ...]:
    return tuple(
        [ev.Flipped(seat=seat, slot=slot, card=slot_at(hole, seat, slot).card) for slot in action.slots]
    )


def _peek(hole: Hole, seat: Seat, action: do.Peek) -> tuple[ev.Event, ...]:
    return (ev.Peeked(seat=seat, at=action.at, cards=tuple([slot_at(hole, *at).card for at in action.at])),)


def _reshuffled(hole: Hole) -> ev.Reshuffled:
    key = fairdeal.reshuffle_key(hole.deal.key, hole.rules.reshuffles - hole.reshuffles_left + 1)
    order = fairdeal.shuffled(key, hole.discards[:-1])
    return ev.Reshuffled(stock=len(order), discard=hole.discards[-1], order=order)


def _order(reshuffled: ev.Reshuffled) -> tuple[Card, ...]:
    return reshuffled.order or ()


def _swapped(hole: Hole, slot: int, drawn: Drawn) -> ev.Swapped:
    return ev.Swapped(
        seat=drawn.seat,
        slot=slot,
        card=drawn.card,
        discard=slot_at(hole, drawn.seat, slot).card,
        discard_no=hole.discard_no + 1,
        hidden=hole.rules.placed is _DOWN and not drawn.from_discard,
    )


def _slam(hole: Hole, seat: Seat, action: do.Slam) -> tuple[ev.Event, ...]:
    """Judge a slam in the open window (C12–C17)."""
    at, window = action.at, hole.window
    if window is None:
        raise LookupError("no window is open")
    card = slot_at(hole, *at).card
    right = card.rank == window.card.rank
    if window.won:
        late = ev.Slammed(by=seat, at=at, card=card, result=ev.SlamResult.LATE, discard_no=None)
        return (late,) if right else (late, *_penalty_card(hole, seat))
    if right:
        number = hole.discard_no + 1
        return (ev.Slammed(by=seat, at=at, card=card, result=ev.SlamResult.HIT, discard_no=number),)
    wrong = ev.Slammed(by=seat, at=at, card=card, result=ev.SlamResult.WRONG, discard_no=None)
    if at.seat == seat:
        return wrong, *_penalty_card(hole, seat)
    return wrong, ev.Penalized(seat=seat, slot=_new_slot(hole, seat), source=at, card=card)


def _new_slot(hole: Hole, seat: Seat) -> int:
    return len(hole.layouts[seat]) + 1


def _penalty_card(hole: Hole, seat: Seat) -> tuple[ev.Event, ...]:
    """Return the events for a penalty card from the stock; no events if not even a reshuffle provides a card."""
    slot = _new_slot(hole, seat)
    if hole.stock:
        return (ev.Penalized(seat=seat, slot=slot, source=None, card=hole.stock[0]),)
    if not hole.can_draw:
        return ()
    reshuffled = _reshuffled(hole)
    return reshuffled, ev.Penalized(seat=seat, slot=slot, source=None, card=_order(reshuffled)[0])


def _give(hole: Hole, seat: Seat, action: do.Give) -> tuple[ev.Event, ...]:
    if hole.gift is None:
        raise LookupError("no gift is owed")
    card, _, known = slot_at(hole, seat, action.slot)
    remembered = hole.rules.recall is _ALWAYS and bool(known >> seat & 1)
    return (ev.Gave(seat=seat, slot=action.slot, to=hole.gift.to, card=card, known=remembered),)


_DOWN, _ALWAYS = Placed.DOWN, Recall.ALWAYS

_OUTCOMES: Final[dict[type[do.Action], Callable[[Hole, Seat, Any], tuple[ev.Event, ...]]]] = {
    do.Draw: _draw,
    do.Take: _take,
    do.Knock: lambda hole, seat, action: (ev.Knocked(seat=seat),),
    do.Swap: _swap,
    do.Discard: _discard,
    do.Flip: _flip,
    do.Peek: _peek,
    do.Switch: lambda hole, seat, action: (ev.Switched(seat=seat, at=(action.first, action.second)),),
    do.Decline: lambda hole, seat, action: (ev.Declined(seat=seat),),
    do.Pass: lambda hole, seat, action: (ev.Passed(seat=seat),),
    do.Slam: _slam,
    do.Give: _give,
}
