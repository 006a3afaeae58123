"""Programs whose witness seals and sends their texts and checks the deals; and the victim of an attack."""

import random
from collections.abc import Callable
from functools import partial

import msgspec
import trio
import trio.testing

from golfnet.protocol.replies import data
from golfnet.protocol.witness import Witness
from tests.server.house import House, Program, all_done, play_at_random


class Victim:
    """Somebody whose connections, made with ``line``, are controlled by an attacker.

    If ``is_cut_at_closing``, the connection is cut as soon as the server announces that sealing is closed; then
    ``is_down`` is set. If ``is_swallowing``, only the next text sent on it is lost. If ``is_mute``, nothing can be sent
    on it.
    """

    def __init__(self, line: Callable[[], trio.abc.Stream]) -> None:
        self.is_down = self.is_cut_at_closing = self.is_swallowing = self.is_mute = False
        self.attempts: list[float] = []
        """The times at which the victim has tried to connect."""
        self._line = line
        self._stream: trio.abc.Stream | None = None

    async def connect(self) -> trio.abc.Stream:
        """Return a stream that the attacker controls; raise ``OSError`` while the connection is down."""
        self.attempts.append(trio.current_time())
        if self.is_down:
            raise ConnectionRefusedError(111, "Connection refused")
        self._stream = _Attacked(self._line(), self)
        return self._stream

    async def cut(self) -> None:
        """Close the connection."""
        assert self._stream is not None
        await trio.aclose_forcefully(self._stream)
        await trio.testing.wait_all_tasks_blocked()


class _Attacked(trio.abc.Stream):
    def __init__(self, stream: trio.abc.Stream, victim: Victim) -> None:
        self._stream = stream
        self._victim = victim

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self._victim.is_mute:
            raise trio.BrokenResourceError
        for line in bytes(data).splitlines(keepends=True):
            if b" cut " in line and self._victim.is_swallowing:
                self._victim.is_swallowing = False
            else:
                await self._stream.send_all(line)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        data = await self._stream.receive_some(max_bytes)
        if b'"seals_closed"' in data and self._victim.is_cut_at_closing:
            self._victim.is_down = True
            await trio.aclose_forcefully(self._stream)
            return b""
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()


class Careful:
    """A program with a witness, which plays at random."""

    def __init__(self, program: Program, *, seed: int = 1, seals: bool = True) -> None:
        self.program = program
        self.kept: dict[str, list[bytes]] = {}
        self.witness = Witness(entropy=random.Random(seed).randbytes, keep=self._keep, seals=seals)
        self.read = 0
        self.loses_texts = False

    def _keep(self, match: str, line: bytes) -> None:
        self.kept.setdefault(match, []).append(line)

    async def attend(self) -> None:
        """Give the witness what has arrived, and send what it returns, until there is nothing more to send."""
        while True:
            await self.program.poll()
            for thing in self.program.objects[self.read :]:
                reply = data.decode(msgspec.json.encode(thing))
                if reply is not None:
                    self.witness.receive(reply)
            self.read = len(self.program.objects)
            if not self.witness.lines:
                return
            lines, self.witness.lines = self.witness.lines, []
            for line in lines:
                if not (self.loses_texts and line.startswith("cut ")):
                    await self.program.send(line)

    async def come_back(self, house: House) -> None:
        """Reconnect, with a new connection even if there still is one."""
        await self.program.drop()
        self.program, self.read = await house.resumed(self.program), 0
        await self.attend()


async def attend(players: list[Careful]) -> None:
    for player in players:
        await player.attend()


async def play(players: list[Careful], chance: random.Random) -> None:
    """Let careful programs play at random to the end of the match."""
    await play_at_random([player.program for player in players], chance, partial(attend, players))


async def careful_table(house: House, create: str, *names: str) -> list[Careful]:
    """Seat careful programs at a new table, with their texts sealed."""
    players = [Careful(await house.program(name), seed=seed) for seed, name in enumerate(names)]
    opened = await players[0].program.done(f"create {create} clock=0")
    await all_done([player.program for player in players[1:]], f"join {opened['table']}")
    await attend(players)
    return players


async def ready(players: list[Careful]) -> None:
    await all_done([player.program for player in players], "ready")
    await attend(players)
    await attend(players)
