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


@pytest.mark.parametrize("name", ["m12", "12"])
def test_a_record_is_written_to_the_terminal(
    database: Path, name: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", name, "--db", str(database)]) == 0
    assert capsysbinary.readouterr().out == RECORD


def test_a_record_is_written_to_a_file(database: Path, tmp_path: Path) -> None:
    assert main(["export", "m12", "--db", str(database), "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == RECORD


def test_a_match_that_is_not_there(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "m1", "--db", str(database)]) == 1
    assert "there is no finished match m1; the latest are: m12" in capsys.readouterr().err


def test_an_empty_database_has_no_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SqliteStore(tmp_path / "golf.db").close()
    assert main(["export", "m1", "--db", str(tmp_path / "golf.db")]) == 1
    assert "none yet" in capsys.readouterr().err


def test_a_database_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "m1", "--db", str(tmp_path / "golf.db")]) == 2
    assert "golf.db" in capsys.readouterr().err


def test_a_file_that_cannot_be_written(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "m12", "--db", str(database), "-o", str(tmp_path / "no" / "out")]) == 2
    assert "No such file" in capsys.readouterr().err
