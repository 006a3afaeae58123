"""A witness that keeps all that it was told, for a whole run with many crashes, and can wait for what it is told."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import trio

from tests.e2e.witness import Witness

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.crash.told import Told


class Player(Witness):
    """A witness whose objects are noted in ``told``, together with those of others."""

    def __init__(self, port: int, name: str, chance: random.Random, told: Told) -> None:
        super().__init__(port, name, chance)
        self.told = told
        self.notices: list[str] = []
        """The codes of notices."""
        self.last: deque[dict[str, Any]] = deque(maxlen=8)
        self._changed = trio.Event()

    async def is_told(self, code: str, times: int = 1) -> None:
        """Wait until it has got a notice so many times."""
        await self._until(lambda: self.notices.count(code) >= times)

    async def acts(self, times: int = 3) -> None:
        """Wait until so many more events have come."""
        wanted = len(self.seen) + times
        await self._until(lambda: len(self.seen) >= wanted)

    async def _until(self, condition: Callable[[], bool]) -> None:
        with trio.move_on_after(40):
            while not condition():
                self._changed = trio.Event()
                await self._changed.wait()
            return
        raise AssertionError(f"{self.name} waits in vain; it was told at last {[*self.last]}")

    async def _hear(self, said: dict[str, Any], errand: str) -> None:
        self.told.note(said)
        self.last.append(said)
        if said["type"] == "notice":
            self.notices.append(said["code"])
            if said["code"] == "RESUMED":
                await self._send("look")  # what it had tried meanwhile was refused
        await super()._hear(said, errand)
        self._changed.set()
