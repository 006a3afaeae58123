"""Checks every few seconds, without a session, that the other nodes can be reached and have the same secret.

Invariants: the database records each node that could not be reached twice in a row from here, for operators
(``golfnet cluster``); nothing else depends on it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.links.front_link import FrontLink
from golfnet.server.lookups import carried_out

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.nodes import Nodes
    from golfnet.storage.directory import SharedDirectory

EVERY_SECONDS: Final = 5.0
"""Seconds between checks: ten nodes send each other ninety in that time, one round trip each."""

ANSWER_SECONDS: Final = 2.0
"""A node that does not answer in this many seconds counts as unreachable."""

log = logging.getLogger(__name__)


async def keep_checking(nodes: Nodes, links: Links, directory: SharedDirectory) -> None:
    """Check the other nodes until cancelled, and report those that cannot be reached."""
    failed: set[int] = set()
    told: set[int] = set()
    while True:
        await trio.sleep(EVERY_SECONDS)
        try:
            look = await carried_out(nodes.asked(directory.look))
            others = {
                each.node: each.link for each in look.nodes if each.link and each.node != directory.node
            }
            failed_before, reasons = failed, {}
            for node, where in others.items():
                reasons[node] = await _reason(links, node, where)
            failed = {node for node, reason in reasons.items() if reason}
            unreached = failed & failed_before
            for node in sorted(unreached - told):
                log.warning("cannot link to node %d: %s", node, reasons[node])
            if unreached != told:
                await carried_out(nodes.asked(lambda: directory.tell_unreached(unreached)))  # noqa: B023
                told = unreached
        except Refused:
            continue  # reported when the directory answers again


async def _reason(links: Links, node: int, where: str) -> str:
    """Return why a node has not answered with the same secret; empty if it has."""
    link = FrontLink(None, secret=links.secret, here=links.number, node=node, caller=None)
    reason = "it does not answer"
    with trio.move_on_after(ANSWER_SECONDS):
        try:
            await links.dial(where, link.open)
            reason = "it has not proven the same secret; its own log may say more"
            await link.answered.wait()
        except OSError as error:
            reason = f"{error}"
    link.close()
    return "" if link.is_proven else reason
