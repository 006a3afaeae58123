"""Ports that several processes of this machine share: the system spreads new connections over them.

What stays true: a port is shared with nobody else, and is kept while no process listens on it. A process that ends
takes its own sockets with it, so that nobody waits for it while others could answer.
"""

import contextlib
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from golfnet.server.config import Config
from golfnet.server.transport.listeners import CannotListen, PortKind, open_all, where

_BACKLOG = 0xFFFF
"""As trio asks for; systems have a limit of their own."""


class SharedPorts:
    """The ports of a server, kept for its processes; sockets that were handed over are shared as they are."""

    def __init__(
        self,
        kept: Mapping[PortKind, Sequence[socket.socket]],
        handed: Mapping[str, Sequence[socket.socket]],
    ) -> None:
        self._kept = kept
        self._handed = handed
        self.addresses = MappingProxyType(
            {
                kind: tuple(sock.getsockname()[:2] for sock in (*kept.get(kind, ()), *handed.get(kind, ())))
                for kind in PortKind
            }
        )

    @contextlib.contextmanager
    def opened(self) -> Iterator[dict[str, list[socket.socket]]]:
        """Give listening sockets for one more process, which are this one's until the block ends."""
        with contextlib.ExitStack() as undo:
            listening: dict[str, list[socket.socket]] = {
                kind: list(socks) for kind, socks in self._handed.items()
            }
            for kind, socks in self._kept.items():
                for kept in socks:
                    sock = undo.enter_context(_bound(kept.family, kept.getsockname()))
                    sock.listen(_BACKLOG)
                    listening.setdefault(kind, []).append(sock)
            yield listening

    def close(self) -> None:
        """Keep the ports no longer."""
        for socks in (*self._kept.values(), *self._handed.values()):
            for sock in socks:
                sock.close()


def can_share() -> bool:
    """Return whether this system spreads connections over processes."""
    return sys.platform != "win32" and hasattr(socket, "SO_REUSEPORT")


async def keep_ports(config: Config, handed: Mapping[str, Sequence[socket.socket]]) -> SharedPorts:
    """Return the ports of a configuration, kept for several processes. Raises ``CannotListen``."""
    # Opened for this process alone first: another server of the same user would share a port otherwise.
    alone = await open_all(config, dict.fromkeys(handed, ()))
    places = {
        kind: [(each.socket.family, each.socket.getsockname()) for each in alone[kind]] for kind in alone
    }
    named = {kind: where(alone[kind]) for kind in alone}
    for listeners in alone.values():
        for listener in listeners:
            listener.socket.close()
    kept: dict[PortKind, list[socket.socket]] = {}
    with contextlib.ExitStack() as undo:
        for kind, found in places.items():
            for (family, name), (address, port) in zip(found, named[kind], strict=True):
                try:
                    sock = undo.enter_context(_bound(family, name))
                except OSError as error:
                    raise CannotListen(f"{address}, port {port}", error, "--port") from None
                kept.setdefault(kind, []).append(sock)
        undo.pop_all()
    return SharedPorts(kept, handed)


def _bound(family: int, name: tuple[str, int]) -> socket.socket:
    """Return a socket on a port that others may share; raises ``OSError``."""
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(name)
    except OSError:
        sock.close()
        raise
    return sock
