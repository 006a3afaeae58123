"""A transport without a connection, for sessions that a test drives directly."""

from golfnet.server.net.kernel import RoundTrip
from golfnet.server.net.transport import Carrier


class NullTransport:
    """Discards what is written."""

    address = "127.0.0.1"
    carrier = Carrier.PLAIN
    waiting = 0

    def write(self, data: bytes) -> None:
        """Discard the bytes."""

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def cut_off(self, cause: str) -> None:
        """Do nothing: there is no connection."""

    def pause(self) -> None:
        """Do nothing: nothing is received."""

    def resume(self) -> None:
        """Do nothing: nothing is received."""

    def wake(self) -> None:
        """Do nothing: there is nothing to schedule."""

    def round_trip(self) -> RoundTrip | None:
        """Return None: there is no measurement."""
        return None

    def stamp_arrivals(self) -> None:
        """Do nothing: nothing arrives."""


class KeepingTransport(NullTransport):
    """Records what is written, whether it was closed, and why it was cut off."""

    def __init__(self) -> None:
        self.written = b""
        self.is_closed = False
        self.cause = ""

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def cut_off(self, cause: str) -> None:
        self.cause = cause
