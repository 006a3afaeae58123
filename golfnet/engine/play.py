"""Playing a hole: what an action makes happen, and what then follows by itself.

``decide`` may refuse; it returns every event up to the next decision of a seat (or of the table's clock). Its only
chance is the deal's key. The end of a hole is looked for in one place, ``follow_up``.
"""

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
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import (
    Declined,
    Discarded,
    Drew,
    Event,
    Flipped,
    Gave,
    HoleEnded,
    Knocked,
    Passed,
    Peeked,
    Penalized,
    Reason,
    Reshuffled,
    SlamClosed,
    Slammed,
    SlamOpened,
    SlamResult,
    Swapped,
    Switched,
    Took,
    TurnBegan,
)
from golfnet.engine.hole import Drawn, Hole, Stage, evolve, slot_at
from golfnet.engine.layout import Position, Seat, is_empty
from golfnet.engine.legality import check
from golfnet.engine.rules import Placed, Recall, SlamMode, StockEnd
from golfnet.engine.scoring import hole_scores


def decide(hole: Hole, seat: Seat, action: Action) -> tuple[Event, ...]:
    """Return what happens when the seat does this, in order; raises ``IllegalAction``."""
    return play(hole, seat, action)[0]


def play(hole: Hole, seat: Seat, action: Action) -> tuple[tuple[Event, ...], Hole]:
    """Return what ``decide`` returns together with the hole after it; raises ``IllegalAction``."""
    check(hole, seat, action)
    return settle(hole, _asked(hole, seat, action))


def close_window(hole: Hole) -> tuple[tuple[Event, ...], Hole]:
    """End the slam window at the table's word (C19); raises ``IllegalAction`` when none is open or a gift is owed."""
    if hole.window is None:
        raise IllegalAction(Refusal.BAD_PHASE, "No slam window is open.")
    if hole.gift is not None:
        raise IllegalAction(Refusal.GIFT_OWED, "A gift is owed before the window can close.")
    return settle(hole, (SlamClosed(discard_no=hole.window.discard_no),))


def abandon(hole: Hole) -> tuple[tuple[Event, ...], Hole]:
    """Break the hole off (X18)."""
    return settle(hole, (_hole_ended(hole, Reason.ABANDONED),))


def settle(hole: Hole, events: tuple[Event, ...] = ()) -> tuple[tuple[Event, ...], Hole]:
    """Return events and all that follows from them by itself, and the hole after that."""
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
    """Return what happens next without anybody's choice, None when the hole waits or is over.

    The order of the tests is the order of X14.
    """
    rules, stage = hole.rules, hole.stage
    if hole.gift is not None or stage is Stage.OVER:
        return None
    if stage is Stage.START:
        return None if any(hole.owed) else TurnBegan(seat=hole.deal.leader, turn=1)
    if rules.slam is not SlamMode.OFF and any(map(is_empty, hole.layouts)):
        return _hole_ended(hole, Reason.EMPTY)
    if not hole.stock and rules.stock_end is StockEnd.AT_ONCE and not hole.can_draw:
        if hole.drawn is not None and not hole.drawn.from_discard:
            return _discarded(hole, hole.drawn)
        if hole.drawn is None:
            return _hole_ended(hole, Reason.STOCK)
    if stage is not Stage.DONE:
        return None
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


def _reason_to_end(hole: Hole) -> Reason | None:
    """Return why the hole ends with the turn just finished, None if it goes on."""
    rules, turns, closer = hole.rules, hole.turns, hole.closer
    if rules.turns is not None and min(turns) >= rules.turns:
        return Reason.TURNS
    if closer is not None:
        at_once = hole.closing is Reason.FACE_UP and not rules.final_turn
        if at_once or _left_of_turn(hole) == closer:
            return hole.closing
    if not hole.can_draw:
        return Reason.STOCK
    if closer is None and rules.turn_cap is not None and min(turns) >= rules.turn_cap:
        return Reason.CAP
    return None


def _left_of_turn(hole: Hole) -> Seat:
    return hole.deal.leader if hole.turn is None else Seat((hole.turn + 1) % len(hole.layouts))


def _next_turn(hole: Hole) -> TurnBegan:
    seat = _left_of_turn(hole)
    return TurnBegan(seat=seat, turn=hole.turns[seat] + 1)


def _hole_ended(hole: Hole, reason: Reason) -> HoleEnded:
    deal = hole.deal
    layouts = tuple(tuple(slot and slot.card for slot in layout) for layout in hole.layouts)
    scores = None if reason is Reason.ABANDONED else hole_scores(hole.rules, layouts, hole.closer)
    return HoleEnded(
        reason=reason,
        closer=hole.closer,
        layouts=layouts,
        scores=scores,
        totals=tuple(map(sum, zip(deal.totals, scores, strict=True))) if scores else deal.totals,
        seed=deal.seed,
        cuts=deal.cuts,
    )


def _asked(hole: Hole, seat: Seat, action: Action) -> tuple[Event, ...]:
    """Return what a lawful action does at once."""
    match action:
        case Draw():
            return _draw(hole, seat)
        case Swap(slot=slot) if hole.drawn is not None:
            return (_swapped(hole, slot, hole.drawn),)
        case Discard() if hole.drawn is not None:
            return (_discarded(hole, hole.drawn),)
        case Take(slot=slot):
            card = hole.discards[-1]
            took = Took(seat=seat, card=card)
            return (took,) if slot is None else (took, _swapped(hole, slot, Drawn(seat, card, True)))
        case Knock():
            return (Knocked(seat=seat),)
        case Flip(slots=slots):
            return tuple(
                [
                    Flipped(seat=seat, slot=slot, card=slot_at(hole, Position(seat, slot)).card)
                    for slot in slots
                ]
            )
        case Peek(at=at):
            return (Peeked(seat=seat, at=at, cards=tuple([slot_at(hole, one).card for one in at])),)
        case Switch(first=first, second=second):
            return (Switched(seat=seat, at=(first, second)),)
        case Decline():
            return (Declined(seat=seat),)
        case Pass():
            return (Passed(seat=seat),)
        case Slam(at=at):
            return _slam(hole, seat, at)
        case Give(slot=slot):
            return _give(hole, seat, slot)
    raise TypeError(f"not an action here: {action!r}")


def _draw(hole: Hole, seat: Seat) -> tuple[Event, ...]:
    if hole.stock:
        return (Drew(seat=seat, stock=len(hole.stock) - 1, card=hole.stock[0]),)
    reshuffled = _reshuffled(hole)
    return reshuffled, Drew(seat=seat, stock=reshuffled.stock - 1, card=_order(reshuffled)[0])


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
        discard=slot_at(hole, Position(drawn.seat, slot)).card,
        discard_no=hole.discard_no + 1,
        hidden=hole.rules.placed is Placed.DOWN and not drawn.from_discard,
    )


def _discarded(hole: Hole, drawn: Drawn) -> Discarded:
    return Discarded(seat=drawn.seat, card=drawn.card, discard_no=hole.discard_no + 1)


def _slam(hole: Hole, seat: Seat, at: Position) -> tuple[Event, ...]:
    """Judge a slam by the window it was made in (C12–C17)."""
    window = hole.window
    if window is None:
        raise TypeError("a slam without a window")
    card = slot_at(hole, at).card
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


def _give(hole: Hole, seat: Seat, slot: int) -> tuple[Event, ...]:
    if hole.gift is None:
        raise TypeError("a gift that is not owed")
    card, _, known = slot_at(hole, Position(seat, slot))
    remembered = hole.rules.recall is Recall.ALWAYS and bool(known >> seat & 1)
    return (Gave(seat=seat, slot=slot, to=hole.gift.to, card=card, known=remembered),)
