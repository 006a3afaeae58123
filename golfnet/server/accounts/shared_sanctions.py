"""Bans and mutes of several nodes: kept in their database, and changed by any of them.

What stays true: what is decided here holds here at once, and at the other nodes as soon as they have read it.
"""

from collections.abc import Callable, Iterable
from typing import Final

import trio

from golfnet.protocol.names.skeletons import skeleton
from golfnet.server.accounts.sanctions import Sanction, Sanctions, network_in
from golfnet.server.lookups import carried_out
from golfnet.server.nodes import Nodes
from golfnet.server.words import SanctionsChanged, encode
from golfnet.storage.directory import SanctionKind, SanctionRow, SharedDirectory

_CHANGED: Final = encode(SanctionsChanged())


class SharedSanctions(Sanctions):
    """The bans and mutes, as this node has read them last."""

    def __init__(self, nodes: Nodes, directory: SharedDirectory) -> None:
        super().__init__()
        self._nodes = nodes
        self._directory = directory
        self._is_due = trio.Event()

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
        self._replace(await carried_out(self._nodes.asked(self._directory.sanctions)))

    def _replace(self, rows: Iterable[SanctionRow]) -> None:
        """Know what was read, and nothing else."""
        read = Sanctions()
        for row in rows:
            entry = Sanction(whom=row.whom, reason=row.reason, since=row.since)
            (read.ban if row.kind is SanctionKind.BAN else read.mute)(entry)
        self._networks, self._names, self._mutes = read._networks, read._names, read._mutes

    def reread(self) -> None:
        """Read again what is kept, soon."""
        self._is_due.set()

    async def due(self) -> None:
        """Wait until it is to be read again."""
        await self._is_due.wait()
        self._is_due = trio.Event()

    def _add(self, kind: SanctionKind, entry: Sanction) -> None:
        row = SanctionRow(kind=kind, whom=entry.whom, reason=entry.reason, since=entry.since)
        self._tell(lambda: self._directory.sanction(row))

    def _lift(self, kind: SanctionKind, entry: Sanction) -> bool:
        self._tell(lambda: self._directory.lift(kind, entry.whom))
        return True

    def _tell(self, change: Callable[[], None]) -> None:
        """Let it be kept, and then read by everybody."""

        def read(_: None) -> None:
            self._nodes.bus.send(_CHANGED)
            self.reread()

        self._nodes.tell(change, read)
