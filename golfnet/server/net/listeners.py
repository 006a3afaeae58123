"""Listening sockets: opened by the server, or handed over by a service manager that keeps them across restarts.

All listeners of one kind use the same port on every configured address. Also notifies service managers.
"""

import contextlib
import errno
import os
import socket
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from enum import StrEnum
from typing import Final

import trio

from golfnet.server.config import EVERYWHERE, NO_PORT, Config

_TRIES: Final = 5
"""How many times to try to find a port that is free on every address."""


class PortKind(StrEnum):
    """What a port is for; a service manager uses the values as names of the sockets that it hands over."""

    PLAIN = "plain"
    TELNET = "telnet"
    TLS = "tls"
    PROXY = "proxy"
    WEB = "web"


class CannotListen(OSError):
    """Cannot listen on an address, port or socket; the text says why, and which ``flag`` chooses another one.

    ``host_advice`` is the advice if the address does not belong to this computer.
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
        "Another program is using it, perhaps another golfnet server. Stop that one, or choose another one with {flag}."
    ),
    errno.EACCES: "Only root can use ports below 1024. Choose another one with {flag}.",
    errno.EADDRNOTAVAIL: "Choose an address of this computer with --host, or * for all of them.",
}


Listeners = dict[PortKind, list[trio.SocketListener]]


async def open_all(config: Config, handed: Mapping[str, Sequence[socket.socket]]) -> Listeners:
    """Return the listeners of every kind, handed over or opened as configured; may raise ``CannotListen``."""
    ports = {
        PortKind.PLAIN: ("--port", config.port),
        PortKind.TELNET: ("--telnet-port", config.telnet_port),
        PortKind.TLS: ("--tls-port", config.tls_port if config.has_tls else NO_PORT),
        PortKind.PROXY: ("--proxy-port", config.proxy_port),
        PortKind.WEB: ("--web-port", config.web_port if config.has_web else NO_PORT),
    }
    opened: Listeners = {}
    async with contextlib.AsyncExitStack() as undo:
        for kind, (flag, port) in ports.items():
            if kind in handed:
                socks = [trio.socket.from_stdlib_socket(sock) for sock in handed[kind]]
                opened[kind] = [trio.SocketListener(sock) for sock in socks]
            else:
                opened[kind] = await open_port(config.hosts, port, flag=flag)
            for listener in opened[kind]:
                undo.push_async_callback(listener.aclose)
        undo.pop_all()
    return opened


async def open_port(hosts: Sequence[str], port: int, *, flag: str = "--port") -> list[trio.SocketListener]:
    """Listen on the same port on every host, or raise ``CannotListen`` with ``flag``.

    Port 0 stands for any port that is free on all hosts.
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
    return tuple(listener.socket.getsockname()[:2] for listener in listeners)


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


_FIRST_HANDED: Final = 3


class BadHandover(Exception):
    """A socket that was handed over cannot be used; the text says what was expected."""


def handed_sockets(environ: MutableMapping[str, str], pid: int) -> dict[str, list[socket.socket]]:
    """Return the sockets handed to this process, by kind of port, or raise ``BadHandover``.

    The name of a socket is its kind (``FileDescriptorName=telnet``); sockets without a name are for plain lines.
    """
    owner, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "0")
    names = environ.pop("LISTEN_FDNAMES", "").split(":")
    if owner != str(pid) or not count.isdecimal():
        return {}
    handed: dict[str, list[socket.socket]] = {}
    for number in range(int(count)):
        name = names[number] if number < len(names) else ""
        handed.setdefault(_kind(name), []).append(listening_socket(_FIRST_HANDED + number, name))
    return handed


class Notifier:
    """Sends status to the service manager, if there is one."""

    def __init__(self, environ: Mapping[str, str], pid: int) -> None:
        address = environ.get("NOTIFY_SOCKET", "") if hasattr(socket, "AF_UNIX") else ""
        self._address = address.replace("@", "\0", 1)
        limit = environ.get("WATCHDOG_USEC", "")
        is_ours = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
        self.watchdog_seconds = int(limit) / 1e6 if limit.isdecimal() and is_ours else None
        """The manager's watchdog timeout, None without a watchdog."""

    def ready(self, status: str) -> None:
        """Report that the server is open."""
        self._notify("READY=1", f"STATUS={status}")

    def stopping(self) -> None:
        """Report that a graceful stop has begun."""
        self._notify("STOPPING=1")

    async def keep_alive(self) -> None:
        """Notify the watchdog regularly; the notifications stop if the event loop is stuck."""
        if self.watchdog_seconds is None:
            return
        while True:
            self._notify("WATCHDOG=1")
            await trio.sleep(self.watchdog_seconds / 3)

    def _notify(self, *assignments: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock, contextlib.suppress(OSError):
            sock.setblocking(False)  # the tables must not wait for a manager that does not read
            sock.sendto("\n".join(assignments).encode(), self._address)


def _kind(name: str) -> str:
    if name in tuple(PortKind):
        return name
    if name in ("", "unknown", "golfnet.socket"):  # what service managers call sockets without a name
        return PortKind.PLAIN
    raise BadHandover(
        f"a socket named {name!r} was handed over; expected FileDescriptorName= to be one of {', '.join(PortKind)}"
    )


def listening_socket(descriptor: int, name: str) -> socket.socket:
    """Return the socket behind a descriptor, or raise ``BadHandover`` if it is not a listening TCP socket."""
    os.set_inheritable(descriptor, False)
    sock = socket.socket(fileno=descriptor)
    is_tcp = sock.type == socket.SOCK_STREAM and sock.family in (socket.AF_INET, socket.AF_INET6)
    if not is_tcp or not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise BadHandover(
            f"descriptor {descriptor} ({name or 'without a name'}): expected a listening TCP socket"
        )
    return sock


_BACKLOG = 0xFFFF
"""The length of the accept queue, as in trio; the system reduces it to its own limit."""


class SharedPorts:
    """The ports of a server that is run by several processes.

    Each process gets sockets of its own on these ports, but all share the sockets that were handed over.
    """

    def __init__(
        self,
        kept: Mapping[PortKind, Sequence[socket.socket]],
        handed: Mapping[str, Sequence[socket.socket]],
    ) -> None:
        self._kept = kept
        self._handed = handed
        self.addresses = {
            kind: tuple(sock.getsockname()[:2] for sock in (*kept.get(kind, ()), *handed.get(kind, ())))
            for kind in PortKind
        }

    @contextlib.contextmanager
    def opened(self) -> Iterator[dict[str, list[socket.socket]]]:
        """Open listening sockets for one more process, and close this process's copies at the end of the block."""
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
        """Release the ports."""
        for socks in (*self._kept.values(), *self._handed.values()):
            for sock in socks:
                sock.close()


def can_share() -> bool:
    """Return whether this system distributes connections among processes."""
    return sys.platform != "win32" and hasattr(socket, "SO_REUSEPORT")


async def keep_ports(config: Config, handed: Mapping[str, Sequence[socket.socket]]) -> SharedPorts:
    """Bind the configured ports for several processes, and return them, or raise ``CannotListen``."""
    # The ports are first opened without sharing, to make sure that no other server of the same user has them.
    alone = await open_all(config, dict.fromkeys(handed, ()))
    listening = [(kind, each.socket) for kind, listeners in alone.items() for each in listeners]
    places = [(kind, sock.family, sock.getsockname()) for kind, sock in listening]
    for _, sock in listening:
        sock.close()
    kept: dict[PortKind, list[socket.socket]] = {}
    with contextlib.ExitStack() as undo:
        for kind, family, name in places:
            try:
                bound = undo.enter_context(_bound(family, name))
            except OSError as error:
                raise CannotListen(f"{name[0]}, port {name[1]}", error, "--port") from None
            kept.setdefault(kind, []).append(bound)
        undo.pop_all()
    return SharedPorts(kept, handed)


def _bound(family: int, name: tuple[str, int]) -> socket.socket:
    """Return a socket bound to a port that others may share, or raise ``OSError``."""
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
