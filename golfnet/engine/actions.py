"""The actions that a seat may request. ``play.decide`` turns an action into events or refuses it.

Actions contain neither their seat, which is passed separately, nor anything hidden.
"""

from typing import ClassVar

from golfnet.engine.cards import Position
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
