"""Settings from files and flags: which are accepted, and how the others are reported."""

import argparse
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given, strategies as st

from golfnet.cli.config import admin_socket, database, database_file, line_of, parse, settings_of, written
from golfnet.cli.main import command_line
from golfnet.cli.output import Failed
from golfnet.engine.variants import dump
from golfnet.server.config import SETTINGS, Config, Setting
from tests.cli.conftest import Golfnet


def parsed(*words: str) -> argparse.Namespace:
    return command_line(("serve",)).parse_args(["serve", *words])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_every_setting_has_a_flag() -> None:
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


def test_flags_override_files_and_these_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_tilde_in_a_path_is_the_home_folder_wherever_the_path_comes_from(tmp_path: Path) -> None:
    (tmp_path / "golf.toml").write_text(
        'db = "~/golf.db"\ncluster_tls = ["~/a", "b", "/c~"]\nlan_name = "~"\n'
    )
    from_file = {"db": f"{tmp_path}/golf.db", "cluster_tls": (f"{tmp_path}/a", "b", "/c~"), "lan_name": "~"}
    with pytest.raises(Failed, match="cluster_tls"):
        settings_of(parsed("--config=~/golf.toml"))
    assert parse((tmp_path / "golf.toml").read_text()) == from_file
    assert settings_of(parsed("--db=~/golf.db", "--rules-folder=~"))[1] == {
        "db": f"{tmp_path}/golf.db",
        "rules_folder": str(tmp_path),
    }
    assert database_file("~/golf.db") == tmp_path / "golf.db"


def test_a_servers_files_are_next_to_its_database(tmp_path: Path) -> None:
    assert database(Config()) == tmp_path / ".local/state/golfnet/golfnet.db"
    assert admin_socket(Config(db="/srv/golf.db")) == Path("/srv/golf.admin")
    assert admin_socket(Config(memory=True)) is None
    assert admin_socket(Config(memory=True, admin_socket="/run/x")) == Path("/run/x")


def test_config_prints_a_file_with_the_settings_in_effect(golfnet: Golfnet, tmp_path: Path) -> None:
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


TEXT = st.text(st.sampled_from("aÄ桜🂡\x00\x7f\u2028\n\t\"'\\#=[ "))


def values(setting: Setting) -> st.SearchStrategy[Any]:
    if setting.choices:
        return st.sampled_from(setting.choices)
    if setting.bounds is not None:
        low, high = setting.bounds
        return st.integers(int(low), int(high)) if setting.kind is int else st.floats(low, high)
    return {bool: st.booleans(), str: TEXT, tuple: st.lists(TEXT).map(tuple)}[setting.kind]


GIVEN = st.fixed_dictionaries({}, optional={s.name: values(s) for s in SETTINGS.values()})


@hypothesis.settings(max_examples=10)
@given(GIVEN)
def test_a_configuration_survives_being_written_and_read(settings: dict[str, Any]) -> None:
    assert parse(written(settings)) == settings


def test_a_written_file_has_every_setting_with_its_meaning_limits_and_default() -> None:
    text = written({})
    assert parse(text) == {}
    for setting in SETTINGS.values():
        meaning = setting.meaning[0].upper() + setting.meaning[1:]
        bounds = setting.takes[0].upper() + setting.takes[1:]
        default = dump(setting.default)
        assert f"# {meaning}.\n# {bounds}; default {default}.\n#{setting.name} = {default}" in text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("clock = 30\n\nprot = 7777", "line 3: prot: there is no such setting; did you mean port?"),
        ("telnet-port = 1", "line 1: telnet-port: there is no such setting; did you mean telnet_port?"),
        ("x = 1", "line 1: x: there is no such setting; to see all settings: golfnet config"),
        ("# port = 1\nport = 70000", "line 2: port: a whole number from -0 to 65 535, not 70000"),
        ("\n[server]\nport = 1", "line 2: server: there is no such setting"),
        ("[[ server ]]\nport = 1", "line 1: server: there is no such setting"),
        ("server.port = 1", "line 1: server: there is no such setting"),
        ('"lan" = "yes"', "line 1: lan: true or false, not 'yes'"),
        ('port = 1\nhost = "127', "line 2: Illegal character"),
        ("port = 1\nport = 2", "line 2: Cannot overwrite a value"),
        ("port = 1\nclock =", "line 2: Invalid value"),
        ("port = " + "9" * 5000, "line 1: expected whole numbers of at most 64 bits"),
        ("house_delay = 0x" + "f" * 5000, "line 1: expected whole numbers of at most 64 bits"),
        ("proxy_from = " + "[" * 20_000, "line 1: expected lists and tables nested at most 16 deep"),
        ("a." * 4_000 + "a = 1", "line 1: expected lists and tables nested at most 16 deep"),
    ],
)
def test_the_report_of_a_bad_line_names_the_line_and_the_setting(text: str, complaint: str) -> None:
    with pytest.raises(Failed) as caught:
        parse(text + "\n")
    assert str(caught.value).startswith(complaint.replace("-0", "0"))


def test_the_name_of_a_setting_inside_a_string_is_not_mistaken_for_the_setting() -> None:
    assert line_of("port", 'lan_name = "port = 1"\nport = 2\n') == 2
