"""A bot's way to a server: bytes carried both ways, and the connection made anew when it is lost.

The bot thinks in a thread of its own, so that the server's pings are answered while it does; what is told meanwhile
waits in order. A server that was never there is an error; one that was is tried again until it is back.
"""

from __future__ import annotations

import contextlib
from math import inf
from typing import TYPE_CHECKING, Final, Protocol

import trio

from golfnet import __version__
from golfnet.connect.trust import Untrusted
from golfnet.protocol.address import reason_of
from golfnet.protocol.conversation import CameIn, Conversation, Told

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.cli.bot_visit import Visit

FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt to connect; each further one waits twice as long."""

LONGEST_WAIT: Final = 15.0
"""Seconds between attempts at the most: short enough to be back within the grace of a seat."""

CONNECT_SECONDS: Final = 10.0

SILENCE: Final = 20.0
"""Seconds without a word after which the server is asked whether it is there; as long again means it is not."""

MOST_WAITING: Final = 1000
"""Replies that wait while the bot thinks, and no more is read before they are fewer; usual are a few dozen."""

GOODBYE_SECONDS: Final = 2.0
"""How long the answer to a goodbye is waited for."""


class Connect(Protocol):
    """Opens a stream to the server; raises ``OSError``."""

    def __call__(self) -> Awaitable[trio.abc.Stream]:
        """Return the stream."""


class Think(Protocol):
    """Calls ``act`` of a visit, wherever that may take its time."""

    def __call__(self, act: Callable[[float], str | None], now: float, /) -> Awaitable[str | None]:
        """Return what it returned."""


class Link:
    """The connections of one visit, one after the other; ``tell`` is given sentences for whoever looks."""

    def __init__(
        self,
        connect: Connect,
        visit: Visit,
        *,
        name: str,
        tell: Callable[[str], None],
        think: Think | None = None,
    ) -> None:
        self._connect = connect
        self._visit = visit
        self._tell = tell
        self._think: Think = trio.to_thread.run_sync if think is None else think
        self._conversation = Conversation(client=f"golfnet-bot/{__version__}", name=name)
        self._sending = trio.Lock()
        self._was_in = False
        self._scope = trio.CancelScope()
        self._waiting: trio.CancelScope | None = None

    def leave(self) -> None:
        """End the visit: at once without a connection, else as soon as the seat is given up, which is given a while."""
        self._visit.leave()
        if self._waiting is None:
            self._scope.cancel()
        else:
            self._waiting.deadline = -inf
            self._scope.deadline = min(self._scope.deadline, trio.current_time() + GOODBYE_SECONDS)

    async def run(self) -> None:
        """Stay at the server until the visit is over, which is at once where there is no server."""
        with self._scope:
            await self._keep_connected()

    async def _keep_connected(self) -> None:
        wait = FIRST_WAIT
        while True:
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await self._connect()
            except Untrusted as problem:
                self._visit.fail(str(problem))
                return
            except (OSError, trio.TooSlowError) as problem:
                if not self._was_in:
                    self._visit.fail(f"no connection ({reason_of(problem)})")
                    return
                self._tell(f"No connection ({reason_of(problem)}); trying again in {wait:g} s.")
                await trio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)
                continue
            try:
                await self._stay(stream)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(stream)
            if self._visit.is_over:
                return
            if not self._was_in:
                self._visit.fail("no golfnet server answers there, or it lets nobody in now")
                return
            wait = FIRST_WAIT if self._visit.is_in else min(wait * 2, LONGEST_WAIT)
            self._tell("The connection is lost; coming back.")
            await trio.sleep(wait)

    async def _stay(self, stream: trio.abc.Stream) -> None:
        """Use a connection until it, or the visit, ends."""
        self._visit.begin()
        self._conversation.begin()
        send, told = trio.open_memory_channel[Told](MOST_WAITING)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read, stream, send)
            with contextlib.suppress(trio.EndOfChannel, trio.BrokenResourceError):
                await self._flush(stream)
                await self._attend(stream, told)
            self._waiting = None
            nursery.cancel_scope.cancel()
        if self._visit.is_over:
            await self._say_goodbye(stream)

    async def _read(self, stream: trio.abc.Stream, told: trio.MemorySendChannel[Told]) -> None:
        """Hand on what comes in, and answer what only keeps the connection going."""
        is_asked = False
        with told, contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while not self._conversation.is_over:
                chunk = None
                with trio.move_on_after(SILENCE):
                    chunk = await stream.receive_some()
                if chunk == b"" or (chunk is None and (is_asked or not self._conversation.is_in)):
                    return
                is_asked = chunk is None
                if chunk is None:
                    self._conversation.probe()
                else:
                    for each in self._conversation.receive(bytes(chunk)):
                        try:
                            told.send_nowait(each)  # what came in one piece is heard before anything is done
                        except trio.WouldBlock:
                            await told.send(each)
                await self._flush(stream)

    async def _attend(self, stream: trio.abc.Stream, told: trio.MemoryReceiveChannel[Told]) -> None:
        """Let the bot hear and act, in turns, until the visit is over."""
        visit = self._visit
        while not visit.is_over:
            with trio.move_on_at(visit.due) as self._waiting:
                self._hear(await told.receive())
            with contextlib.suppress(trio.WouldBlock):
                while not visit.is_over:
                    self._hear(told.receive_nowait())
            if visit.due <= trio.current_time():
                line = await self._think(visit.act, trio.current_time())
                if line is not None:
                    self._conversation.say(line)
                    await self._flush(stream)

    def _hear(self, told: Told) -> None:
        self._was_in = self._was_in or isinstance(told, CameIn)
        self._visit.hear(told, trio.current_time())
        for sentence in self._visit.news:
            self._tell(sentence)
        self._visit.news.clear()

    async def _flush(self, stream: trio.abc.Stream) -> None:
        async with self._sending:
            if lines := self._conversation.outgoing():
                await stream.send_all(lines)

    async def _say_goodbye(self, stream: trio.abc.Stream) -> None:
        """Quit, and wait until the server has closed: what it has not read is lost with the connection."""
        self._conversation.say("quit")
        with trio.move_on_after(GOODBYE_SECONDS), contextlib.suppress(trio.BrokenResourceError):
            await self._flush(stream)
            async for _ in stream:
                pass
