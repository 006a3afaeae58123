"""Transports without a connection, for sessions that a test drives directly."""

from golfnet.server.net.kernel import RoundTrip
from golfnet.server.net.transport import Carrier


class NullTransport:
    """Discards what is written, and does nothing else."""

    address = "127.0.0.1"
    carrier = Carrier.PLAIN
    waiting = 0
    figures: RoundTrip | None = None
    """What a kernel or a proxy has measured."""

    def write(self, data: bytes) -> None:
        """Discard the bytes."""

    def cut_off(self, cause: str) -> None:
        """Do nothing."""

    def round_trip(self) -> RoundTrip | None:
        return self.figures

    def close(self) -> None:
        """Do nothing."""

    pause = resume = wake = stamp_arrivals = close


class KeepingTransport(NullTransport):
    """Records what is written, and what its session has asked for."""

    def __init__(self) -> None:
        self.written = b""
        self.is_closed = self.is_woken = False
        self.is_reading = True
        self.cause = ""

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def cut_off(self, cause: str) -> None:
        self.cause = cause

    def pause(self) -> None:
        self.is_reading = False

    def resume(self) -> None:
        self.is_reading = True

    def wake(self) -> None:
        self.is_woken = True
