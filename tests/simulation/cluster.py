"""A world with three nodes: server processes on one database, with links, and people who connect to any of them.

Players who join, seek, watch or resume may have their session on a different node from their connection. Nodes crash,
with or without their machines, are cut off from the database server or from each other, and are restarted: a restarted
node gets a new number, waits for a lease, and takes over the tables of dead nodes.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from golfnet.engine.frozen import replaced
from golfnet.server.nodes import BEATS
from golfnet.storage.faults import StoreReason
from tests.simulation.engine import LEASE_SECONDS, Engine
from tests.simulation.insides import OwnersJudge
from tests.simulation.mishaps import NODES, USUAL_LATENCY, fault_of_nodes, fault_of_person
from tests.simulation.processes import install_run_queue
from tests.simulation.server import NodeProcess
from tests.simulation.wires import Network, watched_links
from tests.simulation.world import Outcome, World

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.server.config import Config
    from tests.simulation.mishaps import Fault
    from tests.simulation.server import Bus, ServerProcess


HEALED_SECONDS: Final = 5 * LEASE_SECONDS
"""How long after the last fault every table must be at a living node again."""

CALM_SECONDS: Final = 10.0
"""How long after any other fault the judges are lenient about graceful stops."""


class ClusterWorld(World):
    """A world of several nodes."""

    late_logins = 3.0

    def __init__(self, seed: int, *, only: Collection[int] | None = None) -> None:
        self.ways = random.Random(f"{seed} ways")
        self._is_graceful = self.ways.random() < 0.2
        """Whether all faults are graceful stops."""
        super().__init__(seed, only=only)
        self.engine = Engine(random.Random(f"{seed} disk"), self)
        self.disk = self.engine.disk
        self.machine.late_answers = (0.0001, 0.002, 0.05)
        self.network = Network(self)
        self.owners = OwnersJudge(self)
        self.ledger.on_dropped = self._dropped
        self.latency = USUAL_LATENCY
        """Duration of a write."""
        self._calm_from = 0.0
        """The time until which the judges are lenient about graceful stops, because of other faults."""
        self._stopped_at = -100.0
        """When the last node began to stop gracefully."""
        self.buses: dict[int, Bus] = {}
        self.engine_fails: StoreReason | None = None

    def run(self) -> Outcome:
        with watched_links(self.fail), self.owners.watching():
            return super().run()

    async def _run(self) -> None:
        install_run_queue()
        await super()._run()

    def declared(self, number: int) -> None:
        """Check that something was wrong with a node that is declared gone. The node may still be running."""
        self.note("engine", f"node {number} is declared gone")
        for node in self.nodes:
            if node.number != number or not node.is_open:
                continue
            if self.now > node.is_hurt_until + LEASE_SECONDS + 1:
                self.fail(f"node {number} is declared gone although nothing was wrong with it")
            if node.is_durable:
                self.owners.stood.update(node.standing())

    def _dropped(self, name: str, table: str) -> None:
        """Check that nobody who is still connected is reported as dropped when tables merely move."""
        if self.now < self._calm_from or not self._stopped_at < self.now < self._stopped_at + 30:
            return
        if any(node.lobby.counters.ended["flood"] for node in self.nodes if node.is_open):
            return  # somebody disconnected for flooding may not have noticed yet
        for person in self.people:
            line = person.line
            # Whoever connected just before the stop may not have been given their name back before it.
            if person.name != name or line is None or line.opened_at >= self._stopped_at - 2:
                continue
            if not (line.was_cut or line.is_over or line.socket.is_ending):
                self.fail(f"{name} is reported as dropped at {table}, which has only moved")

    def ended(self, node: NodeProcess) -> None:
        """Restart a node that has exited, as a service manager does."""
        if not self.is_buried:
            self.after(self.ways.choice((0.1, 1.0, 4.0)), lambda: self._start_at(node.place))

    def spoil(self, node: NodeProcess) -> None:
        """Apply the database server's current condition to a node."""
        disk = node.disk()
        disk.failing = StoreReason.UNREACHABLE if node.is_cut_off else self.engine_fails
        disk.latency = self.latency
        disk.loses_answers = node.loses_answers

    @property
    def nodes(self) -> list[NodeProcess]:
        return [server for server in self.servers if isinstance(server, NodeProcess)]

    def start_server(self) -> None:
        for place in range(NODES):
            self._start_at(place)

    def _start_at(self, place: int) -> None:
        assert self._nursery is not None
        there = [node for node in self.nodes if node.place == place]
        if self.is_buried or (there and not there[0].has_ended):
            return
        self.note("server", f"{place} starts")
        node = NodeProcess(self, place)
        others = [other for other in self.nodes if other.place != place]
        self.servers = [*sorted([*others, node], key=lambda node: node.place)]
        self._nursery.start_soon(node.run)

    def _entrance(self) -> ServerProcess | None:
        return self.ways.choice(self.open_servers) if self.open_servers else None

    def _start_again(self) -> None:
        self.start_server()

    def _look_at_servers(self) -> None:
        super()._look_at_servers()
        for node in self.nodes:
            if node.is_open and node.lobby.lease is not None and node.lobby.lease._under_way > BEATS:
                self.fail(f"{node.lobby.lease._under_way} heartbeats of node {node.number} are waiting")
        connected, seated = dict[str, int](), dict[str, int]()
        for node in self.nodes:
            if not node.is_valid:
                continue
            for player in node.lobby.accounts:
                # A suspended session is on its way to another node, which may have it already.
                acts = player.session is not None and not getattr(player.session, "is_suspended", False)
                if acts and connected.setdefault(player.id, node.number) != node.number:
                    self.fail(f"{player.name} is connected at nodes {connected[player.id]} and {node.number}")
                if player.table is not None and seated.setdefault(player.id, node.number) != node.number:
                    self.fail(f"{player.name} has seats at nodes {seated[player.id]} and {node.number}")
            for table in node.lobby.tables.values():
                if self.engine.state.owners.get(table.id, node.number) != node.number:
                    self.fail(f"node {node.number} has table {table.id}, which another node owns")

    async def _watch_matches_go_on(self) -> None:
        healed = self.now - 10.0
        while (lost := self._tables_without_node()) and not self._has_failed():
            if self.now > healed + HEALED_SECONDS:
                self.fail(f"tables are at no living node after all repairs: {lost}")
            await self._live_until(self.now + 0.5)
        await super()._watch_matches_go_on()

    def _tables_without_node(self) -> list[str]:
        open_ones = {node.number: node.lobby.tables for node in self.nodes if node.is_valid}
        owners = self.engine.state.owners
        return [table for table, owner in owners.items() if table not in open_ones.get(owner or 0, {})]

    def _nothing_is_left(self, server: ServerProcess) -> None:
        super()._nothing_is_left(server)
        if self.engine.state.owners:
            self.fail(f"tables still have owners when everyone has gone: {self.engine.state.owners}")
        assert server.lobby.links is not None
        if server.lobby.links.relays:
            self.fail("relays are left when everyone has gone")

    def _heal(self) -> None:
        self.engine_fails, self.latency = None, USUAL_LATENCY
        for node in self.nodes:
            node.thaw()
            node.is_cut_off = node.loses_answers = False
            node.late_answers = ()
            if node.number:
                node.disk().hangs = False
                node.disk().on_write = lambda: None
        self.renew()
        self.network.heal()

    def _config(self) -> Config:
        return replaced(super()._config(), connections=100)  # a lower limit suits only single servers

    def harm(self, seconds: float = 0.0) -> None:
        """Record a fault other than a graceful stop, and its duration."""
        self._calm_from = max(self._calm_from, self.now + seconds + CALM_SECONDS)

    def _fault(self, chance: random.Random, *, in_window: bool = False) -> Fault:
        if chance.random() < 0.3 and not self._is_graceful:
            person, seconds = chance.choice(self.people), chance.choice((0.05, 0.5, 3.0, 8.0))
            return fault_of_person(self, chance, person, seconds, chance.choice((7, 8, 9, 10, 13, 14)))
        return fault_of_nodes(self, chance, is_graceful=self._is_graceful)

    def at(self, place: int) -> NodeProcess | None:
        return next((node for node in self.nodes if node.place == place and not node.has_ended), None)

    def kill(self, place: int, write_survives: bool, *, is_silent: bool) -> None:
        """Kill a node at once, together with its machine if ``is_silent``."""
        node = self.at(place)
        self.harm()
        if node is None or not node.number:
            return
        if node.is_valid and node.is_durable:
            self.owners.stood.update(node.standing())
        node.crash(write_survives=write_survives, is_silent=is_silent)
        self.ledger.audit(self.disk.queries())

    def stop(self, place: int) -> None:
        node = self.at(place)
        if node is not None and node.is_open:
            if self.now > self._stopped_at + 5:
                self._stopped_at = self.now
            node.stop()
            stopping = [other for other in self.nodes if not other.is_open or other.is_stopping]
            if len(stopping) == NODES:
                self.harm(20.0)  # no node is left to take its tables

    def renew(self) -> None:
        """Apply the database server's current condition to all nodes."""
        for node in self.nodes:
            if node.number:
                self.spoil(node)
