"""Keeping to the bans of all nodes: they are read every few seconds, and when another node says that they changed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.operations.operations import enforce

if TYPE_CHECKING:
    from golfnet.server.accounts.shared_sanctions import SharedSanctions
    from golfnet.server.lobby import Lobby

EVERY_SECONDS: Final = 10.0

log = logging.getLogger(__name__)


async def keep_sanctions(lobby: Lobby, sanctions: SharedSanctions) -> None:
    """Read the bans again and again until cancelled, and send away who is banned."""
    while True:
        try:
            await sanctions.read()
            enforce(lobby)
        except Refused:
            log.warning("the bans of the other nodes are not known")
        with trio.move_on_after(EVERY_SECONDS):
            await sanctions.due()
