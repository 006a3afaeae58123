"""A peer's side of a conversation with a server, over as many connections as it takes, without a socket.

What stays true: lines said while there is no connection wait and go out once the player is in; a play command that
went out but was never answered goes out again with ``at=SEQ``, so that it is carried out once or refused as ``STALE``
(which is then no news); what is sent, and what is told, keeps its order. Whatever a server says, what is kept of it has
a bound, and nothing of it can become a line that cannot be sent.
"""

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import UNSET, Struct

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
    """The server has answered as one that speaks this protocol."""


class CameIn(Struct, frozen=True):
    """The connection is the player's from here on: with its seat, of which it was told just before, if it has one."""


class NameGiven(Struct, frozen=True):
    """The secret ``token`` with which the player comes back, to be kept; empty where it is worth nothing any more."""

    name: str
    token: str


Told = AnyReply | Greeted | CameIn | NameGiven
"""What a peer is told: every reply but those that only keep the conversation going, and what follows from them."""


class _Sent(Struct, frozen=True):
    """A line that went out: its number, and where it may be repeated the event it was meant after."""

    number: int
    line: str
    seq: int | None
    is_again: bool


class Conversation:
    """One player and one server; ``client`` is how the program calls itself.

    ``token`` is for coming back, empty for a newcomer, whose ``name`` is taken where it is given. ``is_in`` tells
    whether this connection is the player's by now, ``is_over`` whether the server said goodbye for good.
    """

    def __init__(self, *, client: str, name: str = "", token: str = "") -> None:
        self.name = name
        self.token = token
        self.is_in = False
        self.is_over = False
        self.rate = USUAL_RATE
        """How many commands the server takes in a second."""
        self._client = client
        self._numbers = itertools.count(1)
        self._reader = LineReader(limit=OBJECT_LIMIT)
        self._first: list[str] = []
        """Lines as they go out, ahead of all others: their answers are known by other signs, or there is none."""
        self._again: list[str] = []
        self._waiting: deque[str] = deque()
        self._sent: deque[_Sent] = deque()
        self._pong = ""
        self._seat_table: str | None = None
        self._seq: int | None = None
        """The latest event of the table at which the player has a seat."""
        self._listed = 0
        """Bytes of lists since the last answer."""
        self._hello = 0
        self._entering = 0

    # --- what goes out

    def begin(self) -> None:
        """Begin a connection, an earlier one having ended: what it begins with goes ahead of all that waits."""
        self.is_in = False
        self._reader = LineReader(limit=OBJECT_LIMIT)
        self._again = [f"{each.line} at={each.seq}" for each in self._sent if each.seq is not None]
        self._sent.clear()
        self._hello = next(self._numbers)
        self._first = [f"{self._hello} hello {PROTOCOL} client={self._client}"]
        self._pong, self._listed = "", 0
        if self.token:
            self._enter(f"resume {self.token}")
        elif self.name:
            self._enter(f"name {self.name}")

    def say(self, line: str) -> None:
        """Send a command line, now or as soon as that is possible; where ``MOST_LINES`` wait, it is one too many."""
        if len(self._waiting) < MOST_LINES:
            self._waiting.append(line)

    def discard_unsent(self) -> None:
        """Forget the lines that wait."""
        self._waiting.clear()

    def probe(self) -> None:
        """Ask the server whether it is there; its answer is told to nobody."""
        self._waiting.appendleft(f"ping {_PROBE}")

    def outgoing(self, most: int | None = None) -> bytes:
        """Return, and count as sent, what may go out on this connection by now, up to ``most`` lines."""
        lines, self._first = self._first, []
        if self._pong:
            lines.append(self._pong)
            self._pong = ""
        if self.is_in:
            lines += [self._numbered(line, None, is_again=True) for line in self._again]
            self._again.clear()
        while self.has_more and (most is None or len(lines) < most):
            line = self._waiting.popleft()
            lines.append(self._numbered(line, self._seq_for(line)))
        return b"".join([encode_line(line, b"\n") for line in lines])

    @property
    def has_more(self) -> bool:
        """Whether a line waits that may go out by now."""
        return bool(self._waiting) and self._may_send(self._waiting[0])

    def _numbered(self, line: str, seq: int | None, *, is_again: bool = False) -> str:
        number = next(self._numbers)
        self._sent.append(_Sent(number, line, seq, is_again))
        return f"{number} {line}"

    def _enter(self, line: str) -> None:
        self._entering = next(self._numbers)
        self._first.append(f"{self._entering} {line}")

    def _may_send(self, line: str) -> bool:
        """Tell whether a line can be sent by now: before the player is in only those that bring it in."""
        if len(self._sent) >= MOST_LINES:
            return False
        spec = COMMANDS.get(line.split(" ", 1)[0])
        return self.is_in or (spec is not None and spec.before_name)

    def _seq_for(self, line: str) -> int | None:
        """Return the event number with which a line may be repeated, None for lines that are better not."""
        verb = line.split(" ", 1)[0]
        spec = COMMANDS.get(verb)
        if spec is None or spec.group is not Group.PLAY or verb == "slam" or " at=" in line:
            return None
        return self._seq

    # --- what comes in

    def receive(self, chunk: bytes) -> Iterator[Told]:
        """Yield what bytes of the server tell, one thing after the other; nothing after a goodbye for good."""
        for line in self._reader.feed(chunk):
            if not isinstance(line, LineFault) and line.startswith("{"):
                yield from self._take(line)
            if self.is_over:
                return

    def _take(self, line: str) -> Iterator[Told]:
        try:
            reply = data.decode(line)
        except msgspec.MsgspecError:
            return  # a newer server may say things that are not known here
        match reply:
            case None:
                return
            case Ping(key=key):
                if _is_word(key):
                    self._pong = f"pong {key}"  # of several the last, which nobody answers
                return
            case TableView():
                self._seat_table = reply.table if reply.you is not None else self._seat_table
                self._happened(reply)
            case Happened():
                self._happened(reply)
            case Rows():
                self._listed += len(line)
                if self._listed > LIST_LIMIT:
                    return  # the rest of it
            case Ok(id=int(number)):
                yield from self._done(reply, number)
                return
            case Error(id=int(number)):
                yield from self._refused(reply, number)
                return
            case Welcome():
                self.rate = max(1, reply.limits.commands_per_second)
            case Bye():
                self.is_over = reply.code in FOR_GOOD
        yield reply

    def _happened(self, reply: TableView | Happened) -> None:
        if reply.table == self._seat_table:
            self._seq = reply.seq

    def _done(self, ok: Ok, number: int) -> Iterator[Told]:
        self._answered(number)
        if ok.name is not UNSET or number == self._entering:
            if ok.name is not UNSET and _is_word(ok.name):
                self.name = ok.name
            if ok.token is not UNSET and _is_word(ok.token):
                self.token = ok.token
                yield NameGiven(self.name, self.token)
            self.is_in = True
            yield CameIn()
        elif number == self._hello:
            yield Greeted()
            return
        if ok.key is UNSET or ok.key != _PROBE:
            yield ok

    def _refused(self, error: Error, number: int) -> Iterator[Told]:
        sent = self._answered(number)
        if number == self._entering and self.token and error.code == "BAD_TOKEN":
            # The server no longer knows the token: come in as a newcomer.
            self.token = ""
            yield NameGiven(self.name, "")
            if self.name:
                self._enter(f"name {self.name}")
                return
        if number == self._hello:  # what a server is that speaks another protocol
            self.is_over = True
        if error.code != "STALE" or sent is None or not sent.is_again:
            yield error

    def _answered(self, number: int) -> _Sent | None:
        """Return the line that is answered; answers come in order, so that those before it never will be."""
        self._listed = 0
        if not any(sent.number == number for sent in self._sent):
            return None
        while (sent := self._sent.popleft()).number != number:
            pass
        return sent


def _is_word(text: str) -> bool:
    """Tell whether what a server says can stand in a command line as one word."""
    return 0 < len(text) <= _LONGEST_WORD and text.isprintable() and " " not in text


USUAL_RATE: Final = 10
"""Commands in a second that a server takes until it says otherwise."""

MOST_LINES: Final = 1000
"""Lines that wait, and lines without an answer: far more than anybody types or any screen asks for."""

LIST_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of the rows that answer one command: several times the list of 20 000 players, or the longest record."""

_LONGEST_WORD: Final = 200

_PROBE: Final = "still-there"

FOR_GOOD: Final = frozenset(("TAKEN_OVER", "QUIT", "KICKED", "FLOOD", "BAD_PROTOCOL"))
"""Goodbyes after which coming back would be wrong."""
