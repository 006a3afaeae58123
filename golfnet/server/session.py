"""A session: one player's stay on one connection, from its first byte to its last.

Its ``reception`` hears what the peer sends, its ``voice`` says what the peer is told; in between, requests are carried
out one after the other. What stays true: replies go out in the order in which they were said, interjections aside, and
none before what it tells of is durable. A session never awaits: a request that needs a worker thread (a password)
suspends the reading of further ones until it is answered.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import trio

from golfnet.engine.layout import Seat
from golfnet.protocol.commands import Request, id_of, is_pong, parse
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LineFault
from golfnet.protocol.replies import AnyReply, Burst, Bye, Error, Notice, Ping
from golfnet.protocol.settings import Style
from golfnet.protocol.telnet import Charset, Signal, Terminal, TimingAnswer, WindowSize
from golfnet.server.config import Config
from golfnet.server.counters import Counters
from golfnet.server.discards import Discards, discard_in
from golfnet.server.gate import Gate
from golfnet.server.reception import REFUSALS, Foreign, Owed, Reception
from golfnet.server.roundtrip import SLACK, RoundTrips
from golfnet.server.sanctions import Sanctions
from golfnet.server.throttle import RateLimit
from golfnet.server.transport import Transport
from golfnet.server.voice import Voice

if TYPE_CHECKING:
    from golfnet.server.player import Player

log = logging.getLogger(__name__)


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
        "_discards",
        "_gate",
        "_held",
        "_input_over",
        "_pending",
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
        "player",
        "round_trips",
        "transport",
        "voice",
    )

    def __init__(self, host: Host, transport: Transport, *, telnet: bool = False) -> None:
        config = host.config
        self.host = host
        self.transport = transport
        self._reception = Reception()
        self.voice = Voice(transport, self._reception)
        self.player: Player | None = None
        self.client = ""
        self.connected = trio.current_time()
        self.heard = self.connected
        self.chat_limit = RateLimit(config.chat_per_10_seconds, 10)
        self.answer_to: Callable[[str], None] | None = None
        """Where the next line goes instead of being a command: a password that was asked for."""
        self.arrived = self.connected
        """When the request being carried out came in."""
        self.round_trips = RoundTrips(transport)
        self._discards = Discards()
        self._gate = host.gate
        self._rate = RateLimit(config.commands_per_second, 1)
        self._pending: list[str | LineFault] = []
        self._suspended = False
        self._input_over = False
        self._closed = False
        self._held: list[tuple[int, AnyReply | Burst, Seat | None]] = []
        if telnet:
            self.voice.start_telnet()

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
            self.voice.say(reply)

    def release(self, durable: int) -> int:
        """Send what waits for tickets up to ``durable``; return the ticket that the rest waits for, 0 without one."""
        held, said = self._held, 0
        try:
            for ticket, reply, you in held:
                if ticket > durable:
                    break
                self._say(reply, you)
                said += 1
        except Exception:  # whoever releases has others to release
            log.exception("a connection from %s ended with a fault in the server", self.transport.address)
            held.clear()
            if not self._closed:
                self._end("lost")
        del held[:said]
        if self._closed and not held:
            self.transport.close()
        elif self._input_over:
            self._finish_if_done()
        return held[0][0] if held else 0

    def ask_password(self, prompt: str, then: Callable[[str], None]) -> None:
        """Ask for a line that is not shown where the peer speaks telnet; the answer goes to ``then``."""
        self.answer_to = then
        self.voice.hide_input()  # before the prompt: whoever has read it may type
        self.send(Notice(code="PASSWORD", text=prompt))

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
    def is_suspended(self) -> bool:
        """Whether a request is being answered in a task of its own."""
        return self._suspended

    @property
    def is_open(self) -> bool:
        """Whether the peer may still be told something."""
        return not self._closed

    def measure(self) -> None:
        """Ask for a sign of life, to measure the round trip; a peer that has not answered is not asked again."""
        if self._closed:
            return
        self.transport.stamp_arrivals()
        if not self.voice.machine:
            self.voice.mark_time()
        elif (key := self.round_trips.ping(trio.current_time())) is not None:
            self.voice.say(Ping(key=key))

    @property
    def discard_meant(self) -> int:
        """The discard that a slam without a number is for: the last that was shown to this peer (C20).

        One that was shown just now does not count for a line that was sent before it can have come. This is certain
        only some time short of the round trip: whoever has seen a window means it.
        """
        known = self.round_trips.estimate(self.arrived)
        under_way = 0.0 if known is None else max(0.0, known.least - SLACK)
        return self._discards.last_by(self.arrived - under_way)

    # --- inside

    def _obey(self, heard: object) -> None:
        """Act on what a peer said besides text."""
        match heard:
            case Owed(answer=answer):
                self.voice.write(answer)
            case Foreign(what=what, answer=answer):
                log.info("%s on the plain port from %s", what, self.transport.address)
                self.voice.write(answer)
                self._end("protocol")
            case WindowSize() | Terminal() | Charset():
                self.voice.suit(heard)
            case TimingAnswer(seconds=seconds):
                self.round_trips.note(seconds, self.arrived)
            case Signal.ARE_YOU_THERE:
                self.send(Notice(code="HERE", text="golfnet is here."))
            case Signal.MSSP_WANTED:
                self.voice.tell_listing(self.host.mssp())
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
            self.refuse(REFUSALS[line], None)
            return
        if self.answer_to is not None:
            then, self.answer_to = self.answer_to, None
            self.voice.show_input()
            then(line)
            return
        if not is_pong(line) and (wait := self._rate.take(self.arrived)):
            too_fast = Refused(Code.RATE_LIMITED, f"Too many commands; wait {wait} ms.", wait_ms=wait)
            self.refuse(too_fast, id_of(line))
            return
        voice, player = self.voice, self.player
        try:
            request = parse(
                line,
                machine=voice.machine,
                holding=not voice.machine and player is not None and player.is_holding,
                spoken=voice.settings.style is Style.SPEECH and player is not None and player.is_at_a_table,
            )
        except Refused as refused:
            self.refuse(refused, refused.id)
            return
        self.host.handle(self, request)

    def _say(self, reply: AnyReply | Burst, you: Seat | None) -> None:
        """Say something now; note when the discard of a slam window was written to the seat."""
        self.voice.say(reply, you)
        if you is not None and (number := discard_in(reply)) is not None:
            now = trio.current_time()
            self._discards.note(number, now)
            if self.player is not None and self.player.table is not None:
                self.player.table.pace.windows.shown(you, number, now, self)
