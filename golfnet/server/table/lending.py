"""Seats that are lent: who plays for an owner who is away, at the host's word, and how the owner gets the seat back.

A guest who comes back without its token, from somewhere else, is a stranger to the server, but not to its friends: the
host lets it play the seat, or somebody else who plays while the host is away. What stays true: nobody is seated who has
not said ``join``; nobody loses a seat by it, for an owner who returns has the seat at once; and nobody gains or loses a
place in a ladder by it, for the match counts for the owner as if the house had played on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.notation import seat_letter
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Returned
from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.gallery import is_welcome
from golfnet.server.table.hosts import need_host
from golfnet.server.table.seating import ChairKind, SeatOffer
from golfnet.storage.writes import SeatEnding

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair

OFFER_SECONDS: Final = 120
"""How long somebody may think about it."""


def offer(table: TableContext, host: Player, seat: Seat, player: Player) -> None:
    """Let a player take the seat of somebody who is away, if it wants to; raises ``Refused``."""
    chair = table.seating.at(seat)
    letter = seat_letter(seat)
    if chair is None or not table.is_running:
        raise Refused(
            Code.BAD_PHASE,
            f"You can lend a seat only during a match. Until it begins, {player.name} can type: join {table.id}",
        )
    if chair.kind is ChairKind.BOT or chair.session is not None:
        raise Refused(Code.BAD_ARGUMENT, f"{chair.name} is in seat {letter} and not away.")
    if player.session is None:
        raise Refused(Code.NO_SUCH_PLAYER, f"{player.name} is not here. To see everybody, type: who")
    if player.table is not None:
        raise Refused(Code.ALREADY_SEATED, f"{player.name} is already playing at {player.table.id}.")
    if not is_welcome(table, player):
        raise Refused(
            Code.NOT_AVAILABLE,
            f"{player.name} or somebody at {table.id} has chosen not to play with the other.",
        )
    chair.offer = SeatOffer(player=player.id, until=trio.current_time() + OFFER_SECONDS)
    if not player.has_muted(host.name):
        text = (
            f"{host.name} lets you play seat {letter} for {chair.name}, who is away. "
            f"To sit down, type: join {table.id}"
        )
        player.session.send(Notice(code="SEAT_OFFERED", text=text, table=table.id))


def offered(table: TableContext, player: Player) -> tuple[Seat, Chair] | None:
    """Return the seat of the match in play that was offered to a player, None where there is none."""
    now = trio.current_time()
    for seat, chair in table.seating if table.is_running else ():
        given = chair.offer
        if given is not None and given.player == player.id and now <= given.until and chair.session is None:
            return seat, chair
    return None


def take(table: TableContext, player: Player) -> bool:
    """Seat a player to whom a seat of the match in play was offered; return whether there was one."""
    if (found := offered(table, player)) is None:
        return False
    _lend(table, *found, player)
    return True


def helper(table: TableContext) -> Player | None:
    """Return who can lend a seat now: the host, and while that one is away the first player who is here."""
    host = table.host
    if host is not None and host.session is not None:
        return host
    return next((chair.player for _, chair in table.seating if chair.session is not None), None)


def need_helper(table: TableContext, player: Player) -> None:
    """Raise ``Refused`` unless the player may lend a seat: anybody who plays may, while the host is away."""
    if table.host is None or table.host.session is not None:
        need_host(table, player)


def way_back(table: TableContext, player: Player) -> str:
    """Return how somebody who lost a seat here, and has another name now, gets it back; empty where nobody is away."""
    who, away = helper(table), _away(table)
    if who is None or not away:
        return ""
    is_away = "who is away" if len(away) == 1 else "who are away"
    return f"If you are {_either(away)}, {is_away}, ask {who.name} to type {_commands(away, player)}, then join again."


def way_in(table: TableContext, player: Player) -> str:
    """Return what somebody who plays types where a player is one who lost a seat; empty where nobody is away."""
    away = _away(table)
    return f"If that is {_either(away)}, type: {_commands(away, player)}" if away else ""


_NAMED: Final = 3
"""Seats that are named where several players are away."""


def _away(table: TableContext) -> list[tuple[Seat, Chair]]:
    """Return the seats of the match in play whose owners are away."""
    chairs = table.seating.humans if table.is_running else []
    return [each for each in chairs if each[1].session is None][:_NAMED]


def _either(away: list[tuple[Seat, Chair]]) -> str:
    return " or ".join([chair.name for _, chair in away])


def _commands(away: list[tuple[Seat, Chair]], player: Player) -> str:
    return " or ".join([f"seat {seat_letter(seat)} {player.name}" for seat, _ in away])


def give_back(chair: Chair) -> Player | None:
    """Give a lent seat back to its owner; return who played it until now, None where it was not lent."""
    owner, player = chair.kept_for, chair.player
    if owner is None:
        return None
    chair.player, chair.kept_for, chair.is_lent = owner, None, False
    chair.prompted, chair.is_away = None, True
    if player is not None:
        player.table = None
    return player


def _lend(table: TableContext, seat: Seat, chair: Chair, player: Player) -> None:
    previous = chair.player
    if not chair.is_lent:
        ending = SeatEnding.EXCUSED if chair.is_excused else SeatEnding.ABSENT
        chair.goes(ending, table.services.wall_clock())
        chair.kept_for = previous
    elif previous is not None:
        previous.table = None
    chair.stop_grace()
    chair.player, chair.offer, chair.is_lent = player, None, True
    chair.kind, chair.bot, chair.prompted = ChairKind.HUMAN, None, None
    chair.is_away = chair.is_excused = False
    chair.timeouts = chair.returns = 0
    player.table, player.has_sat = table, True
    table.emit(Returned(seat=seat, player=player.name), but=seat)
