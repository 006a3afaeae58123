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


class CannotListen(OSError):
    """An address and port that cannot be listened on, and why."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        super().__init__(error.errno, f"cannot listen on {host}, port {port}: {error.strerror or error}")

    def __str__(self) -> str:
        return str(self.strerror)


Listeners = dict[PortKind, list[trio.SocketListener]]


async def open_all(config: Config, handed: Mapping[str, Sequence[socket.socket]]) -> Listeners:
    """Return the listeners of every door; handed sockets take the place of configured ones. Raises ``CannotListen``."""
    ports = {
        PortKind.PLAIN: config.port,
        PortKind.TELNET: config.telnet_port,
        PortKind.TLS: config.tls_port if config.has_tls else NO_PORT,
        PortKind.PROXY: config.proxy_port,
    }
    opened: Listeners = {}
    async with contextlib.AsyncExitStack() as undo:
        for kind, port in ports.items():
            if kind in handed:
                opened[kind] = [_listener(sock) for sock in handed[kind]]
            else:
                opened[kind] = await open_port(config.hosts, port)
            for listener in opened[kind]:
                undo.push_async_callback(listener.aclose)
        undo.pop_all()
    return opened


async def open_port(hosts: Sequence[str], port: int) -> list[trio.SocketListener]:
    """Listen on one port of every host; port 0 takes one that is free on all. Raises ``CannotListen``."""
    if port == NO_PORT:
        return []
    for attempt in range(_TRIES):
        try:
            return await _open(hosts, port)
        except CannotListen as error:
            if port or error.errno != errno.EADDRINUSE or attempt == _TRIES - 1:
                raise
    raise AssertionError("the loop returns or raises")


def where(listeners: Sequence[trio.SocketListener]) -> tuple[tuple[str, int], ...]:
    """Return the addresses and ports of listeners."""
    return tuple((name[0], name[1]) for name in (listener.socket.getsockname() for listener in listeners))


async def _open(hosts: Sequence[str], port: int) -> list[trio.SocketListener]:
    listeners: list[trio.SocketListener] = []
    async with contextlib.AsyncExitStack() as undo:
        for address in await _addresses(hosts):
            chosen = port or (where(listeners)[0][1] if listeners else 0)
            try:
                opened = await trio.open_tcp_listeners(chosen, host=address)
            except OSError as error:
                if error.errno == errno.EAFNOSUPPORT and EVERYWHERE in hosts:
                    continue  # a machine without IPv6, or without IPv4
                raise CannotListen(address, chosen, error) from None
            for listener in opened:
                undo.push_async_callback(listener.aclose)
            listeners += opened
        if not listeners:
            raise CannotListen(
                ", ".join(hosts), port, OSError(errno.EADDRNOTAVAIL, "there is no such address")
            )
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
            raise CannotListen(host, 0, OSError(errno.EADDRNOTAVAIL, "there is no such address")) from None
        found |= dict.fromkeys(str(info[4][0]) for info in infos)
    return list(found)


def _listener(sock: socket.socket) -> trio.SocketListener:
    sock.setblocking(False)
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))
