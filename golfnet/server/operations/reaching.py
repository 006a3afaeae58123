"""The other nodes of a server at the operator's word: who and what is there, and orders for them.

What stays true: what cannot be known is said to be unknown; nothing here changes anything at this node.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec
import trio

from golfnet.engine.notation import listed
from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Refused
from golfnet.protocol.names import skeleton
from golfnet.server.commands import listings
from golfnet.server.lookups import carried_out
from golfnet.server.messages import encode
from golfnet.server.seeking import offer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.server.lobby import Lobby
    from golfnet.server.messages import Message
    from golfnet.storage.directory import NodeReport, Resident, SharedDirectory, TableOffer

T = TypeVar("T")
Answer = dict[str, Any]
"""What an operation answers."""

LISTED: Final = 5000
"""Players, and tables, of other nodes that an operator gets in one list: some megabytes."""

ORDER_SECONDS: Final = 3.0
"""How long another node may take to do something: it tells of it within a second, and an operator waits for it."""

NO_DATABASE: Final = "The database does not answer"


class BadOperation(Exception):
    """An operation that cannot be carried out; says what was expected."""


class RowsElsewhere(NamedTuple):
    """The rows of a list that are of other nodes, each with its node, and how many more there are."""

    rows: list[Answer]
    more: int


async def players_elsewhere(lobby: Lobby) -> RowsElsewhere:
    """Return who is connected or has a seat at other nodes, bots last; raises ``Refused``."""
    directory = lobby.nodes.directory

    def query() -> RowsElsewhere:  # all of it in the query's thread: it may be long
        count, found = directory.residents(LISTED)
        _, tables = directory.listed(LISTED)
        rows = []
        for node in sorted({each.node for each in found} | {each.node for each in tables}):
            residents = [each for each in found if each.node == node]
            of_node = [table.row for table in tables if table.node == node]
            rows += [row | {"node": node} for row in listings.residents(residents, of_node)]
        return RowsElsewhere(rows, count - len(found))

    return await _asked(lobby, query)


async def tables_elsewhere(lobby: Lobby) -> RowsElsewhere:
    """Return the tables of other nodes, and those that have none at the moment; raises ``Refused``."""
    directory = lobby.nodes.directory

    def query() -> RowsElsewhere:
        count, found = directory.listed(LISTED)
        rows = [msgspec.json.decode(table.row) | {"node": table.node} for table in found]
        rows += [msgspec.json.decode(row) | {"node": None} for row in directory.unowned(LISTED)]
        return RowsElsewhere(rows, count - len(found))

    return await _asked(lobby, query)


async def find(lobby: Lobby, name: str) -> Resident | None:
    """Return the player of a name that is at another node; raises ``Refused``."""
    bones = skeleton(name)
    return await _asked(lobby, lambda: lobby.nodes.directory.find(bones))


async def owner(lobby: Lobby, table: str) -> int | None:
    """Return the other node that has a table; raises ``Refused``."""
    return await _asked(lobby, lambda: lobby.nodes.directory.owner(table))


async def known_name(lobby: Lobby, name: str) -> str | None:
    """Return the name of a player that is here or at another node; raises ``Refused``."""
    player = lobby.accounts.find(name)
    if player is not None:
        return player.name
    found = await find(lobby, name)
    return None if found is None else found.name


def nobody(lobby: Lobby, name: str) -> BadOperation:
    """Return the error for a name that nobody has."""
    where = at_any_node(lobby) or " here"
    return BadOperation(f"there is no player {clean_text(name)}{where}; to see everybody: who")


def at_node(lobby: Lobby) -> Answer:
    """Return the number of this node, where there are several."""
    return {} if lobby.nodes.is_alone else {"node": lobby.nodes.directory.node}


def at_any_node(lobby: Lobby) -> str:
    """Return the words for the whole server, where that has several nodes."""
    return "" if lobby.nodes.is_alone else " at any node"


async def order(lobby: Lobby, message: Message, node: int, is_done: Callable[[], bool]) -> bool:
    """Let another node do something; return whether the directory shows it in time, which ``is_done`` asks."""
    lobby.nodes.bus.send(encode(message), node)
    until = trio.current_time() + ORDER_SECONDS
    while not await _asked(lobby, is_done):
        if trio.current_time() >= until:
            return False
        await trio.sleep(ORDER_SECONDS / 20)
    return True


async def send_away(lobby: Lobby, message: Message, resident: Resident) -> bool:
    """Let the node where a player is connected end that; return whether it has."""
    directory, bones = lobby.nodes.directory, skeleton(resident.name)

    def is_done() -> bool:
        found = directory.find(bones)
        return found is None or found.node != resident.node or not found.place.is_connected

    return await order(lobby, message, resident.node, is_done)


def no_answer(node: int, what: str) -> BadOperation:
    """Return the error for a node that does not do what it was told to."""
    return BadOperation(
        f"node {node}, where {what} is, does not answer, so it is not known what came of it; to see how it is: golfnet "
        "cluster"
    )


async def need_owner(lobby: Lobby, table: str) -> None:
    """Raise ``BadOperation`` for a table that has no node at the moment; raises ``Refused``."""

    def query() -> bool:
        rows = lobby.nodes.directory.unowned(LISTED)
        return any(msgspec.json.decode(row)["table"] == table for row in rows)

    if await _asked(lobby, query):
        raise BadOperation(
            f"table {table} stands still: its node has ended, and no other one has taken it over yet; try again in a "
            "few seconds"
        )


async def order_all(lobby: Lobby, message: Message) -> Sequence[NodeReport] | None:
    """Let all other nodes do something; return them, None where the database that reaches them does not answer."""
    if lobby.nodes.is_alone:
        return ()
    lobby.nodes.bus.send(encode(message))
    try:
        report = await _asked(lobby, lobby.nodes.directory.cluster)
    except Refused:
        return None
    return [node for node in report.nodes if node.node != lobby.nodes.directory.node]


def note_of(others: Sequence[NodeReport] | None, *, unreached: str, unknown: str) -> Answer:
    """Return the note about nodes that give no sign of life: what that means; none where all do."""
    if others is None:
        return {"note": f"{NO_DATABASE}, so {unreached}."}
    silent = [node.node for node in others if node.is_silent]
    if not silent:
        return {}
    nodes = "Node" if len(silent) == 1 else "Nodes"
    return {
        "note": f"{nodes} {listed(silent)} {'gives' if len(silent) == 1 else 'give'} no sign of life: {unknown}."
    }


async def _asked(lobby: Lobby, query: Callable[[], T]) -> T:
    return await carried_out(lobby.nodes.asked(query))


EVERY_SECONDS: Final = 1.0
AT_ONCE: Final = 100
"""Tables that are looked at in one turn of the loop: a few milliseconds of work."""

log = logging.getLogger(__name__)


async def keep_publishing(lobby: Lobby, directory: SharedDirectory) -> None:
    """Tell of what has changed until cancelled; what could not be told is told again."""
    publisher = _Publisher(lobby, directory)
    while True:
        try:
            await carried_out(lobby.nodes.catch_up())
            await publisher.publish()
        except Refused:
            log.debug("the other nodes were not told of this one's tables")
        with trio.move_on_after(EVERY_SECONDS):
            await lobby.nodes.changed()


class _Publisher:
    """Knows what the other nodes were told."""

    def __init__(self, lobby: Lobby, directory: SharedDirectory) -> None:
        self._lobby = lobby
        self._directory = directory
        self._offers: dict[str, TableOffer] = {}
        self._connected: dict[str, bool] = {}
        self._opening: set[str] = set()
        """Tables that were about to be opened the last time."""

    async def publish(self) -> None:
        """Tell of what has changed; raises ``Refused``."""
        lobby = self._lobby
        offers = await self._looked_at()
        connected = {player.id: player.session is not None for player in lobby.accounts}
        changed = [offer for table, offer in offers.items() if self._offers.get(table) != offer]
        opening = lobby.nodes.opening
        closed = [table for table in (*self._offers, *(self._opening & opening)) if table not in lobby.tables]
        self._opening = set(opening)
        opening.difference_update(closed, lobby.tables)
        news = {player: now for player, now in connected.items() if self._connected.get(player) != now}
        news |= dict.fromkeys([player for player in self._connected if player not in connected], False)
        if changed or closed or news:
            await carried_out(lobby.nodes.asked(lambda: self._directory.publish(changed, closed, news)))
        self._offers, self._connected = offers, connected

    async def _looked_at(self) -> dict[str, TableOffer]:
        """Return this node's tables as others are to see them."""
        offers = {}
        for place, row in enumerate(listings.tables(self._lobby), 1):
            table = self._lobby.tables[row["table"]]
            offers[table.id] = offer_of(table, self._directory.node, msgspec.json.encode(row))
            if place % AT_ONCE == 0:
                await trio.lowlevel.checkpoint()
        return offers
