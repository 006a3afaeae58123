"""People on real ``nc``, who read the hints and type what they suggest: whole matches, and the end of the input."""

import contextlib
import re
import time
from collections.abc import Iterator
from random import Random

import pytest

from tests.e2e.service import PATIENCE, Needs, Service, Talk, service


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service("--commands-per-second", "1000") as running:
        yield running


HINTS = ("* You ", "* Look at ", "* Turn up ")
"""How hints begin; other lines that begin in the same way suggest nothing."""

SUGGESTED = re.compile(r"(?<=\()[a-z][\w ]*|(?<=type )peek \d \d")
"""What a hint suggests to type: the short forms in parentheses, or the command itself if it has none."""


def play(*people: Talk) -> None:
    """Type what the hints suggest, but never slam, until everybody has been told that the match is over."""
    chance, over, read = Random(1), set[Talk](), dict.fromkeys(people, 0)
    deadline = time.monotonic() + PATIENCE
    while len(over) < len(people):
        assert time.monotonic() < deadline, [person.output[-1500:] for person in people]
        for person in people:
            lines, newline, _ = person.drain()[read[person] :].rpartition(b"\n")
            read[person] += len(lines + newline)
            for line in lines.decode().splitlines():
                if line.startswith("? CONFIRM Knock"):
                    person.send("k")
                    continue
                # A command may come too late if another player acts at the same moment.
                assert not line.startswith("?") or line.startswith("? BAD_PHASE"), line
                if "match is over" in line:
                    over.add(person)
                elif line.startswith(HINTS) and (suggested := SUGGESTED.findall(line)):
                    person.send("p" if "p" in suggested else chance.choice(suggested))
        time.sleep(0.002)  # the programs run in real time, so leave them the processor


@pytest.mark.parametrize(
    ("kind", "rules"), [("nc.openbsd", "six-card"), ("nc.traditional", "cactus slam_window=20")]
)
def test_two_people_play_a_whole_match_and_get_nothing_but_text(
    needs_tool: Needs, server: Service, kind: str, rules: str
) -> None:
    command = (needs_tool(kind), "127.0.0.1", str(server.port))
    with contextlib.closing(Talk(*command)) as ann, contextlib.closing(Talk(*command)) as bob:
        for name, person in (("ann", ann), ("bob", bob)):
            person.wait_for(r"^! golfnet")
            person.say("set width 200", r"^= Width")  # keeps each hint on one line
            person.say(f"name {name}-{kind[3:]}", r"^= You are ")
        table = ann.say(f"create {rules} seats=2 clock=off turn_cap=4", r"^\* (t\d+), ").group(1).decode()
        bob.say(f"join {table}", r"^= You are at table .* seat B\.")
        play(ann, bob)
        for person in (ann, bob):
            person.say("leave", r"^= ")
            person.say("quit", r"^! ")
            output = person.drain()
            assert not re.search(rb"[^\x20-\x7e\x80-\xfe\r\n]", output)
            assert output.count(b"\n") == output.count(b"\r\n")
            output[: output.rfind(b"\n")].decode()


def test_lines_just_before_the_end_of_the_input_are_answered(needs_tool: Needs, server: Service) -> None:
    with contextlib.closing(Talk(needs_tool("nc.openbsd"), "-N", "127.0.0.1", str(server.port))) as talk:
        talk.send(b"variants\nversion")
        talk.end()
        output = talk.rest()
    assert b"- six-card " in output
    assert b"= golfnet " in output
