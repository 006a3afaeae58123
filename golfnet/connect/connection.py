"""A connection to a server that is made anew whenever it is lost, for every kind of client.

The protocol's ``Conversation`` knows what to send and what the replies mean; here is where its bytes go to and come
from, and when the next attempt is made. A ``Listener`` is called from one task, in the order in which things happen.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import trio

from golfnet.connect.trust import Untrusted
from golfnet.protocol.address import reason_of
from golfnet.protocol.conversation import CameIn, Conversation, Greeted, NameGiven
from golfnet.protocol.replies.replies import AnyReply

FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each further one waits twice as long."""

LONGEST_WAIT: Final = 15.0
"""Seconds between attempts at the most: short enough to be back within the grace of a seat."""

CONNECT_SECONDS: Final = 10.0

SILENCE: Final = 20.0
"""Seconds without a byte after which the server is asked whether it is there; as long again means it is not."""

RATE_SECONDS: Final = 1.2
"""In which no more commands are sent than a server takes in one second: they may arrive closer together."""

GOODBYE_SECONDS: Final = 2.0
"""How long the answer to ``quit`` is waited for."""


class Listener(Protocol):
    """Who is notified of what happens on a connection; no method may block."""

    def on_connecting(self) -> None:
        """Handle the beginning of an attempt to connect."""

    def on_connected(self) -> None:
        """Handle a server that has answered: the connection is there, or is back."""

    def on_entered(self) -> None:
        """Handle that the connection is the player's from here on, with its seat if it has one."""

    def on_token(self, name: str, token: str) -> None:
        """Handle the player's name and the token for coming back, to be kept; empty where it is worth nothing now."""

    def on_reply(self, reply: AnyReply) -> None:
        """Handle a reply of the server."""

    def on_disconnected(self, reason: str, retry_in: float) -> None:
        """Handle a lost connection, or for a ``reason`` none; the next attempt is made in so many seconds."""

    def on_untrusted(self, problem: Untrusted) -> None:
        """Handle that another server is there than was; there is no further attempt before ``accept``."""


class Backoff:
    """How long to wait before each next attempt to connect."""

    def __init__(self) -> None:
        self._next = FIRST_WAIT

    def reset(self) -> None:
        """Begin anew: an attempt was good."""
        self._next = FIRST_WAIT

    def next_wait(self) -> float:
        """Return the seconds to wait before the next attempt."""
        seconds, self._next = self._next, min(self._next * 2, LONGEST_WAIT)
        return seconds


class Connection:
    """One player's connection to one server, made as often as it takes.

    ``connect`` opens a stream or raises ``OSError``; ``client`` is how the program calls itself; ``token`` is for
    coming back, empty for a newcomer, whose ``name`` is taken where it is given.
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
        self._is_quitting = False
        self._stream: trio.abc.Stream | None = None
        self._chunks = 0
        """How many pieces were received, so that silence is noticed."""
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

    def send(self, line: str) -> None:
        """Send a command line, now or as soon as there is a connection."""
        self._conversation.say(line)
        self._may_send.set()

    def discard_unsent(self) -> None:
        """Forget the lines that were not sent yet: what they were meant for is over."""
        self._conversation.discard_unsent()

    def quit(self) -> None:
        """End for good: at once without a connection, else after the goodbye of the server, or where it says none."""
        self._is_quitting = True
        if self.is_connected:
            self.send("quit")
            self._scope.deadline = trio.current_time() + GOODBYE_SECONDS
        else:
            self._scope.cancel()

    def accept(self, token: str) -> None:
        """Connect again after a server was not trusted; ``token`` is for coming back to the one that is there."""
        self._conversation.token = token
        self._accepted.set()

    def pause_receiving(self) -> None:
        """Receive nothing more until ``resume_receiving``, so that the server has to wait."""
        if self._may_receive.is_set():
            self._may_receive = trio.Event()

    def resume_receiving(self) -> None:
        """Receive again."""
        self._may_receive.set()

    async def run(self) -> None:
        """Keep connected until the server says goodbye for good, or ``quit``."""
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
        """Use a stream until it ends."""
        self._stream = stream
        self._conversation.begin()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._send_all, stream)
                nursery.start_soon(self._watch, nursery.cancel_scope)
                await self._receive_all(stream)
                nursery.cancel_scope.cancel()
        finally:
            self._stream = None
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)
        if self._conversation.is_in:
            self._backoff.reset()

    async def _send_all(self, stream: trio.abc.Stream) -> None:
        """Send what is to be sent, no more in a second than the server takes: what is refused would be lost."""
        counted: deque[float] = deque()
        """Until when each line that was sent counts."""
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
            return  # receiving ends too

    async def _receive_all(self, stream: trio.abc.Stream) -> None:
        """Hand on what comes in until the stream ends, or the server says goodbye for good."""
        while not self._conversation.is_over:
            await self._may_receive.wait()
            try:
                chunk = await stream.receive_some()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not chunk:
                return
            self._chunks += 1
            for told in self._conversation.receive(bytes(chunk)):
                match told:
                    case Greeted():
                        self._listener.on_connected()
                    case CameIn():
                        self._listener.on_entered()
                    case NameGiven(name=name, token=token):
                        self._listener.on_token(name, token)
                    case reply:
                        self._listener.on_reply(reply)
            self._may_send.set()

    async def _watch(self, scope: trio.CancelScope) -> None:
        """Ask a silent server whether it is there, and give the connection up where it does not answer."""
        while True:
            if not await self._is_silent():
                continue
            self._conversation.probe()
            self._may_send.set()
            if await self._is_silent():
                scope.cancel()
                return

    async def _is_silent(self) -> bool:
        """Wait for a while; return whether nothing came, though it would have been received."""
        chunks = self._chunks
        await trio.sleep(SILENCE)
        return self._chunks == chunks and self._may_receive.is_set()
