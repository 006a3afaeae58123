import argparse
from pathlib import Path

import pytest

from golfnet.cli.config import admin_socket, database, settings_of, written
from golfnet.cli.main import command_line
from golfnet.engine.variants import dump
from golfnet.server.config import SETTINGS, Config
from tests.cli.conftest import Golfnet


def parsed(*words: str) -> argparse.Namespace:
    return command_line(("serve",)).parse_args(["serve", *words])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_every_setting_has_a_flag(home: None) -> None:
    switches = [setting for setting in SETTINGS.values() if setting.kind is bool]
    turned_off = parsed(*[setting.flag.replace("--", "--no-", 1) for setting in switches])
    assert not any(getattr(turned_off, setting.name) is not False for setting in switches)
    words: list[str] = []
    expected: dict[str, object] = dict.fromkeys([setting.name for setting in switches], True)
    for setting in SETTINGS.values():
        values = [setting.choices[-1] if setting.choices else "5"] * len(setting.stands_for.split())
        words += [setting.flag] if setting.kind is bool else [setting.flag, *values]
        if setting.kind is not bool:
            expected[setting.name] = values if setting.kind is tuple else setting.kind(values[0])
    given = parsed(*words)
    assert {name: getattr(given, name) for name in SETTINGS} == expected


def test_flags_override_the_file_and_the_file_overrides_the_defaults(
    home: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".config" / "golfnet" / "golfnet.toml"
    file.parent.mkdir(parents=True)
    file.write_text("clock = 30\npause = 5\nlan = true\n")
    config, given = settings_of(parsed("--clock", "40", "--no-lan"))
    assert (config.clock, config.pause, config.lan, config.grace) == (40, 5, False, 120)
    assert given == {"clock": 40, "pause": 5, "lan": False}
    elsewhere = tmp_path / "other.toml"
    elsewhere.write_text("clock = 50\n")
    assert settings_of(parsed("--config", str(elsewhere)))[1] == {"clock": 50}
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_of(parsed())[1] == {}


def test_a_servers_files_are_next_to_its_database(home: None, tmp_path: Path) -> None:
    assert database(Config()) == tmp_path / ".local/state/golfnet/golfnet.db"
    assert admin_socket(Config(db="/srv/golf.db")) == Path("/srv/golf.admin")
    assert admin_socket(Config(memory=True)) is None
    assert admin_socket(Config(memory=True, admin_socket="/run/x")) == Path("/run/x")


def test_config_prints_a_file_with_the_settings_in_effect(
    golfnet: Golfnet, home: None, tmp_path: Path
) -> None:
    assert golfnet("config").out == f"{written({})}\n"
    printed = golfnet("config", "--clock", 30, "--lan").out
    assert [line for line in printed.splitlines() if line and line[0] != "#"] == ["lan = true", "clock = 30"]
    (tmp_path / "again.toml").write_text(printed)
    assert golfnet("config", "--config", tmp_path / "again.toml") == (0, printed, "")


def test_the_example_file_states_the_real_defaults() -> None:
    example = Path(__file__).parents[2] / "deploy" / "golfnet.toml"
    config, given = settings_of(parsed("--config", str(example)))
    defaults = Config()
    stated = {name for name in given if SETTINGS[name].group in ("Limits", "Clocks")}
    assert {"connections", "names_per_hour", "tables", "outbox", "name_time", "grace"} <= stated
    for name in stated:
        assert getattr(config, name) == getattr(defaults, name), f"{name} = {dump(getattr(defaults, name))}"
