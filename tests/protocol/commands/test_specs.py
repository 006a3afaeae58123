"""What can be said about one command, and how its usage line is written."""

from __future__ import annotations

import pytest

from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, Kind, Parameter, Where, usage


def spec(
    *parameters: Parameter, group: Group = Group.LOBBY, options: tuple[CommandOption, ...] = ()
) -> CommandSpec:
    return CommandSpec(
        verb="do",
        group=group,
        where=Where.ANYWHERE,
        summary="do something",
        parameters=parameters,
        options=options,
    )


SLOT = Parameter(name="slot", kind=Kind.SLOT)
SECRET = Parameter(name="password", kind=Kind.WORD, asked=True, secret=True)


@pytest.mark.parametrize(
    ("parameters", "text", "machine"),
    [
        ((), "do", "do"),
        ((SLOT,), "do SLOT", "do SLOT"),
        ((Parameter(name="slot", kind=Kind.SLOT, optional=True),), "do [SLOT]", "do [SLOT]"),
        (
            (Parameter(name="slots", kind=Kind.SLOT, label="SLOT", repeated=True),),
            "do SLOT ...",
            "do SLOT ...",
        ),
        ((SECRET,), "do [PASSWORD]", "do PASSWORD"),
    ],
)
def test_usage_shows_what_may_be_left_out_in_each_mode(
    parameters: tuple[Parameter, ...], text: str, machine: str
) -> None:
    assert usage(spec(*parameters)) == text
    assert usage(spec(*parameters), machine=True) == machine


def test_usage_shows_options_by_name() -> None:
    assert usage(spec(SLOT, options=(CommandOption(name="clock", label="SECONDS", meaning="how long"),))) == (
        "do SLOT [clock=SECONDS]"
    )


def test_only_play_takes_at_and_so_an_option() -> None:
    assert spec(group=Group.PLAY).takes_at
    assert spec(group=Group.PLAY).takes_options
    assert not spec().takes_at
    assert not spec().takes_options


def test_the_rest_of_a_line_can_only_come_last() -> None:
    assert spec(SLOT, Parameter(name="text", kind=Kind.TEXT, rest=True)).takes_rest
    assert not spec(SLOT).takes_rest
    assert not spec().takes_rest
