"""A transport without a connection, for sessions that a test speaks to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.server.transport.transport import Carrier

if TYPE_CHECKING:
    from golfnet.server.transport.transport import RoundTrip


class Nowhere:
    """Leads to nobody; whoever keeps what is written overrides ``write``."""

    address = "127.0.0.1"
    carrier = Carrier.PLAIN
    waiting = 0

    def write(self, data: bytes) -> None:
        """Send nothing."""

    def close(self) -> None:
        """Close nothing."""

    def cut_off(self, cause: str) -> None:
        """Cut nothing off."""

    def pause(self) -> None:
        """Read nothing anyway."""

    def resume(self) -> None:
        """Read nothing anyway."""

    def wake(self) -> None:
        """Give no turn."""

    def round_trip(self) -> RoundTrip | None:
        """Know nothing."""
        return None

    def stamp_arrivals(self) -> None:
        """Know no better."""
