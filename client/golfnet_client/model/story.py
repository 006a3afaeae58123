"""What happens at a table in sentences for the log, the same as in the server's text mode."""

from typing import Final, NamedTuple

from golfnet.engine.events import Committed, Peeked, SlamClosed, Swapped, TurnBegan
from golfnet.engine.frozen import replaced
from golfnet.engine.layout import Seat
from golfnet.engine.notation import SEAT_LETTERS
from golfnet.engine.rules import Placed, Recall
from golfnet.engine.views import mask
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.replies.presence import ClockWarning, Cut, Opened, Sealed, SealsClosed, TableEvent
from golfnet.protocol.replies.replies import Happened, TableView
from golfnet.protocol.replies.view_codec import rules_of
from golfnet.protocol.text.play_sentences import play_sentence
from golfnet.protocol.text.table_sentences import table_sentence
from golfnet.protocol.text.words import Voice

SENTENCES: Final = Settings(style=Style.PLAIN, cards=Cards.SYMBOLS, width=250)
"""How sentences of the log are written; the screen turns signs into letters where it has only ASCII."""


class Entry(NamedTuple):
    """A line of the log; ``kind`` is event, mine, chat, server, refused, done or scores."""

    kind: str
    text: str


def entries_of(before: TableView, view: TableView, happened: Happened) -> list[Entry]:
    """Return what an event writes into the log, in the same words as the server's text mode."""
    event = happened.event
    if isinstance(event, _UNTOLD) or (isinstance(event, Cut) and view.sealing_ms is not None):
        return []
    you = seat_number(view.you)
    actor = getattr(event, "seat", getattr(event, "by", None))
    mine = you is not None and actor == you
    entries = [Entry("mine" if mine else "event", told(before, view, happened))]
    if event.name == "hole_ended" and len(view.scores) > len(before.scores):
        named = zip(names_of(view), view.scores[-1], strict=False)
        scores = ", ".join(f"{name} {score}" for name, score in named)
        entries.append(Entry("scores", f"Hole {view.hole}: {scores}."))
    return entries


def told(before: TableView, view: TableView, happened: Happened) -> str:
    """Return the sentence of an event, as the viewer of a table is told it."""
    event = happened.event
    # Those who leave are still called by their names, those who come already.
    names = names_of(view if len(view.seats) >= len(before.seats) else before)
    voice = Voice(settings=SENTENCES, you=seat_number(view.you), names=names, rules=rules_of(view))
    if isinstance(event, TableEvent):
        return table_sentence(event, voice)
    closer = seat_number(before.closer)
    rules = voice.rules
    is_secret = isinstance(event, Peeked) or (rules is not None and rules.placed is Placed.DOWN)
    if is_secret and rules is not None and rules.recall is Recall.ONCE:
        # What was seen once is not to be read up later: remembering it is the game (X10).
        if isinstance(event, Swapped) and event.seat == voice.you and not _was_taken(before):
            event = replaced(event, hidden=True)  # its seat is told the card, and not that nobody else is
        event = mask(event, None)
    whole = Happened(
        table=happened.table, seq=happened.seq, event=event, names=names, ms=happened.ms, closer=closer
    )
    return play_sentence(whole, event, voice)


def names_of(view: TableView) -> tuple[str, ...]:
    """Return the names at a table by seat, empty where nobody sits."""
    by_letter = {seat.seat: seat.name for seat in view.seats}
    last = max(map(SEAT_LETTERS.index, by_letter), default=-1)
    return tuple(by_letter.get(letter, "") for letter in SEAT_LETTERS[: last + 1])


def seat_number(letter: str | None) -> Seat | None:
    """Return the seat of a letter, None for none."""
    return None if letter is None else Seat(SEAT_LETTERS.index(letter))


def _was_taken(view: TableView) -> bool:
    """Tell whether the card that the viewer holds lay open: it cannot be discarded, and nothing shows beneath."""
    return view.beneath is None and "discard" not in view.actions


_UNTOLD: Final = (TurnBegan, SlamClosed, Committed, Opened, ClockWarning, Sealed, SealsClosed)
"""Events that the screen shows and the log need not repeat."""
