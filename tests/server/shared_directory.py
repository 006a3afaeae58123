"""A directory of several nodes kept in dicts, without the transactions of a database server."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from threading import Lock

import trio
from msgspec.structs import replace

from golfnet.storage import directory, writes
from golfnet.storage.directory import ClusterReport, Resident, Sanction, SanctionKind, Stay, TableOffer
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.bus import PostgresBus
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.store import IdKind, TableLog
from golfnet.storage.writes import GiveTable, PlayerRow, SavePlayer, SaveTable, Write


class SharedState:
    """What all nodes share."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.last = dict.fromkeys(IdKind, 0)
        self.stays: dict[str, Stay] = {}
        self.seats: dict[str, str] = {}
        """The tables at which players have seats."""
        self.connected: dict[str, bool] = {}
        """Who is connected, as reported by the nodes."""
        self.offers: dict[str, TableOffer] = {}
        self.sanctions: dict[tuple[SanctionKind, str], Sanction] = {}
        self.numbers = count(1)
        self.nodes: set[int] = set()
        """All nodes that ever existed."""
        self.gone: set[int] = set()
        self.batches: dict[int, int] = {}
        """How many batches each node has stored; former nodes are included."""
        self.cut_off: set[int] = set()
        """Nodes without a connection to the database server."""
        self.draining: set[int] = set()
        self.encrypted: set[int] = set()
        """Nodes whose links use TLS."""
        self.unreached: dict[int, set[int]] = {}
        self.owners: dict[str, int | None] = {}
        """The node that owns each open table; it may be gone."""
        self.unrestored: dict[str, bool] = {}
        """For each table that its owner has not restored yet, whether another node gave the table to this owner."""
        self.taking = Lock()
        """Held while the owners of tables change, because threads may read them."""
        self.is_down = False
        self.listeners: dict[int, Callable[[bytes], None]] = {}

    def living(self, node: int | None) -> int | None:
        return None if node in self.gone else node

    def note(self, node: int, write: Write) -> None:
        """Record what a node's write means for ownership."""
        match write:
            case writes.OpenTable(table=table, seated=seated):
                self.owners[table] = node
                self._seat(table, seated)
            case SaveTable(table=table, seated=seated):
                self.unrestored.pop(table, None)
                self._seat(table, seated)
            case writes.CloseTable(table=table) | writes.SetAside(table=table):
                self.owners.pop(table, None)
                self._seat(table, ())
            case GiveTable(table=table):
                self.owners[table] = self.living(write.node)
                self.unrestored[table] = True
                for player, number in write.stays:
                    stay = self.stays.get(player)
                    if stay is not None and stay.node == node:
                        self.stays[player] = Stay(number, write.node)
                self._seat(table, write.seated)

    def _seat(self, table: str, seated: Collection[str]) -> None:
        for player in [player for player, at in self.seats.items() if at == table]:
            del self.seats[player]
        self.seats.update(dict.fromkeys(seated, table))


def as_plain(write: Write) -> Write:
    """Return a write in the form that a single server's store knows."""
    return SaveTable(write.table, write.row) if isinstance(write, GiveTable) else write


class FakeBus(PostgresBus):
    """The bus of one node; messages arrive in the next turn of the event loop, unless they are lost."""

    def __init__(self, state: SharedState, node: int) -> None:
        self._state = state
        self._node = node

    def send(self, payload: bytes, node: int | None = None) -> None:
        async def deliver(receive: Callable[[bytes], None]) -> None:
            receive(payload)

        for number, receive in self._state.listeners.items():
            if number == node or (node is None and number != self._node):
                trio.lowlevel.spawn_system_task(deliver, receive)

    def listen(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._state.listeners[self._node] = receive


class FakeDirectory(PostgresDirectory):
    """The directory as one node sees it; it overrides all queries."""

    def __init__(self, state: SharedState, node: int) -> None:
        self._shared = state
        self.node = node
        state.nodes.add(node)

    @property
    def _state(self) -> SharedState:
        if self._shared.is_down:
            raise StoreError(StoreReason.UNREACHABLE, "The database server is down.")
        return self._shared

    def reserve(self, kind: IdKind, count: int) -> range:
        first = self._state.last[kind] + 1
        self._state.last[kind] += count
        return range(first, first + count)

    def claim_name(self, player: PlayerRow, instead_of: str | None) -> Stay | None:
        state = self._state
        if instead_of is not None:
            stay = state.stays.get(instead_of)
            if (stay is None or stay.node in state.gone) and instead_of not in state.seats:
                state.store.write([writes.DeletePlayer(instead_of)])
        there = state.store.player_by_skeleton(player.skeleton)
        if there is None:
            state.store.write([SavePlayer(player)])
        elif there.id != player.id:
            return None
        return self.arrive(player.id)

    def arrive(self, player: str) -> Stay:
        stay, place = self._state.stays.get(player), self._place(player)
        if stay is not None and self.node not in (stay.node, place):
            return stay if place is None else Stay(stay.number, place)
        return replace(self._new_stay(player), table=self._state.seats.get(player))

    def take(self, player: str, number: int) -> Stay | None:
        state, stay, table = self._state, self._state.stays.get(player), self._state.seats.get(player)
        is_free = (stay is None or stay.number == number) and self.node not in state.gone
        is_here = table is None or state.owners[table] == self.node
        return self._new_stay(player) if is_free and is_here else None

    def depart(self, stays: Collection[tuple[str, int]]) -> None:
        for player, number in stays:
            if self._state.stays.get(player) == Stay(number, self.node):
                del self._state.stays[player]
                self._state.connected.pop(player, None)

    def find(self, bones: str) -> Resident | None:
        row = self._state.store.player_by_skeleton(bones)
        return None if row is None else self._resident(row.id)

    def staying(self, players: Collection[str]) -> frozenset[str]:
        return frozenset([player for player in players if self._elsewhere(player) is not None])

    def seek(self, opening: TableOffer, rejected: Collection[str]) -> tuple[TableOffer, ...]:
        offers = [offer for offer in self._others() if offer.fit == opening.fit]
        found = [offer for offer in offers if offer.table not in rejected]
        if not found:
            self._state.offers[opening.table] = opening
        return tuple(found[:5])

    def listed(self, limit: int) -> tuple[int, tuple[directory.ListedTable, ...]]:
        rows = [(offer.node, offer.row) for offer in self._others() if offer.row]
        return len(rows), tuple(rows[:limit])

    def _others(self) -> list[TableOffer]:
        """Return the tables of other living nodes."""
        nodes = {self.node, *self._state.gone}
        return [offer for offer in self._state.offers.values() if offer.node not in nodes]

    def unowned(self, limit: int) -> tuple[bytes, ...]:
        gone, owner_of = {None, *self._state.gone}, self._state.owners.get
        offers = [offer for offer in self._state.offers.values() if owner_of(offer.table, self.node) in gone]
        return tuple([offer.row for offer in offers if offer.row][:limit])

    def residents(self, limit: int) -> tuple[int, tuple[Resident, ...]]:
        rows = [row for player in self._state.stays if (row := self._resident(player)) is not None]
        found = [row for row in rows if row.is_connected or row.table is not None]
        return len(found), tuple(found[:limit])

    # --- owners

    def look(self) -> directory.ClusterLook:
        state = self._state
        nodes = [
            directory.NodeState(node, batch, f"node {node}", self._link(node), self._is_connected(node))
            for node, batch in state.batches.items()
            if node not in state.gone
        ]
        return directory.ClusterLook(tuple(nodes), any(map(self._waits, state.owners)), self._generation())

    def declare_gone(self, seen: directory.NodeState, *, is_lost: bool = False) -> bool:
        if seen.node in self._state.gone or self._state.batches[seen.node] != seen.batch:
            return False
        if self._is_connected(seen.node) if is_lost else self._is_writing(seen.node):
            return False
        self._end(seen.node, is_lost=is_lost)
        return True

    def take_tables(self, limit: int, known: Collection[str]) -> tuple[TableLog, ...]:
        state = self._state
        if self.node in state.gone:
            return ()
        with state.taking:
            waiting = [table for table in state.owners if self._waits(table) and table not in known][:limit]
            for table in waiting:
                state.owners[table] = self.node
                state.unrestored.setdefault(table, False)
        logs = [log for log in state.store.tables() if log.table in waiting]
        unrestored = state.unrestored
        return tuple([replace(log, is_unrestored=True, was_given=unrestored[log.table]) for log in logs])

    def drain(self) -> None:
        self._state.draining.add(self.node)

    def heirs(self) -> tuple[tuple[int, int], ...]:
        state = self._state
        others = [node for node in state.batches if node not in {self.node, *state.gone, *state.draining}]
        counts = {node: sum(owner == node for owner in state.owners.values()) for node in others}
        return tuple(sorted(counts.items(), key=lambda each: each[::-1]))

    def _waits(self, table: str) -> bool:
        state, owner = self._state, self._state.owners[table]
        if owner == self.node:
            return table in state.unrestored
        return state.living(owner) is None and self.node not in state.draining

    def _is_writing(self, node: int) -> bool:
        return False

    def _generation(self) -> int:
        return 1

    def _is_connected(self, node: int) -> bool:
        return node not in self._state.cut_off

    def _end(self, node: int, *, is_lost: bool) -> None:
        self._state.gone.add(node)

    # --- nodes

    def cluster(self) -> ClusterReport:
        nodes = tuple([self._report(node) for node in sorted(self._state.nodes - self._state.gone)])
        return ClusterReport(at=0.0, nodes=nodes, ended=(), unowned=0, waiting=0, aside=0, bans=0, mutes=0)

    def _report(self, node: int) -> directory.NodeReport:
        here = [player for player, stay in self._state.stays.items() if stay.node == node]
        connected = sum(self._state.connected.get(player, True) for player in here)
        return directory.NodeReport(
            node=node,
            name=f"node {node}",
            link=self._link(node),
            version="",
            up=None,
            silent=14.0 if node in self._state.cut_off else 0.0,
            lease=3.0,
            is_draining=node in self._state.draining,
            tables=0,
            connected=connected,
            seated=0,
        )

    def link_of(self, node: int) -> str | None:
        return None if node in self._state.gone else self._link(node)

    def _link(self, node: int) -> str:
        return f"{'tls://' * (node in self._state.encrypted)}10.0.0.{node}:1"

    def report_unreached(self, nodes: Collection[int]) -> None:
        self._state.unreached[self.node] = {*nodes}

    def place_of(self, player: str, table: str = "") -> int | None:
        state = self._state
        return state.living(state.owners[table]) if table in state.owners else self._place(player)

    def _place(self, player: str) -> int | None:
        state, stay, seat = self._state, self._state.stays.get(player), self._state.seats.get(player)
        if stay is not None and stay.node not in state.gone:
            return stay.node
        return self.node if stay is None or seat is None else state.living(state.owners[seat])

    def keep(self, players: Collection[str]) -> Mapping[str, int]:
        kept = {}
        for player in players:
            stay = self._state.stays.get(player)
            if stay is None:
                stay = self._new_stay(player)
            elif stay.node in self._state.gone:
                stay = self._state.stays[player] = Stay(stay.number, self.node)
            if stay.node == self.node:
                kept[player] = stay.number
                self._state.connected[player] = False
        return kept

    def publish(
        self, offers: Sequence[TableOffer], closed: Collection[str], connected: Mapping[str, bool]
    ) -> None:
        self._state.offers.update({offer.table: offer for offer in offers})
        for table in closed:
            if table in self._state.offers and self._state.offers[table].node == self.node:
                del self._state.offers[table]
        mine = {player: is_here for player, is_here in connected.items() if self._is_mine(player)}
        self._state.connected.update(mine)

    def sanctions(self) -> tuple[tuple[SanctionKind, Sanction], ...]:
        return tuple([(kind, each) for (kind, _), each in self._state.sanctions.items()])

    def sanction(self, kind: SanctionKind, sanction: Sanction) -> None:
        self._state.sanctions[kind, sanction.whom] = sanction

    def lift(self, kind: SanctionKind, whom: str) -> None:
        self._state.sanctions.pop((kind, whom), None)

    def _new_stay(self, player: str) -> Stay:
        if self.node in self._state.gone:
            raise StoreError(StoreReason.FENCED, "This node was declared gone.")
        stay = self._state.stays[player] = Stay(next(self._state.numbers), self.node)
        return stay

    def _is_mine(self, player: str) -> bool:
        stay = self._state.stays.get(player)
        return stay is not None and stay.node == self.node

    def _resident(self, player: str) -> Resident | None:
        node, row = self._state.living(self._elsewhere(player)), self._state.store.player(player)
        if node is None or row is None:
            return None
        table, is_connected = self._state.seats.get(player), self._state.connected.get(player, True)
        return Resident(row.id, row.name, row.kind, node, table, is_connected)

    def _elsewhere(self, player: str) -> int | None:
        stay = self._state.stays.get(player)
        return None if stay is None or stay.node == self.node else stay.node
