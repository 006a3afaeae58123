"""What everybody at a table is told: each what it may see, in one order, never more.

Events reach a viewer masked for it; the forms that are equal are one value, encoded once. Nothing here changes the
table, and nothing is sent before the journal has what it tells of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.events import EVENTS, INTERNAL, HoleEnded, TurnBegan
from golfnet.engine.legality import choices
from golfnet.engine.views import mask, owner
from golfnet.protocol.replies.replies import Burst, Chat, Happened
from golfnet.server.table.tableview import offers, prompt_for, view_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.engine.events import Event
    from golfnet.engine.layout import Seat
    from golfnet.protocol.replies.presence import TableEvent
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table


def show(
    table: Table,
    first: int,
    events: Sequence[Event | TableEvent],
    bodies: Sequence[bytes],
    but: Seat | None = None,
) -> None:
    """Show the events of one step to all seats, bots and watchers.

    ``first`` is the number of the first, ``bodies`` are their log bodies. The seat ``but`` is not told, for it gets
    the whole view.
    """
    public = _burst(table, first, events, bodies, None)
    ticket = table.ticket
    knowing = {
        owner(event)  # type: ignore[arg-type]
        for event, told in zip(events, public.events, strict=True)
        if told.event is not event
    }
    for seat, chair in table.seating:
        if chair.bot is not None:
            for event in events:
                if _is_play(event):
                    chair.bot.observe(mask(event, seat))  # type: ignore[arg-type]
        session = chair.session
        if session is not None and seat != but:
            told = _burst(table, first, events, bodies, seat) if seat in knowing else public
            session.send(told, ticket=ticket, you=seat)
    for watcher in table.watchers.values():
        if watcher.session is not None:
            watcher.session.send(public, ticket=ticket)


def look(table: Table, player: Player) -> None:
    """Send a player its whole view."""
    if player.session is not None:
        seat = table.seating.of(player)
        player.session.send(view_for(table, seat), ticket=table.ticket, you=seat)


def look_all(table: Table) -> None:
    """Send everybody the whole view: letters and seats are not what they were."""
    for _, chair in table.seating:
        if chair.player is not None:
            look(table, chair.player)
    for watcher in table.watchers.values():
        look(table, watcher)


def prompt_all(table: Table) -> None:
    """Tell each present seat what it may do, where that has changed."""
    hole = table.hole
    for seat, chair in table.seating:
        session = chair.session
        if session is None:
            continue
        offer = offers(table, seat, None if hole is None else choices(hole, seat))
        if offer != chair.prompted:
            chair.prompted = offer
            prompt = prompt_for(table, seat, offer)
            if session.voice.wants_pictures and prompt.actions and prompt.phase in ("start", "turn"):
                session.send(view_for(table, seat), ticket=table.ticket, you=seat)
            session.send(prompt, ticket=table.ticket, you=seat)


def say(table: Table, player: Player, text: str) -> None:
    """Let a player or watcher speak at the table; during a hole the players do not hear the watchers."""
    heard_by_all = table.seating.of(player) is not None or not table.match.is_playing
    chat = Chat(speaker=player.name, to="table" if heard_by_all else "watchers", text=text, table=table.id)
    hearers = [watcher.session for watcher in table.watchers.values()]
    if heard_by_all:
        hearers += [chair.session for _, chair in table.seating]
    for session in hearers:
        if session is not None and session.player is not None and not session.player.has_muted(player):
            session.send(chat)


def _burst(
    table: Table,
    first: int,
    events: Sequence[Event | TableEvent],
    bodies: Sequence[bytes],
    viewer: Seat | None,
) -> Burst:
    """Return what a viewer is told of the events."""
    match, names, hole = table.match, table.seating.names, table.match.hole
    happened = []
    for seq, (event, body) in enumerate(zip(events, bodies, strict=True), first):
        masked = mask(event, viewer) if _is_play(event) else event  # type: ignore[arg-type]
        happened.append(
            Happened(
                table=table.id,
                seq=seq,
                event=masked,
                names=names,
                ms=table.clock_ms if type(event) is TurnBegan else None,
                rules=match.rules,
                scores=match.scores,
                closer=event.closer if type(event) is HoleEnded else None if hole is None else hole.closer,
                # What nothing was taken from is written as it stands in the log: one encoding for all.
                body=body if masked is event and type(event) not in INTERNAL else None,
            )
        )
    return Burst(tuple(happened))


def _is_play(event: Event | TableEvent) -> bool:
    return event.name in EVENTS
