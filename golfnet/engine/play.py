"""Play a hole: an action, its immediate events, and everything that follows automatically.

``decide`` may refuse; it returns all events until the hole has to wait for a seat or for the table's clock. Events
contain everything that the fold needs, including hidden cards. All randomness comes from the deal's key. The end of a
hole is checked in one place, ``follow_up``.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from golfnet.engine import actions as do
from golfnet.engine import events as ev
from golfnet.engine import fairdeal
from golfnet.engine.actions import Action
from golfnet.engine.cards import Card
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import EndReason, Event, HoleEnded, SlamClosed, SlamOpened, TurnBegan
from golfnet.engine.hole import Drawn, Hole, Stage, evolve, slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.refusals import check
from golfnet.engine.rules import Placed, Recall, SlamMode, StockEnd
from golfnet.engine.scoring import hole_scores

Played = tuple[tuple[Event, ...], Hole]
"""Events in order, and the hole after them."""


def decide(hole: Hole, seat: Seat, action: Action) -> Played:
    """Return the events of a seat's action, and the hole after them, or raise ``IllegalAction``."""
    check(hole, seat, action)
    return advance(hole, _OUTCOMES[type(action)](hole, seat, action))


def close_window(hole: Hole) -> Played:
    """Close the slam window (C19), or raise ``IllegalAction`` if none is open or a gift is owed."""
    if hole.window is None:
        raise IllegalAction(Refusal.BAD_PHASE, "No slam window is open.")
    if hole.gift is not None:
        raise IllegalAction(Refusal.GIFT_OWED, "A card must be given before the slam window can close.")
    return advance(hole, (SlamClosed(discard_no=hole.window.discard_no),))


def abandon(hole: Hole) -> Played:
    """Abandon the hole (X18)."""
    return advance(hole, (_hole_ended(hole, EndReason.ABANDONED),))


def advance(hole: Hole, events: tuple[Event, ...] = ()) -> Played:
    """Fold events into the hole, then all events that follow automatically."""
    for event in events:
        hole = evolve(hole, event)
    following = follow_up(hole)
    if following is None:
        return events, hole
    happened = list(events)
    while following is not None:
        happened.append(following)
        hole = evolve(hole, following)
        following = follow_up(hole)
    return tuple(happened), hole


def follow_up(hole: Hole) -> Event | None:
    """Return the next automatic event, or None if the hole is waiting or over.

    Checks run in the order of X14.
    """
    return _FOLLOW_UP[hole.stage](hole)


def _in_a_turn(hole: Hole) -> Event | None:
    return None if hole.stock else _without_stock(hole)


def _after_a_turn(hole: Hole) -> Event | None:
    rules = hole.rules
    if hole.gift is not None:
        return None
    if rules.slam is not _NO_SLAMS and any([layout.is_empty for layout in hole.layouts]):
        return _hole_ended(hole, EndReason.EMPTY)
    if not hole.stock and (ended := _without_stock(hole)):
        return ended
    if hole.opening:
        return SlamOpened(
            discard_no=hole.discard_no, card=hole.discards[-1], ms=rules.slam_window * 1000, mode=rules.slam
        )
    window = hole.window
    if window is not None:
        everybody = (1 << len(hole.layouts)) - 1
        return SlamClosed(discard_no=window.discard_no) if window.passed == everybody else None
    if hole.power:
        return None
    reason = _reason_to_end(hole)
    return _next_turn(hole) if reason is None else _hole_ended(hole, reason)


def _without_stock(hole: Hole) -> Event | None:
    """Return the next event if the hole has to end at once, because nothing is left to draw (C8); otherwise None."""
    if hole.rules.stock_end is not _AT_ONCE or hole.can_draw:
        return None
    if hole.drawn is None:
        return _hole_ended(hole, EndReason.STOCK)
    return None if hole.drawn.from_discard else _discarded(hole, hole.drawn)


def _reason_to_end(hole: Hole) -> EndReason | None:
    """Return why the hole ends with the turn just finished, or None if it continues."""
    rules, turns, closer = hole.rules, hole.turns, hole.closer
    if rules.turns is not None and min(turns) >= rules.turns:
        return EndReason.TURNS
    if closer is not None:
        at_once = hole.closing is EndReason.FACE_UP and not rules.final_turn
        if at_once or _left_of_turn(hole) == closer:
            return hole.closing
    if not hole.can_draw:
        return EndReason.STOCK
    if closer is None and rules.turn_cap is not None and min(turns) >= rules.turn_cap:
        return EndReason.CAP
    return None


def _left_of_turn(hole: Hole) -> Seat:
    return hole.deal.leader if hole.turn is None else Seat((hole.turn + 1) % len(hole.layouts))


def _next_turn(hole: Hole) -> TurnBegan:
    seat = _left_of_turn(hole)
    return _turn_began(seat, hole.turns[seat] + 1)


@lru_cache(2048)  # Enough for twelve seats with a hundred turns each; the number of turns has no limit.
def _turn_began(seat: Seat, turn: int) -> TurnBegan:
    return TurnBegan(seat=seat, turn=turn)


def _hole_ended(hole: Hole, reason: EndReason) -> HoleEnded:
    deal = hole.deal
    layouts = tuple([layout.cards for layout in hole.layouts])
    scores = None if reason is EndReason.ABANDONED else hole_scores(hole.rules, layouts, hole.closer)
    return HoleEnded(
        reason=reason,
        closer=hole.closer,
        layouts=layouts,
        scores=scores,
        totals=tuple(map(sum, zip(deal.totals, scores, strict=True))) if scores else deal.totals,
        seed=deal.seed,
        cuts=deal.cuts,
        seals=deal.seals,
    )


_NO_SLAMS, _AT_ONCE = SlamMode.OFF, StockEnd.AT_ONCE

_FOLLOW_UP: Final[dict[Stage, Callable[[Hole], Event | None]]] = {
    Stage.START: lambda hole: None if any(hole.owed) else _next_turn(hole),
    Stage.TURN: _in_a_turn,
    Stage.HOLDING: _in_a_turn,
    Stage.FLIP: _in_a_turn,
    Stage.DONE: _after_a_turn,
    Stage.OVER: lambda hole: None,
}


def _discarded(hole: Hole, drawn: Drawn) -> ev.Discarded:
    return ev.Discarded(seat=drawn.seat, card=drawn.card, discard_no=hole.discard_no + 1)


def _draw(hole: Hole, seat: Seat, action: do.Draw) -> tuple[ev.Event, ...]:
    if hole.stock:
        return (ev.Drew(seat=seat, stock=len(hole.stock) - 1, card=hole.stock[0]),)
    reshuffled, card = reshuffle(hole)
    return reshuffled, ev.Drew(seat=seat, stock=reshuffled.stock - 1, card=card)


def _take(hole: Hole, seat: Seat, action: do.Take) -> tuple[ev.Event, ...]:
    card = hole.discards[-1]
    took = ev.Took(seat=seat, card=card)
    if action.slot is None:
        return (took,)
    return took, _swapped(hole, action.slot, Drawn(seat, card, True))


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


def reshuffle(hole: Hole) -> tuple[ev.Reshuffled, Card]:
    """Return the event that turns the discard pile into a new stock (X6), and the top card of that stock."""
    key = fairdeal.reshuffle_key(hole.deal.key, hole.rules.reshuffles - hole.reshuffles_left + 1)
    order = fairdeal.shuffled(key, hole.discards[:-1])
    return ev.Reshuffled(stock=len(order), discard=hole.discards[-1], order=order), order[0]


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
    """Return the events for a penalty card from the stock, or none if the stock is empty and cannot be renewed."""
    slot = _new_slot(hole, seat)
    if hole.stock:
        return (ev.Penalized(seat=seat, slot=slot, source=None, card=hole.stock[0]),)
    if not hole.can_draw:
        return ()
    reshuffled, card = reshuffle(hole)
    return reshuffled, ev.Penalized(seat=seat, slot=slot, source=None, card=card)


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
    do.Swap: lambda hole, seat, action: (_swapped(hole, action.slot, _held(hole)),),
    do.Discard: lambda hole, seat, action: (_discarded(hole, _held(hole)),),
    do.Flip: _flip,
    do.Peek: _peek,
    do.Switch: lambda hole, seat, action: (ev.Switched(seat=seat, at=(action.first, action.second)),),
    do.Decline: lambda hole, seat, action: (ev.Declined(seat=seat),),
    do.Pass: lambda hole, seat, action: (ev.Passed(seat=seat),),
    do.Slam: _slam,
    do.Give: _give,
}
"""The immediate events of a legal action."""
