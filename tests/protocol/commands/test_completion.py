"""Completions start with what was typed, name only what exists, and lead to valid lines."""

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.completion import Context, complete
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.commands.specs import Kind
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import LEVELS
from golfnet.protocol.replies.replies import offer_of

LOBBY = Context(
    names={Kind.VARIANT: ("six-card", "cactus"), Kind.TABLE: ("t1", "t12"), Kind.PLAYER: ("Ann", "Bob")}
)
TURN = Context(
    names={Kind.PLAYER: ("Ann", "Bob"), Kind.SEAT: "AB"},
    offer=offer_of(("draw", "take 1", "take 2", "knock", "switch", "slam"), ("1", "2", "B2")),
    seated=True,
)


def texts(line: str, context: Context) -> list[str]:
    return list(complete(line, context))


def test_commands_are_offered_where_they_are_useful_with_possible_actions_first() -> None:
    assert texts("", TURN)[:6] == ["draw", "take 1", "take 2", "knock", "switch ", "slam "]
    assert texts("t", TURN)[:2] == ["take 1", "take 2"]
    assert "swap" not in texts("sw", TURN), "it cannot be used now"
    assert texts("take ", LOBBY) == []
    assert {"create ", "join "} <= set(texts("", LOBBY))
    assert not {"create ", "join "} & set(texts("", TURN))
    assert {"ready", "kick "} <= set(texts("", TURN))
    assert not {"ready", "kick "} & set(texts("", LOBBY))
    assert not {"hello ", "pong", "hand"} & set(texts("", TURN))


def test_verbs_come_with_a_summary_and_option_values_with_a_meaning() -> None:
    assert complete("dr", TURN)["draw"] == COMMANDS["draw"].summary
    assert complete("tab", LOBBY) == {"tables": COMMANDS["tables"].summary}
    assert complete("create cactus slam=", LOBBY)["slam=race"] == "the fastest claim first"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("take ", ["1", "2"]),
        ("t ", ["1", "2"]),
        ("slam b", ["B2"]),
        ("switch ", ["1", "2", "B2"]),
        ("switch 1 ", ["2", "B2"]),
        ("switch 1 b2 ", []),
        ("kick ", ["A", "B", "Ann", "Bob"]),
        ("kick a", ["A", "Ann"]),
        ("host ", ["A", "B", "Ann", "Bob"]),
        ("tell a", ["Ann"]),
        ("mute Bob ", ["on", "off"]),
    ],
)
def test_arguments_are_completed_at_a_table(line: str, offered: list[str]) -> None:
    assert texts(line, TURN) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("join ", ["t1", "t12"]),
        ("join t1 ", ["password=", "wait="]),
        ("create ", ["six-card", "cactus"]),
        ("create cactus ho", ["holes="]),
        ("create cactus holes=3 ho", []),
        ("create cactus holes=3 clo", ["clock="]),
        ("create cactus slam=", ["slam=off", "slam=race", "slam=order", "slam=lot"]),
        ("create cactus lock=", ["lock=on", "lock=off"]),
        ("create cactus clock=6", ["clock=60"]),
        ("create cactus holes=", []),
        ("record ", []),
        ("bot ", list(LEVELS)),
        ("set st", ["style"]),
        ("set style ", ["art", "plain", "speech"]),
        ("set bell ", ["on", "off"]),
        ("set width ", []),
        ("help coming", ["coming-back"]),
        ("xyzzy ", []),
    ],
)
def test_arguments_are_completed_in_the_lobby(line: str, offered: list[str]) -> None:
    assert texts(line, replace(LOBBY, seated=line.startswith("bot"))) == offered


VERBS = st.builds(
    "{} {}".format, st.sampled_from(list(COMMANDS)), st.text(st.sampled_from("abct1= "), max_size=6)
)


@given(
    st.text(st.sampled_from("abcdehjklmnoprstuw ABt1=-_!'\""), max_size=20) | VERBS,
    st.sampled_from([LOBBY, TURN]),
)
def test_a_completion_starts_with_the_last_word_that_was_typed(line: str, context: Context) -> None:
    typed = line.rpartition(" ")[2]
    for offer in complete(line, context):
        assert offer.lower().startswith(typed.lower())
        assert offer != typed


@pytest.mark.parametrize("context", [LOBBY, TURN])
def test_completed_lines_are_valid_at_once_or_word_by_word(context: Context) -> None:
    for offer in texts("", context):
        assert offer.endswith(" ") or parse(offer, machine=False).verb == offer.split(" ")[0]
    for verb in COMMANDS:
        line = f"{verb} "
        for _ in range(4):
            offers = [offer for offer in complete(line, context) if "=" not in offer]
            if not offers:
                break
            line += f"{offers[0].rstrip()} "
            try:
                assert parse(line, machine=False).verb == verb
            except Refused as refused:
                assert refused.code is Code.BAD_ARGUMENT, "another word is needed"  # noqa: PT017
