"""Players: each has a name, is connected or away, and has at most one seat."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.storage.writes import PlayerKind, Token

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.protocol.replies.replies import AnyReply, Burst
    from golfnet.server.journal.journal import ShownDiscard
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.roundtrip import RoundTrips
    from golfnet.server.session.writer import ReplyWriter


class PlayerSession(Protocol):
    """The part of a player's session that accounts and tables use; see ``session.Session``."""

    transport: Transport
    writer: ReplyWriter
    connected: float
    last_input: float
    arrived: float
    player: Player | None

    @property
    def round_trips(self) -> RoundTrips:
        """The measurements of the round trip."""

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Send a reply once ``ticket`` is durable."""

    def send_bytes(self, out: bytes, *, ticket: int = 0, shown: ShownDiscard | None = None) -> None:
        """Send an encoded reply once ``ticket`` is durable."""

    def measure(self) -> None:
        """Measure the round trip."""

    def close(self, code: Code, sentence: str) -> None:
        """Send a goodbye, and close."""


class PlayerTable(Protocol):
    """The part of a player's table that sessions use; see ``table.Table``."""

    id: str
    seq: int

    @property
    def is_running(self) -> bool:
        """Whether the match has started and is not over."""

    def is_holding(self, player: Player) -> bool:
        """Return whether the player holds a drawn card."""

    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Record when a slam window's discard was written to a seat, on trio's clock."""


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
    """The number of the player's stay on this node (``storage.directory``)."""
    has_sat: bool = False
    """Whether the player has ever had a seat, as far as this server knows."""
    knows_aim: bool = False
    """Whether this server has explained the aim of the game to the player."""
    session: PlayerSession | None = None
    table: PlayerTable | None = None
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
            why = f"You are already at table {self.table.id}. To leave it, type: leave"
            raise Refused(Code.ALREADY_SEATED, why)

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
