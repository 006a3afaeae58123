"""Whole cactus matches by people who do anything at any time: slam at random, fall asleep, disconnect and come back.

They sit on a real server with real tables, only their sockets are left out, and live in virtual time. What must hold
whatever they do: the match ends, the table is never closed by a fault, something always happens next, the log folds
to the very state of the table, and the record of the match stands the check of a stranger.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from golfnet.engine import match as matches
from golfnet.engine.events import Committed
from golfnet.engine.match import Match
from golfnet.server.commands.dispatch import greet
from golfnet.storage.records import entries
from golfnet.storage.verification import verify
from tests.server.house import choose_line, open_house
from tests.server.null_transport import NullTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.server.commands.dispatch import Dispatcher
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table
    from golfnet.storage.writes import Write

CLOCK: Final = 10
GRACE: Final = 30
PATIENCE: Final = 3 * (CLOCK + GRACE)
"""Virtual seconds in which something has to happen at a table, whoever sleeps."""

SLACK: Final = 1.5
"""Virtual seconds after its time in which a window has closed: a decision, a slow disk, and some."""

LONGEST: Final = 20_000
"""Virtual seconds that a match may last."""


class _Line(NullTransport):
    """A connection without a socket."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.is_closed = False

    def write(self, data: bytes) -> None:
        """Keep what the server says."""
        self.written += data

    def close(self) -> None:
        """Be closed by the server."""
        self.is_closed = True


class RandomPlayer:
    """Somebody who plays badly; ``prompt`` is what it may do now."""

    def __init__(self, dispatcher: Dispatcher, name: str) -> None:
        self._dispatcher = dispatcher
        self.name = name
        self.token = ""
        self.prompt: dict[str, Any] | None = None
        self.has_left = False
        self._line = _Line()
        self._session: Session | None = None
        self._connect(f"name {name}")

    @property
    def is_here(self) -> bool:
        """Whether it has a connection."""
        return self._session is not None

    def say(self, line: str) -> dict[str, Any]:
        """Send a line, take in what comes of it, and return the answer; one that waits for the disk is ``later``."""
        assert self._session is not None
        self._session.receive(line.encode() + b"\n", trio.current_time())
        answers = [thing for thing in self.listen() if thing["type"] in ("ok", "error")]
        return answers[-1] if answers else {"type": "later"}

    def listen(self) -> list[dict[str, Any]]:
        """Take in what the server has said; answer its pings."""
        lines = bytes(self._line.written).splitlines()
        self._line.written.clear()
        things = [msgspec.json.decode(line) for line in lines if line.startswith(b"{")]
        for thing in things:
            if thing["type"] == "prompt":
                self.prompt = thing
            elif thing["type"] == "ping" and self._session is not None:
                self._session.receive(f"pong {thing['key']}\n".encode(), trio.current_time())
        return things

    def disconnect(self) -> None:
        """Lose the connection."""
        session, self._session, self.prompt = self._session, None, None
        if session is not None:
            session.lost("lost")

    def reconnect(self) -> None:
        """Connect again, to the same seat."""
        self._connect(f"resume {self.token}")

    def _connect(self, who: str) -> None:
        self._line = _Line()
        self._session = greet(self._dispatcher, self._line, telnet=False)
        self.say("hello 1")
        answer = self.say(who)
        assert answer["type"] != "error", answer
        self.token = answer.get("token", self.token)


class _SlowDisk:
    """A journal that reports late that writes are durable."""

    def __init__(self, lobby: Lobby, seconds: float) -> None:
        self._lobby = lobby
        self._log = lobby.gate._log
        self._seconds = seconds

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """Write at once, and call back later."""
        self._log.submit(writes, lambda: None)
        self._lobby.timers.after(self._seconds, then)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a match."""

    events: int
    slams: int
    seconds: float
    is_finished: bool


async def play_random_match(seed: int) -> Outcome:
    """Play one match to its end; raises ``AssertionError`` where something that must hold does not."""
    chance = random.Random(seed)
    seats, bots = chance.randint(2, 5), chance.choice((0, 0, 1))
    mode, holes = chance.choice(("race", "race", "order", "lot")), chance.choice((1, 1, 2))
    async with open_house(seed, grace=GRACE, house_delay=0.2) as house:
        lobby = house.lobby
        players = [RandomPlayer(house.dispatcher, f"heckler{n}") for n in range(max(1, seats - bots))]
        first, *others = players
        table = lobby.tables[
            first.say(f"create cactus slam={mode} holes={holes} clock={CLOCK} pause=5")["table"]
        ]
        for other in others:
            other.say(f"join {table.id}")
            other.say("ready")
        for _ in range(bots if others else 1):
            first.say("bot random")
        assert first.say("start")["type"] == "ok"
        if chance.random() < 0.3:
            lobby.gate._log = _SlowDisk(lobby, chance.uniform(0.001, 0.4))
        match = table.match.id
        await _play(lobby, table, players, chance)
        seconds = trio.current_time()
        slams = sum(lobby.tables.services.slams.results.values())
        if not table.is_closed:
            assert table.match.places is not None
            _check_replay(lobby, table)
        record = lobby.store.record(match)
        assert record is not None
        return Outcome(table.seq, slams, seconds, verify(record).finished)


async def _play(lobby: Lobby, table: Table, players: list[RandomPlayer], chance: random.Random) -> None:
    last_seq, last_time = table.seq, trio.current_time()
    open_window: object = None
    open_since = 0.0
    longest = table.rules.slam_window + SLACK
    while not table.is_closed and table.match.places is None:
        now = trio.current_time()
        assert now < LONGEST, "the match does not end"
        if table.seq != last_seq:
            last_seq, last_time = table.seq, now
        assert now - last_time < PATIENCE, f"nothing happens any more: {table.match.hole}"
        if _window(table) != open_window:
            open_window, open_since = _window(table), now
        assert open_window is None or now - open_since < longest, f"still open: {table.match.hole}"
        _act_at_random(chance.choice(players), table, chance)
        if chance.random() < 0.004:
            _check_replay(lobby, table)
        if chance.random() < 0.002:
            lobby.pause("the disk is full")
            await trio.sleep(chance.uniform(0, 5))
            lobby.go_on()
            open_window = None
        # Mostly as quick as people, now and then so long that clocks run out.
        if chance.random() < 0.97:
            await trio.sleep(chance.expovariate(4))
        else:
            await trio.sleep(chance.uniform(1, 3 * CLOCK))
            assert (
                _window(table) is None or _window(table) != open_window or trio.current_time() - now < longest
            )
        for player in players:
            player.listen()


def _window(table: Table) -> object:
    """Return what is open, None while it waits for a gift; a gift or a success gives it more time."""
    hole = table.hole
    if hole is None or hole.window is None or hole.gift is not None:
        return None
    return hole.deal.hole, hole.window.discard_no, hole.window.won


def _act_at_random(player: RandomPlayer, table: Table, chance: random.Random) -> None:
    """Do something at random for one player, or nothing."""
    dice = chance.random()
    if player.has_left:
        return
    if not player.is_here:
        if dice < 0.15:
            player.reconnect()
    elif dice < 0.01:
        player.disconnect()
    elif dice < 0.011:
        player.has_left = True
        player.say("leave")
        player.disconnect()
    elif dice < 0.03:
        player.say(chance.choice(("look", "slam log", "slam 1 #1", "slam 3 #999", "pass", "draw", "give 2")))
    elif player.prompt is not None and player.prompt["actions"]:
        player.say(choose_line(player.prompt, chance))


def _check_replay(lobby: Lobby, table: Table) -> None:
    """Fold what the store has of the table, and compare."""
    (logged,) = lobby.store.tables()
    folded = Match("")
    for entry in entries(logged.events):
        if isinstance(entry.event, Committed) and entry.event.match != folded.id:
            folded = Match(entry.event.match)
        folded = matches.evolve(folded, entry.event)
    assert folded == table.match
