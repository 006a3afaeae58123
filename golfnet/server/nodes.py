"""This node's part in a cluster: its use of the directory, its lease, and messages to other nodes.

Reports to the directory are sent in the background. Ids come from reserved blocks, so new tables and matches rarely
need a query. On a server with a single node all answers are in memory, and no table or player is ever on another node.
Messages of unknown kinds are ignored.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import trio
from msgspec import Struct

from golfnet.protocol.errors import Code, Refused
from golfnet.server.budget import WAITS, Buckets
from golfnet.server.lookups import Lookups, Question, carried_out
from golfnet.storage.directory import Bus, ListedTable, Resident
from golfnet.storage.store import IdKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from golfnet.server.lookups import Spawn, Steps
    from golfnet.storage.directory import Directory
    from golfnet.storage.writes import PlayerRow

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
        super().__init__(f"on node {node}")
        self.node = node


class Wakeup:
    """Wakes the task that waits for it; if none is waiting, the next wait ends at once."""

    def __init__(self) -> None:
        self._event = trio.Event()

    def set(self) -> None:
        """End the current or the next wait."""
        self._event.set()

    async def wait(self) -> None:
        """Wait until ``set`` is called."""
        await self._event.wait()
        self._event = trio.Event()


class Nodes:
    """Gives this node access to the directory; ``run`` runs a query that takes time."""

    def __init__(
        self,
        directory: Directory,
        spawn: Spawn,
        *,
        bus: Bus | None = None,
        run: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
    ) -> None:
        self.directory = directory
        self.bus = Bus() if bus is None else bus
        self.is_alone = bus is None
        self._spawn = spawn
        self.waits = Buckets(WAITS)
        """How long the directory takes to answer."""
        self._lookups = Lookups(is_immediate=directory.is_immediate, run=run, measure=self.waits.add)
        self.opening: set[str] = set()
        """Tables that are about to be opened here, and that other nodes may already know about."""
        self.fetch: Callable[[str], Awaitable[None]] | None = None
        """Waits for any take-over in progress, and restores the given table if this node owns it."""
        self.changed = Wakeup()
        """Set when changes here should be published to other nodes at once."""
        self.tables_waiting = Wakeup()
        """Set when there may be tables without an owner."""
        self._lists: dict[Callable[[int], Any], tuple[float, Any]] = {}
        """The latest answer to each query for a list, and until when it is used."""
        self._departed: dict[tuple[str, int], None] = {}
        """Ended stays (player and number) that have not been reported to the directory yet."""
        self.ids = {kind: Ids(self, kind, count) for kind, count in BLOCKS.items()}

    def note_opening(self, table: str) -> None:
        """Remember that other nodes know about a table that is not open yet; they must be told if it never opens."""
        if not self.is_alone:
            self.opening.add(table)

    async def prepare(self) -> None:
        """Reserve ids in advance, or raise ``Refused``."""
        for ids in self.ids.values():
            await ids.fill()

    def need_ids(self, *kinds: IdKind) -> Steps[None]:
        """Wait for an id of each kind (to be used before waiting again), or raise ``Refused``."""
        while lacking := [ids for kind in kinds if not (ids := self.ids[kind]).free]:
            yield from lacking[0].awaited()

    def asked(self, query: Callable[[], T], *, after: float = 0.0) -> Steps[T]:
        """Return the directory's answer to a query, as steps; may raise ``Refused``."""
        return self._lookups.asked(query, after=after)

    async def ask(self, query: Callable[[], T]) -> T:
        """Return the directory's answer to a query, or raise ``Refused``."""
        return await carried_out(self.asked(query))

    def run_in_background(self, query: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """Run a query in the background; call ``then`` with the answer, or None if the query failed."""
        if self.directory.is_immediate:
            then(self._lookups.read(query))
            return

        async def run() -> None:
            try:
                await self._lookups.ask(query, then)
            except Refused:
                then(None)

        self._spawn(run)

    def arrived(self, player: str) -> Steps[int]:
        """Start a player's stay here, and return its number, or raise ``Elsewhere``."""
        stay = yield from self.asked(lambda: self.directory.arrive(player))
        if stay.node != self.directory.node:
            raise Elsewhere(stay.node)
        if self.fetch is not None:  # this node may just be taking over the player's table
            yield from self.awaited(partial(self.fetch, stay.table or ""))
        return stay.number

    def awaited(self, wait: Callable[[], Awaitable[None]]) -> Steps[None]:
        """Call an async function and wait for it, as steps."""
        yield Question(None, wait)

    def are_elsewhere(self, players: Sequence[PlayerRow]) -> Steps[bool]:
        """Return whether any of the given players is on another node; may raise ``Refused``."""
        if not players:
            return False
        ids = [player.id for player in players]
        return bool((yield from self.asked(lambda: self.directory.staying(ids))))

    def need_nowhere(self, bones: str) -> Steps[None]:
        """Raise ``Elsewhere`` if the player whose name has the skeleton ``bones`` is on another node."""
        found = yield from self.asked(lambda: self.directory.find(bones))
        if found is not None:
            raise Elsewhere(found.node)

    def tables_elsewhere(self) -> Steps[Listed[ListedTable]]:
        """Return the number of tables on other nodes and a list of some, up to a second old; may raise ``Refused``."""
        return self._listed(self.directory.listed)

    def residents_elsewhere(self) -> Steps[Listed[Resident]]:
        """Return the number of players on other nodes and a list of some, up to a second old; may raise ``Refused``."""
        return self._listed(self.directory.residents)

    def _listed(self, query: Callable[[int], Listed[T]]) -> Steps[Listed[T]]:
        known: Listed[T] | None
        until, known = self._lists.get(query, (0.0, None))
        if known is None or trio.current_time() >= until:
            known = yield from self.asked(partial(query, LISTED))
            self._lists[query] = trio.current_time() + LISTED_SECONDS, known
        return known

    def depart(self, player: str, number: int) -> None:
        """Tell the directory that a player's stay here has ended; if that fails, ``catch_up`` tries again.

        Everything that the player has done here must be stored.
        """
        self._departed[player, number] = None

        def note(is_told: bool | None) -> None:
            if is_told:
                self._departed.pop((player, number), None)

        self.run_in_background(lambda: self._end(player, number), note)

    def catch_up(self) -> Steps[None]:
        """Tell the directory about ended stays if that failed earlier, or raise ``Refused``."""
        for player, number in list(self._departed):
            yield from self.asked(partial(self._end, player, number))
            self._departed.pop((player, number), None)

    def _end(self, player: str, number: int) -> bool:
        self.directory.depart(player, number)
        return True


class Ids:
    """New ids of one kind, from reserved blocks; the next block is requested when half of the current one is used.

    A command that can wait for an id calls ``Nodes.need_ids`` first.
    """

    def __init__(self, nodes: Nodes, kind: IdKind, count: int) -> None:
        self.free: list[int] = []
        """Numbers that are reserved and not used yet."""
        self._nodes = nodes
        self._reserve = partial(nodes.directory.reserve, kind, count)
        self._count = count
        self._is_asked = False
        self._answered = trio.Event()
        self._is_refused = False
        """Whether the last request for a block failed."""
        if nodes.directory.is_immediate:
            self._refill()

    async def fill(self) -> None:
        """Reserve the first block, or raise ``Refused``."""
        self._add(await self._nodes.ask(self._reserve))

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
        return self.free.pop(0)

    def _refill(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            self._nodes.run_in_background(self._reserve, self._add)

    def _add(self, numbers: range | None) -> None:
        self.free += numbers or ()
        self._is_asked, self._is_refused = False, numbers is None
        self._answered.set()
        self._answered = trio.Event()


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


class _BusMessage(Struct, frozen=True, kw_only=True, tag=True):
    """A message from one node to others."""


class Told(_BusMessage, frozen=True, kw_only=True):
    """Chat from one player to another."""

    speaker: str
    to: str
    text: str


class Invited(_BusMessage, frozen=True, kw_only=True):
    """An invitation to a table with ``players``; ``game`` is a human-readable description.

    ``is_next`` means that a match is running, so the invitation is for the next one.
    """

    speaker: str
    to: str
    table: str
    game: str
    players: tuple[str, ...] = ()
    is_next: bool = False


class Shouted(_BusMessage, frozen=True, kw_only=True):
    """Chat from a player to everyone without a seat."""

    speaker: str
    text: str


class Announced(_BusMessage, frozen=True, kw_only=True):
    """A notice from the operator to everyone."""

    text: str


class Kicked(_BusMessage, frozen=True, kw_only=True):
    """The operator has closed a player's connection."""

    name: str


class TableEnded(_BusMessage, frozen=True, kw_only=True):
    """The operator has closed a table."""

    table: str


class SanctionsChanged(_BusMessage, frozen=True, kw_only=True):
    """The operator has changed who is banned or muted."""


class TablesWait(_BusMessage, frozen=True, kw_only=True):
    """A node has been declared gone, so other nodes can take its tables now."""


Message = Told | Invited | Shouted | Announced | Kicked | TableEnded | SanctionsChanged | TablesWait

encode_message: Final = msgspec.json.Encoder().encode
"""Return a message as bytes."""

_DECODER: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def decode_message(payload: bytes) -> Message | None:
    """Return the message in a payload, or None if this version does not know it."""
    try:
        return _DECODER.decode(payload)
    except msgspec.MsgspecError:
        return None
