"""A table as one viewer sees it, written for the wire: the engine's view of the hole, with the table around it.

What stays true: nothing of the hole is here that the engine's view does not hold, but for what all have seen: the
card beneath the top discard, and which positions have changed since a window opened. ``seen`` reads it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.fairdeal import Scheme
from golfnet.engine.notation import position_text, seat_letter
from golfnet.engine.options import as_options
from golfnet.protocol.replies.replies import SeatView, SlamView, TableView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.engine.match import Match
    from golfnet.engine.rules import RuleSet
    from golfnet.engine.views import SeenWindow, View
    from golfnet.protocol.replies.replies import Clock, FillingView


def table_view(
    match: Match,
    seen: View | None,
    *,
    table: str,
    seq: int,
    rules: RuleSet,
    state: str,
    you: Seat | None,
    seats: Iterable[SeatView],
    slam_ms: int,
    name: str = "",
    actions: tuple[str, ...] = (),
    targets: tuple[str, ...] = (),
    clock: Clock | None = None,
    pause_ms: int | None = None,
    sealing_ms: int | None = None,
    filling: FillingView | None = None,
    watchers: int = 0,
) -> TableView:
    """Return the whole view; ``seen`` is None before the first deal, ``slam_ms`` what an open window has left."""
    committed = match.next_deal or match.started
    hole, discard = match.hole, seen.discard if seen is not None else None
    drawn, gift = (seen.drawn, seen.gift) if seen is not None else (None, None)
    window = seen.window if seen is not None else None
    return TableView(
        table=table,
        seq=seq,
        name=name,
        variant=rules.name,
        options=as_options(rules),
        state=state,
        match=match.id,
        hole=seen.hole if seen is not None else 0,
        holes=rules.holes,
        target=rules.target,
        phase=seen.phase.value if seen is not None else None,
        you=_letter(you),
        turn=_letter(seen.turn) if seen is not None else None,
        dealer=_letter(seen.dealer) if seen is not None else None,
        leader=_letter(seen.leader) if seen is not None else None,
        stock=seen.stock if seen is not None else 0,
        discard=discard.text if discard is not None else None,
        discard_no=seen.discard_no if seen is not None else 0,
        discard_count=seen.discard_count if seen is not None else 0,
        beneath=_beneath(hole) if hole is not None else None,
        reshuffles=seen.reshuffles_left if seen is not None else 0,
        holding=_letter(seen.holding) if seen is not None else None,
        drawn=drawn.text if drawn is not None else None,
        power=seen is not None and seen.power,
        owes=_letter(gift.seat) if gift is not None else None,
        gift_to=position_text(gift.to) if gift is not None else None,
        closer=_letter(seen.closer) if seen is not None else None,
        seats=tuple(seats),
        owed=seen.owed if seen is not None else (),
        scores=match.scores,
        actions=actions,
        targets=targets,
        clock=clock,
        slam=None if window is None else _slam(window, hole, slam_ms),
        pause_ms=pause_ms,
        filling=filling,
        commitment=committed.commitment if committed is not None else "",
        deal=_scheme(match),
        sealing_ms=sealing_ms,
        watchers=watchers,
    )


def seat_view(
    match: Match,
    seen: View | None,
    seat: Seat,
    *,
    name: str,
    kind: str = "human",
    present: bool = True,
    ready: bool = False,
    host: bool = False,
    seal: str | None = None,
    told: bool = False,
    cut: str = "",
) -> SeatView:
    """Return a taken seat, with what is seen of its layout once cards are dealt."""
    totals = match.totals
    is_dealt = seen is not None and seat < len(seen.layouts)
    return SeatView(
        seat=seat_letter(seat),
        name=name,
        kind=kind,
        present=present,
        slots=seen.layouts[seat] if seen is not None and is_dealt else (),
        total=totals[seat] if seat < len(totals) else 0,
        turns=seen.turns[seat] if seen is not None and is_dealt else 0,
        ready=ready,
        host=host,
        seal=seal,
        told=told,
        cut=cut,
    )


def _scheme(match: Match) -> str:
    """Return the scheme of the next deal, or of the last one where none is promised."""
    if match.next_deal is not None:
        return match.next_deal.deal
    if match.started is None:
        return ""
    return Scheme.V1 if match.started.seals is None else Scheme.V2


def _slam(window: SeenWindow, hole: Hole | None, ms: int) -> SlamView:
    moved = hole.window.moved if hole is not None and hole.window is not None else ()
    return SlamView(
        discard_no=window.discard_no,
        card=window.card.text,
        ms=ms,
        mode=window.mode.value,
        won=window.won,
        passed=window.passed,
        moved=tuple([position_text(at) for at in sorted(moved)]),
    )


def _beneath(hole: Hole) -> str | None:
    """Return the card under the top discard: it was seen by all when it was laid there."""
    if hole.drawn is not None and hole.drawn.from_discard:
        return None
    return hole.discards[-2].text if len(hole.discards) >= 2 else None


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else seat_letter(seat)
