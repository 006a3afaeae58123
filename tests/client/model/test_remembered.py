"""The token file: readable by its owner only, written whole or not at all, and never required."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from golfnet.connect import AUTHORITY, Untrusted
from golfnet.protocol.address import Address
from golfnet_client.model.remembered import LONGEST_LINE, NAMES, RECENT, TYPED, Remembered
from tests.storage.conftest import full_disk


def test_only_the_owner_can_read_the_token_file(tmp_path: Path) -> None:
    kept = Remembered(tmp_path / "golfnet")
    kept.keep_player("a:1", "Ann", "secret")
    file = tmp_path / "golfnet" / "client.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert Remembered(tmp_path / "golfnet").player("a:1") == ("Ann", "secret")
    left = sorted(path.name for path in file.parent.iterdir())
    assert left == ["client.json", "client.lock"], "no temporary file is left"


def test_a_full_disk_leaves_the_old_file_and_no_temporary_one(tmp_path: Path) -> None:
    kept = Remembered(tmp_path)
    kept.keep_player("a:1", "Ann", "secret")
    with full_disk():
        kept.keep_settings(theme="light", felt="blue", bell=None)
        assert (kept.setting("theme", ("light",)), kept.setting("felt", ("blue",))) == ("light", "blue")
        kept.visited("b:1")
    assert kept.recent == ["b:1"], "for this run"
    assert kept.setting("felt", ("blue",)) == "blue", (
        "an earlier change is not lost when the file is read again"
    )
    later = Remembered(tmp_path)
    assert later.player("a:1") == ("Ann", "secret")
    assert later.recent == []
    kept.keep_welcomed()
    later = Remembered(tmp_path)
    assert (later.recent, later.welcomed) == (["b:1"], True), "stored once there is room again"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["client.json", "client.lock"]


def test_each_name_at_a_server_has_its_own_token_and_two_open_windows_lose_nothing(tmp_path: Path) -> None:
    one, two = Remembered(tmp_path), Remembered(tmp_path)
    one.keep_player("a:1", "dan", "of dan")
    two.keep_player("a:1", "eva", "of eva")
    one.visited("b:1")
    kept = Remembered(tmp_path)
    assert kept.recent == ["b:1"]
    assert kept.player("a:1", "dan") == ("dan", "of dan")
    assert kept.player("a:1", "eva") == ("eva", "of eva")
    assert kept.player("a:1", "fay") == ("fay", "")
    assert kept.player("a:1") == ("eva", "of eva"), "the latest, if no name is given"
    kept.keep_player("a:1", "dan", "")
    assert kept.player("a:1") == ("dan", ""), "a token that is no longer valid is forgotten"
    for number in range(NAMES):
        kept.keep_player("a:1", f"name{number}", "x")
    assert kept.player("a:1", "eva") == ("eva", "")


def test_a_second_window_does_not_log_in_with_a_name_that_the_first_uses(tmp_path: Path) -> None:
    first = Remembered(tmp_path)
    first.keep_player("a:1", "eva", "of eva")
    first.keep_player("a:1", "dan", "of dan")
    code = (
        "import sys; from pathlib import Path; from golfnet_client.model.remembered import Remembered;"
        "kept = Remembered(Path(sys.argv[1])); print(kept.hold('a:1', 'dan'), kept.player('a:1', 'dan')[1],"
        "*kept.player('a:1'), *kept.player('b:1'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "of", "dan"], "this process is using both names"
    assert first.hold("a:1", "dan"), "the process that holds a name keeps it"


def test_lessons_settings_typed_lines_and_recent_servers_are_kept_up_to_a_limit(tmp_path: Path) -> None:
    kept = Remembered(tmp_path)
    assert (kept.taught, kept.welcomed, kept.typed) == (frozenset(), False, [])
    kept.keep_taught("cactus")
    kept.keep_taught("six-card")
    kept.keep_welcomed()
    kept.keep_settings(felt="blue")
    for number in range(TYPED + 5):
        kept.keep_typed(f"seek six-card seats={number}")
    kept.keep_typed("x" * (LONGEST_LINE + 1))
    for number in range(RECENT + 3):
        kept.visited(f"host{number}:1")
    kept.visited("host5:1")
    kept = Remembered(tmp_path)
    assert kept.taught == {"cactus", "six-card"}
    assert kept.welcomed
    assert kept.setting("felt", ("green", "blue")) == "blue"
    assert kept.setting("felt", ("green",)) == "", "a value that is no longer known is forgotten"
    assert kept.setting("theme", ("dark",)) == ""
    assert len(kept.typed) == TYPED
    assert kept.typed[-1] == f"seek six-card seats={TYPED + 4}"
    assert kept.recent[0] == "host5:1", "the latest comes first"
    assert len(kept.recent) == RECENT


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"players": 3, "recent": "x", "fingerprints": {"a:1": 7}}']
)
def test_a_corrupt_file_is_replaced(text: str, tmp_path: Path) -> None:
    (tmp_path / "client.json").write_text(text)
    kept = Remembered(tmp_path)
    assert kept.player("a:1") == ("", "")
    assert kept.recent == []
    assert kept.trust("a:1").known == ""
    kept.keep_player("a:1", "Ann", "secret")
    assert Remembered(tmp_path).player("a:1") == ("Ann", "secret")


def test_without_a_home_directory_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("golfnet_client.model.remembered.state_folder", lambda: Path(os.devnull) / "golfnet")
    kept = Remembered()
    kept.keep_player("a:1", "Ann", "secret")
    assert kept.hold("a:1", "Ann")
    assert kept.player("a:1") == ("Ann", "secret"), "for this run"
    assert Remembered().player("a:1") == ("", "")


STRANGER = Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "")


def test_trust_is_remembered_and_a_token_is_used_only_at_the_server_that_issued_it(tmp_path: Path) -> None:
    """Another server may have the same address, for instance a private address on another network."""
    (tmp_path / "client.json").write_text(
        '{"players": {"a:1": {"name": "Ann", "token": "of one"}}, "fingerprints": {"a:1": "key:1"}}'
    )
    Remembered(tmp_path).accept("a:1", STRANGER)
    kept = Remembered(tmp_path)
    assert kept.trust("a:1").known == "key:2"
    assert kept.player("a:1") == ("", "")
    kept.keep_player("a:1", "Bea", "of two")
    kept.accept("a:1", Untrusted(Address(host="golf", tls=True), "key:2", "key:1", ""))
    assert Remembered(tmp_path).player("a:1") == ("Ann", "of one")
    kept.accept("a:1", STRANGER)
    assert Remembered(tmp_path).player("a:1") == ("Bea", "of two")
    Remembered(tmp_path).trust("a:1").learn(AUTHORITY)
    assert [Remembered(tmp_path).trust(server).known for server in ("a:1", "b:1")] == [AUTHORITY, ""]
