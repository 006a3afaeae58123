"""A program that plays on a real server, and reconnects whatever happens to the server."""

from __future__ import annotations

import contextlib
import math
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from tests.e2e.service import PATIENCE
from tests.e2e.told import Told
from tests.server.house import choose_line

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

_NOT_PLAYED: Final = ("open", "finished")

_ENTERING: Final = 1
"""The number of the command with which it logs in."""

_SILENT: Final = 0.6
"""Seconds of silence after which a program that may use several nodes looks at its table."""


_PACE: Final = 0.03
"""Seconds such a program takes to answer: otherwise a few of them would leave no processor time to several nodes."""


class Witness:
    """A program that plays at random and reconnects after every crash; ``told`` records what it was told.

    ``doors`` returns the ports at which it may continue, if there are several.
    """

    def __init__(
        self,
        port: int,
        name: str,
        chance: random.Random,
        told: Told | None = None,
        *,
        doors: Callable[[], Sequence[int]] | None = None,
    ) -> None:
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
        """Whether it starts no match, since others are still on their way to its table."""
        self.connections = 0
        self.matches_ended = 0
        self._doors = doors
        self._last_seq = 0
        self._playing = trio.CancelScope()
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
                    with trio.CancelScope() as self._playing:
                        await self._play(errand)
            await trio.sleep(0.02)
            if self._doors is not None and self.port not in (ports := self._doors()):
                self.port = self.chance.choice(ports)

    def disconnect(self) -> None:
        """Give up a connection that no longer answers."""
        self._playing.cancel()

    async def finish(self) -> None:
        """Wait until no match is being played, and start no other."""
        self._finished = trio.Event()
        with contextlib.suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            await self._send("look")  # the match may be over although this program was not told
        await self._finished.wait()

    async def has_ended(self, matches: int) -> None:
        """Wait until this many matches have ended."""
        await self._until(lambda: self.matches_ended >= matches)

    async def is_told(self, code: str, times: int = 1) -> None:
        """Wait until it has received a notice this many times."""
        await self._until(lambda: self.notices.count(code) >= times)

    async def acts(self, times: int = 3) -> None:
        """Wait until it has received this many more events."""
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
        self._last_seq = 0
        enter = f"resume {self.token}" if self.token else f"name {self.name}"
        await self._send("hello 1", f"{_ENTERING} {enter}")
        waiting, data = b"", b"-"
        while self._stream is not None and data:
            with trio.move_on_after(math.inf if self._doors is None else _SILENT) as silence:
                data = await self._stream.receive_some(65536)
            if silence.cancelled_caught:
                await self._send("look" if self.table else errand if self.token else "ping")
                continue
            *lines, waiting = (waiting + bytes(data)).split(b"\n")
            for line in lines:
                if line.startswith(b"{"):
                    await self._hear(msgspec.json.decode(line), errand)

    async def _hear(self, said: dict[str, Any], errand: str) -> None:
        self.told.note(said)
        self._last.append(said)
        match said["type"]:
            case "error" if said.get("id") == _ENTERING:
                await trio.sleep(0.2)
                raise trio.BrokenResourceError(f"refused: {said}")
            case "ok" if said.get("id") == _ENTERING and "table" not in said:
                assert not self.table, f"{self.name} has lost its seat at {self.table}"
                self.token = said.get("token", self.token)
                await self._send(errand)
            case "ok" if "table" in said:
                self.table = said["table"]
                self.is_seated.set()
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
                    await self._send("look")  # what it tried in the meantime was refused
            case "bye":
                assert said["code"] not in ("TAKEN_OVER", "KICKED", "FLOOD"), said
        self._changed.set()

    def _remember(self, event: dict[str, Any]) -> None:
        assert event["seq"] > self._last_seq, "events arrive in order"
        self._last_seq = event["seq"]
        known = self.seen.setdefault(event["seq"], event)
        assert known == event, "an event was repeated with different content"
        if event["event"] == "match_ended":
            self.matches_ended += 1
            if self._finished is not None:
                self._finished.set()

    async def _choose(self, prompt: dict[str, Any], phase: str) -> None:
        is_waiting = self.is_patient or self._finished is not None
        if not prompt["actions"] or (is_waiting and phase in _NOT_PLAYED):
            return
        if self._doors is not None:
            await trio.sleep(_PACE)
        hurry = [line for line in ("knock", "pass") if line in prompt["actions"]]
        if hurry and self.chance.random() < 0.5:  # slam windows take real seconds
            await self._send(hurry[0])
        else:
            await self._send(choose_line(prompt, self.chance))

    async def _send(self, *lines: str) -> None:
        async with self._sending:
            if self._stream is None:
                return
            await self._stream.send_all("".join(f"{line}\n" for line in lines).encode())
