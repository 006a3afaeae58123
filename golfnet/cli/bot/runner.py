"""A bot and its connection: replies go to the client, and the lines that this wants sent go to the server.

Choices that take long are made in a thread, so that the server's pings are answered meanwhile. A server that was never
there is an error; one that was is tried again until it is back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet import __version__
from golfnet.connect.connection import GOODBYE_SECONDS, UNREADABLE, Connection
from golfnet.server.bots.executors import ThreadExecutor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.bots.player import BotChoice, Executor, Work
    from golfnet.cli.bot.client import BotClient
    from golfnet.connect.trust import Untrusted
    from golfnet.protocol.replies.replies import AnyReply

MOST_WAITING: Final = 1000
"""Replies while the bot makes one choice, after which no more are received; usual are a few dozen."""


class BotRunner:
    """One bot at one server; ``notify`` is called with sentences for the user, ``executor`` runs the long choices."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        client: BotClient,
        *,
        name: str,
        notify: Callable[[str], None],
        executor: Executor | None = None,
    ) -> None:
        self._connection = Connection(connect, self, client=f"golfnet-bot/{__version__}", name=name)
        self._client = client
        self._notify = notify
        self._executor = executor
        self._waiting = 0
        self._wake = trio.Event()
        self._was_in = False
        self._scope = trio.CancelScope()

    def leave(self) -> None:
        """End: at once without a connection, else after giving up the seat, or after ``GOODBYE_SECONDS``."""
        self._client.leave()
        self._wake.set()
        if self._connection.is_connected:
            self._scope.deadline = min(self._scope.deadline, trio.current_time() + GOODBYE_SECONDS)
        else:
            self._scope.cancel()

    async def run(self) -> None:
        """Stay connected until the client is over; that is at once if there is no server."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                self._executor = self._executor or ThreadExecutor(nursery.start_soon)
                nursery.start_soon(self._act)
                await self._connection.run()
                nursery.cancel_scope.cancel()

    # --- callbacks of the connection

    def on_connecting(self) -> None:
        """Do nothing: only failures are reported."""

    def on_connected(self) -> None:
        """Do nothing: the bot acts once it has entered."""

    def on_entered(self) -> None:
        """Notify the client."""
        self._was_in = True
        self._client.on_entered()
        self._settle()

    def on_token(self, name: str, token: str) -> None:
        """Do nothing: the connection keeps the token as long as it exists."""

    def on_reply(self, reply: AnyReply) -> None:
        """Pass a reply to the client."""
        if self._client.is_over:
            return
        self._client.on_reply(reply, trio.current_time())
        self._settle()
        self._waiting += self._client.is_thinking
        if self._waiting >= MOST_WAITING:
            self._connection.pause_receiving()

    def on_disconnected(self, reason: str, retry_in: float) -> None:
        """Report that the connection is lost and will be restored, if there ever was one."""
        if self._client.is_over:
            return
        self._connection.discard_unsent()
        self._client.on_disconnected()
        if not self._was_in:
            nobody = "no golfnet server answers there, or it is not letting anybody in now"
            self._client.fail(f"no connection ({reason})" if reason else nobody)
        elif reason:
            self._notify(f"No connection ({reason}); trying again in {retry_in:g} s.")
        else:
            self._notify("The connection is lost; reconnecting.")
        self._settle()

    def on_unreadable(self) -> None:
        """Report it: what the bot cannot read may be what it waits for."""
        self._notify(UNREADABLE)

    def on_untrusted(self, problem: Untrusted) -> None:
        """Give up: there is no person who could accept another server."""
        self._client.fail(str(problem))
        self._settle()

    # --- inside

    def _settle(self) -> None:
        """Report news, and wake the acting task."""
        for sentence in self._client.news:
            self._notify(sentence)
        self._client.news.clear()
        self._wake.set()

    async def _act(self) -> None:
        """Do what is due until the client is over."""
        client = self._client
        while not client.is_over:
            self._wake = trio.Event()
            if client.due <= trio.current_time():
                line = client.act(trio.current_time(), self._execute)
                if line is not None:
                    self._connection.send(line)
                await trio.lowlevel.checkpoint()
            else:
                with trio.move_on_at(client.due):
                    await self._wake.wait()
        self._connection.quit()

    def _execute(self, work: Work, callback: Callable[[BotChoice], None]) -> None:
        """Run a choice, and act on it."""

        def made(choice: BotChoice) -> None:
            callback(choice)
            self._waiting = 0
            self._connection.resume_receiving()
            self._wake.set()

        assert self._executor is not None
        self._executor(work, made)
