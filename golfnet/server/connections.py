"""Who may connect: every connection that is accepted is counted until it has ended, whatever ended it."""

from golfnet.server.commands.dispatch import Dispatcher
from golfnet.server.session.session import Session
from golfnet.server.throttle import Addresses
from golfnet.server.transport.transport import Transport


class LobbyAcceptor:
    """Accepts connections for the lobby, as plain lines or telnet; several may share one count of ``addresses``."""

    def __init__(self, dispatcher: Dispatcher, addresses: Addresses, *, telnet: bool = False) -> None:
        self._dispatcher = dispatcher
        self._addresses = addresses
        self._telnet = telnet

    def admit(self, address: str) -> bool:
        """Count a connection in, unless its address is banned, the server is full or the address has too many."""
        lobby = self._dispatcher.lobby
        if lobby.sanctions.bars_address(address):
            reason = "banned"
        elif lobby.connected >= lobby.config.connections:
            reason = "full"
        elif not self._addresses.admit(address):
            reason = "address"
        else:
            lobby.counters.connections += 1
            return True
        lobby.counters.turned_away[reason] += 1
        return False

    def welcome(self, transport: Transport) -> Session:
        """Return a session on an accepted connection, after the first greeting."""
        return greet(self._dispatcher, transport, telnet=self._telnet)

    def gone(self, address: str) -> None:
        """Count out a connection that was accepted."""
        self._addresses.release(address)


def greet(dispatcher: Dispatcher, transport: Transport, *, telnet: bool) -> Session:
    """Return a session on a new connection, after the first greeting."""
    session = Session(dispatcher, transport, telnet=telnet)
    dispatcher.lobby.welcome(session)
    return session
