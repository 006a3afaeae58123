"""What an operator can do: one table, read by the server, by ``golfnet admin --help`` and by its completion.

An operation is carried out in the trio thread and answers with plain data. At a server that is alone it takes no time.
A node of several asks the directory who is where, tells the node concerned, and waits for what came of it: the answer
is about the whole server, and says so where something is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Refused
from golfnet.protocol.text.words import counted
from golfnet.server.commands import listings
from golfnet.server.operations import enforcing, reaching, sanctioning
from golfnet.server.operations.reaching import BadOperation, at_any_node, at_node, nobody
from golfnet.server.operations.status import status_of
from golfnet.server.tables import table_id
from golfnet.server.words import Announced, Kicked, TableEnded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.lobby import Lobby
    from golfnet.server.operations.reaching import Answer, RowsElsewhere

TRIES: Final = 3
"""How often a player is looked for who goes from node to node meanwhile."""


class Operation(NamedTuple):
    """One operation: how it is typed, what it does; ``words`` is how many it takes at least and at the most."""

    usage: str
    meaning: str
    words: tuple[int, int]
    run: Callable[[Lobby, list[str]], Awaitable[Answer]]


async def carry_out(lobby: Lobby, words: list[str]) -> Answer:
    """Carry out the operation that words name; raises ``BadOperation``."""
    name, *rest = words or [""]
    operation = OPERATIONS.get(name)
    if operation is None:
        raise BadOperation(f"expected one of {', '.join(OPERATIONS)}; not {clean_text(name)!r}")
    least, most = operation.words
    if not least <= len(rest) <= most:
        raise BadOperation(f"expected {operation.usage}")
    try:
        return await operation.run(lobby, rest)
    except Refused:
        raise BadOperation("the database does not answer, so nothing was done; try again later") from None


async def _status(lobby: Lobby, words: list[str]) -> Answer:
    lease = lobby.lease
    alive = {} if lease is None else {"sure": lease.is_sure(), "beat_age": round(lease.age, 2)}
    return at_node(lobby) | alive | msgspec.structs.asdict(status_of(lobby))


async def _who(lobby: Lobby, words: list[str]) -> Answer:
    addresses = {
        session.player.name: session.transport.address
        for session in lobby.sessions
        if session.player is not None
    }
    rows = [row | at_node(lobby) | {"address": addresses.get(row["name"])} for row in listings.players(lobby)]
    answer: Answer = {
        "rows": rows,
        "strangers": [each.transport.address for each in lobby.sessions if each.player is None],
    }
    if lobby.nodes.is_alone:
        return answer
    answer["note"] = f"Addresses and strangers are those of node {lobby.nodes.directory.node}."
    return await _with_others(answer, reaching.players_elsewhere(lobby), "player")


async def _tables(lobby: Lobby, words: list[str]) -> Answer:
    answer: Answer = {"rows": [row | at_node(lobby) for row in listings.tables(lobby)]}
    if lobby.nodes.is_alone:
        return answer
    return await _with_others(answer, reaching.tables_elsewhere(lobby), "table")


async def _announce(lobby: Lobby, words: list[str]) -> Answer:
    text = clean_text(" ".join(words)).strip()
    if not text:
        raise BadOperation("the text is missing: announce TEXT")
    told = enforcing.announce(lobby, text)
    outcome = await reaching.order_all(lobby, Announced(text=text))
    note = reaching.note_of(
        outcome,
        unreached="nobody at the other nodes was told",
        unknown="it is not known whether anybody there was told",
    )
    return {"told": told + reaching.total_of(outcome)} | note


async def _kick(lobby: Lobby, words: list[str]) -> Answer:
    name, known = words[0], None
    for _ in range(TRIES):
        if (kicked := enforcing.kick(lobby, name)) is not None:
            return {"kicked": kicked} | at_node(lobby)
        found = await reaching.find(lobby, name)
        if found is None:
            break
        known = found.name
        if await reaching.order_one(lobby, Kicked(name=known), found.node, known):
            return {"kicked": known, "node": found.node}
    if (player := lobby.accounts.find(name)) is not None:
        known = player.name
    if known is None:
        raise nobody(lobby, name)
    raise BadOperation(f"{known} is not connected")


async def _close(lobby: Lobby, words: list[str]) -> Answer:
    table = table_id(words[0])
    for _ in range(TRIES):
        if enforcing.end_table(lobby, table):
            return {"closed": table} | at_node(lobby)
        node = await reaching.owner(lobby, table)
        if node is None:
            break
        if await reaching.order_one(lobby, TableEnded(table=table), node, f"table {table}"):
            return {"closed": table, "node": node}
    await reaching.need_owner(lobby, table)
    raise BadOperation(f"there is no table {clean_text(words[0])}{at_any_node(lobby)}; to see all: tables")


async def _drain(lobby: Lobby, words: list[str]) -> Answer:
    lobby.drain()
    return at_node(lobby) | {"draining": True, "connections": len(lobby.sessions)}


OPERATIONS: Final = {
    "status": Operation("status", "show how the server is doing, in numbers", (0, 0), _status),
    "who": Operation("who", "list everybody who is connected or has a seat, with addresses", (0, 0), _who),
    "tables": Operation("tables", "list every table", (0, 0), _tables),
    "announce": Operation("announce TEXT", "say something to everybody", (1, 1000), _announce),
    "kick": Operation(
        "kick NAME", "close a player's connection; the seat is kept for a while", (1, 1), _kick
    ),
    "ban": Operation(
        "ban NAME|NETWORK [REASON]",
        "ban a name and look-alikes, or an address or network (an IPv6 address bans its whole /64); bots take over "
        "their seats",
        (1, 1000),
        sanctioning.ban,
    ),
    "unban": Operation("unban NAME|NETWORK", "lift a ban", (1, 1), sanctioning.unban),
    "bans": Operation("bans", "list who is banned or muted, why, and since when", (0, 0), sanctioning.bans),
    "mute": Operation("mute NAME [REASON]", "stop a player from chatting", (1, 1000), sanctioning.mute),
    "unmute": Operation("unmute NAME", "let a player chat again", (1, 1), sanctioning.unmute),
    "close": Operation(
        "close TABLE", "end a table's match, keep its record and close the table", (1, 1), _close
    ),
    "drain": Operation(
        "drain",
        "open no more tables, let other nodes go on with those that there are, and stop when the last player has left",
        (0, 0),
        _drain,
    ),
}


async def _with_others(answer: Answer, asking: Awaitable[RowsElsewhere], what: str) -> Answer:
    """Return a list with the rows of the other nodes, and a note about what is not in it."""
    try:
        rows, more = await asking
    except Refused:
        rows, more, missing = [], 0, f"{reaching.NO_DATABASE}, so the other nodes are not listed."
    else:
        missing = f"And {counted(more, what)} more." if more > 0 else ""
    note = " ".join([each for each in (missing, answer.get("note", "")) if each])
    return answer | {"rows": answer["rows"] + rows} | ({"note": note} if note else {})
