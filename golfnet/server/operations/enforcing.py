"""What the operator does to players and tables of this node: their ends, and nothing else.

What stays true: it goes through the same doors as the players' commands, so a bug in one table closes that table.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from golfnet.protocol.errors import Code

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session


def announce(lobby: Lobby, text: str) -> int:
    """Say something to everybody who is connected; return how many that are."""
    lobby.sessions.announce("ANNOUNCEMENT", text)
    return len(lobby.sessions)


def kick(lobby: Lobby, name: str) -> str | None:
    """Close a player's connection; return the player's name, None where it has no connection here."""
    player = lobby.accounts.find(name)
    if player is None or player.session is None:
        return None
    player.session.close(Code.KICKED, "The operator of this server has closed the connection.")
    return player.name


def end_table(lobby: Lobby, id: str) -> bool:
    """Close a table; return whether there is one here."""
    table = lobby.tables.get(id)
    if table is None:
        return False
    table.guarded(partial(table.close, "the operator of the server has closed it"))()
    return True


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


def _send_away(lobby: Lobby, session: Session) -> None:
    player = session.player
    session.close(Code.KICKED, "The operator of this server has banned you.")
    if player is not None:
        _vacate(lobby, player)


def _vacate(lobby: Lobby, player: Player) -> None:
    """Give up the seat of somebody who will not come back."""
    if (table := lobby.tables.of(player)) is not None:
        table.guarded(partial(table.expel, player))()
