"""What depends on a table's host: who may sit or watch there, who the host is, and lending an absent owner's seat.

Invariants: a table has a host as long as a human has a seat; no player can lose a seat to another during a match, since
a lent seat is returned to its owner.

A guest who reconnects from elsewhere without their token is a stranger to the server, but not to their friends. So the
host, or another player while the host is away, can give them the seat. Nobody is seated without ``join``; an owner who
returns gets the seat back at once; ratings do not depend on lending, since the match counts for the owner as if the
house had played on.
"""

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.cards import Seat, parse_seat, seat_letter
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.presence import HostChanged, TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.session.player import Player
from golfnet.server.table import Part
from golfnet.server.table.seating import Chair, ChairKind

if TYPE_CHECKING:
    from golfnet.server.table.table import Table

BAN_SECONDS: Final = 300
"""How many seconds a player removed by the host has to stay away."""

INVITED_SECONDS: Final = 300
"""How many seconds an invitation is valid; only after that may the inviter invite the same player again."""

_INVITED_AT_ONCE: Final = 100
"""Maximum number of invitations a table keeps; a further one replaces the oldest."""

HOST_WAITED_FOR: Final = 10
"""Seconds after which a disconnected host is replaced."""

OFFER_SECONDS: Final = 120
"""For how many seconds an offered seat can be taken."""

_NAMED: Final = 3
"""Maximum number of absent players named in a sentence."""


class Hosts(Part):
    """Chooses the host of one table, lets players in, and lends seats."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self._banned: dict[str, float] = {}
        """By player id, the time on trio's clock at which a player whom the host has removed may come back."""
        self._invited: dict[str, float] = {}
        """By player id, the time on trio's clock until which an invited player needs no password."""
        self.offers: dict[Seat, tuple[str, float]] = {}
        """By seat, the id of the player who may take an absent owner's seat, and until when on trio's clock."""

    # --- who may come

    def invite(self, inviter: Player, player: str, name: str) -> bool:
        """Let a player (id and ``name``) in without the password for a while, or raise ``Refused`` if they cannot come.

        Return False if somebody with a seat avoids the player.
        """
        table = self._table
        if player in table.seated:
            raise Refused(Code.ALREADY_SEATED, f"{name} is already at {table.id}.")
        if table.state is TableState.OPEN and table.seating.is_full:
            bots = [chair.name for chair in table.seating if chair.kind is ChairKind.BOT]
            way = (
                f"To free one, type: kick {bots[0]}"
                if bots and inviter is table.host
                else f"To wait in line, {name} can type: join {table.id}"
            )
            raise Refused(
                Code.TABLE_FULL, f"All {len(table.seating.chairs)} seats at {table.id} are taken. {way}"
            )
        if inviter is table.host:
            self._banned.pop(player, None)
        elif seconds := self._seconds_banned(player):
            why = f"The host of {table.id} has removed {name}, who can come back in {in_words(round(seconds * 1000))}."
            raise Refused(Code.NOT_AVAILABLE, why)
        others = [each for each in self._invited.items() if each[0] != player][1 - _INVITED_AT_ONCE :]
        self._invited = dict([*others, (player, trio.current_time() + INVITED_SECONDS)])
        return not self._is_avoided(name)

    def admit_to_seat(self, player: Player, password: str) -> None:
        """Raise ``Refused`` for a wrong password, a banned player, or one who avoids someone here or is avoided."""
        if self._invited.get(player.id, 0.0) <= trio.current_time():
            self._need_password(player, "join", password)
        self._need_no_ban(player)
        if self._avoid_each_other(player):
            raise Refused(
                Code.NOT_AVAILABLE,
                f"You and somebody at {self._table.id} do not share tables, because one of you asked for that.",
            )

    def admit_to_watch(self, player: Player, password: str) -> None:
        """Raise ``Refused`` if the password is wrong, the player is banned, or someone with a seat avoids them."""
        self._need_password(player, "watch", password)
        self._need_no_ban(player)
        if self._is_avoided(player.name):
            why = f"Somebody at {self._table.id} has chosen not to share a table with you."
            raise Refused(Code.NOT_AVAILABLE, why)

    def is_welcome(self, player: Player) -> bool:
        """Return whether the player is not banned, and neither avoids anyone with a seat nor is avoided by them."""
        return not (self._seconds_banned(player.id) or self._avoid_each_other(player))

    def ban(self, player: Player) -> None:
        """For a while, keep the player from sitting down or watching."""
        now = trio.current_time()
        self._banned = {one: until for one, until in self._banned.items() if until > now}
        self._banned[player.id] = now + BAN_SECONDS

    def _is_avoided(self, name: str) -> bool:
        return any([owner.has_avoided(name) for owner in self._table.seating.players])

    def _avoid_each_other(self, player: Player) -> bool:
        others = self._table.seating.players
        return self._is_avoided(player.name) or any([player.has_avoided(other.name) for other in others])

    def _seconds_banned(self, player: str) -> float:
        return max(0.0, self._banned.get(player, 0.0) - trio.current_time())

    def _need_no_ban(self, player: Player) -> None:
        if seconds := self._seconds_banned(player.id):
            back = f"You can come back in {in_words(round(seconds * 1000))}."
            raise Refused(Code.NOT_AVAILABLE, f"The host of {self._table.id} has removed you. {back}")

    def _need_password(self, player: Player, verb: str, password: str) -> None:
        table, session = self._table, player.session
        lock, address = table.setup.lock, "" if session is None else session.transport.address
        if lock is not None and not (password and lock.opens(password, address, trio.current_time())):
            why = f"That is not the password of {table.id}" if password else f"{table.id} is private"
            raise Refused(Code.WRONG_PASSWORD, f"{why}. Type: {verb} {table.id} password=WORD")

    # --- who the host is

    def need_host(self, player: Player) -> None:
        """Raise ``Refused`` unless the player is the host."""
        table = self._table
        table.chair_of(player)
        if player is not table.host:
            name = table.host.name if table.host is not None else "nobody"
            raise Refused(Code.NOT_HOST, f"Only the host can do that. The host of {table.id} is {name}.")

    def hand_over(self, whom: str) -> None:
        """Make a human (seat letter or name) the host, or raise ``Refused``."""
        chair = self.chair_named(whom)
        if chair is None or chair.player is None:
            raise Refused(
                Code.BAD_ARGUMENT,
                "Who should be the host? Type host and the seat letter or the name of another player at your table.",
            )
        self._make_host(chair)
        self._table.settle()

    def update(self) -> None:
        """Set the timer for another host if the host is away and somebody else is here; else cancel it."""
        table, host = self._table, self._table.host
        is_missed = not table.is_running and host is not None and host.session is None
        if not (is_missed and any(chair.is_waited_for for chair in table.seating)):
            self.stop()
        elif not self._timer.is_set and host is not None:
            self._timer = table.after(HOST_WAITED_FOR, self._find_host)
            text = (
                f"The host, {host.name}, is away. If {host.name} is not back in {HOST_WAITED_FOR} seconds, "
                "somebody else will become the host."
            )
            table.notify(Notice(code="HOST_AWAY", text=text, ms=HOST_WAITED_FOR * 1000, table=table.id))

    def ensure_seated_host(self) -> None:
        """Choose a new host if the old one no longer has a seat."""
        host = self._table.host
        if host is None or self._table.seating.of(host) is None:
            self._find_host()

    def _find_host(self) -> None:
        """Replace a host who is gone: the first human who is present, or else the first human, becomes the host."""
        self._table.host = None
        humans = sorted(self._table.seating.humans, key=lambda chair: not chair.present)
        if humans:
            self._make_host(humans[0])

    def _make_host(self, chair: Chair) -> None:
        self._table.host = chair.player
        self._table.emit(HostChanged(seat=chair.seat, player=chair.name))

    def chair_named(self, whom: str) -> Chair | None:
        """Return a chair by its seat letter or its player's name, or None if there is none."""
        seating, wanted = self._table.seating, skeleton(whom)
        try:
            chair = seating.at(parse_seat(whom))
        except ValueError:
            chair = None
        return chair or next((chair for chair in seating if skeleton(chair.name) == wanted), None)

    # --- lending a seat

    def offer_seat(self, host: Player, seat: Seat, player: Player) -> None:
        """Offer a connected player the seat of an owner who is away, or raise ``Refused``.

        The host may do this, or any player while the host is away.
        """
        table = self._table
        if table.host is None or table.host.session is not None:
            self.need_host(host)
        chair = table.seating.at(seat)
        letter = seat_letter(seat)
        if chair is None or not table.is_running:
            raise Refused(
                Code.BAD_PHASE,
                f"You can lend a seat only during a match. Until it begins, {player.name} can type: join {table.id}",
            )
        if chair.kind is ChairKind.BOT or chair.session is not None:
            raise Refused(Code.BAD_ARGUMENT, f"{chair.name} is in seat {letter} and is not away.")
        if player.table is not None:
            raise Refused(Code.ALREADY_SEATED, f"{player.name} is already playing at {player.table.id}.")
        if not self.is_welcome(player):
            raise Refused(
                Code.NOT_AVAILABLE,
                f"{player.name} and somebody at {table.id} do not share tables, because one of them asked for that.",
            )
        self.offers[seat] = player.id, trio.current_time() + OFFER_SECONDS
        if not player.has_muted(host.name):
            text = (
                f"{host.name} lets you play seat {letter} for {chair.name}, who is away. "
                f"To sit down, type: join {table.id}"
            )
            table.send(player, Notice(code="SEAT_OFFERED", text=text, table=table.id))

    def offered_seat(self, player: Player) -> Chair | None:
        """Return the chair in the running match that has been offered to a player, if any."""
        offers, now = self.offers.items() if self._table.is_running else (), trio.current_time()
        seats = [seat for seat, (wanted, until) in offers if wanted == player.id and now <= until]
        chairs = [self._table.seating.chair(seat) for seat in seats]
        return next((chair for chair in chairs if chair.session is None), None)

    def lend(self, chair: Chair, player: Player) -> None:
        """Seat a player in a chair whose owner is away."""
        table, previous = self._table, chair.player
        if not chair.is_lent:
            chair.mark_gone(table.lobby.wall_clock())
            chair.kept_for = previous
        elif previous is not None:
            previous.table = None
        chair.grace.cancel()
        chair.player, chair.is_lent, chair.prompted = player, True, None
        chair.timeouts = chair.returns = 0
        self.offers.pop(chair.seat, None)
        player.table, player.has_sat = table, True
        table.membership.restore_owner(chair, but=chair.seat)

    @property
    def helper(self) -> Player | None:
        """The player who can lend a seat now: the host or, if they are absent, the first player who is present."""
        people = [self._table.host, *self._table.seating.players]
        return next((one for one in people if one is not None and one.session is not None), None)

    def way_back(self, player: Player) -> str:
        """Return how ``player`` can get back a seat that they had under another name; empty if nobody is away."""
        who, (names, commands) = self.helper, self._away(player)
        if who is None or not names:
            return ""
        is_away = "who is away" if len(names) == 1 else "who are away"
        return (
            f"If you are {' or '.join(names)}, {is_away}, ask {who.name} to type {commands}, then join again."
        )

    def way_in(self, player: Player) -> str:
        """Return what to type to give ``player`` a seat that they had under another name; empty if nobody is away."""
        names, commands = self._away(player)
        return f"If that is {' or '.join(names)}, type: {commands}" if names else ""

    def _away(self, player: Player) -> tuple[list[str], str]:
        """Return the names of absent players, and the commands that lend one of their seats to ``player``."""
        chairs = self._table.seating.humans if self._table.is_running else []
        away = [chair for chair in chairs if chair.session is None][:_NAMED]
        commands = [f"seat {seat_letter(chair.seat)} {player.name}" for chair in away]
        return [chair.name for chair in away], " or ".join(commands)
