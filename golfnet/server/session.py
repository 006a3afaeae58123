"""A session: one player's stay on one connection, from its first byte to its last.

Bytes come in, are made into requests and carried out one after the other; replies go out rendered as the peer wants
them. A session never awaits: a request that needs a worker thread (a password) suspends the reading of further ones
until it is answered, so that replies keep their order.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Protocol

import trio
from msgspec.structs import replace

from golfnet.engine.layout import Seat
from golfnet.protocol import data, text
from golfnet.protocol.commands import Request, id_of, parse
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import CRLF, LINE_LIMIT, LineFault, encode_line
from golfnet.protocol.replies import AnyReply, Burst, Bye, Error, Happened, Notice, Ok, Ping, TableView
from golfnet.protocol.settings import Cards, Settings, Style
from golfnet.protocol.telnet import (
    Charset,
    Mtts,
    Signal,
    Terminal,
    TimingAnswer,
    WindowSize,
)
from golfnet.server.config import Config
from golfnet.server.counters import Counters
from golfnet.server.gate import Gate
from golfnet.server.reception import Foreign, Owed, Reception
from golfnet.server.roundtrip import RoundTrips, is_measured_by_kernel
from golfnet.server.sanctions import Sanctions
from golfnet.server.throttle import RateLimit
from golfnet.server.transport import Transport

if TYPE_CHECKING:
    from golfnet.server.player import Player

log = logging.getLogger(__name__)

_LAST_LINES: Final = 12
"""Lines that ``again`` can repeat."""


class Host(Protocol):
    """What a session needs of the server around it."""

    config: Config
    gate: Gate
    counters: Counters
    sanctions: Sanctions

    def handle(self, session: "Session", request: Request) -> None:
        """Carry out a request."""

    def ended(self, session: "Session", cause: str) -> None:
        """Hear that a session is over."""

    def mssp(self) -> Mapping[str, str | Sequence[str]]:
        """Return what MUD listings are told about the server."""


class Session:
    """The conversation with one peer."""

    __slots__ = (
        "_closed",
        "_discards_shown",
        "_gate",
        "_held",
        "_input_over",
        "_pending",
        "_pings",
        "_rate",
        "_reception",
        "_suspended",
        "answer_to",
        "arrived",
        "chat_limit",
        "client",
        "connected",
        "heard",
        "host",
        "last_event",
        "last_lines",
        "machine",
        "player",
        "round_trips",
        "sent_ping",
        "settings",
        "transport",
    )

    def __init__(self, host: Host, transport: Transport, *, telnet: bool = False) -> None:
        config = host.config
        self.host = host
        self.transport = transport
        self.player: Player | None = None
        self.settings = Settings()
        self.machine = False
        self.client = ""
        self.connected = trio.current_time()
        self.heard = self.connected
        self.chat_limit = RateLimit(config.chat_per_10_seconds, 10)
        self.answer_to: Callable[[str], None] | None = None
        """Where the next line goes instead of being a command: a password that was asked for."""
        self.arrived = self.connected
        """When the request being carried out came in."""
        self.round_trips = RoundTrips()
        self.sent_ping: tuple[str, float] | None = None
        """The key of a ping that is not answered yet, and when it was sent."""
        self.last_event: list[str] = []
        self.last_lines: list[str] = []
        self._gate = host.gate
        self._rate = RateLimit(config.commands_per_second, 1)
        self._reception = Reception()
        self._pending: list[str | LineFault] = []
        self._suspended = False
        self._input_over = False
        self._closed = False
        self._held: list[tuple[int, AnyReply | Burst, Seat | None]] = []
        self._pings = count(1)
        self._discards_shown: tuple[tuple[int, float], ...] = ()
        if telnet:
            self.start_telnet()

    # --- what the peer sends

    def receive(self, received: bytes, arrived: float) -> None:
        """Take bytes from the peer; everything they cause is written before this returns."""
        if self._closed:
            return
        self.arrived = self.heard = arrived
        for item in self._reception.hear(received, arrived):
            if isinstance(item, (str, LineFault)):
                self._pending.append(item)
            else:
                self._obey(item)
        self._work()

    def end_of_input(self) -> None:
        """Carry out what has come, answer it, and close."""
        if self._closed:
            return
        self._input_over = True
        self._pending += self._reception.end()
        self._work()

    def lost(self, cause: str) -> None:
        """Hear that the connection is gone."""
        self._held.clear()
        if not self._closed:
            self._closed = True
            self.host.ended(self, cause)

    # --- what the server says

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Say something, once ``ticket`` is durable and all that was said before is out."""
        if self._closed:
            return
        if self._held or ticket > self._gate.durable:
            if not self._held:
                self._gate.hold(self, ticket)
            self._held.append((ticket, reply, you))
        else:
            self._say(reply, you)

    def interject(self, reply: AnyReply) -> None:
        """Say something at once, before all that waits."""
        if not self._closed:
            self._say(reply, None)

    def release(self, durable: int) -> int:
        """Send what waits for tickets up to ``durable``; return the ticket that the rest waits for, 0 without one."""
        held, said = self._held, 0
        for ticket, reply, you in held:
            if ticket > durable:
                break
            self._say(reply, you)
            said += 1
        del held[:said]
        if self._closed and not held:
            self.transport.close()
        elif self._input_over:
            self._finish_if_done()
        return held[0][0] if held else 0

    def say_lines(self, lines: list[str]) -> None:
        """Say ready-made lines of text, behind everything that waits."""
        for line in lines:
            self.send(Notice(code=text.AS_IT_IS, text=line))

    def ask_password(self, prompt: str, then: Callable[[str], None]) -> None:
        """Ask for a line that is not shown where the peer speaks telnet; the answer goes to ``then``."""
        self.answer_to = then
        self.send(Notice(code="PASSWORD", text=prompt))
        if (telnet := self._reception.telnet) is not None:
            self._raw(telnet.hide_input())

    def suspend(self) -> None:
        """Carry out no further request until ``resume``."""
        self._suspended = True

    def resume(self) -> None:
        """Go on with the requests that came meanwhile."""
        self._suspended = False
        self._work()

    def refuse(self, refused: Refused, number: int | None) -> None:
        """Answer a request with an error."""
        code = refused.code
        self.host.counters.refusals[code.value] += 1
        fields: dict[str, Any] = {"code": code.value, "message": refused.message, "retry": code.retry}
        if number is not None:
            fields["id"] = number
        if refused.wait_ms is not None:
            fields["wait_ms"] = refused.wait_ms
        self.send(Error(**fields))

    def close(self, code: Code, sentence: str) -> None:
        """Say goodbye and close; what waits for the journal goes out first, but nobody waits for that."""
        if self._closed:
            return
        self.send(Bye(code=code.value, text=sentence))
        self._closed = True
        if not self._held:
            self.transport.close()
        self.host.ended(self, code.value.lower())

    @property
    def is_open(self) -> bool:
        """Whether the peer may still be told something."""
        return not self._closed

    @property
    def latency(self) -> float | None:
        """The smallest measured round trip in seconds, None before any was measured."""
        if is_measured_by_kernel(self.transport.address):
            by_kernel = self.transport.round_trip()
            if by_kernel is not None:
                self.round_trips.note_smallest(by_kernel)
        return self.round_trips.smallest

    def measure(self) -> None:
        """Ask for a sign of life, to measure the round trip; a peer that has not answered is not asked again."""
        if self._closed:
            return
        self.transport.stamp_arrivals()
        if not self.machine:
            if (telnet := self._reception.telnet) is not None:
                self._raw(telnet.timing_mark(now=trio.current_time()))
        elif self.sent_ping is None:
            self.sent_ping = (f"{next(self._pings):x}", trio.current_time())
            self.interject(Ping(key=self.sent_ping[0]))

    @property
    def discard_meant(self) -> int:
        """The discard that a slam without a number is for: the last that this peer can have seen by then (C20)."""
        seen = self.arrived - (self.latency or 0.0)
        return next((number for number, at in reversed(self._discards_shown) if at <= seen), 0)

    @property
    def wants_pictures(self) -> bool:
        """Whether the table is drawn without being asked for."""
        return not self.machine and self.settings.style != "speech"

    def start_telnet(self) -> None:
        """Begin telnet negotiation, as the telnet port does at once and ``telnet on`` asks for."""
        self._raw(self._reception.start_telnet())

    # --- inside

    def _obey(self, heard: object) -> None:
        """Act on what a peer said besides text."""
        match heard:
            case Owed(answer=answer):
                self._raw(answer)
            case Foreign(what=what, answer=answer):
                log.info("%s on the plain port from %s", what, self.transport.address)
                self._raw(answer)
                self._end("protocol")
            case WindowSize(columns=columns) if columns:
                self.settings = self.settings.with_width(columns)
            case TimingAnswer(seconds=seconds):
                self.round_trips.note(seconds)
            case Signal.ARE_YOU_THERE:
                self.send(Notice(code="HERE", text="golfnet is here."))
            case Terminal(abilities=abilities):
                if abilities & Mtts.SCREEN_READER:
                    self.settings = replace(self.settings, style=Style.SPEECH)
            case Charset(utf_8=False):
                self.settings = replace(self.settings, cards=Cards.LETTERS)
            case Signal.MSSP_WANTED:
                if (telnet := self._reception.telnet) is not None:
                    self._raw(telnet.mssp(self.host.mssp()))
            case Signal.FLOOD:
                self.close(Code.FLOOD, "Too many telnet options in ten seconds.")

    def _work(self) -> None:
        """Carry out requests in order, until none is left or one suspends the session."""
        while self._pending and not self._suspended and not self._closed:
            self._line(self._pending.pop(0))
        if self._input_over:
            self._finish_if_done()

    def _finish_if_done(self) -> None:
        """Close after the end of input, once everything that came before it is answered."""
        if not (self._pending or self._suspended or self._held or self._closed):
            self._end("lost")

    def _end(self, cause: str) -> None:
        """Close after what was written; nothing waits any more."""
        self._closed = True
        self.transport.close()
        self.host.ended(self, cause)

    def _line(self, line: str | LineFault) -> None:
        if isinstance(line, LineFault):
            self.refuse(_FAULTS[line], None)
            return
        if self.answer_to is not None:
            then, self.answer_to = self.answer_to, None
            if (telnet := self._reception.telnet) is not None:
                self._raw(telnet.show_input())
            then(line)
            return
        is_free = "pong" in line.lower() and _is_pong(line)
        if not is_free and (wait := self._rate.take(self.arrived)):
            self.refuse(_too_fast(wait), id_of(line))
            return
        try:
            request = parse(
                line,
                machine=self.machine,
                holding=not self.machine and self._is_holding(),
                spoken=self.settings.style is Style.SPEECH and self._is_at_a_table(),
            )
        except Refused as refused:
            self.refuse(refused, refused.id)
            return
        self.host.handle(self, request)

    def _is_holding(self) -> bool:
        table = self.player.table if self.player is not None else None
        return table is not None and self.player is not None and table.is_holding(self.player)

    def _is_at_a_table(self) -> bool:
        return self.player is not None and (self.player.table is not None or bool(self.player.watched))

    def _say(self, reply: AnyReply | Burst, you: Seat | None) -> None:
        telnet = self._reception.telnet
        if self.machine:
            line = data.encode(reply)
            self.transport.write(line if telnet is None else telnet.encode(line))
        elif isinstance(reply, Burst):
            for happened in reply.events:
                self._tell(happened, you)
        else:
            self._tell(reply, you)
        if you is not None and (shown := _discard_in(reply)) is not None:
            self._note_discard(you, shown)

    def _tell(self, reply: AnyReply, you: Seat | None) -> None:
        """Say something to a person."""
        telnet = self._reception.telnet
        lines = text.render(reply, self.settings, you=you)
        if isinstance(reply, Happened):
            self.last_event = lines
        if not (isinstance(reply, Ok | Error | TableView) or _is_repeated(reply)):
            self.last_lines = [*self.last_lines, *lines][-_LAST_LINES:]
        out = b"".join([encode_line(line, CRLF) for line in lines])
        if telnet is not None and telnet.started:
            package = telnet.gmcp(f"Golf.{_package(reply)}", data.encode(reply).rstrip())
            out = package + telnet.encode(out) + (telnet.mark_end_of_record() if lines else b"")
        self._raw(out)

    def _raw(self, out: bytes) -> None:
        if out:
            self.transport.write(out)

    def _note_discard(self, seat: Seat, number: int) -> None:
        """Note when the discard of a slam window was written to the seat."""
        now = trio.current_time()
        if not self._discards_shown or self._discards_shown[-1][0] != number:
            self._discards_shown = (*self._discards_shown[-1:], (number, now))
        if self.player is not None and self.player.table is not None:
            self.player.table.pace.windows.shown(seat, number, now, self)


_FAULTS: Final = {
    LineFault.TOO_LONG: Refused(
        Code.LINE_TOO_LONG, f"A line may have {LINE_LIMIT} bytes; this one was thrown away."
    ),
    LineFault.BAD_ENCODING: Refused(Code.BAD_ENCODING, "That line was not UTF-8 text and was thrown away."),
}


def _discard_in(reply: AnyReply | Burst) -> int | None:
    """Return the number of the discard whose slam window a reply shows."""
    if isinstance(reply, Burst):
        return reply.discard_no
    return reply.slam.discard_no if isinstance(reply, TableView) and reply.slam is not None else None


def _is_repeated(reply: AnyReply) -> bool:
    """Tell whether a reply was asked for and says what was said before."""
    return isinstance(reply, Notice) and reply.code == text.AS_IT_IS


def _is_pong(line: str) -> bool:
    """Tell whether a line answers a ping: the one command that is free and never answered."""
    words = line.split()[:2]
    return "pong" in [word.lower() for word in (words[1:] if words and words[0].isdigit() else words[:1])]


def _package(reply: AnyReply) -> str:
    """Return the last part of a reply's GMCP package: Event, View, Ok …"""
    return "Event" if isinstance(reply, Happened) else str(reply.__struct_config__.tag).title()


def _too_fast(wait_ms: int) -> Refused:
    return Refused(Code.RATE_LIMITED, f"Too many commands; wait {wait_ms} ms.", wait_ms=wait_ms)
