"""Negotiation of telnet options: the Q method of RFC 1143, with the queue bit.

What stays true: both ends come to agree about every option, in whatever order requests cross. Nothing is sent twice and
no answer is answered, so two ends never negotiate in a loop.

The RFC describes the same machine twice, for "us" and for "him". It is one table here: an option has a state for each
side, and a request of that side's peer is a yes or a no.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from golfnet.protocol.telnet.wire import Command, negotiation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet


class Side(Enum):
    """Which end performs an option."""

    US = "us"
    PEER = "peer"


class OptionState(Enum):
    """What is agreed or requested about one option on one side (RFC 1143, section 7)."""

    NO = auto()
    YES = auto()
    WANT_NO = auto()  # asked to stop
    WANT_NO_THEN_YES = auto()  # asked to stop, and to start again once that is answered
    WANT_YES = auto()  # asked to start
    WANT_YES_THEN_NO = auto()  # asked to start, and to stop again once that is answered


class Cue(Enum):
    """What can happen to an option: the peer requests or answers (WILL or DO, WONT or DONT), or we want a change."""

    RECEIVED_YES = auto()
    RECEIVED_NO = auto()
    WANT_ON = auto()
    WANT_OFF = auto()


class OptionReply(Enum):
    """What to send to the peer: WILL or DO, WONT or DONT, or nothing."""

    YES = auto()
    NO = auto()
    NOTHING = auto()


def step(state: OptionState, cue: Cue, *, agree: bool) -> tuple[OptionState, OptionReply]:
    """Return an option's next state and what to send; ``agree`` is the answer to a request of the peer."""
    if state is OptionState.NO and cue is Cue.RECEIVED_YES and not agree:
        return OptionState.NO, OptionReply.NO
    return _TABLE[state, cue]


class Negotiator:
    """The states of all options of one connection; every method returns the bytes to send, often none.

    ``ours`` are the options that we perform if the peer requests them, ``theirs`` those that the peer may start to
    perform.
    """

    __slots__ = ("_agreeable", "_states")

    def __init__(self, *, ours: AbstractSet[int], theirs: AbstractSet[int]) -> None:
        self._agreeable = {Side.US: ours, Side.PEER: theirs}
        self._states: dict[tuple[Side, int], OptionState] = {}  # only those that are not NO

    def is_on(self, side: Side, option: int) -> bool:
        """Return whether a side performs an option, as far as both ends have agreed."""
        return self._states.get((side, option)) is OptionState.YES

    def receive(self, verb: Command, option: int) -> bytes:
        """Handle the peer's WILL, WONT, DO or DONT."""
        side, cue = _RECEIVED[verb]
        return self._step(side, option, cue)

    def want_on(self, side: Side, option: int) -> bytes:
        """Request that a side performs an option."""
        return self._step(side, option, Cue.WANT_ON)

    def want_off(self, side: Side, option: int) -> bytes:
        """Request that a side stops performing an option."""
        return self._step(side, option, Cue.WANT_OFF)

    def snapshot(self) -> tuple[tuple[str, int, str], ...]:
        """Return the side, the number and the state of each option that is not just off."""
        return tuple((side.value, option, state.name) for (side, option), state in self._states.items())

    def restore(self, states: Iterable[tuple[str, int, str]]) -> None:
        """Negotiate on from a snapshot. Raise ``ValueError`` where it is none."""
        for side, option, state in states:
            if state not in OptionState.__members__ or not 0 <= option <= 255:
                raise ValueError(f"a state of a telnet option, not {state!r} of {option}")
            self._states[Side(side), option] = OptionState[state]

    def _step(self, side: Side, option: int, cue: Cue) -> bytes:
        before = self._states.get((side, option), OptionState.NO)
        after, reply = step(before, cue, agree=option in self._agreeable[side])
        if after is OptionState.NO:
            self._states.pop((side, option), None)
        else:
            self._states[side, option] = after
        return b"" if reply is OptionReply.NOTHING else negotiation(_VERBS[side, reply], option)


_RECEIVED: Final = {
    Command.DO: (Side.US, Cue.RECEIVED_YES),
    Command.DONT: (Side.US, Cue.RECEIVED_NO),
    Command.WILL: (Side.PEER, Cue.RECEIVED_YES),
    Command.WONT: (Side.PEER, Cue.RECEIVED_NO),
}
_VERBS: Final = {
    (Side.US, OptionReply.YES): Command.WILL,
    (Side.US, OptionReply.NO): Command.WONT,
    (Side.PEER, OptionReply.YES): Command.DO,
    (Side.PEER, OptionReply.NO): Command.DONT,
}
_TABLE: Final = {
    (OptionState.NO, Cue.RECEIVED_YES): (OptionState.YES, OptionReply.YES),
    (OptionState.NO, Cue.RECEIVED_NO): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.NO, Cue.WANT_ON): (OptionState.WANT_YES, OptionReply.YES),
    (OptionState.NO, Cue.WANT_OFF): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.YES, Cue.RECEIVED_YES): (OptionState.YES, OptionReply.NOTHING),
    (OptionState.YES, Cue.RECEIVED_NO): (OptionState.NO, OptionReply.NO),
    (OptionState.YES, Cue.WANT_ON): (OptionState.YES, OptionReply.NOTHING),
    (OptionState.YES, Cue.WANT_OFF): (OptionState.WANT_NO, OptionReply.NO),
    # A yes in answer to our no is the peer's error. It is handled like the expected no, as the RFC does.
    (OptionState.WANT_NO, Cue.RECEIVED_YES): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.WANT_NO, Cue.RECEIVED_NO): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.WANT_NO, Cue.WANT_ON): (OptionState.WANT_NO_THEN_YES, OptionReply.NOTHING),
    (OptionState.WANT_NO, Cue.WANT_OFF): (OptionState.WANT_NO, OptionReply.NOTHING),
    # The same error, but now we want a yes.
    (OptionState.WANT_NO_THEN_YES, Cue.RECEIVED_YES): (OptionState.YES, OptionReply.NOTHING),
    (OptionState.WANT_NO_THEN_YES, Cue.RECEIVED_NO): (OptionState.WANT_YES, OptionReply.YES),
    (OptionState.WANT_NO_THEN_YES, Cue.WANT_ON): (OptionState.WANT_NO_THEN_YES, OptionReply.NOTHING),
    (OptionState.WANT_NO_THEN_YES, Cue.WANT_OFF): (OptionState.WANT_NO, OptionReply.NOTHING),
    (OptionState.WANT_YES, Cue.RECEIVED_YES): (OptionState.YES, OptionReply.NOTHING),
    (OptionState.WANT_YES, Cue.RECEIVED_NO): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.WANT_YES, Cue.WANT_ON): (OptionState.WANT_YES, OptionReply.NOTHING),
    (OptionState.WANT_YES, Cue.WANT_OFF): (OptionState.WANT_YES_THEN_NO, OptionReply.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.RECEIVED_YES): (OptionState.WANT_NO, OptionReply.NO),
    (OptionState.WANT_YES_THEN_NO, Cue.RECEIVED_NO): (OptionState.NO, OptionReply.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.WANT_ON): (OptionState.WANT_YES, OptionReply.NOTHING),
    (OptionState.WANT_YES_THEN_NO, Cue.WANT_OFF): (OptionState.WANT_YES_THEN_NO, OptionReply.NOTHING),
}
