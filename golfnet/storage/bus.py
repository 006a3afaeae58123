"""The bus: short words from node to node, as soon as they can be there.

What stays true: sending never waits; what is sent by one node to another comes in order or not at all. So nothing may
depend on it: what must not be lost is in a table, and looked at again.
"""

from collections.abc import Callable
from typing import Final, Protocol

PAYLOAD_LIMIT: Final = 3900
"""Bytes of one payload, which is JSON: a line of chat has a third. What is longer is lost."""


class Bus(Protocol):
    """How a node speaks to the others."""

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Send something to a node, also to this one, or to all others; it may be lost."""

    def listen(self, receive: Callable[[bytes], None]) -> None:
        """Call ``receive`` with what other nodes send."""


class SilentBus:
    """The bus of a server that is alone: nobody listens."""

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Do nothing."""

    def listen(self, receive: Callable[[bytes], None]) -> None:
        """Never call anything."""
