"""The log of slams, with measured times and results: for players after the hole, and in total for the operator.

A hole's rows are shown only once it is over, since sealed claims and reaction times are secret until then. Times are
integer microseconds here, but milliseconds with one decimal in rows.
"""

from typing import Any, Final, NamedTuple

from msgspec import Struct

from golfnet.engine.events import SlamResult
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text, seat_letter
from golfnet.engine.rules import SlamMode
from golfnet.server.counters import SlamTotals
from golfnet.server.table.arbiter import Claim

HIT: Final = SlamResult.HIT.value
LATE: Final = SlamResult.LATE.value
FALSE_START: Final = "false start"
VOID: Final = "void"
"""The result of a claim that the rules no longer allowed when it was judged (C11)."""


class WindowKey(NamedTuple):
    """Identifies a slam window."""

    hole: int
    discard_no: int
    card: str
    mode: SlamMode


class JudgedClaim(Struct, frozen=True):
    """One claim and its result; ``claim`` is None for a false start before the seat had been shown the discard."""

    seat: Seat
    name: str
    at: Position
    result: str
    claim: Claim | None
    tied: bool


class SlamLog:
    """The slams of the current and the last hole at one table."""

    def __init__(self, totals: SlamTotals) -> None:
        self._totals = totals
        self._hole: list[dict[str, Any]] = []
        self._shown: list[dict[str, Any]] = []
        self._shown_hole: int | None = None
        self._entries: list[JudgedClaim] = []

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The claims in the last finished hole, in the order in which they were judged."""
        return self._shown

    def add(self, entry: JudgedClaim) -> None:
        """Record a claim in the open window; to be called in the order of judging."""
        self._entries.append(entry)
        totals, link = self._totals, entry.claim.link if entry.claim is not None else None
        totals.results[entry.result] = totals.results.get(entry.result, 0) + 1
        won = entry.result == HIT
        totals.drawn += won and entry.tied
        if link is None or link.round_trip is None:
            totals.claims_unmeasured += 1
            totals.wins_unmeasured += won
        else:
            totals.claims.add(link.round_trip / 1000)
            if won:
                totals.wins.add(link.round_trip / 1000)

    def window_over(self, window: WindowKey) -> None:
        """Convert the window's claims to rows, and add them to the totals."""
        entries, self._entries = self._entries, []
        totals, winner = self._totals, _winner(entries)
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
        self._shown, self._hole = self._hole, []
        self._shown_hole = number

    def note(self, running: int | None) -> str:
        """Return a sentence saying which hole the rows are from; ``running`` is the number of the hole in play."""
        if self._shown_hole is None and running is None:
            return "You can see the slams of a hole when it is over."
        if self._shown_hole is None:
            return f"You can see the slams of hole {running} when it is over."
        there = "These are the slams of" if self._shown else "There were no slams in"
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
        "tied": entry.tied,
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


def _winner(entries: list[JudgedClaim]) -> Claim | None:
    return next((entry.claim for entry in entries if entry.result == HIT), None)


def _beaten(entries: list[JudgedClaim], winner: Claim) -> list[Claim]:
    """Return other seats' claims that came too late, or were void because the winner had taken the same card."""
    return [
        entry.claim
        for entry in entries
        if entry.claim is not None
        and entry.seat != winner.seat
        and (entry.result == LATE or (entry.result == VOID and entry.at == winner.at))
    ]
