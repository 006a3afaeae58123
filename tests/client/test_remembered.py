"""The file of tokens: its owner's only, whole or old, and never in the way."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from golfnet_client.remembered import RECENT, Remembered, state_directory


def test_tokens_are_for_the_owner_only(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "golfnet")
    kept.keep_player("a:1", "Ann", "secret")
    file = tmp_path / "golfnet" / "client.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert Remembered(tmp_path / "golfnet").player("a:1") == ("Ann", "secret")
    assert [path.name for path in file.parent.iterdir()] == ["client.json"], "nothing temporary is left"


def test_servers_of_late_come_first_and_are_few(tmp_path: Path) -> None:
    kept = Remembered(tmp_path)
    for number in range(RECENT + 3):
        kept.visited(f"host{number}:1")
    kept.visited("host5:1")
    assert kept.recent[0] == "host5:1"
    assert len(kept.recent) == RECENT


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"players": 3, "recent": "x"}'])
def test_a_spoilt_file_is_begun_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / "client.json").write_text(text)
    kept = Remembered(tmp_path)
    assert kept.player("a:1") == ("", "")
    assert kept.recent == []
    kept.keep_player("a:1", "Ann", "secret")
    assert Remembered(tmp_path).player("a:1") == ("Ann", "secret")


def test_a_place_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = Remembered(tmp_path / "file" / "below")
    kept.keep_player("a:1", "Ann", "secret")
    assert kept.player("a:1") == ("Ann", "secret")


def test_the_place_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory() == tmp_path / "golfnet"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert state_directory() == Path.home() / ".local" / "state" / "golfnet"
