"""A table as its viewer sees it, one event later: a peer's half of what the server does when it makes a view.

What stays true: a view folded from events and prompts equals the view that the server would send at that moment,
times excepted (they run). ``Gap`` is raised where that cannot be known, and the answer to it is ``look``.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from golfnet.engine.events import (
    Committed,
    Dealt,
    HoleEnded,
    HoleStarted,
    MatchEnded,
    MatchStarted,
    Reason,
    TurnBegan,
)
from golfnet.engine.layout import Seat
from golfnet.engine.notation import EMPTY, HIDDEN, SEAT_LETTERS, seat_letter
from golfnet.engine.options import as_options
from golfnet.engine.rules import StartMode
from golfnet.protocol.replies.fold_play import PLAY
from golfnet.protocol.replies.presence import (
    BotsWanted,
    ClockWarning,
    Closed,
    Cut,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    ReadySaid,
    Returned,
    Sealed,
    SealsClosed,
    Seated,
    Watching,
)
from golfnet.protocol.replies.replies import Clock, FillingView, Happened, Prompt, SeatView, TableView
from golfnet.protocol.replies.steps import Gap, rules_of, text_of, with_seat

_MOST_HOLES: Final = 1000
"""Holes whose scores are kept; no match is nearly as long."""


class TableClosed(Exception):
    """The table is no more."""


def fold(view: TableView, happened: Happened) -> TableView:
    """Return the view after one event; raises ``Gap`` or ``TableClosed``."""
    if happened.seq <= view.seq:
        return view
    if happened.seq != view.seq + 1:
        raise Gap(f"{happened.seq} came after {view.seq}")
    step = _FOLDS.get(type(happened.event))
    try:
        changed = view if step is None else step(view, happened.event)
    except (LookupError, TypeError, ValueError) as problem:
        raise Gap(f"{happened.event.name} does not fit what was seen") from problem
    changed = replace(changed, seq=happened.seq)
    if isinstance(happened.event, TurnBegan):
        clock = None if happened.ms is None else Clock(seat=seat_letter(happened.event.seat), ms=happened.ms)
        changed = replace(changed, clock=clock)
    return changed


def prompted(view: TableView, prompt: Prompt) -> TableView:
    """Return the view with what its viewer may do now."""
    changed = replace(view, actions=prompt.actions, targets=prompt.targets)
    if view.state == "between":
        return replace(changed, pause_ms=prompt.ms, clock=None)
    if prompt.ms is not None and view.you is not None:
        return replace(changed, clock=Clock(seat=view.you, ms=prompt.ms))
    return changed


# --- coming and going


def _seated(view: TableView, event: Seated) -> TableView:
    newcomer = SeatView(
        seat=seat_letter(event.seat),
        name=event.player,
        kind=event.kind,
        present=True,
        slots=(),
        total=0,
        turns=0,
        ready=False,
        host=False,
    )
    others = [seat for seat in view.seats if seat.seat != newcomer.seat]
    return replace(view, seats=tuple(sorted([*others, newcomer], key=lambda seat: seat.seat)))


def _left(view: TableView, event: Left) -> TableView:
    if event.seat is None:
        return replace(view, watchers=max(0, view.watchers - 1))
    if view.state in ("playing", "between"):
        # A text that nobody is left to tell is not waited for, and its seal does not count.
        kept = {} if view.sealing_ms is not None else {"seal": None}
        return with_seat(view, event.seat, present=False, host=False, **kept)
    letter = seat_letter(event.seat)
    return replace(view, seats=tuple(seat for seat in view.seats if seat.seat != letter))


def _dropped(view: TableView, event: Dropped) -> TableView:
    return with_seat(view, event.seat, present=False)


def _returned(view: TableView, event: Returned) -> TableView:
    return with_seat(view, event.seat, present=True, kind="human")


def _house_plays(view: TableView, event: HousePlays) -> TableView:
    return with_seat(view, event.seat, kind="house")


def _watching(view: TableView, event: Watching) -> TableView:
    return replace(view, watchers=view.watchers + 1)


def _host_changed(view: TableView, event: HostChanged) -> TableView:
    letter = seat_letter(event.seat)
    return replace(view, seats=tuple(replace(seat, host=seat.seat == letter) for seat in view.seats))


def _ready_said(view: TableView, event: ReadySaid) -> TableView:
    return with_seat(view, event.seat, ready=True)


def _cut(view: TableView, event: Cut) -> TableView:
    return view if view.sealing_ms is None else with_seat(view, event.seat, told=True)


def _sealed(view: TableView, event: Sealed) -> TableView:
    return with_seat(view, event.seat, seal=event.seal)


def _seals_closed(view: TableView, event: SealsClosed) -> TableView:
    fixed = enumerate(zip(event.seals, event.cuts, strict=False))
    by_letter = {seat_letter(Seat(seat)): pair for seat, pair in fixed}
    return replace(
        view,
        sealing_ms=event.ms,
        pause_ms=None,
        seats=tuple(
            replace(seat, seal=seal, cut=cut)
            for seat in view.seats
            for seal, cut in [by_letter.get(seat.seat, (None, ""))]
        ),
    )


def _filling(view: TableView, event: BotsWanted) -> TableView:
    waiting = FillingView(level=event.level, ms=event.ms) if event.ms else None
    return replace(view, filling=waiting)


def _clock_warning(view: TableView, event: ClockWarning) -> TableView:
    letter = seat_letter(event.seat)
    if view.clock is not None and view.clock.seat == view.you != letter:
        return view  # several are waited for, and one's own clock is the one to show
    return replace(view, clock=Clock(seat=letter, ms=event.ms))


def _closed(view: TableView, event: Closed) -> TableView:
    raise TableClosed(event.reason)


# --- matches and holes


def _committed(view: TableView, event: Committed) -> TableView:
    if view.match != event.match:
        # A rematch gives the seats anew, to those who are still here.
        raise Gap(f"match {event.match} follows {view.match}")
    return replace(view, commitment=event.commitment, deal=event.deal.value)


def _match_started(view: TableView, event: MatchStarted) -> TableView:
    if len(event.seats) != len(view.seats):
        raise Gap("the match has other players")
    rules = event.options
    letters = {seat.seat: SEAT_LETTERS[number] for number, seat in enumerate(view.seats)}
    return replace(
        view,
        variant=event.variant,
        options=as_options(rules),
        state="between",
        filling=None,
        match=event.match,
        holes=rules.holes,
        target=rules.target,
        you=None if view.you is None else letters[view.you],
        seats=tuple(
            replace(seat, seat=letters[seat.seat], ready=False, total=0, turns=0) for seat in view.seats
        ),
    )


def _hole_started(view: TableView, event: HoleStarted) -> TableView:
    return replace(
        view,
        hole=event.hole,
        dealer=seat_letter(event.dealer),
        leader=seat_letter(event.leader),
        commitment=event.commitment,
        pause_ms=None,
        sealing_ms=None,
        seats=tuple(
            replace(seat, ready=False, turns=0, seal=None, told=False, cut="") for seat in view.seats
        ),
    )


def _dealt(view: TableView, event: Dealt) -> TableView:
    rules = rules_of(view)
    owed = 0 if rules.start.mode is StartMode.NONE else rules.start.cards
    return replace(
        view,
        state="playing",
        phase="start",
        turn=None,
        stock=event.stock,
        discard=text_of(event.discard),
        discard_no=event.discard_no,
        discard_count=int(event.discard is not None),
        beneath=None,
        reshuffles=rules.reshuffles,
        holding=None,
        drawn=None,
        power=False,
        owes=None,
        gift_to=None,
        closer=None,
        slam=None,
        clock=None,
        owed=(owed,) * len(view.seats),
        seats=tuple(replace(seat, slots=(HIDDEN,) * rules.slots) for seat in view.seats),
    )


def _hole_ended(view: TableView, event: HoleEnded) -> TableView:
    abandoned = event.reason is Reason.ABANDONED or event.scores is None
    return replace(
        view,
        state="between",
        phase="over",
        power=False,
        owes=None,
        gift_to=None,
        slam=None,
        clock=None,
        seats=tuple(
            replace(
                seat,
                slots=tuple(EMPTY if card is None else card.text for card in layout),
                total=seat.total if abandoned else total,
            )
            for seat, layout, total in zip(view.seats, event.layouts, event.totals, strict=True)
        ),
        scores=view.scores
        if event.scores is None or abandoned
        else (*view.scores, event.scores)[-_MOST_HOLES:],
    )


def _match_ended(view: TableView, event: MatchEnded) -> TableView:
    unsealed = tuple(replace(seat, seal=None, told=False, cut="") for seat in view.seats)
    return replace(view, state="finished", pause_ms=None, sealing_ms=None, seats=unsealed)


_FOLDS: Final[dict[type, Callable[[TableView, Any], TableView]]] = {
    **PLAY,
    Seated: _seated,
    Left: _left,
    Dropped: _dropped,
    Returned: _returned,
    HousePlays: _house_plays,
    Watching: _watching,
    HostChanged: _host_changed,
    ReadySaid: _ready_said,
    Cut: _cut,
    Sealed: _sealed,
    SealsClosed: _seals_closed,
    BotsWanted: _filling,
    ClockWarning: _clock_warning,
    Closed: _closed,
    Committed: _committed,
    MatchStarted: _match_started,
    HoleStarted: _hole_started,
    Dealt: _dealt,
    HoleEnded: _hole_ended,
    MatchEnded: _match_ended,
}
"""What each event changes; those that are not here change nothing that is seen."""
