"""A program that plays on a real server, and reconnects whatever happens to the server."""

import contextlib
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
import trio

from tests.e2e.service import PATIENCE
from tests.e2e.told import Told
from tests.server.house import choose_line

_NOT_PLAYED = ("open", "finished")

LOGIN = 1
"""The id of the command with which a program logs in."""


class Witness:
    """A program that plays at random and reconnects after every crash; ``told`` records what it was told."""

    def __init__(self, port: int, name: str, chance: random.Random, told: Told | None = None) -> None:
        self.port = port
        self.name = name
        self.chance = chance
        self.token = ""
        self.table = ""
        self.told = told or Told()
        self.notices: list[str] = []
        """The codes of notices."""
        self.seen: dict[int, dict[str, Any]] = {}
        self.is_seated = trio.Event()
        self.is_patient = False
        """Whether the program makes no moves for now."""
        self.connections = 0
        self.matches_ended = 0
        self._finished: trio.Event | None = None
        self._last: deque[dict[str, Any]] = deque(maxlen=8)
        self._changed = trio.Event()
        self._stream: trio.SocketStream | None = None
        self._sending = trio.Lock()

    async def run(self, errand: str) -> None:
        """Do an errand once (open or join a table), then play until cancelled."""
        while True:
            with contextlib.suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                async with await trio.open_tcp_stream("127.0.0.1", self.port) as self._stream:
                    self.connections += 1
                    await self._play(errand)
            await trio.sleep(0.02)

    async def hang_up(self) -> None:
        if self._stream is not None:
            await trio.aclose_forcefully(self._stream)

    async def look(self) -> None:
        with contextlib.suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            await self._send("look")

    async def finish(self) -> None:
        """Wait until no match is being played, and start no other."""
        self._finished = trio.Event()
        await self.look()  # the match may be over although this program was not told
        await self._finished.wait()

    async def has_ended(self, matches: int) -> None:
        await self._until(lambda: self.matches_ended >= matches)

    async def is_told(self, code: str, times: int = 1) -> None:
        """Wait until the program has received a notice this many times."""
        await self._until(lambda: self.notices.count(code) >= times)

    async def acts(self, times: int = 3) -> None:
        """Wait until the program has received this many more events."""
        wanted = len(self.seen) + times
        await self._until(lambda: len(self.seen) >= wanted)

    async def _until(self, condition: Callable[[], bool]) -> None:
        with trio.move_on_after(PATIENCE):
            while not condition():
                self._changed = trio.Event()
                await self._changed.wait()
            return
        raise AssertionError(f"{self.name} waited in vain; the last objects it received: {[*self._last]}")

    async def _play(self, errand: str) -> None:
        await self._send(
            "hello 1", f"{LOGIN} resume {self.token}" if self.token else f"{LOGIN} name {self.name}"
        )
        waiting = b""
        while self._stream is not None and (data := await self._stream.receive_some(65536)):
            *lines, waiting = (waiting + bytes(data)).split(b"\n")
            for line in lines:
                if line.startswith(b"{"):
                    await self._hear(msgspec.json.decode(line), errand)

    async def _hear(self, said: dict[str, Any], errand: str) -> None:
        self.told.note(said)
        self._last.append(said)
        match said["type"]:
            case "ok" if "token" in said:
                self.token = said["token"]
                await self._send(errand)
            case "ok" if "table" in said:
                self.table = said["table"]
                self.is_seated.set()
            case "error" if said.get("id") == LOGIN and said["retry"]:
                await trio.sleep(0.2)
                await self.hang_up()
            case "event":
                self._remember(said)
            case "prompt":
                await self._choose(said, said["phase"])
            case "view" if said["you"]:
                if self._finished is not None and said["state"] in _NOT_PLAYED:
                    self._finished.set()
                await self._choose(said, said["state"])
            case "notice":
                self.notices.append(said["code"])
                if said["code"] == "RESUMED":
                    await self._send("look")  # a command sent during the pause was refused
        self._changed.set()

    def _remember(self, event: dict[str, Any]) -> None:
        known = self.seen.setdefault(event["seq"], event)
        assert known == event, "an event was repeated with different content"
        if event["event"] == "match_ended":
            self.matches_ended += 1
            if self._finished is not None:
                self._finished.set()

    async def _choose(self, prompt: dict[str, Any], phase: str) -> None:
        if not prompt["actions"] or self.is_patient or (self._finished is not None and phase in _NOT_PLAYED):
            return
        hurry = [line for line in ("knock", "pass") if line in prompt["actions"]]
        if hurry and self.chance.random() < 0.5:  # waiting for slam windows to close takes real seconds
            await self._send(hurry[0])
        else:
            await self._send(choose_line(prompt, self.chance))

    async def _send(self, *lines: str) -> None:
        async with self._sending:
            if self._stream is None:
                return
            await self._stream.send_all("".join(f"{line}\n" for line in lines).encode())
