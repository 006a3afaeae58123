"""The transport of a session whose connection is on another node: output is sent there as frames.

Invariants: the session cannot tell the transport from a socket. It gets the player's own
address; ages and round trips include the link's delay; ``close`` delivers what was written. If a link ends
without ``HangUp``, the player stays connected, and the front searches for the player's table. An answer also
tells the front that its line has been handled.
"""

from collections.abc import Iterator
from typing import Final

import trio
from msgspec import structs

from golfnet.protocol import links as wire
from golfnet.protocol.commands.parse import pong_key
from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import LineFault
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import TelnetPeer, TelnetRequest, TimingAnswer
from golfnet.protocol.telnet.wire import Command, command
from golfnet.server.links.link_end import LinkEnd
from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip
from golfnet.server.net.transport import Carrier
from golfnet.server.session.session import Session


class LinkTransport:
    """The session's end of one link."""

    def __init__(self, link: LinkEnd, caller: wire.Caller) -> None:
        self.address = caller.address
        self.carrier = Carrier(caller.carrier)
        self._link = link
        self._below = link.below
        self._peer: Session | None = None
        self._telnet = FarTelnet(link, caller.telnet)
        self._front_waiting = 0
        self._wants_turn = False
        self._measured: wire.Measured | None = None
        self._known: wire.Caller | None = None
        """The peer's identity as last reported to the front."""
        self._received = 0
        """How many lines that need an answer have been received."""
        self._done = 0
        """How many of those lines have been handled, as last reported to the front."""
        self._is_receiving = False
        self._is_exact = caller.machine or bool(caller.objects_word)
        """Whether handled lines are counted by their answers, as they are once the player is known to be a program."""

    def start(self, session: Session) -> None:
        """Attach a session."""
        self._peer = session
        session.decoder.telnet = self._telnet
        self._link.send(wire.Accepted())
        self._report_changes()  # the player's stay has a new number

    # --- called by the session

    @property
    def waiting(self) -> int:
        """Bytes waiting here or at the front."""
        return self._below.waiting + self._front_waiting

    def write(self, data: bytes) -> None:
        """Send bytes in order."""
        done = self._counted(data)
        while len(data) > wire.OUTPUT_LIMIT:
            self._link.send(wire.Output(data=data[: wire.OUTPUT_LIMIT], done=self._done))
            data = data[wire.OUTPUT_LIMIT :]
        self._link.send(wire.Output(data=data, done=done))
        self._done = done

    def close(self) -> None:
        """Deliver what was written, and close the player's connection."""
        self._link.send(wire.HangUp())
        self.leave()

    def cut_off(self, cause: str) -> None:
        """Close the player's connection soon; notify the session later."""
        self._link.send(wire.HangUp())
        self._below.cut_off(cause)

    def leave(self, carried: wire.Carried | None = None) -> None:
        """Close the link. The front then sends a line to the node that has to execute it, or searches for the table."""
        if carried is not None:
            self.write(b"")  # reports the number of handled lines
            self._link.send(carried)
        self._link.close()
        self._peer = None  # avoids a reference cycle, since the session refers to this transport

    def pause(self) -> None:
        """Stop reading from the front until ``resume``."""
        self._below.pause()

    def resume(self) -> None:
        """Resume reading."""
        self._below.resume()
        self._report_changes()

    def wake(self) -> None:
        """Give the session a turn once few enough bytes are waiting, both here and at the front."""
        self._wants_turn = True
        if not self._front_waiting:
            self._below.wake()

    def round_trip(self) -> RoundTrip | None:
        """Return the front's measurement plus the link's own delay."""
        measured, own = self._measured, self._own_way
        if measured is None:
            return None
        if measured.smoothed is None:
            return ProxyRoundTrip(measured.smallest + own)
        # The link's minimum is added to both figures: the player does not cause changes in the link's average.
        return KernelRoundTrip(measured.smallest + own, measured.smoothed + own, measured.delivered)

    def stamp_arrivals(self) -> None:
        """Ask the front to report exact ages of lines, and the current round trip."""
        self._below.stamp_arrivals()
        self._link.send(wire.StampArrivals())

    # --- called by the link

    def take(self, frames: Iterator[wire.AnyFrame], arrived: float) -> None:
        """Handle frames from the front."""
        for frame in frames:
            if (peer := self._peer) is None:
                return
            self._is_receiving = True
            match frame:
                case wire.TypedLine() | wire.FaultyLine():
                    self._received += bool(frame.line) and not is_unanswered(frame.line)
                    peer.receive_line(frame.line, arrived - frame.age)
                case wire.Carried():
                    self._received += 1
                    peer.carry(frame.line, frame.typed)
                case wire.Measured():
                    self._measured = frame
                case wire.Backlog():
                    self._front_waiting = frame.waiting
                    if self._wants_turn and not self._front_waiting:
                        self._below.wake()
                case WindowSize() | Mtts() | Charset():
                    peer.writer.preferences.adapt_to(frame)
                case TimingAnswer():
                    peer.round_trips.note(frame.seconds + self._own_way, arrived)
                case wire.TelnetAgreed():
                    self._telnet.agree(frame)
                case wire.EndOfInput():
                    peer.end_of_input()
                case wire.Lost():
                    self._link.lost("slow" if frame.is_slow else "lost")
                case _:
                    raise RemoteProtocolError(f"a frame for an open link, not {type(frame).__name__}")
            self._is_receiving = False
        self._report_changes()

    def proceed(self) -> None:
        """Let the session continue, unless too much is waiting at the front."""
        if self._wants_turn and not self._front_waiting and self._peer is not None:
            self._wants_turn = False
            self._peer.proceed()

    def lost(self, cause: str) -> None:
        """Handle the loss of the link."""
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.lost(cause)

    # --- internals

    @property
    def _own_way(self) -> float:
        figures = self._below.round_trip()
        return 0.0 if figures is None else figures.smallest

    def _counted(self, data: bytes) -> int:
        """Return how many lines have been handled when ``data`` arrives.

        A program's lines are counted by their answers. A person's lines get no such answers, so each counts as handled
        once the session has finished with it.
        """
        peer = self._peer
        if peer is None:
            return self._done
        writer = peer.writer
        if writer.machine or writer.objects_word:
            if not self._is_exact:  # this is the answer to the line that made the peer a program
                self._is_exact = True
                self._done = max(self._done, self._received - peer.unfinished - 1)
            word = b"" if writer.machine else writer.objects_word + b" "
            return self._done + sum([data.count(word + mark) for mark in _ANSWERS])
        return max(
            self._done, self._received - peer.unfinished - (self._is_receiving and not peer.is_suspended)
        )

    def _report_changes(self) -> None:
        """Report changes in the peer's identity and the number of handled lines to the front."""
        session = self._peer
        if session is None or session.is_suspended:
            return
        caller = caller_of(session)
        now = structs.replace(caller, connected=0.0, telnet=None)
        if now != self._known:
            self._known = now
            self._link.send(caller)
        if self._counted(b"") != self._done:
            self.write(b"")


class FarTelnet(TelnetPeer):
    """The telnet state of a peer whose connection is on another node, as far as a session needs it for writing."""

    def __init__(self, link: LinkEnd, agreed: wire.TelnetAgreed | None) -> None:
        super().__init__()
        self._link = link
        self._is_hidden = False
        self._agreed = agreed or wire.TelnetAgreed()
        self.started = agreed is not None

    def agree(self, agreed: wire.TelnetAgreed) -> None:
        """From now on, use the options that the peer has agreed to."""
        self._agreed, self.started = agreed, True

    @property
    def takes_objects(self) -> bool:
        """Whether the peer has agreed to GMCP."""
        return self._agreed.objects

    def mark_end_of_record(self) -> bytes:
        """Return the mark that follows a prompt or a block of lines, for a peer that has agreed to EOR."""
        return command(Command.EOR) if self._agreed.marks else b""

    def request(self, what: TelnetRequest, *, now: float) -> bytes:
        """Have the front ask the peer for something."""
        self.started = self.started or what is TelnetRequest.START
        if what is TelnetRequest.HIDE_INPUT:
            self._is_hidden = True
        elif what is TelnetRequest.SHOW_INPUT:
            if not self._is_hidden:  # avoids needless demands, since sessions ask for this often
                return b""
            self._is_hidden = False
        if self.started:
            self._link.send(wire.Demand(request=what))
        return b""


def is_unanswered(line: str | LineFault) -> bool:
    """Return whether a line gets no answer."""
    return isinstance(line, str) and pong_key(line) is not None


_ANSWERS: Final = (b'{"type":"ok"', b'{"type":"error"')
"""The beginnings of answers to a program. They cannot occur inside a JSON string, where quotation marks are escaped.

In text mode, each object follows a word that nobody else knows, so other text cannot contain an answer either."""


_WISHES: Final = ("machine", "tells", "sees", "objects_word", "objects_table")
"""What a peer has asked for: fields of a ``Caller``, and of the writer of its replies."""


def caller_of(session: Session, *, table: str = "") -> wire.Caller:
    """Return what another node needs to know about a peer, who follows a table if one is given."""
    player, writer = session.player, session.writer
    return wire.Caller(
        address=session.transport.address,
        carrier=session.transport.carrier.value,
        connected=trio.current_time() - session.connected,
        player=wire.Traveller(
            id=player.id,
            token=player.token,
            stay=player.stay,
            table=table or ("" if player.table is None else player.table.id),
            watched=player.watched,
            muted=dict(player.muted),
            avoided=dict(player.avoided),
        )
        if player is not None
        else wire.Traveller(),
        settings=writer.preferences.state,
        **{name: getattr(writer, name) for name in _WISHES},
        telnet=agreed_in(session.decoder.telnet),
    )


def adopt(session: Session, caller: wire.Caller) -> None:
    """Give a session the settings that its peer had on another node."""
    session.writer.preferences.restore(caller.settings)
    for name in _WISHES:
        setattr(session.writer, name, getattr(caller, name))


def agreed_in(telnet: TelnetPeer) -> wire.TelnetAgreed | None:
    """Return the telnet options that a peer has agreed to, or None if it does not speak telnet."""
    return (
        wire.TelnetAgreed(marks=bool(telnet.mark_end_of_record()), objects=telnet.takes_objects)
        if telnet.started
        else None
    )
