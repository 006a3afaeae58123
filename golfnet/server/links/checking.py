"""Whether the other nodes can be reached and have the same secret: each is asked every few seconds, without a session.

What stays true: the database knows of a node that it could not be reached twice in a row from here, for whoever looks
after the nodes (``golfnet cluster``); nothing else depends on it.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Refused, RemoteProtocolError
from golfnet.protocol.links.frames import (
    NONCE_BYTES,
    PROOF_BYTES,
    FrameKind,
    FrameReader,
    Greeting,
    Prover,
    encode_hello,
    is_proven,
)
from golfnet.server.lookups import carried_out

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.net.transport import Transport
    from golfnet.server.nodes import Nodes
    from golfnet.storage.directory import SharedDirectory

EVERY_SECONDS: Final = 5.0
"""Ten nodes ask each other ninety times in that, a round trip each."""

ANSWER_SECONDS: Final = 2.0
"""After so long a node counts as one that cannot be reached."""

log = logging.getLogger(__name__)


async def keep_checking(nodes: Nodes, links: Links, directory: SharedDirectory) -> None:
    """Ask the other nodes until cancelled, and tell which cannot be reached."""
    failed: set[int] = set()
    told: set[int] = set()
    while True:
        await trio.sleep(EVERY_SECONDS)
        try:
            look = await carried_out(nodes.asked(directory.look))
            others = {
                each.node: each.link for each in look.nodes if each.link and each.node != directory.node
            }
            failed_before, reasons = failed, {}
            for node, where in others.items():
                reasons[node] = await _reason(links, node, where)
            failed = {node for node, reason in reasons.items() if reason}
            unreached = failed & failed_before
            for node in sorted(unreached - told):
                log.warning("node %d cannot be linked to: %s", node, reasons[node])
            if unreached != told:
                await carried_out(nodes.asked(lambda: directory.tell_unreached(unreached)))  # noqa: B023
                told = unreached
        except Refused:
            continue  # it is told once the directory answers


async def _reason(links: Links, node: int, where: str) -> str:
    """Return why a node does not answer with the same secret, empty where it does."""
    asking, reason = _Asking(links.secret, links.number, node), ""
    with trio.move_on_after(ANSWER_SECONDS):
        try:
            await links.dial(where, asking.open)
            await asking.answered.wait()
        except OSError as error:
            reason = f"{error}"
    asking.close()
    return "" if asking.is_proven else reason or "it does not prove the same secret; its own log may say more"


class _Asking:
    """The near end of a link that only wants the other end to prove the secret."""

    def __init__(self, secret: str, here: int, node: int) -> None:
        self.answered = trio.Event()
        self.is_proven = False
        self._secret = secret
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._hello = encode_hello(Greeting(here, node, self._nonce))
        self._reader = FrameReader(limit=NONCE_BYTES + PROOF_BYTES)
        self._below: Transport | None = None

    def open(self, below: Transport) -> _Asking:
        """Begin to speak; return the peer of what carries it."""
        self._below = below
        below.write(self._hello)
        return self

    def close(self) -> None:
        """End the link."""
        if self._below is not None:
            self._below.close()

    def receive(self, data: bytes, arrived: float) -> None:
        """Check the proof."""
        try:
            for kind, payload in self._reader.feed(data):
                theirs, given = payload[:NONCE_BYTES], payload[NONCE_BYTES:]
                self.is_proven = kind is FrameKind.PROOF and is_proven(
                    given, self._secret, Prover.OWNER, theirs, self._nonce
                )
                self.answered.set()
                return
        except RemoteProtocolError:
            self.answered.set()

    def proceed(self) -> None:
        """Do nothing: nothing is left undone."""

    def end_of_input(self) -> None:
        """Hear that the other end is gone."""
        self.answered.set()

    def lost(self, cause: str) -> None:
        """Hear that the link is gone."""
        self.answered.set()
