"""``--plain``: a line-by-line client for screen readers and simple terminals.

The server's own text mode in speech style, over the same kind of connection as the screen: it comes back by itself
and into the same seat. What is typed goes out line by line; nothing is ever drawn over.
"""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.lines import LineFault, LineReader, encode_line
from golfnet.protocol.settings import MAX_WIDTH
from golfnet_client.net import FIRST_WAIT, LONGEST_WAIT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet_client.remembered import Remembered

_TOKEN: Final = re.compile(r"\bresume (\S{16,})|\btoken:? (\S{16,})", re.IGNORECASE)
"""Where the server tells a newcomer the token for coming back."""


def _print(line: str) -> None:
    print(line, flush=True)


class PlainClient:
    """Lines in, lines out, over as many connections as it takes; ``keeps``: the token also for the next run."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        remembered: Remembered,
        server: str,
        *,
        name: str = "",
        keeps: bool = True,
        say: Callable[[str], None] = _print,
    ) -> None:
        self._connect = connect
        self._remembered = remembered
        self._server = server
        self._say = say
        self._keeps = keeps
        kept, self._token = remembered.player(server) if keeps else ("", "")
        self._name = name or kept
        if name and name != kept:
            self._token = ""
        self._stream: trio.abc.Stream | None = None
        self._unsent: list[str] = []
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether the person has quit."""
        return self._is_over

    async def run(self, lines: Callable[[], Awaitable[str | None]]) -> None:
        """Carry lines both ways until the person quits or ``lines`` gives None."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._type, lines, nursery.cancel_scope)
            await self._keep_connected()
            nursery.cancel_scope.cancel()

    async def _type(self, lines: Callable[[], Awaitable[str | None]], scope: trio.CancelScope) -> None:
        while (line := await lines()) is not None:
            if line.strip().lower() == "quit":
                self._is_over = True
            await self._send(line)
        self._is_over = True
        scope.cancel()

    async def _send(self, line: str) -> None:
        if not line.strip():
            return
        if self._stream is None:
            self._unsent.append(line)
            return
        try:
            await self._stream.send_all(encode_line(line))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._unsent.append(line)

    async def _keep_connected(self) -> None:
        wait = FIRST_WAIT
        while not self.is_over:
            try:
                stream = await self._connect()
            except OSError as problem:
                self._say(f"No connection to {self._server}: {problem}. Trying again in {wait:.0f} seconds.")
                await trio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)
                continue
            wait = FIRST_WAIT
            try:
                await self._stay(stream)
            finally:
                self._stream = None
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(stream)
            if not self.is_over:
                self._say("The connection is lost. Coming back.")
                await trio.sleep(wait)

    async def _stay(self, stream: trio.abc.Stream) -> None:
        # Lines as long as they are: the terminal, or what reads it aloud, breaks them.
        first = ["set style speech", f"set width {MAX_WIDTH}"]
        if self._token:
            first.append(f"resume {self._token}")
        elif self._name:
            first.append(f"name {self._name}")
        reader = LineReader(limit=65536)
        try:
            self._unsent[:0] = first
            while self._unsent:
                await stream.send_all(encode_line(self._unsent[0]))
                del self._unsent[0]
            self._stream = stream
            async for chunk in stream:
                for heard in reader.feed(bytes(chunk)):
                    if not isinstance(heard, LineFault):
                        self._hear(heard)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def _hear(self, line: str) -> None:
        found = _TOKEN.search(line)
        if found is not None:
            self._token = found.group(1) or found.group(2)
            self._keep()
        if "BAD_TOKEN" in line:
            self._token = ""
            self._keep()
        self._say(line)

    def _keep(self) -> None:
        if self._keeps:
            self._remembered.keep_player(self._server, self._name, self._token)


def take_any_bytes() -> None:
    """Let bytes of standard input that are no text come as one sign for all of them: they would end the program."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


async def typed_lines() -> str | None:
    """Return the next line of standard input, None at its end."""
    try:
        line = await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
    except ValueError:
        return None
    return line.rstrip("\r\n") if line else None
