"""A bot at the end of its connection: what the server says goes to the visit, and what that wants said to the server.

The bot thinks in a thread of its own, so that the server's pings are answered while it does; what is told meanwhile
waits in order. A server that was never there is an error; one that was is tried again until it is back.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import trio

from golfnet import __version__
from golfnet.connect.connection import GOODBYE_SECONDS, Connection
from golfnet.connect.trust import Untrusted
from golfnet.protocol.conversation import CameIn, Told

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.cli.bot.client import BotClient
    from golfnet.protocol.replies.replies import AnyReply

MOST_WAITING: Final = 1000
"""Replies that wait while the bot thinks, and no more is received before they are fewer; usual are a few dozen."""


class Think(Protocol):
    """Calls ``act`` of a visit, wherever that may take its time."""

    def __call__(self, act: Callable[[float], str | None], now: float, /) -> Awaitable[str | None]:
        """Return what it returned."""


class _Lost(NamedTuple):
    """That the connection is lost, or could not be made."""

    reason: str
    retry_in: float


class BotRunner:
    """One visit and its connection; ``tell`` is given sentences for whoever looks."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        visit: BotClient,
        *,
        name: str,
        tell: Callable[[str], None],
        think: Think | None = None,
    ) -> None:
        self._connection = Connection(connect, self, client=f"golfnet-bot/{__version__}", name=name)
        self._visit = visit
        self._tell = tell
        self._think: Think = trio.to_thread.run_sync if think is None else think
        self._told: deque[Told | _Lost | Untrusted] = deque()
        self._wake = trio.Event()
        self._losses = 0
        self._was_in = False
        self._is_closed = False
        self._scope = trio.CancelScope()

    def leave(self) -> None:
        """End the visit: at once without a connection, else as soon as the seat is given up, which is given a while."""
        self._visit.leave()
        if self._connection.is_connected:
            self._wake.set()
            self._scope.deadline = min(self._scope.deadline, trio.current_time() + GOODBYE_SECONDS)
        else:
            self._scope.cancel()

    async def run(self) -> None:
        """Stay at the server until the visit is over, which is at once where there is no server."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._attend)
                await self._connection.run()
                self._is_closed = True
                self._wake.set()

    # --- what the connection tells

    def on_connecting(self) -> None:
        """Do nothing: only failures are told."""

    def on_connected(self) -> None:
        """Do nothing: the bot acts when it is in."""

    def on_entered(self) -> None:
        """Let the visit go on."""
        self._was_in = True
        self._queue(CameIn())

    def on_token(self, name: str, token: str) -> None:
        """Do nothing: the connection knows the token as long as it lasts."""

    def on_reply(self, reply: AnyReply) -> None:
        """Queue a reply; where too many wait, no more are received."""
        self._queue(reply)
        if len(self._told) >= MOST_WAITING:
            self._connection.pause_receiving()

    def on_disconnected(self, reason: str, retry_in: float) -> None:
        """Queue that the connection is lost; what the bot thinks about just now is not sent."""
        self._losses += 1
        self._queue(_Lost(reason, retry_in))

    def on_untrusted(self, problem: Untrusted) -> None:
        """Queue that nothing more can be done here."""
        self._queue(problem)

    # --- inside

    def _queue(self, told: Told | _Lost | Untrusted) -> None:
        self._told.append(told)
        self._wake.set()

    async def _attend(self) -> None:
        """Let the visit hear and act, in turns, until it is over."""
        visit = self._visit
        while not visit.is_over:
            self._wake = trio.Event()
            if self._told:
                self._take(self._told.popleft())
                self._connection.resume_receiving()
            elif self._is_closed:
                return
            elif visit.due <= trio.current_time():
                losses = self._losses
                line = await self._think(visit.act, trio.current_time())
                if line is not None and losses == self._losses:
                    self._connection.send(line)
            else:
                with trio.move_on_at(visit.due):
                    await self._wake.wait()
        self._connection.quit()

    def _take(self, told: Told | _Lost | Untrusted) -> None:
        match told:
            case Untrusted():
                self._visit.fail(str(told))
            case _Lost(reason, retry_in):
                self._lose(reason, retry_in)
            case _:
                self._visit.hear(told, trio.current_time())
        for sentence in self._visit.news:
            self._tell(sentence)
        self._visit.news.clear()

    def _lose(self, reason: str, retry_in: float) -> None:
        """Handle a lost connection: it comes back, if it ever was there."""
        self._visit.begin()
        if self._visit.is_over:
            return
        if self._was_in:
            again = f"No connection ({reason}); trying again in {retry_in:g} s."
            self._tell(again if reason else "The connection is lost; coming back.")
        else:
            nobody = "no golfnet server answers there, or it lets nobody in now"
            self._visit.fail(f"no connection ({reason})" if reason else nobody)
