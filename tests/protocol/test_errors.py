"""The registry of codes: every reason for a refusal has a code and a meaning of its own."""

import pytest

from golfnet.engine.errors import IllegalAction, Refusal, RuleError
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LineFault
from tests.engine.phases import turn


@pytest.mark.parametrize("reason", [*Refusal, *LineFault])
def test_every_refusal_of_the_engine_and_the_line_reader_has_a_code(reason: Refusal | LineFault) -> None:
    assert Code(reason.value).value == reason.value


@pytest.mark.parametrize("code", Code)
def test_a_code_equals_its_name_and_has_a_one_sentence_meaning(code: Code) -> None:
    assert code.value == code.name == str(code)
    assert code.meaning[0].isupper()
    assert code.meaning.endswith(".")
    assert len(f"{code} {code.meaning}") <= 100


def test_no_two_codes_share_a_meaning() -> None:
    assert len({code.meaning for code in Code}) == len(Code)


@pytest.mark.parametrize(
    ("problem", "code", "sentence"),
    [
        (IllegalAction(Refusal.LOCKED, "Slot 2 is locked."), Code.LOCKED, "Slot 2 is locked."),
        (
            RuleError("holes", "a number from 1 to 99, not 0"),
            *(Code.BAD_OPTION, "holes: a number from 1 to 99, not 0."),
        ),
    ],
)
def test_a_refusal_by_the_rules_keeps_its_code_and_message(
    problem: IllegalAction | RuleError, code: Code, sentence: str
) -> None:
    refused = Refused.by_rules(problem)
    assert (refused.code, refused.message, str(refused)) == (code, sentence, sentence)
    assert (refused.wait_ms, refused.id) == (None, None)


def test_refusals_name_the_players_if_their_names_are_known() -> None:
    played = turn()
    with pytest.raises(IllegalAction) as refused:
        played.plays("B draw")
    assert Refused.by_rules(refused.value).sentence == "It is A's turn."
    named = Refused.by_rules(refused.value, ("Ann", "Ben"))
    assert (named.message, named.sentence) == ("It is A's turn.", "It is Ann's turn.")
