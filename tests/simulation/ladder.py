"""The judge of results and ratings: it computes from the stored events how every match must count.

It gets the order of the matches and their events from the ledger, and the arithmetic from openskill. How a seat's
ending affects its rank, which matches are rated, and what counts as a win are implemented here independently.
"""

from collections.abc import Iterable
from string import ascii_uppercase
from typing import Any, Final

import msgspec
from openskill.models import PlackettLuce

from golfnet.engine.options import as_options
from golfnet.rulesets import catalogue
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.verification import verify
from golfnet.storage.writes import MatchResult
from tests.simulation.judges import Ledger
from tests.storage.rows import rating

_MODEL: Final = PlackettLuce(mu=25.0, sigma=25.0 / 3)
_BEGINNER: Final = (25.0, 25.0 / 3, 0, 0)
_FREE: Final = ("seats", "decks", "holes", "target", "dealer")
"""Options that may differ from the defaults in a rated match."""

_USUAL: Final = {name: as_options(rules) for name, rules in catalogue().items()}


def wrong_ladder(ledger: Ledger, reads: SqliteReads) -> str | None:
    """Return what is wrong with a result or a rating, or None if all are right."""
    ratings: dict[tuple[str, str, Any], tuple[float, float, int, int]] = {}
    for match in ledger.matches.values():
        table = ledger.tables[match.table]
        endings, ended = _endings(match, filter(None, map(table.event, table.bodies)))
        if problem := _wrong_result(match, endings, ended):
            return f"match {match.id}: {problem}"
        for key in [(seat.player, match.variant, seat.kind.value) for seat in match.seats if seat.player]:
            ratings.setdefault(key, _BEGINNER)
        gone = [seat.ending.value in ("left", "absent") for seat in match.seats if seat.player is not None]
        if not match.rated or not (match.finished or all(gone)):
            continue
        for pool in ("account", "guest", "bot"):
            _rate(match, pool, ratings)
    for (player, variant, pool), known in ratings.items():
        there = rating(reads, player, variant, pool)
        stored = (there.mu, there.sigma, there.matches, there.wins) if there is not None else _BEGINNER
        if stored != known and (there is not None or player in ledger.players):
            return (
                f"the rating of {player} in {variant} among {pool}s is {stored}, but the matches give {known}"
            )
    return None


def wrong_record(ledger: Ledger, reads: SqliteReads) -> str | None:
    """Return which match has no valid record, or None if all have one."""
    for match in ledger.matches:
        lines = reads.record(match)
        if lines is None:
            return f"match {match} has no record"
        try:
            verify(lines)
        except Exception as problem:
            return f"the record of match {match}: {problem}"
    return None


def _rate(match: MatchResult, pool: str, ratings: dict[Any, tuple[float, float, int, int]]) -> None:
    ranks: dict[str, list[int]] = {}
    for seat in match.seats:
        if seat.player is not None and seat.kind.value == pool and seat.ending.value != "excused":
            ranks.setdefault(seat.player, []).append(seat.rank)
    if len(ranks) < 2:
        return
    keys = [(player, match.variant, pool) for player in ranks]
    teams = [[_MODEL.rating(mu=ratings[key][0], sigma=ratings[key][1])] for key in keys]
    means = [sum(each) / len(each) for each in ranks.values()]
    for key, (after,), taken in zip(keys, _MODEL.rate(teams, ranks=means), ranks.values(), strict=True):
        _, _, matches, wins = ratings[key]
        ratings[key] = after.mu, after.sigma, matches + 1, wins + (1 in taken)


def _wrong_result(match: MatchResult, endings: list[str], ended: dict[str, Any]) -> str | None:
    """Return how a match's result contradicts its events, or None if it does not."""
    seats = match.seats
    if [seat.total for seat in seats] != ended["totals"] or [seat.place for seat in seats] != ended["places"]:
        return f"ended with {ended}, but its result is {seats}"
    options, usual = msgspec.json.decode(match.options), _USUAL[match.variant]
    if match.rated != all(options[name] == usual[name] for name in usual if name not in _FREE):
        return f"is {'' if match.rated else 'not '}rated with {options}"
    if [seat.ending.value for seat in seats] != endings:
        return f"its seats ended as {endings}, but its result is {seats}"
    stayed = [seat.place for seat in seats if seat.ending.value in ("played", "excused")]
    for seat in seats:
        has_stayed = seat.ending.value in ("played", "excused")
        if has_stayed and seat.rank != 1 + sum(place < seat.place for place in stayed):
            return f"the rank of {seat} among places {stayed}"
        if not has_stayed and seat.rank <= len(stayed):
            return f"{seat} ranks ahead of somebody who stayed"
    return None


def _endings(match: MatchResult, events: Iterable[dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
    """Return how each seat of a match ended, and the last event of the match, given the table's events."""
    excused = dict[str, bool]()
    seats = dict[str, _Seat]()
    event: dict[str, Any] = {}
    for event in events:
        kind, name, seat = event["event"], event.get("name", ""), seats.get(event.get("seat") or "")
        if kind == "match_started" and event["match"] == match.id:
            seats = {
                letter: _Seat(name) for letter, name in zip(ascii_uppercase, event["seats"], strict=False)
            }
        elif kind == "match_ended" and event["match"] == match.id:
            break
        elif kind in ("seated", "returned"):
            excused[name] = False
        elif kind == "dropped":
            excused[name] = event["cause"] == "restart"
        if seat is not None:
            seat.heard(kind, name, "excused" if excused.get(seat.name) else "absent")
    return [seat.ending for seat in seats.values()], event


class _Seat:
    """A seat of a match, and its ending so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ending = "played"
        self._is_lent = False
        self._before = ""
        """The seat's ending before its owner returned, if the last event was that return."""

    def heard(self, kind: str, name: str, absent: str) -> None:
        """Handle an event at the seat; ``absent`` is the seat's ending if the owner does not return."""
        before, self._before = self._before, ""
        if kind == "left" and not self._is_lent:
            self.ending = "left"
        elif kind == "returned" and name == self.name and self.ending != "left":
            self._before, self.ending, self._is_lent = self.ending, "played", False
        elif kind == "returned":
            self.ending = absent if self.ending == "played" else self.ending
            self._is_lent = True
        elif kind == "house_plays" and not self._is_lent and self.ending == "played":
            self.ending = before or absent  # a player who returns too often without playing counts as absent
        if kind == "left":
            self._is_lent = False
