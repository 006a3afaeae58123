"""``golfnet verify``: which records are accepted, and how the first error in any other is reported."""

import io
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.cli.conftest import Golfnet
from tests.storage import matches
from tests.storage.matches import record_of, rules_of
from tests.storage.rows import match, seat


def store(database: Path, number: int, record: Path) -> None:
    names, totals, places = ("Ann", "Bör", "Cy"), (69, 59, 76), (2, 1, 3)
    seats = [
        replace(seat(None, place, total=total), name=name)
        for name, total, place in zip(names, totals, places, strict=True)
    ]
    opened = SqliteStore(database)
    opened.write([FinishMatch(match(number, *seats, rated=False), record.read_bytes())])
    opened.close()


def test_a_valid_record_is_accepted_from_a_file_or_standard_input(
    record: Path, golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = "m1, six-card, 2 holes: 1. Bör 59, 2. Ann 69, 3. Cy 76"
    unsealed = "hole 1: dealt without the sealed text of B (Bör)"
    expected = f"{record}: verified. {result}\n{record}: {unsealed}\n"
    assert golfnet("verify", record) == (0, expected, "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record.read_bytes())))
    assert golfnet("verify", "-") == (0, expected.replace(str(record), "standard input"), "")


def test_reports_say_if_a_match_ended_early_or_a_record_has_no_digest(record: Path, golfnet: Golfnet) -> None:
    text = record.read_bytes()
    record.write_bytes(text[: text.index(b',"digest"')] + b"}\n")
    assert "no digest" in golfnet("verify", record).out
    record.write_bytes(b"".join(record_of(rules_of("six-card", holes=2), abandon_after=5)))
    assert "0 holes, ended early: 1. Ann 0, 1. Bör 0, 1. Cy 0" in golfnet("verify", record).out


@pytest.mark.parametrize("name", ["", "x" * 21, "A\u200bnn"])
def test_a_record_with_a_name_that_no_server_accepts_is_invalid(
    name: str, tmp_path: Path, golfnet: Golfnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "NAMES", (name, "Bob", "Cy"))
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(matches.record_of(rules_of("six-card", holes=1), seed=1)))
    assert "WRONG at line 1, seats: expected names of 1 to 20 visible" in golfnet("verify", path).out


def test_a_database_is_accepted_if_all_its_records_are_valid(
    tmp_path: Path, record: Path, tampered: Path, golfnet: Golfnet
) -> None:
    database = tmp_path / "golf.db"
    store(database, 1, record)
    counted = f"{database}: verified 1, failed 0 (matches and open tables)\n"
    assert golfnet("verify", "--db", database) == (0, counted, "")
    store(database, 2, tampered)
    status, out, _ = golfnet("verify", "--db", database)
    wrong, count = out.splitlines()
    assert status == 1
    assert wrong.startswith("match m2: WRONG at line ")
    assert count.endswith("verified 1, failed 1 (matches and open tables)")
