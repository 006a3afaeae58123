"""The transport of a session whose player is at another node: what is written goes there as frames.

What stays true: the session cannot tell it from a socket. Addresses, ages and round trips are the player's, with the
link's own way added; ``close`` delivers what was written, and a link that ends without ``BYE`` is no goodbye: the front
looks for the player's table then.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links.frames import (
    FrameKind,
    FrameReader,
    FrontRoundTrip,
    LinkFrame,
    decode_input,
    decode_refused,
    decode_round_trip,
    decode_waiting,
    encode,
    encode_bytes,
    encode_move,
    encode_state,
)
from golfnet.server.net.transport import Carrier, KernelRoundTrip, ProxyRoundTrip

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.protocol.links.handover import Handover
    from golfnet.server.net.transport import Peer, RoundTrip, Transport
    from golfnet.server.session.session import Session

log = logging.getLogger(__name__)

MOVE_SECONDS: Final = 5.0
"""How long a front may take to let a session go on at a third node: that one has two seconds to take it."""


class LinkTransport:
    """One link, seen from the session at its end; ``below`` carries its frames."""

    __slots__ = (
        "_below",
        "_front_waiting",
        "_is_over",
        "_known",
        "_measured",
        "_move",
        "_peer",
        "_reader",
        "_wants_turn",
        "address",
        "carrier",
    )

    def __init__(self, below: Transport, reader: FrameReader, state: Handover) -> None:
        self.address = state.address
        self.carrier = Carrier(state.carrier)
        self._below = below
        self._reader = reader
        self._peer: Session | None = None
        self._front_waiting = 0
        self._wants_turn = False
        self._is_over = False
        self._measured: FrontRoundTrip | None = None
        self._move: _MoveUnderWay | None = None
        self._known: object = None
        """How the session was when the front was told of it last."""

    def start(self, session: Session) -> None:
        """Carry a session from now on; the front takes it that it is as it was handed over."""
        self._peer = session
        self._below.exchange_peer(self)
        self._below.write(encode(FrameKind.TAKEN))
        self._tell_latest()  # the number of the player's stay is new

    # --- what the session asks for

    @property
    def waiting(self) -> int:
        """Bytes that wait here or at the front."""
        return self._below.waiting + self._front_waiting

    def write(self, data: bytes) -> None:
        """Send bytes in order."""
        if not self._is_over:
            self._below.write(encode_bytes(data))

    def close(self) -> None:
        """Have what was written delivered, and the player's connection closed."""
        self._say_bye()
        self._below.close()

    def cut_off(self, cause: str) -> None:
        """Have the player's connection closed soon; the session hears of it later."""
        self._say_bye()
        self._below.cut_off(cause)

    def abandon(self) -> None:
        """End the link without a goodbye: the front looks for the player's table then."""
        self._is_over = True
        self._below.close()

    def pause(self) -> None:
        """Read nothing more from the front until ``resume``."""
        if self._move is None:
            self._below.pause()

    def resume(self) -> None:
        """Read again."""
        self._below.resume()
        self._tell_latest()

    def wake(self) -> None:
        """Give the session a turn once little enough waits, here and at the front."""
        self._wants_turn = True
        if not self._front_waiting:
            self._below.wake()

    def round_trip(self) -> RoundTrip | None:
        """Return what the front has measured, and the link's own way added."""
        player, link = self._measured, self._below.round_trip()
        if player is None:
            return None
        own = 0.0
        match link:
            case KernelRoundTrip(smallest=own) | ProxyRoundTrip(seconds=own):
                pass
        if player.smoothed is None:
            return ProxyRoundTrip(player.smallest + own)
        # The link's smallest in both: what its own average does is not the player's.
        return KernelRoundTrip(player.smallest + own, player.smoothed + own, player.delivered)

    def stamp_arrivals(self) -> None:
        """Ask the front for exact ages, and for the round trip as it is now."""
        self._below.stamp_arrivals()
        if not self._is_over:
            self._below.write(encode(FrameKind.STAMPS))

    def exchange_peer(self, peer: Peer) -> None:
        """Refuse: a session at a link goes on elsewhere by ``move``."""
        raise AssertionError("a session at the end of a link is moved by its front")

    # --- moving on

    async def move(self, node: int, state_of: Callable[[], Handover]) -> None:
        """Let the front take the session to another node; raises ``Refused`` where it stays."""
        move = self._move = _MoveUnderWay()
        try:
            self._below.write(encode_move(node))
            self._below.resume()
            with trio.move_on_after(MOVE_SECONDS):
                await move.ready.wait()  # until then comes what the player sent to this node
                if move.refused is None:
                    self._below.write(encode_state(state_of().encode()))
                    await move.settled.wait()
            if not move.is_taken:
                raise move.refused or Refused(Code.MOVED, NOT_REACHED)
            self._is_over = True
            self._below.close()
        finally:
            self._move = None

    # --- what the link tells

    def receive(self, data: bytes, arrived: float) -> None:
        """Take what came from the front."""
        try:
            for frame in self._reader.feed(data):
                self._take(frame, arrived)
        except RemoteProtocolError as error:
            log.warning("a link sends nonsense: expected %s", error)
            self._below.cut_off("lost")
            return
        self._tell_latest(is_telnet=b"\xff" in data)

    def proceed(self) -> None:
        """Let the session do more, unless much waits at the front."""
        if self._wants_turn and not self._front_waiting and self._peer is not None and not self._is_over:
            self._wants_turn = False
            self._peer.proceed()

    def end_of_input(self) -> None:
        """Hear that the front is gone."""
        self._below.close()
        self.lost("lost")

    def lost(self, cause: str) -> None:
        """Hear that the link is gone."""
        peer, self._peer = self._peer, None
        if self._move is not None:
            self._move.refuse(Refused(Code.MOVED, NOT_REACHED))
        if peer is not None and not self._is_over:
            self._is_over = True
            peer.lost(cause)

    # --- inside

    def _take(self, frame: LinkFrame, arrived: float) -> None:
        peer = self._peer
        if peer is None or self._is_over:
            return
        match frame.kind:
            case FrameKind.BYTES:
                data, age = decode_input(frame.payload)
                peer.receive(data, arrived - age)
            case FrameKind.ROUND_TRIP:
                self._measured = decode_round_trip(frame.payload)
            case FrameKind.WAITING:
                self._front_waiting = decode_waiting(frame.payload)
                if self._wants_turn and not self._front_waiting:
                    self._below.wake()
            case FrameKind.END_OF_INPUT:
                peer.end_of_input()
            case FrameKind.LOST:
                self._below.close()
                self.lost("slow" if frame.payload == b"slow" else "lost")
            case FrameKind.MOVE if self._move is not None:
                self._move.ready.set()
            case FrameKind.TAKEN if self._move is not None:
                self._move.is_taken = True
                self._move.settled.set()
            case FrameKind.REFUSED if self._move is not None:
                _, sentence = decode_refused(frame.payload)
                self._move.refuse(Refused(Code.MOVED, sentence or NOT_REACHED))
            case _:
                raise RemoteProtocolError(f"a frame that suits a link under way, not {frame.kind.name}")

    def _say_bye(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._below.write(encode(FrameKind.BYE))

    def _tell_latest(self, *, is_telnet: bool = False) -> None:
        """Tell the front how the session is now, where something has changed that outlives this node."""
        session = self._peer
        if session is None or self._is_over or self._move is not None:
            return
        writer, player = session.writer, session.player
        now = (
            *(writer.machine, writer.settings, writer.objects_word, writer.objects_kinds),
            *(session.client, session.question),
            *(() if player is None else (player.id, player.stay, player.token, player.table)),
        )
        if is_telnet or now != self._known:
            self._known = now
            self._below.write(encode_state(session.snapshot().latest().encode(), FrameKind.LATEST))


class _MoveUnderWay:
    """A move under way: ``ready`` once the front sends no more, ``settled`` once it has told how it ended."""

    def __init__(self) -> None:
        self.ready = trio.Event()
        self.settled = trio.Event()
        self.is_taken = False
        self.refused: Refused | None = None

    def refuse(self, refused: Refused) -> None:
        """Let the move end here."""
        self.refused = refused
        self.ready.set()
        self.settled.set()


NOT_REACHED: Final = "The machine of that table cannot be reached at the moment. Try again later."
