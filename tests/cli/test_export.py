"""``golfnet export``: it writes a stored record unchanged."""

from pathlib import Path

import pytest

from golfnet.cli.main import main
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.storage.conftest import full_disk
from tests.storage.rows import match

RECORD = '{"a":"ö"}\n{"b":2}\n'.encode()


def test_a_record_is_written_to_the_terminal_or_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(tmp_path / "golf.db")
    store.write([FinishMatch(match(12), RECORD)])
    store.close()
    assert main(["export", "12", "--db", "golf.db"]) == 0
    assert capsysbinary.readouterr().out == RECORD
    assert main(["export", "m12", "--db", "golf.db", "-o", "out"]) == 0
    assert (tmp_path / "out").read_bytes() == RECORD
    assert main(["backup", "--db", "golf.db", "copy.db"]) == 0  # a copy is read without creating files
    with full_disk():
        assert main(["export", "m12", "--db", "copy.db", "-o", "cut-off"]) == 2
    assert b"cut-off: File too large" in capsysbinary.readouterr().err
    assert not (tmp_path / "cut-off").exists()
