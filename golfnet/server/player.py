"""A player: somebody with a name, on a connection or away, in one seat at the most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from golfnet.server.session import Session
    from golfnet.server.table import Table


class Player:
    """Somebody with a name; ``token_hash`` finds the player again, ``session`` is None while it is away."""

    def __init__(
        self,
        *,
        id: str,
        name: str,
        token_hash: bytes,
        created: float,
        kind: PlayerKind = PlayerKind.GUEST,
    ) -> None:
        self.id = id
        self.name = name
        self.kind = kind
        self.token_hash = token_hash
        self.password_hash: str | None = None
        self.created = created
        self.session: Session | None = None
        self.table: Table | None = None
        self.watched: dict[str, Table] = {}
        self.muted: set[str] = set()
        self.avoided: set[str] = set()
