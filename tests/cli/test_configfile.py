from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.cli.config import line_of, parse, written
from golfnet.cli.output import Failed
from golfnet.engine.variants import dump
from golfnet.server.config import SETTINGS, Setting

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
