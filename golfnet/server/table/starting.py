"""How a match or a hole comes to begin: who is ready, what the host says, and a rematch.

Nothing begins here: what was said is noted, and the table's clocks see when it is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import ReadySaid
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.table import broadcast as telling
from golfnet.server.table.hosts import need_host

if TYPE_CHECKING:
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table


def ready(table: Table, player: Player) -> None:
    """Note that the player is ready: for the start, for the next deal, or to play again for itself in a hole.

    Raises ``Refused``.
    """
    is_back = table.attendance.take_up(player)
    if table.state in (State.OPEN, State.BETWEEN) and not table.sealing.is_closed:
        _say_ready(table, player)
    elif not is_back:
        what = (
            "the hole is in play"
            if table.hole is not None
            else "it is dealt as soon as the sealed texts are told"
        )
        raise Refused(Code.BAD_PHASE, f"There is nothing to be ready for: {what}.")
    table.settle()


def start(table: Table, player: Player) -> str | None:
    """Start at the host's word, at once or when all present are ready; return what is still missing."""
    need_host(table, player)
    if table.state is not State.OPEN:
        raise Refused(Code.BAD_PHASE, "The match has started.")
    needed, there = table.rules.seats.low, len(table.seating)
    if there < needed:
        raise Refused(
            Code.BAD_PHASE, f"{table.rules.name} needs {needed} seats taken; {table.id} has {there}."
        )
    table.host_said_start = True
    _say_ready(table, player)
    missing = [chair.name for _, chair in table.seating if chair.is_waited_for and not chair.ready]
    table.settle()
    if table.is_running or not missing:
        return None
    return f"The match starts when {', '.join(missing)} said ready."


def rematch(table: Table, player: Player) -> None:
    """Open a new match between those who are still here; a later ``rematch`` says ready. Raises ``Refused``."""
    table.seat_of(player)
    if table.state is State.FINISHED:
        table.seating = table.attendance.new_seating()
        table.new_match()
        telling.look_all(table)
        table.is_rematch = True
    elif table.state is not State.OPEN:
        raise Refused(Code.BAD_PHASE, "The match is not over; a rematch comes after it.")
    ready(table, player)


def _say_ready(table: Table, player: Player) -> None:
    seat = table.seat_of(player)
    chair = table.seating.chairs[seat]
    if chair is not None and not chair.ready:
        chair.ready = True
        table.emit(ReadySaid(seat=seat, player=chair.name))
