"""People on real ``nc``, who read the hints and type what they suggest: whole matches, and the end of the input."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.e2e.service import PATIENCE, Service, Talk, service

Needs = Callable[[str], str]


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service("--commands-per-second", "1000") as running:
        yield running


_numbers = count(1)


class TerminalPlayer:
    """Plays over ``nc`` in text mode; ``turns`` counts its turns and selects the slot it uses."""

    def __init__(self, talk: Talk, name: str) -> None:
        self.talk = talk
        self.name = f"{name}-{next(_numbers)}"  # names stay taken while their players may reconnect
        self.turns = 0
        self.is_ready = False
        self._read = 0

    def arrive(self) -> None:
        """Read the greeting and give a name; set a width that keeps each hint on one line."""
        self.talk.wait_for(r"^! golfnet")
        self.talk.say("set width 200", r"^= Width")
        self.talk.say(f"name {self.name}", rf"^= You are {self.name}\.")

    def step(self) -> bool:
        """Answer every hint since the last call; return whether the match has ended."""
        lines = self.talk.drain()[self._read :]
        end = lines.rfind(b"\n") + 1
        self._read += end
        for line in lines[:end].decode().splitlines():
            if line.startswith("?"):
                raise AssertionError(f"{self.name} was refused: {line}")
            if "match is over" in line:
                return True
            answer = self._answer(line)
            if answer is not None:
                self.talk.send(answer)
        return False

    def _answer(self, line: str) -> str | None:
        if line.startswith("* Hole "):
            self.is_ready = False
        if line.startswith("* Look at"):
            return "peek 3 4" if "peek 3 4" in line else "peek 1 2"
        if line.startswith("* Turn up two"):
            return "flip 1 2"
        if not line.startswith("* You"):
            return None
        if "decline" in line:
            return "decline"
        if "can type ready" in line and not self.is_ready:
            self.is_ready = True
            return "ready"
        if "can draw" in line:
            self.turns += 1
            return "knock" if "knock" in line and self.turns % 4 == 0 else "draw"
        if "must swap" in line or ("swap" in line and "discard" in line):
            return f"swap {self._slot(line)}"
        if "give" in line and "must" in line:
            return "give 1"
        if "slam" in line and "pass" in line:
            return "pass"
        return None

    def _slot(self, line: str) -> int:
        numbers = re.search(r"swap ([\d, or]+)", line)
        slots = [int(number) for number in re.findall(r"\d+", numbers.group(1))] if numbers else []
        if slots:
            return slots[0]
        return 1 + self.turns % 4 if "SLOT" in line and self.turns < 99 else 1


@pytest.mark.parametrize(("kind", "variant"), [("nc.openbsd", "six-card"), ("nc.traditional", "cactus")])
def test_two_people_play_a_whole_match_and_get_nothing_but_text(
    needs_tool: Needs, server: Service, kind: str, variant: str
) -> None:
    command = (needs_tool(kind), "127.0.0.1", str(server.port))
    with contextlib.closing(Talk(*command)) as one, contextlib.closing(Talk(*command)) as other:
        ann, bob = people = [TerminalPlayer(one, "ann"), TerminalPlayer(other, "bob")]
        for person in people:
            person.arrive()
        table = one.say(f"create {variant} seats=2 clock=off", r"^\* (t\d+), ").group(1).decode()
        other.say(f"join {table}", r"^= You are at table .* seat B\.")
        play(ann, bob)
        for person in people:
            person.talk.say("leave", r"^= ")
            person.talk.say("quit", r"^! ")
            output = person.talk.drain()
            assert not {
                byte for byte in output if (byte < 0x20 and byte not in b"\r\n") or byte in (0x7F, 0xFF)
            }
            assert output.count(b"\n") == output.count(b"\r\n")
            output[: output.rfind(b"\n")].decode()


def play(*people: TerminalPlayer) -> None:
    """Play until everybody has been told that the match is over."""
    over: set[str] = set()
    deadline = time.monotonic() + PATIENCE
    while len(over) < 2:
        assert time.monotonic() < deadline, [person.talk.output[-1500:] for person in people]
        over |= {person.name for person in people if person.step()}
        time.sleep(0.002)  # the programs run in real time, so leave them the processor


def test_lines_just_before_the_end_of_the_input_are_answered(needs_tool: Needs, server: Service) -> None:
    talk = Talk(needs_tool("nc.openbsd"), "-N", "127.0.0.1", str(server.port))
    talk.send(b"variants\nversion")
    talk.end()
    output = talk.rest()
    talk.close()
    assert b"- six-card " in output
    assert b"= golfnet " in output
