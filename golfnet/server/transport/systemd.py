"""What a service manager and a server say to each other: sockets handed over, readiness, signs of life.

The two environment protocols of systemd, sd_listen_fds(3) and sd_notify(3), which other managers speak too. Without
their variables nothing happens.
"""

import contextlib
import os
import socket
from collections.abc import Mapping, MutableMapping
from typing import Final

import trio

from golfnet.server.transport.listeners import PortKind

_FIRST_HANDED: Final = 3


class BadHandover(Exception):
    """A socket that was handed over and cannot be used; says what was expected."""


def handed_sockets(environ: MutableMapping[str, str], pid: int) -> dict[str, list[socket.socket]]:
    """Take the sockets meant for this process, by the kind of their door; raises ``BadHandover``.

    A name is that of a door (``FileDescriptorName=telnet``); without names every socket is a plain one.
    """
    owner, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "0")
    names = environ.pop("LISTEN_FDNAMES", "").split(":")
    if owner != str(pid) or not count.isdecimal():
        return {}
    handed: dict[str, list[socket.socket]] = {}
    for number in range(int(count)):
        name = names[number] if number < len(names) else ""
        handed.setdefault(_door(name), []).append(_listening(_FIRST_HANDED + number, name))
    return handed


class Notifier:
    """The way to tell the service manager something; says nothing where there is none."""

    def __init__(self, environ: Mapping[str, str], pid: int) -> None:
        address = environ.get("NOTIFY_SOCKET", "") if hasattr(socket, "AF_UNIX") else ""
        self._address = address.replace("@", "\0", 1)
        limit = environ.get("WATCHDOG_USEC", "")
        is_ours = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
        self.watchdog_seconds = int(limit) / 1e6 if limit.isdecimal() and is_ours else None
        """How long the manager waits for a sign of life, None where it does not."""

    def ready(self, status: str) -> None:
        """Say that the server is open."""
        self._tell("READY=1", f"STATUS={status}")

    def stopping(self) -> None:
        """Say that a graceful stop has begun."""
        self._tell("STOPPING=1")

    async def keep_alive(self) -> None:
        """Give signs of life for as long as tasks are run in time, which is what they are a sign of."""
        if self.watchdog_seconds is None:
            return
        while True:
            self._tell("WATCHDOG=1")
            await trio.sleep(self.watchdog_seconds / 3)

    def _tell(self, *assignments: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock, contextlib.suppress(OSError):
            sock.setblocking(False)  # a manager that does not read must not stop the tables
            sock.sendto("\n".join(assignments).encode(), self._address)


def _door(name: str) -> str:
    if name in tuple(PortKind):
        return name
    if name in ("", "unknown", "golfnet.socket"):  # what managers call a socket without a name of its own
        return PortKind.PLAIN
    raise BadHandover(
        f"a socket named {name!r} was handed over; expected FileDescriptorName= to be one of {', '.join(PortKind)}"
    )


def _listening(descriptor: int, name: str) -> socket.socket:
    os.set_inheritable(descriptor, False)
    sock = socket.socket(fileno=descriptor)
    is_tcp = sock.type == socket.SOCK_STREAM and sock.family in (socket.AF_INET, socket.AF_INET6)
    if not is_tcp or not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise BadHandover(
            f"descriptor {descriptor} ({name or 'without a name'}): expected a listening TCP socket"
        )
    return sock
