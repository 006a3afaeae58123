"""What each seat did last, in a few words, and which of its cards that changed: both stay until its next turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from golfnet.engine.events import (
    Declined,
    Discarded,
    Drew,
    Flipped,
    Gave,
    Knocked,
    Passed,
    Peeked,
    Penalized,
    Slammed,
    SlamResult,
    Swapped,
    Switched,
    Took,
)
from golfnet.engine.layout import Position, Seat
from golfnet.engine.notation import position_text, seat_letter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from golfnet.protocol.replies.data import AnyEvent


class Move(NamedTuple):
    """What a seat did: words with ``{}`` where the card's name comes, the card if there is one, changed positions."""

    seat: str
    words: str
    card: str = ""
    changed: tuple[str, ...] = ()


def move_of(event: AnyEvent) -> Move | None:
    """Return what an event says about a seat, None for one that is no move."""
    match event:
        case Drew(seat=seat):
            return Move(seat_letter(seat), "drew")
        case Took(seat=seat, card=card):
            return Move(seat_letter(seat), "took {}", card.text)
        case Swapped(seat=seat, slot=slot, card=card, hidden=hidden):
            seen = "" if hidden or card is None else card.text
            return Move(seat_letter(seat), "placed {}" if seen else f"swapped {slot}", seen, _at(seat, slot))
        case Discarded(seat=seat, card=card):
            return Move(seat_letter(seat), "discarded {}", card.text)
        case Flipped(seat=seat, slot=slot, card=card):
            return Move(seat_letter(seat), "turned up {}", card.text, _at(seat, slot))
        case Peeked(seat=seat, at=at):
            return Move(seat_letter(seat), "looked" if len(at) > 1 else f"looked at {position_text(at[0])}")
        case Switched(seat=seat, at=at):
            return Move(seat_letter(seat), f"switched {' and '.join(_texts(at))}", "", _texts(at))
        case Slammed(by=by, card=card, at=at, result=result):
            words = {
                SlamResult.HIT: "slammed {}",
                SlamResult.WRONG: "wrong slam",
                SlamResult.LATE: "too late",
            }
            hit = result is SlamResult.HIT
            return Move(
                seat_letter(by), words[result], card.text if hit else "", _texts((at,)) if hit else ()
            )
        case Penalized(seat=seat, slot=slot):
            return Move(seat_letter(seat), "penalty card", "", _at(seat, slot))
        case Gave(seat=seat, slot=slot, to=to):
            return Move(seat_letter(seat), f"gave {slot}", "", (*_at(seat, slot), position_text(to)))
        case Knocked(seat=seat):
            return Move(seat_letter(seat), "knocked")
        case Passed(seat=seat) | Declined(seat=seat):
            return Move(seat_letter(seat), "passed")
        case _:
            return None


def _texts(places: Iterable[Position]) -> tuple[str, ...]:
    return tuple([position_text(place) for place in places])


def _at(seat: Seat, slot: int) -> tuple[str, ...]:
    return (position_text(Position(seat, slot)),)
