from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from golfnet.cli.main import main
from golfnet.storage.records import MAX_LINE
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch, MatchResult, SeatKind, SeatResult
from tests.storage.matches import record_of, rules_of
from tests.storage.rows import match

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path, record: Path) -> Path:
    path = tmp_path / "golf.db"
    store = SqliteStore(path)
    store.write([FinishMatch(result(1), record.read_bytes())])
    store.close()
    return path


def result(number: int) -> MatchResult:
    names, totals, places = ("Ann", "Bör", "Cy"), (56, 79, 57), (1, 3, 2)
    seats = [
        SeatResult(player=None, name=name, kind=SeatKind.GUEST, total=total, place=place, rank=place)
        for name, total, place in zip(names, totals, places, strict=True)
    ]
    return match(number, *seats, rated=False)


def tampered(record: Path) -> Path:
    lines = record.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"drew"' in line)
    lines[at] = lines[at].replace(b'"stock":', b'"stock":1')
    bad = record.with_name("bad.jsonl")
    bad.write_bytes(b"".join(lines))
    return bad


def test_a_valid_record_is_accepted(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(record)]) == 0
    assert capsys.readouterr().out == (
        f"{record}: verified. m1, six-card, 2 holes: 1. Ann 56, 2. Cy 57, 3. Bör 79\n"
        f"{record}: hole 1: dealt without the sealed text of B (Bör)\n"
    )


def test_a_record_is_read_from_standard_input(
    record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record.read_bytes())))
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out.startswith("standard input: verified.")


def test_a_changed_record_is_reported_with_line_and_field(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tampered(record)
    assert main(["verify", str(record), str(bad)]) == 1
    good, *_, wrong = capsys.readouterr().out.splitlines()
    assert "verified" in good
    assert wrong.startswith(f"{bad}: WRONG at line ")
    assert ", stock: expected 32, found 132" in wrong


def test_an_abandoned_match_has_a_valid_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(record_of(rules_of("six-card", holes=2), abandon_after=5)))
    assert main(["verify", str(path)]) == 0
    assert "0 holes, ended early: 1. Ann 0, 1. Bör 0, 1. Cy 0" in capsys.readouterr().out


def test_the_report_on_a_record_without_a_digest_says_what_is_unchecked(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = record.read_bytes()
    record.write_bytes(text[: text.index(b',"digest"')] + b"}\n")
    assert main(["verify", str(record)]) == 0
    assert "no digest" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x00", b"x" * 10 * MAX_LINE, b"{}\n", b"not a record\n"])
def test_a_file_that_is_not_a_record_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert main(["verify", str(path)]) == 1
    assert "line 1" in capsys.readouterr().out


def test_a_valid_database_is_accepted(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--db", str(database)]) == 0
    assert capsys.readouterr().out == f"{database}: verified 1, failed 0 (matches and open tables)\n"


def test_a_database_with_an_invalid_record_is_refused(
    database: Path, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = SqliteStore(database)
    store.write([FinishMatch(result(2), tampered(record).read_bytes())])
    store.close()
    assert main(["verify", "--db", str(database)]) == 1
    wrong, count = capsys.readouterr().out.splitlines()
    assert wrong.startswith("match m2: WRONG at line ")
    assert count.endswith("verified 1, failed 1 (matches and open tables)")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["none"], "No such file"), ([], "--db"), (["--db", "none.db"], "none.db")],
    ids=["no such file", "nothing to verify", "no such database"],
)
def test_what_cannot_be_read_is_an_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_damaged_database_is_wrong(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database.write_bytes(b"junk" * 5000)
    assert main(["verify", "--db", str(database)]) == 1
    assert "damaged" in capsys.readouterr().err


def test_the_help_says_what_is_not_proven(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    assert "Nothing proves that nobody looked" in " ".join(capsys.readouterr().out.split())
