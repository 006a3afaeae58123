"""Operations on the other nodes of a cluster: list their players and tables, and send them orders.

Invariants: what cannot be known is reported as unknown; functions that list, find or send orders change nothing here.
"""

from __future__ import annotations

import contextlib
import logging
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from golfnet.engine.notation import listed
from golfnet.protocol.errors import Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import skeleton
from golfnet.server.commands import listings
from golfnet.server.lookups import carried_out
from golfnet.server.seeking import offer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.server.lobby import Lobby
    from golfnet.server.nodes import Message
    from golfnet.storage.directory import NodeReport, Resident, TableOffer
    from golfnet.storage.postgres.directory import PostgresDirectory

Answer = dict[str, Any]
"""The answer to an operation."""

LISTED: Final = 5000
"""Maximum number of other nodes' players, or tables, in one list: a few megabytes."""

ORDER_SECONDS: Final = 3.0
"""How long to wait until the directory shows what another node has done; nodes report within a second."""

NO_DATABASE: Final = "The database does not answer"


class BadOperation(Exception):
    """An operation that cannot be carried out; the text says what was expected."""


async def players_elsewhere(lobby: Lobby) -> tuple[list[Answer], int]:
    """Return who is connected or seated on each other node, its bots last, and how many more players there are.

    Each row has the node's number. Raise ``Refused``.
    """

    def query(directory: PostgresDirectory) -> tuple[list[Answer], int]:
        # This runs in a thread, so it may take time to make the rows.
        count, found = directory.residents(LISTED)
        _, tables = directory.listed(LISTED)
        by_node = sorted(listings.residents(found, tables), key=itemgetter(0))
        return [row | {"node": node} for node, row in by_node], count - len(found)

    return await lobby.nodes.ask(query)


async def tables_elsewhere(lobby: Lobby) -> tuple[list[Answer], int]:
    """Return tables on other nodes, those that no node owns at the moment, and how many more there are.

    Each row has the node's number, or None. Raise ``Refused``.
    """

    def query(directory: PostgresDirectory) -> tuple[list[Answer], int]:
        count, found = directory.listed(LISTED)
        rows = [msgspec.json.decode(table.row) | {"node": table.node} for table in found]
        rows += [msgspec.json.decode(row) | {"node": None} for row in directory.unowned(LISTED)]
        return rows, count - len(found)

    return await lobby.nodes.ask(query)


async def known_name(lobby: Lobby, name: str) -> str | None:
    """Return the exact name of a player on this or another node, or raise ``Refused``."""
    if (player := lobby.accounts.find(name)) is not None:
        return player.name
    found = await carried_out(lobby.nodes.found(name))
    return None if found is None else found.name


def nobody(lobby: Lobby, name: str) -> BadOperation:
    """Return the error for an unknown name."""
    where = at_any_node(lobby) or " here"
    return BadOperation(f"there is no player {clean_text(name)}{where}; to see everyone: who")


def at_node(lobby: Lobby) -> Answer:
    """Return this node's number as a field of an answer; empty if there is no cluster."""
    return {} if lobby.nodes.is_alone else {"node": lobby.nodes.number}


def at_any_node(lobby: Lobby) -> str:
    """Return " on any node" if the server has several nodes, otherwise nothing."""
    return "" if lobby.nodes.is_alone else " on any node"


async def order(
    lobby: Lobby, message: Message, node: int, is_done: Callable[[PostgresDirectory], bool]
) -> bool:
    """Send an order to another node; return whether ``is_done``, which asks the directory, becomes true in time."""
    lobby.nodes.send(message, node)
    until = trio.current_time() + ORDER_SECONDS
    while True:
        with contextlib.suppress(Refused):  # the order has been sent, and a later query may succeed
            if await lobby.nodes.ask(is_done):
                return True
        if trio.current_time() >= until:
            return False
        await trio.sleep(ORDER_SECONDS / 20)


async def send_away(lobby: Lobby, message: Message, resident: Resident) -> bool:
    """Ask a player's node to disconnect them; return whether it has done so."""

    def is_done(directory: PostgresDirectory) -> bool:
        found = directory.find(skeleton(resident.name))
        return found is None or found.node != resident.node or not found.is_connected

    return await order(lobby, message, resident.node, is_done)


def no_answer(node: int, what: str) -> BadOperation:
    """Return the error for a node that did not confirm a request."""
    return BadOperation(
        f"node {node}, which has {what}, does not answer, so the outcome is unknown; to see its state: golfnet cluster"
    )


async def order_all(lobby: Lobby, message: Message) -> Sequence[NodeReport] | None:
    """Send an order to all other nodes; return those nodes, or None if the database does not answer."""
    if lobby.nodes.is_alone:
        return ()
    lobby.nodes.send(message)
    try:
        report = await lobby.nodes.ask(lambda directory: directory.cluster())
    except Refused:
        return None
    return [node for node in report.nodes if node.node != lobby.nodes.number]


def note_of(others: Sequence[NodeReport] | None, *, unreached: str, unknown: str) -> Answer:
    """Return a note about nodes that an order may not have reached, if there are any.

    ``unreached`` says what follows if the database does not answer, ``unknown`` if nodes show no sign of life.
    """
    if others is None:
        return {"note": f"{NO_DATABASE}, so {unreached}."}
    silent = [node.node for node in others if node.is_silent]
    if not silent:
        return {}
    nodes = "Node" if len(silent) == 1 else "Nodes"
    return {
        "note": f"{nodes} {listed(silent)} {'shows' if len(silent) == 1 else 'show'} no sign of life: {unknown}."
    }


EVERY_SECONDS: Final = 1.0
AT_ONCE: Final = 100
"""Tables examined per pass of the event loop: a few milliseconds of work."""

log = logging.getLogger(__name__)


async def keep_publishing(lobby: Lobby) -> None:
    """Publish changes to this node's tables until cancelled; changes that could not be published are tried again."""
    published: dict[str, TableOffer] = {}
    were_connected: dict[str, bool] = {}
    were_opening: set[str] = set()
    opening = lobby.nodes.opening
    while True:
        try:
            await lobby.nodes.report_departed()
            offers = await _offers(lobby)
            connected = {player.id: player.session is not None for player in lobby.accounts}
            changed = [offer for table, offer in offers.items() if published.get(table) != offer]
            closed = [table for table in (*published, *(were_opening & opening)) if table not in lobby.tables]
            were_opening = set(opening)
            opening.difference_update(closed, lobby.tables)
            news = {player: now for player, now in connected.items() if were_connected.get(player) != now}
            news |= dict.fromkeys([player for player in were_connected if player not in connected], False)
            if changed or closed or news:
                await lobby.nodes.ask(lambda directory: directory.publish(changed, closed, news))  # noqa: B023
            published, were_connected = offers, connected
        except Refused:
            log.debug("could not publish this node's tables")
        await lobby.nodes.changed.wait(EVERY_SECONDS)


async def _offers(lobby: Lobby) -> dict[str, TableOffer]:
    offers = {}
    for place, row in enumerate(listings.tables(lobby), 1):
        table = lobby.tables[row["table"]]
        offers[table.id] = offer_of(table, lobby.nodes.number, msgspec.json.encode(row))
        if place % AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    return offers
