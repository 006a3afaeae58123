"""Play a hole: an action, and everything that follows automatically.

``decide`` may refuse; it returns every event up to the next choice by a seat or the table's clock. All randomness
comes from the deal's key. The end of a hole is checked in one place, ``follow_up``.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from golfnet.engine.actions import Action
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import EndReason, Event, HoleEnded, SlamClosed, SlamOpened, TurnBegan
from golfnet.engine.fold import evolve
from golfnet.engine.hole import Hole, Stage
from golfnet.engine.layout import Seat
from golfnet.engine.outcomes import discarded, outcome
from golfnet.engine.refusals import check
from golfnet.engine.rules import SlamMode, StockEnd
from golfnet.engine.scoring import hole_scores

Played = tuple[tuple[Event, ...], Hole]
"""Events in order, and the hole after them."""


def decide(hole: Hole, seat: Seat, action: Action) -> Played:
    """Return the events of a seat's action, and the hole after them, or raise ``IllegalAction``."""
    check(hole, seat, action)
    return advance(hole, outcome(hole, seat, action))


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


def _after_a_choice(hole: Hole) -> Event | None:
    return None if any(hole.owed) else _next_turn(hole)


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
    """Return the next event if the hole ends at once because nothing is left to draw (C8), or None if it continues."""
    if hole.rules.stock_end is not _AT_ONCE or hole.can_draw:
        return None
    if hole.drawn is None:
        return _hole_ended(hole, EndReason.STOCK)
    return None if hole.drawn.from_discard else discarded(hole, hole.drawn)


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


@lru_cache(2048)  # twelve seats with a hundred turns; bounded, because taking discards can go on forever
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
    Stage.START: _after_a_choice,
    Stage.TURN: _in_a_turn,
    Stage.HOLDING: _in_a_turn,
    Stage.FLIP: _in_a_turn,
    Stage.DONE: _after_a_turn,
    Stage.OVER: lambda hole: None,
}
