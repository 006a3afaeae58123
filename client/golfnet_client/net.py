"""The connection to a server, kept alive: it comes back by itself, into the same seat, and loses no line.

Law: lines typed while there is no connection wait and are sent once the player is back; a play command that was sent
but never answered is sent again with ``at=SEQ``, so that it is carried out once or refused as ``STALE`` (which is then
no news). What happens is told through ``Ears``, in order, from one task.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import trio
from msgspec import UNSET

from golfnet import __version__
from golfnet.protocol import data
from golfnet.protocol.catalog import COMMANDS
from golfnet.protocol.lines import OBJECT_LIMIT, LineFault, LineReader, encode_line
from golfnet.protocol.replies import AnyReply, Bye, Error, Happened, Ok, Ping, TableView
from golfnet.protocol.specs import Group
from golfnet_client.address import reason_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each further one waits twice as long."""

LONGEST_WAIT: Final = 15.0
"""Seconds between attempts at the most: short enough to be back within the grace of a seat."""

SILENCE: Final = 20.0
"""Seconds without a word after which the server is asked whether it is there; as long again means it is not."""

CONNECT_SECONDS: Final = 10.0

_BEFORE_A_NAME: Final = frozenset(("name", "login", "resume", "ping", "pong", "quit"))
"""What may be sent before the player is in; everything else waits."""

_GIVE_UP: Final = frozenset(("TAKEN_OVER", "QUIT", "KICKED", "FLOOD", "BAD_PROTOCOL"))
"""Goodbyes after which coming back would be wrong."""


class Ears(Protocol):
    """Who hears of the connection."""

    def heard(self, reply: AnyReply) -> None:
        """Hear a reply of the server."""

    def linked(self, state: str) -> None:
        """Hear how the connection stands: connecting, connected, or a sentence on what is being waited for."""

    def named(self, name: str, token: str) -> None:
        """Hear the token for coming back, to keep it."""


@dataclass(slots=True)
class _Sent:
    number: int
    line: str
    seq: int | None


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
        self._name = name
        self._token = token
        self._numbers = itertools.count(1)
        self._waiting: deque[str] = deque()
        self._sent: deque[_Sent] = deque()
        self._seqs: dict[str, int] = {}
        self._seat_table: str | None = None
        self._stream: trio.abc.Stream | None = None
        self._wake = trio.Event()
        self._is_in = False
        self._is_over = False
        self._first: list[str] = []
        self._hello = 0
        self._entering = 0

    def send(self, line: str) -> None:
        """Send a command line, now or as soon as there is a connection."""
        self._waiting.append(line)
        self._wake.set()

    @property
    def is_over(self) -> bool:
        """Whether there will be no further connection."""
        return self._is_over

    async def run(self) -> None:
        """Keep connected until the server says goodbye for good or the player quits."""
        wait = FIRST_WAIT
        while not self.is_over:
            self._ears.linked("connecting")
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await self._connect()
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
        self._stream = stream
        self._is_in = False
        again = [each for each in self._sent if each.seq is not None]
        self._sent.clear()
        async with trio.open_nursery() as nursery:
            heard = _Heard()
            nursery.start_soon(self._write, stream)
            nursery.start_soon(self._watch, heard, nursery.cancel_scope)
            self._greet()
            for each in reversed(again):
                self._waiting.appendleft(f"{each.line} at={each.seq}")
            try:
                await self._read(stream, heard)
            finally:
                nursery.cancel_scope.cancel()
        self._stream = None
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(stream)
        return self._is_in

    def _greet(self) -> None:
        """Queue what a connection begins with, ahead of everything that waits."""
        self._hello = next(self._numbers)
        self._first = [f"{self._hello} hello 1 client=golfnet-client/{__version__}"]
        if self._token:
            self._enter(f"resume {self._token}")
        elif self._name:
            self._enter(f"name {self._name}")
        self._wake.set()

    def _enter(self, line: str) -> None:
        self._entering = next(self._numbers)
        self._first.append(f"{self._entering} {line}")

    async def _write(self, stream: trio.abc.Stream) -> None:
        try:
            while True:
                lines = self._due()
                if lines:
                    await stream.send_all(b"".join([encode_line(line, b"\n") for line in lines]))
                    continue
                self._wake = trio.Event()
                if not self._due_later():
                    await self._wake.wait()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the reader hears of it too

    def _due_later(self) -> bool:
        return bool(self._first) or (bool(self._waiting) and self._may_send(self._waiting[0]))

    def _due(self) -> list[str]:
        """Return the lines that may go out now, numbered."""
        lines, self._first = self._first, []
        while self._waiting and self._may_send(self._waiting[0]):
            line = self._waiting.popleft()
            number = next(self._numbers)
            self._sent.append(_Sent(number, line, self._seq_for(line)))
            lines.append(f"{number} {line}")
        return lines

    def _may_send(self, line: str) -> bool:
        """Tell whether a line can be sent before the player is in: only those that bring it in."""
        return self._is_in or line.split(" ", 1)[0] in _BEFORE_A_NAME

    def _seq_for(self, line: str) -> int | None:
        """Return the event number with which a line may be repeated, None for lines that are better not."""
        verb = line.split(" ", 1)[0]
        spec = COMMANDS.get(verb)
        if spec is None or spec.group is not Group.PLAY or verb == "slam" or " at=" in line:
            return None
        return self._seqs.get(self._seat_table or "")

    async def _read(self, stream: trio.abc.Stream, heard: _Heard) -> None:
        reader = LineReader(limit=OBJECT_LIMIT)
        try:
            async for chunk in stream:
                heard.chunks += 1
                for line in reader.feed(bytes(chunk)):
                    if not isinstance(line, LineFault) and line.startswith("{"):
                        self._take(line)
                    if self._is_over:
                        return
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def _take(self, line: str) -> None:
        try:
            reply = data.decode(line)
        except msgspec.MsgspecError:
            return  # a newer server may say things that are not known here
        match reply:
            case None:
                return
            case Ping(key=key):
                self._waiting.appendleft(f"pong {key}")
                self._wake.set()
                return
            case TableView():
                self._seqs[reply.table] = reply.seq
                self._seat_table = reply.table if reply.you is not None else self._seat_table
            case Happened():
                self._seqs[reply.table] = reply.seq
            case Ok(id=int(number)):
                if self._ok(reply, number):
                    return
            case Error(id=int(number)):
                if self._refused(reply, number):
                    return
            case Bye():
                self._is_over = reply.code in _GIVE_UP
        self._ears.heard(reply)

    def _ok(self, ok: Ok, number: int) -> bool:
        """Take over an ok; tell whether it is of no interest to anybody else."""
        self._answered(number)
        if ok.name is not UNSET or number == self._entering:
            if ok.name is not UNSET:
                self._name = ok.name
            if ok.token is not UNSET:
                self._token = ok.token
                self._ears.named(self._name, self._token)
            self._is_in = True
            self._ears.linked("connected")
            self._wake.set()
        elif number == self._hello:
            self._ears.linked("connected")
        return number == self._hello or (ok.key is not UNSET and ok.key == _KEY)

    def _refused(self, error: Error, number: int) -> bool:
        sent = self._answered(number)
        if number == self._entering and self._token and error.code == "BAD_TOKEN":
            # The server no longer knows the token: come in as a newcomer.
            self._token = ""
            self._ears.named(self._name, "")
            if self._name:
                self._enter(f"name {self._name}")
                self._wake.set()
                return True
        return error.code == "STALE" and sent is not None and " at=" in sent.line

    def _answered(self, number: int) -> _Sent | None:
        for sent in self._sent:
            if sent.number == number:
                self._sent.remove(sent)
                return sent
        return None

    async def _watch(self, heard: _Heard, scope: trio.CancelScope) -> None:
        """Ask a silent server whether it is there, and give the connection up where it does not answer."""
        while True:
            chunks = heard.chunks
            await trio.sleep(SILENCE)
            if heard.chunks != chunks:
                continue
            self._waiting.appendleft(f"ping {_KEY}")
            self._wake.set()
            await trio.sleep(SILENCE)
            if heard.chunks == chunks:
                scope.cancel()
                return


_KEY: Final = "still-there"


def _in(seconds: float) -> str:
    return "at once" if seconds < 1 else f"in {seconds:.0f} s"


@dataclass(slots=True)
class _Heard:
    chunks: int = 0
