"""How a seat checks a deal: does it follow from what was fixed before, and does it match what the seat was shown?

A seat stores the commitment, all seals as they were when sealing closed, its own text, and the events that it was
shown, without the cards that were hidden from it. When the hole has ended, the deck is computed again from the revealed
seed and cuts, and the stored events are replayed with this deck.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from golfnet.engine import events as ev, fairdeal, hole as holes, match as matches
from golfnet.engine.cards import Seat, seat_letter
from golfnet.engine.errors import IllegalAction, RuleError
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole, slot_at
from golfnet.engine.play import reshuffle
from golfnet.engine.rules import RuleSet


class ClosedSealing(NamedTuple):
    """What was fixed when sealing closed, by seat: the seal or None, and the text of a seat without a seal."""

    seals: tuple[str | None, ...]
    cuts: tuple[str, ...]


class Knowledge(NamedTuple):
    """What a seat knew about a hole before the deal, and what it was shown afterwards.

    ``promise`` is the commitment as announced, without the seed. ``rules`` and ``names`` are as they were while the
    texts were still secret. ``text`` is the seat's own text, empty if it sealed none; ``was_told`` is whether the
    server confirmed receiving it. ``before`` is the start of the previous hole, None if the seat did not see it.
    ``is_whole`` is whether the seat saw everything since the promise; if not, ``events`` stop at the first gap.
    """

    promise: ev.Committed
    rules: RuleSet
    names: tuple[str, ...]
    totals: tuple[int, ...]
    seat: Seat | None
    closed: ClosedSealing | None = None
    text: str = ""
    was_told: bool = False
    before: ev.HoleStarted | None = None
    events: tuple[ev.Event, ...] = ()
    is_whole: bool = True

    @property
    def started(self) -> ev.HoleStarted | None:
        """The start of the hole, None if the seat did not see it."""
        return next((event for event in self.events if isinstance(event, ev.HoleStarted)), None)


def problems(seen: Knowledge, ended: ev.HoleEnded) -> list[str]:
    """Return a message for each problem; no messages mean that the deal is as promised."""
    found: list[str] = []
    for part in (_check_promise, _check_seals, _check_own_text, _check_cards):
        try:
            found.extend(part(seen, ended))
        except _IMPOSSIBLE as problem:
            found.append(f"what was shown cannot have happened ({problem})")
    return found


_IMPOSSIBLE: Final = (ArithmeticError, AttributeError, LookupError, RuleError, TypeError, ValueError)
"""Errors caused by events that a server following the rules would not send."""


def _check_promise(seen: Knowledge, ended: ev.HoleEnded) -> Iterator[str]:
    promise = seen.promise
    if fairdeal.commitment(promise.match, promise.hole, ended.seed, promise.deal) != promise.commitment:
        yield "the seed does not match the commitment that was announced"
    if any(
        event.commitment != promise.commitment for event in seen.events if isinstance(event, ev.HoleStarted)
    ):
        yield "the commitment was replaced with another one"


def _check_seals(seen: Knowledge, ended: ev.HoleEnded) -> Iterator[str]:
    if seen.promise.deal is fairdeal.Scheme.V1:
        return
    seals, cuts = ended.seals or (), ended.cuts
    if not len(seals) == len(cuts) == len(seen.names):
        yield "seals or cuts are missing"
        return
    if seen.closed is None:
        if seen.is_whole and any(seals):
            yield "sealed texts were used, but sealing was never closed"
        return
    started = seen.started
    for seat, name in enumerate(seen.names):
        seal, cut = seals[seat], cuts[seat]
        if seal != seen.closed.seals[seat]:
            yield f"the seal of {name} was changed after sealing was closed"
        elif seal is None and cut != seen.closed.cuts[seat]:
            yield f"the text of {name} was changed after sealing was closed"
        elif (
            seal is not None
            and cut
            and fairdeal.seal(seen.promise.match, seen.promise.hole, name, cut) != seal
        ):
            yield f"the text of {name} does not match its seal"
        elif started is not None and (seal is not None and not cut) != (seat in (started.unrevealed or ())):
            yield f"the server did not report truthfully whether {name} kept back a sealed text"


def _check_own_text(seen: Knowledge, ended: ev.HoleEnded) -> Iterator[str]:
    if seen.seat is None or not seen.text:
        return
    if seen.was_told and ended.cuts[seen.seat] != seen.text:
        yield "your own text was sent but is not in the deal"
    elif not seen.was_told and seen.is_whole and seen.closed is None:
        yield "you had sealed a text, but the server dealt without asking for it"


def _check_cards(seen: Knowledge, ended: ev.HoleEnded) -> Iterator[str]:
    """Replay the events with the deck made from the seed and cuts, and yield the first difference."""
    if not seen.events:
        return
    try:
        start, deal, hole = _dealt(seen, ended)
    except IllegalAction:
        return  # A text does not match its seal: already reported.
    first, dealt = seen.events[0], seen.events[1:2]
    if not isinstance(first, ev.HoleStarted) or (first.dealer, first.leader) != (start.dealer, start.leader):
        yield "a different seat dealt or led than the rules require"
        return
    if dealt and dealt[0] != replaced(deal, deck=()):
        yield "the deck does not give the discard pile that was dealt"
        return
    for event in seen.events[2:]:
        true = completed(hole, event)
        if _shown(event, true) != event:
            yield f"the deck does not give what was shown: {_described(event)}"
            return
        if isinstance(event, ev.HoleEnded):
            return
        hole = holes.evolve(hole, true)


def _dealt(seen: Knowledge, ended: ev.HoleEnded) -> tuple[ev.HoleStarted, ev.Dealt, Hole]:
    """Return the first two events of the hole, and the hole after them, from the revealed seed and cuts."""
    promise = replaced(seen.promise, seed=ended.seed)
    match = matches.Match(
        promise.match, seen.rules, seen.names, totals=seen.totals, started=seen.before, next_deal=promise
    )
    (start, deal, *_), _ = matches.deal(match, ended.cuts, ended.seals or ())
    assert isinstance(start, ev.HoleStarted)
    assert isinstance(deal, ev.Dealt)
    if promise.hole > 1 and seen.before is None and seen.started is not None:
        # Without the previous hole, the dealer cannot be checked: trust the announcement.
        start = replaced(start, dealer=seen.started.dealer, leader=seen.started.leader)
    return start, deal, matches.hole_in_play(matches.evolve(matches.evolve(match, start), deal))


def completed(hole: Hole, event: ev.Event) -> ev.Event:
    """Return the event with its cards filled in from the hole."""
    match event:
        case ev.Peeked():
            return replaced(event, cards=tuple([slot_at(hole, *at).card for at in event.at]))
        case ev.Flipped() | ev.Gave():
            return replaced(event, card=slot_at(hole, event.seat, event.slot).card)
        case ev.Drew():
            return replaced(event, card=hole.stock[0], stock=len(hole.stock) - 1)
        case ev.Took() | ev.SlamOpened():
            return replaced(event, card=hole.discards[-1])
        case ev.Swapped() if hole.drawn is not None:
            return replaced(event, card=hole.drawn.card, discard=slot_at(hole, event.seat, event.slot).card)
        case ev.Discarded() if hole.drawn is not None:
            return replaced(event, card=hole.drawn.card)
        case ev.Slammed():
            return replaced(event, card=slot_at(hole, *event.at).card)
        case ev.Penalized(source=source):
            return replaced(event, card=hole.stock[0] if source is None else slot_at(hole, *source).card)
        case ev.Reshuffled():
            return reshuffle(hole)[0]
        case ev.HoleEnded():
            return replaced(event, layouts=tuple([layout.cards for layout in hole.layouts]))
        case _:
            return event


def _shown(seen: ev.Event, true: ev.Event) -> ev.Event:
    field = ev.PRIVATE.get(type(seen))
    if field is None or getattr(seen, field) is not None:
        return true
    return replaced(true, **{field: None})


def _described(event: ev.Event) -> str:
    seat = getattr(event, "seat", getattr(event, "by", None))
    return event.name if seat is None else f"{event.name} by {seat_letter(seat)}"
