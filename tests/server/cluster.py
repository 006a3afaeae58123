"""Several nodes in one process and in virtual time: they share a store, and their links are in memory."""

from __future__ import annotations

import contextlib
from collections import deque
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import trio
import trio.testing

from golfnet.server.accounts.sanctions import SharedSanctions
from golfnet.server.links.link_end import LinkEnd
from golfnet.server.links.link_transport import caller_of
from golfnet.server.links.links import Links
from golfnet.server.links.relay import Relay, hand_over
from golfnet.server.net.entrance import secured, serve_tls
from golfnet.server.net.kernel import ProxyRoundTrip
from golfnet.server.net.transport import StreamTransport
from golfnet.server.nodes import Lease, Nodes
from golfnet.server.operations.reaching import keep_publishing, keep_sanctions, receive
from golfnet.server.ownership import Taking, give_once_drained, keep_looking
from golfnet.storage.faults import StoreError, StoreReason, contradiction
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import AppendEvent, GiveTable, SaveTable
from tests.server.house import House, Program, all_done, answer_late, delayed, open_house, poll_all
from tests.server.shared_directory import FakeBus, FakeDirectory, SharedState, as_plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

    from golfnet.server.net.tls import NodeCertificate
    from golfnet.storage.store import TableLog
    from golfnet.storage.writes import Write

LEASE = 1.0

BEAT_SECONDS = 0.1
"""Seconds between heartbeats; more frequent ones would slow down tests of long conversations."""


class SharedStore:
    """The shared store as one node sees it. It lists no tables, because a node takes over tables later."""

    def __init__(self, state: SharedState, node: int) -> None:
        self._state = state
        self._node = node

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state.store, name)

    def tables(self) -> Iterator[TableLog]:
        return iter(())

    def write(self, batch: Sequence[Write]) -> None:
        if self._node in self._state.gone:
            raise StoreError(StoreReason.FENCED, "Another node has taken over.")
        for write in batch:
            if isinstance(write, AppendEvent | SaveTable | GiveTable):
                self._need_owner(write.table)
        self._state.store.write([as_plain(write) for write in batch])
        for write in batch:
            self._state.note(self._node, write)
        self._state.batches[self._node] += 1

    def _need_owner(self, table: str) -> None:
        if self._state.owners.get(table, self._node) != self._node:
            contradiction(f"table {table} is not open")


class Node:
    def __init__(self, cluster: Cluster, number: int, house: House) -> None:
        self.number = number
        self.house = house
        self.lobby = house.lobby
        dial, has_tls = partial(cluster.dial, number), number in cluster.tls
        self.links = Links(house.dispatcher, secret="a secret of all nodes", dial=dial, has_tls=has_tls)
        self.is_stopped = False
        """Whether the node stores nothing more, as if suspended by SIGSTOP."""
        house.dispatcher.hand_over = partial(hand_over, self.links)
        self.lobby.links = self.links
        self._state = cluster.state
        self._beats: deque[Callable[[], None]] = deque()
        self.lease = self.lobby.lease = Lease(self._beats.append, LEASE)
        self.lease.on_lapse, self.lease.on_renewal = self.lobby.lapse, self.lobby.renew
        self.taking = Taking(self.lobby)
        self.lobby.nodes.fetch = self.taking.fetch
        house.nursery.start_soon(self.lease.keep)
        house.nursery.start_soon(self.store_beats)
        house.nursery.start_soon(give_once_drained, self.lobby, self.links)

    @property
    def relays(self) -> list[Relay]:
        return [*self.links.relays]

    async def store_beats(self) -> None:
        """Store heartbeats as soon as possible, as a journal does."""
        while self.is_stopped or self.number not in self._state.gone:
            while self._beats and not (self.is_stopped or self._state.is_down):
                self._state.batches[self.number] += 1
                self._beats.popleft()()
            await trio.sleep(BEAT_SECONDS)
        self.lobby.lose("another node has taken over")

    async def relay(self, node: int) -> None:
        """Move the only session to another node, without a command to execute there."""
        (session,) = self.lobby.sessions
        session.suspend()
        relay = Relay(self.links, session, caller_of(session))
        await relay._link_to(node, None)
        relay.follow()
        self.lobby.depart(session)
        await trio.testing.wait_all_tasks_blocked()
        session.resume()


class Cluster:
    """Nodes by their numbers; ``delay`` is the one-way delay of every link in seconds."""

    def __init__(self, tls: Mapping[int, NodeCertificate]) -> None:
        self.store = MemoryStore()
        self.state = SharedState(self.store)
        self.state.encrypted = {*tls}
        self.nodes: dict[int, Node] = {}
        self.tls = tls
        self.delay = 0.0
        self.is_cut = False
        """Whether no node can reach another."""

    def __getitem__(self, number: int) -> House:
        return self.nodes[number].house

    @property
    def houses(self) -> list[House]:
        return [node.house for node in self.nodes.values()]

    async def programs(self, *names: str) -> list[Program]:
        """Connect programs with the given names, spread over the nodes."""
        return [await self[1 + at % len(self.nodes)].program(name) for at, name in enumerate(names)]

    def kill(self, number: int) -> None:
        """Stop a node without notice, as ``kill -9`` does; for a while, its tables and players have no owner."""
        self.state.gone.add(number)
        self.state.cut_off.add(number)
        self[number].nursery.cancel_scope.cancel()

    async def take_over(self, dead: int, heir: int) -> None:
        """Let a node take over the tables and players of a dead node."""
        await self.nodes[heir].taking.take_all()
        for node in self.nodes.values():
            node.links.leave({dead})

    async def dial(self, front: int, host: str, port: int) -> LinkEnd:
        """Return a node's link to another over a memory stream."""
        await trio.lowlevel.checkpoint()
        owner = int(host.rpartition(".")[2])
        is_away = self.is_cut or owner in self.state.gone
        if is_away or not self.nodes[owner].links.admit(f"10.0.0.{front}"):
            raise OSError("no route to host")
        near = self.knock(owner, f"10.0.0.{front}")
        near = delayed(self[front].nursery, near, self.delay)
        if self.tls:
            near = await secured(near, self.tls[front].dialling)
        transport = self._transport(near, host)
        link = LinkEnd(transport)
        self[front].nursery.start_soon(transport.run, lambda _: link)
        return link

    def knock(self, number: int, address: str) -> trio.abc.Stream:
        """Connect somebody to a node's link port, from the given address; return that end of the connection."""
        near, far = trio.testing.memory_stream_pair()
        links = self.nodes[number].links

        async def serve() -> None:
            if not self.tls:
                await self._transport(far, address).run(links.welcome)
                return
            context, outbox = self.tls[number].accepting, self[number].lobby.config.outbox
            async with far:
                await serve_tls(links, outbox, context, far, address, newcomers=links.silent)

        self[number].nursery.start_soon(serve)
        return near

    def _transport(self, stream: trio.abc.Stream, address: str) -> StreamTransport:
        return StreamTransport(stream, address, self[1].lobby.config.outbox, ProxyRoundTrip(2 * self.delay))


@contextlib.asynccontextmanager
async def open_cluster(
    count: int = 2,
    *,
    seed: int = 1,
    tls: Mapping[int, NodeCertificate] = MappingProxyType({}),
    looking: bool = False,
    **settings: Any,
) -> AsyncIterator[Cluster]:
    """Run ``count`` nodes with the numbers 1, 2, …, each with its own house.

    ``tls`` maps nodes that use TLS to their certificates. If ``looking``, nodes notice by themselves when another node
    has died, and take over its tables.
    """
    cluster, over = Cluster(tls), trio.Event()
    await trio.sleep(1000)  # a server's clock does not start at zero

    async def live(number: int, *, task_status: trio.TaskStatus[None]) -> None:
        """Run a node in its own task, so that its death affects nothing else."""
        directory, bus = FakeDirectory(cluster.state, number), FakeBus(cluster.state, number)
        store = SharedStore(cluster.state, number)

        def nodes_of(spawn: Any) -> Nodes:
            return Nodes(spawn, directory=directory, bus=bus, run=answer_late)

        async with open_house(seed + number - 1, store=store, nodes_of=nodes_of, **settings) as house:
            await house.lobby.nodes.prepare()
            cluster.nodes[number] = Node(cluster, number, house)
            house.lobby.sanctions = SharedSanctions(house.lobby.nodes)
            house.nursery.start_soon(keep_publishing, house.lobby)
            house.nursery.start_soon(keep_sanctions, house.lobby)
            bus.listen(partial(receive, house.lobby), lambda: None)
            if looking:
                node = cluster.nodes[number]
                house.nursery.start_soon(keep_looking, house.lobby, node.lease, node.links, node.taking)
            house.nursery.start_soon(cluster.nodes[number].links.keep_checking)
            task_status.started()
            await over.wait()

    async with trio.open_nursery() as nursery:
        for number in range(1, count + 1):
            cluster.state.batches[number] = 0
            await nursery.start(live, number)
            await trio.testing.wait_all_tasks_blocked()
        try:
            yield cluster
        finally:
            cluster.is_cut = True  # nobody moves to a node that is shutting down
            over.set()


async def apart(
    cluster: Cluster, *names: str, create: str = "four-turn seats=2"
) -> tuple[list[Program], str]:
    """Spread programs over the nodes; return them, and the id of a table at which only the first program sits."""
    programs = await cluster.programs(*names)
    return programs, str((await programs[0].done(f"create {create}"))["table"])


async def playing(cluster: Cluster, create: str, *names: str) -> tuple[list[Program], str]:
    """Spread programs over the nodes and start a match between them at node 1; return them and the table's id."""
    programs, table = await apart(cluster, *names, create=f"{create} seats={len(names)}")
    await all_done(programs[1:], f"join {table}")
    await all_done(programs, "ready")
    await poll_all(programs)
    return programs, table


def names_at(node: Node) -> list[str]:
    """Return the names of players whose sessions are at a node."""
    return [session.player.name for session in node.lobby.sessions if session.player is not None]
