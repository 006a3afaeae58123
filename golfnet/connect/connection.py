"""A connection to a server that reconnects whenever it is lost, for every kind of client.

The protocol's ``Conversation`` decides what to send and parses replies; this module moves its bytes and schedules the
next attempt. A ``Listener`` is called from one task, in the order of events.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import trio

from golfnet.connect.trust import Untrusted
from golfnet.protocol.address import reason_of
from golfnet.protocol.conversation import Conversation, Entered, Greeted, NotUnderstood, TokenIssued
from golfnet.protocol.replies.replies import AnyReply

FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each wait after that is twice as long."""

LONGEST_WAIT: Final = 15.0
"""Maximum seconds between attempts: short enough to reconnect while a seat is reserved."""

CONNECT_SECONDS: Final = 10.0

STEADY_SECONDS: Final = 5.0
"""How long a connection has to last for ``Backoff`` to start afresh: otherwise, clients would forever connect twice a
second to a server that accepts and then closes every connection."""

UNREADABLE: Final = "This program cannot read everything that the server sends. A newer version may."

SILENCE: Final = 20.0
"""Seconds without a byte after which the server is pinged; after as many again, the connection counts as lost."""

RATE_SECONDS: Final = 1.2
"""The interval in which at most one second's worth of commands is sent, since they may arrive closer together."""

GOODBYE_SECONDS: Final = 2.0
"""How long to wait for the answer to ``quit``."""


class Listener(Protocol):
    """Callbacks for what happens on a connection; no method may block."""

    def on_connecting(self) -> None:
        """Handle the start of an attempt to connect."""

    def on_connected(self) -> None:
        """Handle the server's first answer on a connection, new or restored."""

    def on_entered(self) -> None:
        """Handle a login: the connection now belongs to the player, who has a seat again if it was kept."""

    def on_token(self, name: str, token: str) -> None:
        """Handle the name and reconnection token to store; the token is empty if the old one is invalid."""

    def on_reply(self, reply: AnyReply) -> None:
        """Handle a reply from the server."""

    def on_disconnected(self, reason: str, retry_in: float) -> None:
        """Handle a lost connection or, if there is a ``reason``, a failed attempt; retry in ``retry_in`` seconds."""

    def on_unreadable(self) -> None:
        """Handle something from the server that cannot be read; called at most once per connection."""

    def on_untrusted(self, problem: Untrusted) -> None:
        """Handle a server that is not the trusted one; there is no further attempt before ``accept``."""


class Backoff:
    """How long to wait before each further attempt to connect."""

    def __init__(self) -> None:
        self._next = FIRST_WAIT

    def lasted(self, seconds: float) -> None:
        """Start afresh with the shortest wait if a connection lasted; a short one counts as a failed attempt."""
        if seconds >= STEADY_SECONDS:
            self._next = FIRST_WAIT

    def next_wait(self) -> float:
        """Return the seconds to wait before the next attempt."""
        seconds, self._next = self._next, min(self._next * 2, LONGEST_WAIT)
        return seconds


class Connection:
    """One player's connection to one server, reconnected as often as needed.

    ``connect`` opens a stream or raises ``OSError``; ``client`` is the program's name; ``token`` is for reconnecting,
    empty for a newcomer, who asks for ``name`` if given.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        listener: Listener,
        *,
        client: str,
        name: str = "",
        token: str = "",
    ) -> None:
        self._connect = connect
        self._listener = listener
        self._conversation = Conversation(client=client, name=name, token=token)
        self._backoff = Backoff()
        self._scope = trio.CancelScope()
        self._use_scope = trio.CancelScope()
        """Cancelled to give up the current stream."""
        self._is_quitting = False
        self._stream: trio.abc.Stream | None = None
        self._chunks = 0
        """The number of chunks received, to detect silence."""
        self._may_send = trio.Event()
        self._may_receive = trio.Event()
        self._may_receive.set()
        self._accepted = trio.Event()

    @property
    def is_over(self) -> bool:
        """Whether there will be no further attempt."""
        return self._is_quitting or self._conversation.is_over

    @property
    def is_connected(self) -> bool:
        """Whether there is a stream to the server."""
        return self._stream is not None

    def send(self, line: str, *, is_quiet: bool = False) -> None:
        """Send a command line, now or as soon as there is a connection; if ``is_quiet``, do not report a refusal."""
        self._conversation.send(line, is_quiet=is_quiet)
        self._may_send.set()

    def discard_unsent(self) -> None:
        """Discard the lines that have not been sent yet: they are out of date."""
        self._conversation.discard_unsent()

    def quit(self) -> None:
        """Stop for good: at once if there is no connection, else after the server's goodbye or ``GOODBYE_SECONDS``."""
        self._is_quitting = True
        if self.is_connected:
            self.send("quit")
            self._scope.deadline = trio.current_time() + GOODBYE_SECONDS
        else:
            self._scope.cancel()

    def reconnect(self) -> None:
        """Treat the connection as lost, and reconnect."""
        self._use_scope.cancel()

    def accept(self, token: str) -> None:
        """Connect to a server that was not trusted; ``token`` is for reconnecting to it."""
        self._conversation.token = token
        self._accepted.set()

    def pause_receiving(self) -> None:
        """Stop receiving until ``resume_receiving``, so that the server has to wait."""
        if self._may_receive.is_set():
            self._may_receive = trio.Event()

    def resume_receiving(self) -> None:
        """Resume receiving."""
        self._may_receive.set()

    async def run(self) -> None:
        """Stay connected until the server ends the conversation for good, or until ``quit``."""
        with self._scope:
            while not self.is_over:
                self._listener.on_connecting()
                try:
                    with trio.fail_after(CONNECT_SECONDS):
                        stream = await self._connect()
                except Untrusted as problem:
                    self._accepted = trio.Event()
                    self._listener.on_untrusted(problem)
                    await self._accepted.wait()
                    continue
                except (OSError, trio.TooSlowError) as problem:
                    await self._wait(reason_of(problem))
                    continue
                await self._use(stream)
                if not self.is_over:
                    await self._wait("")

    async def _wait(self, reason: str) -> None:
        """Wait before the next attempt."""
        seconds = self._backoff.next_wait()
        self._listener.on_disconnected(reason, seconds)
        await trio.sleep(seconds)

    async def _use(self, stream: trio.abc.Stream) -> None:
        """Use a stream until it is closed or lost."""
        self._stream = stream
        began = trio.current_time()
        self._conversation.start_connection()
        try:
            async with trio.open_nursery() as nursery:
                self._use_scope = nursery.cancel_scope
                nursery.start_soon(self._send_all, stream)
                nursery.start_soon(self._watch)
                await self._receive_all(stream)
                nursery.cancel_scope.cancel()
        finally:
            self._stream = None
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)
        if self._conversation.has_entered:
            self._backoff.lasted(trio.current_time() - began)

    async def _send_all(self, stream: trio.abc.Stream) -> None:
        """Send queued lines, but no more per second than the server accepts: refused ones would be lost."""
        counted: deque[float] = deque()
        """The times until which sent lines count against the limit."""
        try:
            while True:
                self._may_send = trio.Event()
                now = trio.current_time()
                while counted and counted[0] <= now:
                    counted.popleft()
                if lines := self._conversation.outgoing(max(0, self._conversation.rate - len(counted))):
                    counted.extend([now + RATE_SECONDS] * lines.count(b"\n"))
                    await stream.send_all(lines)
                elif self._conversation.has_more:
                    with trio.move_on_at(counted[0]):
                        await self._may_send.wait()
                else:
                    await self._may_send.wait()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # receiving stops too

    async def _receive_all(self, stream: trio.abc.Stream) -> None:
        """Receive until the stream ends, or the server ends the conversation for good."""
        while not self._conversation.is_over:
            await self._may_receive.wait()
            try:
                chunk = await stream.receive_some()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not chunk:
                return
            self._chunks += 1
            for event in self._conversation.receive(bytes(chunk)):
                match event:
                    case Greeted():
                        self._listener.on_connected()
                    case Entered():
                        self._listener.on_entered()
                    case TokenIssued(name=name, token=token):
                        self._listener.on_token(name, token)
                    case NotUnderstood():
                        self._listener.on_unreadable()
                    case reply:
                        self._listener.on_reply(reply)
            self._may_send.set()

    async def _watch(self) -> None:
        """Ping a silent server, and reconnect if it does not answer."""
        while True:
            if not await self._is_silent():
                continue
            self._conversation.probe()
            self._may_send.set()
            if await self._is_silent():
                self.reconnect()
                return

    async def _is_silent(self) -> bool:
        """Wait for ``SILENCE`` seconds; return whether no bytes arrived although receiving was not paused."""
        chunks = self._chunks
        await trio.sleep(SILENCE)
        return self._chunks == chunks and self._may_receive.is_set()
