"""Who sits where: the chairs of one table, from its opening to its end.

Before a match a chair is a seat letter that somebody may take or leave; when the match starts, empty chairs are
removed and letters given anew (X17), and from then on every chair stays, with its name, whoever plays it.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from golfnet.bots.player import BotPlayer
from golfnet.engine.layout import MAX_SEATS, Seat
from golfnet.server.clock import Timer
from golfnet.server.session.player import Player, PlayerSession
from golfnet.storage.writes import PlayerKind, SeatEnding


class Gone(Struct, frozen=True, kw_only=True):
    """That the owner of a seat plays no more, how that came, and in which second (since 1970) it began."""

    ending: SeatEnding
    since: int
    player: str
    kind: PlayerKind


class SeatOffer(Struct, frozen=True, kw_only=True):
    """That a player, by id, may take the seat of somebody who is away, until a second of trio's clock."""

    player: str
    until: float


class ChairKind(StrEnum):
    """Who plays a seat."""

    HUMAN = "human"
    BOT = "bot"
    HOUSE = "house"


class Chair(Struct, kw_only=True):
    """One taken seat.

    ``player`` is its owner, None for a bot and after the owner has left; ``kind`` is who plays it now. A bot's
    ``level`` stays; ``bot`` is made anew for each match, and for the house whenever it takes the seat over.
    ``drops``, and ``timeouts`` in a row, are what the house counts before it takes over; ``returns`` are the times that
    it has given the seat back since its owner played last. ``is_away`` is set from a drop to the return,
    ``is_excused`` with it where the server was restarted; ``grace`` runs while the seat is kept. ``gone`` is set while
    the house plays for the owner of a match's seat. A seat that ``is_lent`` has somebody as its ``player`` whom the
    host has let in, and is ``kept_for`` its owner, if that has not left for good; ``offer`` is that somebody may
    take it. ``cut`` is the text for the next shuffle, ``seal`` its seal.
    """

    name: str
    kind: ChairKind
    player: Player | None = None
    level: str = ""
    bot: BotPlayer | None = None
    ready: bool = False
    cut: str = ""
    seal: str | None = None
    drops: int = 0
    timeouts: int = 0
    returns: int = 0
    is_away: bool = False
    is_excused: bool = False
    gone: Gone | None = None
    grace: Timer | None = None
    offer: SeatOffer | None = None
    is_lent: bool = False
    kept_for: Player | None = None
    viewed: int = 0
    """The number of the last event in the last whole view that was sent to this seat."""
    prompted: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The actions and targets this seat was last told of."""

    @property
    def session(self) -> PlayerSession | None:
        """The session that sees this seat's cards, None while its owner is away."""
        return self.player.session if self.player is not None else None

    @property
    def player_name(self) -> str:
        """The name of whoever sits here: the seat's own, but while it is lent."""
        return self.player.name if self.is_lent and self.player is not None else self.name

    @property
    def present(self) -> bool:
        """Whether somebody is there to act: a bot always is, the house never."""
        return self.kind is ChairKind.BOT or self.session is not None

    @property
    def is_waited_for(self) -> bool:
        """Whether a human is there who may say ready."""
        return self.kind is ChairKind.HUMAN and self.session is not None

    @property
    def is_lost(self) -> bool:
        """Whether the owner is away and nobody waits any more."""
        return self.is_away and self.grace is None

    def begin_match(self) -> None:
        """Count from the beginning again."""
        self.ready, self.prompted, self.gone = False, None, None
        self.drops = self.timeouts = self.returns = 0

    def goes(self, ending: SeatEnding, now: float) -> None:
        """Note that the owner plays no more from ``now`` on (seconds since 1970), or has not for a while."""
        if self.player is not None and not self.is_lent:
            since = round(now) if self.gone is None else self.gone.since
            self.gone = Gone(ending=ending, since=since, player=self.player.id, kind=self.player.kind)

    def stop_grace(self) -> None:
        """Let no grace run out any more."""
        if self.grace is not None:
            self.grace.cancel()
            self.grace = None


class Seating:
    """The chairs of a table by seat; None where nobody sits.

    ``names`` are in seat order, empty where nobody sits. Who sits where is asked far more often than it changes, so
    the answers are kept.
    """

    __slots__ = ("_taken", "chairs", "names")

    def __init__(self, chairs: Sequence[Chair | None]) -> None:
        self._arrange(chairs)

    def __iter__(self) -> Iterator[tuple[Seat, Chair]]:
        return iter(self._taken)

    def __len__(self) -> int:
        return len(self._taken)

    @property
    def is_full(self) -> bool:
        """Whether no chair is free."""
        return None not in self.chairs

    @property
    def has_humans(self) -> bool:
        """Whether a chair belongs to a human, present or away."""
        return any([chair.player is not None for _, chair in self._taken])

    @property
    def absent(self) -> list[str]:
        """The names of those who have a seat and are away."""
        return [chair.name for _, chair in self._taken if not chair.present]

    @property
    def humans(self) -> list[tuple[Seat, Chair]]:
        """The chairs that belong to a human, present or away."""
        return [(seat, chair) for seat, chair in self if chair.player is not None]

    @property
    def owners(self) -> list[Player]:
        """All who have a seat here: who plays it, and whom a lent one is kept for."""
        owners = [owner for _, chair in self._taken for owner in (chair.player, chair.kept_for)]
        return [owner for owner in owners if owner is not None]

    def at(self, seat: Seat) -> Chair | None:
        """Return the chair at a seat, None where nobody sits or there is no such seat."""
        return self.chairs[seat] if seat < len(self.chairs) else None

    def of(self, player: Player) -> Seat | None:
        """Return a player's seat."""
        for seat, chair in self._taken:
            if chair.player is player or chair.kept_for is player:
                return seat
        return None

    def place(self, chair: Chair) -> Seat | None:
        """Return the seat of a chair, None once it is gone."""
        return next((seat for seat, other in self if other is chair), None)

    def take(self, chair: Chair) -> Seat:
        """Put a chair at the first free seat."""
        seat = Seat(self.chairs.index(None))
        self._arrange((*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))
        return seat

    def vacate(self, seat: Seat) -> None:
        """Free a seat before the match."""
        self._arrange((*self.chairs[:seat], None, *self.chairs[seat + 1 :]))

    def close_ranks(self) -> None:
        """Remove the empty chairs, as the match starts (X17)."""
        self._arrange([chair for chair in self.chairs if chair is not None])

    def _arrange(self, chairs: Sequence[Chair | None]) -> None:
        self.chairs = tuple(chairs)
        self._taken = tuple([(Seat(seat), chair) for seat, chair in enumerate(chairs) if chair is not None])
        self.names = tuple(["" if chair is None else chair.name for chair in chairs])


def bot_chair(seating: Seating, level: str) -> Chair:
    """Return a chair with a bot, under a name that nobody else here has."""
    taken = set(seating.names)
    name = next(
        candidate
        for number in range(1, MAX_SEATS + 2)
        if (candidate := f"{level}-bot" if number == 1 else f"{level}-bot-{number}") not in taken
    )
    return Chair(name=name, kind=ChairKind.BOT, level=level)
