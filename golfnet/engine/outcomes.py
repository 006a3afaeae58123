"""What a lawful action does at once, as events; what then follows by itself is in ``play``.

Nothing here asks whether the action is lawful. An event holds all it needs to be folded, hidden cards too.
"""

from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import fairdeal
from golfnet.engine.actions import (
    Action,
    Decline,
    Discard,
    Draw,
    Flip,
    Give,
    Knock,
    Pass,
    Peek,
    Slam,
    Swap,
    Switch,
    Take,
)
from golfnet.engine.cards import Card
from golfnet.engine.events import (
    Declined,
    Discarded,
    Drew,
    Event,
    Flipped,
    Gave,
    Knocked,
    Passed,
    Peeked,
    Penalized,
    Reshuffled,
    Slammed,
    SlamResult,
    Swapped,
    Switched,
    Took,
)
from golfnet.engine.hole import Drawn, Hole, slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.rules import Placed, Recall


def outcome(hole: Hole, seat: Seat, action: Action) -> tuple[Event, ...]:
    """Return what the action, which must be lawful, makes happen at once."""
    return _OUTCOMES[type(action)](hole, seat, action)


def discarded(hole: Hole, drawn: Drawn) -> Discarded:
    """Return how a drawn card comes to lie on the discard pile, with its number there (C20)."""
    return Discarded(seat=drawn.seat, card=drawn.card, discard_no=hole.discard_no + 1)


def _draw(hole: Hole, seat: Seat, action: Draw) -> tuple[Event, ...]:
    if hole.stock:
        return (Drew(seat=seat, stock=len(hole.stock) - 1, card=hole.stock[0]),)
    reshuffled = _reshuffled(hole)
    return reshuffled, Drew(seat=seat, stock=reshuffled.stock - 1, card=_order(reshuffled)[0])


def _take(hole: Hole, seat: Seat, action: Take) -> tuple[Event, ...]:
    card = hole.discards[-1]
    took = Took(seat=seat, card=card)
    if action.slot is None:
        return (took,)
    return took, _swapped(hole, action.slot, Drawn(seat, card, True))


def _swap(hole: Hole, seat: Seat, action: Swap) -> tuple[Event, ...]:
    return (_swapped(hole, action.slot, _held(hole)),)


def _discard(hole: Hole, seat: Seat, action: Discard) -> tuple[Event, ...]:
    return (discarded(hole, _held(hole)),)


def _held(hole: Hole) -> Drawn:
    if hole.drawn is None:
        raise LookupError("nobody holds a card")
    return hole.drawn


def _flip(hole: Hole, seat: Seat, action: Flip) -> tuple[Event, ...]:
    return tuple(
        [Flipped(seat=seat, slot=slot, card=slot_at(hole, seat, slot).card) for slot in action.slots]
    )


def _peek(hole: Hole, seat: Seat, action: Peek) -> tuple[Event, ...]:
    return (Peeked(seat=seat, at=action.at, cards=tuple([slot_at(hole, *at).card for at in action.at])),)


def _knock(hole: Hole, seat: Seat, action: Knock) -> tuple[Event, ...]:
    return (Knocked(seat=seat),)


def _switch(hole: Hole, seat: Seat, action: Switch) -> tuple[Event, ...]:
    return (Switched(seat=seat, at=(action.first, action.second)),)


def _decline(hole: Hole, seat: Seat, action: Decline) -> tuple[Event, ...]:
    return (Declined(seat=seat),)


def _pass(hole: Hole, seat: Seat, action: Pass) -> tuple[Event, ...]:
    return (Passed(seat=seat),)


def _reshuffled(hole: Hole) -> Reshuffled:
    key = fairdeal.reshuffle_key(hole.deal.key, hole.rules.reshuffles - hole.reshuffles_left + 1)
    order = fairdeal.shuffled(key, hole.discards[:-1])
    return Reshuffled(stock=len(order), discard=hole.discards[-1], order=order)


def _order(reshuffled: Reshuffled) -> tuple[Card, ...]:
    return reshuffled.order or ()


def _swapped(hole: Hole, slot: int, drawn: Drawn) -> Swapped:
    return Swapped(
        seat=drawn.seat,
        slot=slot,
        card=drawn.card,
        discard=slot_at(hole, drawn.seat, slot).card,
        discard_no=hole.discard_no + 1,
        hidden=hole.rules.placed is _DOWN and not drawn.from_discard,
    )


def _slam(hole: Hole, seat: Seat, action: Slam) -> tuple[Event, ...]:
    """Judge a slam by the window it was made in (C12–C17)."""
    at, window = action.at, hole.window
    if window is None:
        raise LookupError("no window is open")
    card = slot_at(hole, *at).card
    right = card.rank == window.card.rank
    if window.won:
        late = Slammed(by=seat, at=at, card=card, result=SlamResult.LATE, discard_no=None)
        return (late,) if right else (late, *_penalty_card(hole, seat))
    if right:
        number = hole.discard_no + 1
        return (Slammed(by=seat, at=at, card=card, result=SlamResult.HIT, discard_no=number),)
    wrong = Slammed(by=seat, at=at, card=card, result=SlamResult.WRONG, discard_no=None)
    if at.seat == seat:
        return wrong, *_penalty_card(hole, seat)
    return wrong, Penalized(seat=seat, slot=_new_slot(hole, seat), source=at, card=card)


def _new_slot(hole: Hole, seat: Seat) -> int:
    return len(hole.layouts[seat]) + 1


def _penalty_card(hole: Hole, seat: Seat) -> tuple[Event, ...]:
    """Return the stock card that a wrong slam costs; none where not even a reshuffle gives one."""
    slot = _new_slot(hole, seat)
    if hole.stock:
        return (Penalized(seat=seat, slot=slot, source=None, card=hole.stock[0]),)
    if not hole.can_draw:
        return ()
    reshuffled = _reshuffled(hole)
    return reshuffled, Penalized(seat=seat, slot=slot, source=None, card=_order(reshuffled)[0])


def _give(hole: Hole, seat: Seat, action: Give) -> tuple[Event, ...]:
    if hole.gift is None:
        raise LookupError("no gift is owed")
    card, _, known = slot_at(hole, seat, action.slot)
    remembered = hole.rules.recall is _ALWAYS and bool(known >> seat & 1)
    return (Gave(seat=seat, slot=action.slot, to=hole.gift.to, card=card, known=remembered),)


_DOWN, _ALWAYS = Placed.DOWN, Recall.ALWAYS

_OUTCOMES: Final[dict[type[Action], Callable[[Hole, Seat, Any], tuple[Event, ...]]]] = {
    Draw: _draw,
    Take: _take,
    Knock: _knock,
    Swap: _swap,
    Discard: _discard,
    Flip: _flip,
    Peek: _peek,
    Switch: _switch,
    Decline: _decline,
    Pass: _pass,
    Slam: _slam,
    Give: _give,
}
