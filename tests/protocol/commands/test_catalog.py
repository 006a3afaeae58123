"""Which command a first word means: whole verbs always, short forms and unique beginnings in text mode."""

from __future__ import annotations

import pytest

from golfnet.protocol.commands.catalog import COMMANDS, SHORT_FORMS, nearest, quoted, resolve, shortest
from golfnet.protocol.commands.specs import CommandSpec, Group, Where, usage
from golfnet.protocol.errors import Code, Refused

SPECS = list(COMMANDS.values())
every_command = pytest.mark.parametrize("spec", SPECS, ids=list(COMMANDS))


@every_command
def test_a_verb_or_its_shortest_form_stands_for_its_command_in_any_case(spec: CommandSpec) -> None:
    assert resolve(spec.verb, machine=False) is spec
    assert resolve(spec.verb.upper(), machine=not spec.text_only) is spec
    assert resolve(shortest(spec), machine=False) is spec


@every_command
def test_machine_mode_knows_whole_verbs_and_no_words_of_text_mode(spec: CommandSpec) -> None:
    for short in (*spec.short, spec.verb[:-1]):
        if short not in COMMANDS:
            with pytest.raises(Refused) as caught:
                resolve(short, machine=True)
            assert caught.value.code is Code.UNKNOWN_VERB
    if spec.text_only:
        with pytest.raises(Refused, match="look"):
            resolve(spec.verb, machine=True)


@every_command
def test_a_beginning_means_the_one_command_it_fits_or_is_refused_with_all_that_it_fits(
    spec: CommandSpec,
) -> None:
    for length in range(1, len(spec.verb)):
        beginning = spec.verb[:length]
        if beginning in COMMANDS or beginning in SHORT_FORMS:
            continue
        fitting = [other.verb for other in SPECS if other.abbreviated and other.verb.startswith(beginning)]
        if len(fitting) == 1:
            assert resolve(beginning, machine=False).verb == fitting[0]
        else:
            with pytest.raises(Refused) as caught:
                resolve(beginning, machine=False)
            assert caught.value.code is Code.UNKNOWN_VERB
            assert all(verb in caught.value.message for verb in fitting)


def test_short_forms_belong_to_one_command_each_and_hide_no_verb() -> None:
    listed = [short for spec in SPECS for short in spec.short]
    assert len(listed) == len(set(listed)) == len(SHORT_FORMS)
    assert not SHORT_FORMS.keys() & COMMANDS.keys()


def test_words_that_are_only_hinted_at_are_no_words_of_their_own() -> None:
    for spec in SPECS:
        for word in spec.instead:
            assert nearest(word) == spec.verb
            with pytest.raises(Refused, match=rf"Did you mean {spec.verb}\?"):
                resolve(word, machine=False)


SHORT = "d draw t take s swap x discard k knock p pass f flip g give ! slam l look r ready ? help ' say"


def test_the_words_of_play_are_short() -> None:
    words = [*SHORT.split(), "dr", "draw", "swi", "switch", "to", "top"]
    for short, verb in zip(words[::2], words[1::2], strict=True):
        assert resolve(short, machine=False).verb == verb


@pytest.mark.parametrize(
    ("typed", "verb"),
    [
        ("tkae", "take"),
        ("dicsard", "discard"),
        ("swich", "switch"),
        ("joinn", "join"),
        ("exit", "quit"),
        ("D", "draw"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_nearest_verb(typed: str, verb: str) -> None:
    with pytest.raises(Refused) as caught:
        resolve(typed, machine=True)
    assert caught.value.message == f"There is no command '{typed}'. Did you mean {verb}?"


def test_a_word_near_to_nothing_is_pointed_to_help() -> None:
    with pytest.raises(Refused, match="Type help"):
        resolve("zzyzx", machine=False)


def test_what_is_shown_back_is_short_and_without_control_characters() -> None:
    assert quoted("a\x1b[31mb\u202ec") == "'abc'"
    assert quoted("x" * 900) == f"'{'x' * 24}...'"


@every_command
def test_a_specification_holds_together(spec: CommandSpec) -> None:
    assert spec.summary
    assert not spec.summary.endswith(".")
    assert usage(spec).split(" ")[0] == spec.verb
    names = [parameter.name for parameter in spec.parameters]
    assert len(names) == len(set(names))
    for parameter in spec.parameters[:-1]:
        assert not parameter.rest
        assert not parameter.repeated
    optional = [parameter.optional for parameter in spec.parameters]
    assert optional == sorted(optional)
    assert not (spec.takes_rest and spec.takes_options)
    has_secrets = any([each.secret for each in spec.parameters] + [each.secret for each in spec.options])
    assert not (spec.frequent and has_secrets), "lines of frequent commands are kept"
    assert not (spec.is_chat and spec.where in (Where.ANYWHERE, Where.STRANGER, Where.UNSEATED)), (
        "who speaks?"
    )
    if spec.group is Group.PLAY:
        assert (spec.where, spec.changes, spec.takes_at) == (Where.SEATED, True, True)


def test_usage_shows_what_may_be_left_out() -> None:
    assert usage(COMMANDS["take"]) == "take [SLOT]"
    assert usage(COMMANDS["peek"]) == "peek POSITION ..."
    assert usage(COMMANDS["join"]) == "join TABLE [password=WORD] [wait=on|off]"
    assert usage(COMMANDS["login"]) == "login NAME [PASSWORD]"
    assert usage(COMMANDS["login"], machine=True) == "login NAME PASSWORD"
    assert usage(COMMANDS["slam"]) == "slam POSITION [#N]"
