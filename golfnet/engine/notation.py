"""Text forms of seats, positions, slots and actions, as on the wire.

``B3`` is slot 3 of seat B, a bare ``3`` is slot 3 of the writer's own seat. Parsing the text of a value returns an
equal value.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from golfnet.engine import actions as do
from golfnet.engine.cards import CARDS, MAX_SEATS, Card, Position, Seat

SEAT_LETTERS: Final = "ABCDEFGHIJKL"[:MAX_SEATS]
_SEATS: Final = {
    each: Seat(seat) for seat, letter in enumerate(SEAT_LETTERS) for each in (letter, letter.lower())
}


seat_letter: Final[Callable[[Seat], str]] = SEAT_LETTERS.__getitem__
"""Returns the letter of a seat, A for 0."""


@cache
def parse_seat(text: str) -> Seat:
    """Return the seat for a letter, in either case, or raise ``ValueError``."""
    seat = _SEATS.get(text)
    if seat is None:
        raise ValueError(f"a seat letter, A to {SEAT_LETTERS[-1]}, not {text!r}")
    return seat


def parse_slot(text: str) -> int:
    """Return the slot number in a text, or raise ``ValueError``."""
    return _number(text, digits=3, what="a slot number such as 3")


def position_text(at: Position) -> str:
    """Return the text of a position, such as ``B3``."""
    return f"{SEAT_LETTERS[at.seat]}{at.slot}"


def parse_position(text: str, own: Seat | None = None) -> Position:
    """Return the position in ``B3``, or in a bare ``3`` for seat ``own``, or raise ``ValueError``."""
    if own is not None and text[:1].isdigit():
        return Position(own, parse_slot(text))
    try:
        return Position(parse_seat(text[:1]), parse_slot(text[1:]))
    except ValueError:
        raise ValueError(f"a position such as B3, or a slot number of your own, not {text!r}") from None


def parse_card(text: str) -> Card:
    """Return the card written as ``7H``, ``10D`` or ``*``, in either case, or raise ``ValueError``."""
    card = CARDS.get(text.upper()) if text.isascii() else None
    if card is None:
        raise ValueError(f"a card such as 7H, 10D or *, not {text!r}")
    return card


def action_text(action: do.Action, seat: Seat) -> str:
    """Return the command line for an action by ``seat``, with the seat's own positions as bare slots."""
    match action:
        case do.Draw() | do.Discard() | do.Knock() | do.Decline() | do.Pass() | do.Take(slot=None):
            return action.verb
        case do.Take(slot=slot) | do.Swap(slot=slot) | do.Give(slot=slot):
            return f"{action.verb} {slot}"
        case do.Flip(slots=slots):
            return f"flip {' '.join(map(str, slots))}"
        case do.Peek(at=at):
            return f"peek {' '.join([_relative(position, seat) for position in at])}"
        case do.Switch(first=first, second=second):
            return f"switch {_relative(first, seat)} {_relative(second, seat)}"
        case do.Slam(at=at, discard_no=number):
            return f"slam {_relative(at, seat)} #{number}"


def parse_action(text: str, seat: Seat, discard_no: int = 0) -> do.Action:
    """Return the action that a command line by ``seat`` means, or raise ``ValueError`` with what was expected.

    ``discard_no`` is the discard meant by a slam that does not name one.
    """
    verb, *words = text.lower().split() or [""]
    if verb in _BARE and not words:
        return _BARE[verb]
    match verb, words:
        case "take", [slot]:
            return do.Take(parse_slot(slot))
        case "swap", [slot]:
            return do.Swap(parse_slot(slot))
        case "give", [slot]:
            return do.Give(parse_slot(slot))
        case "flip", [_, *_]:
            return do.Flip(tuple(sorted(map(parse_slot, words))))
        case "peek", [_, *_]:
            return do.Peek(tuple(sorted(parse_position(word, seat) for word in words)))
        case "switch", [first, second]:
            return do.Switch(parse_position(first, seat), parse_position(second, seat))
        case "slam", [at]:
            return do.Slam(parse_position(at, seat), discard_no)
        case "slam", [at, number] if number[:1] == "#":
            return do.Slam(
                parse_position(at, seat), _number(number[1:], digits=9, what="a discard such as #12")
            )
    raise ValueError(f"an action such as draw, take 3 or switch 1 B2, not {text!r}")


def _number(text: str, *, digits: int, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= digits and int(text) > 0):
        raise ValueError(f"{what}, not {text!r}")
    return int(text)


def _relative(at: Position, seat: Seat) -> str:
    return str(at.slot) if at.seat == seat else position_text(at)


_BARE: Final[dict[str, do.Action]] = {
    action.verb: action
    for action in (do.Draw(), do.Take(), do.Knock(), do.Discard(), do.Decline(), do.Pass())
}


_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def word(number: int) -> str:
    """Return a number as a word if it is at most twelve, otherwise in digits: ``no``, ``one``, ``13``."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else str(number)


def count(number: int, thing: str) -> str:
    """Return a count in words: ``no jokers``, ``one card``, ``13 cards``."""
    return f"{word(number)} {thing if number == 1 else thing + 's'}"


def times(number: int) -> str:
    """Return a number of times in words: ``once``, ``twice``, ``three times``."""
    return {1: "once", 2: "twice"}.get(number) or count(number, "time")


def listed(things: Iterable[object], last: str = "and") -> str:
    """Return the things joined by commas, with a word before the last: ``1, 2 and 3``."""
    *others, final = map(str, things)
    return f"{', '.join(others)} {last} {final}" if others else final


def alike(word: str, words: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the words that a mistyped word may stand for, the most similar one first."""
    from difflib import get_close_matches  # imported on first use, to keep startup fast

    return get_close_matches(word, words, most, cutoff)
