"""Operations that reach all nodes of a cluster: lists, orders to other nodes, and bans and mutes.

Each node tells the others about its tables and players, and reads all bans and mutes every few seconds, or at once when
another node reports a change. Invariants: what cannot be known is reported as unknown; functions that list, find or
send orders change nothing here.
"""

from __future__ import annotations

import contextlib
import logging
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from golfnet.engine.forms import listed
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import InvalidName, check_name, skeleton
from golfnet.protocol.replies.presence import Cause, Ending
from golfnet.protocol.replies.replies import Chat
from golfnet.server.accounts.sanctions import network_in
from golfnet.server.commands import listings
from golfnet.server.commands.chat import deliver, spread
from golfnet.server.faults import fault_boundary
from golfnet.server.lookups import carried_out
from golfnet.server.nodes import (
    Announced,
    Invited,
    Kicked,
    Message,
    SanctionsChanged,
    TableEnded,
    TablesWait,
    decode_message,
)
from golfnet.server.seeking import offer_of
from golfnet.storage.directory import Resident, Sanction, SanctionKind, TableOffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.server.lobby import Lobby
    from golfnet.storage.postgres.directory import PostgresDirectory

Answer = dict[str, Any]
"""The answer to an operation."""

LISTED: Final = 5000
"""Maximum number of other nodes' players, or tables, in one list: a few megabytes."""

ORDER_SECONDS: Final = 3.0
"""How long to wait until the directory shows what another node has done; nodes report within a second."""

NO_DATABASE: Final = "The database does not answer"

log = logging.getLogger(__name__)


class BadOperation(Exception):
    """An operation that cannot be carried out; the text says what was expected."""


async def players_everywhere(lobby: Lobby, here: list[Answer]) -> tuple[list[Answer], int]:
    """Return who is connected or seated on any node, bots last, and how many more players there are on others.

    ``here`` are this node's players; the rows of the others have their node's number. Raise ``Refused``.
    """

    def query(directory: PostgresDirectory) -> tuple[list[Answer], int]:
        # This runs in a thread, so it may take time to make the rows.
        count, found = directory.residents(LISTED)
        _, tables = directory.listed(LISTED)
        by_node = sorted(listings.residents(found, tables), key=itemgetter(0))
        rows = [row | {"node": node} for node, row in by_node]
        return [*listings.players_once(here + rows)], count - len(found)

    return await lobby.nodes.ask(query)


async def tables_everywhere(lobby: Lobby, here: list[Answer]) -> tuple[list[Answer], int]:
    """Return this node's tables (``here``), those of others, those that no node owns, and how many more there are.

    Rows of other tables have the node's number, or None. Raise ``Refused``.
    """

    def query(directory: PostgresDirectory) -> tuple[list[Answer], int]:
        count, found = directory.listed(LISTED)
        rows = [msgspec.json.decode(row) | {"node": node} for node, row in found]
        rows += [msgspec.json.decode(row) | {"node": None} for row in directory.unowned(LISTED)]
        return [*listings.tables_once(here + rows)], count - len(found)

    return await lobby.nodes.ask(query)


async def known_name(lobby: Lobby, name: str) -> str | None:
    """Return the exact name of a player on this or another node, or raise ``Refused``."""
    if (player := lobby.accounts.find(name)) is not None:
        return player.name
    found = await carried_out(lobby.nodes.found(name))
    return None if found is None else found.name


def nobody(lobby: Lobby, name: str) -> BadOperation:
    """Return the error for an unknown name."""
    return BadOperation(
        f"there is no player {clean_text(name)}{at_any_node(lobby) or ' here'}; to see everyone: who"
    )


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


async def order_all(lobby: Lobby, message: Message, *, unreached: str, unknown: str) -> tuple[int, Answer]:
    """Send an order to all other nodes; return how many players they have, and a note if it may not have reached all.

    ``unreached`` says what follows if the database does not answer, ``unknown`` if nodes show no sign of life.
    """
    if lobby.nodes.is_alone:
        return 0, {}
    lobby.nodes.send(message)
    try:
        report = await lobby.nodes.ask(lambda directory: directory.cluster())
    except Refused:
        return 0, {"note": f"{NO_DATABASE}, so {unreached}."}
    others = [node for node in report.nodes if node.node != lobby.nodes.number]
    connected = sum(node.connected for node in others if not node.is_silent)
    silent = [node.node for node in others if node.is_silent]
    if not silent:
        return connected, {}
    nodes = f"Node {silent[0]} shows" if len(silent) == 1 else f"Nodes {listed(silent)} show"
    return connected, {"note": f"{nodes} no sign of life: {unknown}."}


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
    table.guarded(partial(table.close, Ending.OPERATOR))()
    return True


def enforce(lobby: Lobby) -> int:
    """Disconnect all who are banned, and free their seats; return how many connections were closed."""
    sessions = [
        session
        for session in lobby.sessions
        if lobby.sanctions.bars_address(session.transport.address)
        or (session.player is not None and lobby.sanctions.bars_name(session.player.name))
    ]
    banned = [
        *[session.player for session in sessions if session.player is not None],
        *[player for player in lobby.accounts if lobby.sanctions.bars_name(player.name)],
    ]
    for session in sessions:
        session.close(Code.KICKED, "The operator of this server has banned you.")
    for player in banned:
        if (table := player.table) is not None:
            table.guarded(partial(table.membership.leave, player, Cause.KICKED))()
    return len(sessions)


async def ban(lobby: Lobby, given: str, *reason: str) -> Answer:
    """Ban a name or a network, and disconnect those affected."""
    network, found = network_in(given), None
    if network is not None:
        whom = str(network) if network.num_addresses > 1 else given  # for an IPv6 address, its /64 is banned
    elif (player := lobby.accounts.find(given)) is not None:
        whom = player.name
    else:
        found = await carried_out(lobby.nodes.found(given))
        try:
            whom = check_name(given) if found is None else found.name
        except InvalidName as error:
            shown = clean_text(given)
            raise BadOperation(f"expected a name, an address or a network, not {shown}: {error}") from None
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
    return {
        "rows": [
            {"kind": kind.value, **msgspec.structs.asdict(entry)}
            for kind in SanctionKind
            for entry in lobby.sanctions.of(kind)
        ]
    }


async def mute(lobby: Lobby, given: str, *reason: str) -> Answer:
    """Stop a player from chatting."""
    if (name := await known_name(lobby, given)) is None:
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


READ_SECONDS: Final = 10.0
"""Seconds between reads of the sanctions."""


async def keep_sanctions(lobby: Lobby) -> None:
    """Read the bans repeatedly until cancelled, and disconnect anyone who is banned."""
    while True:
        try:
            await lobby.sanctions.read()
            enforce(lobby)
        except Refused:
            log.warning("could not read the other nodes' bans")
        await lobby.sanctions.is_due.wait(READ_SECONDS)


async def _spread_sanctions(lobby: Lobby) -> Answer:
    """Store sanctions, and notify the other nodes; return a note if they do not apply everywhere at once."""
    try:
        await lobby.sanctions.keep()
    except Refused:
        return {
            "note": f"{NO_DATABASE}: this applies on this node now, and on the others as soon as it answers."
        }
    _, note = await order_all(
        lobby,
        SanctionsChanged(),
        unreached="this will not apply on the other nodes until ten seconds after it answers again",
        unknown="if it is running after all, this applies there within ten seconds",
    )
    return note


PUBLISH_SECONDS: Final = 1.0
AT_ONCE: Final = 100
"""Tables examined per pass of the event loop: a few milliseconds of work."""


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
        await lobby.nodes.changed.wait(PUBLISH_SECONDS)


async def _offers(lobby: Lobby) -> dict[str, TableOffer]:
    offers = {}
    for place, row in enumerate(listings.tables(lobby), 1):
        table = lobby.tables[row["table"]]
        offers[table.id] = offer_of(table, lobby.nodes.number, msgspec.json.encode(row))
        if place % AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    return offers


def receive(lobby: Lobby, payload: bytes) -> None:
    """Handle a message from another node."""
    with fault_boundary(log, "a message from another node caused a fault in the server"):
        match decode_message(payload):
            case Chat(to="lobby") as shouted:
                with contextlib.suppress(Refused):  # too many announcements at once
                    spread(lobby, shouted)
            case Chat() | Invited() as message:
                deliver(lobby, message)
            case Announced(text=text):
                lobby.sessions.announce("ANNOUNCEMENT", text)
            case Kicked(name=name):
                kick(lobby, name)
                lobby.nodes.changed.set()
            case TableEnded(table=table):
                end_table(lobby, table)
            case SanctionsChanged():
                lobby.sanctions.is_due.set()
            case TablesWait():
                lobby.nodes.tables_waiting.set()
            case None:
                log.debug("another node sent a message that this version does not know")
