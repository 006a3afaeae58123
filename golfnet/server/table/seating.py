"""Who sits where: the chairs of one table.

Before a match, chairs can be taken and left. When it starts, empty chairs are removed and the seat letters reassigned
(X17); from then on every chair stays and keeps its name, no matter who plays it.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from golfnet.engine.cards import Seat
from golfnet.server.clock import NO_TIMER, Timer
from golfnet.server.session.player import Player
from golfnet.storage.writes import PlayerKind, SeatEnding

if TYPE_CHECKING:
    from golfnet.bots.bot import BotPlayer
    from golfnet.server.session.session import Session


class Gone(Struct, frozen=True, kw_only=True):
    """Why, and since when (Unix seconds), a seat's owner with this id is no longer playing."""

    ending: SeatEnding
    since: int
    id: str = field(name="player")
    kind: PlayerKind


class ChairKind(StrEnum):
    """Who plays a seat."""

    HUMAN = "human"
    BOT = "bot"
    HOUSE = "house"


class StoredChair(Struct, kw_only=True, omit_defaults=True):
    """The fields of a chair that are stored unchanged; see ``Chair``."""

    name: str
    kind: ChairKind
    level: str = ""
    ready: bool = False
    cut: str = ""
    seal: str | None = None
    drops: int = 0
    gone: Gone | None = None
    is_lent: bool = field(default=False, name="lent")


class Chair(StoredChair, kw_only=True):
    """A taken ``seat``; ``Seating`` sets its letter.

    ``player`` is the owner of the seat, None for a bot or once the owner has left; ``kind`` says who is playing now. A
    bot has a ``level``. A ``bot`` object is made for each match, and whenever the house takes over, for example
    after too many disconnects (``drops``) or ``timeouts`` in a row; ``returns`` counts how often it has given the
    seat back since the owner last played. ``is_away`` is true from a disconnect until the player returns, and so is
    ``is_excused`` if a server restart was the cause; ``grace`` is the timer while the seat is kept. ``gone`` is set
    while the owner is not playing in the match. If the seat ``is_lent``, ``player`` is the borrower, and the seat is
    ``kept_for`` its owner, unless the owner has left. ``cut`` is the text for the next shuffle, ``seal`` its seal.
    """

    seat: Seat = Seat(0)
    player: Player | None = None
    bot: "BotPlayer | None" = None
    timeouts: int = 0
    returns: int = 0
    is_away: bool = False
    is_excused: bool = False
    grace: Timer = NO_TIMER
    kept_for: Player | None = None
    viewed: int = 0
    """The number of the last event included in the last full view sent to this seat."""
    prompted: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The actions and targets last sent to this seat."""

    @property
    def session(self) -> "Session | None":
        """The session of the seat's player, None while they are away and for bots."""
        return self.player.session if self.player is not None else None

    @property
    def player_name(self) -> str:
        """The name of the player in this seat: the seat's own name, unless it is lent."""
        return self.player.name if self.is_lent and self.player is not None else self.name

    @property
    def present(self) -> bool:
        """Whether the seat's own player is present. A bot always is; one that plays for the house does not count."""
        return self.kind is ChairKind.BOT or self.session is not None

    @property
    def is_waited_for(self) -> bool:
        """Whether a human is present and playing the seat, so their ``ready`` is needed."""
        return self.kind is ChairKind.HUMAN and self.session is not None

    @property
    def is_missed(self) -> bool:
        """Whether the owner is away, or the house is playing the seat."""
        return self.is_away or self.kind is ChairKind.HOUSE

    @property
    def stays(self) -> bool:
        """Whether the chair stays for a rematch: a bot's, or a player's who is present or in a grace period."""
        is_kept = self.player is not None and (self.grace.is_set or not self.is_away)
        return is_kept or self.kind is ChairKind.BOT

    def begin_match(self) -> None:
        """Reset what is recorded per match."""
        self.ready, self.prompted, self.gone = False, None, None
        self.drops = self.timeouts = self.returns = 0

    def mark_gone(self, now: float, ending: SeatEnding | None = None) -> None:
        """Record that the owner stopped playing ``now`` (Unix seconds) or earlier, by default excused or absent."""
        if self.player is not None and not self.is_lent:
            self.gone = Gone(
                ending=ending or (SeatEnding.EXCUSED if self.is_excused else SeatEnding.ABSENT),
                since=round(now) if self.gone is None else self.gone.since,
                id=self.player.id,
                kind=self.player.kind,
            )

    def give_back(self) -> Player | None:
        """Give a lent seat back to its owner; return the player who had it until now, or None if it was not lent."""
        owner, player = self.kept_for, self.player
        if owner is None:
            return None
        self.player, self.kept_for, self.is_lent = owner, None, False
        self.prompted, self.is_away = None, True
        if player is not None:
            player.table = None
        return player


class Seating:
    """A table's chairs by seat, None for a free seat; ``names`` are in seat order, empty for a free seat.

    Seats are read far more often than they change, so ``_taken`` and ``names`` are computed only at a change.
    """

    __slots__ = ("_taken", "chairs", "names")

    def __init__(self, chairs: Sequence[Chair | None]) -> None:
        self._arrange(chairs)

    def __iter__(self) -> Iterator[Chair]:
        return iter(self._taken)

    def __len__(self) -> int:
        return len(self._taken)

    @property
    def is_full(self) -> bool:
        """Whether no chair is free."""
        return None not in self.chairs

    @property
    def has_bots(self) -> bool:
        """Whether a bot or the house plays for any seat."""
        return any([chair.bot is not None for chair in self._taken])

    @property
    def absent(self) -> list[str]:
        """The names of absent players."""
        return [chair.name for chair in self._taken if not chair.present]

    @property
    def humans(self) -> list[Chair]:
        """The chairs that belong to a human, present or away."""
        return [chair for chair in self._taken if chair.player is not None]

    @property
    def players(self) -> list[Player]:
        """The human players of all seats, present or away; for a lent seat, the borrower."""
        return [chair.player for chair in self._taken if chair.player is not None]

    @property
    def owners(self) -> list[Player]:
        """All players with a seat here, including the owners of lent seats."""
        return [
            owner for chair in self._taken for owner in (chair.player, chair.kept_for) if owner is not None
        ]

    def at(self, seat: Seat) -> Chair | None:
        """Return the chair at a seat, or None if the seat is free or does not exist."""
        return self.chairs[seat] if seat < len(self.chairs) else None

    def chair(self, seat: Seat) -> Chair:
        """Return the chair at a taken seat; raise ``LookupError`` for any other."""
        chair = self.chairs[seat]
        if chair is None:
            raise LookupError(f"nobody sits in seat {seat}")
        return chair

    def chair_of(self, player: Player) -> Chair | None:
        """Return the chair that a player has or has lent to another, or None if there is none."""
        for chair in self._taken:
            if chair.player is player or chair.kept_for is player:
                return chair
        return None

    def of(self, player: Player) -> Seat | None:
        """Return the seat that a player has or has lent to another, or None if there is none."""
        chair = self.chair_of(player)
        return None if chair is None else chair.seat

    def take(self, chair: Chair) -> Seat:
        """Put a chair at the first free seat, and return the seat."""
        seat = Seat(self.chairs.index(None))
        self._arrange((*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))
        return seat

    def vacate(self, seat: Seat) -> None:
        """Free a seat before the match."""
        self._arrange((*self.chairs[:seat], None, *self.chairs[seat + 1 :]))

    def _arrange(self, chairs: Sequence[Chair | None]) -> None:
        self.chairs = tuple(chairs)
        self._taken = tuple([chair for chair in chairs if chair is not None])
        for seat, chair in enumerate(chairs):
            if chair is not None:
                chair.seat = Seat(seat)
        self.names = tuple(["" if chair is None else chair.name for chair in chairs])
