"""The front of one player whose session is at another node: bytes there and back, and a new link when one ends.

What stays true: one link, or one attempt to get one, at a time; what the player sends while there is none waits, within
``LINES_KEPT``, and goes out in order. A link that ends without a goodbye means that its node is gone: the relay asks
where the player's table is now, every ``ASK_SECONDS`` for ``SEEK_SECONDS``, and hands over what it knows of the
session.
"""

from __future__ import annotations

import logging
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Protocol

import trio
from msgspec.structs import replace

from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links.handover import Handover
from golfnet.protocol.replies import data as objects
from golfnet.protocol.replies.replies import Bye, Notice
from golfnet.protocol.text import text
from golfnet.server.budget import room
from golfnet.server.links.link_transport import NOT_REACHED
from golfnet.server.session.preferences import Preferences

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.links.front_link import FrontLink, LinkUser
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.session import Session

log = logging.getLogger(__name__)

ASK_SECONDS: Final = 0.25
SEEK_SECONDS: Final = 15.0
"""How long a table may take to come to another node: a few leases."""

LINES_KEPT: Final = 64
"""Lines that wait while there is no link; after these, or a quarter of an outbox, the player waits as well."""


class RelayNode(Protocol):
    """What a relay needs of its node."""

    number: int
    outbox: int
    relays: dict[Relay, None]

    def forget(self, relay: Relay) -> None:
        """Count out a relay that ends; harmless where it is not counted."""

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Start a task."""

    async def connect(self, node: int, state: Handover, relay: LinkUser) -> FrontLink:
        """Return a link to a node that has taken the session; raises ``Refused``."""

    async def place_of(self, player: str, table: str) -> int | None:
        """Return the node at which a player's session belongs, None where that is not known at the moment."""

    async def tables_moved(self) -> None:
        """Wait until tables have another node."""

    async def take(self, state: Handover, transport: Transport) -> Session:
        """Return a session that goes on here; raises ``Refused`` and ``RemoteProtocolError``."""

    def begin(self, session: Session, state: Handover) -> None:
        """Let a session do what it came for."""


class _RelayState(Enum):
    MOVING = auto()
    """A node is asked to take the session."""
    LINKED = auto()
    SEEKING = auto()
    CLOSED = auto()


class Relay:
    """The peer of a player's ``transport``, with the state in which its session was handed over."""

    def __init__(self, node: RelayNode, transport: Transport, state: Handover, origin: Session) -> None:
        self.transport = transport
        self._node = node
        self._room = room(node.outbox)
        self._latest = state.latest()
        self._origin: Session | None = origin
        """The session that was here, until another node has taken it."""
        self._state = _RelayState.MOVING
        self._target = node.number
        """The node that is to take the session."""
        self._link: FrontLink | None = None
        self._awaits_state = False
        """Whether the node that has the session wants it to move, and has not given it yet."""
        self._kept: list[tuple[bytes, float]] = []
        self._lines = self._size = 0
        self._input_over = False
        self._is_full = False
        """Whether the owner knows that much waits for the player."""
        self._is_paused = False
        self._linked_at = 0.0
        self._sought_since: float | None = None
        self._scope = trio.CancelScope()

    @property
    def linked_node(self) -> int | None:
        """The node that has the session, None while it is on its way."""
        return None if self._link is None else self._link.node

    # --- the first hand-over

    async def start(self, node: int, state: Handover) -> None:
        """Hand the session over; raises ``Refused`` where it stays here."""
        origin = self._origin
        assert origin is not None
        self.transport.exchange_peer(self)
        self.transport.resume()
        try:
            link = await self._node.connect(node, state, self)
        except BaseException:
            self._give_back(origin)
            raise
        self._origin = None
        if self._state is _RelayState.CLOSED:
            link.end("lost")
            return
        self._node.relays[self] = None
        self._use(link)

    def _give_back(self, session: Session) -> None:
        """Let the session go on here, with what came meanwhile."""
        if self._state is _RelayState.CLOSED:
            return
        self._state = _RelayState.CLOSED
        self.transport.exchange_peer(session)
        if session.is_suspended:
            self.transport.pause()  # as it was before
        self._replay(session)

    # --- what the player's transport tells

    def receive(self, data: bytes, arrived: float) -> None:
        """Relay what the player sent, or keep it until there is a link."""
        if self._state is not _RelayState.LINKED or self._link is None:
            self._keep(data, arrived)
            return
        if self._link.is_stamped:
            self._link.measure(self.transport)
        self._link.send_input(data, arrived)
        if self._link.waiting > self._room:
            self._pause()
            self._link.wake()

    def proceed(self) -> None:
        """Tell the owner that little waits for the player again."""
        if self._is_full:
            self._is_full = False
            if self._link is not None:
                self._link.send_waiting(0)

    def end_of_input(self) -> None:
        """Relay that the player sends no more."""
        self._input_over = True
        if self._state is _RelayState.LINKED and self._link is not None:
            self._link.send_end_of_input()

    def lost(self, cause: str) -> None:
        """Relay that the player is gone."""
        origin = self._origin
        self._end(cause)
        if origin is not None:
            origin.lost(cause)

    # --- what the link tells

    def told(self, data: bytes) -> None:
        """Deliver what the session wrote."""
        if self._state is _RelayState.CLOSED:
            return
        self.transport.write(data)
        if self.transport.waiting > self._room and self._link is not None:
            self._link.send_waiting(self.transport.waiting)
            if not self._is_full:
                self._is_full = True
                self.transport.wake()

    def bye(self, link: FrontLink) -> None:
        """Deliver what came before, then close."""
        self._end("lost")
        self.transport.close()

    def latest(self, state: bytes) -> None:
        """Remember how the session is now."""
        try:
            self._latest = Handover.decode(state)
        except RemoteProtocolError as error:
            log.warning("a link tells nonsense of its session: expected %s", error)

    def stamps_wanted(self, link: FrontLink) -> None:
        """Tell exact ages from now on, and the round trip."""
        self.transport.stamp_arrivals()
        link.measure(self.transport)

    def link_drained(self) -> None:
        """Read on."""
        self._resume()

    def link_over(self, link: FrontLink) -> None:
        """Look for the player's table: the node that had it is gone."""
        if link is self._link and (self._state is _RelayState.LINKED or self._awaits_state):
            self._link, self._awaits_state = None, False
            self._seek()

    def move_wanted(self, link: FrontLink, node: int) -> None:
        """Send no more, and be ready to take the session to another node."""
        if link is self._link and self._state is _RelayState.LINKED:
            self._state, self._awaits_state = _RelayState.MOVING, True
            self._target = node
            link.send_ready()

    def move_to(self, link: FrontLink, state: bytes) -> None:
        """Take the session to the node that was named."""
        if link is self._link and self._awaits_state:
            self._awaits_state = False
            self._node.spawn(lambda: self._move(link, state))

    def node_gone(self, node: int) -> None:
        """Hear that a node is gone for ever: a machine that has stopped closes no connection."""
        link = self._link
        if link is not None and link.node == node:
            link.close()
            self.link_over(link)

    # --- moving

    async def _move(self, before: FrontLink, encoded: bytes) -> None:
        """Take the session from one node to another, or back to this one."""
        with trio.CancelScope() as self._scope:
            try:
                state = Handover.decode(encoded)
                await self._go_on_at(self._target, state)
            except (Refused, RemoteProtocolError) as error:
                self._stay(before, error)
            else:
                before.send_moved()

    def _stay(self, link: FrontLink, error: Exception) -> None:
        """Go on with the link that there is."""
        message = error.message if isinstance(error, Refused) else NOT_REACHED
        if link.is_linked:
            link.send_not_moved(Code.MOVED.value, message)
            self._use(link)
        elif self._state is not _RelayState.CLOSED:
            self._link = None
            self._seek()

    async def _go_on_at(self, node: int, state: Handover) -> None:
        """Let a node take the session; raises ``Refused`` and ``RemoteProtocolError``."""
        if node == self._node.number:
            await self._come_home(state)
            return
        before, self._latest = self._latest, state.latest()  # before the node tells a later one
        try:
            link = await self._node.connect(node, state, self)
        except BaseException:
            self._latest = before
            raise
        if self._state is _RelayState.CLOSED:
            link.end("lost")
        else:
            self._use(link)

    async def _come_home(self, state: Handover) -> None:
        """Let the session go on at this node, without a link."""
        try:
            session = await self._node.take(state, self.transport)
        except ValueError as error:
            raise RemoteProtocolError(str(error)) from None
        if self._state is _RelayState.CLOSED:
            session.lost("lost")
            return
        self._state, self._link = _RelayState.CLOSED, None
        self._node.forget(self)
        self.transport.exchange_peer(session)
        self._resume()
        self._node.begin(session, state)
        self._replay(session)

    def _use(self, link: FrontLink) -> None:
        """Relay by a link from now on; first what the player sent meanwhile."""
        self._link, self._state = link, _RelayState.LINKED
        self._linked_at = trio.current_time()
        kept, self._kept, self._lines, self._size = self._kept, [], 0, 0
        for data, arrived in kept:
            link.send_input(data, arrived)
        if self._input_over:
            link.send_end_of_input()
        self._resume()
        if not link.is_linked:  # it was over before it began
            self.link_over(link)

    # --- seeking

    def _seek(self) -> None:
        """Ask where the player's table is, and go there."""
        now = trio.current_time()
        if self._sought_since is None or now - self._linked_at >= SEEK_SECONDS:
            self._sought_since = now  # else that node was no better than the one before
        until = self._sought_since + SEEK_SECONDS
        self._state = _RelayState.SEEKING
        self._say(Notice(code="MOVING", text=MOVING))
        self._node.spawn(lambda: self._find_table(until))

    async def _find_table(self, until: float) -> None:
        with trio.CancelScope() as self._scope:
            with trio.move_on_at(until):
                while not await self._is_found():
                    with trio.move_on_after(ASK_SECONDS):  # what other nodes take is seen no sooner
                        await self._node.tables_moved()
                return
            self._say(Bye(code=Code.MOVED.value, text=_NOT_FOUND))
            self._end("lost")
            self.transport.close()

    async def _is_found(self) -> bool:
        """Try once; tell whether the session goes on somewhere."""
        try:
            node = await self._node.place_of(self._latest.player, self._latest.table)
            if node is None:
                return False
            await self._go_on_at(node, replace(self._latest, input_over=False))
        except (Refused, RemoteProtocolError) as error:
            log.debug("a player's table is not back yet: %s", error)
            return False
        return True

    # --- inside

    def notify(self, notice: Notice) -> None:
        """Say something about this node, whose connection it is."""
        self._say(notice)

    def close(self, reply: Bye) -> None:
        """Say goodbye and close: the front stops."""
        self._say(reply)
        self._end("lost")
        self.transport.close()

    def _end(self, cause: str) -> None:
        """Relay no more."""
        self._state = _RelayState.CLOSED
        self._scope.cancel()
        self._node.forget(self)
        if self._link is not None:
            self._link.end(cause)
            self._link = None

    def _keep(self, data: bytes, arrived: float) -> None:
        self._kept.append((data, arrived))
        self._lines += data.count(b"\n")
        self._size += len(data)
        if self._lines >= LINES_KEPT or self._size >= self._room:
            self._pause()

    def _replay(self, session: Session) -> None:
        """Let a session that is here hear what the player sent meanwhile."""
        for data, arrived in self._kept:
            session.receive(data, arrived)
        self._kept.clear()
        if self._input_over:
            session.end_of_input()

    def _pause(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self.transport.pause()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self.transport.resume()

    def _say(self, reply: Notice | Bye) -> None:
        """Say something as the session would have."""
        writer = self._latest.writer
        if writer.machine:
            self.transport.write(objects.encode(reply))
            return
        preferences = Preferences()
        preferences.restore(writer.preferences)
        self.transport.write(text.render(reply, preferences.settings, you=None).out)


MOVING: Final = "Your table moves to another machine; a moment."
_NOT_FOUND: Final = (
    "Your table did not come back in time. To come back later: name NAME, login NAME or resume TOKEN"
)
