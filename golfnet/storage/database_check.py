"""Check a whole database: its file, every finished match, and the logs of the tables in play."""

from collections.abc import Iterator
from typing import NamedTuple

from golfnet.engine import match as matches
from golfnet.engine.errors import DivergedLog, IllegalAction
from golfnet.engine.events import Committed
from golfnet.engine.match import Match
from golfnet.storage.records import BadRecord, entries
from golfnet.storage.store import Reads, TableLog
from golfnet.storage.verification import verify


class Finding(NamedTuple):
    """The match or table that was checked, and its problem, or None if it is correct."""

    what: str
    problem: str | None


def check_database(reads: Reads) -> Iterator[Finding]:
    """Yield a finding for each finished match and each table in play. Raise ``StoreError`` for a damaged file."""
    reads.inspect()
    for match in reads.match_ids():
        yield Finding(f"match {match}", _match_problem(reads, match))
    for log in reads.tables():
        yield Finding(f"table {log.table}", _table_problem(log))


def _match_problem(reads: Reads, match: str) -> str | None:
    result, lines = reads.match(match), reads.record(match)
    if result is None or lines is None:
        return "its record is missing"
    try:
        verdict = verify(lines)
    except BadRecord as problem:
        return str(problem)
    for field, recorded, stored in (
        ("match", verdict.match, result.id),
        ("rule set", verdict.variant, result.variant),
        ("finished", verdict.finished, result.finished),
        ("seats", verdict.seats, tuple([seat.name for seat in result.seats])),
        ("totals", verdict.totals, tuple([seat.total for seat in result.seats])),
        ("places", verdict.places, tuple([seat.place for seat in result.seats])),
    ):
        if recorded != stored:
            return f"{field}: the record has {recorded}, the list of matches {stored}"
    return None


def _table_problem(log: TableLog) -> str | None:
    """Replay a table's log, as a restart does, and return the first problem."""
    match, seq = Match(""), 0
    try:
        for entry in entries(log.events):
            seq = entry.seq
            if isinstance(entry.event, Committed) and match.places is not None:
                match = Match("")  # a rematch
            match = matches.evolve(match, entry.event)
    except (DivergedLog, IllegalAction, LookupError, TypeError, ValueError) as problem:
        return f"after event {seq}: {problem}"
    return None
