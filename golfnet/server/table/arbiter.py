"""Decides the order of the claims in one slam window, and logs the decisions.

No clock is read here: times are passed in as integer microseconds on one clock, so every boundary is exact. Invariants:
the order of claims depends on what the server measured and on the deal's key, never on the order in which two lines
happened to be processed, nor on anything a peer says about its own times.

In a race, each claim waits as long as a claim over a slower link could still turn out to be faster. Sealed claims wait
until everyone has answered or the window ends. The driver (``windows``) takes answers from ``next`` one at a time and
lets the engine judge each; while a card is owed as a gift it takes none (C14).

Players can see the log of a hole only when the hole is over, since sealed claims and reaction times are secret until
then; the operator sees totals. Times in the log are in milliseconds with one decimal.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

from golfnet.engine import fairdeal
from golfnet.engine.cards import Position, Seat, position_text, seat_letter
from golfnet.engine.events import SlamResult
from golfnet.engine.rules import SlamMode
from golfnet.server.budget import SlamTotals
from golfnet.server.session.roundtrip import ALLOWED, UNMEASURED, Link


class WindowKey(Struct, frozen=True):
    """Identifies a slam window."""

    hole: int
    discard_no: int
    card: str
    mode: SlamMode


class Claim(Struct):
    """A slam with the card at ``at``. The seat was sent the discard at time ``shown``, and claimed at ``arrived``.

    ``tied`` means that several claims were equally fast and their order was decided by lot.
    """

    seat: Seat
    at: Position
    shown: int
    link: Link
    arrived: int
    tied: bool = False

    @property
    def waited(self) -> int:
        """The time from sending the card to receiving the claim."""
        return self.arrived - self.shown

    @property
    def reaction(self) -> int:
        """The seat's reaction time: the time waited, minus the allowance for its link."""
        return self.waited - self.link.allowance


Answer = Claim | Seat
"""An answer in a window: a claim, or the seat that passes."""


class FalseStart(Exception):
    """A claim too fast for a human (None before the seat was shown the card); the seat may not slam this card."""

    def __init__(self, claim: Claim | None) -> None:
        super().__init__("too fast for a human")
        self.claim = claim


TIE: Final = 15_000
"""Reaction times that differ by no more than this count as equal. The reaction time of one person varies by as much
from card to card, and the timers of operating systems, keyboards and screens add as much again."""

MOST_JITTER: Final = 30_000
"""The largest difference that can count as a tie, even on unsteady links, since a peer can make its link unsteady."""

SHORTEST_REACTION: Final = 120_000
"""The shortest possible reaction: nobody can see a card, recognize it and send a line in less time."""

DECISION: Final = ALLOWED + TIE
"""The maximum time for which the first claim to arrive waits for a faster one."""


class Race:
    """Orders claims by reaction time, and equally fast ones by ``lot``."""

    window: WindowKey

    def __init__(self, lot: tuple[Seat, ...], passed: Iterable[Seat] = ()) -> None:
        self.is_won = False
        """Whether a claim has succeeded, set by the driver: any later claim is late (C17)."""
        self._lot = {seat: place for place, seat in enumerate(lot)}
        self._shown: dict[Seat, tuple[int, int, Link]] = {}
        """When each seat was sent the discard, the time from which its reaction is measured, and its link."""
        self._claims: list[Claim] = []
        self._claimed: set[Seat] = set()
        self._passing: list[Seat] = []
        self._passed = set(passed)
        self._out: set[Seat] = set()

    @property
    def is_complete(self) -> bool:
        """Whether every seat has claimed or passed, so that the window can close."""
        return not any([self.is_waited_for(seat) for seat in self._lot])

    def is_waited_for(self, seat: Seat) -> bool:
        """Return whether the seat has neither claimed nor passed."""
        return seat not in self._passed and seat not in self._claimed

    def show(self, seat: Seat, at: int, link: Link = UNMEASURED) -> None:
        """Record when a seat was sent the discard; only the first time counts, or reconnecting would be an advantage.

        A seat that was away, and so has passed, returns to a card that the others have long seen: its reaction time is
        measured from when they saw it.
        """
        if seat not in self._shown:
            earliest = min([seen for seen, _, _ in self._shown.values()], default=at)
            self._shown[seat] = at, earliest if seat in self._passed else at, link

    def may_claim(self, seat: Seat) -> bool:
        """Return whether the seat may still claim; it may do so more than once, and even after a pass (C21)."""
        return seat not in self._out

    def may_pass(self, seat: Seat) -> bool:
        """Return whether the seat has not passed yet."""
        return seat not in self._passed

    def claim(self, seat: Seat, at: Position, arrived: int) -> Claim:
        """Accept a claim that the rules allow; if it is too fast, exclude the seat and raise ``FalseStart``."""
        claim = Claim(seat, at, *self._shown[seat][1:], arrived) if seat in self._shown else None
        if claim is None or seat in self._out or self._is_false_start(claim):
            self._out.add(seat)
            if seat not in self._passed:
                self.pass_by(seat)
            raise FalseStart(claim)
        self._claims.append(claim)
        self._claimed.add(seat)
        return claim

    def pass_by(self, seat: Seat) -> None:
        """Accept a pass; claims that arrived before it are judged first."""
        self._passed.add(seat)
        self._passing.append(seat)

    def due(self) -> int | None:
        """Return the time of the next answer: 0 if there is one now, None while waiting for a claim or a pass."""
        if not self._claims:
            return 0 if self._passing else None
        if self.is_won:
            return 0
        best, waiting = self._best(), {claim.seat for claim in self._claims}
        rivals = [seat for seat in self._shown if seat not in waiting and seat not in self._passed]
        latest = max([self._too_late(seat, best) for seat in rivals], default=0)
        return min(latest, min([claim.arrived for claim in self._claims]) + DECISION)

    def next(self, now: int) -> Answer | None:
        """Remove and return the fastest claim once no other can be faster, or a pass if no claim is waiting."""
        due = self.due()
        if due is None or due > now:
            return None
        if not self._claims:
            return self._passing.pop(0)
        best = self._best()
        equal = [
            claim for claim in self._claims if claim.reaction - best.reaction <= _tie(claim.link, best.link)
        ]
        chosen = min(equal, key=lambda claim: (self._lot[claim.seat], claim.arrived))
        self._claims.remove(chosen)
        chosen.tied = any(claim.seat != chosen.seat for claim in equal)
        return chosen

    def _is_false_start(self, claim: Claim) -> bool:
        """Return whether the claim came too early for the player to have seen the card, however quick the link was.

        Only the link's lowest recent round trip is subtracted, not its typical one, so that nobody is ruled out because
        an unsteady link was quick for once.
        """
        return claim.arrived - self._shown[claim.seat][0] - claim.link.least_allowance < SHORTEST_REACTION

    def _best(self) -> Claim:
        return min(self._claims, key=lambda claim: (claim.reaction, self._lot[claim.seat]))

    def _too_late(self, seat: Seat, best: Claim) -> int:
        """Return the latest time at which a claim by the seat could arrive and still tie with ``best``."""
        _, since, link = self._shown[seat]
        return since + best.reaction + link.allowance + _tie(link, best.link)


class SealedArbiter:
    """Keeps answers secret until every seat has given one, then returns them in a fixed order."""

    window: WindowKey

    def __init__(self, order: tuple[Seat, ...], answered: Iterable[Seat] = ()) -> None:
        self.is_won = False
        self._order = order
        self._shown: dict[Seat, tuple[int, Link]] = {}
        self._answered = set(answered)
        self._answers: dict[Seat, Answer] = {}
        self._open = False

    @property
    def is_complete(self) -> bool:
        """Whether every seat has claimed or passed."""
        return self._answered.issuperset(self._order)

    def is_waited_for(self, seat: Seat) -> bool:
        """Return whether the seat has not given its one answer yet (C21)."""
        return not self._open and seat not in self._answered

    may_claim = may_pass = is_waited_for

    def show(self, seat: Seat, at: int, link: Link = UNMEASURED) -> None:
        """Record when the discard was written to a seat, just for the log: speed does not count here."""
        self._shown.setdefault(seat, (at, link))

    def claim(self, seat: Seat, at: Position, arrived: int) -> Claim:
        """Accept the seat's one claim."""
        claim = Claim(seat, at, *self._shown.get(seat, (arrived, UNMEASURED)), arrived)
        self._accept(seat, claim)
        return claim

    def pass_by(self, seat: Seat) -> None:
        """Accept a pass, which stays secret like the claims."""
        self._accept(seat, seat)

    def end(self) -> None:
        """Make the answers available: it is too late for seats that have not answered."""
        self._open = True

    def due(self) -> int | None:
        """Return 0 while ``next`` has an answer, else None."""
        return 0 if self._open and self._answers else None

    def next(self, now: int) -> Answer | None:
        """Remove and return the next answer in order, once the answers are available; None if there is none."""
        ready = [seat for seat in self._order if seat in self._answers] if self._open else []
        return self._answers.pop(ready[0]) if ready else None

    def _accept(self, seat: Seat, answer: Answer) -> None:
        self._answers[seat] = answer
        self._answered.add(seat)
        self._open = self._open or self.is_complete


Arbiter = Race | SealedArbiter


def make_arbiter(
    window: WindowKey, *, discarder: Seat, seats: int, key: bytes, answered: Iterable[Seat] = ()
) -> Arbiter:
    """Return a window's arbiter; ``key`` is the deal's key; seats in ``answered`` have already passed or claimed."""
    clockwise = tuple([Seat((discarder + 1 + n) % seats) for n in range(seats)])
    drawn = fairdeal.lot_order(key, window.discard_no, clockwise)
    order = clockwise if window.mode is SlamMode.ORDER else drawn
    arbiter = (Race if window.mode is SlamMode.RACE else SealedArbiter)(order, answered)
    arbiter.window = window
    return arbiter


def _tie(one: Link, other: Link) -> int:
    """Return the largest difference that counts as a tie; unsteady links cannot be compared as finely."""
    return max(TIE, min(max(one.jitter, other.jitter), MOST_JITTER))


HIT: Final = SlamResult.HIT.value
LATE: Final = SlamResult.LATE.value
FALSE_START: Final = "false start"
VOID: Final = "void"
"""The result of a claim that the rules no longer allowed when it was judged (C11)."""


class JudgedClaim(Struct, frozen=True):
    """One claim and its result; ``claim`` is None for a false start before the seat had been shown the discard."""

    seat: Seat
    name: str
    at: Position
    result: str
    claim: Claim | None


class SlamLog(Struct, eq=False):
    """The slams of the current and the last hole at one table."""

    _totals: SlamTotals
    rows: list[dict[str, Any]] = []
    """The claims in the last finished hole, in the order in which they were judged."""
    _hole: list[dict[str, Any]] = []
    _shown_hole: int | None = None
    _entries: list[JudgedClaim] = []

    def add(self, entry: JudgedClaim) -> None:
        """Record a claim in the open window; call this in the order of judging."""
        self._entries.append(entry)
        totals, claim, won = self._totals, entry.claim, entry.result == HIT
        totals.results[entry.result] += 1
        totals.drawn += won and claim is not None and claim.tied
        if claim is not None and claim.link.round_trip is not None:
            totals.claims.add(claim.link.round_trip / 1000)
            if won:
                totals.wins.add(claim.link.round_trip / 1000)

    def window_over(self, window: WindowKey) -> None:
        """Convert the window's claims to rows, and add the window to the totals."""
        entries, totals, self._entries = self._entries, self._totals, []
        winner = next((entry.claim for entry in entries if entry.result == HIT), None)
        totals.windows += 1
        beaten = [] if winner is None or window.mode is not SlamMode.RACE else _beaten(entries, winner)
        margin = None
        if winner is not None and beaten:
            margin = _ms(min([claim.reaction for claim in beaten]) - winner.reaction)
            totals.margins.add(max(margin, 0.0))
            totals.overtaken += any(claim.arrived < winner.arrived for claim in beaten)
        for place, entry in enumerate(entries, 1):
            row = _row(window, entry, place)
            if entry.result == HIT:
                row["margin_ms"] = margin
            self._hole.append(row)

    def hole_over(self, number: int) -> None:
        """Publish the rows of the hole with this number."""
        self.rows, self._hole = self._hole, []
        self._shown_hole = number

    def note(self, running: int | None) -> str:
        """Return a sentence saying which hole the rows are from; ``running`` is the number of the hole in play."""
        if self._shown_hole is None:
            hole = "a hole" if running is None else f"hole {running}"
            return f"You can see the slams of {hole} when it is over."
        there = "These are the slams of" if self.rows else "There were no slams in"
        later = "" if running is None else f"; you can see those of hole {running} when it is over"
        return f"{there} hole {self._shown_hole}{later}."


def _row(window: WindowKey, entry: JudgedClaim, place: int) -> dict[str, Any]:
    claim = entry.claim
    row = {
        "hole": window.hole,
        "discard_no": window.discard_no,
        "card": window.card,
        "mode": window.mode.value,
        "place": place,
        "seat": seat_letter(entry.seat),
        "name": entry.name,
        "at": position_text(entry.at),
        "result": entry.result,
        "tied": claim is not None and claim.tied,
    }
    if claim is None:
        return row
    return row | {
        "waited_ms": _ms(claim.waited),
        "round_trip_ms": None if claim.link.round_trip is None else _ms(claim.link.round_trip),
        "allowed_ms": _ms(claim.link.allowance),
        "jitter_ms": _ms(claim.link.jitter),
        "reaction_ms": _ms(claim.reaction),
    }


def _ms(micros: int) -> float:
    return round(micros / 1000, 1)


def _beaten(entries: list[JudgedClaim], winner: Claim) -> list[Claim]:
    """Return other seats' claims that came too late, or were void because the winner had taken the same card."""
    return [
        entry.claim
        for entry in entries
        if entry.claim is not None
        and entry.seat != winner.seat
        and (entry.result == LATE or (entry.result == VOID and entry.at == winner.at))
    ]
