"""A session: one player's stay on one connection, from its first byte to its last.

Its ``incoming`` half reads what the peer sends, its ``outgoing`` half sends what the peer is told; in between, requests
are carried out one after the other. What stays true: replies go out in the order in which they were sent, interjections
aside, and none before what it tells of is durable. A session never awaits: a request that needs a worker thread (a
password) suspends the reading of further ones until it is answered.
"""

import logging
from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol

import trio
from msgspec.structs import replace

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.parse import Request, id_of, parse, pong_key
from golfnet.protocol.commands.settings import Style
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LineFault
from golfnet.protocol.replies.replies import Bye, Error, Notice, Ping
from golfnet.protocol.telnet.telnet import (
    Charset,
    Signal,
    TelnetPeer,
    TerminalType,
    TimingAnswer,
    WindowSize,
)
from golfnet.server.budget import RateLimit
from golfnet.server.config import Config
from golfnet.server.counters import Counters
from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.net.transport import Transport
from golfnet.server.session.decoder import REFUSALS, InputDecoder, OtherProtocol, TelnetReply
from golfnet.server.session.incoming import Allowance, Incoming
from golfnet.server.session.player import Discards
from golfnet.server.session.repeats import STOP
from golfnet.server.session.roundtrip import SLACK, RoundTrips
from golfnet.server.session.writer import ReplyWriter

if TYPE_CHECKING:
    from golfnet.server.session.player import Player

CONFIRM_SECONDS: Final = 30.0
"""For how long a question stands."""


class Confirmation:
    """The question that a person was asked last, if any."""

    __slots__ = ("_asked", "_until")

    def __init__(self) -> None:
        self._asked = ""
        self._until = 0.0

    def is_given(self, what: str, now: float) -> bool:
        """Tell whether the person was asked about this lately; if not, count it as asked at ``now`` (seconds)."""
        if self._asked == what and now < self._until:
            self._asked = ""
            return True
        self._asked, self._until = what, now + CONFIRM_SECONDS
        return False


log = logging.getLogger(__name__)


MOST_MISTAKES: Final = 2
"""How many useless answers about a password are asked for again: who types a third one has to look up what it is."""

TYPED_AHEAD_SECONDS: Final = 1.0
"""How long nothing is carried out after a question that came to nothing: who has not read that may type the password
once more, and it would be said at the table or run as a command. Longer than lines are on their way."""

ENTER_SECONDS: Final = 1.0
"""How long Enter alone gets no second answer: a key that is held down would fill the screen with the same lines, and
what happens meanwhile is told with a hint of its own."""

_TYPED_AHEAD: Final = Refused(
    Code.BAD_PHASE,
    "This line came right after a question about a password and was not carried out. If it is no password, type it "
    "again.",
)


class Server(Protocol):
    """What a session needs of the server around it."""

    config: Config
    gate: DurabilityGate
    counters: Counters

    def handle(self, session: "Session", request: Request) -> None:
        """Carry out a request."""

    def entered(self, session: "Session") -> None:
        """Tell a person who has pressed Enter alone what can be done now."""

    def ended(self, session: "Session", cause: str) -> None:
        """Note that a session is over."""

    def mssp(self) -> Mapping[str, str | Sequence[str]]:
        """Return what MUD listings are told about the server."""


class LineRelay(Protocol):
    """What a session does with what its peer sends while the player is at another node; see ``links.relay``."""

    def pass_line(self, line: str | LineFault, arrived: float) -> None:
        """Send a line, nothing for Enter alone."""

    def pass_on(self, heard: object) -> None:
        """Tell what the peer said besides text."""

    def end_input(self) -> None:
        """Tell that nothing more comes."""

    def drained(self) -> None:
        """Hear that little waits for the peer."""

    def end(self, cause: str) -> None:
        """Hear that the connection is over."""


class Session(Incoming):
    """The conversation with one peer."""

    __slots__ = (
        "_discards",
        "_enter_told",
        "_ignores_until",
        "_mistakes",
        "chat_limit",
        "client",
        "confirmation",
        "connected",
        "hops",
        "is_silent",
        "line",
        "player",
        "question",
        "relay",
        "round_trips",
        "server",
    )

    def __init__(self, server: Server, transport: Transport, *, telnet: bool = False) -> None:
        config = server.config
        decoder = InputDecoder()
        super().__init__(
            transport,
            decoder,
            ReplyWriter(transport, decoder),
            server.gate,
            Allowance(config),
            outbox=config.outbox,
            now=trio.current_time(),
        )
        self.server = server
        self.player: Player | None = None
        self.client = ""
        self.connected = self.arrived
        self.line = ""
        """The line that is carried out, or that a question was asked about."""
        self.hops = 0
        """How many nodes have tried to carry it out before this one."""
        self.relay: LineRelay | None = None
        """What passes the lines on, while the player is at another node."""
        self.is_silent = True
        """Whether no line has come yet."""
        self.chat_limit = RateLimit(config.chat_per_10_seconds, 10)
        self.question: Request | None = None
        """The command that the next line is typed for, instead of being one: a password was asked for."""
        self._mistakes = 0
        """How many answers to it were of no use."""
        self._ignores_until = -inf
        self._enter_told = -inf
        """When Enter alone was answered the last time."""
        self.confirmation = Confirmation()
        self.round_trips = RoundTrips(transport)
        self._discards = Discards()
        if telnet:
            self.writer.start_telnet()

    # --- what the peer sends

    def lost(self, cause: str) -> None:
        """Hear that the connection is gone."""
        self._held.clear()
        self._drop_requests()
        if not self._closed:
            self._closed = True
            self.server.ended(self, cause)

    def proceed(self) -> None:
        """Do some more of what this peer has asked for, here or elsewhere."""
        if self.relay is not None:
            self.relay.drained()
        super().proceed()

    # --- what the server says

    def ask_password(self, prompt: str, request: Request) -> None:
        """Ask for a line that is not shown where the peer speaks telnet, and carry out the request again with it."""
        self.question = request
        self.writer.hide_input()  # before the prompt: whoever has read it may type
        self.send(Notice(code="PASSWORD", text=prompt))

    def ask_again(self, refused: Refused, prompt: str, request: Request) -> None:
        """Ask once more after an answer that is of no use, and say why it is; raise ``refused`` after a few of them."""
        self._mistakes += 1
        if self._mistakes > MOST_MISTAKES:
            raise Refused(
                refused.code, f"{refused.message} Nothing was done; start over with {request.verb}."
            )
        self.ask_password(f"{refused.message} {prompt}", request)

    def end_questions(self) -> None:
        """Ask nothing more, and carry out nothing that was typed ahead for it: it may be a password."""
        self.question = None
        self._ignores_until = trio.current_time() + TYPED_AHEAD_SECONDS

    def resume(self) -> None:
        """Go on with the requests that came meanwhile; what is typed may be shown, unless there is a question."""
        if self.relay is None:
            self._show_input()
        super().resume()

    def refuse(self, refused: Refused, number: int | None) -> None:
        """Answer a request with an error."""
        code = refused.code
        self.server.counters.refusals[code.value] += 1
        message = refused.message if self.writer.machine else refused.sentence
        fields: dict[str, Any] = {"code": code.value, "message": message, "retry": code.retry}
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
        if self._held.replies:
            self.transport.pause()
        else:
            self.transport.close()
        self.server.ended(self, code.value.lower())

    def measure(self) -> None:
        """Ask for a sign of life, to measure the round trip; a peer that has not answered is not asked again."""
        if self._closed:
            return
        self.transport.stamp_arrivals()
        if not self.writer.machine:
            self.writer.request_timing_mark()
        elif (key := self.round_trips.ping(trio.current_time())) is not None:
            self.writer.write(Ping(key=key))

    # --- at two nodes

    @property
    def telnet(self) -> TelnetPeer | None:
        """What speaks telnet with the peer, None where nothing does."""
        return self._decoder.telnet

    @telnet.setter
    def telnet(self, telnet: TelnetPeer) -> None:
        self._decoder.telnet = telnet

    def hang_up(self) -> None:
        """Close after what was written: who has the player has said goodbye."""
        self._closed = True
        self._drop_requests()
        self.transport.close()
        self.server.ended(self, "lost")

    def retire(self) -> None:
        """Do and say nothing more here: the peer's front goes on elsewhere."""
        self._closed = True
        self._held.clear()
        self._drop_requests()

    def carry(self, line: str, typed: tuple[str, ...]) -> None:
        """Carry out a line that another node could not, with what was typed for it; here it is not sent on."""
        self.line, self.hops, self.is_silent = line, 1, False
        self._suspended = False
        try:
            request = parse(line, machine=True) if self.writer.machine else self._parse_typed(line)
        except Refused as refused:  # by a node of another version
            self.refuse(refused, refused.id)
        else:
            self.server.handle(self, replace(request, typed=typed))

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
        if self.relay is not None:
            self.relay.pass_on(heard)
        match heard:
            case TelnetReply(answer=answer):
                self.writer.write_bytes(answer)
            case OtherProtocol(what=what, answer=answer):
                log.info("%s on the plain port from %s", what, self.transport.address)
                self.writer.write_bytes(answer)
                self._end("protocol")
            case WindowSize() | TerminalType() | Charset():
                self.writer.adapt_to(heard)
            case TimingAnswer(seconds=seconds) if self.relay is None:
                self.round_trips.note(seconds, self.arrived)
            case Signal.ARE_YOU_THERE:
                self.send(Notice(code="HERE", text="golfnet is here."))
            case Signal.MSSP_WANTED:
                self.writer.write_mssp(self.server.mssp())
            case Signal.FLOOD:
                self.close(Code.FLOOD, "Your program sent too many telnet options in ten seconds.")

    def _overspent(self) -> None:
        """Send off a peer that sends too much that is no line."""
        self.close(
            Code.FLOOD,
            "You sent too much in ten seconds that is no command. Connect again, and end each command with Enter.",
        )

    def _end(self, cause: str) -> None:
        """Close after what was written; nothing waits any more."""
        if self.relay is not None and cause == "lost":
            self.relay.end_input()
            return
        self.writer.write_rest()
        self._closed = True
        self.transport.close()
        self.server.ended(self, cause)

    def _entered(self) -> None:
        if self.relay is not None:
            self.relay.pass_line("", self.arrived)
        elif self.question is not None:
            number = self.question.id
            self.end_questions()
            self._show_input()
            self.refuse(Refused(Code.BAD_ARGUMENT, "You typed no password, so nothing was done."), number)
        elif self.writer.pager.is_waiting:
            self.writer.write_page()
        elif not (self.writer.machine or self.is_silent) and self.arrived >= self._enter_told + ENTER_SECONDS:
            self._enter_told = self.arrived
            self.server.entered(self)

    def _line(self, line: str | LineFault) -> None:
        if self.relay is not None:
            self.relay.pass_line(line, self.arrived)
            return
        # A line drops what is left of a long answer, and may be for nothing but that.
        if not self.writer.machine and self.writer.start_answer() and _is_stop(line):
            return
        self.is_silent = False
        if isinstance(line, LineFault):
            too_fast = self._rate.take(self.arrived)
            self.refuse(REFUSALS[line], None)
            if too_fast:
                self._warned()
            return
        if self.question is not None:
            question, self.question = self.question, None
            self.server.handle(self, replace(question, typed=(*question.typed, line)))
            if not self._suspended:
                self._show_input()
            return
        key = pong_key(line)
        if (key is None or not self.round_trips.awaits(key)) and (wait := self._rate.take(self.arrived)):
            if key is None:
                too_many = Refused(Code.RATE_LIMITED, "You are sending commands too fast.", wait_ms=wait)
                self.refuse(too_many, id_of(line))
            self._warned()
            return
        if self.arrived < self._ignores_until:
            self.refuse(_TYPED_AHEAD, id_of(line))
            return
        self.line, self.hops = line, 0
        try:
            request = parse(line, machine=True) if self.writer.machine else self._parse_typed(line)
        except Refused as refused:
            self.refuse(refused, refused.id)
            return
        self.server.handle(self, request)

    def _show_input(self) -> None:
        """Let what is typed be shown again where no question is left.

        Not between two: the peer would show what is typed until it has agreed to hide it again.
        """
        if self.question is None:
            self._mistakes = 0
            self.writer.show_input()

    def _parse_typed(self, line: str) -> Request:
        """Return what a person asks for, who may leave out what goes without saying; raises ``Refused``."""
        player, is_spoken = self.player, self.writer.settings.style is Style.SPEECH
        return parse(
            line,
            machine=False,
            holding=player is not None and player.is_holding,
            spoken=is_spoken and player is not None and player.is_at_a_table,
        )

    def _warned(self) -> None:
        """Send off a peer that goes on above its rate."""
        if self._rate.is_flood(self.arrived):
            most = self.server.config.excess_per_10_seconds
            self.close(
                Code.FLOOD,
                f"You sent more than {most} commands too fast in ten seconds. Connect again, and send fewer.",
            )

    def _note_shown(self, you: Seat, number: int) -> None:
        """Note that the discard of a slam window was written to the seat just now."""
        now = trio.current_time()
        self._discards.note(number, now)
        if self.player is not None and self.player.table is not None:
            self.player.table.discard_shown(you, number, now, self)


def _is_stop(line: str | LineFault) -> bool:
    """Tell whether a line asks for no more of a long answer."""
    return isinstance(line, str) and line.strip().lower() == STOP
