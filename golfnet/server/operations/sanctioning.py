"""Bans and mutes: the operations, and their enforcement on every node.

Invariants: each node of a cluster reads the sanctions every few seconds, and at once when another node reports a
change.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.replies.presence import Cause
from golfnet.server.accounts.sanctions import network_in
from golfnet.server.lookups import carried_out
from golfnet.server.nodes import SanctionsChanged
from golfnet.server.operations.reaching import (
    NO_DATABASE,
    Answer,
    BadOperation,
    known_name,
    nobody,
    note_of,
    order_all,
    send_away,
)
from golfnet.storage.directory import Sanction, SanctionKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player


def kick(lobby: Lobby, name: str) -> str | None:
    """Close a player's connection; return the player's name, or None if they have no connection here."""
    player = lobby.accounts.find(name)
    if player is None or player.session is None:
        return None
    player.session.close(Code.KICKED, "The operator of this server has closed the connection.")
    return player.name


def end_table(lobby: Lobby, id: str) -> bool:
    """Close a table; return whether the table is on this node."""
    table = lobby.tables.get(id)
    if table is None:
        return False
    table.guarded(partial(table.close, "the operator of the server has closed it"))()
    return True


def enforce(lobby: Lobby) -> int:
    """Disconnect all who are banned, and free their seats; return how many connections were closed."""
    sessions = [
        session
        for session in lobby.sessions
        if lobby.sanctions.bars_address(session.transport.address)
        or (session.player is not None and lobby.sanctions.bars_name(session.player.name))
    ]
    for session in sessions:
        banned = session.player
        session.close(Code.KICKED, "The operator of this server has banned you.")
        if banned is not None:
            _vacate(lobby, banned)
    for player in [away for away in lobby.accounts if lobby.sanctions.bars_name(away.name)]:
        _vacate(lobby, player)
    return len(sessions)


def _vacate(lobby: Lobby, player: Player) -> None:
    if (table := player.table) is not None:
        table.guarded(partial(table.membership.leave, player, Cause.KICKED))()


EVERY_SECONDS: Final = 10.0

log = logging.getLogger(__name__)


async def ban(lobby: Lobby, given: str, *reason: str) -> Answer:
    """Ban a name or a network, and disconnect those affected."""
    network, found = network_in(given), None
    if network is not None:
        whom = str(network) if network.num_addresses > 1 else given  # for an IPv6 address, its /64 is banned
    elif (player := lobby.accounts.find(given)) is not None:
        whom = player.name
    else:
        found = await carried_out(lobby.nodes.found(given))
        whom = clean_text(given) if found is None else found.name
    try:
        lobby.sanctions.add(
            SanctionKind.BAN, _sanction(lobby, whom if network is None else str(network), reason)
        )
    finally:  # a ban that cannot be stored holds until the server stops
        closed = enforce(lobby)
    notes = [*(await _spread_sanctions(lobby)).values()]
    if found is not None and found.is_connected and not notes:
        closed += await send_away(lobby, SanctionsChanged(), found)
    if network is not None and network.version == 6 and "/" not in given:
        notes.insert(0, f"All of {whom} is banned, because anyone who has {given} can use any address in it.")
    if network is not None and not lobby.nodes.is_alone:
        notes.append("Players connected from there to other nodes are disconnected too, but not counted.")
    return {"banned": whom, "closed": closed} | ({"note": " ".join(notes)} if notes else {})


async def bans(lobby: Lobby) -> Answer:
    """List bans and mutes."""
    await lobby.sanctions.read()
    kinds = (("ban", lobby.sanctions.bans), ("mute", lobby.sanctions.mutes))
    return {"rows": [{"kind": kind, **asdict(entry)} for kind, entries in kinds for entry in entries]}


async def mute(lobby: Lobby, given: str, *reason: str) -> Answer:
    """Stop a player from chatting."""
    name = await known_name(lobby, given)
    if name is None:
        raise nobody(lobby, given)
    lobby.sanctions.add(SanctionKind.MUTE, _sanction(lobby, name, reason))
    return {"muted": name} | await _spread_sanctions(lobby)


def _sanction(lobby: Lobby, whom: str, reason: Sequence[str]) -> Sanction:
    return Sanction(whom=whom, reason=clean_text(" ".join(reason)), since=lobby.wall_clock())


async def lift(lobby: Lobby, whom: str, *, kind: SanctionKind) -> Answer:
    """Lift a ban, or let a player chat again."""
    state = "banned" if kind is SanctionKind.BAN else "muted"
    await lobby.sanctions.read()
    if lobby.sanctions.lift(kind, whom) is None:
        raise BadOperation(f"{clean_text(whom)} is not {state}; to see who is: bans")
    return {f"un{state}": whom} | await _spread_sanctions(lobby)


async def keep_sanctions(lobby: Lobby) -> None:
    """Read the bans repeatedly until cancelled, and disconnect anyone who is banned."""
    while True:
        try:
            await lobby.sanctions.read()
            enforce(lobby)
        except Refused:
            log.warning("could not read the other nodes' bans")
        await lobby.sanctions.is_due.wait(EVERY_SECONDS)


async def _spread_sanctions(lobby: Lobby) -> Answer:
    """Store sanctions, and notify the other nodes; return a note if they do not apply everywhere at once."""
    try:
        await lobby.sanctions.keep()
    except Refused:
        return {
            "note": f"{NO_DATABASE}: this applies on this node now, and on the others as soon as it answers."
        }
    return note_of(
        await order_all(lobby, SanctionsChanged()),
        unreached="this will not apply on the other nodes until ten seconds after it answers again",
        unknown="if it is running after all, this applies there within ten seconds",
    )
