from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from golfnet.protocol.replies.data import log_body
from golfnet.protocol.replies.presence import Opened
from golfnet.storage.checks import check_database
from golfnet.storage.faults import StoreReason
from golfnet.storage.records import LogEntry
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.verification import verify
from golfnet.storage.writes import AppendEvent, FinishMatch, MatchResult, OpenTable, Write
from tests.storage.conftest import refused
from tests.storage.matches import played, record_of, rules_of
from tests.storage.rows import match, seat


def result(record: list[bytes], **changes: object) -> MatchResult:
    verdict = verify(record)
    played = verdict.match
    seats = [
        replace(seat(None, place, total=total), name=name)
        for name, total, place in zip(played.names, played.totals, played.places or (), strict=True)
    ]
    return replace(match(1, *seats, variant=verdict.variant, rated=False), **changes)


def log_of(entries: list[LogEntry], table: str = "t1") -> list[Write]:
    opened = AppendEvent(table, 1, log_body(Opened(player="Ann")))
    events = [AppendEvent(table, seq + 1, log_body(event)) for seq, event, _ in entries]
    return [OpenTable(table, b"{}"), opened, *events]


def findings(path: Path, *writes: Write) -> dict[str, str | None]:
    store = SqliteStore(path)
    store.write(writes)
    store.close()
    with closing(SqliteReads(path)) as reads:
        return dict(check_database(reads))


def test_no_problem_is_found_in_a_correctly_stored_match_or_table(path: Path) -> None:
    record = record_of(rules_of("four-turn"))
    finish = FinishMatch(result(record), b"".join(record))
    first = played(rules_of("six-card", holes=2))
    rematch = played(rules_of("cactus"), seats=2, seed=1, match="m2", first_seq=first[-1].seq)
    tables = (*log_of(first[:40]), *log_of([*first, *rematch[:30]], "t2"))
    assert findings(path, finish, *tables) == {"match m1": None, "table t1": None, "table t2": None}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"variant": "cactus"}, "rule set: the record has four-turn, the list of matches cactus"),
        ({"finished": False}, "finished"),
        ({"id": "m9"}, "match: the record has m1, the list of matches m9"),
        ({"seats": ()}, "seats"),
    ],
)
def test_contradictions_to_a_record_are_found(path: Path, changes: dict[str, object], named: str) -> None:
    record = record_of(rules_of("four-turn"))
    (problem,) = findings(path, FinishMatch(result(record, **changes), b"".join(record))).values()
    assert problem is not None
    assert named in problem


def test_a_log_that_cannot_be_replayed_is_found(path: Path) -> None:
    log = played(rules_of("six-card", holes=2))
    gap = [*log[:5], *log[12:40]]
    nonsense: list[Write] = [OpenTable("t2", b"{}"), AppendEvent("t2", 1, b"nonsense")]
    found = findings(path, *log_of(gap), *nonsense)
    assert found["table t1"] is not None
    assert "after event" in found["table t1"]
    assert found["table t2"] is not None


def test_a_damaged_file_raises(path: Path) -> None:
    record = record_of(rules_of("six-card"))
    findings(path, FinishMatch(result(record), b"".join(record)))
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 3 * 4096)
        file.write(b"\xff" * 4096)
    with closing(SqliteReads(path)) as reads, refused(StoreReason.DAMAGED):
        list(check_database(reads))
