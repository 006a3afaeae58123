"""What a table's host may do (remove others, or make one of them the host), and who becomes the next host.

Invariants: a table has a host as long as a human has a seat; no player can lose a seat to another during a match, since
a lent seat (``lending``) is returned to its owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.notation import parse_seat
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.presence import Cause, HostChanged
from golfnet.protocol.replies.replies import Notice
from golfnet.server.clock import NO_TIMER
from golfnet.server.table.gallery import ban

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.layout import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair


def need_host(table: TableContext, player: Player) -> None:
    """Raise ``Refused`` unless the player is the host."""
    table.seat_of(player)
    if player is not table.host:
        name = table.host.name if table.host is not None else "nobody"
        raise Refused(Code.NOT_HOST, f"Only the host can do that. The host of {table.id} is {name}.")


def kick(
    table: TableContext,
    host: Player,
    whom: str,
    *,
    vacate: Callable[[Seat, Cause], None],
    unwatch: Callable[[Player], None],
) -> None:
    """Remove a player or watcher (seat letter or name) and ban them for a while, or raise ``Refused``.

    ``vacate`` frees a seat, ``unwatch`` removes a watcher. No seat can be freed during a match: clocks deal with
    players who stall.
    """
    seat = _seat_named(table, whom)
    chair = None if seat is None else table.seating.at(seat)
    watcher = _watcher_named(table, whom)
    if seat is None or chair is None:
        if watcher is None:
            raise Refused(
                Code.BAD_ARGUMENT,
                "Kick whom? Type kick and a seat letter, or the name of someone who is playing or watching here.",
            )
        ban(table, watcher)
        unwatch(watcher)
    elif chair.player is host:
        raise Refused(Code.BAD_ARGUMENT, "That is your own seat. To give it up, type: leave")
    elif table.is_running:
        raise Refused(
            Code.BAD_PHASE,
            "Nobody can be removed from a seat during a match. When a player's time runs out, the safest "
            "choice is made, and after the third time a bot takes over. To learn more, type: help clock",
        )
    else:
        if chair.player is not None and chair.session is not None:  # absent players have done nothing wrong
            ban(table, chair.player)
        vacate(seat, Cause.KICKED)


def hand_over(table: TableContext, whom: str) -> None:
    """Make a human (seat letter or name) the host, or raise ``Refused``."""
    seat = _seat_named(table, whom)
    chair = None if seat is None else table.seating.at(seat)
    if seat is None or chair is None or chair.player is None:
        raise Refused(
            Code.BAD_ARGUMENT,
            "Who should be the host? Type host and the seat letter or the name of another player at your table.",
        )
    _make_host(table, seat, chair)


def find_host(table: TableContext) -> None:
    """Make the first human who is present the host, or if none is, the first human: the old host is gone."""
    table.host = None
    humans = table.seating.humans
    heir = next((pair for pair in humans if pair[1].present), humans[0] if humans else None)
    if heir is not None:
        _make_host(table, *heir)


def ensure_seated_host(table: TableContext) -> None:
    """Choose a new host if the old one no longer has a seat."""
    if table.host is None or table.seating.of(table.host) is None:
        find_host(table)


def _make_host(table: TableContext, seat: Seat, chair: Chair) -> None:
    table.host = chair.player
    table.emit(HostChanged(seat=seat, player=chair.name))


def _seat_named(table: TableContext, whom: str) -> Seat | None:
    """Return a taken seat by its letter or its player's name, or None if there is none."""
    try:
        seat = parse_seat(whom)
    except ValueError:
        pass
    else:
        if table.seating.at(seat) is not None:
            return seat
    wanted = skeleton(whom)
    return next((seat for seat, chair in table.seating if skeleton(chair.name) == wanted), None)


def _watcher_named(table: TableContext, whom: str) -> Player | None:
    wanted = skeleton(whom)
    return next((player for player in table.watchers.values() if skeleton(player.name) == wanted), None)


HOST_WAITED_FOR: Final = 10
"""Seconds after which a disconnected host is replaced."""


class Succession:
    """Replaces a table's host if they are away for too long."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._timer = NO_TIMER

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

    def stop(self) -> None:
        """Cancel the timer; ``update`` sets it again."""
        self._timer.cancel()

    def _hand_on(self) -> None:
        find_host(self._table)
        self._table.settle()
