"""The operator's bans and mutes of names and networks.

A sanction on a name applies to all its look-alikes. Sanctions are stored in a file of their own, rewritten at every
change, so that they outlive restarts and can be read and edited while the server is off.
"""

import ipaddress
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
        self._path: Path | None = None
        self._networks: dict[Network, Sanction] = {}
        self._names: dict[str, Sanction] = {}
        self._mutes: dict[str, Sanction] = {}
        self.is_due = Wakeup()
        """Set when other nodes may have changed the sanctions, so that they should be read again."""
        if path is not None and path.exists():
            self._load(path)
        self._path = path  # from now on, changes are stored

    @property
    def bans(self) -> tuple[Sanction, ...]:
        """All bans of names and networks, oldest first."""
        return (*self._names.values(), *self._networks.values())

    @property
    def mutes(self) -> tuple[Sanction, ...]:
        """All mutes."""
        return tuple(self._mutes.values())

    def bars_address(self, address: str) -> bool:
        """Return whether an address is banned."""
        parsed = parsed_address(address)
        return parsed is not None and any(parsed in network for network in self._networks)

    def bars_name(self, name: str) -> bool:
        """Return whether a player is banned."""
        return bool(self._names) and skeleton(name) in self._names

    def silences(self, name: str) -> bool:
        """Return whether a player is muted."""
        return bool(self._mutes) and skeleton(name) in self._mutes

    def add(self, kind: SanctionKind, entry: Sanction) -> None:
        """Add a sanction, or raise ``BadSanctions``."""
        kept, key = self._place(kind, entry.whom)
        kept[key] = entry
        self._save()

    def lift(self, kind: SanctionKind, whom: str) -> Sanction | None:
        """Lift a sanction and return it (None if there is none), or raise ``BadSanctions``."""
        kept, key = self._place(kind, whom)
        lifted = kept.pop(key, None)
        if lifted is not None:
            self._save()
        return lifted

    def _place(self, kind: SanctionKind, whom: str) -> tuple[dict[Any, Sanction], Network | str]:
        if kind is SanctionKind.MUTE:
            return self._mutes, skeleton(whom)
        network = network_in(whom)
        return (self._names, skeleton(whom)) if network is None else (self._networks, network)

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
            for entry in entries:
                self.add(kind, entry)

    def _save(self) -> None:
        if self._path is None:
            return
        content = msgspec.json.encode(_File(format=_VERSION, bans=self.bans, mutes=self.mutes))
        try:
            replace_file(self._path, msgspec.json.format(content, indent=2) + b"\n")
        except OSError as error:
            raise BadSanctions(f"{self._path}: cannot be written: {error.strerror}") from None


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
        kept, key = self._place(kind, entry.whom)
        if key in kept and kept[key].whom != entry.whom:
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
        read = Sanctions()
        for kind, entry in rows:
            read.add(kind, entry)
        self._networks, self._names, self._mutes = read._networks, read._names, read._mutes

    async def keep(self) -> None:
        """Store the changes made here; if that raises ``Refused``, the next ``read`` stores them."""
        async with self._keeping:
            while self._changes:
                await self._nodes.ask(self._changes[0])
                self._changes.popleft()
                self.is_due.set()  # earlier reads do not include this change
