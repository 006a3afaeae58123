"""What no server says that keeps to the protocol, though each of its values has the right type.

Readers of replies rely on what is checked here: letters are seats, words are cards, lists that belong together have one
length, and the rules of a table are rules. What fails is as if it could not be decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import ValidationError

from golfnet.engine.cards import CARDS
from golfnet.engine.errors import RuleError
from golfnet.engine.events import HoleEnded, MatchEnded, MatchStarted, Peeked
from golfnet.engine.notation import SEAT_LETTERS
from golfnet.protocol.replies.replies import Happened, Rows, TableView
from golfnet.protocol.replies.view_codec import rules_of

if TYPE_CHECKING:
    from golfnet.engine.events import Event
    from golfnet.protocol.replies.presence import TableEvent
    from golfnet.protocol.replies.replies import AnyReply

LARGEST: Final = 10**9
"""No score, number or time is further from 0."""

_SEATS: Final = frozenset({None, *SEAT_LETTERS})
_CARDS: Final = frozenset({None, *CARDS})
_SLOTS: Final = frozenset({"?", "-", *CARDS, *[f"?{card}" for card in CARDS]})
_ROWS: Final[dict[str, dict[str, type]]] = {
    "who": {"name": str},
    "tables": {"table": str, "variant": str, "state": str, "seats": int, "taken": int},
    "variants": {"name": str, "options": dict},
    "history": {"match": str},
    "top": {},
    "stats": {},
}
"""What every row of a list has at least, with the type of its value."""


def check(reply: AnyReply) -> None:
    """Raise ``ValidationError`` for a reply that contradicts itself."""
    match reply:
        case TableView():
            _check_view(reply)
        case Happened():
            _check_event(reply.event)
        case Rows():
            _check_rows(reply)
        case _:
            pass


def _check_view(view: TableView) -> None:
    seats = [seat.seat for seat in view.seats]
    _need(
        "a seat",
        {view.you, view.turn, view.dealer, view.leader, view.holding, view.owes, view.closer} <= _SEATS,
    )
    _need("a seat", _SEATS.issuperset(seats) and len(set(seats)) == len(seats))
    _need("a seat that is taken", view.you is None or view.you in seats)
    _need("a card", {view.discard, view.beneath, view.drawn} <= _CARDS)
    _need("a slot", all(_SLOTS.issuperset(seat.slots) for seat in view.seats))
    _need("a number", all(abs(seat.total) <= LARGEST for seat in view.seats))
    try:
        rules_of(view)
    except RuleError as problem:
        raise ValidationError(f"expected rules: {problem}") from None


def _check_event(event: Event | TableEvent) -> None:
    match event:
        case MatchStarted():
            _need("seats", 0 < len(event.seats) <= len(SEAT_LETTERS))
        case Peeked():
            _need("positions", bool(event.at) and (event.cards is None or len(event.cards) == len(event.at)))
        case HoleEnded():
            _need("a total for each seat", bool(event.totals) and len(event.totals) == len(event.layouts))
            _need("a score for each seat", event.scores is None or len(event.scores) == len(event.totals))
        case MatchEnded():
            _need("a place for each total", len(event.places) == len(event.totals) and 1 in event.places)
        case _:
            pass


def _check_rows(rows: Rows) -> None:
    needed = _ROWS.get(rows.kind)
    if needed is None:
        return
    for row in rows.rows:
        _need("objects", isinstance(row, dict))
        for key, kind in needed.items():
            _need(f"{key} in every row", isinstance(row.get(key), kind))


def _need(what: str, is_there: bool) -> None:
    if not is_there:
        raise ValidationError(f"expected {what}")
