"""The directory: what the nodes of one server share through their database, apart from the journal.

The directory knows which node a player or a table is on, so nobody has two seats and no name has two owners.
Invariants: no id is assigned twice; a name belongs to one player; a player stays on one node, under a number that
increases with every arrival, until that node ends the stay or is gone. So a node can decide about the players who
stay there, for example about a seat, without asking the others. Only a node that has not been declared gone changes
anything; a query repeated after a lost connection has the same answer, or a newer one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from golfnet.storage.directory import (
    ClusterLook,
    ListedTable,
    NodeState,
    Resident,
    Sanction,
    SanctionKind,
    Stay,
    TableOffer,
)
from golfnet.storage.postgres.connections import STARTING, LimitedConnection, PostgresReads
from golfnet.storage.postgres.fence import LOCK, declare_gone, fenced
from golfnet.storage.store import IdKind, TableLog, need_number, number_of, struct_of
from golfnet.storage.writes import LoggedEvent, PlayerRow

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _in_transaction(
    access: Callable[Concatenate["PostgresDirectory", LimitedConnection, Arguments], Result],
) -> Callable[Concatenate["PostgresDirectory", Arguments], Result]:
    """Run a method in one transaction, on a connection that is passed to it."""

    @wraps(access)
    def run(self: "PostgresDirectory", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        def use(connection: LimitedConnection) -> Result:
            with connection.transaction():
                return access(self, connection, *args, **kwargs)

        return self._use(use)

    return run


class PostgresDirectory(PostgresReads):
    """The directory as seen by the node with this number; it has its own connections.

    Each method is one transaction, may be called from any thread, and raises ``StoreError`` if the database cannot be
    reached.
    """

    def __init__(self, url: str, node: int) -> None:
        super().__init__(url)
        self.node = node

    # --- ids and names

    def reserve(self, kind: IdKind, count: int) -> range:
        """Return the numbers of new ids, which are never assigned again."""
        ((last,),) = self._all(
            "UPDATE counter SET last = last + ? WHERE kind = ? RETURNING last", count, kind.value
        )
        return range(last - count + 1, last + 1)

    @_in_transaction
    def claim_name(
        self, connection: LimitedConnection, player: PlayerRow, instead_of: str | None
    ) -> Stay | None:
        """Store a new player, with a stay at this node; return None if someone else has taken the name in the meantime.

        ``instead_of`` is the id of the name's previous player, who is deleted unless they have returned.
        """
        number = need_number("p", player.id)
        if instead_of is not None:
            self._delete_player(connection, number_of("p", instead_of))
        connection.run(
            "INSERT INTO player (number, name, skeleton, kind, created, seen, settings)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            *(number, player.name, player.skeleton, player.kind.value),
            *(player.created, player.seen, player.settings),
        )
        owner = connection.run("SELECT number FROM player WHERE skeleton = ?", player.skeleton).fetchone()
        return self._stay(connection, number) if owner == (number,) else None

    # --- where players are

    @_in_transaction
    def arrive(self, connection: LimitedConnection, player: str) -> Stay:
        """Return a player's existing stay on another node or, if there is none, a new stay here."""
        number = need_number("p", player)
        # This lock keeps others from deleting the player before the stay is stored.
        connection.run("SELECT FROM player WHERE number = ? FOR KEY SHARE", number)
        return self._stay(connection, number)

    def _delete_player(self, connection: LimitedConnection, player: int) -> None:
        """Delete a player, unless they stay on a node or have a seat."""
        connection.run("SELECT FROM player WHERE number = ? FOR UPDATE", player)
        connection.run(
            "WITH deleted AS (DELETE FROM player WHERE number = ?"
            " AND NOT EXISTS (SELECT FROM stay JOIN node ON node.id = stay.node WHERE player = ? AND NOT gone)"
            " AND NOT EXISTS (SELECT FROM seat WHERE player = ?)"
            " RETURNING number) DELETE FROM rating USING deleted WHERE rating.player = deleted.number",
            *(player, player, player),
        )

    def _stay(self, connection: LimitedConnection, player: int) -> Stay:
        """Return a player's stay, as ``arrive`` does. Raise ``StoreError`` if this node has been declared gone."""
        while True:
            here = connection.execute(_ARRIVE, {"player": player, "node": self.node}).fetchone()
            if here is not None:
                number, table = here
                return Stay(number, self.node, table)
            there = connection.run(_WHERE, player).fetchone()
            if there is not None:
                return Stay(*there)
            if connection.run("SELECT FROM node WHERE id = ? AND NOT gone", self.node).rowcount != 1:
                raise fenced(self.place)

    def take(self, player: str, number: int) -> Stay | None:
        """Move a player here if their stay elsewhere has this number, or if they have no stay; otherwise return None.

        Also return None if they have a seat at another node's table.
        """
        taken = self._column(
            "INSERT INTO stay (player, number, node)"
            " SELECT ?, nextval('stay_number'), id FROM node WHERE id = ? AND NOT gone AND NOT EXISTS ("
            " SELECT FROM seat JOIN live ON live.number = seat.live"
            " WHERE player = ? AND owner IS DISTINCT FROM node.id)"
            " ON CONFLICT (player) DO UPDATE SET node = excluded.node, number = excluded.number"
            " WHERE stay.number = ? RETURNING number",
            *(number_of("p", player), self.node, number_of("p", player), number),
        )
        return Stay(taken[0], self.node) if taken else None

    def depart(self, stays: Collection[tuple[str, int]]) -> None:
        """End stays here, each given by its player and number; do nothing for a player with a newer one."""
        self._do(
            "DELETE FROM stay USING unnest(?::bigint[], ?::bigint[]) AS given (player, number)"
            " WHERE stay.player = given.player AND stay.number = given.number AND node = ?",
            *([number_of("p", player) for player, _ in stays], [number for _, number in stays], self.node),
        )

    def find(self, skeleton: str) -> Resident | None:
        """Return the player whose name has this skeleton, if they are on another node."""
        found = self._all(f"{_RESIDENTS} AND skeleton = ?", self.node, skeleton)
        return struct_of(Resident, found[0][:-1]) if found else None

    def staying(self, players: Collection[str]) -> frozenset[str]:
        """Return which of these players are on other nodes."""
        return frozenset(
            self._column(
                "SELECT 'p' || player FROM stay WHERE node <> ? AND player = ANY(?)",
                *(self.node, [number_of("p", player) for player in players]),
            )
        )

    def residents(self, limit: int) -> tuple[int, tuple[Resident, ...]]:
        """Return how many players are connected or seated on other nodes, and some of them."""
        # The others have left, but their names are reserved for a while.
        rows = self._all(
            f"{_RESIDENTS} AND (connected OR seat.live IS NOT NULL) ORDER BY stay.number LIMIT ?",
            *(self.node, limit),
        )
        return rows[0][-1] if rows else 0, tuple([struct_of(Resident, row) for *row, _ in rows])

    def place_of(self, player: str, table: str = "") -> int | None:
        """Return the node of a player: this one if they have no stay, or None if their table has no owner.

        ``table`` is where they last sat, which may not be stored yet. If it is stored, only its owner counts.
        """
        owners: list[int | None] = self._column(
            "SELECT node.id FROM live LEFT JOIN node ON node.id = owner AND NOT gone"
            " WHERE number = ? AND aside IS NULL",
            number_of("t", table),
        )
        if owners:
            return owners[0]
        nodes: list[int | None] = self._column(
            "SELECT CASE WHEN NOT node.gone THEN node.id WHEN seat.live IS NULL THEN ?::int ELSE heir.id END"
            f" FROM stay JOIN node ON node.id = stay.node {_WITH_HEIR} WHERE stay.player = ?",
            *(self.node, number_of("p", player)),
        )
        return nodes[0] if nodes else self.node

    def keep(self, players: Collection[str]) -> Mapping[str, int]:
        """Record that players seated here stay here; return the stays' numbers (existing stays keep theirs).

        Players who stay on another node that is not gone are left out.
        """
        rows = self._all(
            "INSERT INTO stay (player, number, node, connected)"
            " SELECT given, nextval('stay_number'), ?, false FROM unnest(?::bigint[]) AS given"
            " ON CONFLICT (player) DO UPDATE SET node = excluded.node, connected = false"
            " WHERE stay.node = excluded.node OR stay.node IN (SELECT id FROM node WHERE gone)"
            " RETURNING player, number",
            *(self.node, [number_of("p", player) for player in players]),
        )
        return {f"p{player}": number for player, number in rows}

    # --- owners

    def look(self) -> ClusterLook:
        """Return the state of the nodes, and whether tables are waiting for an owner."""

        def look(connection: LimitedConnection) -> ClusterLook:
            rows = connection.execute(_LOOK, {"node": self.node}).fetchall()
            nodes = tuple([NodeState(*row) for *row, _ in rows])
            return ClusterLook(nodes, any(row[-1] for row in rows), connection.info.backend_pid)

        return self._use(look)

    def declare_gone(self, seen: NodeState, *, is_lost: bool = False) -> bool:
        """Declare a node gone if it has committed nothing since it was seen; return whether that was the case.

        Do nothing while the database is running one of its writes or, if ``is_lost``, while the node is connected.
        """
        return self._use(lambda connection: declare_gone(connection, seen, is_lost=is_lost))

    @_in_transaction
    def take_tables(
        self, connection: LimitedConnection, limit: int, known: Collection[str]
    ) -> tuple[TableLog, ...]:
        """Take tables without an owner; return them and those waiting for this node, oldest first.

        ``known`` are the tables that this node has already restored.
        """
        values = {"node": self.node, "limit": limit, "known": [number_of("t", table) for table in known]}
        taken = connection.execute(_TAKE, values).fetchall()
        events: dict[int, list[LoggedEvent]] = {number: [] for number, _, _ in taken}
        for number, *event in connection.run(
            "SELECT live, seq, body FROM event WHERE live = ANY(?) ORDER BY live, seq", list(events)
        ):
            events[number].append(LoggedEvent(*event))
        return tuple(
            TableLog(f"t{number}", row, tuple(events[number]), is_unrestored=True, was_given=was_given)
            for number, row, was_given in sorted(taken)
        )

    def drain(self) -> None:
        """Stop other nodes from giving tables to this one."""
        self._do("UPDATE node SET draining = true WHERE id = ?", self.node)

    def heirs(self) -> tuple[tuple[int, int], ...]:
        """Return the other nodes that accept tables, each with its number of tables, fewest first."""
        return tuple(
            self._all(
                "SELECT id, (SELECT count(*) FROM live WHERE owner = id AND aside IS NULL) AS tables FROM node"
                " WHERE NOT gone AND NOT draining AND link <> '' AND id <> ? ORDER BY tables, id",
                self.node,
            )
        )

    # --- tables

    @_in_transaction
    def seek(
        self, connection: LimitedConnection, opening: TableOffer, rejected: Collection[str]
    ) -> tuple[TableOffer, ...]:
        """Return a few tables on other nodes at which a player may sit down, oldest first, except the rejected ones.

        If there are none, ``opening`` is published in the same transaction: when several players look for the same kind
        of table at once, one opens a table and the others find it.
        """
        connection.run("SELECT pg_advisory_xact_lock(?, hashtext(?))", STARTING, opening.fit)
        found = connection.run(
            "SELECT 't' || number, node, fit, terms, row, opening FROM offer JOIN node ON node.id = offer.node"
            " WHERE fit = ? AND node <> ? AND NOT gone AND number <> ALL(?) ORDER BY ordinal LIMIT 5",
            *(opening.fit, self.node, [number_of("t", table) for table in rejected]),
        ).fetchall()
        if not found:
            connection.execute(_PUBLISH, _columns([opening]))
        return tuple([struct_of(TableOffer, row) for row in found])

    def listed(self, limit: int) -> tuple[int, tuple[ListedTable, ...]]:
        """Return how many tables other nodes have, and the rows of the oldest ones."""
        rows = self._all(
            "SELECT node, row, count(*) OVER () FROM offer JOIN node ON node.id = offer.node"
            " WHERE node <> ? AND NOT gone AND NOT opening ORDER BY ordinal LIMIT ?",
            *(self.node, limit),
        )
        return rows[0][-1] if rows else 0, tuple([(node, row) for node, row, _ in rows])

    def unowned(self, limit: int) -> tuple[bytes, ...]:
        """Return the rows of tables whose node is gone and which no other node has taken over yet."""
        return tuple(
            self._column(
                "SELECT offer.row FROM live JOIN offer ON offer.number = live.number LEFT JOIN node ON node.id = owner"
                " WHERE aside IS NULL AND (owner IS NULL OR node.gone) AND NOT opening ORDER BY ordinal LIMIT ?",
                limit,
            )
        )

    @_in_transaction
    def publish(
        self,
        connection: LimitedConnection,
        offers: Sequence[TableOffer],
        closed: Collection[str],
        connected: Mapping[str, bool],
    ) -> None:
        """Publish which of this node's tables have changed or closed, and which players who stay here are connected."""
        gone = [number_of("t", table) for table in closed]
        connection.run("DELETE FROM offer WHERE number = ANY(?) AND node = ?", gone, self.node)
        connection.execute(_PUBLISH, _columns(offers))
        connection.run(
            "UPDATE stay SET connected = given.connected"
            " FROM unnest(?::bigint[], ?::boolean[]) AS given (player, connected)"
            " WHERE stay.player = given.player AND stay.node = ?",
            *([number_of("p", player) for player in connected], [*connected.values()], self.node),
        )

    def link_of(self, node: int) -> str | None:
        """Return the address for links to another node, or None if that node is gone."""
        links = self._column("SELECT link FROM node WHERE id = ? AND NOT gone AND link <> ''", node)
        return links[0] if links else None

    def report_unreached(self, nodes: Collection[int]) -> None:
        """Report which other nodes do not answer this one's links, for the operator."""
        self._do("UPDATE node SET unreached = ? WHERE id = ?", sorted(nodes), self.node)

    # --- sanctions

    def sanctions(self) -> tuple[tuple[SanctionKind, Sanction], ...]:
        """Return all sanctions, in the order in which they were imposed."""
        rows = self._all("SELECT kind, whom, reason, since FROM sanction ORDER BY ordinal")
        return tuple([(SanctionKind(kind), struct_of(Sanction, row)) for kind, *row in rows])

    def sanction(self, kind: SanctionKind, sanction: Sanction) -> None:
        """Add or replace a sanction."""
        self._do(
            "INSERT INTO sanction (kind, whom, reason, since) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (kind, whom) DO UPDATE SET reason = excluded.reason, since = excluded.since",
            *(kind.value, sanction.whom, sanction.reason, sanction.since),
        )

    def lift(self, kind: SanctionKind, whom: str) -> None:
        """Remove a sanction; do nothing if there is none."""
        self._do("DELETE FROM sanction WHERE kind = ? AND whom = ?", kind.value, whom)

    def _do(self, sql: str, *values: Any) -> None:
        self._use(lambda connection: connection.run(sql, *values))


_WAITS: Final = """
    aside IS NULL AND (
        (owner = %(node)s AND moving IS NOT NULL)
        OR ((owner IS NULL OR owner = ANY(ARRAY(SELECT id FROM node WHERE gone)))
            AND EXISTS (SELECT FROM node WHERE id = %(node)s AND NOT draining))
    )
"""
"""What is waiting for a node: tables given to it and, unless it is draining, tables without an owner.

While ``moving`` is not null, the owner has yet to report that it has restored the table; ``moving`` is empty if the
previous node died.
"""

_LOOK: Final = f"""
    SELECT id, batch, name, link, NOT pg_try_advisory_xact_lock({LOCK.replace("?", "id")}),
        (SELECT EXISTS (SELECT FROM live WHERE {_WAITS}))
    FROM node WHERE NOT gone ORDER BY id
""".encode()
"""Select the nodes that are not gone, and whether a table is waiting for this one. A node whose lock is free has no
connection. Searching a list of all locks or connections would get slower as their number grows."""

_TAKE: Final = f"""
    WITH waiting AS (
        SELECT number, coalesce(moving, '') AS moving FROM live
        WHERE {_WAITS} AND number <> ALL(%(known)s::bigint[])
        ORDER BY number LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE live SET owner = node.id, moving = waiting.moving FROM waiting, node
        WHERE live.number = waiting.number AND node.id = %(node)s AND NOT node.gone
        RETURNING live.number, live.row, live.moving <> '' AS was_given
    )
    SELECT * FROM taken
""".encode()
"""Take tables; those that another node takes at the same time are skipped, and a node that is gone takes nothing."""

_ARRIVE: Final = b"""
    INSERT INTO stay (player, number, node)
    SELECT %(player)s, nextval('stay_number'), id FROM node WHERE id = %(node)s AND NOT gone
    ON CONFLICT (player) DO UPDATE SET number = excluded.number, node = excluded.node, since = now()
        WHERE stay.node = excluded.node OR EXISTS (
            SELECT FROM node LEFT JOIN (seat JOIN live ON live.number = seat.live) ON seat.player = stay.player
            WHERE node.id = stay.node AND node.gone AND (seat.live IS NULL OR live.owner = excluded.node)
        )
    RETURNING number, (SELECT 't' || seat.live FROM seat WHERE seat.player = stay.player)
"""
"""Give a player a new stay here, unless they stay at another node that is not gone. If that node is gone, a player with
a seat gets a stay only at the node that now owns the table, or else no row is returned."""

_WITH_HEIR: Final = """
    LEFT JOIN seat ON seat.player = stay.player LEFT JOIN live ON live.number = seat.live
    LEFT JOIN node AS heir ON heir.id = live.owner AND NOT heir.gone
"""
"""Joins a stay to the player's table and to the node that owns it."""

_WHERE: Final = f"""
    SELECT stay.number, CASE WHEN node.gone THEN coalesce(heir.id, node.id) ELSE node.id END
    FROM stay JOIN node ON node.id = stay.node {_WITH_HEIR} WHERE stay.player = ?
"""

_RESIDENTS: Final = (
    "SELECT 'p' || stay.player, player.name, kind, node, 't' || seat.live, connected, count(*) OVER ()"
    " FROM stay JOIN player ON player.number = stay.player"
    " JOIN node ON node.id = stay.node LEFT JOIN seat ON seat.player = stay.player WHERE node <> ? AND NOT gone"
)

_PUBLISH: Final = b"""
    INSERT INTO offer (number, node, fit, terms, row, opening)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %b::bytea[], %b::bytea[], %s::boolean[])
    ON CONFLICT (number) DO UPDATE SET node = excluded.node, fit = excluded.fit, terms = excluded.terms,
        row = excluded.row, opening = excluded.opening
"""


def _columns(offers: Sequence[TableOffer]) -> tuple[list[Any], ...]:
    return (
        [need_number("t", offer.table) for offer in offers],
        [offer.node for offer in offers],
        [offer.fit for offer in offers],
        [offer.terms for offer in offers],
        [offer.row for offer in offers],
        [offer.is_opening for offer in offers],
    )
