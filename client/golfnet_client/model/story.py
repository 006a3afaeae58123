"""What an event looks like to a player: its line in the log, the seat's last move, and cards on their way.

This module does no I/O. The log is worded as in the server's text mode. The view is always what the server sent; a
motion only says what is drawn instead until its card lands. Places are positions such as ``B3``, and ``stock``,
``discard`` and ``held``. Times are seconds of any monotonic clock.
"""

from math import ceil
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN, Card, Position, Seat, parse_seat, position_text, seat_letter
from golfnet.engine.events import (
    Committed,
    Dealt,
    Discarded,
    Drew,
    Flipped,
    Gave,
    Peeked,
    Penalized,
    SlamClosed,
    Slammed,
    SlamOpened,
    SlamResult,
    Swapped,
    Switched,
    Took,
    TurnBegan,
)
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import Placed, Recall
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.replies.data import AnyEvent
from golfnet.protocol.replies.presence import ClockWarning, Cut, Opened, Sealed, SealsClosed, TableEvent
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.words import Voice, card_sign

SENTENCES: Final = Settings(style=Style.PLAIN, cards=Cards.SYMBOLS, width=250)
"""Settings for the log's sentences; without Unicode, the screen replaces suit symbols with letters."""


class Entry(NamedTuple):
    """A line of the log; ``kind`` is event, mine, chat, server, refused, done or scores."""

    kind: str
    text: str


def entries_of(before: TableView, view: TableView, happened: Happened) -> list[Entry]:
    """Return the log entries for an event."""
    event = happened.event
    if isinstance(event, _UNTOLD) or (isinstance(event, Cut) and view.sealing_ms is not None):
        return []
    text = event_sentence(before, view, happened)
    is_own = view.you is not None and actor_of(event) == view.you
    entries = [Entry("mine" if is_own else "event", text)] if text else []
    if event.name == "hole_ended" and len(view.scores) > len(before.scores):
        scores = ", ".join(
            f"{name} {score}" for name, score in zip(view.names, view.scores[-1], strict=False)
        )
        entries.append(Entry("scores", f"Hole {view.hole}: {scores}."))
    return entries


def event_sentence(before: TableView, view: TableView, happened: Happened) -> str:
    """Return the sentence for an event, showing only what this viewer may see."""
    event, rules = happened.event, view.rules
    you, closer = [None if seat is None else parse_seat(seat) for seat in (view.you, before.closer)]
    voice = Voice(settings=SENTENCES, you=you, names=view.names, rules=rules)
    if isinstance(event, TableEvent):
        return table_sentence(event, voice)
    is_secret = isinstance(event, Peeked) or rules.placed is Placed.DOWN
    if is_secret and rules.recall is Recall.ONCE:
        # A card seen once must not be readable later in the log: remembering it is part of the game (X10).
        # A card from the discard pile, which cannot be discarded again, has been seen by everybody.
        was_taken = before.beneath is None and "discard" not in before.actions
        if isinstance(event, Swapped) and event.seat == you and not was_taken:
            event = replaced(event, hidden=True)  # players get their own events without this flag
        event = mask(event, None)
    return play_sentence(event, voice, closer=closer)


def actor_of(event: AnyEvent) -> str | None:
    """Return the letter of the seat that an event is about, or None if it is about no seat or a watcher."""
    seat = getattr(event, "seat", getattr(event, "by", None))
    return None if seat is None else seat_letter(seat)


_UNTOLD: Final = (TurnBegan, SlamOpened, SlamClosed, Committed, Opened, ClockWarning, Sealed, SealsClosed)
"""Events that the log leaves out because the screen shows them."""


def _sign(card: Card) -> str:
    return card_sign(card.text, Cards.SYMBOLS, color=False)


SLIDE: Final = 0.18
"""How many seconds a card takes to move from one place to another."""

FLIP: Final = 0.15
"""How many seconds it takes to turn up a card."""

ROUND: Final = 0.06
"""Seconds between two rounds of a deal."""

FRAME: Final = 1 / 30
"""Seconds between two frames of a motion."""


class Motion(Struct, frozen=True):
    """A moving card. If it is turned over, ``source`` equals ``target``; if it just appears, ``source`` is empty."""

    card: str
    source: str
    target: str
    begins: float
    lasts: float
    before: str = EMPTY
    """What is drawn at the target until the card lands."""

    @property
    def ends(self) -> float:
        """The time at which the card lands."""
        return self.begins + self.lasts

    def progress(self, now: float) -> float:
        """Return the fraction of the way covered so far; the card starts fast and slows down."""
        part = min(1.0, max(0.0, (now - self.begins) / self.lasts))
        return 1 - (1 - part) ** 2


def shown_as(before: TableView, view: TableView, event: AnyEvent, now: float) -> tuple[str, list[Motion]]:
    """Return in a few words what a seat did in an event, or ``""`` if nothing, and the motions that it causes."""
    match event:
        case Drew(card=card):
            words, moves = "drew", [(HIDDEN if card is None else card.text, "stock", "held")]
        case Took(card=card):
            words, moves = f"took {_sign(card)}", [(card.text, "discard", "held")]
        case Discarded(card=card):
            words, moves = f"discarded {_sign(card)}", [(card.text, "held", "discard")]
        case Swapped(seat=seat, slot=slot, card=card, discard=discard):
            at = at_slot(seat, slot)
            new = slot_at(view, at) or EMPTY
            # Players are told their own card too, but face-down cards must not be readable later (X10).
            is_hidden = new.startswith(HIDDEN)
            words = f"swapped {slot}" if card is None or is_hidden else f"placed {_sign(card)}"
            moves = [(new, "held", at), (discard.text, at, "discard")]
        case Flipped(seat=seat, slot=slot, card=card):
            at = at_slot(seat, slot)
            motion = Motion(card.text, at, at, now, FLIP, slot_at(before, at) or EMPTY)
            return f"turned up {_sign(card)}", [motion]
        case Slammed(at=place, card=card, result=SlamResult.HIT):
            words, moves = f"slammed {_sign(card)}", [(card.text, position_text(place), "discard")]
        case Slammed(result=result):
            words, moves = "too late" if result is SlamResult.LATE else "wrong slam", []
        case Penalized(seat=seat, slot=slot, source=source):
            origin = "stock" if source is None else position_text(source)
            words, moves = "penalty card", [(HIDDEN, origin, at_slot(seat, slot))]
        case Gave(seat=seat, slot=slot, to=to):
            words, moves = f"gave {slot}", [(HIDDEN, at_slot(seat, slot), position_text(to))]
        case Switched(at=(first, second)):
            one, other = position_text(first), position_text(second)
            words, moves = f"switched {one} and {other}", [(HIDDEN, one, other), (HIDDEN, other, one)]
        case Peeked(at=places):
            words, moves = f"looked at {position_text(places[0])}" if len(places) == 1 else "looked", []
        case Dealt():
            return "", _deal(view, now)
        case _:
            words, moves = (
                {"declined": "passed", "passed": "passed", "knocked": "knocked"}.get(event.name, ""),
                [],
            )
    below = {"discard": before.discard or EMPTY}
    return words, [Motion(card, source, at, now, SLIDE, below.get(at, EMPTY)) for card, source, at in moves]


def at_slot(seat: Seat, slot: int) -> str:
    """Return the position of a slot, such as ``B3``."""
    return position_text(Position(seat, slot))


def slot_at(view: TableView, at: str) -> str | None:
    """Return what lies at a position such as ``B3``, or None if there is no such position."""
    slots = next((seat.slots for seat in view.seats if seat.seat == at[:1]), ())
    return slots[int(at[1:]) - 1] if slots and int(at[1:]) <= len(slots) else None


def _deal(view: TableView, now: float) -> list[Motion]:
    """Return the motions of a deal: one card to each seat in each round."""
    leader = next((at for at, seat in enumerate(view.seats) if seat.seat == view.leader), 0)
    order = [*view.seats[leader:], *view.seats[:leader]]
    return [
        Motion(
            card,
            "stock",
            f"{seat.seat}{slot}",
            now + ROUND * (slot - 1 + place / len(order)),
            SLIDE / 1.5,
            "",
        )
        for place, seat in enumerate(order)
        for slot, card in enumerate(seat.slots, 1)
    ]


GLIMPSE_SECONDS: Final = 8.0
"""Seconds for which a player sees a card when peeking: enough to read two cards, but only a glimpse (X10)."""


class Timed(Struct):
    """Something that lasts until a certain time, such as a clock or a notice."""

    what: str
    ends: float
    lasts: float = 0.0

    def seconds_left(self, now: float) -> int:
        """Return how many seconds are left, rounded up."""
        return max(0, ceil(self.ends - now))

    def changes_in(self, now: float) -> float | None:
        """Return the time until ``seconds_left`` next changes, or None once it is zero."""
        left = self.ends - now
        return None if left <= 0 else left - (ceil(left) - 1)


def timed(what: str, ms: int, now: float, before: Timed | None = None) -> Timed:
    """Return a running clock; if it continues ``before``, it keeps the original length."""
    lasts = ms / 1000
    if before is not None and before.what == what and before.ends > now:
        lasts = max(lasts, before.lasts)
    return Timed(what, now + ms / 1000, lasts)
