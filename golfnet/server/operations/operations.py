"""What an operator can do: one table, read by the server, by ``golfnet admin --help`` and by its completion.

An operation is carried out at once, in the trio thread, and answers with plain data. It goes through the same doors as
the players' commands: a bug in one table closes that table.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Code
from golfnet.server.accounts.sanctions import Sanction, network_in
from golfnet.server.commands import listings
from golfnet.server.operations.status import status_of
from golfnet.server.tables import table_id
from golfnet.server.words import Announced, Kicked, TableEnded, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session

Answer = dict[str, Any]


class BadOperation(Exception):
    """An operation that cannot be carried out; says what was expected."""


class Operation(NamedTuple):
    """One operation: how it is typed, what it does; ``words`` is how many it takes at least and at the most."""

    usage: str
    meaning: str
    words: tuple[int, int]
    run: Callable[[Lobby, list[str]], Answer]


def carry_out(lobby: Lobby, words: list[str]) -> Answer:
    """Carry out the operation that words name; raises ``BadOperation``."""
    name, *rest = words or [""]
    operation = OPERATIONS.get(name)
    if operation is None:
        raise BadOperation(f"expected one of {', '.join(OPERATIONS)}; not {clean_text(name)!r}")
    least, most = operation.words
    if not least <= len(rest) <= most:
        raise BadOperation(f"expected {operation.usage}")
    return operation.run(lobby, rest)


def _status(lobby: Lobby, words: list[str]) -> Answer:
    return msgspec.structs.asdict(status_of(lobby))


def _who(lobby: Lobby, words: list[str]) -> Answer:
    addresses = {
        session.player.name: session.transport.address
        for session in lobby.sessions
        if session.player is not None
    }
    rows = [row | {"address": addresses.get(row["name"])} for row in listings.players(lobby)]
    return {
        "rows": rows,
        "strangers": [each.transport.address for each in lobby.sessions if each.player is None],
    }


def _tables(lobby: Lobby, words: list[str]) -> Answer:
    return {"rows": list(listings.tables(lobby))}


def _announce(lobby: Lobby, words: list[str]) -> Answer:
    text = clean_text(" ".join(words)).strip()
    if not text:
        raise BadOperation("the text is missing: announce TEXT")
    lobby.sessions.announce("ANNOUNCEMENT", text)
    lobby.nodes.bus.send(encode(Announced(text=text)))
    told: Answer = {"told": len(lobby.sessions)}
    return told if lobby.nodes.is_alone else told | {"note": "The other nodes tell those who are there."}


def _kick(lobby: Lobby, words: list[str]) -> Answer:
    player = lobby.accounts.find(words[0])
    if player is None and not lobby.nodes.is_alone:
        lobby.nodes.bus.send(encode(Kicked(name=words[0])))
        return {
            "asked": clean_text(words[0]),
            "note": "Nobody at this node has this name. If another node has the player, it closes the connection.",
        }
    player = _player(lobby, words[0])
    if not kick(player):
        raise BadOperation(f"{player.name} is not connected")
    return {"kicked": player.name}


def kick(player: Player) -> bool:
    """Close a player's connection; return whether there was one."""
    if player.session is None:
        return False
    player.session.close(Code.KICKED, "The operator of this server has closed the connection.")
    return True


def _ban(lobby: Lobby, words: list[str]) -> Answer:
    whom, reason = words[0], clean_text(" ".join(words[1:]))
    network = network_in(whom)
    if network is None:
        player = lobby.accounts.find(whom)
        whom = clean_text(whom) if player is None else player.name
    elif network.num_addresses > 1:
        whom = str(network)  # an IPv6 address became its /64
    lobby.sanctions.ban(
        Sanction(whom=whom if network is None else str(network), reason=reason, since=lobby.wall_clock())
    )
    closed = enforce(lobby)
    answer = {"banned": whom, "closed": closed}
    if words[0] != whom and network is not None and network.version == 6:
        answer["note"] = f"All of {whom} is banned, because whoever has {words[0]} can use any address in it."
    return answer


def enforce(lobby: Lobby) -> int:
    """Send everybody away who is banned by now, and give up their seats; return how many connections were closed."""
    sessions = [
        session
        for session in lobby.sessions
        if lobby.sanctions.bars_address(session.transport.address)
        or (session.player is not None and lobby.sanctions.bars_name(session.player.name))
    ]
    for session in sessions:
        _send_away(lobby, session)
    for player in [away for away in lobby.accounts if lobby.sanctions.bars_name(away.name)]:
        _vacate(lobby, player)
    return len(sessions)


def _unban(lobby: Lobby, words: list[str]) -> Answer:
    if not lobby.sanctions.unban(words[0]):
        raise BadOperation(f"{clean_text(words[0])} is not banned; bans lists who is")
    return {"unbanned": words[0]}


def _bans(lobby: Lobby, words: list[str]) -> Answer:
    rows = [("ban", entry) for entry in lobby.sanctions.bans]
    rows += [("mute", entry) for entry in lobby.sanctions.mutes]
    return {
        "rows": [
            {"kind": kind, "whom": entry.whom, "reason": entry.reason, "since": entry.since}
            for kind, entry in rows
        ]
    }


def _mute(lobby: Lobby, words: list[str]) -> Answer:
    player, reason = lobby.accounts.find(words[0]), clean_text(" ".join(words[1:]))
    if player is None and not lobby.nodes.is_alone:
        name = clean_text(words[0])
        note = {"note": "Nobody at this node has this name. At every other node it is muted as well."}
    else:
        name, note = _player(lobby, words[0]).name, {}
    lobby.sanctions.mute(Sanction(whom=name, reason=reason, since=lobby.wall_clock()))
    return {"muted": name} | note


def _unmute(lobby: Lobby, words: list[str]) -> Answer:
    if not lobby.sanctions.unmute(words[0]):
        raise BadOperation(f"{clean_text(words[0])} is not muted; bans lists who is")
    return {"unmuted": words[0]}


def _close(lobby: Lobby, words: list[str]) -> Answer:
    table = table_id(words[0])
    if not end_table(lobby, table):
        if lobby.nodes.is_alone:
            raise BadOperation(f"there is no table {clean_text(words[0])}; to see all: tables")
        lobby.nodes.bus.send(encode(TableEnded(table=table)))
        return {"asked": table, "note": "This node has no such table. If another node has it, it closes it."}
    return {"closed": table}


def end_table(lobby: Lobby, id: str) -> bool:
    """Close a table at the operator's word; return whether there is one here."""
    table = lobby.tables.get(id)
    if table is None:
        return False
    table.guarded(partial(table.close, "the operator of the server has closed it"))()
    return True


def _drain(lobby: Lobby, words: list[str]) -> Answer:
    lobby.drain()
    return {"draining": True, "connections": len(lobby.sessions)}


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
        _ban,
    ),
    "unban": Operation("unban NAME|NETWORK", "lift a ban", (1, 1), _unban),
    "bans": Operation("bans", "list who is banned or muted, why, and since when", (0, 0), _bans),
    "mute": Operation("mute NAME [REASON]", "stop a player from chatting", (1, 1000), _mute),
    "unmute": Operation("unmute NAME", "let a player chat again", (1, 1), _unmute),
    "close": Operation(
        "close TABLE", "end a table's match, keep its record and close the table", (1, 1), _close
    ),
    "drain": Operation(
        "drain", "open no more tables, and stop the server when the last player has left", (0, 0), _drain
    ),
}


def _player(lobby: Lobby, name: str) -> Player:
    player = lobby.accounts.find(name)
    if player is None:
        raise BadOperation(f"there is no player {clean_text(name)} here; to see everybody: who")
    return player


def _send_away(lobby: Lobby, session: Session) -> None:
    player = session.player
    session.close(Code.KICKED, "The operator of this server has banned you.")
    if player is not None:
        _vacate(lobby, player)


def _vacate(lobby: Lobby, player: Player) -> None:
    """Give up the seat of somebody who will not come back."""
    if (table := lobby.tables.of(player)) is not None:
        table.guarded(partial(table.expel, player))()
