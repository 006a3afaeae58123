"""People on real ``nc``: matches of every rule set to their end, and bad input that spoils nothing."""

import time
from collections.abc import Callable, Iterator

import pytest

from golfnet.engine.variants import VARIANTS
from tests.e2e.service import PATIENCE, Service, Talk, service
from tests.e2e.terminal_player import TerminalPlayer

Needs = Callable[[str], str]


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service("--commands-per-second", "1000") as running:
        yield running


@pytest.fixture(params=["nc.openbsd", "nc.traditional"])
def nc(request: pytest.FixtureRequest, needs_tool: Needs, server: Service) -> Iterator[Callable[[], Talk]]:
    path = needs_tool(request.param)
    talks: list[Talk] = []

    def connect() -> Talk:
        talks.append(Talk(path, "127.0.0.1", str(server.port)))
        return talks[-1]

    yield connect
    for talk in talks:
        talk.close()


def table_of(person: TerminalPlayer, created: str) -> str:
    return person.talk.say(f"create {created}", r"^\* (t\d+), ").group(1).decode()


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_people_play_a_whole_match(nc: Callable[[], Talk], variant: str) -> None:
    ann, bob = TerminalPlayer(nc(), "ann"), TerminalPlayer(nc(), "bob")
    ann.arrive()
    bob.arrive()
    table = table_of(ann, f"{variant} seats=2 clock=off")
    bob.talk.say(f"join {table}", r"^= You are at table .* seat B\.")
    over: set[str] = set()
    deadline = time.monotonic() + PATIENCE
    while len(over) < 2:
        assert time.monotonic() < deadline, (ann.talk.output[-1500:], bob.talk.output[-1500:])
        for person in (ann, bob):
            if person.step():
                over.add(person.name)
        time.sleep(0.002)  # real programs in real time: give them the processor
    for person in (ann, bob):
        person.talk.say("leave", r"^= ")
        person.talk.say("quit", r"^! ")


def test_bad_input_at_the_table_is_answered_in_one_line_and_play_continues(nc: Callable[[], Talk]) -> None:
    ann, bob = TerminalPlayer(nc(), "ann"), TerminalPlayer(nc(), "bob")
    ann.arrive()
    bob.arrive()
    table = table_of(ann, "four-turn seats=2 clock=off")
    bob.talk.say(f"join {table}", r"^= You are at table")
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


def test_taking_from_an_empty_pile_is_refused(nc: Callable[[], Talk]) -> None:
    ann, bob = TerminalPlayer(nc(), "ann"), TerminalPlayer(nc(), "bob")
    ann.arrive()
    bob.arrive()
    table = table_of(ann, "cactus seats=2 clock=off")
    bob.talk.say(f"join {table}", r"^= You are at table")
    bob.talk.send("ready")
    ann.talk.say("ready", r"^\* Look at")
    bob.talk.say("peek 3 4", r"^\* ")
    ann.talk.say("peek 3 4", r"^\* It is your turn")
    ann.talk.say("take", r"^\? NOTHING_TO_TAKE .*draw")


def test_lines_that_come_with_the_end_of_the_input_are_answered(needs_tool: Needs, server: Service) -> None:
    talk = Talk(needs_tool("nc.openbsd"), "-N", "127.0.0.1", str(server.port))
    talk.send(b"variants\nversion")
    talk.end()
    output = talk.rest()
    talk.close()
    assert b"- six-card " in output
    assert b"= golfnet " in output


def test_nothing_but_text_reaches_the_plain_port(nc: Callable[[], Talk]) -> None:
    ann = TerminalPlayer(nc(), "ann")
    ann.arrive()
    ann.talk.say("create six-card seats=2", r"^\* t\d+")
    ann.talk.say("bot easy", r"^\* Turn up")
    ann.talk.say("flip 1 2", r"\n")
    ann.talk.say("help", r"^- Topics")
    output = ann.talk.drain()
    assert not {byte for byte in output if (byte < 0x20 and byte not in b"\r\n") or byte in (0x7F, 0xFF)}
    assert output.count(b"\n") == output.count(b"\r\n")
    output[: output.rfind(b"\n")].decode()
