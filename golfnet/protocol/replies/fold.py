"""How each event changes a peer's view of a table.

Invariant: a view folded from events and prompts equals the view that the server would send at that moment, except for
times left. ``Gap`` is raised if that cannot be ensured; the peer should then send ``look``. The engine's
``evolve_view`` changes the hole; this module changes the table around it.
"""

from typing import Any, Final

from msgspec import structs

from golfnet.engine import events as ev
from golfnet.engine.cards import SEAT_LETTERS, Seat, parse_seat, seat_letter
from golfnet.engine.hole import EVOLVE, Deal, Phase
from golfnet.engine.options import as_options
from golfnet.engine.views import dealt_view, evolve_view
from golfnet.protocol.replies import presence
from golfnet.protocol.replies.data import AnyEvent
from golfnet.protocol.replies.replies import Clock, FillingView, Happened, Prompt, SeatView, TableView
from golfnet.protocol.replies.view_codec import NEWCOMER, Changes, hole_of, with_hole

_MOST_HOLES: Final = 1000
"""The maximum number of holes whose scores are kept; matches are much shorter."""


class TableClosed(Exception):
    """The table was closed."""


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
        return structs.replace(view, seq=happened.seq, **_changes(view, event))
    except (LookupError, TypeError, ValueError) as problem:
        raise Gap(f"{event.name} does not fit what was seen") from problem


def prompted(view: TableView, prompt: Prompt) -> TableView:
    """Return the view with the choices in a prompt."""
    offered: Changes = {"actions": prompt.actions, "targets": prompt.targets}
    if view.state == "between":
        offered |= {"pause_ms": prompt.ms, "clock": None}
    elif prompt.ms is not None and view.you is not None:
        offered["clock"] = Clock(seat=view.you, ms=prompt.ms)
    changed = structs.replace(view, **offered)
    changed.__dict__.update(view.__dict__)  # the same rules and hole
    return changed


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
    return structs.replace(folded, **_hole_ended(folded, event)) if kind is ev.HoleEnded else folded


_AFTER: Final = (Phase.GIVE, Phase.POWER, Phase.SLAM)
"""When one of these phases begins, or begins again with another discard, the clock of the turn stops."""


def _dealt(view: TableView, event: ev.Dealt, seq: int) -> TableView:
    if view.dealer is None or view.leader is None:
        raise Gap("no hole has started")
    seen = dealt_view(
        view.rules,
        None if view.you is None else parse_seat(view.you),
        Deal(
            hole=view.hole,
            dealer=parse_seat(view.dealer),
            leader=parse_seat(view.leader),
            commitment=view.commitment,
            totals=view.totals,
        ),
        event,
    )
    return with_hole(view, seen, 0, seq=seq, state="playing", clock=None)


def _hole_ended(view: TableView, event: ev.HoleEnded) -> Changes:
    changes: Changes = {"state": "between", "clock": None}
    if event.scores is not None:
        totals = zip(view.seats, event.totals, strict=True)
        changes["seats"] = tuple([structs.replace(seat, total=total) for seat, total in totals])
        changes["scores"] = (*view.scores, event.scores)[-_MOST_HOLES:]
    return changes


# --- the table around the hole


def _changes(view: TableView, event: AnyEvent) -> Changes:
    match event:
        case presence.Seated(seat=seat, player=name, kind=kind):
            letter = seat_letter(seat)
            newcomer = SeatView(**NEWCOMER | {"seat": letter, "name": name, "kind": kind})
            others = [each for each in view.seats if each.seat != letter]
            return {"seats": tuple(sorted([*others, newcomer], key=lambda each: each.seat))}
        case presence.Left(seat=seat):
            return {"watchers": max(0, view.watchers - 1)} if seat is None else _left(view, seat)
        case presence.Dropped(seat=seat):
            return _at(view, seat, present=False)
        case presence.Returned(seat=seat):
            return _at(view, seat, present=True, kind="human")
        case presence.HousePlays(seat=seat):
            return _at(view, seat, kind="house")
        case presence.Watching():
            return {"watchers": view.watchers + 1}
        case presence.HostChanged(seat=seat):
            letter = seat_letter(seat)
            return {"seats": tuple([structs.replace(each, host=each.seat == letter) for each in view.seats])}
        case presence.ReadySaid(seat=seat):
            return _at(view, seat, ready=True)
        case presence.Cut(seat=seat) if view.sealing_ms is not None:
            return _at(view, seat, told=True)
        case presence.Sealed(seat=seat, seal=seal):
            return _at(view, seat, seal=seal)
        case presence.SealsClosed(seals=seals, cuts=cuts, ms=ms):
            fixed = dict(zip(SEAT_LETTERS, zip(seals, cuts, strict=False), strict=False))
            pairs = [(each, *fixed.get(each.seat, (None, ""))) for each in view.seats]
            seats = tuple([structs.replace(each, seal=seal, cut=cut) for each, seal, cut in pairs])
            return {"sealing_ms": ms, "pause_ms": None, "seats": seats}
        case presence.BotsWanted(level=level, ms=ms):
            return {"filling": FillingView(level=level, ms=ms) if ms else None}
        case presence.ClockWarning(seat=seat, ms=ms):
            letter = seat_letter(seat)
            if view.clock is not None and view.clock.seat == view.you != letter:
                return {}  # The table is waiting for several seats: keep showing the viewer's own clock.
            return {"clock": Clock(seat=letter, ms=ms)}
        case presence.Closed(reason=reason):
            raise TableClosed(reason)
        case ev.Committed(match=match) if view.match != match:
            # A rematch assigns the seats again, to the players who are still here.
            raise Gap(f"match {match} follows {view.match}")
        case ev.Committed(commitment=commitment, deal=deal):
            return {"commitment": commitment, "deal": deal.value}
        case ev.MatchStarted():
            return _match_started(view, event)
        case ev.HoleStarted(hole=hole, dealer=dealer, leader=leader, commitment=commitment):
            return {
                "hole": hole,
                "dealer": seat_letter(dealer),
                "leader": seat_letter(leader),
                "commitment": commitment,
                "pause_ms": None,
                "sealing_ms": None,
                "seats": _all_with(view, ready=False, turns=0, seal=None, told=False, cut=""),
            }
        case ev.MatchEnded():
            unsealed = _all_with(view, seal=None, told=False, cut="")
            return {"state": "finished", "pause_ms": None, "sealing_ms": None, "seats": unsealed}
        case _:
            return {}


def _left(view: TableView, seat: Seat) -> Changes:
    if view.state in ("playing", "between"):
        # Nobody is left to reveal a sealed text, so its seal no longer counts.
        kept = {} if view.sealing_ms is not None else {"seal": None}
        return _at(view, seat, present=False, host=False, **kept)
    letter = seat_letter(seat)
    return {"seats": tuple([each for each in view.seats if each.seat != letter])}


def _at(view: TableView, seat: Seat, **changes: Any) -> Changes:
    letter = seat_letter(seat)
    return {
        "seats": tuple(
            [structs.replace(each, **changes) if each.seat == letter else each for each in view.seats]
        )
    }


def _all_with(view: TableView, **changes: Any) -> tuple[SeatView, ...]:
    return tuple([structs.replace(seat, **changes) for seat in view.seats])


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
            [
                structs.replace(seat, seat=letters[seat.seat], ready=False, total=0, turns=0)
                for seat in view.seats
            ]
        ),
    }
