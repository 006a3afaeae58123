"""The engine's errors: illegal actions, unplayable rule sets, and logs that break the rules.

Every refusal has a code from ``Refusal`` and a sentence that says what was expected.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from golfnet.engine.cards import SEAT_LETTERS


class Refusal(StrEnum):
    """Why an action was refused; the values are the error codes on the wire."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    BAD_PHASE = "BAD_PHASE"
    BAD_SLOT = "BAD_SLOT"
    LOCKED = "LOCKED"
    NOTHING_TO_TAKE = "NOTHING_TO_TAKE"
    MUST_PLACE = "MUST_PLACE"
    TOO_LATE = "TOO_LATE"
    CARD_MOVED = "CARD_MOVED"
    GIFT_OWED = "GIFT_OWED"
    NOT_IN_RULES = "NOT_IN_RULES"
    CUT_MISMATCH = "CUT_MISMATCH"


class IllegalAction(Exception):
    """A player requested an action that the rules refuse; nothing has changed.

    In ``sentence``, the letters of other seats are in braces, as in ``It is {B}'s turn.`` ``with_names`` replaces them
    with players' names; ``expected`` is the sentence without braces.
    """

    def __init__(self, refusal: Refusal, sentence: str) -> None:
        self.refusal = refusal
        self.expected = _SEAT.sub(r"\1", sentence)
        self._sentence = sentence
        super().__init__(self.expected)

    def with_names(self, names: Sequence[str]) -> str:
        """Return the sentence with players' names, given in seat order, instead of seat letters."""
        return _SEAT.sub(lambda found: names[SEAT_LETTERS.index(found[1])] or found[1], self._sentence)


class RuleError(Exception):
    """A rule set, or a change to one, that cannot be played; it names the option and its allowed values."""

    def __init__(self, option: str, expected: str) -> None:
        super().__init__(f"{option}: {expected}")
        self.option = option
        self.expected = expected


class DivergedLog(Exception):
    """A log or record that legal play cannot have produced; the message names the first event that differs."""


_SEAT: Final = re.compile(r"\{([A-Z])\}")
"""Matches a seat placeholder in a refusal message."""
