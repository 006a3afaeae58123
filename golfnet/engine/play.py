"""Play a hole: an action, its immediate events, and everything that follows automatically.

``decide`` may refuse; it returns all events until the hole has to wait for a seat or for the table's clock. Events
contain everything that the fold needs, including hidden cards. All randomness comes from the deal's key. The end of a
hole is checked in one place, ``follow_up``.
"""

from functools import lru_cache

from golfnet.engine import actions as do, events as ev, fairdeal
from golfnet.engine.cards import Card, Position, Seat
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.hole import DONE, OVER, START, Drawn, Hole, evolve, slot_at
from golfnet.engine.refusals import check
from golfnet.engine.rules import Placed, Recall, SlamMode, StockEnd
from golfnet.engine.scoring import hole_scores

Played = tuple[tuple[ev.Event, ...], Hole]
"""Events in order, and the hole after them."""


def decide(hole: Hole, seat: Seat, action: do.Action) -> Played:
    """Return the events of a seat's action, and the hole after them, or raise ``IllegalAction``."""
    check(hole, seat, action)
    return advance(hole, _outcome(hole, seat, action))


def close_window(hole: Hole) -> Played:
    """Close the slam window (C19), or raise ``IllegalAction`` if none is open or a gift is owed."""
    if hole.window is None:
        raise IllegalAction(Refusal.BAD_PHASE, "No slam window is open.")
    if hole.gift is not None:
        raise IllegalAction(Refusal.GIFT_OWED, "A card must be given before the slam window can close.")
    return advance(hole, (ev.SlamClosed(discard_no=hole.window.discard_no),))


def abandon(hole: Hole) -> Played:
    """Abandon the hole (X18)."""
    return advance(hole, (_hole_ended(hole, ev.EndReason.ABANDONED),))


def advance(hole: Hole, events: tuple[ev.Event, ...] = ()) -> Played:
    """Fold events into the hole, then all events that follow automatically."""
    for event in events:
        hole = evolve(hole, event)
    happened = [*events]
    while (following := follow_up(hole)) is not None:
        happened.append(following)
        hole = evolve(hole, following)
    return tuple(happened), hole


def follow_up(hole: Hole) -> ev.Event | None:
    """Return the next automatic event, or None if the hole is waiting or over.

    Checks run in the order of X14.
    """
    stage = hole.stage
    if stage is DONE:
        return _after_a_turn(hole)
    if stage is START:
        return None if any(hole.owed) else _next_turn(hole)
    return None if hole.stock or stage is OVER else _without_stock(hole)


def _after_a_turn(hole: Hole) -> ev.Event | None:
    rules = hole.rules
    if hole.gift is not None:
        return None
    if rules.slam is not _NO_SLAMS and any([layout.is_empty for layout in hole.layouts]):
        return _hole_ended(hole, ev.EndReason.EMPTY)
    if not hole.stock and (ended := _without_stock(hole)):
        return ended
    if hole.opening:
        return ev.SlamOpened(
            discard_no=hole.discard_no, card=hole.discards[-1], ms=rules.slam_window * 1000, mode=rules.slam
        )
    window = hole.window
    if window is not None:
        everybody = (1 << len(hole.layouts)) - 1
        return ev.SlamClosed(discard_no=window.discard_no) if window.passed == everybody else None
    if hole.power:
        return None
    reason = _reason_to_end(hole)
    return _next_turn(hole) if reason is None else _hole_ended(hole, reason)


def _without_stock(hole: Hole) -> ev.Event | None:
    """Return the next event if the hole has to end at once, because nothing is left to draw (C8); otherwise None."""
    if hole.rules.stock_end is not _AT_ONCE or hole.can_draw:
        return None
    if hole.drawn is None:
        return _hole_ended(hole, ev.EndReason.STOCK)
    return None if hole.drawn.from_discard else _discarded(hole, hole.drawn)


def _reason_to_end(hole: Hole) -> ev.EndReason | None:
    """Return why the hole ends with the turn just finished, or None if it continues."""
    rules, turns, closer = hole.rules, hole.turns, hole.closer
    if rules.turns is not None and min(turns) >= rules.turns:
        return ev.EndReason.TURNS
    if closer is not None:
        at_once = hole.closing is ev.EndReason.FACE_UP and not rules.final_turn
        if at_once or _left_of_turn(hole) == closer:
            return hole.closing
    if not hole.can_draw:
        return ev.EndReason.STOCK
    if closer is None and rules.turn_cap is not None and min(turns) >= rules.turn_cap:
        return ev.EndReason.CAP
    return None


def _left_of_turn(hole: Hole) -> Seat:
    return hole.deal.leader if hole.turn is None else Seat((hole.turn + 1) % len(hole.layouts))


def _next_turn(hole: Hole) -> ev.TurnBegan:
    seat = _left_of_turn(hole)
    return _turn_began(seat, hole.turns[seat] + 1)


@lru_cache(2048)  # Enough for twelve seats with a hundred turns each; the number of turns has no limit.
def _turn_began(seat: Seat, turn: int) -> ev.TurnBegan:
    return ev.TurnBegan(seat=seat, turn=turn)


def _hole_ended(hole: Hole, reason: ev.EndReason) -> ev.HoleEnded:
    deal = hole.deal
    layouts = tuple([layout.cards for layout in hole.layouts])
    scores = None if reason is ev.EndReason.ABANDONED else hole_scores(hole.rules, layouts, hole.closer)
    return ev.HoleEnded(
        reason=reason,
        closer=hole.closer,
        layouts=layouts,
        scores=scores,
        totals=tuple(map(sum, zip(deal.totals, scores, strict=True))) if scores else deal.totals,
        seed=deal.seed,
        cuts=deal.cuts,
        seals=deal.seals,
    )


_NO_SLAMS, _AT_ONCE, _DOWN, _ALWAYS = SlamMode.OFF, StockEnd.AT_ONCE, Placed.DOWN, Recall.ALWAYS


def _outcome(hole: Hole, seat: Seat, action: do.Action) -> tuple[ev.Event, ...]:
    match action:
        case do.Draw():
            renewed, card, left = _from_stock(hole)
            return *renewed, ev.Drew(seat=seat, stock=left, card=card)
        case do.Swap(slot=slot):
            assert hole.drawn is not None
            return (_swapped(hole, slot, hole.drawn),)
        case do.Discard():
            assert hole.drawn is not None
            return (_discarded(hole, hole.drawn),)
        case do.Take(slot=slot):
            card = hole.discards[-1]
            took = ev.Took(seat=seat, card=card)
            return (took,) if slot is None else (took, _swapped(hole, slot, Drawn(seat, card, True)))
        case do.Knock():
            return (ev.Knocked(seat=seat),)
        case do.Flip(slots=slots):
            cards = [(slot, slot_at(hole, seat, slot).card) for slot in slots]
            return tuple([ev.Flipped(seat=seat, slot=slot, card=card) for slot, card in cards])
        case do.Peek(at=at):
            return (ev.Peeked(seat=seat, at=at, cards=tuple([slot_at(hole, *each).card for each in at])),)
        case do.Switch(first=first, second=second):
            return (ev.Switched(seat=seat, at=(first, second)),)
        case do.Decline():
            return (ev.Declined(seat=seat),)
        case do.Pass():
            return (ev.Passed(seat=seat),)
        case do.Slam(at=at):
            return _slam(hole, seat, at)
        case do.Give(slot=slot):
            assert hole.gift is not None
            card, _, known = slot_at(hole, seat, slot)
            remembered = hole.rules.recall is _ALWAYS and bool(known >> seat & 1)
            return (ev.Gave(seat=seat, slot=slot, to=hole.gift.to, card=card, known=remembered),)


def _discarded(hole: Hole, drawn: Drawn) -> ev.Discarded:
    return ev.Discarded(seat=drawn.seat, card=drawn.card, discard_no=hole.discard_no + 1)


def _from_stock(hole: Hole) -> tuple[tuple[ev.Event, ...], Card, int]:
    """Return the event that renews the stock, if necessary, its top card, and how many cards that leaves."""
    if hole.stock:
        return (), hole.stock[0], len(hole.stock) - 1
    reshuffled, card = reshuffle(hole)
    return (reshuffled,), card, reshuffled.stock - 1


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


def _slam(hole: Hole, seat: Seat, at: Position) -> tuple[ev.Event, ...]:
    """Judge a slam in the open window (C12–C17)."""
    window = hole.window
    assert window is not None
    card, new_slot = slot_at(hole, *at).card, len(hole.layouts[seat]) + 1
    right = card.rank == window.card.rank
    result = ev.SlamResult.LATE if window.won else ev.SlamResult.HIT if right else ev.SlamResult.WRONG
    number = hole.discard_no + 1 if result is ev.SlamResult.HIT else None
    slammed = ev.Slammed(by=seat, at=at, card=card, result=result, discard_no=number)
    if right:
        return (slammed,)
    if at.seat != seat and not window.won:
        return slammed, ev.Penalized(seat=seat, slot=new_slot, source=at, card=card)
    if not hole.can_draw:
        return (slammed,)
    renewed, top, _ = _from_stock(hole)
    return slammed, *renewed, ev.Penalized(seat=seat, slot=new_slot, source=None, card=top)
