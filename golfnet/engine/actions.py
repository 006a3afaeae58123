"""The actions that a seat may request. ``play.decide`` turns an action into events or refuses it.

Actions contain neither their seat, which is passed separately, nor anything hidden.
"""

from typing import ClassVar

from golfnet.engine.frozen import Frozen
from golfnet.engine.layout import Position


class Draw(Frozen):
    """Draw the top card of the stock."""

    verb: ClassVar[str] = "draw"


class Take(Frozen):
    """Take the top card of the discard pile; ``slot`` is where it goes, or None to choose afterwards (X3)."""

    verb: ClassVar[str] = "take"
    slot: int | None = None


class Knock(Frozen):
    """Knock instead of taking a turn (C7, K2)."""

    verb: ClassVar[str] = "knock"


class Swap(Frozen):
    """Put the drawn card into a slot and discard the card that was there."""

    verb: ClassVar[str] = "swap"
    slot: int


class Discard(Frozen):
    """Put the card drawn from the stock on the discard pile."""

    verb: ClassVar[str] = "discard"


class Flip(Frozen):
    """Turn up some of the seat's own cards: as start choices, after discarding a drawn card (S1), or as a turn (M3)."""

    verb: ClassVar[str] = "flip"
    slots: tuple[int, ...]


class Peek(Frozen):
    """Look at face-down cards: as start choices, or at one card by using a power (C6)."""

    verb: ClassVar[str] = "peek"
    at: tuple[Position, ...]


class Switch(Frozen):
    """Exchange two face-down cards unseen, by using a power (C6)."""

    verb: ClassVar[str] = "switch"
    first: Position
    second: Position


class Decline(Frozen):
    """Leave a power unused (C6)."""

    verb: ClassVar[str] = "decline"


class Pass(Frozen):
    """Choose not to turn up a card (S1), or sit out a slam window (C19)."""

    verb: ClassVar[str] = "pass"


class Slam(Frozen):
    """Claim that a face-down card has the rank of discard number ``discard_no`` (C11, C20)."""

    verb: ClassVar[str] = "slam"
    at: Position
    discard_no: int


class Give(Frozen):
    """Give one of the seat's own cards in exchange for a slammed one (C14)."""

    verb: ClassVar[str] = "give"
    slot: int


Action = Draw | Take | Knock | Swap | Discard | Flip | Peek | Switch | Decline | Pass | Slam | Give
