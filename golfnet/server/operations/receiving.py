"""What a node does when another one says something over the bus: the same as where it was said.

What stays true: words of a newer version are ignored, and so is whatever is about somebody or something not here.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.commands.chat import deliver, spread
from golfnet.server.faults import fault_boundary
from golfnet.server.operations import enforcing
from golfnet.server.words import (
    Announced,
    Kicked,
    OrderDone,
    Probe,
    SanctionsChanged,
    Shouted,
    TableEnded,
    Told,
    decode,
)

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby

log = logging.getLogger(__name__)


def receive(lobby: Lobby, payload: bytes) -> None:
    """Do what another node has said."""
    orders = lobby.nodes.orders
    with fault_boundary(log, "a word of another node met a fault in the server"):
        match decode(payload):
            case Told() as told:
                deliver(lobby, told)
            case Shouted() as shouted:
                with contextlib.suppress(Refused):  # too many shout at once
                    spread(lobby, shouted)
            case Announced() as order:
                orders.answer(order, enforcing.announce(lobby, order.text))
            case Kicked() as order:
                orders.answer(order, enforcing.kick(lobby, order.name) is not None)
            case TableEnded() as order:
                orders.answer(order, enforcing.end_table(lobby, order.table))
            case SanctionsChanged() as order:
                lobby.sanctions.reread(order)  # which answers it
            case OrderDone() as done:
                orders.note(done)
            case Probe(sent=sent):
                lobby.nodes.bus_lag.returned(sent, trio.current_time())
            case None:
                log.debug("another node said something that this version does not know")
