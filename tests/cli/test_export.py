from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.cli.main import main
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.storage.rows import match

if TYPE_CHECKING:
    from pathlib import Path

RECORD = '{"a":"ö"}\n{"b":2}\n'.encode()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "golf.db"
    store = SqliteStore(path)
    store.write([FinishMatch(match(12), RECORD)])
    store.close()
    return path


def test_a_record_is_written_to_the_terminal_or_to_a_file(
    database: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", "12", "--db", str(database)]) == 0
    assert capsysbinary.readouterr().out == RECORD
    assert main(["export", "m12", "--db", str(database), "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == RECORD


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("m1 --db golf.db", 1, "there is no finished match m1; the latest are: m12"),
        ("m1 --db empty.db", 1, "none yet"),
        ("m1 --db none.db", 2, "none.db"),
        ("m12 --db golf.db -o no/out", 2, "No such file"),
    ],
    ids=["another match", "no match", "no database", "no folder"],
)
def test_an_impossible_export_is_reported(
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    status: int,
    said: str,
) -> None:
    monkeypatch.chdir(database.parent)
    SqliteStore(database.with_name("empty.db")).close()
    assert main(["export", *words.split()]) == status
    assert said in capsys.readouterr().err
