"""The door: who is let in, and how many.

Every connection that was let in is counted until it is gone, whatever ended it.
"""

from typing import Final

from golfnet.server.lobby import Lobby
from golfnet.server.session.session import Session
from golfnet.server.throttle import Addresses
from golfnet.server.transport.transport import Transport

TOO_MANY: Final = b"! TOO_MANY There are too many connections, or yours are not welcome; try again later.\r\n"


class Door:
    """One way into the lobby, for plain lines or for telnet; doors may share one count of ``addresses``."""

    def __init__(self, lobby: Lobby, addresses: Addresses, *, telnet: bool = False) -> None:
        self._lobby = lobby
        self._addresses = addresses
        self._telnet = telnet

    def admit(self, address: str) -> bool:
        """Count a connection in; one that is turned away should be told ``TOO_MANY``."""
        lobby = self._lobby
        if lobby.sanctions.bars_address(address):
            reason = "banned"
        elif len(lobby.sessions) >= lobby.config.connections:
            reason = "full"
        elif not self._addresses.admit(address):
            reason = "address"
        else:
            lobby.counters.connections += 1
            return True
        lobby.counters.turned_away[reason] += 1
        return False

    def welcome(self, transport: Transport) -> Session:
        """Return who speaks with a connection that was let in, after the first greeting."""
        return greet(self._lobby, transport, telnet=self._telnet)

    def gone(self, address: str) -> None:
        """Count a connection out that was let in."""
        self._addresses.release(address)


def greet(lobby: Lobby, transport: Transport, *, telnet: bool) -> Session:
    """Return a session on a new connection, after the first greeting."""
    session = Session(lobby, transport, telnet=telnet)
    lobby.welcome(session)
    return session
