"""``golfnet export``: it writes a stored record unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.cli.main import main
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import FinishMatch
from tests.storage.rows import match

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Golfnet

RECORD = '{"a":"ö"}\n{"b":2}\n'.encode()


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a database with one match, and one without any, in the current folder."""
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(tmp_path / "golf.db")
    store.write([FinishMatch(match(12), RECORD)])
    store.close()
    SqliteStore(tmp_path / "empty.db").close()


def test_a_record_is_written_to_the_terminal_or_to_a_file(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", "12", "--db", "golf.db"]) == 0
    assert capsysbinary.readouterr().out == RECORD
    assert main(["export", "m12", "--db", "golf.db", "-o", "out"]) == 0
    assert (tmp_path / "out").read_bytes() == RECORD


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("m1 --db golf.db", 1, "there is no finished match m1; the latest are: m12"),
        ("m1 --db empty.db", 1, "none yet"),
        ("m1 --db none.db", 2, "none.db"),
        ("m12 --db golf.db -o no/out", 2, "No such file"),
    ],
)
def test_an_impossible_export_is_reported(golfnet: Golfnet, words: str, status: int, said: str) -> None:
    ran = golfnet("export", *words.split())
    assert ran.status == status
    assert said in ran.err
