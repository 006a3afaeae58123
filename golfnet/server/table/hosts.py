"""Who the host of a table is, and lending the seat of an absent owner.

Invariants: a table has a host as long as a human has a seat; no player can lose a seat to another during a match, since
a lent seat is returned to its owner.

A guest who reconnects from elsewhere without their token is a stranger to the server, but not to their friends. So the
host, or another player while the host is away, can give them the seat. Nobody is seated without ``join``; an owner who
returns gets the seat back at once; ratings do not depend on lending, since the match counts for the owner as if the
house had played on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.notation import parse_seat, seat_letter
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.presence import HostChanged, Returned
from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.context import Part
from golfnet.server.table.gallery import is_welcome
from golfnet.server.table.seating import ChairKind, SeatOffer

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair


def need_host(table: TableContext, player: Player) -> None:
    """Raise ``Refused`` unless the player is the host."""
    table.chair_of(player)
    if player is not table.host:
        name = table.host.name if table.host is not None else "nobody"
        raise Refused(Code.NOT_HOST, f"Only the host can do that. The host of {table.id} is {name}.")


def hand_over(table: TableContext, whom: str) -> None:
    """Make a human (seat letter or name) the host, or raise ``Refused``."""
    chair = chair_named(table, whom)
    if chair is None or chair.player is None:
        raise Refused(
            Code.BAD_ARGUMENT,
            "Who should be the host? Type host and the seat letter or the name of another player at your table.",
        )
    _make_host(table, chair)


def find_host(table: TableContext) -> None:
    """Replace a host who is gone: the first human who is present, or else the first human, becomes the host."""
    table.host = None
    humans = table.seating.humans
    heir = next((chair for chair in humans if chair.present), humans[0] if humans else None)
    if heir is not None:
        _make_host(table, heir)


def ensure_seated_host(table: TableContext) -> None:
    """Choose a new host if the old one no longer has a seat."""
    if table.host is None or table.seating.of(table.host) is None:
        find_host(table)


def _make_host(table: TableContext, chair: Chair) -> None:
    table.host = chair.player
    table.emit(HostChanged(seat=chair.seat, player=chair.name))


def chair_named(table: TableContext, whom: str) -> Chair | None:
    """Return a chair by its seat letter or its player's name, or None if there is none."""
    try:
        chair = table.seating.at(parse_seat(whom))
    except ValueError:
        chair = None
    wanted = skeleton(whom)
    return chair or next((chair for _, chair in table.seating if skeleton(chair.name) == wanted), None)


def watcher_named(table: TableContext, whom: str) -> Player | None:
    """Return a watcher by name, or None if there is none."""
    wanted = skeleton(whom)
    return next((player for player in table.watchers.values() if skeleton(player.name) == wanted), None)


HOST_WAITED_FOR: Final = 10
"""Seconds after which a disconnected host is replaced."""


class Succession(Part):
    """Replaces a table's host if they are away for too long."""

    def update(self) -> None:
        """Set or cancel the timer, depending on whether the host is away."""
        table = self._table
        is_missed = not table.is_running and table.host is not None and table.host.session is None
        if not (is_missed and any(chair.is_waited_for for _, chair in table.seating)):
            self.stop()
        elif not self._timer.is_set and table.host is not None:
            self._timer = table.after(HOST_WAITED_FOR, self._hand_on)
            text = (
                f"The host, {table.host.name}, is away. If {table.host.name} is not back in {HOST_WAITED_FOR} seconds, "
                "somebody else will become the host."
            )
            table.notify(Notice(code="HOST_AWAY", text=text, ms=HOST_WAITED_FOR * 1000, table=table.id))

    def _hand_on(self) -> None:
        find_host(self._table)
        self._table.settle()


OFFER_SECONDS: Final = 120
"""For how many seconds an offered seat can be taken."""


def offer_seat(table: TableContext, host: Player, seat: Seat, player: Player) -> None:
    """Offer a player the seat of an owner who is away, or raise ``Refused``."""
    chair = table.seating.at(seat)
    letter = seat_letter(seat)
    if chair is None or not table.is_running:
        raise Refused(
            Code.BAD_PHASE,
            f"You can lend a seat only during a match. Until it begins, {player.name} can type: join {table.id}",
        )
    if chair.kind is ChairKind.BOT or chair.session is not None:
        raise Refused(Code.BAD_ARGUMENT, f"{chair.name} is in seat {letter} and is not away.")
    if player.session is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"{player.name} is not here. To see everybody, type: who")
    if player.table is not None:
        raise Refused(Code.ALREADY_SEATED, f"{player.name} is already playing at {player.table.id}.")
    if not is_welcome(table, player):
        raise Refused(
            Code.NOT_AVAILABLE,
            f"{player.name} and somebody at {table.id} do not share tables, because one of them asked for that.",
        )
    chair.offer = SeatOffer(player=player.id, until=trio.current_time() + OFFER_SECONDS)
    if not player.has_muted(host.name):
        text = (
            f"{host.name} lets you play seat {letter} for {chair.name}, who is away. "
            f"To sit down, type: join {table.id}"
        )
        player.session.send(Notice(code="SEAT_OFFERED", text=text, table=table.id))


def offered(table: TableContext, player: Player) -> Chair | None:
    """Return the chair in the running match that has been offered to a player, if any."""
    now = trio.current_time()
    for _, chair in table.seating if table.is_running else ():
        given = chair.offer
        if given is not None and given.player == player.id and now <= given.until and chair.session is None:
            return chair
    return None


def helper(table: TableContext) -> Player | None:
    """Return the player who can lend a seat now: the host or, if they are absent, the first player who is present."""
    host = table.host
    if host is not None and host.session is not None:
        return host
    return next((chair.player for _, chair in table.seating if chair.session is not None), None)


def need_helper(table: TableContext, player: Player) -> None:
    """Raise ``Refused`` unless the player may lend a seat: the host, or any player while the host is away."""
    if table.host is None or table.host.session is not None:
        need_host(table, player)


def way_back(table: TableContext, player: Player) -> str:
    """Return how ``player`` can get back a seat that they had under another name; empty if nobody is away."""
    who, away = helper(table), _away(table)
    if who is None or not away:
        return ""
    is_away = "who is away" if len(away) == 1 else "who are away"
    return f"If you are {_either(away)}, {is_away}, ask {who.name} to type {_commands(away, player)}, then join again."


def way_in(table: TableContext, player: Player) -> str:
    """Return what to type to give ``player`` a seat that they had under another name; empty if nobody is away."""
    away = _away(table)
    return f"If that is {_either(away)}, type: {_commands(away, player)}" if away else ""


_NAMED: Final = 3
"""Maximum number of absent players named in a sentence."""


def _away(table: TableContext) -> list[Chair]:
    chairs = table.seating.humans if table.is_running else []
    return [chair for chair in chairs if chair.session is None][:_NAMED]


def _either(away: list[Chair]) -> str:
    return " or ".join([chair.name for chair in away])


def _commands(away: list[Chair], player: Player) -> str:
    return " or ".join([f"seat {seat_letter(chair.seat)} {player.name}" for chair in away])


def give_back(chair: Chair) -> Player | None:
    """Give a lent seat back to its owner; return the player who had it until now, or None if it was not lent."""
    owner, player = chair.kept_for, chair.player
    if owner is None:
        return None
    chair.player, chair.kept_for, chair.is_lent = owner, None, False
    chair.prompted, chair.is_away = None, True
    if player is not None:
        player.table = None
    return player


def lend(table: TableContext, chair: Chair, player: Player) -> None:
    """Seat a player in a chair whose owner is away."""
    previous = chair.player
    if not chair.is_lent:
        chair.mark_gone(table.services.wall_clock())
        chair.kept_for = previous
    elif previous is not None:
        previous.table = None
    chair.stop_grace()
    chair.player, chair.offer, chair.is_lent = player, None, True
    chair.kind, chair.bot, chair.prompted = ChairKind.HUMAN, None, None
    chair.is_away = chair.is_excused = False
    chair.timeouts = chair.returns = 0
    player.table, player.has_sat = table, True
    table.emit(Returned(seat=chair.seat, player=player.name), but=chair.seat)
