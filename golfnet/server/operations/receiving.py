"""What a node does when another one says something over the bus: the same as where it was said.

What stays true: words of a newer version are ignored, and so is whatever is about somebody or something not here.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from golfnet.protocol.errors import Refused
from golfnet.server.commands.chat import deliver, spread
from golfnet.server.faults import fault_boundary
from golfnet.server.operations.operations import end_table, kick
from golfnet.server.words import Announced, Kicked, SanctionsChanged, Shouted, TableEnded, Told, decode

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby

log = logging.getLogger(__name__)


def receive(lobby: Lobby, payload: bytes) -> None:
    """Do what another node has said."""
    with fault_boundary(log, "a word of another node met a fault in the server"):
        match decode(payload):
            case Told() as told:
                deliver(lobby, told)
            case Shouted() as shouted:
                with contextlib.suppress(Refused):  # too many shout at once
                    spread(lobby, shouted)
            case Announced(text=text):
                lobby.sessions.announce("ANNOUNCEMENT", text)
            case Kicked(name=name):
                if (player := lobby.accounts.find(name)) is not None:
                    kick(player)
            case TableEnded(table=table):
                end_table(lobby, table)
            case SanctionsChanged():
                lobby.sanctions.reread()
            case None:
                log.debug("another node said something that this version does not know")
