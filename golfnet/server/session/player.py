"""Players: each has a name, is connected or away, and has at most one seat."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.storage.writes import PlayerKind, Token

if TYPE_CHECKING:
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Player(Struct, eq=False, kw_only=True):
    """A person or program with a name; ``session`` is None while they are away."""

    id: str
    name: str
    skeleton: str
    """The player's database key: the skeleton of the name, unless another player had it first (see ``claims``)."""
    kind: PlayerKind = PlayerKind.GUEST
    password_hash: str | None = None
    created: float
    tokens: dict[bytes, Token] = {}
    """The valid tokens by their hash, oldest first."""
    token: bytes = b""
    """The hash of the token last used to log in."""
    settings: Mapping[str, str] = _NOTHING
    """The player's display settings, without defaults; the values are words as typed after ``set``."""
    stay: int = 0
    """The number of the player's stay on this node (``postgres.directory``)."""
    has_sat: bool = False
    """Whether the player has ever had a seat, as far as this server knows."""
    aim_of: str = ""
    """The name of the rule set whose aim this server has explained to the player last."""
    session: "Session | None" = None
    table: "Table | None" = None
    watched: tuple[str, ...] = ()
    """The ids of the tables that the player is watching, latest last."""
    muted: Mapping[str, str] = _NOTHING
    """The names of muted players, by skeleton so that nobody can evade a mute with a look-alike name."""
    avoided: Mapping[str, str] = _NOTHING
    """The names, by skeleton, of the players with whom this player does not want to share a table."""

    def stop_watching(self, table: str) -> None:
        """Remove a table from the watched tables, if the player watches it."""
        self.watched = tuple([watched for watched in self.watched if watched != table])

    def need_free(self) -> None:
        """Raise ``Refused`` if the player has a seat."""
        if self.table is not None:
            raise Refused(
                Code.ALREADY_SEATED, f"You are already at table {self.table.id}. To leave it, type: leave"
            )

    @property
    def is_at_a_table(self) -> bool:
        """Whether the player sits at or watches a table."""
        return self.table is not None or bool(self.watched)

    def has_muted(self, name: str) -> bool:
        """Return whether the player has muted the player with this name."""
        return bool(self.muted) and skeleton(name) in self.muted

    def has_avoided(self, name: str) -> bool:
        """Return whether the player avoids the player with this name."""
        return bool(self.avoided) and skeleton(name) in self.avoided
