"""A table as its viewer sees it, one event later: the client's half of what the server does when it makes a view.

What stays true: a view folded from events and prompts equals the view that the server would send at that moment,
times excepted (they run). ``Gap`` is raised where that cannot be known, and the answer to it is ``look``.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from golfnet.engine.cards import Card
from golfnet.engine.events import (
    Committed,
    Dealt,
    Declined,
    Discarded,
    Drew,
    Flipped,
    Gave,
    HoleEnded,
    HoleStarted,
    Knocked,
    MatchEnded,
    MatchStarted,
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
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import EMPTY, HIDDEN, SEAT_LETTERS, position_text, seat_letter
from golfnet.engine.options import as_options, from_options
from golfnet.engine.rules import FaceUp, Placed, Recall, RuleSet, StartMode
from golfnet.protocol.presence import (
    ClockWarning,
    Closed,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    ReadySaid,
    Returned,
    Seated,
    Watching,
)
from golfnet.protocol.replies import Clock, Happened, Prompt, SeatView, SlamView, TableView


class Gap(Exception):
    """What has happened cannot be folded into the view at hand; the server has to be asked for a whole one."""


class TableClosed(Exception):
    """The table is no more."""


def fold(view: TableView, happened: Happened) -> TableView:
    """Return the view after one event; raises ``Gap`` or ``TableClosed``."""
    if happened.seq <= view.seq:
        return view
    if happened.seq != view.seq + 1:
        raise Gap(f"{happened.seq} came after {view.seq}")
    step = _FOLDS.get(type(happened.event))
    changed = view if step is None else step(view, happened.event)
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


def rules_of(view: TableView) -> RuleSet:
    """Return the rules of the table as the engine knows them."""
    return _rules(view.variant, msgspec.json.encode(view.options, order="sorted"))


@lru_cache(maxsize=32)
def _rules(variant: str, options: bytes) -> RuleSet:
    return from_options(variant, msgspec.json.decode(options))


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
        return _with_seat(view, event.seat, present=False, host=False)
    letter = seat_letter(event.seat)
    return replace(view, seats=tuple(seat for seat in view.seats if seat.seat != letter))


def _dropped(view: TableView, event: Dropped) -> TableView:
    return _with_seat(view, event.seat, present=False)


def _returned(view: TableView, event: Returned) -> TableView:
    return _with_seat(view, event.seat, present=True, kind="human")


def _house_plays(view: TableView, event: HousePlays) -> TableView:
    return _with_seat(view, event.seat, kind="house")


def _watching(view: TableView, event: Watching) -> TableView:
    return replace(view, watchers=view.watchers + 1)


def _host_changed(view: TableView, event: HostChanged) -> TableView:
    letter = seat_letter(event.seat)
    return replace(view, seats=tuple(replace(seat, host=seat.seat == letter) for seat in view.seats))


def _ready_said(view: TableView, event: ReadySaid) -> TableView:
    return _with_seat(view, event.seat, ready=True)


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
    return replace(view, commitment=event.commitment)


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
        seats=tuple(replace(seat, ready=False, turns=0) for seat in view.seats),
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
        discard=_text(event.discard),
        discard_no=event.discard_no,
        discard_count=int(event.discard is not None),
        beneath=None,
        holding=None,
        drawn=None,
        power=False,
        owes=None,
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
        scores=view.scores if event.scores is None or abandoned else (*view.scores, event.scores),
    )


def _match_ended(view: TableView, event: MatchEnded) -> TableView:
    return replace(view, state="finished", pause_ms=None)


# --- play


def _peeked(view: TableView, event: Peeked) -> TableView:
    if event.cards is not None and view.you == seat_letter(event.seat):
        for at, card in zip(event.at, event.cards, strict=True):
            view = _known(view, at, card)
    if view.phase == "start":
        return _owed_less(view, event.seat, len(event.at))
    return _after_turn(view, power=False)


def _flipped(view: TableView, event: Flipped) -> TableView:
    view = _put(view, Position(event.seat, event.slot), event.card.text)
    if view.phase == "start":
        return _owed_less(view, event.seat, 1)
    return _after_turn(_closing(view, event.seat))


def _turn(view: TableView, event: TurnBegan) -> TableView:
    view = _with_seat(view, event.seat, turns=event.turn)
    return replace(view, phase="turn", turn=seat_letter(event.seat), power=False)


def _drew(view: TableView, event: Drew) -> TableView:
    drawn = _text(event.card)
    return replace(view, stock=event.stock, holding=seat_letter(event.seat), drawn=drawn, phase="holding")


def _took(view: TableView, event: Took) -> TableView:
    return replace(
        view,
        discard=view.beneath,
        beneath=None,
        discard_count=view.discard_count - 1,
        holding=seat_letter(event.seat),
        drawn=event.card.text,
        phase="holding",
    )


def _swapped(view: TableView, event: Swapped) -> TableView:
    rules = rules_of(view)
    at = Position(event.seat, event.slot)
    if rules.placed is Placed.UP and event.card is not None:
        view = _put(view, at, event.card.text)
    else:
        view = _put(view, at, HIDDEN)
        if event.card is not None:
            view = _known(view, at, event.card)
    view = _closing(_laid(view, event.discard, event.discard_no), event.seat)
    view = replace(view, holding=None, drawn=None)
    return _after_turn(view, power=event.discard.rank in rules.power)


def _discarded(view: TableView, event: Discarded) -> TableView:
    rules = rules_of(view)
    view = replace(_laid(view, event.card, event.discard_no), holding=None, drawn=None)
    if rules.flip and not _is_all_face_up(_slots(view, event.seat)):
        return replace(view, phase="flip")
    return _after_turn(view, power=event.card.rank in rules.power)


def _passed(view: TableView, event: Passed) -> TableView:
    return _after_turn(view) if view.phase == "flip" else view


def _declined(view: TableView, event: Declined) -> TableView:
    return _after_turn(view, power=False)


def _knocked(view: TableView, event: Knocked) -> TableView:
    return _after_turn(replace(view, closer=seat_letter(event.seat)))


def _switched(view: TableView, event: Switched) -> TableView:
    first, second = event.at
    one, other = _slot(view, first), _slot(view, second)
    return _after_turn(_put(_put(view, first, other), second, one), power=False)


def _slam_opened(view: TableView, event: SlamOpened) -> TableView:
    window = SlamView(discard_no=event.discard_no, card=event.card.text, ms=event.ms, mode=event.mode.value)
    return _after_turn(replace(view, slam=window))


def _slam_closed(view: TableView, event: SlamClosed) -> TableView:
    return replace(view, slam=None)


def _slammed(view: TableView, event: Slammed) -> TableView:
    if event.result is not SlamResult.HIT or event.discard_no is None:
        return _known(view, event.at, event.card)
    view = _laid(_put(view, event.at, EMPTY), event.card, event.discard_no)
    return _after_turn(replace(view, owes=None if event.at.seat == event.by else seat_letter(event.by)))


def _penalized(view: TableView, event: Penalized) -> TableView:
    new = Position(event.seat, event.slot)
    if event.source is None:
        return replace(_put(view, new, HIDDEN), stock=view.stock - 1)
    card = _slot(view, event.source)
    return _put(_put(view, event.source, EMPTY), new, card)


def _gave(view: TableView, event: Gave) -> TableView:
    source = Position(event.seat, event.slot)
    card = _slot(view, source)
    return _after_turn(replace(_put(_put(view, source, EMPTY), event.to, card), owes=None))


def _reshuffled(view: TableView, event: Reshuffled) -> TableView:
    return replace(view, stock=event.stock, discard=event.discard.text, beneath=None, discard_count=1)


# --- small steps


def _text(card: Card | None) -> str | None:
    return None if card is None else card.text


def _with_seat(view: TableView, seat: Seat, **changes: Any) -> TableView:
    letter = seat_letter(seat)
    return replace(
        view,
        seats=tuple(replace(each, **changes) if each.seat == letter else each for each in view.seats),
    )


def _slots(view: TableView, seat: Seat) -> tuple[str, ...]:
    letter = seat_letter(seat)
    return next((each.slots for each in view.seats if each.seat == letter), ())


def _slot(view: TableView, at: Position) -> str:
    slots = _slots(view, at.seat)
    if not 1 <= at.slot <= len(slots):
        raise Gap(f"there is no {position_text(at)} here")
    return slots[at.slot - 1]


def _put(view: TableView, at: Position, slot: str) -> TableView:
    slots = _slots(view, at.seat)
    return _with_seat(view, at.seat, slots=(*slots[: at.slot - 1], slot, *slots[at.slot :]))


def _known(view: TableView, at: Position, card: Card) -> TableView:
    """Return the view with a face-down card known, for those whose views remember (X10, X16)."""
    if view.you is None or rules_of(view).recall is not Recall.ALWAYS:
        return view
    return _put(view, at, card.known_text)


def _laid(view: TableView, card: Card, number: int) -> TableView:
    return replace(
        view,
        discard=card.text,
        beneath=view.discard,
        discard_no=number,
        discard_count=view.discard_count + 1,
    )


def _owed_less(view: TableView, seat: Seat, count: int) -> TableView:
    return replace(view, owed=(*view.owed[:seat], view.owed[seat] - count, *view.owed[seat + 1 :]))


def _after_turn(view: TableView, *, power: bool | None = None) -> TableView:
    """Return the view with the phase that follows a turn's last choice: gift, then power, then window (C14, C18)."""
    has_power = view.power if power is None else power
    phase = "give" if view.owes is not None else "power" if has_power else "slam"
    return replace(view, power=has_power, phase=phase, clock=None)


def _is_all_face_up(slots: tuple[str, ...]) -> bool:
    return any(slot != EMPTY for slot in slots) and not any(slot.startswith(HIDDEN) for slot in slots)


def _closing(view: TableView, seat: Seat) -> TableView:
    """Return the view with its closer once a seat has turned up or placed a card; the first stays (X14)."""
    rules = rules_of(view)
    if view.closer is not None or rules.face_up is FaceUp.OFF or not _is_all_face_up(_slots(view, seat)):
        return view
    everybody = all(_is_all_face_up(each.slots) for each in view.seats)
    if rules.face_up is FaceUp.FIRST or rules.final_turn or everybody:
        return replace(view, closer=seat_letter(seat))
    return view


_FOLDS: Final[dict[type, Callable[[TableView, Any], TableView]]] = {
    Seated: _seated,
    Left: _left,
    Dropped: _dropped,
    Returned: _returned,
    HousePlays: _house_plays,
    Watching: _watching,
    HostChanged: _host_changed,
    ReadySaid: _ready_said,
    ClockWarning: _clock_warning,
    Closed: _closed,
    Committed: _committed,
    MatchStarted: _match_started,
    HoleStarted: _hole_started,
    Dealt: _dealt,
    HoleEnded: _hole_ended,
    MatchEnded: _match_ended,
    Peeked: _peeked,
    Flipped: _flipped,
    TurnBegan: _turn,
    Drew: _drew,
    Took: _took,
    Swapped: _swapped,
    Discarded: _discarded,
    Passed: _passed,
    Declined: _declined,
    Knocked: _knocked,
    Switched: _switched,
    SlamOpened: _slam_opened,
    SlamClosed: _slam_closed,
    Slammed: _slammed,
    Penalized: _penalized,
    Gave: _gave,
    Reshuffled: _reshuffled,
}
"""What each event changes; those that are not here change nothing that is seen."""
