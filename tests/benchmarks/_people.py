"""People in a load: text mode in each style, who play by what they are told they can do, watch, or talk.

A person chooses by chance with the same odds as a program (``_load.Player``), so that both play the same matches. One
who speaks telnet has agreed to window sizes, and gets the objects of GMCP beside the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.benchmarks._load import Peer, Player, Talker

if TYPE_CHECKING:
    import random
    import socket

    from tests.benchmarks._load import Crowd

TELNET: Final = b"\xff\xfb\x1f\xff\xfd\xc9\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"
"""WILL NAWS, DO GMCP, and a window of 80 columns by 24 lines."""

_HEADING: Final = re.compile(rb"^\* (?:Table )?(t[0-9]+), ")
_SLOTS: Final = range(1, 7)
"""The slots of a six-card layout, which people play here."""


class Person(Player):
    """A person at golfnet: chooses a style, gives a name, sits down, and does at random what a hint names."""

    def __init__(
        self, sock: socket.socket, number: int, chance: random.Random, style: str, *, telnet: bool = False
    ) -> None:
        self._style = style
        self._is_telnet = telnet
        self._hint = b""
        super().__init__(sock, number, chance, name=f"{style}{'t' * telnet}")

    def greet(self, name: str) -> None:
        """Choose a style, and give a name."""
        if self._is_telnet:
            self.sock.send(TELNET)
        self.ask(f"set style {self._style}\nset talk full\nname {name}".encode())

    def hear(self, line: bytes) -> None:
        """Look for the few lines that count here."""
        if line.startswith(b"* You can ") or line.startswith(b"* Turn up "):
            self._hint = line
            self._consider()
        elif not self.is_named and b"= You are " in line:  # behind an object, over telnet
            self.is_named = True
        elif line.startswith(b"? BAD_SLOT "):  # "a slot" may be 1 or 2 alone
            self.ask(b"pass")
        elif line.startswith(b"? ") and b"BAD_PHASE" not in line:
            self.refusals.append(line)
        elif not self.is_seated and (heading := _HEADING.match(line)):
            self.is_seated = True
            self.table = heading[1].decode()

    def act(self) -> bool:
        """Do one of the things that the last hint names; tell whether there was any."""
        hint, self._hint = self._hint, b""
        if not hint or not self._plays:
            return False
        self.done += 1
        self.ask(self._choice(hint).encode())
        return True

    def _choice(self, hint: bytes) -> str:
        chance = self.chance
        if b"Turn up" in hint:
            return "flip {} {}".format(*chance.sample(_SLOTS, 2))
        if b"draw" in hint:
            return chance.choice(["draw", *[f"take {slot}" for slot in _SLOTS]])
        if b"swap" in hint:
            return chance.choice(["discard", *[f"swap {slot}" for slot in _SLOTS]])
        if b"flip" in hint:
            return chance.choice(["pass", *[f"flip {slot}" for slot in _flippable(hint)]])
        return next(word for word in ("ready", "rematch", "start") if word.encode() in hint)

    def _consider(self) -> None:
        if self._hint and self._plays:
            if self.queue is None:
                self.act()
            else:
                self.queue.append(self)


def _flippable(hint: bytes) -> list[int]:
    """Return the slots that a hint names: ``flip 2, 3 or 5 (f 2) or pass (p)``, or all."""
    named = [int(slot) for slot in re.findall(rb"[0-9]", hint.partition(b"(")[0].partition(b"flip")[2])]
    return named or [*_SLOTS]


class Watcher(Peer):
    """A person who watches a table in a style, and never types again."""

    is_watching = False

    def __init__(self, sock: socket.socket, number: int, style: str, table: str) -> None:
        super().__init__(sock, number)
        self.send(f"set style {style}\nname watcher{number}\nwatch {table}\n".encode())

    def take(self, data: bytes) -> None:
        """Read and forget."""
        self.is_watching = self.is_watching or b"You are watching" in data


class PersonTalker(Talker):
    """A person in table talk."""

    speaks = b"say hello to all of you\r\n"

    def hear(self, line: bytes) -> None:
        """Count what is said, not what is said of it."""
        if line.startswith(b"> "):
            super().hear(line)


def people(
    crowd: Crowd, count: int, style: str, chance: random.Random, *, telnet: bool = False
) -> list[Person]:
    """Return people with names."""
    return crowd.settle(
        count,
        lambda sock, number: Person(sock, number, chance, style, telnet=telnet),
        lambda each: each.is_named,
    )
