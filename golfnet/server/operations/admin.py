"""The operator's socket: a line with an operation in, a line of JSON with its answer out.

The socket is reachable by its owner only (mode 0600), which is all the authority there is. Every line is written to
the audit log with the user id that the kernel tells.
"""

import contextlib
import json
import logging
import os
import shlex
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio

from golfnet.server.accounts.sanctions import BadSanctions
from golfnet.server.faults import fault_boundary
from golfnet.server.operations.audit import AuditLog
from golfnet.server.operations.operations import carry_out
from golfnet.server.operations.reaching import BadOperation
from golfnet.server.transport.listeners import CannotListen

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby

LINE_BYTES: Final = 8192
_FLAG: Final = "--admin-socket"
_LONGEST_PATH: Final = 107
"""What fits into ``sockaddr_un`` before its closing zero."""

log = logging.getLogger(__name__)


async def serve_admin(
    lobby: "Lobby",
    path: Path,
    audit: AuditLog,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer operators until cancelled, then remove the socket; raises ``CannotListen``."""
    sock = open_socket(path)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))

    async def serve(stream: trio.SocketStream) -> None:
        uid = _uid(stream)
        with (
            fault_boundary(log, "an operation met a fault in the server"),
            contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError),
        ):
            async with stream:
                waiting = b""
                async for data in stream:
                    *lines, waiting = (waiting + bytes(data)).split(b"\n")
                    for line in lines:
                        reply = await answer(lobby, line, audit, uid)
                        await stream.send_all(json.dumps(reply).encode() + b"\n")
                    if len(waiting) > LINE_BYTES:
                        break

    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(trio.serve_listeners, serve, [listener])
            task_status.started()
    finally:
        _remove(path)


async def answer(lobby: "Lobby", line: bytes, audit: AuditLog, uid: int | None) -> dict[str, Any]:
    """Carry out the operation on a line; return its answer with ``ok``, or ``error`` with what was expected."""
    words: list[str] = []
    error = None
    result: dict[str, Any] = {}
    try:
        words = shlex.split(line.decode())
        result = await carry_out(lobby, words)
    except (BadOperation, BadSanctions) as problem:
        error = str(problem)
    except ValueError:  # no UTF-8, or a quotation that is not closed
        error = "expected a line of UTF-8 with closed quotation marks"
    audit.write(now=lobby.wall_clock(), uid=uid, words=words, error=error)
    return {"ok": True, **result} if error is None else {"ok": False, "error": error}


def open_socket(path: Path) -> socket.socket:
    """Listen on a socket that only its owner can reach; one that nobody serves is replaced. Raises ``CannotListen``."""
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise CannotListen(str(path), OSError(f"expected a path of at most {_LONGEST_PATH} bytes"), _FLAG)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.is_socket() and not _is_served(path):
            path.unlink()  # left behind by a server that was killed
        before = os.umask(0o177)  # so that it is never, not even for a moment, open to others
        try:
            sock.bind(str(path))
        finally:
            os.umask(before)
        sock.listen(16)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        raise CannotListen(str(path), error, _FLAG) from None
    return sock


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:  # the next server replaces it
        log.warning("the socket %s cannot be removed: %s", path, error.strerror)


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def _uid(stream: trio.SocketStream) -> int | None:
    """Return the user at the other end, as the kernel tells; None where it does not."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    _, uid, _ = struct.unpack("3i", stream.socket.getsockopt(socket.SOL_SOCKET, option, 12))
    return int(uid)
