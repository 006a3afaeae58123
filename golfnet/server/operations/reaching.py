"""The other nodes of a server at the operator's word: who and what is there, and orders for them.

What stays true: what cannot be known is said to be unknown; nothing here changes anything at this node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from golfnet.engine.wording import listed
from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Refused
from golfnet.protocol.names.skeletons import skeleton
from golfnet.server.commands import listings
from golfnet.server.lookups import carried_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.lobby import Lobby
    from golfnet.server.orders import OrderOutcome
    from golfnet.server.words import Order
    from golfnet.storage.directory import Resident

T = TypeVar("T")
Answer = dict[str, Any]
"""What an operation answers."""

LISTED: Final = 5000
"""Players, and tables, of other nodes that an operator gets in one list: some megabytes."""

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


async def order_one(lobby: Lobby, order: Order, node: int, what: str) -> bool:
    """Let another node do something with what is there; return whether it was there. Raises ``BadOperation``."""
    outcome = await lobby.nodes.orders.give(order, node)
    if outcome.silent:
        raise BadOperation(
            f"node {node}, where {what} is, does not answer, so it is not known what came of it; to see how it is: "
            "golfnet cluster"
        )
    return bool(outcome.total)


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


async def order_all(lobby: Lobby, order: Order) -> OrderOutcome | None:
    """Let all other nodes do something; None where the database that reaches them does not answer."""
    try:
        others = await _asked(lobby, lobby.nodes.directory.others)
    except Refused:
        return None
    return await lobby.nodes.orders.give_all(order, others)


def total_of(outcome: OrderOutcome | None) -> int:
    """Return how many an order concerned at the other nodes."""
    return 0 if outcome is None else outcome.total


def note_of(outcome: OrderOutcome | None, *, unreached: str, unknown: str) -> Answer:
    """Return the note about nodes that have not answered: what that means; none where all have."""
    if outcome is None:
        return {"note": f"{NO_DATABASE}, so {unreached}."}
    if not outcome.silent:
        return {}
    nodes = "Node" if len(outcome.silent) == 1 else "Nodes"
    return {"note": f"{nodes} {listed(outcome.silent)} did not answer: {unknown}."}


async def _asked(lobby: Lobby, query: Callable[[], T]) -> T:
    return await carried_out(lobby.nodes.asked(query))
