"""A player: somebody with a name, on a connection or away, in one seat at the most."""

from __future__ import annotations

from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.replies import AnyReply, Burst, TableView
from golfnet.server.budget import HELD_ENTRY
from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from golfnet.engine.layout import Seat
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.roundtrip import RoundTrips
    from golfnet.server.session.writer import ReplyWriter
    from golfnet.storage.writes import Token


class PlayerSession(Protocol):
    """The session of a player, as far as accounts and tables use it; see ``session.Session``."""

    transport: Transport
    writer: ReplyWriter
    round_trips: RoundTrips
    connected: float
    heard: float
    arrived: float
    player: Player | None

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Send a reply once what it tells of is durable."""

    def send_bytes(self, out: bytes, *, ticket: int = 0, shown: ShownDiscard | None = None) -> None:
        """Send a reply in its final form."""

    def measure(self) -> None:
        """Measure the round trip."""

    def close(self, code: Code, sentence: str) -> None:
        """Say goodbye and close."""


class PlayerTable(Protocol):
    """The table of a player, as far as sessions use it; see ``table.Table``."""

    id: str

    @property
    def is_running(self) -> bool:
        """Whether the match has started and is not over."""

    def is_holding(self, player: Player) -> bool:
        """Tell whether the player holds a drawn card."""

    def discard_shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Note that the discard of a slam window was written to a seat, in seconds of trio's clock."""


_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Player:
    """Somebody with a name; ``session`` is None while it is away."""

    __slots__ = (
        "avoided",
        "created",
        "has_sat",
        "id",
        "kind",
        "knows_aim",
        "muted",
        "name",
        "password_hash",
        "session",
        "settings",
        "skeleton",
        "stay",
        "table",
        "token",
        "tokens",
        "watched",
    )

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
        self.settings = _NOTHING
        """How the player wants things to be shown, as words that ``set`` takes; defaults are left out."""
        self.stay = 0
        """The number of the player's stay at this node (``storage.directory``)."""
        self.has_sat = False
        """Whether the player ever sat down at a table, as far as this server knows."""
        self.knows_aim = False
        """Whether the player was told here what a match is about."""
        self.session: PlayerSession | None = None
        self.table: PlayerTable | None = None
        self.watched: tuple[str, ...] = ()
        """The ids of the tables that the player watches, the latest last."""
        self.muted = _NOTHING
        """The names of those the player does not hear, by skeleton, so that no spelling gets around it."""
        self.avoided = _NOTHING
        """The names of those the player shares no table with, by skeleton."""

    def was_at(self, origin: str) -> bool:
        """Tell whether a token that is still good was last used from an origin."""
        return any(token.origin == origin for token in self.tokens.values())

    def stop_watching(self, table: str) -> None:
        """Forget a watched table; harmless for any other one."""
        self.watched = tuple([watched for watched in self.watched if watched != table])

    def need_free(self) -> None:
        """Raise ``Refused`` for a player with a seat: one is enough."""
        if self.table is not None:
            why = f"You are already at table {self.table.id}. To leave it, type: leave"
            raise Refused(Code.ALREADY_SEATED, why)

    @property
    def is_at_a_table(self) -> bool:
        """Whether the player sits or watches anywhere."""
        return self.table is not None or bool(self.watched)

    @property
    def is_holding(self) -> bool:
        """Whether the player holds a drawn card."""
        return self.table is not None and self.table.is_holding(self)

    def has_muted(self, name: str) -> bool:
        """Tell whether the player does not want to read what somebody says."""
        return bool(self.muted) and skeleton(name) in self.muted

    def has_avoided(self, name: str) -> bool:
        """Tell whether the player shares no table with somebody."""
        return bool(self.avoided) and skeleton(name) in self.avoided


if TYPE_CHECKING:
    from golfnet.engine.layout import Seat

    ShownDiscard = tuple[Seat, int]
    """The seat that is shown the discard of a slam window, and the number of that discard."""


_OUT: Final = itemgetter(1)
_SHOWN: Final = itemgetter(2)


class HeldReplies:
    """What one session may not send yet: tickets, bytes and what they show; ``size`` is in bytes of memory."""

    __slots__ = ("_latest", "replies", "size")

    def __init__(self) -> None:
        self.replies: list[tuple[int, bytes, ShownDiscard | None]] = []
        self.size = 0
        self._latest = 0
        """The highest ticket so far."""

    def add(self, ticket: int, out: bytes, shown: ShownDiscard | None = None) -> None:
        """Keep a reply behind the others."""
        self.replies.append((ticket, out, shown))
        self.size += len(out) + HELD_ENTRY
        if ticket > self._latest:
            self._latest = ticket

    def take(self, durable: int) -> tuple[bytes, list[ShownDiscard], int]:
        """Return, and keep no longer, what waits for tickets up to ``durable`` and for nothing before it.

        The number is the ticket that the rest waits for, 0 without any.
        """
        replies, waits_for = self.replies, 0
        if durable >= self._latest:  # nearly always
            taken, self.replies, self.size, self._latest = replies, [], 0, 0
        else:
            count = next(at for at, (ticket, _, _) in enumerate(replies) if ticket > durable)
            taken, waits_for = replies[:count], replies[count][0]
            del replies[:count]
            self.size -= sum([len(out) + HELD_ENTRY for _, out, _ in taken])
        if len(taken) == 1:
            ((_, out, shown),) = taken
            return out, [] if shown is None else [shown], waits_for
        return b"".join(map(_OUT, taken)), list(filter(None, map(_SHOWN, taken))), waits_for

    def clear(self) -> None:
        """Keep nothing any longer."""
        self.replies.clear()
        self.size = self._latest = 0


class Discards:
    """The last two discards that were shown: whoever slams may not have seen the newest by then."""

    __slots__ = ("_shown",)

    def __init__(self) -> None:
        self._shown: tuple[tuple[int, float], ...] = ()

    def note(self, number: int, at: float) -> None:
        """Note when a discard was shown; only the first time counts."""
        if not self._shown or self._shown[-1][0] != number:
            self._shown = (*self._shown[-1:], (number, at))

    def last_by(self, at: float) -> int:
        """Return the number of the last that had been shown by then, 0 where there is none."""
        return next((number for number, shown in reversed(self._shown) if shown <= at), 0)


def discard_in(reply: AnyReply | Burst) -> int | None:
    """Return the number of the discard whose slam window a reply shows."""
    if isinstance(reply, Burst):
        return reply.discard_no
    return reply.slam.discard_no if isinstance(reply, TableView) and reply.slam is not None else None
