"""Verify, without trusting a record, that play was legal and the cards were fixed before any player knew them.

Each hole's commitment, context, key and deck are computed from its seed and cuts. Then each seat's actions are repeated
in the engine, and every event that follows must be in the record, line by line and field by field. What cannot be
computed is checked only for its form: ``started``, a turn's ``ms``, and ``seq``, which increases with gaps. Unknown
keys, whitespace and key order do not matter, except that a digest, if any, covers unknown keys.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from golfnet.engine import actions as do, events as ev, match as matches, wire
from golfnet.engine.cards import Seat, deck_text, seat_letter
from golfnet.engine.errors import IllegalAction, Refusal, RuleError
from golfnet.engine.fairdeal import CUT_BYTES, SEED_BYTES, Scheme, commitment, is_digest
from golfnet.engine.hole import Hole
from golfnet.engine.legality import claim_order
from golfnet.engine.options import from_options
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.storage.records import FORMAT, TIME_FORMAT, BadRecord, RecordLine, canonical, parse_lines


def step_of(match: matches.Match, first: ev.Event) -> matches.Step:
    """Return the engine's step that begins with this event in the current hole.

    Raise ``IllegalAction`` if no legal step begins with it. The message names the seat and the action.
    """
    hole = matches.hole_in_play(match)
    if isinstance(first, ev.HoleEnded) and first.reason is ev.EndReason.ABANDONED:
        return matches.abandon(match)
    if isinstance(first, ev.SlamClosed):
        return matches.close_window(match)
    cause = action_of(hole, first)
    if cause is None:
        raise IllegalAction(Refusal.BAD_PHASE, f"Nobody can cause {first.name} here.")
    seat, action = cause
    if seat not in hole.seats:
        raise IllegalAction(Refusal.NOT_YOUR_TURN, f"There is no seat {seat_letter(seat)}.")
    try:
        return matches.act(match, seat, action)
    except IllegalAction as refused:
        tried = f"{seat_letter(seat)} cannot {do.action_text(action, seat)} here: {refused.expected}"
        raise IllegalAction(refused.refusal, tried) from None


def action_of(hole: Hole, first: ev.Event) -> tuple[Seat, do.Action] | None:
    """Return the seat and the action that caused an event, or None for an event that is not the first in its step."""
    cause = _ACTIONS.get(type(first))
    return None if cause is None else cause(hole, first)


_ACTIONS: Final[dict[type[ev.Event], Callable[[Hole, Any], tuple[Seat, do.Action]]]] = {
    ev.Peeked: lambda _, event: (event.seat, do.Peek(event.at)),
    ev.Flipped: lambda _, event: (event.seat, do.Flip((event.slot,))),
    ev.Reshuffled: lambda hole, _: (Seat(0) if hole.turn is None else hole.turn, do.Draw()),
    ev.Drew: lambda _, event: (event.seat, do.Draw()),
    ev.Took: lambda _, event: (event.seat, do.Take()),
    ev.Swapped: lambda _, event: (event.seat, do.Swap(event.slot)),
    ev.Discarded: lambda _, event: (event.seat, do.Discard()),
    ev.Passed: lambda _, event: (event.seat, do.Pass()),
    ev.Declined: lambda _, event: (event.seat, do.Decline()),
    ev.Knocked: lambda _, event: (event.seat, do.Knock()),
    ev.Switched: lambda _, event: (event.seat, do.Switch(*event.at)),
    ev.Slammed: lambda hole, event: (event.by, do.Slam(event.at, (hole.window or hole).discard_no)),
    ev.Gave: lambda _, event: (event.seat, do.Give(event.slot)),
}
"""The action that caused an event, if the event is the first in its step. Turning up two cards in one action, or taking
and placing a card in one, has the same result as doing so in two.
"""


class VerifiedEvent(NamedTuple):
    """One event in a verified record: its line, table and number, the event, and the match after it."""

    line: RecordLine
    table: str
    seq: int
    event: ev.Event
    match: matches.Match


class Verdict(NamedTuple):
    """A correct record: the match at its end, and what is not part of it.

    ``has_digest`` means that a digest covered what no rule can check. ``unrevealed`` are the holes that were dealt
    without some sealed texts, with the seats that had sealed them.
    """

    match: matches.Match
    variant: str
    has_digest: bool
    unrevealed: tuple[tuple[int, tuple[Seat, ...]], ...]

    @property
    def finished(self) -> bool:
        """Whether the match was played to its end; otherwise it was abandoned."""
        return matches.is_decided(self.match)


def verify(lines: Iterable[bytes]) -> Verdict:
    """Verify a whole record. Raise ``BadRecord`` with the first error."""
    check = _Check(lines)
    holes = [moment.event for moment in check.events() if isinstance(moment.event, ev.HoleStarted)]
    return Verdict(
        match=check.match,
        variant=check.variant,
        has_digest=check.has_digest,
        unrevealed=tuple([(hole.hole, hole.unrevealed) for hole in holes if hole.unrevealed]),
    )


def verified_events(lines: Iterable[bytes]) -> Iterator[VerifiedEvent]:
    """Yield a record's events with the match after each. Raise ``BadRecord`` at the first error."""
    return _Check(lines).events()


class _Check:
    """Verifies a record line by line, always reading one line ahead."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.has_digest = False
        self.match = matches.Match("")
        self.variant = ""
        self._lines = parse_lines(lines)
        self._last = 0
        self._next = next(self._lines, None)
        self._digest = hashlib.sha256()
        self._table = ""
        self._seq = 0
        self._claims: list[Seat] = []

    def events(self) -> Iterator[VerifiedEvent]:
        """Yield the events one by one, each verified, to the end of the record."""
        yield from self._start(self._next_line())
        while self.match.places is None:
            if self.match.next_deal is None and self._next_is(ev.Committed):
                yield from self._commitment()
            if self._next is not None and self._next_is(ev.MatchEnded):
                if self.match.next_deal is None:
                    due = f"the commitment of hole {len(self.match.scores) + 1}"
                    self._next.bad("event", due, ev.MatchEnded.name)
                yield from self._expect(matches.abandon(self.match))
            else:
                yield from self._hole()
        self._end()

    def _start(self, header: RecordLine) -> Iterator[VerifiedEvent]:
        rules, names = _header(header)
        self.match, self.variant = matches.Match(header.text("match")), rules.name
        yield from self._commitment()
        try:
            step = matches.start(self.match, rules, names)
        except RuleError as error:
            header.bad(error.option, error.expected, ", ".join(names))
        if self._next is not None:
            # Compared as written: an option that did not exist when the match was played is missing from both.
            self._next.need("options", header.fields["options"])
        yield from self._expect(step)

    def _commitment(self) -> Iterator[VerifiedEvent]:
        """Read a commitment; its seed follows in the hole line."""
        line = self._committed = self._next or self._next_line()
        line.need("event", ev.Committed.name)
        if not is_digest(line.text("commitment")):
            line.bad("commitment", "64 hex digits", line.text("commitment"))
        event = ev.Committed(
            match=self.match.id,
            hole=len(self.match.scores) + 1,
            commitment=line.text("commitment"),
            seed=b"",
            deal=_scheme(line),
        )
        yield from self._expect(((event,), self.match))

    def _hole(self) -> Iterator[VerifiedEvent]:
        line = self._next_line()
        promised = self.match.next_deal
        if promised is None or "type" in line.fields:
            due = "the commitment" if promised is None else "the hole line"
            line.bad("event", f"{due} of hole {len(self.match.scores) + 1}", line.fields.get("event"))
        line.need("hole", promised.hole)
        scheme = _scheme(line)
        if scheme is not promised.deal:
            line.bad("deal", f"{promised.deal}, as announced", scheme)
        seed, cuts = _seed(line), _cuts(line, len(self.match.names))
        seals = () if scheme is Scheme.V1 else _seals(line, len(self.match.names))
        # The seed's commitment must be the announced one, and the one in the hole line.
        computed = commitment(self.match.id, promised.hole, seed, scheme)
        if computed not in (promised.commitment, line.text("commitment")):
            line.bad("seed", f"the seed behind the commitment {promised.commitment}", line.fields["seed"])
        line.need("commitment", computed)
        self._committed.need("commitment", computed)
        _, self.match = matches.commit(self.match._replace(next_deal=None), seed, scheme)
        try:
            step = matches.deal(self.match, cuts, seals)
        except IllegalAction as refused:
            line.bad("cuts", "texts that match their seals", refused.expected)
        for event in step[0]:
            if isinstance(event, ev.HoleStarted):
                line.need("context", event.context)
                line.need("dealer", seat_letter(event.dealer))
            elif isinstance(event, ev.Dealt):
                line.need("deck", deck_text(event.deck))
        yield from self._expect(step)
        while self.match.is_playing:
            yield from self._expect(self._step())

    def _step(self) -> matches.Step:
        """Return the engine's step for the next action by a seat or the table's clock."""
        line = self._next or self._next_line()
        kind = ev.EVENTS.get(line.text("event"))
        if kind is None:
            line.bad("event", "an event in a hole", line.text("event"))
        try:
            event = wire.event_from(kind, line.fields)
        except wire.MalformedEvent as problem:
            line.bad(problem.field, f"a valid {kind.name} event", problem.problem)
        if isinstance(event, ev.Slammed):
            self._check_claim(line, event.by)
        try:
            return step_of(self.match, event)
        except IllegalAction as refused:
            line.bad("event", "what the rules allow", f"this: {refused.expected}")

    def _check_claim(self, line: RecordLine, seat: Seat) -> None:
        """Check that sealed claims are in the order in which they are resolved, one per seat (C21).

        At a gap in the numbers, the table may have been restored and the claims sealed again.
        """
        if line.fields.get("seq") != self._seq + 1:
            self._claims.clear()
        hole = self.match.hole
        if hole is None or hole.rules.slam not in (SlamMode.ORDER, SlamMode.LOT):
            return
        order = claim_order(hole)
        remaining = order[order.index(self._claims[-1]) + 1 :] if self._claims and order else order
        if seat in order and seat not in remaining:
            line.bad("by", f"one of the claims by {' '.join(map(seat_letter, remaining))}", seat_letter(seat))
        self._claims.append(seat)

    def _expect(self, step: matches.Step) -> Iterator[VerifiedEvent]:
        """Compare the events of a step with the lines that follow."""
        for event in step[0]:
            line = self._next_line()
            self._check_place(line)
            for field, value in wire.event_fields(event).items():
                if not (isinstance(event, ev.MatchStarted) and field == "options"):
                    line.need(field, value)
            if isinstance(event, ev.TurnBegan):
                ms = line.fields.get("ms")
                if ms is not None and (type(ms) is not int or ms < 0):
                    line.bad("ms", "milliseconds, or null", ms)
            elif isinstance(event, ev.SlamOpened):
                self._claims.clear()
            self.match = matches.evolve(self.match, event)
            yield VerifiedEvent(line, self._table, self._seq, event, self.match)

    def _check_place(self, line: RecordLine) -> None:
        line.need("type", "event")
        if not self._seq:
            self._table = line.text("table")
        line.need("table", self._table)
        seq = line.fields.get("seq")
        if type(seq) is not int or seq <= self._seq:
            line.bad("seq", f"a number above {self._seq}", seq)
        if seq != self._seq + 1:
            self._claims.clear()
        self._seq = seq

    def _end(self) -> None:
        line = self._next_line()
        line.need("totals", list(self.match.totals))
        line.need("places", list(self.match.places or ()))
        if "digest" in line.fields:
            self.has_digest = True
            line.need("digest", self._digest.hexdigest())
        if self._next is not None:
            self._next.bad("text", "nothing after the totals", "another line")

    def _next_is(self, kind: type[ev.Event]) -> bool:
        return self._next is not None and self._next.fields.get("event") == kind.name

    def _next_line(self) -> RecordLine:
        line = self._next
        if line is None:
            raise BadRecord(self._last + 1, "text", "another line", "the end of the record")
        self._digest.update(canonical(line.fields))
        self._last = line.number
        self._next = next(self._lines, None)
        return line


def _header(line: RecordLine) -> tuple[RuleSet, tuple[str, ...]]:
    line.need("format", FORMAT)
    try:
        datetime.strptime(line.text("started"), TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        line.bad("started", "a time such as 2026-11-20T18:30:00Z", line.text("started"))
    options = line.fields.get("options")
    if not isinstance(options, dict):
        line.bad("options", "an object", options)
    try:
        rules = from_options(line.text("variant"), options)
    except RuleError as error:
        line.bad(f"options.{error.option}", error.expected, options.get(error.option))
    return rules, line.texts("seats")


def _seed(line: RecordLine) -> bytes:
    text = line.text("seed")
    if not re.fullmatch(f"[0-9a-f]{{{2 * SEED_BYTES}}}", text):
        line.bad("seed", f"{2 * SEED_BYTES} hex digits", text)
    return bytes.fromhex(text)


def _cuts(line: RecordLine, seats: int) -> tuple[str, ...]:
    cuts = line.texts("cuts")
    if len(cuts) != seats:
        line.bad("cuts", f"{seats} texts", f"{len(cuts)}")
    for cut in cuts:
        if len(cut.encode()) > CUT_BYTES or "\n" in cut:
            line.bad("cuts", f"one line of at most {CUT_BYTES} bytes for each seat", cut)
    return cuts


def _scheme(line: RecordLine) -> Scheme:
    """Return a deal's scheme, or the first scheme if none is named."""
    if "deal" not in line.fields:
        return Scheme.V1
    try:
        return Scheme(line.text("deal"))
    except ValueError:
        line.bad("deal", f"one of {', '.join(Scheme)}", line.text("deal"))


def _seals(line: RecordLine, seats: int) -> tuple[str | None, ...]:
    seals = line.fields.get("seals")
    if not isinstance(seals, list) or len(seals) != seats:
        line.bad("seals", f"a list of {seats}", json.dumps(seals))
    for seal in seals:
        if not (seal is None or (isinstance(seal, str) and is_digest(seal))):
            line.bad("seals", "64 hex digits or null for each seat", json.dumps(seal))
    return tuple(seals)
