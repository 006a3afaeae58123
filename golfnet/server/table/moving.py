"""A table on its way to another node: what goes with it beside its row and its events.

What stays true: nobody loses time on a clock, or gets more; who was there is no dropped player, only on the way, and
who was away is waited for no longer than before. Every field has a default and unknown ones are ignored, so that two
versions understand each other. Times are seconds that are left, since clocks of two machines have nothing to do with
each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import trio
from msgspec import Struct

from golfnet.engine.layout import Seat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from golfnet.server.table.context import TableContext
    from golfnet.server.table.parts import Parts
    from golfnet.server.table.seating import Chair


class MovingChair(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A chair whose owner is human; ``grace`` is how long it is kept for who is away, None for no longer."""

    seat: int
    is_away: bool = False
    is_excused: bool = False
    grace: float | None = None
    timeouts: int = 0
    returns: int = 0


class MovingTable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table that is given away; ``clock`` is what the running turn clock has left, 0 where none runs."""

    clock: float = 0.0
    chairs: tuple[MovingChair, ...] = ()
    banned: dict[str, float] = {}
    invited: dict[str, float] = {}
    watchers: dict[str, str] = {}
    """The names of those who were said to watch, by id."""
    waiting: tuple[str, ...] = ()
    """Who waits for a seat, by id, in order."""


def snapshot(table: TableContext, parts: Parts) -> bytes:
    """Return what has to go with a table, as JSON."""
    now = trio.current_time()
    return msgspec.json.encode(
        MovingTable(
            clock=parts.clocks.rest,
            chairs=tuple([_chair(seat, chair) for seat, chair in table.seating.humans]),
            banned=_left(table.banned, now),
            invited=_left(table.invited, now),
            watchers=parts.gallery.told,
            waiting=parts.waiting.ids,
        )
    )


def resume(table: TableContext, parts: Parts, moving: bytes) -> None:
    """Let a restored table be as it was when it was given away, and wait for those who were there.

    Raise ``ValueError`` for what cannot be read.
    """
    state = _DECODER.decode(moving)
    now = trio.current_time()
    table.banned = {player: now + seconds for player, seconds in state.banned.items()}
    table.invited = {player: now + seconds for player, seconds in state.invited.items()}
    parts.gallery.told = dict(state.watchers)
    parts.waiting.expect(state.waiting)
    parts.clocks.rest = state.clock
    on_their_way = set()
    for moved in state.chairs:
        chair = table.seating.at(Seat(moved.seat))
        if chair is None or chair.player is None:
            continue
        chair.timeouts, chair.returns = moved.timeouts, moved.returns
        chair.is_away, chair.is_excused = moved.is_away, moved.is_excused
        if moved.grace is not None:
            parts.membership.keep(chair, moved.grace)
        if not moved.is_away:
            on_their_way.add(chair.player.id)
    parts.arrivals.expect(on_their_way)


def _left(until: Mapping[str, float], now: float) -> dict[str, float]:
    """Return what is left of times that are not over."""
    return {player: then - now for player, then in until.items() if then > now}


def _chair(seat: Seat, chair: Chair) -> MovingChair:
    return MovingChair(
        seat=seat,
        is_away=chair.is_away,
        is_excused=chair.is_excused,
        grace=None if chair.grace is None else chair.grace.remaining_ms / 1000,
        timeouts=chair.timeouts,
        returns=chair.returns,
    )


_DECODER: Final = msgspec.json.Decoder(MovingTable)
