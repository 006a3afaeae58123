"""Bans and mutes of several nodes: kept in their database, and changed by any of them.

What stays true: what is decided here holds here at once, and at the other nodes as soon as they have read it. What the
database cannot keep at the moment is kept as soon as it can, and nothing is read before.
"""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial

import trio

from golfnet.protocol.names.skeletons import skeleton
from golfnet.server.accounts.sanctions import Sanction, Sanctions, network_in
from golfnet.server.lookups import carried_out
from golfnet.server.nodes import Nodes
from golfnet.server.words import SanctionsChanged
from golfnet.storage.directory import SanctionKind, SanctionRow, SharedDirectory


class SharedSanctions(Sanctions):
    """The bans and mutes, as this node has read them last."""

    def __init__(self, nodes: Nodes, directory: SharedDirectory) -> None:
        super().__init__()
        self._nodes = nodes
        self._directory = directory
        self._changes: deque[Callable[[], None]] = deque()
        """What was decided here and is not kept yet, in order."""
        self._keeping = trio.Lock()
        self._is_due = trio.Event()
        self._orders: list[SanctionsChanged] = []
        """Who wants to know that it was read again."""

    def ban(self, entry: Sanction) -> None:
        """Keep a name or a network out from now on."""
        super().ban(entry)
        self._add(SanctionKind.BAN, entry)

    def unban(self, whom: str) -> bool:
        """Let a name or a network in again; return whether it was kept out."""
        network = network_in(whom)
        entry = self._names.get(skeleton(whom)) if network is None else self._networks.get(network)
        return entry is not None and super().unban(whom) and self._lift(SanctionKind.BAN, entry)

    def mute(self, entry: Sanction) -> None:
        """Let a player speak no more."""
        super().mute(entry)
        self._add(SanctionKind.MUTE, entry)

    def unmute(self, name: str) -> bool:
        """Let a player speak again; return whether it could not."""
        entry = self._mutes.get(skeleton(name))
        return entry is not None and super().unmute(name) and self._lift(SanctionKind.MUTE, entry)

    async def read(self) -> None:
        """Read what is kept; raises ``Refused``."""
        await self.keep()
        rows = await carried_out(self._nodes.asked(self._directory.sanctions))
        if self._changes:
            self._is_due.set()  # something was decided meanwhile that these do not have
        else:
            self._replace(rows)

    async def keep(self) -> None:
        """Let what was decided be kept; raises ``Refused``, and then the next ``read`` does it."""
        async with self._keeping:
            while self._changes:
                await carried_out(self._nodes.asked(self._changes[0]))
                self._changes.popleft()
                self._is_due.set()  # what was read before does not have it

    def _replace(self, rows: Iterable[SanctionRow]) -> None:
        """Know what was read, and nothing else."""
        read = Sanctions()
        for row in rows:
            entry = Sanction(whom=row.whom, reason=row.reason, since=row.since)
            (read.ban if row.kind is SanctionKind.BAN else read.mute)(entry)
        self._networks, self._names, self._mutes = read._networks, read._names, read._mutes

    def reread(self, order: SanctionsChanged) -> None:
        """Read again what is kept, soon, as another node has asked for."""
        self._orders.append(order)
        self._is_due.set()

    async def due(self) -> list[SanctionsChanged]:
        """Wait until it is to be read again; return who has asked for that."""
        await self._is_due.wait()
        self._is_due = trio.Event()
        orders, self._orders = self._orders, []
        return orders

    def _add(self, kind: SanctionKind, entry: Sanction) -> None:
        row = SanctionRow(kind=kind, whom=entry.whom, reason=entry.reason, since=entry.since)
        self._changes.append(partial(self._directory.sanction, row))

    def _lift(self, kind: SanctionKind, entry: Sanction) -> bool:
        self._changes.append(partial(self._directory.lift, kind, entry.whom))
        return True
