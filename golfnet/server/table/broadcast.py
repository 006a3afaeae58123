"""Sending what happens at a table: to each viewer what it may see, in one order, never more.

Events reach a viewer masked for it; the forms that are equal are one value, encoded once. Nothing here changes the
table, and nothing is sent before the journal has what it tells of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.events import EVENTS, Dealt, HoleEnded, MatchEnded, Peeked, TurnBegan
from golfnet.engine.hole import phase
from golfnet.engine.legality import choices
from golfnet.engine.views import mask, owner
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import ClockWarning
from golfnet.protocol.replies.replies import Burst, Chat, Happened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.engine.events import Event
    from golfnet.engine.layout import Seat
    from golfnet.protocol.replies.presence import TableEvent
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player
    from golfnet.server.table.views import Views


class Broadcast:
    """The replies about one table, to its seats, bots and watchers."""

    def __init__(self, table: TableContext, views: Views) -> None:
        self._table = table
        self._views = views
        self._has_news = self._is_turn = False
        """Whether anything, and whether a turn, has begun since watchers were sent a picture."""

    def send_events(
        self,
        first: int,
        events: Sequence[Event | TableEvent],
        bodies: Sequence[bytes],
        but: Seat | None = None,
    ) -> None:
        """Send the events of one step to all seats, bots and watchers.

        ``first`` is the number of the first, ``bodies`` are their log bodies. The seat ``but`` is left out, for it
        gets the whole view.
        """
        table = self._table
        public = burst_of(table, first, events, bodies, None)
        ticket = table.ticket
        knowing = {
            owner(event)  # type: ignore[arg-type]
            for event, sent in zip(events, public.events, strict=True)
            if sent.event is not event
        }
        for seat, chair in table.seating:
            if chair.bot is not None:
                for event in events:
                    if _is_play(event):
                        chair.bot.observe(mask(event, seat))  # type: ignore[arg-type]
            session = chair.session
            if session is not None and seat != but:
                sent = burst_of(table, first, events, bodies, seat) if seat in knowing else public
                session.send(sent, ticket=ticket, you=seat)
        self._has_news = True
        self._is_turn = self._is_turn or any(isinstance(event, _DRAWN_AT) for event in events)
        named: Burst | None = None
        for watcher in table.watchers.values():
            if watcher.session is None:
                continue
            if watcher.table is None and len(watcher.watched) <= 1:
                watcher.session.send(public, ticket=ticket)
            else:
                named = named or Burst(public.events, is_named=True)
                watcher.session.send(named, ticket=ticket)

    def send_pictures(self) -> None:
        """Send the view to the watchers for whom it is drawn anew now: once for all that happened at a time."""
        if not self._has_news:
            return
        table, is_turn, view = self._table, self._is_turn, None
        self._has_news = self._is_turn = False
        for watcher in table.watchers.values():
            session = watcher.session
            if session is not None and session.writer.follows(table.id, is_turn=is_turn):
                view = view or self._views.view(None)
                session.send(view, ticket=table.ticket)

    def send_view(self, player: Player) -> None:
        """Send a player its whole view."""
        if player.session is not None:
            seat = self._table.seating.of(player)
            chair = None if seat is None else self._table.seating.at(seat)
            if chair is not None:
                chair.viewed = self._table.seq
            player.session.send(self._views.view(seat), ticket=self._table.ticket, you=seat)

    def send_views(self) -> None:
        """Send everybody the whole view: letters and seats are not what they were."""
        for _, chair in self._table.seating:
            if chair.player is not None:
                self.send_view(chair.player)
        for watcher in self._table.watchers.values():
            self.send_view(watcher)

    def send_prompts(self) -> None:
        """Send each present seat what it may do, where that has changed."""
        table, hole = self._table, self._table.hole
        for seat, chair in table.seating:
            session = chair.session
            if session is None:
                continue
            offer = self._views.offer(seat, None if hole is None else choices(hole, seat))
            if offer != chair.prompted:
                chair.prompted = offer
                prompt = self._views.prompt(seat, offer)
                is_at_choice = prompt.actions and prompt.phase in ("start", "turn")
                if session.writer.wants_pictures and is_at_choice and chair.viewed != table.seq:
                    chair.viewed = table.seq
                    session.send(self._views.view(seat), ticket=table.ticket, you=seat)
                session.send(prompt, ticket=table.ticket, you=seat)

    def send_chat(self, player: Player, text: str) -> None:
        """Send what a player or watcher says; during a hole the players do not get what watchers say."""
        table = self._table
        is_for_all = table.seating.of(player) is not None or not table.match.is_playing
        chat = Chat(speaker=player.name, to="table" if is_for_all else "watchers", text=text, table=table.id)
        listeners = list(table.watchers.values())
        if is_for_all:
            listeners += [chair.player for _, chair in table.seating if chair.player is not None]
        for listener in listeners:
            if listener.session is not None and not listener.has_muted(player):
                listener.session.send(chat)


def burst_of(
    table: TableContext,
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
                clock_for=None if hole is None or type(event) is not ClockWarning else phase(hole),
                peeked=_start_peeks(table, event) if type(event) is Peeked else None,
                # What nothing was taken from is written as it stands in the log: one encoding for all.
                body=data.public_body(event, body) if masked is event else None,
            )
        )
    return Burst(tuple(happened))


def _start_peeks(table: TableContext, event: Peeked) -> tuple[int, ...] | None:
    """Return the slots at which a seat has looked as its start choice, none before that is made; None for a power."""
    slots: list[int] = []
    for before in table.hole_log:
        if type(before) is TurnBegan:
            break
        if type(before) is Peeked and before.seat == event.seat:
            slots += [at.slot for at in before.at]
            if before is event:
                hole = table.match.hole
                return () if hole is not None and hole.owed[event.seat] else tuple(slots)
    return None


def _is_play(event: Event | TableEvent) -> bool:
    return event.name in EVENTS


_DRAWN_AT: Final = (Dealt, TurnBegan, HoleEnded, MatchEnded)
"""The events at which the picture of a watched table is another."""
