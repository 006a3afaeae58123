"""Sends views, events, prompts and chat to everyone at a table; each viewer gets only what they may see.

Events are masked for each viewer; viewers who may see the same things share one value, which is encoded once. Nothing
here changes the state of the match, and nothing is sent before its event is durable.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from msgspec import UNSET

from golfnet.engine.events import (
    EVENTS,
    Dealt,
    Drew,
    Event,
    HoleEnded,
    MatchEnded,
    Peeked,
    SlamOpened,
    Swapped,
    Took,
    TurnBegan,
)
from golfnet.engine.hole import phase
from golfnet.engine.legality import choices, choosers
from golfnet.engine.rules import Recall
from golfnet.engine.views import SECRETS, View, mask, owner, view
from golfnet.protocol.replies import data
from golfnet.protocol.replies.presence import ClockWarning, TableState
from golfnet.protocol.replies.replies import Burst, Chat, Happened, Prompt, TableView
from golfnet.protocol.replies.view_codec import seat_to_wire, view_to_wire
from golfnet.server.session.traffic import send_to_all
from golfnet.server.table import Part
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from golfnet.engine.cards import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table

Offer = tuple[tuple[str, ...], tuple[str, ...]]
"""The command lines that a viewer may send, and the targets of any ``switch`` or ``slam`` in those lines."""

NO_OFFER: Final[Offer] = (), ()


class Broadcast(Part):
    """Sends replies about one table to its seats, bots and watchers."""

    has_news = False
    """Whether anything has happened since the last picture was sent."""
    _is_turn = False
    """Whether a turn has begun since then."""

    def send_events(
        self, first: int, events: Sequence[data.AnyEvent], bodies: Sequence[bytes], but: Seat | None
    ) -> None:
        """Send the events of one step to all seats, bots and watchers.

        The events are numbered from ``first``; ``bodies`` are their encoded forms in the log. The seat ``but`` gets
        no events, because it gets a view instead.
        """
        table, ticket = self._table, self._table.ticket
        seen: list[data.AnyEvent] = []
        knowing: set[Seat | None] = set()
        for event in events:
            # Everybody may know all of a swap that is not ``hidden``.
            has_secrets = type(event) in SECRETS and getattr(event, "hidden", True)
            shown = _mask(event, None) if has_secrets else event
            seen.append(shown)
            if shown is not event:
                knowing.add(_owner(event))
        public = burst_of(table, first, seen, events, bodies)
        others: list[tuple[Session, Seat]] = []
        for chair in table.seating:
            seat = chair.seat
            if chair.bot is not None:
                for event in events:
                    if event.name in EVENTS:
                        chair.bot.observe(mask(event, seat))  # type: ignore[arg-type]
            session = chair.session
            if session is None or seat == but:
                continue
            if session.writer.sees:
                self.has_news = True
            if seat in knowing:
                seen = [_mask(event, seat) for event in events]
                session.send(burst_of(table, first, seen, events, bodies), ticket=ticket, you=seat)
            else:
                others.append((session, seat))
        send_to_all(others, public, ticket=ticket)
        if table.watchers:
            self.has_news = True
            self._send_to_watchers(public, events)

    def _send_to_watchers(self, public: Burst, events: Sequence[data.AnyEvent]) -> None:
        table, ticket = self._table, self._table.ticket
        self._is_turn = self._is_turn or any(isinstance(event, _DRAWN_AT) for event in events)
        only_here: list[tuple[Session, None]] = []
        elsewhere: list[tuple[Session, None]] = []
        for watcher in table.watchers.values():
            if watcher.session is not None:
                sees_several = watcher.table is not None or len(watcher.watched) > 1
                (elsewhere if sees_several else only_here).append((watcher.session, None))
        send_to_all(only_here, public, ticket=ticket)
        if elsewhere:
            send_to_all(elsewhere, Burst(public.lines, lambda: public.events, is_named=True), ticket=ticket)

    def send_pictures(self) -> None:
        """Send one view, which shows all that has just happened, to everyone who follows the table in pictures."""
        table, is_turn, is_open = self._table, self._is_turn, self._table.state is TableState.OPEN
        self.has_news = self._is_turn = False
        for chair in table.seating:
            if chair.session is not None and chair.session.writer.sees:
                chair.session.send(self.view(chair.seat), ticket=table.ticket, you=chair.seat)
        following: list[tuple[Session, None]] = []
        for watcher in table.watchers.values():
            session = watcher.session
            if session is None or not session.writer.follows(table.id, is_turn=is_turn, is_open=is_open):
                continue
            if table.gallery.is_hidden(watcher):
                self.send_view(watcher)
            else:
                following.append((session, None))
        if following:
            send_to_all(following, self.view(None), ticket=table.ticket)

    def send_view(self, player: Player) -> None:
        """Send a player their full view."""
        if player.session is not None:
            chair, seat = self._table.seating.chair_of(player), None
            if chair is not None:
                seat, chair.viewed = chair.seat, self._table.seq
            player.session.send(self.view(seat, player), ticket=self._table.ticket, you=seat)

    def send_views(self) -> None:
        """Send everyone the full view, because the seat letters have changed."""
        for player in (*self._table.seating.players, *self._table.watchers.values()):
            self.send_view(player)

    def send_prompts(self) -> None:
        """Send each present player what they may do, if that has changed."""
        table, hole = self._table, self._table.hole
        asked = None if hole is None else choosers(hole)
        is_alone = hole is None and len(table.seating) == 1 and table.state is TableState.OPEN
        for chair in table.seating:
            seat = chair.seat
            if (
                asked is not None
                and seat not in asked
                and chair.prompted == NO_OFFER
                and chair.kind is ChairKind.HUMAN
            ):
                continue  # the usual case: nothing to choose, and no old prompt to replace
            session = chair.session
            if session is None or (is_alone and not session.writer.machine):
                continue  # ``ready`` has no effect for someone who is alone
            offer = self.offer(seat)
            if offer != chair.prompted:
                chair.prompted = offer
                prompt = self.prompt(seat, offer)
                is_at_choice = prompt.actions and prompt.phase in ("start", "turn")
                if is_at_choice and chair.viewed != table.seq and session.writer.wants_pictures:
                    chair.viewed = table.seq
                    session.send(self.view(seat), ticket=table.ticket, you=seat)
                session.send(prompt, ticket=table.ticket, you=seat)

    def send_chat(self, player: Player, text: str) -> None:
        """Send chat from a player or watcher; during a hole, players do not get chat from watchers."""
        table = self._table
        is_for_all = table.seating.chair_of(player) is not None or not table.match.is_playing
        chat = Chat(speaker=player.name, to="table" if is_for_all else "watchers", text=text, table=table.id)
        listeners = list(table.watchers.values())
        if is_for_all:
            listeners += table.seating.players
        send_to_all(
            [
                (listener.session, None)
                for listener in listeners
                if listener.session is not None and not (listener.muted and listener.has_muted(player.name))
            ],
            chat,
        )

    # --- views, offers and prompts

    def view(self, seat: Seat | None, viewer: Player | None = None) -> TableView:
        """Return the full view for a seat, or for a watcher if ``seat`` is None; most views need no ``viewer``."""
        table, match, hole = self._table, self._table.match, self._table.hole
        seen = view(match.hole, seat) if match.hole is not None else None
        actions, targets = self.offer(seat, seen)
        begins_ms, state = None if hole is not None else table.starting.ms, table.state
        is_open = state is TableState.OPEN
        return view_to_wire(
            match,
            seen,
            table=table.id,
            seq=table.seq,
            rules=match.rules or table.rules,
            state=state.value,
            you=seat,
            seats=[
                seat_to_wire(
                    match,
                    seen,
                    chair.seat,
                    name=chair.name,
                    kind=chair.kind.value,
                    present=chair.present,
                    ready=chair.ready,
                    host=chair.player is not None and chair.player is table.host,
                    **(table.sealing.shown(chair) if hole is None else {}),
                )
                for chair in table.seating
            ],
            slam_ms=0 if hole is None or hole.window is None else table.windows.remaining_ms,
            name=table.setup.name,
            actions=actions,
            targets=targets,
            clock=None if table.clock_ms is None else table.clocks.view(seat),
            pause_ms=None if is_open else begins_ms,
            starts_ms=begins_ms if is_open else None,
            sealing_ms=table.sealing.ms if hole is None else None,
            filling=table.filling.view if hole is None else None,
            watchers=len(table.gallery.announced) + (viewer is not None and table.gallery.is_hidden(viewer)),
        )

    def prompt(self, seat: Seat, offer: Offer) -> Prompt:
        """Return the prompt that tells a seat what it may send."""
        table, hole = self._table, self._table.hole
        actions, targets = offer
        if hole is None:
            ms = table.starting.ms if table.sealing.ms is None else table.sealing.ms
        else:
            ms = table.clocks.remaining_ms(seat) if actions and table.clock_ms is not None else None
            if ms is None and "slam" in actions:
                ms = table.windows.remaining_ms
        return Prompt(
            table=table.id,
            seq=table.seq,
            phase=phase(hole) if hole is not None else table.state,
            actions=actions,
            targets=targets,
            ms=ms,
            won=(hole is not None and hole.window is not None and hole.window.won) or UNSET,
        )

    def offer(self, seat: Seat | None, seen: View | None = None) -> Offer:
        """Return what a viewer may send now; ``seen`` is what they see of the hole, if already known."""
        table, hole = self._table, self._table.hole
        chair = None if seat is None else table.seating.chairs[seat]
        if seat is None or chair is None:
            return NO_OFFER
        if hole is not None:
            allowed = choices(hole, seat) if seen is None else seen.choices
            if hole.window is not None:
                allowed = table.windows.narrowed(allowed, seat)
            lines, targets = allowed.as_offer(seat)
            is_back = chair.kind is ChairKind.HOUSE and table.membership.may_reclaim(chair)
            return (("ready", *lines) if is_back else lines), targets
        match table.state:
            case TableState.OPEN:
                lines = () if chair.ready else ("ready",)
                there = len(table.seating) - len(table.seating.absent)
                may_start = chair.player is table.host and there >= table.rules.seats.low
                start = ("start",) if may_start and not table.starting.host_typed_start else ()
                return (*lines, *start), ()
            case TableState.BETWEEN:
                return (() if chair.ready or table.sealing.is_closed else ("ready",)), ()
            case _:
                return ("rematch",), ()


def burst_of(
    table: Table,
    first: int,
    seen: Sequence[data.AnyEvent],
    events: Sequence[data.AnyEvent],
    bodies: Sequence[bytes],
) -> Burst:
    """Return ``events`` as a viewer gets them: masked as ``seen``, and numbered from ``first``."""
    lines, ms, discard_no = [], table.clock_ms, None
    for seq, (masked, event, body) in enumerate(zip(seen, events, bodies, strict=True), first):
        # An event from which nothing is masked is not encoded again for every viewer, but sent as it is in the log.
        known = data.public_body(event, body) if masked is event else None
        lines.append(data.event_line(table.id, seq, masked, known, ms))
        if type(event) is SlamOpened:
            discard_no = event.discard_no
    return Burst(b"".join(lines), partial(_happened, table, first, seen, events), discard_no=discard_no)


def _happened(
    table: Table,
    first: int,
    seen: Sequence[data.AnyEvent],
    events: Sequence[data.AnyEvent],
) -> tuple[Happened, ...]:
    """Return masked events with what texts and pictures need to know about the table right after the step."""
    match, names, hole = table.match, table.seating.names, table.match.hole
    house = tuple([chair.seat for chair in table.seating if chair.kind is ChairKind.HOUSE])
    taken_into_slot = Took in (kinds := [type(event) for event in events]) and Swapped in kinds
    return tuple(
        [
            Happened(
                table=table.id,
                seq=seq,
                event=masked,
                names=names,
                ms=table.clock_ms if type(event) in (TurnBegan, ClockWarning) else None,
                rules=match.rules,
                scores=match.scores,
                closer=event.closer if type(event) is HoleEnded else None if hole is None else hole.closer,
                clock_for=None if hole is None or type(event) is not ClockWarning else phase(hole),
                peeked=_start_peeks(table, event) if type(event) is Peeked else None,
                house=house,
                taken_into_slot=taken_into_slot,
            )
            for seq, (masked, event) in enumerate(zip(seen, events, strict=True), first)
        ]
    )


def events_again(table: Table, seat: Seat | None) -> Iterator[Event]:
    """Yield the events of this or the last hole as a seat may see them again (or a watcher, if ``seat`` is None).

    A card that only that seat has seen is masked too, unless the rules always let the seat see it again, or the seat is
    still holding it (X10).
    """
    hole, rules = table.match.hole, table.match.rules
    viewer = seat if rules is not None and rules.recall is Recall.ALWAYS else None
    log = [] if hole is None else table.hole_log.copy()
    held = log[-1] if log and type(log[-1]) is Drew else None
    return (mask(event, seat if event is held else viewer) for event in log if type(event) is not MatchEnded)


def _start_peeks(table: Table, event: Peeked) -> tuple[int, ...] | None:
    """Return all slots that a seat peeked at in the start phase (none before its last peek); None in other phases."""
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


_mask: Final = cast("Callable[[data.AnyEvent, Seat | None], data.AnyEvent]", mask)
_owner: Final = cast("Callable[[data.AnyEvent], Seat | None]", owner)
"""``mask`` and ``owner``, typed to accept the table's own events as well; these are public."""

_DRAWN_AT: Final = (Dealt, TurnBegan, HoleEnded, MatchEnded)
"""The events after which watchers need a new picture."""
