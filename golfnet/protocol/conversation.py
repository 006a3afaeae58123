"""The client's side of a conversation with a server, over any number of connections, without a socket.

Invariants: lines sent while there is no connection are queued until the player has logged in. A play command (but not a
slam) that got no answer before the connection was lost is sent again with ``at=SEQ``, so that it is not executed twice;
if it is then refused as ``STALE``, the refusal is not reported. Sent lines and reported events keep their order.
Whatever a server sends, a conversation uses a bounded amount of memory, and never produces a line that cannot be sent.
"""

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, MsgspecError, Struct

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import Group
from golfnet.protocol.lines import OBJECT_LIMIT, LineFault, LineReader, encode_line
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import (
    PROTOCOL,
    AnyReply,
    Bye,
    Error,
    Happened,
    Ok,
    Ping,
    Rows,
    TableView,
    Welcome,
)


class Greeted(Struct, frozen=True):
    """The server has answered, and it supports this version of the protocol."""


class Entered(Struct, frozen=True):
    """The player has logged in on this connection; if they have a seat, the view of their table came just before."""


class TokenIssued(Struct, frozen=True):
    """The secret ``token`` to store, with which the player can reconnect; empty if the stored one is invalid."""

    name: str
    token: str


class NotUnderstood(Struct, frozen=True):
    """The server has sent something that cannot be read; reported once per connection."""


ConversationEvent = AnyReply | Greeted | Entered | TokenIssued | NotUnderstood
"""What ``receive`` reports: the events above, and every reply except those that only maintain the connection."""


class _OutgoingLine(Struct, frozen=True):
    """A line to send, or one that was sent; if ``is_quiet``, a refusal is not reported.

    ``number`` is the one that it was sent with, ``seq`` that of the last event before it was first sent. ``seq`` is
    None if it was not sent yet, or must not be sent again.
    """

    line: str
    is_quiet: bool = False
    seq: int | None = None
    is_repeat: bool = False
    number: int = 0


class Conversation:
    """One player and one server; ``client`` is the name of the program.

    ``token`` is for reconnecting; if it is empty, the player is new and asks for ``name``, if there is one.
    ``has_entered`` is whether the player has logged in on this connection, ``is_over`` whether the server has ended the
    conversation for good.
    """

    def __init__(self, *, client: str, name: str = "", token: str = "") -> None:
        self.name = name
        self.token = token
        self.has_entered = False
        self.is_over = False
        self.rate = USUAL_RATE
        """How many commands per second the server accepts."""
        self._client = client
        self._numbers = itertools.count(1)
        self._reader = LineReader(limit=OBJECT_LIMIT)
        self._urgent: list[str] = []
        """Lines that greet the server and log in; they are sent before the queue."""
        self._queue: deque[_OutgoingLine] = deque()
        self._sent: deque[_OutgoingLine] = deque()
        self._pong = ""
        self._seat_table: str | None = None
        self._seq: int | None = None
        """The number of the latest event at the table where the player has a seat."""
        self._listed = 0
        """How many bytes of ``rows`` have been received since the last answer."""
        self._was_unreadable = False
        """Whether ``NotUnderstood`` was reported on this connection."""
        self._hello = 0
        self._entering = 0

    # --- sending

    def start_connection(self) -> None:
        """Start a connection, perhaps after an earlier one has ended; its first lines go before the queue."""
        self.has_entered = False
        self._reader = LineReader(limit=OBJECT_LIMIT)
        self._queue.extendleft([each for each in reversed(self._sent) if each.seq is not None])
        self._sent.clear()
        self._hello = next(self._numbers)
        self._urgent = [f"{self._hello} hello {PROTOCOL} client={self._client}"]
        self._pong, self._listed, self._was_unreadable = "", 0, False
        if self.token:
            self._enter(f"resume {self.token}")
        elif self.name:
            self._enter(f"name {self.name}")

    def send(self, line: str, *, is_quiet: bool = False) -> None:
        """Queue a command line; it is dropped if ``MOST_LINES`` are queued.

        If ``is_quiet``, a refusal is not reported, because the player did not ask for the command.
        """
        if len(self._queue) < MOST_LINES:
            self._queue.append(_OutgoingLine(line, is_quiet))

    def discard_unsent(self) -> None:
        """Clear the queue."""
        self._queue.clear()

    def probe(self) -> None:
        """Ping the server; the answer is not reported."""
        self._queue.appendleft(_OutgoingLine(f"ping {_PROBE}", is_quiet=True))

    def outgoing(self, most: int | None = None) -> bytes:
        """Return the bytes of the lines that can be sent now, and count them as sent; ``most`` limits their number."""
        lines, self._urgent = self._urgent, []
        if self._pong:
            lines.append(self._pong)
            self._pong = ""
        while self.has_more and (most is None or len(lines) < most):
            lines.append(self._numbered(self._queue.popleft()))
        return b"".join([encode_line(line, b"\n") for line in lines])

    @property
    def has_more(self) -> bool:
        """Whether the queue has a line that can be sent now: before the player has logged in, one needed for that."""
        if not self._queue or len(self._sent) >= MOST_LINES:
            return False
        spec = COMMANDS.get(self._queue[0].line.split(" ", 1)[0])
        return self.has_entered or (spec is not None and spec.before_name)

    def _numbered(self, queued: _OutgoingLine) -> str:
        """Return a line with its number, and count it as sent."""
        line, seq, number = queued.line, queued.seq, next(self._numbers)
        is_repeat = seq is not None
        again = seq if is_repeat else self._seq_for(line)
        self._sent.append(_OutgoingLine(line, queued.is_quiet, again, is_repeat, number))
        return f"{number} {line} at={seq}" if is_repeat else f"{number} {line}"

    def _enter(self, line: str) -> None:
        self._entering = next(self._numbers)
        self._urgent.append(f"{self._entering} {line}")

    def _seq_for(self, line: str) -> int | None:
        """Return the event number with which a line may be sent again, or None if it must not be."""
        spec = COMMANDS.get(line.split(" ", 1)[0])
        is_play = spec is not None and spec.group is Group.PLAY and spec.verb != "slam"
        return self._seq if is_play and " at=" not in line else None

    # --- receiving

    def receive(self, chunk: bytes) -> Iterator[ConversationEvent]:
        """Parse bytes from the server, and yield replies and events in order; yield none once ``is_over`` is true."""
        for line in self._reader.feed(chunk):
            if not isinstance(line, LineFault) and line.startswith("{"):
                yield from self._handle_line(line)
            if self.is_over:
                return

    def _handle_line(self, line: str) -> Iterator[ConversationEvent]:
        try:
            reply = data.decode(line)
        except MsgspecError:
            if not self._was_unreadable:
                self._was_unreadable = True
                yield NotUnderstood()
            return
        match reply:
            case Ping(key=key) if _is_word(key):
                self._pong = f"pong {key}"  # If there are several pings, answer only the last.
                return
            case None | Ping():
                return
            case TableView():
                self._seat_table = reply.table if reply.you is not None else self._seat_table
                self._update_seq(reply)
            case Happened():
                self._update_seq(reply)
            case Rows():
                self._listed += len(line)
                if self._listed > LIST_LIMIT:
                    return  # The list is too long: drop the rest.
            case Ok(id=int(number)):
                yield from self._handle_ok(reply, number)
                return
            case Error(id=int(number)):
                yield from self._handle_error(reply, number)
                return
            case Welcome():
                self.rate = max(1, reply.limits.commands_per_second)
            case Bye():
                self.is_over = reply.code in FOR_GOOD
        yield reply

    def _update_seq(self, reply: TableView | Happened) -> None:
        if reply.table == self._seat_table:
            self._seq = reply.seq

    def _handle_ok(self, ok: Ok, number: int) -> Iterator[ConversationEvent]:
        self._answered(number)
        if ok.name is not UNSET or number == self._entering:
            if ok.name is not UNSET and _is_word(ok.name):
                self.name = ok.name
            if ok.token is not UNSET and _is_word(ok.token):
                self.token = ok.token
                yield TokenIssued(self.name, self.token)
            self.has_entered = True
            yield Entered()
        elif number == self._hello:
            yield Greeted()
        if ok.key != _PROBE and number != self._hello:
            yield ok

    def _handle_error(self, error: Error, number: int) -> Iterator[ConversationEvent]:
        sent = self._answered(number)
        if number == self._entering:
            # Repeated lines wait for a login. Drop them, or a line with another name would wait behind them.
            self._queue = deque([each for each in self._queue if each.seq is None])
        if number == self._entering and self.token and error.code == "BAD_TOKEN":
            # The server no longer knows the token: log in as a newcomer.
            self.token = ""
            yield TokenIssued(self.name, "")
            if self.name:
                self._enter(f"name {self.name}")
                return
        if number == self._hello:  # The server supports only other versions of the protocol.
            self.is_over = True
        is_stale = error.code == "STALE" and sent is not None and sent.is_repeat
        if not is_stale and (sent is None or not sent.is_quiet):
            yield error

    def _answered(self, number: int) -> _OutgoingLine | None:
        """Return the line that was answered. Forget it and all earlier lines: answers come in order."""
        self._listed = 0
        if not any(sent.number == number for sent in self._sent):
            return None
        while (sent := self._sent.popleft()).number != number:
            pass
        return sent


def _is_word(text: str) -> bool:
    return 0 < len(text) <= 200 and text.isprintable() and " " not in text


USUAL_RATE: Final = 10
"""Commands per second that a server accepts, until it sends its own limit."""

MOST_LINES: Final = 1000
"""Maximum lines queued by ``send``, and maximum unanswered lines: far more than any person or screen sends."""

LIST_LIMIT: Final = 8 * 1024 * 1024
"""Maximum bytes of rows in the answer to one command; enough for a list of 20 000 players, or the longest record."""

_PROBE: Final = "still-there"

FOR_GOOD: Final = frozenset(("TAKEN_OVER", "QUIT", "KICKED", "FLOOD", "BAD_PROTOCOL"))
"""Codes of a goodbye after which the client must not reconnect."""
