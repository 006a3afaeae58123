"""This node among the nodes of one server: what it asks of the directory, and tells it.

What stays true: nothing waits for what is only told; ids come from blocks, so that a table or a match needs no question
to begin. A server that is alone has the answers in memory, and none of them is that something is elsewhere.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.server.counters import DIRECTORY_WAITS, Buckets
from golfnet.server.lookups import Lookups, Question, carried_out
from golfnet.storage.directory import Bus, IdKind, ListedTable, Resident

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from golfnet.server.lookups import Steps
    from golfnet.storage.directory import Directory
    from golfnet.storage.writes import PlayerRow

T = TypeVar("T")

BLOCKS: Final = {IdKind.TABLE: 50, IdKind.MATCH: 200, IdKind.PLAYER: 500}
"""How many numbers are reserved at a time: those that a node leaves unused when it ends are never given.

A club that opens its tables all at once, or comes back all at once, waits for some blocks, one after the other. Half a
block of matches has to last as long as the question for the next one takes: a table that goes on with another match
cannot wait.
"""

LISTED: Final = 500
"""Tables, and players, of other nodes in one list."""

LISTED_SECONDS: Final = 1.0
"""How long an answer is good for everybody who asks for the same list."""

Listed = tuple[int, tuple[T, ...]]
"""How many there are, and some of them."""

log = logging.getLogger(__name__)


class Elsewhere(Exception):
    """Raised by a command that has to be carried out at another node: the session goes on there."""

    def __init__(self, node: int) -> None:
        super().__init__(f"at node {node}")
        self.node = node


class Nodes:
    """The directory of one server, as this node uses it; ``run`` runs a query that takes time."""

    def __init__(
        self,
        directory: Directory,
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
        *,
        bus: Bus | None = None,
        run: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
    ) -> None:
        self.directory = directory
        self.bus = Bus() if bus is None else bus
        self.is_alone = bus is None
        self._spawn = spawn
        self.waits = Buckets(DIRECTORY_WAITS)
        """How long the directory took to answer."""
        self._lookups = Lookups(is_immediate=directory.is_immediate, run=run, measure=self.waits.add)
        self.opening: set[str] = set()
        """Tables that are about to be opened here, and others were told so."""
        self.fetch: Callable[[str], Awaitable[None]] | None = None
        """Sees that a table is restored here which is this node's already, and all that are being taken."""
        self._changed = trio.Event()
        self._waiting = trio.Event()
        self._tables = _Recent[Listed[ListedTable]]()
        self._residents = _Recent[Listed[Resident]]()
        self._departed: dict[tuple[str, int], None] = {}
        """Stays that are over, until the directory knows it: no more than there were players here."""
        self.ids = {kind: Ids(self, kind, count) for kind, count in BLOCKS.items()}

    def note_opening(self, table: str) -> None:
        """Remember a table that others are told of before it is open: it may never be."""
        if not self.is_alone:
            self.opening.add(table)

    def note_change(self) -> None:
        """Let the other nodes be told at once of what has changed here."""
        self._changed.set()

    async def changed(self) -> None:
        """Wait until something has changed that others are to be told at once."""
        await self._changed.wait()
        self._changed = trio.Event()

    def note_waiting(self) -> None:
        """Let this node look at once whether tables wait for it."""
        self._waiting.set()

    async def tables_wait(self) -> None:
        """Wait until somebody says that tables wait."""
        await self._waiting.wait()
        self._waiting = trio.Event()

    async def prepare(self) -> None:
        """Have ids before anybody needs one; raises ``Refused``."""
        for ids in self.ids.values():
            await ids.fill()

    def need_ids(self, *kinds: IdKind) -> Steps[None]:
        """Wait until there is an id of each kind, for whoever takes them at once; raises ``Refused``."""
        while lacking := [ids for kind in kinds if (ids := self.ids[kind]).are_used_up]:
            yield from lacking[0].awaited()

    def asked(self, query: Callable[[], T], *, after: float = 0.0) -> Steps[T]:
        """Return the directory's answer to a query, within steps; raises ``Refused``."""
        return self._lookups.asked(query, after=after)

    def tell(self, query: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """Let the directory know something, whenever it can; call ``then`` with what it says, None where it failed."""
        if self.directory.is_immediate:
            then(self._lookups.read(query))
            return

        async def tell() -> None:
            try:
                await self._lookups.ask(query, then)
            except Refused:
                then(None)

        self._spawn(tell)

    def arrived(self, player: str) -> Steps[int]:
        """Return the number of a player's stay here, from now on; raises ``Elsewhere``."""
        stay = yield from self.asked(lambda: self.directory.arrive(player))
        if stay.node != self.directory.node:
            raise Elsewhere(stay.node)
        if self.fetch is not None:  # the player's table may have become this node's just now
            yield from self.awaited(partial(self.fetch, stay.table or ""))
        return stay.number

    def awaited(self, wait: Callable[[], Awaitable[None]]) -> Steps[None]:
        """Wait for something, within steps."""
        yield Question(None, wait)

    def are_elsewhere(self, players: Sequence[PlayerRow]) -> Steps[bool]:
        """Return whether any of some players is at another node; raises ``Refused``."""
        if not players:
            return False
        ids = [player.id for player in players]
        return bool((yield from self.asked(lambda: self.directory.staying(ids))))

    def need_nowhere(self, bones: str) -> Steps[None]:
        """Raise ``Elsewhere`` where the player with a skeleton is at another node."""
        found = yield from self.asked(lambda: self.directory.find(bones))
        if found is not None:
            raise Elsewhere(found.node)

    def tables_elsewhere(self) -> Steps[Listed[ListedTable]]:
        """Return how many tables other nodes have, and the rows of some, as of a second ago; raises ``Refused``."""
        return self._tables.answer(self.asked(lambda: self.directory.listed(LISTED)))

    def residents_elsewhere(self) -> Steps[Listed[Resident]]:
        """Return how many players are at other nodes, and some of them, as of a second ago; raises ``Refused``."""
        return self._residents.answer(self.asked(lambda: self.directory.residents(LISTED)))

    def depart(self, player: str, number: int) -> None:
        """End a player's stay here, once nothing more is known of it than what is stored.

        What the directory cannot end now is ended by ``catch_up``.
        """
        self._departed[player, number] = None

        def note(is_told: bool | None) -> None:
            if is_told:
                self._departed.pop((player, number), None)

        self.tell(lambda: self._end(player, number), note)

    def catch_up(self) -> Steps[None]:
        """End the stays that the directory could not end before; raises ``Refused``."""
        for player, number in list(self._departed):
            yield from self.asked(partial(self._end, player, number))
            self._departed.pop((player, number), None)

    def _end(self, player: str, number: int) -> bool:
        self.directory.depart(player, number)
        return True


class _Recent(Generic[T]):
    """The latest answer to a question that many ask."""

    def __init__(self) -> None:
        self._answer: T | None = None
        self._until = 0.0

    def answer(self, asking: Steps[T]) -> Steps[T]:
        """Return the latest answer, asked for again where it is too old."""
        if self._answer is None or trio.current_time() >= self._until:
            self._answer = yield from asking
            self._until = trio.current_time() + LISTED_SECONDS
        return self._answer


class Ids:
    """New ids of one kind, from blocks; the next block is asked for when half of one is used.

    Whoever can wait for an id does so (``Nodes.need_ids``).
    """

    def __init__(self, nodes: Nodes, kind: IdKind, count: int) -> None:
        self._nodes = nodes
        self._kind = kind
        self._count = count
        self._free: list[int] = []
        self._is_asked = False
        self._answered = trio.Event()
        self._is_refused = False
        """Whether the latest block that was asked for did not come."""
        if nodes.directory.is_immediate:
            self._refill()

    async def fill(self) -> None:
        """Have numbers before the first is needed; raises ``Refused``."""
        directory = self._nodes.directory
        self._add(await carried_out(self._nodes.asked(lambda: directory.reserve(self._kind, self._count))))

    @property
    def are_used_up(self) -> bool:
        """Whether none is left before another block comes."""
        return not self._free

    def awaited(self) -> Steps[None]:
        """Wait for the next block; raises ``Refused`` where it does not come."""
        self._refill()
        yield from self._nodes.awaited(self._answered.wait)
        if self._is_refused:
            raise _nothing_new()

    def next(self) -> int:
        """Return a number that was never given before; raises ``Refused`` where none is left for the moment."""
        if len(self._free) <= self._count // 2:
            self._refill()
        if not self._free:
            raise _nothing_new()
        return self._free.pop(0)

    def _refill(self) -> None:
        """Ask for a block, unless one is on its way."""
        if not self._is_asked:
            self._is_asked = True
            self._nodes.tell(lambda: self._nodes.directory.reserve(self._kind, self._count), self._add)

    def _add(self, numbers: range | None) -> None:
        self._free += numbers or ()
        self._is_asked, self._is_refused = False, numbers is None
        self._answered.set()
        self._answered = trio.Event()


def _nothing_new() -> Refused:
    return Refused(Code.PAUSED, "The server cannot begin anything new at the moment. Try again later.")


BEATS: Final = 10
"""Beats in a lease while one is under way: a node stays sure where each commit takes a third of a lease."""

QUIET: Final = 0.25
"""The part of a lease after which there is a beat where the database answers quickly."""

SURE: Final = 0.8
"""For which part of a lease a beat is good; the rest is for clocks that do not run alike, and what is on its way."""


class Lease:
    """The lease of one node; ``submit`` stores nothing, and calls back when that is durable."""

    def __init__(self, submit: Callable[[Callable[[], None]], None], seconds: float) -> None:
        self.seconds = seconds
        self.on_lapse: Callable[[], None] = _do_nothing
        self.on_renewal: Callable[[], None] = _do_nothing
        self._submit = submit
        self._under_way = 0
        self._confirmed = trio.current_time()  # who becomes a node has just written
        self._was_sure = True

    @property
    def age(self) -> float:
        """Seconds since the latest beat that was stored was submitted."""
        return trio.current_time() - self._confirmed

    def is_sure(self) -> bool:
        """Return whether the node may speak; where it may not any more, ``on_lapse`` is called first."""
        if self._was_sure and self.age >= SURE * self.seconds:
            self._was_sure = False
            log.warning(
                "the database has confirmed nothing for %.1f s: all tables of this node stand still", self.age
            )
            self.on_lapse()
        return self._was_sure

    async def keep(self) -> None:
        """Submit beats until cancelled; while none is stored, more of them, but no more than a lease has."""
        while True:
            self.is_sure()
            if self.age >= QUIET * self.seconds and self._under_way < BEATS:
                self._under_way += 1
                self._submit(partial(self._stored, trio.current_time()))
            await trio.sleep(self.seconds / BEATS)

    def _stored(self, submitted: float) -> None:
        self._under_way -= 1
        self._confirmed = submitted
        if not self._was_sure and self.age < SURE * self.seconds:
            self._was_sure = True
            log.warning("the database confirms again what this node writes")
            self.on_renewal()


def _do_nothing() -> None:
    """Be called until somebody else is."""
