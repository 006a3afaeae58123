"""The actions that a seat may request. ``play.decide`` turns an action into events or refuses it.

Actions contain neither their seat, which is passed separately, nor anything hidden. Their text is a command line as on
the wire; parsing the text of an action returns an equal action.
"""

from typing import ClassVar, Final

from golfnet.engine.cards import Position, Seat, parse_number, parse_position, parse_slot, position_text
from golfnet.engine.frozen import Frozen


class _Asked(Frozen):
    """The base of all actions; ``verb`` is the word for an action in commands."""

    verb: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.verb = cls.__name__.lower()


class Draw(_Asked):
    """Draw the top card of the stock."""


class Take(_Asked):
    """Take the top card of the discard pile; ``slot`` is where it goes, or None to choose afterwards (X3)."""

    slot: int | None = None


class Knock(_Asked):
    """Knock instead of taking a turn (C7, K2)."""


class Swap(_Asked):
    """Put the drawn card into a slot and discard the card that was there."""

    slot: int


class Discard(_Asked):
    """Put the card drawn from the stock on the discard pile."""


class Flip(_Asked):
    """Turn up some of the seat's own cards: as start choices, after discarding a drawn card (S1), or as a turn (M3)."""

    slots: tuple[int, ...]


class Peek(_Asked):
    """Look at face-down cards: as start choices, or at one card by using a power (C6)."""

    at: tuple[Position, ...]


class Switch(_Asked):
    """Exchange two face-down cards unseen, by using a power (C6)."""

    first: Position
    second: Position


class Decline(_Asked):
    """Leave a power unused (C6)."""


class Pass(_Asked):
    """Choose not to turn up a card (S1), or sit out a slam window (C19)."""


class Slam(_Asked):
    """Claim that a face-down card has the rank of discard number ``discard_no`` (C11, C20)."""

    at: Position
    discard_no: int


class Give(_Asked):
    """Give one of the seat's own cards in exchange for a slammed one (C14)."""

    slot: int


Action = Draw | Take | Knock | Swap | Discard | Flip | Peek | Switch | Decline | Pass | Slam | Give


def action_text(action: Action, seat: Seat) -> str:
    """Return the command line for an action by ``seat``, with the seat's own positions as bare slots."""
    match action:
        case Draw() | Discard() | Knock() | Decline() | Pass() | Take(slot=None):
            return action.verb
        case Take(slot=slot) | Swap(slot=slot) | Give(slot=slot):
            return f"{action.verb} {slot}"
        case Flip(slots=slots):
            return f"flip {' '.join(map(str, slots))}"
        case Peek(at=at):
            return f"peek {' '.join([_relative(position, seat) for position in at])}"
        case Switch(first=first, second=second):
            return f"switch {_relative(first, seat)} {_relative(second, seat)}"
        case Slam(at=at, discard_no=number):
            return f"slam {_relative(at, seat)} #{number}"


def parse_action(text: str, seat: Seat, discard_no: int = 0) -> Action:
    """Return the action that a command line by ``seat`` means, or raise ``ValueError`` with what was expected.

    ``discard_no`` is the discard meant by a slam that does not name one.
    """
    verb, *words = text.lower().split() or [""]
    if verb in _BARE and not words:
        return _BARE[verb]
    match verb, words:
        case "take", [slot]:
            return Take(parse_slot(slot))
        case "swap", [slot]:
            return Swap(parse_slot(slot))
        case "give", [slot]:
            return Give(parse_slot(slot))
        case "flip", [_, *_]:
            return Flip(tuple(sorted(map(parse_slot, words))))
        case "peek", [_, *_]:
            return Peek(tuple(sorted(parse_position(word, seat) for word in words)))
        case "switch", [first, second]:
            return Switch(parse_position(first, seat), parse_position(second, seat))
        case "slam", [at]:
            return Slam(parse_position(at, seat), discard_no)
        case "slam", [at, number] if number[:1] == "#":
            return Slam(
                parse_position(at, seat), parse_number(number[1:], digits=9, what="a discard such as #12")
            )
    raise ValueError(f"an action such as draw, take 3 or switch 1 B2, not {text!r}")


def _relative(at: Position, seat: Seat) -> str:
    return str(at.slot) if at.seat == seat else position_text(at)


_BARE: Final[dict[str, Action]] = {
    action.verb: action for action in (Draw(), Take(), Knock(), Discard(), Decline(), Pass())
}
