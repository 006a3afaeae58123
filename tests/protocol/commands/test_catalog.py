"""Which command the first word of a line means: full verbs always, short forms and unique prefixes in text mode."""

import pytest

from golfnet.protocol.commands.catalog import COMMANDS, SHORT_FORMS, quoted, resolve, shortest
from golfnet.protocol.commands.specs import Group, Where, usage
from golfnet.protocol.errors import Code, Refused

SPECS = list(COMMANDS.values())


def refusal(word: str, *, machine: bool) -> Refused:
    with pytest.raises(Refused) as caught:
        resolve(word, machine=machine)
    assert caught.value.code is Code.UNKNOWN_VERB
    return caught.value


def test_a_verb_or_its_short_form_names_its_command_in_upper_or_lower_case() -> None:
    for spec in SPECS:
        assert resolve(spec.verb, machine=False) is spec
        assert resolve(spec.verb.upper(), machine=not spec.text_only) is spec
        assert resolve(shortest(spec), machine=False) is spec


def test_machine_mode_accepts_no_short_forms_and_no_commands_of_text_mode_only() -> None:
    for spec in SPECS:
        for short in {*spec.short, spec.verb[:-1]} - COMMANDS.keys():
            refusal(short, machine=True)
        if spec.text_only:
            assert "look" in refusal(spec.verb, machine=True).message


def test_a_unique_prefix_means_its_verb_and_an_ambiguous_one_is_refused_with_all_verbs() -> None:
    beginnings = {spec.verb[:length] for spec in SPECS for length in range(1, len(spec.verb))}
    for beginning in beginnings - COMMANDS.keys() - SHORT_FORMS.keys():
        fitting = [other.verb for other in SPECS if other.abbreviated and other.verb.startswith(beginning)]
        if len(fitting) == 1:
            assert resolve(beginning, machine=False).verb == fitting[0]
        else:
            assert all(verb in refusal(beginning, machine=False).message for verb in fitting)


def test_words_that_people_type_instead_of_a_verb_are_refused_with_a_hint() -> None:
    for spec in SPECS:
        for word in spec.instead.split():
            assert f"Did you mean {spec.verb}?" in refusal(word, machine=False).message


@pytest.mark.parametrize(
    ("typed", "verb"),
    [("tkae", "take"), ("dicsard", "discard"), ("joinn", "join"), ("exit", "quit"), ("D", "draw")],
)
def test_a_mistyped_verb_is_refused_with_the_closest_one(typed: str, verb: str) -> None:
    said = refusal(typed, machine=True).message
    assert said == f"There is no command '{typed}'. Did you mean {verb}?"
    assert "Type help" in refusal("zzyzx", machine=False).message


def test_quoted_input_is_short_and_free_of_control_characters() -> None:
    assert quoted("a\x1b[31mb\u202ec") == "'abc'"
    assert quoted("x" * 900) == f"'{'x' * 24}...'"


def test_each_command_specification_is_consistent_and_no_short_form_is_taken_twice() -> None:
    listed = [short for spec in SPECS for short in spec.short]
    assert len(listed) == len(set(listed)) == len(SHORT_FORMS)
    assert not SHORT_FORMS.keys() & COMMANDS.keys()
    for spec in SPECS:
        assert spec.summary
        assert not spec.summary.endswith(".")
        assert usage(spec).split(" ")[0] == spec.verb
        names = [parameter.name for parameter in spec.parameters]
        assert len(names) == len(set(names))
        assert not any(parameter.rest or parameter.repeated for parameter in spec.parameters[:-1])
        optional = [parameter.optional for parameter in spec.parameters]
        assert optional == sorted(optional)
        assert not (spec.takes_options and any(parameter.rest for parameter in spec.parameters))
        has_secrets = any([each.secret for each in spec.parameters] + [each.secret for each in spec.options])
        assert not (spec.frequent and has_secrets), "the lines of frequent commands are cached"
        has_sender = spec.where not in (Where.ANYWHERE, Where.STRANGER, Where.UNSEATED)
        assert has_sender or not spec.is_chat, "a chat message needs a sender"
        if spec.group is Group.PLAY:
            assert (spec.where, spec.changes, spec.takes_at) == (Where.SEATED, True, True)


def test_usage_shows_that_a_password_is_optional_only_in_text_mode() -> None:
    assert usage(COMMANDS["login"]) == "login NAME [PASSWORD]"
    assert usage(COMMANDS["login"], machine=True) == "login NAME PASSWORD"
