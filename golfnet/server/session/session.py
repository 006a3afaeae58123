"""A session: one connection of a person or program, from its first byte to its last.

Its base class ``Traffic`` reads lines and sends replies; requests are handled one at a time. Invariants: replies go out
in order, except for interjections, and no reply goes out before its ticket is durable. A session never awaits: if a
request needs a task (to hash a password, say), reading is suspended until the request is answered.
"""

import logging
from math import inf
from typing import TYPE_CHECKING, Any, Final

import trio
from msgspec import UNSET, structs

from golfnet.engine.cards import Seat
from golfnet.protocol.commands.parse import Request, id_of, parse, pong_key
from golfnet.protocol.commands.settings import Style
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LineFault
from golfnet.protocol.replies.replies import Bye, Error, Notice, Ok, Ping
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import Signal, TelnetRequest, TimingAnswer
from golfnet.server.budget import RateLimit
from golfnet.server.net.transport import Transport
from golfnet.server.session.decoder import REFUSALS, OtherProtocol
from golfnet.server.session.roundtrip import SLACK, RoundTrips
from golfnet.server.session.text_mode import STOP
from golfnet.server.session.traffic import Traffic

if TYPE_CHECKING:
    from golfnet.server.commands.dispatch import Dispatcher
    from golfnet.server.links.relay import Relay
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

log = logging.getLogger(__name__)

CONFIRM_SECONDS: Final = 30.0
"""How many seconds a person has to confirm a command."""

MOST_MISTAKES: Final = 2
"""How many unusable passwords a player may type before they have to start over."""

TYPED_AHEAD_SECONDS: Final = 1.0
"""For how many seconds lines are ignored after a password prompt has failed. A person who has not noticed may type the
password again, which would then be run as a command or sent as chat. A line takes less time than this to arrive."""

ENTER_SECONDS: Final = 1.0
"""Seconds after the answer to a bare Enter in which further ones are ignored: a held key must not fill the screen."""

_NOTHING_ASKED: Final = ("", 0.0)

_TYPED_AHEAD: Final = Refused(
    Code.BAD_PHASE,
    "This line came right after a password prompt and was not carried out. If it is not a password, type it "
    "again.",
)


class Session(Traffic):
    """The conversation with one peer."""

    __slots__ = (
        "_discards",
        "_entered_at",
        "_ignores_until",
        "_mistakes",
        "_round_trips",
        "_to_confirm",
        "chat_limit",
        "connected",
        "is_carried",
        "is_silent",
        "line",
        "player",
        "question",
        "relay",
        "server",
    )

    def __init__(self, server: "Dispatcher", transport: Transport, *, telnet: bool = False) -> None:
        config = server.lobby.config
        super().__init__(config, server.lobby.gate, transport)
        self.server = server
        self.player: Player | None = None
        self.connected = self.arrived
        self.line = ""
        """The line being handled; while a password is asked for, the line that requires it."""
        self.is_carried = False
        """Whether the line comes from another node, which could not handle it."""
        self.relay: Relay | None = None
        """Passes lines on while the player is on another node."""
        self.is_silent = True
        """Whether no line has arrived yet."""
        self.chat_limit = RateLimit(config.chat_per_10_seconds, 10)
        self.question: Request | None = None
        """The command for which a password was asked; the next line is the answer."""
        self._mistakes = 0
        """How many unusable passwords have been typed for ``question``."""
        self._ignores_until = -inf
        self._entered_at = -inf
        """When a bare Enter was last answered."""
        self._to_confirm = _NOTHING_ASKED
        """The last command that the person was asked to confirm, and the time until which they can."""
        self._round_trips: RoundTrips | None = None
        self._discards: tuple[tuple[int, float], ...] = ()
        """The last two discards shown, each with its time, since a player may slam before seeing the newest."""
        if telnet:
            self.writer.request(TelnetRequest.START)

    # --- input

    def lost(self, cause: str) -> None:
        """Handle the loss of the connection."""
        was_open = self.is_open
        self.retire()
        if was_open:
            self.server.ended(self, cause)

    def proceed(self) -> None:
        """Continue handling this peer's requests, here or on another node."""
        if self.relay is not None:
            self.relay.drained()
        super().proceed()

    # --- output

    def ask_password(self, prompt: str, request: Request) -> None:
        """Ask for a password, with echo off over telnet; the request is handled again, with the line typed next."""
        self.question = request
        # Hidden first, since the person may type as soon as they see the prompt.
        self.writer.request(TelnetRequest.HIDE_INPUT)
        self.send(Notice(code="PASSWORD", text=prompt))

    def ask_again(self, refused: Refused, prompt: str, request: Request) -> None:
        """Ask again after an unusable answer, giving the reason. Raise ``Refused`` after too many such answers."""
        self._mistakes += 1
        if self._mistakes > MOST_MISTAKES:
            raise Refused(
                refused.code, f"{refused.message} Nothing was done; start over with {request.verb}."
            )
        self.ask_password(f"{refused.message} {prompt}", request)

    def is_confirmed(self, what: str) -> bool:
        """Return whether the person was recently asked to confirm ``what``; if not, record that they are asked."""
        asked, until = self._to_confirm
        is_confirmed = asked == what and self.arrived < until
        self._to_confirm = _NOTHING_ASKED if is_confirmed else (what, self.arrived + CONFIRM_SECONDS)
        return is_confirmed

    def end_questions(self) -> None:
        """Cancel the prompt, and ignore lines that arrive shortly afterwards, which may be passwords."""
        self.question = None
        self._ignores_until = trio.current_time() + TYPED_AHEAD_SECONDS

    def resume(self) -> None:
        """Continue with requests that have arrived in the meantime; turn echo back on unless a password is awaited."""
        if self.relay is None:
            self._show_input()
        super().resume()

    def send_ok(
        self,
        request: Request,
        note: str | None = None,
        *,
        table: "Table | None" = None,
        ticket: int | None = None,
        **fields: Any,
    ) -> None:
        """Answer a request with an ok, once ``ticket`` (by default the table's) is durable.

        If the answer is about a table, it contains the number of the table's last event.
        """
        if table is not None:
            ticket = table.ticket if ticket is None else ticket
            fields |= {"table": table.id, "seq": table.seq}
        id = UNSET if request.id is None else request.id
        self.send(Ok(id=id, note=UNSET if note is None else note, **fields), ticket=ticket or 0)

    def refuse(self, refused: Refused, number: int | None) -> None:
        """Answer a request with an error."""
        self.server.lobby.counters.refusals[refused.code.value] += 1
        self.send(
            Error(
                id=UNSET if number is None else number,
                code=refused.code.value,
                message=refused.message if self.writer.machine else refused.sentence,
                retry=refused.code.retry,
                wait_ms=UNSET if refused.wait_ms is None else refused.wait_ms,
            )
        )

    def close(self, code: Code, sentence: str) -> None:
        """Send a goodbye, and close without waiting; held replies still go out first."""
        if not self.is_open:
            return
        self.send(Bye(code=code.value, text=sentence))
        self.is_open = False
        if self._held.replies:
            self.transport.pause()
        else:
            self.transport.close()
        self.server.ended(self, code.value.lower())

    def measure(self) -> None:
        """Send a ping (unless one is unanswered) or a timing mark, to measure the round trip."""
        if not self.is_open:
            return
        self.transport.stamp_arrivals()
        if not self.writer.machine:
            self.writer.request(TelnetRequest.TIMING_MARK)
        elif (key := self.round_trips.ping(trio.current_time())) is not None:
            self.writer.write(Ping(key=key))

    # --- moving between nodes

    def hang_up(self, cause: str) -> None:
        """Close once everything written has been sent, without a goodbye."""
        self.writer.write_page(None)
        self.is_open = False
        self._drop_requests()
        self.transport.close()
        self.server.ended(self, cause)

    def retire(self) -> None:
        """End without a reply; the node that has the peer's connection continues with another node."""
        self.is_open = False
        self.discard_held()
        self._drop_requests()

    def carry(self, line: str, typed: tuple[str, ...]) -> None:
        """Handle a line that another node could not handle, with the passwords typed for it; never pass it on again."""
        self.line, self.is_carried, self.is_silent = line, True, False
        self.is_suspended = False
        try:
            request = parse(line, machine=True) if self.writer.machine else self._parse_typed(line)
        except Refused as refused:  # the other node may have a version that accepts this line
            self.refuse(refused, id_of(line))
        else:
            self.server.handle(self, structs.replace(request, typed=typed))

    @property
    def round_trips(self) -> RoundTrips:
        """The measurements of the round trip, created when first needed, since most connections never need them."""
        if self._round_trips is None:
            self._round_trips = RoundTrips(self.transport)
        return self._round_trips

    @property
    def discard_meant(self) -> int:
        """The discard meant by a slam without a number: the last one shown to this peer (C20).

        A discard does not count if the peer must have sent the line before seeing that discard. This is certain only if
        the line arrived well within a round trip after the discard was sent; if in doubt, the newest discard is meant.
        """
        least = self.round_trips.link(self.arrived).least or 0
        by = self.arrived - max(0.0, least / 1e6 - SLACK)
        return next((number for number, shown in reversed(self._discards) if shown <= by), 0)

    # --- inside

    def _handle(self, event: object) -> None:
        if self.relay is not None:
            self.relay.pass_on(event)
        match event:
            case bytes():
                self.transport.write(event)
            case OtherProtocol(what=what, answer=answer):
                log.info("%s on the plain port from %s", what, self.transport.address)
                self.writer.write_bytes(answer)
                self.hang_up("protocol")
            case WindowSize() | Mtts() | Charset():
                self.writer.preferences.adapt_to(event)
            case TimingAnswer(seconds=seconds) if self.relay is None:
                self.round_trips.note(seconds, self.arrived)
            case Signal.ARE_YOU_THERE:
                self.send(Notice(code="HERE", text="golfnet is here."))
            case Signal.MSSP_WANTED:
                self.writer.write_bytes(self.decoder.telnet.mssp(self.server.lobby.mssp()))
            case Signal.FLOOD:
                self.close(Code.FLOOD, "Your program sent too many telnet options in ten seconds.")

    def _end(self) -> None:
        if self.relay is not None:
            self.relay.end_input()
        else:
            self.hang_up("lost")

    def _entered(self) -> None:
        if self.question is not None:
            number = self.question.id
            self.end_questions()
            self._show_input()
            self.refuse(
                Refused(Code.BAD_ARGUMENT, "You did not type a password, so nothing was done."), number
            )
        elif self.writer.pager is not None and self.writer.pager.is_waiting:
            self.writer.write_page(self.writer.settings.page)
        elif not (self.writer.machine or self.is_silent) and self.arrived >= self._entered_at + ENTER_SECONDS:
            self._entered_at = self.arrived
            self.server.entered(self)

    def _line(self, line: str | LineFault) -> None:
        if self.relay is not None:
            self.relay.pass_line(line, self.arrived)
            return
        if not line:
            self._entered()
            return
        # While an answer is shown in pages, any line ends it; ``q`` does nothing else.
        was_paged = not self.writer.machine and self.writer.start_answer()
        if was_paged and isinstance(line, str) and line.strip().lower() == STOP:
            return
        self.is_silent = False
        if not isinstance(line, str):
            too_fast = self._rate.take(self.arrived)
            self.refuse(REFUSALS[line], None)
            if too_fast:
                self._check_flood()
            return
        if self.question is not None:
            question, self.question = self.question, None
            self.server.handle(self, structs.replace(question, typed=(*question.typed, line)))
            if not self.is_suspended:
                self._show_input()
            return
        key = pong_key(line)
        if (key is None or not self.round_trips.awaits(key)) and (wait := self._rate.take(self.arrived)):
            if key is None:
                too_many = Refused(Code.RATE_LIMITED, "You are sending commands too fast.", wait_ms=wait)
                self.refuse(too_many, id_of(line))
            self._check_flood()
            return
        if self.arrived < self._ignores_until:
            self.refuse(_TYPED_AHEAD, id_of(line))
            return
        self.line, self.is_carried = line, False
        try:
            request = parse(line, machine=True) if self.writer.machine else self._parse_typed(line)
        except Refused as refused:
            self.refuse(refused, id_of(line))
            return
        self.server.handle(self, request)

    def _show_input(self) -> None:
        """Turn echo back on, unless another password is asked for.

        If echo were on between two prompts, the peer might show a password before it had agreed to turn echo off again.
        """
        if self.question is None:
            self._mistakes = 0
            self.writer.request(TelnetRequest.SHOW_INPUT)

    def _parse_typed(self, line: str) -> Request:
        """Parse a person's line, which may be abbreviated, or raise ``Refused``."""
        player = self.player
        try:
            return parse(
                line,
                machine=False,
                holding=player is not None and player.table is not None and player.table.is_holding(player),
                spoken=self.writer.settings.style is Style.SPEECH
                and player is not None
                and player.is_at_a_table,
            )
        except Refused as refused:
            if player is None and refused.code is Code.UNKNOWN_VERB and line.isalpha():
                refused.sentence += f" If that is your name, type: name {line}"
            raise

    def _check_flood(self) -> None:
        if self._rate.is_flood(self.arrived):
            most = self.server.lobby.config.excess_per_10_seconds
            self.close(
                Code.FLOOD,
                f"You exceeded the command limit more than {most} times in ten seconds. Connect again, and send "
                "fewer commands.",
            )

    def _note_shown(self, you: Seat, number: int) -> None:
        now = trio.current_time()
        if not self._discards or self._discards[-1][0] != number:  # only the first time counts
            self._discards = (*self._discards[-1:], (number, now))
        if self.player is not None and self.player.table is not None:
            self.player.table.windows.shown(you, number, now, self)
