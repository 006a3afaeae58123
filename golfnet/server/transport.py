"""The seam between bytes and sessions: what a session may ask of its connection, and what it is told.

A session never awaits. It writes, and what the peer does not read at once waits in an outbox whose bound is the
transport's; over the bound the peer is cut off, so that nobody waits for a slow one.
"""

from typing import Protocol


class Transport(Protocol):
    """One connection, seen from its session."""

    address: str
    """The peer's address, for limits and logs."""

    def write(self, data: bytes) -> None:
        """Send bytes in order; never blocks, never fails."""

    def close(self) -> None:
        """Send what waits, then close; ``Peer.lost`` is not called for it."""

    def abort(self) -> None:
        """Close at once and throw away what waits."""

    def round_trip(self) -> float | None:
        """Return the smallest round trip measured by the kernel in seconds, None where it is unknown."""


class Peer(Protocol):
    """The receiving side of a transport: a session."""

    def receive(self, data: bytes, arrived: float) -> None:
        """Take bytes; ``arrived`` is when they came, in seconds of trio's clock."""

    def end_of_input(self) -> None:
        """Hear that the peer will send nothing more; it may still read."""

    def lost(self, cause: str) -> None:
        """Hear that the connection is gone; ``cause`` is lost or slow."""
