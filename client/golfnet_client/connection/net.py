"""The connection to a server, kept alive: it comes back by itself, into the same seat.

What is said and heard is the protocol's ``Conversation``; this is where its bytes come from and go to, and when to
try again. What happens is told through ``Ears``, in order, from one task.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import trio

from golfnet import __version__
from golfnet.connect.trust import Untrusted
from golfnet.protocol.address import reason_of
from golfnet.protocol.conversation import CameIn, Conversation, Greeted, Named

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.protocol.replies.replies import AnyReply

FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each further one waits twice as long."""

LONGEST_WAIT: Final = 15.0
"""Seconds between attempts at the most: short enough to be back within the grace of a seat."""

SILENCE: Final = 20.0
"""Seconds without a word after which the server is asked whether it is there; as long again means it is not."""

CONNECT_SECONDS: Final = 10.0

RATE_SECONDS: Final = 1.2
"""In which no more commands are sent than a server takes in one second: they may arrive closer together."""


class Ears(Protocol):
    """Who hears of the connection."""

    def heard(self, reply: AnyReply) -> None:
        """Hear a reply of the server."""

    def linked(self, state: str) -> None:
        """Hear how the connection stands: connecting, connected, or a sentence on what is being waited for."""

    def distrusted(self, problem: Untrusted) -> None:
        """Hear that another server is there than was; nothing is tried again before ``accept``."""

    def named(self, name: str, token: str) -> None:
        """Hear the token for coming back, to keep it."""


class Link:
    """One player's way to one server, over as many connections as it takes.

    ``connect`` opens a stream or raises ``OSError``; ``token`` is for coming back, empty for a newcomer, whose
    ``name`` is taken where it is given.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        ears: Ears,
        *,
        name: str = "",
        token: str = "",
    ) -> None:
        self._connect = connect
        self._ears = ears
        self._conversation = Conversation(client=f"golfnet-client/{__version__}", name=name, token=token)
        self._wake = trio.Event()
        self._accepted = trio.Event()

    def accept(self, token: str) -> None:
        """Connect again after a server was not trusted; ``token`` is for coming back to the one that is there."""
        self._conversation.token = token
        self._accepted.set()

    def send(self, line: str) -> None:
        """Send a command line, now or as soon as there is a connection."""
        self._conversation.say(line)
        self._wake.set()

    @property
    def is_over(self) -> bool:
        """Whether there will be no further connection."""
        return self._conversation.is_over

    async def run(self) -> None:
        """Keep connected until the server says goodbye for good or the player quits."""
        wait = FIRST_WAIT
        while not self.is_over:
            self._ears.linked("connecting")
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await self._connect()
            except Untrusted as problem:
                self._accepted = trio.Event()
                self._ears.distrusted(problem)
                await self._accepted.wait()
                continue
            except (OSError, trio.TooSlowError) as problem:
                reason = reason_of(problem)
                self._ears.linked(f"no connection ({reason}); trying again {_in(wait)}")
                await trio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)
                continue
            came_in = await self._stay(stream)
            if not self.is_over:
                wait = FIRST_WAIT if came_in else min(wait * 2, LONGEST_WAIT)
                self._ears.linked(f"connection lost; coming back {_in(wait)}")
                await trio.sleep(wait)

    async def _stay(self, stream: trio.abc.Stream) -> bool:
        """Use a connection until it ends; tell whether the player was in."""
        self._conversation.begin()
        async with trio.open_nursery() as nursery:
            heard = _Heard()
            nursery.start_soon(self._write, stream)
            nursery.start_soon(self._watch, heard, nursery.cancel_scope)
            try:
                await self._read(stream, heard)
            finally:
                nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(stream)
        return self._conversation.is_in

    async def _write(self, stream: trio.abc.Stream) -> None:
        """Send what is to be sent, no more in a second than the server takes: what is refused would be lost."""
        counted: deque[float] = deque()
        """Until when each line that was sent counts."""
        try:
            while True:
                self._wake = trio.Event()
                now = trio.current_time()
                while counted and counted[0] <= now:
                    counted.popleft()
                if lines := self._conversation.outgoing(max(0, self._conversation.rate - len(counted))):
                    counted.extend([now + RATE_SECONDS] * lines.count(b"\n"))
                    await stream.send_all(lines)
                elif self._conversation.has_more:
                    with trio.move_on_at(counted[0]):
                        await self._wake.wait()
                else:
                    await self._wake.wait()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the reader hears of it too

    async def _read(self, stream: trio.abc.Stream, heard: _Heard) -> None:
        try:
            async for chunk in stream:
                heard.chunks += 1
                for told in self._conversation.receive(bytes(chunk)):
                    match told:
                        case Greeted() | CameIn():
                            self._ears.linked("connected")
                        case Named(name=name, token=token):
                            self._ears.named(name, token)
                        case reply:
                            self._ears.heard(reply)
                self._wake.set()
                if self.is_over:
                    return
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _watch(self, heard: _Heard, scope: trio.CancelScope) -> None:
        """Ask a silent server whether it is there, and give the connection up where it does not answer."""
        while True:
            chunks = heard.chunks
            await trio.sleep(SILENCE)
            if heard.chunks != chunks:
                continue
            self._conversation.probe()
            self._wake.set()
            await trio.sleep(SILENCE)
            if heard.chunks == chunks:
                scope.cancel()
                return


def _in(seconds: float) -> str:
    return "at once" if seconds < 1 else f"in {seconds:.0f} s"


@dataclass(slots=True)
class _Heard:
    chunks: int = 0
