"""How a client checks the deals for its player, by adding a sealed text to each shuffle.

A witness receives every reply from the server, in order. It seals a text for each hole, sends the text when sealing is
closed, stores what it was shown, and compares that with what is revealed when the hole ends. It does no input or
output: ``entropy`` provides randomness, and ``keep`` receives lines to store. Invariant: a text is sent only after all
seals and the texts without seals have been shown, and only if the commitment was known before that.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from golfnet.engine import fairdeal
from golfnet.engine.cards import Seat
from golfnet.engine.errors import RuleError
from golfnet.engine.events import EVENTS, Committed, Event, HoleEnded, HoleStarted
from golfnet.engine.inspection import ClosedSealing, Knowledge, problems
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies import data
from golfnet.protocol.replies.fold import Gap, TableClosed, fold
from golfnet.protocol.replies.replies import AnyReply, Happened, Notice, SeatView, TableView

FORMAT: Final = "golfnet-seen/1"
"""The format named in the first stored line."""

TEXT_BYTES: Final = 16
"""How many random bytes a text has: too many to guess."""

MOST_EVENTS: Final = 10_000
"""The maximum number of events stored for a hole; a normal hole has a few hundred."""

MOST_PROBLEMS: Final = 100
"""The maximum number of problems stored, and of holes listed in ``left_out``; the first ones suffice."""

LEFT_OUT: Final = "THIS HOLE WAS DEALT WITHOUT YOUR TEXT"
"""A warning, in capitals: whoever can cut the player's connection may have chosen the deal of such a hole."""


class Witness:
    """Checks all deals for one player, at one table after another.

    ``lines`` are commands to be sent; the caller removes them. ``problems`` has a sentence for everything that is
    wrong, and ``left_out`` one for every hole that was dealt without the player's text, for example after a lost
    connection; neither is cleared. ``entropy(n)`` returns n random bytes; ``keep(match, line)`` receives JSON lines for
    ``golfnet verify --seen``, without line ends. If ``seals`` is false, it only stores and compares.
    """

    def __init__(
        self,
        *,
        entropy: Callable[[int], bytes],
        keep: Callable[[str, bytes], None] | None = None,
        seals: bool = True,
    ) -> None:
        self.lines: list[str] = []
        self.problems: list[str] = []
        self.left_out: list[str] = []
        self._entropy = entropy
        self._keep = keep
        self._seals = seals
        self._view: TableView | None = None
        self._deal: _WitnessedHole | None = None
        self._before: HoleStarted | None = None
        """The start of the previous hole of this match, None if it was not seen."""
        self._kept = ""
        """The match whose first line has been stored."""

    def receive(self, reply: AnyReply) -> None:
        """Handle a reply from the server."""
        match reply:
            case TableView() if reply.you is not None:
                self._look(reply)
            case Happened() if (before := self._view) is not None and reply.table == before.table:
                if reply.seq > before.seq:
                    self._happened(before, reply)
            case Notice(code="RESUMED") if self._deal is not None:
                self._deal.requested = ""  # resend what was refused while the tables were paused
            case _:
                return
        self._request()

    def add(self, words: str) -> bool:
        """Add the player's words to the next sealed text; return whether that is possible now."""
        deal, me = self._deal, self._own
        if deal is None or me is None or not self._may_seal(deal):
            return False
        self._choose_text(deal, me, words)
        self._request()
        return True

    # --- receiving

    def _look(self, view: TableView) -> None:
        """Handle a whole view; if events were missed since the previous view, mark the hole as incomplete."""
        last, self._view = self._view, view
        if last is None or (last.table, last.match) != (view.table, view.match):
            self._deal = self._before = last = None
        elif last.seq != view.seq:
            self._miss()
            self._find_missed_deal(last, view)
        if view.commitment and view.state != "finished":
            is_playing = view.state == "playing"
            promise = Committed(
                match=view.match,
                hole=view.hole if is_playing else view.hole + 1,
                commitment=view.commitment,
                seed=b"",
                deal=fairdeal.Scheme.V2 if view.deal == fairdeal.Scheme.V2 else fairdeal.Scheme.V1,
            )
            self._promise(promise, was_seen=not is_playing)
        if self._deal is not None:
            self._deal.requested = ""
            if view.sealing_ms is not None:
                self._close(self._deal, view)
            if last is not None:
                # The commitment to the hole in play may have been missed, too.
                self._find_missed_deal(last, view)
        if view.state == "playing":
            slots = [seat.slots for seat in view.seats]
            named = {name: getattr(view, name) for name in ("discard", "drawn", "stock", "you")}
            self._write({"view": {"seq": view.seq, "layouts": slots, **named}})

    def _find_missed_deal(self, last: TableView, view: TableView) -> None:
        """Add the promised hole to ``left_out`` if it was dealt between two views, without the player's text."""
        deal = self._deal
        if deal is None or not last.hole < deal.promise.hole <= view.hole:
            return
        if not deal.was_sent and not deal.is_manual:
            self._leave_out(deal, _LOST)
        elif (view.state, view.hole) != ("playing", deal.promise.hole):
            self._leave_out(deal, _UNKNOWN)  # A hole in play is checked when it ends.

    def _happened(self, before: TableView, happened: Happened) -> None:
        event = happened.event
        try:
            view = self._view = fold(before, happened)
        except Gap:
            self._miss()
            return
        except TableClosed:
            self._view = None
            return
        if event.name in EVENTS:
            self._write_line(data.encode(happened).rstrip())
        if isinstance(event, Committed):
            self._promise(event, was_seen=True)
        deal = self._deal
        if deal is None:
            return
        if view.sealing_ms is not None and before.sealing_ms is None:
            self._close(deal, view)
        if event.name in EVENTS:
            deal.add(event, view)  # type: ignore[arg-type]
        if isinstance(event, HoleStarted | HoleEnded) and _is_left_out(event, view):
            self._leave_out(deal, _LATE if deal.is_whole else _LOST)
        if isinstance(event, HoleEnded):
            seen = deal.seen(self._before)
            self._complain(deal, [] if seen is None else problems(seen, event))
            self._before, self._deal = None if seen is None else seen.started, None

    def _miss(self) -> None:
        if self._deal is not None:
            self._deal.miss()

    def _promise(self, promise: Committed, *, was_seen: bool) -> None:
        """Store the first commitment of a hole; ``was_seen`` is whether it was shown before any text was sent."""
        deal = self._deal
        if deal is None or deal.promise.hole != promise.hole:
            if deal is not None or promise.hole == 1:
                self._before = None  # The hole before this one was not seen.
            self._deal = _WitnessedHole(promise, is_whole=was_seen)
            self._write({"hole": promise.hole, "commitment": promise.commitment, "deal": promise.deal.value})
        elif deal.promise != promise:
            self._complain(deal, ["the commitment was replaced with another one before the deal"])

    def _close(self, deal: "_WitnessedHole", view: TableView) -> None:
        """Store what must be fixed before any sealed text is sent; report a problem if it has changed."""
        closed = ClosedSealing(
            tuple([seat.seal for seat in view.seats]), tuple([seat.cut for seat in view.seats])
        )
        if deal.closed is None:
            deal.closed = closed
            deal.fix(view)
            self._write({"hole": deal.promise.hole, "seals": closed.seals, "cuts": closed.cuts})
            if deal.text_is_in and (view.own is None or view.own.seal != deal.seal):
                self._complain(deal, ["your seal was accepted, but was not there when sealing was closed"])
        elif deal.closed != closed:
            self._complain(deal, ["sealing was closed twice, with different seals or texts"])

    # --- sending

    def _request(self) -> None:
        """Queue the command that is due now: the seal, or the text once sealing is closed."""
        deal, me = self._deal, self._own
        if deal is None or me is None:
            return
        if deal.closed is not None:
            if me.told and not deal.was_told:
                deal.was_told = True
                self._write({"hole": deal.promise.hole, "told": True})
            if deal.text and me.seal == deal.seal and not me.told and deal.requested != "cut":
                deal.requested, deal.was_sent = "cut", True
                self.lines.append(f"cut {deal.text}")
        elif self._may_seal(deal):
            self._request_seal(deal, me)

    @property
    def _own(self) -> SeatView | None:
        return None if self._view is None else self._view.own

    def _request_seal(self, deal: "_WitnessedHole", me: SeatView) -> None:
        if deal.text and me.seal == deal.seal:
            deal.is_sealed = True
        elif deal.is_sealed and me.seal is not None:
            deal.is_manual, deal.text = True, ""  # The player has sealed another text by hand.
        elif deal.requested != "seal":
            if not deal.text:
                self._choose_text(deal, me)
            deal.requested = "seal"
            self.lines.append(f"seal {deal.seal}")

    def _may_seal(self, deal: "_WitnessedHole") -> bool:
        view = self._view
        is_open = view is not None and view.state in ("open", "between") and deal.closed is None
        return self._seals and is_open and not deal.is_manual and deal.promise.deal is fairdeal.Scheme.V2

    def _choose_text(self, deal: "_WitnessedHole", me: SeatView, words: str = "") -> None:
        deal.text = _text(words, self._entropy(TEXT_BYTES))
        deal.seal = fairdeal.seal(deal.promise.match, deal.promise.hole, me.name, deal.text)
        deal.requested, deal.is_sealed = "", False
        self._write({"hole": deal.promise.hole, "text": deal.text, "seal": deal.seal})

    # --- storing

    def _complain(self, deal: "_WitnessedHole", what: list[str]) -> None:
        for problem in what[: MOST_PROBLEMS - len(self.problems)]:
            sentence = f"{deal.name}: {problem}."
            self.problems.append(sentence)
            self._write({"problem": sentence})

    def _leave_out(self, deal: "_WitnessedHole", why: str) -> None:
        if (
            deal.was_told
            or deal.is_left_out
            or not self._seals
            or deal.promise.deal is not fairdeal.Scheme.V2
        ):
            return
        deal.is_left_out = True
        if len(self.left_out) < MOST_PROBLEMS:
            self.left_out.append(f"{deal.name}: {LEFT_OUT}; {why}.")

    def _write(self, fields: dict[str, Any]) -> None:
        self._write_line(msgspec.json.encode(fields))

    def _write_line(self, line: bytes) -> None:
        view = self._view
        if view is None or self._keep is None:
            return
        if self._kept != view.match:
            self._kept = view.match
            name = "" if view.own is None else view.own.name
            first = {"format": FORMAT, "match": view.match, "table": view.table, "name": name}
            self._keep(view.match, msgspec.json.encode(first))
        self._keep(view.match, line)


class _WitnessedHole:
    """What is known of one hole, from its commitment on."""

    def __init__(self, promise: Committed, *, is_whole: bool) -> None:
        self.promise = promise
        self.name = f"Hole {promise.hole} of match {promise.match}"
        self.text = self.seal = ""
        self.requested = ""
        """What was last sent on this connection: seal or cut."""
        self.is_sealed = self.is_manual = self.was_sent = False
        self.was_told = False
        """Whether the server confirmed that it has the text."""
        self.is_left_out = False
        self.closed: ClosedSealing | None = None
        self.is_whole = is_whole
        self._is_following = False
        self._events: list[Event] = []
        self._fixed: Knowledge | None = None

    def fix(self, view: TableView) -> None:
        """Store the rest of what the deal depends on, before any sealed text is sent."""
        if self._fixed is None:
            names = tuple([seat.name for seat in view.seats])
            with suppress(RuleError):
                self._fixed = Knowledge(self.promise, view.rules, names, view.totals, _own_seat(view))

    @property
    def text_is_in(self) -> bool:
        """Whether the server has accepted the seal of ``text``, and the player has not sealed another text since."""
        return self.is_sealed and not self.is_manual

    def add(self, event: Event, view: TableView) -> None:
        """Store an event of the hole."""
        if isinstance(event, HoleStarted):
            self.fix(view)
            self._is_following = True
        if len(self._events) >= MOST_EVENTS:
            self.miss()
        if self._is_following:
            self._events.append(event)

    def miss(self) -> None:
        """Mark the hole as incomplete."""
        self.is_whole = self._is_following = False

    def seen(self, before: HoleStarted | None) -> Knowledge | None:
        """Return what was seen of the hole, or None if that is too little for a check."""
        if self._fixed is None:
            return None
        return self._fixed._replace(
            closed=self.closed,
            text=self.text if self.text_is_in else "",
            was_told=self.was_told,
            before=before,
            events=tuple(self._events),
            is_whole=self.is_whole,
        )


_LOST: Final = "your connection was lost just then"
_LATE: Final = "your text did not arrive in time"
_UNKNOWN: Final = "as far as you were shown; your connection was lost just then"


def _is_left_out(event: HoleStarted | HoleEnded, view: TableView) -> bool:
    """Return whether the event shows that the text sealed by the viewer is not in the deal."""
    you = _own_seat(view)
    if isinstance(event, HoleStarted):
        return you in (event.unrevealed or ())
    texts = enumerate(zip(event.seals or (), event.cuts, strict=False))
    return any(seat == you and seal is not None and not cut for seat, (seal, cut) in texts)


def _own_seat(view: TableView) -> Seat | None:
    return next((Seat(at) for at, seat in enumerate(view.seats) if seat.seat == view.you), None)


def _text(words: str, random: bytes) -> str:
    """Return a text to seal: as many of the player's words as fit, and random hex."""
    hexadecimal = random.hex()
    room = fairdeal.CUT_BYTES - len(hexadecimal) - 1
    prefix = clean_text(words).encode()[:room].decode(errors="ignore")
    return clean_text(f"{clean_text(prefix)} {hexadecimal}")
