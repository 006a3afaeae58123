"""Sending what happens at a table: to each viewer what it may see, in one order, never more.

Events reach a viewer masked for it; the forms that are equal are one value, encoded once. Nothing here changes the
table, and nothing is sent before the journal has what it tells of.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from golfnet.engine.events import EVENTS, Dealt, HoleEnded, MatchEnded, Peeked, SlamOpened, TurnBegan
from golfnet.engine.hole import phase
from golfnet.engine.legality import choices, choosers
from golfnet.engine.views import mask, owner
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import ClockWarning
from golfnet.protocol.replies.replies import Burst, Chat, Happened
from golfnet.server.context.seating import ChairKind
from golfnet.server.session.outgoing import send_to_all
from golfnet.server.table.views import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.engine.layout import Seat
    from golfnet.protocol.replies.data import AnyEvent
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player, PlayerSession
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
        events: Sequence[AnyEvent],
        bodies: Sequence[bytes],
        but: Seat | None = None,
    ) -> None:
        """Send the events of one step to all seats, bots and watchers.

        ``first`` is the number of the first, ``bodies`` are their log bodies. The seat ``but`` is left out, for it
        gets the whole view.
        """
        table, ticket = self._table, self._table.ticket
        seen = [_mask(event, None) for event in events]
        public = burst_of(table, first, seen, events, bodies)
        knowing = {_owner(event) for event, shown in zip(events, seen, strict=True) if shown is not event}
        for seat, chair in table.seating:
            if chair.bot is not None:
                for event in events:
                    if event.name in EVENTS:
                        chair.bot.observe(mask(event, seat))  # type: ignore[arg-type]
            if seat in knowing and seat != but and chair.session is not None:
                seen = [_mask(event, seat) for event in events]
                own = burst_of(table, first, seen, events, bodies)
                chair.session.send(own, ticket=ticket, you=seat)
        others = [
            (session, seat)
            for seat, chair in table.seating
            if seat != but and seat not in knowing and (session := chair.session) is not None
        ]
        send_to_all(others, public, ticket=ticket)
        if table.watchers:
            self._send_to_watchers(public, events)

    def _send_to_watchers(self, public: Burst, events: Sequence[AnyEvent]) -> None:
        """Send the events of one step to all watchers, and note what is drawn anew for them."""
        table, ticket = self._table, self._table.ticket
        self._has_news = True
        self._is_turn = self._is_turn or any(isinstance(event, _DRAWN_AT) for event in events)
        only_here: list[tuple[PlayerSession, None]] = []
        elsewhere: list[tuple[PlayerSession, None]] = []
        for watcher in table.watchers.values():
            if watcher.session is not None:
                sees_several = watcher.table is not None or len(watcher.watched) > 1
                (elsewhere if sees_several else only_here).append((watcher.session, None))
        send_to_all(only_here, public, ticket=ticket)
        if elsewhere:
            send_to_all(elsewhere, public.named(), ticket=ticket)

    def send_pictures(self) -> None:
        """Send the view to the watchers for whom it is drawn anew now: once for all that happened at a time."""
        if not self._has_news:
            return
        table, is_turn = self._table, self._is_turn
        self._has_news = self._is_turn = False
        following = [
            (session, None)
            for watcher in table.watchers.values()
            if (session := watcher.session) is not None and session.writer.follows(table.id, is_turn=is_turn)
        ]
        if following:
            send_to_all(following, self._views.view(None), ticket=table.ticket)

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
        asked = None if hole is None else choosers(hole)
        for seat, chair in table.seating:
            session = chair.session
            if session is None:
                continue
            if (
                asked is not None
                and seat not in asked
                and chair.prompted == NOTHING
                and chair.kind is ChairKind.HUMAN
            ):
                continue  # nearly all seats nearly always
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
        send_to_all(
            [
                (listener.session, None)
                for listener in listeners
                if listener.session is not None and not (listener.muted and listener.has_muted(player.name))
            ],
            chat,
        )


def burst_of(
    table: TableContext,
    first: int,
    seen: Sequence[AnyEvent],
    events: Sequence[AnyEvent],
    bodies: Sequence[bytes],
) -> Burst:
    """Return what a viewer is told of events by their masked forms; ``first`` numbers them, ``bodies`` log them."""
    lines, shown, ms = [], [], table.clock_ms
    for seq, (masked, event, body) in enumerate(zip(seen, events, bodies, strict=True), first):
        # What nothing was taken from is written as it stands in the log: one encoding for all.
        known = data.public_body(event, body) if masked is event else None
        shown.append(known)
        lines.append(data.event_line(table.id, seq, masked, known, ms))
    return Burst(
        b"".join(lines),
        partial(_happened, table, first, seen, events, shown),
        discard_no=next((event.discard_no for event in events if type(event) is SlamOpened), None),
    )


def _happened(
    table: TableContext,
    first: int,
    seen: Sequence[AnyEvent],
    events: Sequence[AnyEvent],
    bodies: Sequence[bytes | None],
) -> tuple[Happened, ...]:
    """Return masked events with what sentences and pictures need of the table, which has made the step just now."""
    match, names, hole = table.match, table.seating.names, table.match.hole
    return tuple(
        [
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
                body=body,
            )
            for seq, (masked, event, body) in enumerate(zip(seen, events, bodies, strict=True), first)
        ]
    )


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


_mask: Final = cast("Callable[[AnyEvent, Seat | None], AnyEvent]", mask)
_owner: Final = cast("Callable[[AnyEvent], Seat | None]", owner)
"""The same for what happens beside play, of which everybody may know everything."""

_DRAWN_AT: Final = (Dealt, TurnBegan, HoleEnded, MatchEnded)
"""The events at which the picture of a watched table is another."""
