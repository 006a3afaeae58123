"""Listening sockets: opened by the server, or handed over by a service manager that keeps them through restarts.

All doors of one kind listen on one port, on every address that was asked for, or none does.
"""

import contextlib
import errno
import socket
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

import trio

from golfnet.server.config import EVERYWHERE, NO_PORT, Config

_TRIES: Final = 5
"""How often a free port is looked for that is free on every address."""


class PortKind(StrEnum):
    """What a port speaks; also the names of handed sockets."""

    PLAIN = "plain"
    TELNET = "telnet"
    TLS = "tls"
    PROXY = "proxy"
    WEB = "web"


_FLAGS: Final = {
    PortKind.PLAIN: "--port",
    PortKind.TELNET: "--telnet-port",
    PortKind.TLS: "--tls-port",
    PortKind.PROXY: "--proxy-port",
    PortKind.WEB: "--web-port",
}
"""The option of the command line that chooses each port."""


class CannotListen(OSError):
    """An address, port or socket that cannot be listened on; says why, and which ``flag`` chooses another one.

    ``host_advice`` is what to do where the address is not one of this computer.
    """

    def __init__(self, where: str, error: OSError, flag: str, *, host_advice: str = "") -> None:
        advice = _ADVICE.get(error.errno or 0, "Choose another one with {flag}.").format(flag=flag)
        if error.errno == errno.EADDRNOTAVAIL and host_advice:
            advice = host_advice
        super().__init__(error.errno, f"cannot listen on {where}: {error.strerror or error}. {advice}")

    def __str__(self) -> str:
        return str(self.strerror)


_ADVICE: Final = {
    errno.EADDRINUSE: (
        "Another program uses it, perhaps another golfnet server. Stop that one, or choose another one with {flag}."
    ),
    errno.EACCES: "Only root can use ports below 1024. Choose another one with {flag}.",
    errno.EADDRNOTAVAIL: "Choose an address of this computer with --host, or * for all of them.",
}


Listeners = dict[PortKind, list[trio.SocketListener]]


async def open_all(config: Config, handed: Mapping[str, Sequence[socket.socket]]) -> Listeners:
    """Return the listeners of every door; handed sockets take the place of configured ones. Raises ``CannotListen``."""
    ports = {
        PortKind.PLAIN: config.port,
        PortKind.TELNET: config.telnet_port,
        PortKind.TLS: config.tls_port if config.has_tls else NO_PORT,
        PortKind.PROXY: config.proxy_port,
        PortKind.WEB: config.web_port if config.has_web else NO_PORT,
    }
    opened: Listeners = {}
    async with contextlib.AsyncExitStack() as undo:
        for kind, port in ports.items():
            if kind in handed:
                opened[kind] = [_listener(sock) for sock in handed[kind]]
            else:
                opened[kind] = await open_port(config.hosts, port, flag=_FLAGS[kind])
            for listener in opened[kind]:
                undo.push_async_callback(listener.aclose)
        undo.pop_all()
    return opened


async def open_port(hosts: Sequence[str], port: int, *, flag: str = "--port") -> list[trio.SocketListener]:
    """Listen on one port of every host; port 0 takes one that is free on all.

    Raises ``CannotListen``, which names the ``flag`` that chooses the port.
    """
    if port == NO_PORT:
        return []
    for attempt in range(_TRIES):
        try:
            return await _open(hosts, port, flag)
        except CannotListen as error:
            if port or error.errno != errno.EADDRINUSE or attempt == _TRIES - 1:
                raise
    raise AssertionError("the loop returns or raises")


def where(listeners: Sequence[trio.SocketListener]) -> tuple[tuple[str, int], ...]:
    """Return the addresses and ports of listeners."""
    return tuple((name[0], name[1]) for name in (listener.socket.getsockname() for listener in listeners))


async def _open(hosts: Sequence[str], port: int, flag: str) -> list[trio.SocketListener]:
    listeners: list[trio.SocketListener] = []
    async with contextlib.AsyncExitStack() as undo:
        for address in await _addresses(hosts):
            chosen = port or (where(listeners)[0][1] if listeners else 0)
            try:
                opened = await trio.open_tcp_listeners(chosen, host=address)
            except OSError as error:
                if error.errno == errno.EAFNOSUPPORT and EVERYWHERE in hosts:
                    continue  # a machine without IPv6, or without IPv4
                raise CannotListen(f"{address}, port {chosen}", error, flag) from None
            for listener in opened:
                undo.push_async_callback(listener.aclose)
            listeners += opened
        if not listeners:
            raise CannotListen(f"{', '.join(hosts)}, port {port}", _no_such_address(), flag)
        undo.pop_all()
    return listeners


async def _addresses(hosts: Sequence[str]) -> list[str]:
    """Return the numeric addresses of hosts, each once."""
    found: dict[str, None] = {}
    for host in hosts:
        if host == EVERYWHERE:
            found |= dict.fromkeys(("0.0.0.0", "::"))
            continue
        try:
            infos = await trio.socket.getaddrinfo(
                host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
        except socket.gaierror:
            raise CannotListen(host, _no_such_address(), "--host") from None
        found |= dict.fromkeys(str(info[4][0]) for info in infos)
    return list(found)


def _no_such_address() -> OSError:
    return OSError(errno.EADDRNOTAVAIL, "there is no such address")


def _listener(sock: socket.socket) -> trio.SocketListener:
    sock.setblocking(False)
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))
