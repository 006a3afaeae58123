"""The operator's bans and mutes of names and networks.

A sanction on a name applies to all its look-alikes. Sanctions are stored in a file of their own, rewritten at every
change, so that they outlive restarts and can be read and edited while the server is off.
"""

import ipaddress
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import trio

from golfnet.protocol.names import skeleton
from golfnet.server.budget import origin_of, parsed_address, plain_address
from golfnet.server.nodes import Nodes, Wakeup
from golfnet.storage.directory import Sanction, SanctionKind
from golfnet.storage.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.storage.postgres.directory import PostgresDirectory

_VERSION: Final = "golfnet-sanctions/1"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class BadSanctions(Exception):
    """A file of sanctions cannot be read or written; the text names the file and says what was expected."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str
    bans: tuple[Sanction, ...] = ()
    mutes: tuple[Sanction, ...] = ()


class Sanctions:
    """The bans and mutes of a server; ``path`` is the file, None if they are not stored."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept: dict[tuple[SanctionKind, Network | str], Sanction] = {}
        """All sanctions, by their kind and the network or the skeleton of the name."""
        self.is_due = Wakeup()
        """Set when other nodes may have changed the sanctions, so that they should be read again."""
        if path is not None and path.exists():
            self._load(path)

    def of(self, kind: SanctionKind) -> tuple[Sanction, ...]:
        """Return all sanctions of a kind: those of names, then those of networks, each oldest first."""
        return tuple(
            [
                entry
                for is_name in (True, False)
                for (of, whom), entry in self._kept.items()
                if of is kind and isinstance(whom, str) is is_name
            ]
        )

    def bars_address(self, address: str) -> bool:
        """Return whether an address is banned."""
        parsed = parsed_address(address)
        return parsed is not None and any(
            parsed in whom for _, whom in self._kept if not isinstance(whom, str)
        )

    def bars_name(self, name: str) -> bool:
        """Return whether a player is banned."""
        return bool(self._kept) and (SanctionKind.BAN, skeleton(name)) in self._kept

    def silences(self, name: str) -> bool:
        """Return whether a player is muted."""
        return bool(self._kept) and (SanctionKind.MUTE, skeleton(name)) in self._kept

    def add(self, kind: SanctionKind, entry: Sanction) -> None:
        """Add a sanction, or raise ``BadSanctions``."""
        self._kept[_key(kind, entry.whom)] = entry
        self._save()

    def lift(self, kind: SanctionKind, whom: str) -> Sanction | None:
        """Lift a sanction and return it (None if there is none), or raise ``BadSanctions``."""
        lifted = self._kept.pop(_key(kind, whom), None)
        if lifted is not None:
            self._save()
        return lifted

    async def read(self) -> None:
        """Read the stored sanctions if other nodes may have changed them, as in a cluster. Raise ``Refused``."""

    async def keep(self) -> None:
        """Store pending changes; here there are none, since every change is written at once. May raise ``Refused``."""

    def _load(self, path: Path) -> None:
        try:
            file = msgspec.json.decode(path.read_bytes(), type=_File)
        except (OSError, msgspec.MsgspecError) as error:
            raise BadSanctions(f"{path}: expected a file written by golfnet: {error}") from None
        if file.format != _VERSION:
            raise BadSanctions(f"{path}: expected {_VERSION}, not {file.format}")
        for kind, entries in ((SanctionKind.BAN, file.bans), (SanctionKind.MUTE, file.mutes)):
            self._kept |= {_key(kind, entry.whom): entry for entry in entries}

    def _save(self) -> None:
        if self._path is None:
            return
        file = _File(format=_VERSION, bans=self.of(SanctionKind.BAN), mutes=self.of(SanctionKind.MUTE))
        try:
            replace_file(self._path, msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n")
        except OSError as error:
            raise BadSanctions(f"{self._path}: cannot be written: {error.strerror}") from None


def _key(kind: SanctionKind, whom: str) -> tuple[SanctionKind, Network | str]:
    network = network_in(whom) if kind is SanctionKind.BAN else None
    return kind, skeleton(whom) if network is None else network


def network_in(text: str) -> Network | None:
    """Return the network that a text denotes, or None for a player's name.

    A single IPv6 address stands for its whole /64 network, since its owner can use any address there. With ``/128``, it
    stands only for itself.
    """
    try:
        return ipaddress.ip_network(origin_of(plain_address(text)), strict=False)
    except ValueError:
        return None


class SharedSanctions(Sanctions):
    """The bans and mutes of a cluster, as this node has last read them."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__()
        self._nodes = nodes
        self._changes: deque[Callable[[PostgresDirectory], None]] = deque()
        """Changes made here that are not stored yet, in order."""
        self._keeping = trio.Lock()

    def add(self, kind: SanctionKind, entry: Sanction) -> None:
        """Add a sanction."""
        if self._kept.get(_key(kind, entry.whom), entry).whom != entry.whom:
            # It is stored under a look-alike's name, so it would outlive the new one.
            self.lift(kind, entry.whom)
        super().add(kind, entry)
        self._changes.append(lambda directory: directory.sanction(kind, entry))

    def lift(self, kind: SanctionKind, whom: str) -> Sanction | None:
        """Lift a sanction and return it (None if there is none)."""
        lifted = super().lift(kind, whom)
        if lifted is not None:
            self._changes.append(lambda directory: directory.lift(kind, lifted.whom))
        return lifted

    async def read(self) -> None:
        """Read the stored sanctions, or raise ``Refused``."""
        await self.keep()
        rows = await self._nodes.ask(lambda directory: directory.sanctions())
        if self._changes:
            self.is_due.set()  # these rows do not include the latest change
            return
        self._kept = {_key(kind, entry.whom): entry for kind, entry in rows}

    async def keep(self) -> None:
        """Store the changes made here; if that raises ``Refused``, the next ``read`` stores them."""
        async with self._keeping:
            while self._changes:
                await self._nodes.ask(self._changes[0])
                self._changes.popleft()
                self.is_due.set()  # earlier reads do not include this change
