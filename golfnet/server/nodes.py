"""This node's part in a cluster: its use of the directory, its lease, and messages to other nodes.

Reports to the directory are sent in the background. Ids come from reserved blocks, so new tables and matches rarely
need a query. A server that is alone has no directory: nothing is ever on another node. Messages of unknown kinds are
ignored.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio
from msgspec import MsgspecError, Struct, json

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.replies import Chat
from golfnet.server.budget import WAITS, Buckets
from golfnet.server.lookups import Lookups, Question, Spawn, Steps, carried_out
from golfnet.storage.directory import ListedTable, Resident, Stay
from golfnet.storage.store import IdKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from golfnet.storage.postgres.bus import PostgresBus
    from golfnet.storage.postgres.directory import PostgresDirectory

A = TypeVar("A")
T = TypeVar("T")

BLOCKS: Final = {IdKind.TABLE: 50, IdKind.MATCH: 200, IdKind.PLAYER: 500}
"""How many ids are reserved at a time; ids left over when a node stops are never used.

If a club opens all its tables at once, or all its players reconnect at once, they wait for several blocks. But a table
that starts another match cannot wait, so half a block of match ids has to last until the next block arrives.
"""

LISTED: Final = 500
"""The maximum number of other nodes' tables, or players, in one list."""

LISTED_SECONDS: Final = 1.0
"""How long a list is cached, for others who ask for it."""

Listed = tuple[int, tuple[T, ...]]
"""The number of all tables (or players), and a list of some of them."""

log = logging.getLogger(__name__)


class Elsewhere(Exception):
    """Raised by a command that another node has to handle; the caller moves the session to that node."""

    def __init__(self, node: int) -> None:
        self.node = node


class Wakeup:
    """Wakes the task that waits for it; if none is waiting, the next wait ends at once."""

    def __init__(self) -> None:
        self._event = trio.Event()

    def set(self) -> None:
        """End the current or the next wait."""
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Wait until ``set`` is called, but not longer than some seconds."""
        with trio.move_on_after(seconds):
            await self._event.wait()
            self._event = trio.Event()


class Nodes:
    """What this node asks the directory and tells other nodes; without a ``directory``, there are no other nodes.

    ``numbers`` are the first free ids of a server that is alone; ``run`` runs a query that takes time.
    """

    def __init__(
        self,
        spawn: Spawn,
        *,
        directory: PostgresDirectory | None = None,
        bus: PostgresBus | None = None,
        numbers: Mapping[IdKind, int] = MappingProxyType({}),
        run: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
    ) -> None:
        self.directory = directory
        self.number = 0 if directory is None else directory.node
        self.is_alone = directory is None
        self.spawn = spawn
        self._bus = bus
        self.waits = Buckets(WAITS)
        """How long the directory takes to answer."""
        self._lookups = Lookups(is_immediate=False, run=run, measure=self.waits.add)
        self.opening: set[str] = set()
        """Tables that are about to be opened here, and that other nodes may already know about."""
        self.fetch: Callable[[str], Awaitable[None]] | None = None
        """Waits for any take-over in progress, and restores the given table if this node owns it."""
        self.changed = Wakeup()
        """Set when changes here should be published to other nodes at once."""
        self.tables_waiting = Wakeup()
        """Set when there may be tables without an owner."""
        self._lists: dict[str, tuple[float, Listed[Any]]] = {}
        """The latest answer to each query for a list, and until when it is used."""
        self._departed: set[tuple[str, int]] = set()
        """Ended stays (player and number) that have not been reported to the directory yet."""
        self.ids = {
            kind: Ids(self, kind, count, range(numbers[kind], sys.maxsize) if self.is_alone else ())
            for kind, count in BLOCKS.items()
        }

    async def prepare(self) -> None:
        """Reserve ids in advance, or raise ``Refused``."""
        await carried_out(self.need_ids(*self.ids))

    def need_ids(self, *kinds: IdKind) -> Steps[None]:
        """Wait for an id of each kind (to be used before waiting again), or raise ``Refused``."""
        while lacking := [ids for kind in kinds if not (ids := self.ids[kind]).free]:
            yield from lacking[0].awaited()

    def asked(self, query: Callable[[PostgresDirectory], T], alone: A) -> Steps[T | A]:
        """Return the directory's answer to a query, ``alone`` if there are no other nodes; may raise ``Refused``."""
        if self.directory is None:
            return alone
        return (yield from self._lookups.asked(partial(query, self.directory)))

    async def ask(self, query: Callable[[PostgresDirectory], T]) -> T:
        """Return the directory's answer to a query, or raise ``Refused``; there must be other nodes."""
        assert self.directory is not None
        return await carried_out(self._lookups.asked(partial(query, self.directory)))

    def send(self, message: Message, node: int | None = None) -> None:
        """Send a message to a node, which may be this one, or to all others; it may be lost."""
        if self._bus is not None:
            self._bus.send(json.encode(message), node)

    def arrived(self, player: str) -> Steps[int]:
        """Start a player's stay here, and return its number, or raise ``Elsewhere``."""
        stay = yield from self.asked(lambda directory: directory.arrive(player), HERE)
        if stay.node != self.number:
            raise Elsewhere(stay.node)
        if self.fetch is not None:  # this node may just be taking over the player's table
            yield from self.awaited(partial(self.fetch, stay.table or ""))
        return stay.number

    def awaited(self, wait: Callable[[], Awaitable[None]]) -> Steps[None]:
        """Call an async function and wait for it, as steps."""
        yield Question(None, wait)

    def found(self, name: str) -> Steps[Resident | None]:
        """Return the player with this name if they are on another node; may raise ``Refused``."""
        return self.asked(lambda directory: directory.find(skeleton(name)), None)

    def tables_elsewhere(self) -> Steps[Listed[ListedTable]]:
        """Return the number of tables on other nodes and a list of some, up to a second old; may raise ``Refused``."""
        return self._listed("tables", lambda directory: directory.listed(LISTED))

    def residents_elsewhere(self) -> Steps[Listed[Resident]]:
        """Return the number of players on other nodes and a list of some, up to a second old; may raise ``Refused``."""
        return self._listed("players", lambda directory: directory.residents(LISTED))

    def _listed(self, kind: str, query: Callable[[PostgresDirectory], Listed[T]]) -> Steps[Listed[T]]:
        until, known = self._lists.get(kind, (0.0, (0, ())))
        if trio.current_time() >= until:
            known = yield from self.asked(query, (0, ()))
            self._lists[kind] = trio.current_time() + LISTED_SECONDS, known
        return known

    def depart(self, player: str, number: int) -> None:
        """Tell the directory that a player's stay here has ended, after everything that they did here is stored."""
        if not self.is_alone:
            self._departed.add((player, number))
            self.spawn(self.report_departed)

    async def report_departed(self) -> None:
        """Tell the directory about ended stays, if it answers; if not, this has to be called again."""
        if departed := frozenset(self._departed):
            with contextlib.suppress(Refused):
                await self.ask(lambda directory: directory.depart(departed))
                self._departed -= departed


HERE: Final = Stay(0, 0)
"""The stay of every player on a server that is alone."""


class Ids:
    """New ids of one kind, from reserved blocks; the next block is requested when half of the current one is used.

    A command that can wait for an id calls ``Nodes.need_ids`` first.
    """

    def __init__(self, nodes: Nodes, kind: IdKind, count: int, free: Sequence[int]) -> None:
        self.free = free
        """Numbers that are reserved and not used yet."""
        self._nodes = nodes
        self._kind = kind
        self._count = count
        self._answered = trio.Event()
        """Set unless a block has been requested and has not arrived."""
        self._answered.set()
        self._is_refused = False
        """Whether the last request for a block failed."""

    def awaited(self) -> Steps[None]:
        """Wait for the next block, or raise ``Refused`` if it does not arrive."""
        self._refill()
        yield from self._nodes.awaited(self._answered.wait)
        if self._is_refused:
            raise _nothing_new()

    def next(self) -> int:
        """Return a unique number, or raise ``Refused`` if none is left at the moment."""
        if len(self.free) <= self._count // 2:
            self._refill()
        if not self.free:
            raise _nothing_new()
        number, self.free = self.free[0], self.free[1:]
        return number

    def _refill(self) -> None:
        if self._answered.is_set():
            self._answered = trio.Event()
            self._nodes.spawn(self._fill)

    async def _fill(self) -> None:
        try:
            block = await self._nodes.ask(lambda directory: directory.reserve(self._kind, self._count))
            self.free, self._is_refused = [*self.free, *block], False
        except Refused:
            self._is_refused = True
        finally:
            self._answered.set()


def _nothing_new() -> Refused:
    return Refused(Code.PAUSED, "The server cannot begin anything new at the moment. Try again later.")


BEATS: Final = 10
"""How many heartbeats may be sent per lease. They overlap, so the lease lasts even if a commit takes a third of it."""

QUIET: Final = 0.25
"""The fraction of a lease after which the next heartbeat is sent, if commits are quick."""

SURE: Final = 0.8
"""The fraction of a lease for which a stored heartbeat counts. The rest is a margin for latency, and for clocks that
run at different speeds."""


class Lease:
    """One node's lease; ``submit`` commits an empty batch, and calls its argument once the batch is durable."""

    def __init__(self, submit: Callable[[Callable[[], None]], None], seconds: float) -> None:
        self.seconds = seconds
        self.on_lapse: Callable[[], None] = lambda: None
        self.on_renewal: Callable[[], None] = lambda: None
        self._submit = submit
        self._under_way = 0
        self._confirmed = trio.current_time()  # the node has just registered in the database
        self._was_sure = True

    @property
    def age(self) -> float:
        """How many seconds ago the last stored heartbeat was submitted."""
        return trio.current_time() - self._confirmed

    def is_sure(self) -> bool:
        """Return whether the node certainly still holds its lease; when it lapses, ``on_lapse`` is called first."""
        if self._was_sure and self.age >= SURE * self.seconds:
            log.warning(
                "the database has confirmed nothing for %.1f s: pausing all tables on this node", self.age
            )
            self.lapse()
        return self._was_sure

    def lapse(self) -> None:
        """Stop being sure until a heartbeat is stored; called when a write fails, too.

        A node that cannot write may have lost its connections, and then other nodes do not wait for a lease.
        """
        if self._was_sure:
            self._was_sure = False
            self.on_lapse()

    def beat(self) -> None:
        """Submit a heartbeat, unless too many are unconfirmed."""
        if self._under_way < BEATS:
            self._under_way += 1
            self._submit(partial(self._stored, trio.current_time()))

    async def keep(self) -> None:
        """Submit heartbeats until cancelled, with at most ``BEATS`` of them unconfirmed."""
        while True:
            self.is_sure()
            if self.age >= QUIET * self.seconds:
                self.beat()
            await trio.sleep(self.seconds / BEATS)

    def _stored(self, submitted: float) -> None:
        self._under_way -= 1
        self._confirmed = submitted
        if not self._was_sure and self.age < SURE * self.seconds:
            self._was_sure = True
            log.warning("the database is confirming this node's writes again")
            self.on_renewal()


class Invited(Struct, frozen=True, kw_only=True, tag=True):
    """An invitation to a table with ``players``; ``game`` is a human-readable description.

    ``is_next`` means that a match is running, so the invitation is for the next one.
    """

    speaker: str
    to: str
    table: str
    game: str
    players: tuple[str, ...] = ()
    is_next: bool = False


class Announced(Struct, frozen=True, kw_only=True, tag=True):
    """A notice from the operator to everyone."""

    text: str


class Kicked(Struct, frozen=True, kw_only=True, tag=True):
    """The operator has closed a player's connection."""

    name: str


class TableEnded(Struct, frozen=True, kw_only=True, tag=True):
    """The operator has closed a table."""

    table: str


class SanctionsChanged(Struct, frozen=True, kw_only=True, tag=True):
    """The operator has changed who is banned or muted."""


class TablesWait(Struct, frozen=True, kw_only=True, tag=True):
    """A node has been declared gone, so other nodes can take its tables now."""


Message = Chat | Invited | Announced | Kicked | TableEnded | SanctionsChanged | TablesWait
"""A message from one node to others."""


def decode_message(payload: bytes) -> Message | None:
    """Return the message in a payload, or None if this version does not know it."""
    try:
        return _decoder().decode(payload)
    except MsgspecError:
        return None


@cache
def _decoder() -> json.Decoder[Message]:
    return json.Decoder(Message)  # only clusters need it
