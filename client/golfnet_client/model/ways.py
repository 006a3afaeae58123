"""Where one can go: to a server, or to one of one's own with a match of some rules."""

from msgspec import Struct

from golfnet.protocol.address import Address


class Way(Struct, frozen=True, kw_only=True):
    """A server by its address, or by ``solo`` the rules of a match against bots."""

    address: Address | None = None
    solo: str = ""
    bots: int | None = None
    lesson: bool = False
