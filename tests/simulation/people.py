"""The people of a world: what they have in common, those who type, and those who attack; programs are in ``players``.

Each has a separate random generator, so that one person's actions never change another's decisions. Thinking takes
virtual time. People who lose their connection reconnect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.simulation.network import Conditions, Line

if TYPE_CHECKING:
    from random import Random

    from tests.simulation.world import World


OPENED: Final = (
    "six-card seats=2 holes=1 clock=6 pause=1",
    "six-card seats=3 holes=1 clock=6 pause=1",
    "four-turn seats=2 holes=2 clock=5 pause=1",
    "cactus seats=2 holes=1 clock=6 pause=1 slam_window=1",
    "cactus seats=3 holes=1 clock=6 pause=1 slam=order slam_window=1",
    "multiples seats=2 holes=1 clock=6 pause=1 turn_cap=8",
    "four-card-knock seats=2 holes=1 clock=6 pause=1",
    "six-card-final seats=2 holes=1 clock=6 pause=1",
    "eight-card seats=2 holes=1 clock=6 pause=1",
    *2 * ("nine-card seats=5 decks=1 reshuffles=2 holes=1 clock=2 pause=1 fill=1 level=random",),
    "cactus seats=3 holes=1 clock=6 pause=1 slam_window=2 fill=2 level=easy",
)
SOUGHT: Final = ("six-card", "four-turn", "cactus")
"""What people play: every rule set, at tables that fill up soon, with windows, powers and reshuffles."""


class Person:
    """Somebody who connects to the servers, with one connection at a time."""

    is_telnet = False

    def __init__(self, world: World, name: str, chance: Random) -> None:
        self.world = world
        self.name = name
        self.chance = chance
        self.ways = Conditions()
        self.address = f"203.0.113.{1 + chance.randrange(3)}"
        self.line: Line | None = None
        self.has_gone = False
        """Whether this person has left for good."""
        self.is_asleep = False
        """Whether this person is connected but inactive."""

    def start(self) -> None:
        if self.has_gone or self.line is not None:
            return
        self.line = self.world.connect(self)
        if self.line is None:
            self._again()
            return
        self.world.note(self.name, "connects")
        self.connected(self.line)

    def send(self, *texts: str) -> None:
        if self.line is not None:
            for text in texts:
                self.world.note(self.name, f"> {text}")
            self.line.send("".join([f"{text}\n" for text in texts]).encode())

    def drop(self) -> None:
        if self.line is not None:
            line, self.line = self.line, None
            line.reset()
            self._again()

    def forget(self) -> None:
        """Abandon the connection without closing it, and reconnect."""
        if self.line is not None:
            self.line.was_cut = True
            self.line = None
            self._again()

    def connected(self, line: Line) -> None:
        """Handle a new connection."""

    def received(self, line: Line, data: bytes) -> None:
        """Handle bytes from the server."""

    def lost(self, line: Line) -> None:
        if line is self.line:
            self.line = None
            self.world.note(self.name, "is disconnected")
            self._again()

    def go_home(self) -> None:
        self.has_gone = True
        if self.line is not None:
            self.line.reset()
            self.line = None

    def _again(self) -> None:
        if not self.has_gone:
            self.world.after(self.chance.uniform(0.1, 2.0), self.start)


class Typist(Person):
    """A person at a keyboard, who types common commands, and checks nothing."""

    def __init__(self, world: World, name: str, chance: Random) -> None:
        super().__init__(world, name, chance)
        self.is_telnet = chance.random() < 0.3
        self.has_name = False
        self.token = ""

    def connected(self, line: Line) -> None:
        self.has_name = False
        self.world.after(self.chance.uniform(0.2, 1.0), lambda: self._type(line))

    def received(self, line: Line, data: bytes) -> None:
        if found := _TOKEN.search(data):
            self.token = found[1].decode()

    @property
    def _way_in(self) -> str:
        return f"resume {self.token}" if self.token else f"name {self.name}"

    def _type(self, line: Line) -> None:
        if line is not self.line or self.world.is_calm:
            return
        if not self.has_name:
            self.has_name = True
            self.send(self._way_in, f"join {self.chance.choice(list(self.world.board) or ['t1'])}")
        else:
            self.send(self.chance.choice(_TYPED))
        self.world.after(self.chance.uniform(0.1, 1.5), lambda: self._type(line))

    def wind_up(self) -> None:
        self.start()
        self.send(self._way_in, "leave", "leave")
        self.has_gone = True
        self.world.after(2.0, lambda: self.send("quit"))
        self.world.after(4.0, self.go_home)


_TOKEN: Final = re.compile(rb"resume ([A-Za-z0-9_-]{24})")

_TYPED: Final = (
    *("d", "1", "2", "3", "4", "draw", "discard", "take 1", "pass", "ready", "swap 2", "flip 3", "peek 1 2"),
    *("look", "hand", "top-card", "score", "help", "who", "tables", "set style speech", "set bell on"),
    *(
        "set width 60",
        "say hm",
        "stats",
        "history",
        "knock",
        "start",
        "seek six-card holes=1 fill=1",
        "leave",
    ),
)


class Stranger(Person):
    """An attacker, who sends invalid input as fast as the connection accepts it."""

    def connected(self, line: Line) -> None:
        self.world.after(0.1, lambda: self._harm(line))

    def _harm(self, line: Line) -> None:
        if line is not self.line or self.world.is_calm:
            return
        chance = self.chance
        match chance.randrange(9):
            case 0:
                line.send(chance.randbytes(chance.randrange(1, 300)))
            case 1:
                line.send(b"x" * chance.randrange(1000, 9000))
            case 2:
                line.send(b"p\n" * chance.randrange(10, 300))
            case 3:
                line.send(b"login Ann wrongwrong\n" + b"p\n" * chance.randrange(100))
            case 4:
                line.send(b"\xff\xfd\x01\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0" * chance.randrange(1, 90))
            case 5:
                line.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            case 6:
                line.reads = False
                line.send(f"hello 1\nname S{self.name}\n".encode() + b"help\ntables\nwho\nvariants\n" * 20)
            case 7:
                self.drop()
                return
            case _:
                line.send(f"1 hello 1\n2 name {self.name}\n3 watch t1\n4 who\n5 tables\n".encode())
        self.world.note(self.name, "does something harmful")
        self.world.after(chance.uniform(0.2, 2.0), lambda: self._harm(line))

    def wind_up(self) -> None:
        self.go_home()
