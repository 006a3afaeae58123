"""Measuring how long words are on their way over the bus: this node sends itself one every few seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.words import Probe, encode

if TYPE_CHECKING:
    from golfnet.server.nodes import Nodes

EVERY_SECONDS: Final = 5.0
"""Every word wakes the receivers of all nodes: a hundred nodes make twenty a second."""


async def keep_probing(nodes: Nodes) -> None:
    """Measure until cancelled."""
    while True:
        await trio.sleep(EVERY_SECONDS)
        now = trio.current_time()
        nodes.bus_lag.sent(now)
        nodes.bus.send(encode(Probe(sent=now)), nodes.directory.node)
