"""Programs that play by themselves at many nodes and remember every line; one thread reads and replies for all.

Invariants: each line is read at once and then gets its timestamp, so timestamps give the order of arrival; a connection
that a player has left is still read until it closes.
"""

from __future__ import annotations

import contextlib
import random
import selectors
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tests.e2e.cluster.nodes import LEASE
from tests.e2e.service import PATIENCE
from tests.server.house import choose_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.e2e.cluster.nodes import Node

PACE: Final = 0.03
"""Seconds between a prompt and a player's answer: many play at once on few cores."""

SILENT: Final = 0.6
"""Seconds of silence after which a player looks at its table."""

AGAIN: Final = 0.2
"""Seconds until a refused command or connection is retried."""

LAST: Final = 12
"""How many objects a message shows."""

ENTERING: Final = ("name ", "resume ")

PLAYING: Final = frozenset(
    {"peek", "flip", "draw", "take", "swap", "discard", "knock", "pass", "switch", "decline", "slam", "give"}
)
"""Commands that may carry ``at=SEQ``."""


class Told(NamedTuple):
    """One object, and when it arrived."""

    at: float
    said: dict[str, Any]


class Crowd:
    """The players of a test, and the thread that plays for them."""

    def __init__(self, doors: Callable[[], Sequence[Node]], seed: int) -> None:
        self.doors = doors
        self.chance = random.Random(seed)
        self.changed = threading.Condition(threading.RLock())
        """Held while anything is read or sent; notified after that."""
        self.selector = selectors.DefaultSelector()
        self.players: list[Player] = []
        self.connections: list[Connection] = []
        self.fault: BaseException | None = None
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="crowd", daemon=True)
        self._thread.start()

    def player(self, name: str, door: Node, errand: str, *, is_patient: bool = False) -> Player:
        """Have a new player log in at a node and run an errand: open a table, or join one."""
        with self.changed:
            player = Player(self, name, door, errand)
            player.is_patient = is_patient
            self.players.append(player)
            player.connect(door)
        return player

    def until(self, condition: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + patience
        with self.changed:
            while not condition():
                if self.fault is not None:
                    raise AssertionError("the crowd has stopped") from self.fault
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"{what}: did not happen in {patience} s; {self._state()}")
                self.changed.wait(min(left, 0.1))

    def leave(self) -> None:
        """Have all players leave their tables and disconnect; stop the thread."""
        with self.changed:
            for player in self.players:
                player.retire()
            open_now = [player for player in self.players if player.connection is not None]
        with contextlib.suppress(AssertionError):
            self.until(lambda: all(player.has_left for player in open_now), "leaving", 2)
        self.close()

    def close(self) -> None:
        """Disconnect and stop the thread; repeating this is harmless."""
        if self._is_over:
            return
        self._is_over = True
        self._thread.join()
        for connection in self.connections:
            connection.close()
        self.selector.close()

    def _state(self) -> str:
        now = time.monotonic()
        return "".join([f"\n{player.state(now)}" for player in self.players])

    def _run(self) -> None:
        try:
            while not self._is_over:
                ready = self.selector.select(0.02)
                with self.changed:
                    now = time.monotonic()
                    for key, _ in ready:
                        key.data.read(now)
                    for player in self.players:
                        player.tick(now)
                    self.changed.notify_all()
        except BaseException as fault:
            self.fault = fault
            raise


class Connection:
    """One connection of a player, and everything received on it."""

    def __init__(self, player: Player, door: Node, sock: socket.socket) -> None:
        self.player = player
        self.door = door
        self.sock = sock
        self.opened = self.heard = time.monotonic()
        self.ended: float | None = None
        self.told: list[Told] = []
        self.judged = 0
        """How many of these the judges have seen."""
        self._rest = b""
        player.crowd.selector.register(sock, selectors.EVENT_READ, self)

    def send(self, text: str) -> None:
        """Send lines, if that is still possible."""
        with contextlib.suppress(OSError):
            self.sock.send(text.encode())

    def read(self, now: float) -> None:
        """Read what is available."""
        if self.ended is not None:
            return
        try:
            data = self.sock.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            self.ended = now
            self.player.hung_up(self, now)
            return
        self.heard = now
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"{"):
                said = msgspec.json.decode(line)
                self.told.append(Told(now, said))
                self.player.hear(self, said, now)

    def reset(self) -> None:
        """Disconnect so that pending commands are dropped; they would be executed after an ordinary close."""
        if self.ended is None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close()

    def close(self) -> None:
        """Disconnect."""
        if self.ended is None:
            self.ended = time.monotonic()
            self.player.crowd.selector.unregister(self.sock)
            self.sock.close()


class Player:
    """A program that answers each prompt with one of the lines it offers, and reconnects with its token."""

    def __init__(self, crowd: Crowd, name: str, home: Node, errand: str) -> None:
        self.crowd = crowd
        self.name = name
        self.home = home
        self.patience = 5.0 + 5 * LEASE
        """Seconds of silence after which it tries another node."""
        self.token = ""
        self.table = ""
        self.connection: Connection | None = None
        self.faults: list[str] = []
        self.has_left = self.is_retired = False
        self.is_patient = False
        """Whether it ignores prompts while others are still on their way to its table."""
        self.codes: dict[str, int] = {}
        """How often each command was refused, by code."""
        self._errand = errand
        self._id = 0
        self._waiting: dict[int, str] = {}
        self._sent: tuple[int, str] | None = None
        """A play command that has not been answered yet, and its id."""
        self._offer: dict[str, Any] | None = None
        self._act_at = self._look_at = 0.0
        self._again_at: float | None = None
        """When to look again after a refusal."""
        self._connect_at: float | None = None

    @property
    def _enters(self) -> bool:
        """Whether it is still logging in."""
        return any([line.startswith(ENTERING) for line in self._waiting.values()])

    def connect(self, door: Node) -> None:
        """Connect to a node; the previous connection stays open, and is still read.

        A connection that is still logging in is reset: its command, if executed late, would take over from the new one.
        """
        self._connect_at = None
        if self.connection is not None and self._enters:
            self.connection.reset()
            self.connection = None
        try:
            sock = socket.create_connection(("127.0.0.1", door.port), 1)
        except OSError:
            self._connect_at = time.monotonic() + AGAIN
            self.home = door
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.home = door
        self.connection = Connection(self, door, sock)
        self.crowd.connections.append(self.connection)
        self._waiting.clear()
        self._offer = None
        self.connection.send("hello 1\n")
        self._ask(f"resume {self.token}" if self.token else f"name {self.name}")

    def go_to(self, door: Node) -> None:
        """Continue at another node; callable from any thread."""
        with self.crowd.changed:
            self.connect(door)

    def retire(self) -> None:
        """Leave the table, and stop playing."""
        self.is_retired = True
        self._ask("leave")

    def hung_up(self, connection: Connection, now: float) -> None:
        """Reconnect if the current connection has closed."""
        if connection is self.connection:
            self.connection = None
            if self.is_retired:
                self.has_left = True
            else:
                self._connect_at = now

    def hear(self, connection: Connection, said: dict[str, Any], now: float) -> None:
        """Handle one object, if it came over the current connection."""
        if connection is not self.connection:
            return
        match said["type"]:
            case "ok" | "error" if "id" in said:
                self._answered(said, now)
            case "view" if said["you"]:
                if self.table not in ("", said["table"]):
                    self._fault(f"{self.name} at {self.table} was shown {said['table']}")
                self.table = said["table"]
                if self._sent is not None and self._sent[0] not in self._waiting:
                    self._resend()
                else:
                    self._offered(said, now)
            case "prompt":
                self._offered(said, now)
            case "bye" if said["code"] in ("TAKEN_OVER", "KICKED", "FLOOD"):
                self._fault(f"{self.name} was told {said}")

    def tick(self, now: float) -> None:
        """Do what is due."""
        if self.is_retired:
            return
        if self.connection is None:
            if self._connect_at is not None and now >= self._connect_at:
                self.connect(self._next_door())
            return
        silent = now - self.connection.heard
        if silent > self.patience:
            self.connect(self._next_door())
        elif self._offer is not None and self._sent is None and now >= self._act_at and not self.is_patient:
            self._act()
        elif now >= (
            max(self.connection.heard + SILENT, self._look_at) if self._again_at is None else self._again_at
        ):
            self._look_at, self._again_at = now + SILENT, None
            if self.table:
                self._ask("look")
            elif self.token and self._errand not in self._waiting.values():
                self._ask(self._errand)

    def state(self, now: float) -> str:
        """Return the player's state, for the message of a test that times out."""
        waits = f"waits for {self._waiting}, sent {self._sent}, has a prompt: {self._offer is not None}"
        refused = f"was refused {self.codes}"
        if self.connection is None:
            return f"{self.name} of {self.table} has no connection; {waits}; {refused}"
        told, door = self.connection.told, self.connection.door.name
        since = f"for {now - self.connection.opened:.1f} s, heard {now - self.connection.heard:.1f} s ago"
        last = "; ".join([f"{now - at:.2f} s ago {_short(said)}" for at, said in told[-LAST:]])
        return f"{self.name} of {self.table} is at {door} {since}; {waits}; {refused}; was told: {last}"

    def _next_door(self) -> Node:
        doors = [door for door in self.crowd.doors() if door is not self.home]
        return self.crowd.chance.choice(doors) if doors else self.home

    def _ask(self, line: str) -> int:
        self._id = self._id % 999_999_999 + 1
        self._waiting[self._id] = line
        if self.connection is not None:
            self.connection.send(f"{self._id} {line}\n")
        return self._id

    def _offered(self, said: dict[str, Any], now: float) -> None:
        self._offer = said if said["actions"] else None
        self._act_at = now + PACE

    def _act(self) -> None:
        assert self._offer is not None
        line = choose_line(self._offer, self.crowd.chance)
        if line.partition(" ")[0] in PLAYING:
            line = f"{line} at={self._offer['seq']}"
        self._offer = None
        self._sent = self._ask(line), line

    def _fault(self, what: str) -> None:
        """Record something that must not happen, with the objects received just before."""
        assert self.connection is not None
        before = [_short(each.said) for each in self.connection.told[-LAST:]]
        self.faults.append(f"{what} (at {self.connection.door.name}; before: {', '.join(before)})")

    def _resend(self) -> None:
        """Send again what was sent before the connection closed; if it was executed, it is stale by now."""
        assert self._sent is not None
        _, line = self._sent
        self._sent = self._ask(line), line

    def _answered(self, said: dict[str, Any], now: float) -> None:
        if said["id"] not in self._waiting:
            return
        if said["id"] != (first := next(iter(self._waiting))):
            self._fault(f"{self.name}: {first} {self._waiting[first]} was not answered before {said}")
        line = self._waiting.pop(said["id"])
        verb = line.partition(" ")[0]
        if self._sent is not None and said["id"] == self._sent[0]:
            self._sent = None
        if said["type"] == "error":
            self._refused(verb, said, now)
        elif verb in ("name", "resume"):
            self.token = said.get("token", self.token)
            if self.table and "table" not in said:
                self._fault(f"{self.name} has lost its seat at {self.table}")
            self.table = said.get("table", "")
            if not self.table:
                self._ask(self._errand)
        elif verb == "leave":
            self.has_left = True
        else:
            self.table = said.get("table", self.table)

    def _refused(self, verb: str, said: dict[str, Any], now: float) -> None:
        key = f"{verb} {said['code']}"
        self.codes[key] = self.codes.get(key, 0) + 1
        if verb == "leave":
            self.has_left = True
        elif said["code"] in ("BAD_TOKEN", "NOT_SEATED") or (verb == "resume" and not said["retry"]):
            self._fault(f"{self.name} was refused {verb}: {said}")
        elif verb in ("name", "resume") and self.connection is not None:
            self.connection.close()
            self.connection, self._connect_at = None, now + AGAIN
        else:
            self._again_at = now + AGAIN


def _short(said: dict[str, Any]) -> str:
    """Return a short form of an object."""
    names = ("type", "id", "event", "name", "seat", "code", "cause", "seq", "actions", "key")
    return " ".join([f"{said[name]}" for name in names if said.get(name) is not None])
