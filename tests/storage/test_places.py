from pathlib import Path

import platformdirs
import pytest
from platformdirs.macos import MacOS

from golfnet.storage.places import default_database, default_settings, state_folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def _macos(monkeypatch: pytest.MonkeyPatch) -> None:
    system = MacOS("golfnet", False)
    monkeypatch.setattr(platformdirs, "user_state_path", lambda *_, **__: system.user_state_path)
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: system.user_config_path)


def test_linux_keeps_state_and_settings_in_the_usual_places(home: Path) -> None:
    assert default_database() == home / ".local/state/golfnet/golfnet.db"
    assert default_settings() == home / ".config/golfnet/golfnet.toml"


def test_the_places_follow_xdg(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".local/state/golfnet").mkdir(parents=True)
    monkeypatch.setenv("XDG_STATE_HOME", "/var/x")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/x")
    assert (state_folder(), default_settings()) == (
        Path("/var/x/golfnet"),
        Path("/etc/x/golfnet/golfnet.toml"),
    )
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert state_folder() == home / ".local/state/golfnet"


@pytest.mark.usefixtures("_macos")
def test_macos_has_its_own_places_and_still_finds_older_files(home: Path) -> None:
    assert default_database() == home / "Library/Application Support/golfnet/golfnet.db"
    assert default_settings() == home / "Library/Application Support/golfnet/golfnet.toml"
    (home / ".local/state/golfnet").mkdir(parents=True)
    assert default_database() == home / ".local/state/golfnet/golfnet.db"


def test_without_a_home_directory_there_is_no_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(platformdirs, "user_state_path", homeless)
    assert state_folder() == Path("/dev/null/golfnet")
