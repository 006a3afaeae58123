"""The actions that a seat may request. ``play.decide`` turns an action into events or refuses it.

Actions contain neither their seat, which is passed separately, nor anything hidden.
"""

from typing import ClassVar

from golfnet.engine.frozen import frozen
from golfnet.engine.layout import Position


@frozen()
class Draw:
    """Draw the top card of the stock."""

    verb: ClassVar[str] = "draw"


@frozen()
class Take:
    """Take the top card of the discard pile; ``slot`` is where it goes, or None to choose afterwards (X3)."""

    verb: ClassVar[str] = "take"
    slot: int | None = None


@frozen()
class Knock:
    """Knock instead of taking a turn (C7, K2)."""

    verb: ClassVar[str] = "knock"


@frozen()
class Swap:
    """Put the drawn card into a slot and discard the card that was there."""

    verb: ClassVar[str] = "swap"
    slot: int


@frozen()
class Discard:
    """Put the card drawn from the stock on the discard pile."""

    verb: ClassVar[str] = "discard"


@frozen()
class Flip:
    """Turn up some of the seat's own cards: as start choices, after discarding a drawn card (S1), or as a turn (M3)."""

    verb: ClassVar[str] = "flip"
    slots: tuple[int, ...]


@frozen()
class Peek:
    """Look at face-down cards: as start choices, or at one card by using a power (C6)."""

    verb: ClassVar[str] = "peek"
    at: tuple[Position, ...]


@frozen()
class Switch:
    """Exchange two face-down cards unseen, by using a power (C6)."""

    verb: ClassVar[str] = "switch"
    first: Position
    second: Position


@frozen()
class Decline:
    """Leave a power unused (C6)."""

    verb: ClassVar[str] = "decline"


@frozen()
class Pass:
    """Choose not to turn up a card (S1), or sit out a slam window (C19)."""

    verb: ClassVar[str] = "pass"


@frozen()
class Slam:
    """Claim that a face-down card has the rank of discard number ``discard_no`` (C11, C20)."""

    verb: ClassVar[str] = "slam"
    at: Position
    discard_no: int


@frozen()
class Give:
    """Give one of the seat's own cards in exchange for a slammed one (C14)."""

    verb: ClassVar[str] = "give"
    slot: int


Action = Draw | Take | Knock | Swap | Discard | Flip | Peek | Switch | Decline | Pass | Slam | Give
