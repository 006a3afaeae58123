"""How each event changes a peer's view of a table.

Invariant: a view folded from events and prompts equals the view that the server would send at that moment, except for
times left. ``Gap`` is raised if that cannot be ensured; the peer should then send ``look``. The engine's
``evolve_view`` changes the hole; this module changes the table around it.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from golfnet.engine import events as ev
from golfnet.engine.hole import EVOLVE, Phase
from golfnet.engine.layout import Seat
from golfnet.engine.notation import SEAT_LETTERS, parse_seat, seat_letter
from golfnet.engine.options import as_options
from golfnet.engine.view_fold import dealt_view, evolve_view
from golfnet.protocol.replies import presence
from golfnet.protocol.replies.replies import Clock, FillingView, Happened, Prompt, SeatView, TableView
from golfnet.protocol.replies.view_codec import NEWCOMER, Changes, hole_of, rules_of, with_hole, with_table


class TableClosed(Exception):
    """The table was closed."""


def _at(view: TableView, seat: Seat, **changes: Any) -> Changes:
    letter = seat_letter(seat)
    return {
        "seats": tuple([replace(each, **changes) if each.seat == letter else each for each in view.seats])
    }


def _seated(view: TableView, event: presence.Seated) -> Changes:
    fields = NEWCOMER | {"seat": seat_letter(event.seat), "name": event.player, "kind": event.kind}
    newcomer = SeatView(**fields)
    others = [seat for seat in view.seats if seat.seat != newcomer.seat]
    return {"seats": tuple(sorted([*others, newcomer], key=lambda seat: seat.seat))}


def _left(view: TableView, event: presence.Left) -> Changes:
    if event.seat is None:
        return {"watchers": max(0, view.watchers - 1)}
    if view.state in ("playing", "between"):
        # Nobody is left to reveal a sealed text, so its seal no longer counts.
        kept = {} if view.sealing_ms is not None else {"seal": None}
        return _at(view, event.seat, present=False, host=False, **kept)
    letter = seat_letter(event.seat)
    return {"seats": tuple([seat for seat in view.seats if seat.seat != letter])}


def _host_changed(view: TableView, event: presence.HostChanged) -> Changes:
    letter = seat_letter(event.seat)
    return {"seats": tuple([replace(seat, host=seat.seat == letter) for seat in view.seats])}


def _seals_closed(view: TableView, event: presence.SealsClosed) -> Changes:
    fixed = enumerate(zip(event.seals, event.cuts, strict=False))
    by_letter = {seat_letter(Seat(seat)): pair for seat, pair in fixed}
    seats = []
    for seat in view.seats:
        seal, cut = by_letter.get(seat.seat, (None, ""))
        seats.append(replace(seat, seal=seal, cut=cut))
    return {"sealing_ms": event.ms, "pause_ms": None, "seats": tuple(seats)}


def _clock_warning(view: TableView, event: presence.ClockWarning) -> Changes:
    letter = seat_letter(event.seat)
    if view.clock is not None and view.clock.seat == view.you != letter:
        return {}  # The table is waiting for several seats: keep showing the viewer's own clock.
    return {"clock": Clock(seat=letter, ms=event.ms)}


def _closed(view: TableView, event: presence.Closed) -> Changes:
    raise TableClosed(event.reason)


_MOST_HOLES: Final = 1000
"""The maximum number of holes whose scores are kept; matches are much shorter."""


class Gap(Exception):
    """An event cannot be folded into the view; the peer has to request a whole view."""


def fold(view: TableView, happened: Happened) -> TableView:
    """Return the view after one event, or raise ``Gap`` or ``TableClosed``."""
    if happened.seq <= view.seq:
        return view
    if happened.seq != view.seq + 1:
        raise Gap(f"{happened.seq} came after {view.seq}")
    event = happened.event
    try:
        if type(event) in EVOLVE:
            return _played(view, happened)
        if isinstance(event, ev.Dealt):
            return _dealt(view, event, happened.seq)
        step = _STEPS.get(type(event))
        return replace(view, seq=happened.seq, **({} if step is None else step(view, event)))
    except (LookupError, TypeError, ValueError) as problem:
        raise Gap(f"{event.name} does not fit what was seen") from problem


def prompted(view: TableView, prompt: Prompt) -> TableView:
    """Return the view with the choices in a prompt."""
    offered: Changes = {"actions": prompt.actions, "targets": prompt.targets}
    if view.state == "between":
        return with_table(view, **offered, pause_ms=prompt.ms, clock=None)
    if prompt.ms is not None and view.you is not None:
        offered["clock"] = Clock(seat=view.you, ms=prompt.ms)
    return with_table(view, **offered)


# --- play


def _played(view: TableView, happened: Happened) -> TableView:
    event: Any = happened.event
    before = hole_of(view)
    if before is None:
        raise Gap("no hole is in play")
    after = evolve_view(before, event)
    around: Changes = {"seq": happened.seq}
    kind = type(event)
    if kind is ev.TurnBegan:
        around["clock"] = None if happened.ms is None else Clock(seat=seat_letter(event.seat), ms=happened.ms)
    elif after.phase in _AFTER and (after.phase, after.discard_no) != (before.phase, before.discard_no):
        around["clock"] = None
    slam_ms = event.ms if kind is ev.SlamOpened else 0 if view.slam is None else view.slam.ms
    folded = with_hole(view, after, slam_ms, **around)
    return replace(folded, **_hole_ended(folded, event)) if kind is ev.HoleEnded else folded


_AFTER: Final = (Phase.GIVE, Phase.POWER, Phase.SLAM)
"""When one of these phases begins, or begins again with another discard, the clock of the turn stops."""


# --- matches and holes


def _committed(view: TableView, event: ev.Committed) -> Changes:
    if view.match != event.match:
        # A rematch assigns the seats again, to the players who are still here.
        raise Gap(f"match {event.match} follows {view.match}")
    return {"commitment": event.commitment, "deal": event.deal.value}


def _match_started(view: TableView, event: ev.MatchStarted) -> Changes:
    if len(event.seats) != len(view.seats):
        raise Gap("the match has other players")
    rules = event.options
    letters = {seat.seat: SEAT_LETTERS[number] for number, seat in enumerate(view.seats)}
    return {
        "variant": event.variant,
        "options": as_options(rules),
        "state": "between",
        "filling": None,
        "starts_ms": None,
        "match": event.match,
        "holes": rules.holes,
        "target": rules.target,
        "you": None if view.you is None else letters[view.you],
        "seats": tuple(
            [replace(seat, seat=letters[seat.seat], ready=False, total=0, turns=0) for seat in view.seats]
        ),
    }


def _hole_started(view: TableView, event: ev.HoleStarted) -> Changes:
    return {
        "hole": event.hole,
        "dealer": seat_letter(event.dealer),
        "leader": seat_letter(event.leader),
        "commitment": event.commitment,
        "pause_ms": None,
        "sealing_ms": None,
        "seats": tuple(
            [replace(seat, ready=False, turns=0, seal=None, told=False, cut="") for seat in view.seats]
        ),
    }


def _dealt(view: TableView, event: ev.Dealt, seq: int) -> TableView:
    if view.dealer is None or view.leader is None:
        raise Gap("no hole has started")
    seen = dealt_view(
        rules_of(view),
        None if view.you is None else parse_seat(view.you),
        event,
        hole=view.hole,
        dealer=parse_seat(view.dealer),
        leader=parse_seat(view.leader),
        commitment=view.commitment,
        totals=tuple([seat.total for seat in view.seats]),
    )
    return with_hole(view, seen, 0, seq=seq, state="playing", clock=None)


def _hole_ended(view: TableView, event: ev.HoleEnded) -> Changes:
    changes: Changes = {"state": "between", "clock": None}
    if event.scores is None:
        return changes
    totals = zip(view.seats, event.totals, strict=True)
    return {
        **changes,
        "seats": tuple([replace(seat, total=total) for seat, total in totals]),
        "scores": (*view.scores, event.scores)[-_MOST_HOLES:],
    }


def _match_ended(view: TableView, event: ev.MatchEnded) -> Changes:
    unsealed = tuple([replace(seat, seal=None, told=False, cut="") for seat in view.seats])
    return {"state": "finished", "pause_ms": None, "sealing_ms": None, "seats": unsealed}


_STEPS: Final[dict[type, Callable[[TableView, Any], Changes]]] = {
    presence.Seated: _seated,
    presence.Left: _left,
    presence.Dropped: lambda view, event: _at(view, event.seat, present=False),
    presence.Returned: lambda view, event: _at(view, event.seat, present=True, kind="human"),
    presence.HousePlays: lambda view, event: _at(view, event.seat, kind="house"),
    presence.Watching: lambda view, event: {"watchers": view.watchers + 1},
    presence.HostChanged: _host_changed,
    presence.ReadySaid: lambda view, event: _at(view, event.seat, ready=True),
    presence.Cut: lambda view, event: {} if view.sealing_ms is None else _at(view, event.seat, told=True),
    presence.Sealed: lambda view, event: _at(view, event.seat, seal=event.seal),
    presence.SealsClosed: _seals_closed,
    presence.BotsWanted: lambda view, event: {
        "filling": FillingView(level=event.level, ms=event.ms) if event.ms else None
    },
    presence.ClockWarning: _clock_warning,
    presence.Closed: _closed,
    ev.Committed: _committed,
    ev.MatchStarted: _match_started,
    ev.HoleStarted: _hole_started,
    ev.MatchEnded: _match_ended,
}
"""How each event changes a view; events not listed change nothing."""
