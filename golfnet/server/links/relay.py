"""The front's side of a player on another node: sends the player's lines over a link, and the replies to the player.

Invariants: bytes from the owner reach the player in order and unchanged; there is one link at a time; if a link ends
before the owner has handled a line, the front answers that line once or, if the owner has asked for it, the next node
executes the line; at most ``OPEN`` lines are in flight, and further lines stay in the kernels' buffers. If a link ends
without a goodbye, the owner no longer has the player. The relay then asks where the player's table is, every
``ASK_SECONDS`` for ``SEEK_SECONDS``, and logs the player in there as ``resume`` does.
"""

import logging
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Final

import trio
from msgspec import structs

from golfnet.protocol import links as wire
from golfnet.protocol.commands.parse import Request, id_of
from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.lines import LineFault
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import Signal, TelnetRequest, TimingAnswer
from golfnet.server.budget import room
from golfnet.server.faults import CONNECTION_FAULT, fault_boundary
from golfnet.server.links.link_end import NOT_REACHED, LinkEnd
from golfnet.server.links.link_transport import LinkTransport, adopt, agreed_in, caller_of, is_unanswered
from golfnet.server.links.links import HAND_OVER_SECONDS, Links
from golfnet.server.session.session import Session

log = logging.getLogger(__name__)

ASK_SECONDS: Final = 0.25
SEEK_SECONDS: Final = 15.0
"""How long the relay searches for the player's table: a few leases, since another node first has to take it over."""

OPEN: Final = 64
"""Maximum number of one player's lines that are in flight: sent, but not yet handled by the owner."""

LEFT_SECONDS: Final = 30.0
"""If a player who was sent to another node does not arrive there, their stay here ends after this many seconds."""


class Relay:
    """Connects a suspended ``session`` here with its player on another node; ``caller`` is the player's identity.

    The relay begins by finding the player's node or, with ``carried``, by moving the player to a node that executes a
    line.
    """

    def __init__(
        self, node: Links, session: Session, caller: wire.Caller, carried: wire.Carried | None = None
    ) -> None:
        self._node = node
        self.session = session
        self._caller = caller
        self._room = room(node.lobby.config.outbox)
        self.link: LinkEnd | None = None
        self._open: deque[str | LineFault] = deque()
        """Lines in flight: those that the owner has not reported as handled."""
        self._done = 0
        """How many of this link's lines the owner has handled."""
        self._agreed: wire.TelnetAgreed | None = None
        """The telnet options last reported to the owner."""
        self._measured: object = None
        """The round trip last reported to the owner."""
        self._is_stamped = False
        """Whether the owner wants to know round trips."""
        self._carried = carried
        """The line that another node has to execute next, if there is one."""
        self._is_full = False
        """Whether the owner has been told that much output is waiting for the player."""
        self._scope = trio.CancelScope()

    def follow(self) -> None:
        """Follow the player from node to node; the session stays suspended until the player is found."""
        self._node.relays[self] = None
        self.session.relay = self
        self._node.lobby.spawn(self._follow_player)

    # --- called by the session

    def pass_line(self, line: str | LineFault, arrived: float) -> None:
        """Send a line to the owner; without a link, give it back to the session."""
        link = self.link
        if link is None:
            if line:
                self.session.put_back([line])
            return
        if self._is_stamped:
            self._measure()
        age = trio.current_time() - arrived
        link.send(
            wire.FaultyLine(line=line, age=age)
            if isinstance(line, LineFault)
            else wire.TypedLine(line=line, age=age)
        )
        if line and not is_unanswered(line):
            self._open.append(line)
        if len(self._open) >= OPEN or link.below.waiting > self._room:
            self.session.suspend()
            link.below.wake()

    def pass_on(self, event: object) -> None:
        """Tell the owner about an input event other than text."""
        match event:
            case WindowSize() | Mtts() | Charset() | TimingAnswer():
                self._send(event)
            case bytes() | Signal.AGREED:
                self._report_agreed()

    def _report_agreed(self) -> None:
        agreed = agreed_in(self.session.decoder.telnet)
        if agreed is not None and agreed != self._agreed:
            self._agreed = agreed
            self._send(agreed)

    def _send(self, frame: wire.AnyFrame) -> None:
        if self.link is not None:
            self.link.send(frame)

    def end_input(self) -> None:
        """Tell the owner that the player's input has ended; repeated for each owner, after all lines."""
        self._send(wire.EndOfInput())

    def drained(self) -> None:
        """Notify the owner that the player has read most of the output."""
        if self._is_full:
            self._is_full = False
            self._send(wire.Backlog(waiting=0))

    def end(self, cause: str) -> None:
        """Notify the owner that the player has disconnected."""
        self.session.relay = None  # ends ``_follow_player``, and avoids a reference cycle
        self._scope.cancel()
        self._node.forget(self)
        self._send(wire.Lost(is_slow=cause == "slow"))
        self._close()
        self.link = None

    # --- called by the link

    def take(self, frames: Iterator[wire.AnyFrame], arrived: float) -> None:
        """Handle frames from the owner, or raise ``RemoteProtocolError``."""
        for frame in frames:
            match frame:
                case wire.Output():
                    self.deliver(frame.data, frame.done)
                case wire.Caller():
                    self._caller = frame
                    adopt(self.session, frame)
                case wire.Demand():
                    self.session.writer.request(frame.request)
                    if frame.request is TelnetRequest.START:
                        self._report_agreed()
                case wire.StampArrivals():
                    self._is_stamped = True
                    self.session.transport.stamp_arrivals()
                    self._measure()
                case wire.Carried():
                    self._carried = frame
                    return self._close()
                case wire.HangUp():
                    return self.session.hang_up("lost")
                case _:
                    raise RemoteProtocolError(f"a frame from an owner, not {type(frame).__name__}")

    def lost(self, cause: str) -> None:
        """Do nothing: the task that follows the player waits for the end of the link."""

    def deliver(self, data: bytes, done: int) -> None:
        """Deliver what the owner's session wrote; ``done`` is how many of this link's lines have been handled."""
        for _ in range(min(len(self._open), done - self._done)):
            self._open.popleft()
        self._done = done
        session = self.session
        if data:
            session.send_bytes(data)
            if session.transport.waiting > self._room:
                self._send(wire.Backlog(waiting=session.transport.waiting))
                if not self._is_full:
                    self._is_full = True
                    session.transport.wake()
        self.proceed()

    def _measure(self) -> None:
        figures = self.session.transport.round_trip()
        if figures is not None and figures != self._measured:
            self._measured = figures
            self._send(wire.Measured(**structs.asdict(figures)))

    def proceed(self) -> None:
        """Resume reading from the player if it was suspended, and few enough lines and bytes are in flight now."""
        link, is_held = self.link, self.session.is_suspended
        if is_held and link is not None and len(self._open) < OPEN and link.below.waiting <= self._room:
            self.session.resume()

    def _close(self) -> None:
        if self.link is not None:
            self.link.close()

    # --- moving between nodes

    async def _follow_player(self) -> None:
        """Move from node to node until the connection is closed or the player is here again."""
        cut_off = partial(self.session.transport.cut_off, "lost")
        with fault_boundary(log, CONNECTION_FAULT, self._caller.address, on_fault=cut_off), self._scope:
            self._await_player()
            while self.session.relay is self:
                if self.link is not None:
                    await self.link.over.wait()
                    if self.link is not None:  # ``end`` may have been called meanwhile
                        self._leave()
                elif self._carried is not None:
                    await self._carry(self._carried)
                else:
                    await self._seek()

    def _leave(self) -> None:
        session = self.session
        self.link = None
        session.writer.request(TelnetRequest.SHOW_INPUT)
        if self._carried is None:
            self._answer_open()
        else:
            session.put_back(tuple(self._open)[1:])  # the first one is the line to be executed
            self._open.clear()
        self._await_player()

    def _await_player(self) -> None:
        """Suspend the session until the player is found; if their table is moving, tell them."""
        self.session.suspend()
        if self._carried is None and self._table:
            self.session.send(
                Notice(code="MOVING", text="Your table is moving to another machine. One moment.")
            )

    async def _carry(self, carried: wire.Carried) -> None:
        """Move the player to the node that has to execute a line; if that fails, say so."""
        self._carried = None
        handovers = self._node.lobby.counters.handovers
        try:
            await self._move_to(carried.node, carried)
            handovers["given"] += 1
        except Refused as refused:
            handovers["refused"] += 1
            self.session.refuse(refused, id_of(carried.line))

    def _answer_open(self) -> None:
        """Answer each line in flight with an error, since its outcome is unknown; a person gets one answer for all."""
        lines, self._open = self._open, deque()
        session = self.session
        if session.writer.machine or session.writer.objects_word:
            for line in lines:
                session.refuse(_IN_DOUBT, id_of(line) if isinstance(line, str) else None)
        elif lines:
            session.refuse(_IN_DOUBT, None)

    @property
    def _table(self) -> str:
        player = self._caller.player
        return player.table or next(reversed(player.watched), "")

    async def _seek(self) -> None:
        """Ask where the player is until they can move there; if that takes too long, close the connection."""
        here, player, table = self._node, self._caller.player.id, self._table
        with trio.move_on_after(SEEK_SECONDS):
            while True:
                try:
                    node = (
                        await here.lobby.nodes.ask(lambda directory: directory.place_of(player, table))
                        if player
                        else here.number
                    )
                    if node is not None:
                        return await self._move_to(node, None)
                except Refused as refused:
                    log.debug("a player's table is not available yet: %s", refused)
                with trio.move_on_after(ASK_SECONDS):
                    await here.moved.park()
        self.session.close(
            Code.MOVED,
            "Your table did not come back in time. To return later: name NAME, login NAME or resume TOKEN",
        )

    async def _move_to(self, node: int, carried: wire.Carried | None) -> None:
        """Move the player to a node, possibly this one, and have a line executed there; may raise ``Refused``."""
        session = self.session
        if node != self._node.number:
            await self._link_to(node, carried)
            session.resume()
            return
        caller = self._current_caller
        await self._node.let_in(session, caller)
        session.relay = None
        self._node.forget(self)
        self._node.show(session, caller)
        if carried is not None:
            session.carry(carried.line, carried.typed)
        if carried is None or not session.is_suspended:  # a carried line may have suspended the session again
            session.resume()

    @property
    def _current_caller(self) -> wire.Caller:
        """The player as last reported by the owner, with the current state of the connection."""
        return structs.replace(caller_of(self.session), player=self._caller.player)

    async def _link_to(self, node: int, carried: wire.Carried | None) -> None:
        """Open a link to a node, which also executes the carried line, if there is one; may raise ``Refused``."""
        self._done, self._agreed, self._measured = 0, None, None
        self._is_stamped = False
        self.link = link = await self._node.connect(node, self._current_caller)
        self._report_agreed()  # the peer may have agreed to more since the link began
        if carried is not None:
            self._open.append(carried.line)
            self._send(carried)
        link.attach(self)


async def hand_over(node: Links, session: Session, request: Request, to: int) -> None:
    """Move the player of a suspended session to node ``to``, which executes the request; may raise ``Refused``.

    If the other node does not accept the player, the player comes back here.
    """
    lobby, player, stored = node.lobby, session.player, trio.Event()
    lobby.gate.once_shown(lobby.gate.issued if player is None else lobby.accounts.save(player), stored.set)
    with trio.move_on_after(HAND_OVER_SECONDS):
        await stored.wait()  # for the player's data, and for the events in the session's replies
    if not stored.is_set():
        raise Refused(Code.MOVED, NOT_REACHED)
    if player is not None:
        player.need_free()  # a waiting player may have been given a seat in the meantime
        # In case the player never arrives anywhere:
        lobby.timers.after(LEFT_SECONDS, partial(lobby.nodes.depart, player.id, player.stay))
    release(node, session, caller_of(session), wire.Carried(node=to, line=session.line, typed=request.typed))


def release(node: Links, session: Session, caller: wire.Caller, carried: wire.Carried | None = None) -> None:
    """Let the player of a suspended session move to the node that has to execute a line.

    Without one, the player follows their table, which now belongs to another node, or to none for a while.
    """
    if isinstance(session.transport, LinkTransport):
        session.transport.leave(carried)
        session.retire()
    else:
        Relay(node, session, caller, carried).follow()
    node.lobby.depart(session)


_IN_DOUBT: Final = Refused(
    Code.MOVED,
    "Your table moved to another machine: this may or may not have been done. Look, and send it again with at=SEQ.",
    sentence="Your table moved to another machine just then: what you typed may or may not have been done.",
)
