"""The client's log: what happened at a table, worded as in the server's text mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine.events import (
    Committed,
    Declined,
    Discarded,
    Drew,
    Flipped,
    Gave,
    Knocked,
    Passed,
    Peeked,
    Penalized,
    SlamClosed,
    Slammed,
    SlamResult,
    Swapped,
    Switched,
    Took,
    TurnBegan,
)
from golfnet.engine.frozen import replaced
from golfnet.engine.layout import HIDDEN, Seat
from golfnet.engine.notation import SEAT_LETTERS, position_text, seat_letter
from golfnet.engine.rules import Placed, Recall
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.replies.presence import ClockWarning, Cut, Opened, Sealed, SealsClosed, TableEvent
from golfnet.protocol.replies.view_codec import rules_of
from golfnet.protocol.text.sentences import play_sentence, table_sentence
from golfnet.protocol.text.words import Voice
from golfnet_client.model.motion import at_slot, slot_at

if TYPE_CHECKING:
    from golfnet.protocol.replies.data import AnyEvent
    from golfnet.protocol.replies.replies import Happened, TableView

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
    you = seat_number(view.you)
    actor = getattr(event, "seat", getattr(event, "by", None))
    mine = you is not None and actor == you
    text = event_sentence(before, view, happened)
    entries = [Entry("mine" if mine else "event", text)] if text else []
    if event.name == "hole_ended" and len(view.scores) > len(before.scores):
        named = zip(view.names, view.scores[-1], strict=False)
        scores = ", ".join(f"{name} {score}" for name, score in named)
        entries.append(Entry("scores", f"Hole {view.hole}: {scores}."))
    return entries


def event_sentence(before: TableView, view: TableView, happened: Happened) -> str:
    """Return the sentence for an event, showing only what this viewer may see."""
    event, rules = happened.event, rules_of(view)
    voice = Voice(settings=SENTENCES, you=seat_number(view.you), names=view.names, rules=rules)
    if isinstance(event, TableEvent):
        return table_sentence(event, voice)
    is_secret = isinstance(event, Peeked) or rules.placed is Placed.DOWN
    if is_secret and rules.recall is Recall.ONCE:
        # A card seen once must not be readable later in the log: remembering it is part of the game (X10).
        if isinstance(event, Swapped) and event.seat == voice.you and not _was_taken(before):
            event = replaced(event, hidden=True)  # players get their own events without this flag
        event = mask(event, None)
    return play_sentence(event, voice, closer=seat_number(before.closer))


def seat_number(letter: str | None) -> Seat | None:
    """Return the seat that a letter stands for, or None if there is no letter."""
    return None if letter is None else Seat(SEAT_LETTERS.index(letter))


def _was_taken(view: TableView) -> bool:
    """Return whether the viewer holds a card from the discard pile, which cannot be discarded again."""
    return view.beneath is None and "discard" not in view.actions


_UNTOLD: Final = (TurnBegan, SlamClosed, Committed, Opened, ClockWarning, Sealed, SealsClosed)
"""Events that the log leaves out because the screen shows them."""


class Move(NamedTuple):
    """What a seat did: words with ``{}`` for the card's name, the card if any, and the changed positions."""

    seat: str
    words: str
    card: str = ""
    changed: tuple[str, ...] = ()


def move_of(event: AnyEvent, view: TableView) -> Move | None:
    """Return what a seat did in an event, given the view after the event, or None if no seat did anything."""
    match event:
        case Drew(seat=seat):
            return Move(seat_letter(seat), "drew")
        case Took(seat=seat, card=card):
            return Move(seat_letter(seat), "took {}", card.text)
        case Swapped(seat=seat, slot=slot, card=card):
            at = at_slot(seat, slot)
            # Players are told their own card too, but face-down cards must not be readable later (X10).
            seen = "" if card is None or (slot_at(view, at) or "").startswith(HIDDEN) else card.text
            return Move(seat_letter(seat), "placed {}" if seen else f"swapped {slot}", seen, (at,))
        case Discarded(seat=seat, card=card):
            return Move(seat_letter(seat), "discarded {}", card.text)
        case Flipped(seat=seat, slot=slot, card=card):
            return Move(seat_letter(seat), "turned up {}", card.text, (at_slot(seat, slot),))
        case Peeked(seat=seat, at=at):
            return Move(seat_letter(seat), "looked" if len(at) > 1 else f"looked at {position_text(at[0])}")
        case Switched(seat=seat, at=at):
            places = tuple(map(position_text, at))
            return Move(seat_letter(seat), f"switched {' and '.join(places)}", "", places)
        case Slammed(by=by, card=card, at=place, result=SlamResult.HIT):
            return Move(seat_letter(by), "slammed {}", card.text, (position_text(place),))
        case Slammed(by=by, result=result):
            return Move(seat_letter(by), "too late" if result is SlamResult.LATE else "wrong slam")
        case Penalized(seat=seat, slot=slot, source=source):
            left = () if source is None else (position_text(source),)
            return Move(seat_letter(seat), "penalty card", "", (*left, at_slot(seat, slot)))
        case Gave(seat=seat, slot=slot, to=to):
            return Move(seat_letter(seat), f"gave {slot}", "", (at_slot(seat, slot), position_text(to)))
        case Knocked(seat=seat):
            return Move(seat_letter(seat), "knocked")
        case Passed(seat=seat) | Declined(seat=seat):
            return Move(seat_letter(seat), "passed")
        case _:
            return None
