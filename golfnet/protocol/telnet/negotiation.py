"""Who performs which telnet option: the Q method of RFC 1143, with the queue bit.

What stays true: both ends come to agree about every option, in whatever order requests cross; nothing is said
twice and no answer is answered, so two ends never negotiate in circles.

The RFC writes the same machine down twice, for "us" and for "him". It is one table here: an option has a state for
each side, and what that side's peer says is a yes or a no.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from golfnet.protocol.telnet.wire import Command, negotiation

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


class Side(Enum):
    """Which end performs an option."""

    US = "us"
    PEER = "peer"


class OptionState(Enum):
    """What is settled or asked about one option on one side (RFC 1143, section 7)."""

    NO = auto()
    YES = auto()
    WANT_NO = auto()  # asked to stop
    WANT_NO_THEN_YES = auto()  # asked to stop, and to start again once that is answered
    WANT_YES = auto()  # asked to start
    WANT_YES_THEN_NO = auto()  # asked to start, and to stop again once that is answered


class Cue(Enum):
    """What can happen to an option: the peer speaks (WILL or DO, WONT or DONT), or we want something."""

    HEARD_YES = auto()
    HEARD_NO = auto()
    WANT_ON = auto()
    WANT_OFF = auto()


class Say(Enum):
    """What to tell the peer: WILL or DO, WONT or DONT, or nothing."""

    YES = auto()
    NO = auto()
    NOTHING = auto()


def step(state: OptionState, cue: Cue, *, agree: bool) -> tuple[OptionState, Say]:
    """Returns an option's next state and what to say; `agree` is the answer to a peer that asks first."""
    if state is OptionState.NO and cue is Cue.HEARD_YES and not agree:
        return OptionState.NO, Say.NO
    return _TABLE[state, cue]


class Negotiator:
    """The states of all options of one connection; every method returns the bytes to send, often none.

    `ours` are the options that we perform when the peer asks, `theirs` those that the peer may begin by itself.
    """

    __slots__ = ("_agreeable", "_states")

    def __init__(self, *, ours: AbstractSet[int], theirs: AbstractSet[int]) -> None:
        self._agreeable = {Side.US: ours, Side.PEER: theirs}
        self._states: dict[tuple[Side, int], OptionState] = {}  # only those that are not NO

    def is_on(self, side: Side, option: int) -> bool:
        """Says whether a side performs an option, as far as both ends have agreed."""
        return self._states.get((side, option)) is OptionState.YES

    def hear(self, verb: Command, option: int) -> bytes:
        """Takes in the peer's WILL, WONT, DO or DONT."""
        side, cue = _HEARD[verb]
        return self._step(side, option, cue)

    def want_on(self, side: Side, option: int) -> bytes:
        """Asks that a side perform an option."""
        return self._step(side, option, Cue.WANT_ON)

    def want_off(self, side: Side, option: int) -> bytes:
        """Asks that a side stop performing an option."""
        return self._step(side, option, Cue.WANT_OFF)

    def _step(self, side: Side, option: int, cue: Cue) -> bytes:
        before = self._states.get((side, option), OptionState.NO)
        after, say = step(before, cue, agree=option in self._agreeable[side])
        if after is OptionState.NO:
            self._states.pop((side, option), None)
        else:
            self._states[side, option] = after
        return b"" if say is Say.NOTHING else negotiation(_VERBS[side, say], option)


_HEARD: Final = {
    Command.DO: (Side.US, Cue.HEARD_YES),
    Command.DONT: (Side.US, Cue.HEARD_NO),
    Command.WILL: (Side.PEER, Cue.HEARD_YES),
    Command.WONT: (Side.PEER, Cue.HEARD_NO),
}
_VERBS: Final = {
    (Side.US, Say.YES): Command.WILL,
    (Side.US, Say.NO): Command.WONT,
    (Side.PEER, Say.YES): Command.DO,
    (Side.PEER, Say.NO): Command.DONT,
}
_TABLE: Final = {
    (OptionState.NO, Cue.HEARD_YES): (OptionState.YES, Say.YES),
    (OptionState.NO, Cue.HEARD_NO): (OptionState.NO, Say.NOTHING),
    (OptionState.NO, Cue.WANT_ON): (OptionState.WANT_YES, Say.YES),
    (OptionState.NO, Cue.WANT_OFF): (OptionState.NO, Say.NOTHING),
    (OptionState.YES, Cue.HEARD_YES): (OptionState.YES, Say.NOTHING),
    (OptionState.YES, Cue.HEARD_NO): (OptionState.NO, Say.NO),
    (OptionState.YES, Cue.WANT_ON): (OptionState.YES, Say.NOTHING),
    (OptionState.YES, Cue.WANT_OFF): (OptionState.WANT_NO, Say.NO),
    # A yes in answer to our no is the peer's error. It is taken for the no that had to come, as the RFC does.
    (OptionState.WANT_NO, Cue.HEARD_YES): (OptionState.NO, Say.NOTHING),
    (OptionState.WANT_NO, Cue.HEARD_NO): (OptionState.NO, Say.NOTHING),
    (OptionState.WANT_NO, Cue.WANT_ON): (OptionState.WANT_NO_THEN_YES, Say.NOTHING),
    (OptionState.WANT_NO, Cue.WANT_OFF): (OptionState.WANT_NO, Say.NOTHING),
    # The same error, but here it is what we want by now.
    (OptionState.WANT_NO_THEN_YES, Cue.HEARD_YES): (OptionState.YES, Say.NOTHING),
    (OptionState.WANT_NO_THEN_YES, Cue.HEARD_NO): (OptionState.WANT_YES, Say.YES),
    (OptionState.WANT_NO_THEN_YES, Cue.WANT_ON): (OptionState.WANT_NO_THEN_YES, Say.NOTHING),
    (OptionState.WANT_NO_THEN_YES, Cue.WANT_OFF): (OptionState.WANT_NO, Say.NOTHING),
    (OptionState.WANT_YES, Cue.HEARD_YES): (OptionState.YES, Say.NOTHING),
    (OptionState.WANT_YES, Cue.HEARD_NO): (OptionState.NO, Say.NOTHING),
    (OptionState.WANT_YES, Cue.WANT_ON): (OptionState.WANT_YES, Say.NOTHING),
    (OptionState.WANT_YES, Cue.WANT_OFF): (OptionState.WANT_YES_THEN_NO, Say.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.HEARD_YES): (OptionState.WANT_NO, Say.NO),
    (OptionState.WANT_YES_THEN_NO, Cue.HEARD_NO): (OptionState.NO, Say.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.WANT_ON): (OptionState.WANT_YES, Say.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.WANT_OFF): (OptionState.WANT_YES_THEN_NO, Say.NOTHING),
}
