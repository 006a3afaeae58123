"""A player at a terminal who reads the hints and types what they suggest, as a person would."""

import re
from itertools import count

from tests.e2e.service import Talk

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
