"""What a table is to be, out of what its host typed."""

from typing import Any

import pytest

from golfnet.protocol.errors import Code, Refused
from golfnet.rulesets import catalogue
from golfnet.server.config import Config
from golfnet.server.context.setup import is_same, named_rules, plan

CATALOGUE = catalogue()
SIX = CATALOGUE["six-card"]


def planned(**options: str) -> Any:
    return plan(Config(clock=60, pause=15), SIX, options)


def test_without_options_all_is_as_the_rule_set_and_the_server_say() -> None:
    rules, setup = planned()
    assert rules == SIX
    assert (setup.clock, setup.pause, setup.starts_when_full, setup.lock) == (60, 15, False, None)


def test_seats_are_the_most_that_may_sit_down_and_make_the_table_start_when_full() -> None:
    rules, setup = planned(seats="3")
    assert (rules.seats.low, rules.seats.high) == (2, 3)
    assert setup.starts_when_full


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("off", 0), ("None", 0), ("45", 45), ("3600", 3600)])
def test_clocks_are_seconds_or_off(text: str, seconds: int) -> None:
    assert planned(clock=text)[1].clock == planned(pause=text)[1].pause == seconds


@pytest.mark.parametrize("text", ["3601", "-1", "1.5", "soon", "", "1m", "9" * 400, "\uff16\uff10"])
@pytest.mark.parametrize("option", ["clock", "pause"])
def test_other_times_are_refused_with_the_bound(option: str, text: str) -> None:
    with pytest.raises(Refused) as refused:
        planned(**{option: text})
    assert refused.value.code is Code.BAD_OPTION
    assert option in refused.value.message
    assert "3600" in refused.value.message


@pytest.mark.parametrize("text", ["1", "9", "x", "", "2-3", "-2", "9" * 400, "\uff12", "\u0663"])
def test_seats_out_of_bounds_are_refused_with_the_bounds(text: str) -> None:
    with pytest.raises(Refused, match=r"2 to 8") as refused:
        planned(seats=text)
    assert refused.value.code is Code.BAD_OPTION
    assert refused.value.message.endswith(f"not {text}.")


def test_a_name_is_clean_and_short_enough_for_a_list() -> None:
    assert planned(name="\x1b[31mFun\u202e " + "x" * 80)[1].name == ("Fun " + "x" * 80)[:40]


def test_a_password_is_never_shown() -> None:
    assert "sesame" not in repr(planned(password="sesame")[1])


@pytest.mark.parametrize("name", ["six-card", "SIX-CARD", "Six-Card"])
def test_rule_sets_have_names_in_any_case(name: str) -> None:
    assert named_rules(CATALOGUE, name) is SIX


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused, match="four-turn, cactus") as refused:
        named_rules(CATALOGUE, "poker\x1b[2J")
    assert "\x1b" not in refused.value.message


def test_games_are_the_same_whatever_their_words_and_their_seats() -> None:
    three, two = planned(seats="3")[0], planned(seats="2")[0]
    assert is_same(three, two)
    assert not is_same(planned(holes="18")[0], SIX)
    assert not is_same(CATALOGUE["multiples"], SIX)
