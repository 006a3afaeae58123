"""A player: somebody with a name, on a connection or away, in one seat at the most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.names.skeletons import skeleton
from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table
    from golfnet.storage.writes import Token


class Player:
    """Somebody with a name; ``session`` is None while it is away."""

    def __init__(
        self,
        *,
        id: str,
        name: str,
        created: float,
        kind: PlayerKind = PlayerKind.GUEST,
        bones: str = "",
    ) -> None:
        self.id = id
        self.name = name
        self.skeleton = bones or skeleton(name)
        """What the player is stored under: the name's, unless another had it first (``renaming``)."""
        self.kind = kind
        self.password_hash: str | None = None
        self.created = created
        self.tokens: dict[bytes, Token] = {}
        """The tokens that are good, by their hashes, in the order in which they were issued."""
        self.token = b""
        """The hash of the token with which the player came in the last time."""
        self.has_sat = False
        """Whether the player ever sat down at a table, as far as this server knows."""
        self.session: Session | None = None
        self.table: Table | None = None
        self.watched: dict[str, Table] = {}
        self.muted: dict[str, str] = {}
        """The names of those the player does not hear, by skeleton, so that no spelling gets around it."""
        self.avoided: dict[str, str] = {}
        """The names of those the player shares no table with, by skeleton."""

    def was_at(self, origin: str) -> bool:
        """Tell whether a token that is still good was last used from an origin."""
        return any(token.origin == origin for token in self.tokens.values())

    @property
    def is_at_a_table(self) -> bool:
        """Whether the player sits or watches anywhere."""
        return self.table is not None or bool(self.watched)

    @property
    def is_holding(self) -> bool:
        """Whether the player holds a drawn card."""
        return self.table is not None and self.table.is_holding(self)

    def has_muted(self, other: Player) -> bool:
        """Tell whether the player does not hear the other."""
        return bool(self.muted) and skeleton(other.name) in self.muted

    def has_avoided(self, other: Player) -> bool:
        """Tell whether the player shares no table with the other."""
        return bool(self.avoided) and skeleton(other.name) in self.avoided
