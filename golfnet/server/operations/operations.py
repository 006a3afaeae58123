"""The operator's commands: one table, used by the server, ``golfnet admin --help`` and shell completion.

An operation runs in the trio thread and returns plain data. On a single server it takes no time. In a cluster, the node
asks the directory where a player or table is, notifies that node, and waits until the directory shows the result. So
the answer is about the whole cluster; if something is not known, the answer says so.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import logging
import os
import shlex
import socket
import struct
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio
from msgspec import Struct, structs

from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.text.words import counted
from golfnet.server.accounts.sanctions import BadSanctions
from golfnet.server.commands import listings
from golfnet.server.faults import fault_boundary
from golfnet.server.lookups import carried_out
from golfnet.server.net.listeners import CannotListen
from golfnet.server.nodes import Announced, Kicked, TableEnded
from golfnet.server.operations import reaching
from golfnet.server.operations.console import record_operation
from golfnet.server.operations.status import status_of
from golfnet.server.tables import table_id
from golfnet.storage.directory import SanctionKind

if TYPE_CHECKING:
    from pathlib import Path

    from golfnet.server.lobby import Lobby
    from golfnet.storage.postgres.directory import PostgresDirectory

TRIES: Final = 3
"""How many times to search for a player or table that keeps moving between nodes."""


class Operation(Struct, frozen=True):
    """One operation: its syntax, meaning and handler; the arguments are the handler's parameters after the lobby."""

    usage: str
    meaning: str
    run: Callable[..., Awaitable[reaching.Answer]]


async def carry_out(lobby: Lobby, words: list[str]) -> reaching.Answer:
    """Run an operation, given its name and arguments; may raise ``BadOperation``."""
    name, *rest = words or [""]
    operation = OPERATIONS.get(name)
    if operation is None:
        raise reaching.BadOperation(f"expected one of {', '.join(OPERATIONS)}; not {clean_text(name)!r}")
    try:
        inspect.signature(operation.run).bind(lobby, *rest)
    except TypeError:
        raise reaching.BadOperation(f"expected {operation.usage}") from None
    try:
        return await operation.run(lobby, *rest)
    except Refused:
        raise reaching.BadOperation(
            "the database does not answer, so nothing was done; try again later"
        ) from None


async def _status(lobby: Lobby) -> reaching.Answer:
    lease = lobby.lease
    alive = {} if lease is None else {"sure": lease.is_sure(), "beat_age": round(lease.age, 2)}
    return reaching.at_node(lobby) | alive | structs.asdict(status_of(lobby))


async def _who(lobby: Lobby) -> reaching.Answer:
    addresses = {
        session.player.name: session.transport.address
        for session in lobby.sessions
        if session.player is not None
    }
    rows = [
        row | reaching.at_node(lobby) | {"address": addresses.get(row["name"])}
        for row in listings.players(lobby)
    ]
    strangers = [each.transport.address for each in lobby.sessions if each.player is None]
    note = f"Addresses and connections without a name are listed only for node {lobby.nodes.number}."
    return await _with_others(
        lobby, {"rows": rows, "strangers": strangers}, "player", reaching.players_everywhere, note
    )


async def _tables(lobby: Lobby) -> reaching.Answer:
    rows = [row | reaching.at_node(lobby) for row in listings.tables(lobby)]
    return await _with_others(lobby, {"rows": rows}, "table", reaching.tables_everywhere)


async def _announce(lobby: Lobby, first: str, *words: str) -> reaching.Answer:
    text = clean_text(" ".join([first, *words])).strip()
    if not text:
        raise reaching.BadOperation("the text is missing: announce TEXT")
    lobby.sessions.announce("ANNOUNCEMENT", text)
    told = len(lobby.sessions)
    others, note = await reaching.order_all(
        lobby,
        Announced(text=text),
        unreached="players on the other nodes may not have been told",
        unknown="it is not known whether anyone there was told",
    )
    return {"told": told + others} | note


async def _kick(lobby: Lobby, name: str) -> reaching.Answer:
    kicked: reaching.Answer = {}
    for _ in range(TRIES):
        if (here := reaching.kick(lobby, name)) is not None:
            return {"kicked": here} | reaching.at_node(lobby)
        found = await carried_out(lobby.nodes.found(name))
        if found is None or not found.is_connected:
            break
        if not await reaching.send_away(lobby, Kicked(name=found.name), found):
            raise reaching.no_answer(found.node, found.name)
        kicked = {"kicked": found.name, "node": found.node}
    if kicked:
        return kicked
    if (known := await reaching.known_name(lobby, name)) is None:
        raise reaching.nobody(lobby, name)
    raise reaching.BadOperation(f"{known} is not connected")


async def _close(lobby: Lobby, word: str) -> reaching.Answer:
    table = table_id(word)
    closed: reaching.Answer = {}

    def place(directory: PostgresDirectory) -> int | None:
        return directory.place_of("", table)

    for _ in range(TRIES):
        if reaching.end_table(lobby, table):
            return {"closed": table} | reaching.at_node(lobby)
        node = await carried_out(lobby.nodes.asked(place, lobby.nodes.number))
        if node is None:
            raise reaching.BadOperation(
                f"table {table} is on hold: its node has stopped, and no other has taken it over yet; try again in a "
                "few seconds"
            )
        if node == lobby.nodes.number:
            break
        if not await reaching.order(
            lobby,
            TableEnded(table=table),
            node,
            lambda directory: place(directory) != node,  # noqa: B023
        ):
            raise reaching.no_answer(node, f"table {table}")
        closed = {"closed": table, "node": node}
    if closed:
        return closed
    raise reaching.BadOperation(
        f"there is no table {clean_text(word)}{reaching.at_any_node(lobby)}; to see all: tables"
    )


async def _drain(lobby: Lobby) -> reaching.Answer:
    lobby.drain()
    return reaching.at_node(lobby) | {"draining": True, "connections": len(lobby.sessions)}


OPERATIONS: Final = {
    each.usage.split()[0]: each
    for each in (
        Operation("status", "show how the server is doing, in numbers", _status),
        Operation("who", "list everyone who is connected or has a seat, with addresses", _who),
        Operation("tables", "list every table", _tables),
        Operation("announce TEXT", "send a message to everyone", _announce),
        Operation("kick NAME", "close a player's connection; the seat is kept for a while", _kick),
        Operation(
            "ban NAME|NETWORK [REASON]",
            "ban a name and look-alikes, or an address or network (an IPv6 address bans its whole /64); bots take over "
            "their seats",
            reaching.ban,
        ),
        Operation("unban NAME|NETWORK", "lift a ban", partial(reaching.lift, kind=SanctionKind.BAN)),
        Operation("bans", "list who is banned or muted, why, and since when", reaching.bans),
        Operation("mute NAME [REASON]", "stop a player from chatting", reaching.mute),
        Operation("unmute NAME", "let a player chat again", partial(reaching.lift, kind=SanctionKind.MUTE)),
        Operation("close TABLE", "end a table's match, keep its record and close the table", _close),
        Operation(
            "drain",
            "open no more tables, hand existing ones over to other nodes, and stop when the last player has left",
            _drain,
        ),
    )
}


async def _with_others(
    lobby: Lobby,
    answer: reaching.Answer,
    what: str,
    everywhere: Callable[[Lobby, list[reaching.Answer]], Awaitable[tuple[list[reaching.Answer], int]]],
    note: str = "",
) -> reaching.Answer:
    """Return ``answer`` with the other nodes' rows added, if there are any, and a note about rows that are missing."""
    if lobby.nodes.is_alone:
        return answer
    try:
        rows, more = await everywhere(lobby, answer["rows"])
        missing = f"And {counted(more, what)} more." if more > 0 else ""
    except Refused:
        rows, missing = answer["rows"], f"{reaching.NO_DATABASE}, so the other nodes are not listed."
    notes = [each for each in (missing, note) if each]
    return answer | {"rows": rows} | ({"note": " ".join(notes)} if notes else {})


LINE_BYTES: Final = 8192
_FLAG: Final = "--admin-socket"
_LONGEST_PATH: Final = 107
"""Maximum bytes of a socket's path (``sockaddr_un``, without the final zero)."""

log = logging.getLogger(__name__)


async def serve_admin(
    lobby: Lobby,
    path: Path,
    audit: Path | None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer operators until cancelled, then remove the socket; may raise ``CannotListen``.

    ``audit`` is the file in which operations are recorded, if any.
    """
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(open_socket(path)))

    async def serve(stream: trio.SocketStream) -> None:
        uid = _uid(stream)
        with (
            fault_boundary(log, "an operation failed because of a fault in the server"),
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


async def answer(lobby: Lobby, line: bytes, audit: Path | None, uid: int | None) -> dict[str, Any]:
    """Run the operation in a line; return its answer and ``ok``, or the reason why it failed as ``error``."""
    words: list[str] = []
    try:
        words = shlex.split(line.decode())
        result = {"ok": True, **await carry_out(lobby, words)}
    except (reaching.BadOperation, BadSanctions) as problem:
        result = {"ok": False, "error": str(problem)}
    except ValueError:  # not UTF-8, or an unclosed quotation mark
        result = {"ok": False, "error": "expected a line of UTF-8 with closed quotation marks"}
    record_operation(audit, now=lobby.wall_clock(), uid=uid, words=words, error=result.get("error"))
    return result


def open_socket(path: Path) -> socket.socket:
    """Listen on a socket that only its owner can reach, replacing a stale one, or raise ``CannotListen``."""
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise CannotListen(str(path), OSError(f"expected a path of at most {_LONGEST_PATH} bytes"), _FLAG)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.is_socket() and not _is_served(path):
            path.unlink()
        before = os.umask(0o177)  # so that others cannot connect, not even for a moment
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
    except OSError as error:  # the next server will replace it
        log.warning("could not remove the socket %s: %s", path, error.strerror)


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0


def _uid(stream: trio.SocketStream) -> int | None:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    _, uid, _ = struct.unpack("3i", stream.socket.getsockopt(socket.SOL_SOCKET, option, 12))
    return int(uid)
