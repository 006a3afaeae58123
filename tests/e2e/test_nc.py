"""People on real ``nc``: whole matches, and bad input that does no harm."""

import contextlib
import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.service import PATIENCE, Service, Talk, service
from tests.e2e.terminal_player import TerminalPlayer

Needs = Callable[[str], str]


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service("--commands-per-second", "1000") as running:
        yield running


@pytest.fixture
def nc(needs_tool: Needs, server: Service) -> Iterator[Callable[..., Talk]]:
    with contextlib.ExitStack() as talks:

        def connect(kind: str) -> Talk:
            talk = Talk(needs_tool(kind), "127.0.0.1", str(server.port))
            return talks.enter_context(contextlib.closing(talk))

        yield connect


def two_at(nc: Callable[..., Talk], rules: str, kind: str) -> list[TerminalPlayer]:
    """Have Ann open a table for two and Bob join it."""
    ann, bob = people = [TerminalPlayer(nc(kind), name) for name in ("ann", "bob")]
    for person in people:
        person.arrive()
    table = ann.talk.say(f"create {rules} seats=2 clock=off", r"^\* (t\d+), ").group(1).decode()
    bob.talk.say(f"join {table}", r"^= You are at table .* seat B\.")
    return people


@pytest.mark.parametrize(("kind", "variant"), [("nc.openbsd", "six-card"), ("nc.traditional", "cactus")])
def test_two_people_play_a_whole_match_and_get_nothing_but_text(
    nc: Callable[..., Talk], kind: str, variant: str
) -> None:
    people = two_at(nc, variant, kind)
    over: set[str] = set()
    deadline = time.monotonic() + PATIENCE
    while len(over) < 2:
        assert time.monotonic() < deadline, [person.talk.output[-1500:] for person in people]
        over |= {person.name for person in people if person.step()}
        time.sleep(0.002)  # real programs in real time: give them the processor
    for person in people:
        person.talk.say("leave", r"^= ")
        person.talk.say("quit", r"^! ")
        output = person.talk.drain()
        assert not {byte for byte in output if (byte < 0x20 and byte not in b"\r\n") or byte in (0x7F, 0xFF)}
        assert output.count(b"\n") == output.count(b"\r\n")
        output[: output.rfind(b"\n")].decode()


def test_bad_input_at_the_table_is_answered_in_one_line_and_play_continues(nc: Callable[..., Talk]) -> None:
    ann, bob = two_at(nc, "four-turn", "nc.openbsd")
    ann.talk.send("ready")
    bob.talk.say("ready", r"^\* Look at")
    ann.talk.say("peek 1 2", r"^\? BAD_SLOT .*3 or 4")
    ann.talk.say("peek 3 4", r"^\* .*3")
    bob.talk.say("peek 3 4", r"^\* It is your turn")
    ann.talk.say("draw", r"^\? NOT_YOUR_TURN It is bob-\d+'s turn\.")
    bob.talk.say("swap 1", r"^\? BAD_PHASE ")
    bob.talk.say("frobnicate", r"^\? UNKNOWN_VERB ")
    bob.talk.say("take 9", r"^\? BAD_SLOT .*1, 2, 3 or 4")
    bob.talk.say("take", r"^\* You must swap")
    bob.talk.say("discard", r"^\? MUST_PLACE .*swap SLOT")
    bob.talk.say(b"x" * 100_000 + b"\n", r"^\? LINE_TOO_LONG ")
    bob.talk.say(b"say \xff\xfe\n", r"^\? BAD_ENCODING ")
    bob.talk.say("swap 1", r"^\* It is the turn of ann-\d+")
    ann.talk.say("draw", r"^\* You draw")
    ann.talk.say("discard", r"^\* You discard")
    bob.talk.say("take 1", r"^\? LOCKED .*2, 3 or 4")
    bob.talk.say("take 2", r"^\* .*slot 2")


def test_lines_just_before_the_end_of_the_input_are_answered(needs_tool: Needs, server: Service) -> None:
    talk = Talk(needs_tool("nc.openbsd"), "-N", "127.0.0.1", str(server.port))
    talk.send(b"variants\nversion")
    talk.end()
    output = talk.rest()
    talk.close()
    assert b"- six-card " in output
    assert b"= golfnet " in output
