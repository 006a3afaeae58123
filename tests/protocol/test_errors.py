"""Error codes: every reason for a refusal has a code with a distinct meaning."""

import pytest

from golfnet.engine.errors import IllegalAction, Refusal, RuleError
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LineFault
from tests.engine.scenes import in_phase


def test_every_refusal_of_the_engine_and_the_line_reader_has_a_code() -> None:
    assert {each.value for each in (*Refusal, *LineFault)} <= {*Code}


def test_a_code_equals_its_name_and_has_a_distinct_meaning_in_one_sentence() -> None:
    for code in Code:
        assert code.value == code.name == str(code)
        assert code.meaning[0].isupper()
        assert code.meaning.endswith(".")
        assert len(f"{code} {code.meaning}") <= 100
    assert len({code.meaning for code in Code}) == len(Code)


def test_the_refusal_of_rules_that_do_not_fit_names_the_option() -> None:
    refused = Refused.by_rules(RuleError("holes", "a number from 1 to 99, not 0"))
    assert (refused.code, str(refused)) == (Code.BAD_OPTION, "holes: a number from 1 to 99, not 0.")
    assert refused.wait_ms is None


def test_refusals_name_the_players_if_their_names_are_known() -> None:
    played = in_phase("turn")
    with pytest.raises(IllegalAction) as refused:
        played.plays("B draw")
    plain = Refused.by_rules(refused.value)
    assert (plain.code, plain.sentence) == (Code.NOT_YOUR_TURN, "It is A's turn.")
    named = Refused.by_rules(refused.value, ("Ann", "Ben"))
    assert (named.message, named.sentence) == ("It is A's turn.", "It is Ann's turn.")
    assert Refused.by_rules(refused.value, ("", "Ben")).sentence == "It is A's turn."
