"""From what happened back to what was asked: doing again in the engine what a log or record tells.

The first event of a step says who did what; everything else of the step must follow from it.
"""

from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import match as matches
from golfnet.engine.actions import (
    Action,
    Decline,
    Discard,
    Draw,
    Flip,
    Give,
    Knock,
    Pass,
    Peek,
    Slam,
    Swap,
    Switch,
    Take,
)
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import (
    Declined,
    Discarded,
    Drew,
    Event,
    Flipped,
    Gave,
    HoleEnded,
    Knocked,
    Passed,
    Peeked,
    Reason,
    Reshuffled,
    SlamClosed,
    Slammed,
    Swapped,
    Switched,
    Took,
)
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match, Step
from golfnet.engine.notation import action_text, seat_letter


def step_of(match: Match, first: Event) -> Step:
    """Return what the engine makes of the step that begins with an event of the hole in play.

    Raises ``IllegalAction`` where nobody could do that, with a sentence that says who tried what.
    """
    hole = match.hole
    if hole is None or not match.is_playing:
        raise IllegalAction(Refusal.BAD_PHASE, "No hole is in play.")
    if isinstance(first, HoleEnded) and first.reason is Reason.ABANDONED:
        return matches.abandon(match)
    if isinstance(first, SlamClosed):
        return matches.close_window(match)
    asked = _ASKED.get(type(first))
    if asked is None:
        raise IllegalAction(Refusal.BAD_PHASE, f"Nobody can bring about {first.name} here.")
    seat, action = asked(hole, first)
    if seat not in hole.seats:
        raise IllegalAction(Refusal.NOT_YOUR_TURN, f"There is no seat {seat_letter(seat)}.")
    try:
        return matches.act(match, seat, action)
    except IllegalAction as refused:
        tried = f"{seat_letter(seat)} cannot {action_text(action, seat)} here: {refused.expected}"
        raise IllegalAction(refused.refusal, tried) from None


def _asked_slam(hole: Hole, event: Slammed) -> tuple[Seat, Action]:
    number = hole.discard_no if hole.window is None else hole.window.discard_no
    return event.by, Slam(event.at, number)


def _asked_reshuffled(hole: Hole, event: Reshuffled) -> tuple[Seat, Action]:
    return Seat(0) if hole.turn is None else hole.turn, Draw()


_ASKED: Final[dict[type[Event], Callable[[Hole, Any], tuple[Seat, Action]]]] = {
    Peeked: lambda _, event: (event.seat, Peek(event.at)),
    Flipped: lambda _, event: (event.seat, Flip((event.slot,))),
    Reshuffled: _asked_reshuffled,
    Drew: lambda _, event: (event.seat, Draw()),
    Took: lambda _, event: (event.seat, Take()),
    Swapped: lambda _, event: (event.seat, Swap(event.slot)),
    Discarded: lambda _, event: (event.seat, Discard()),
    Passed: lambda _, event: (event.seat, Pass()),
    Declined: lambda _, event: (event.seat, Decline()),
    Knocked: lambda _, event: (event.seat, Knock()),
    Switched: lambda _, event: (event.seat, Switch(*event.at)),
    Slammed: _asked_slam,
    Gave: lambda _, event: (event.seat, Give(event.slot)),
}
"""What was asked for when an event is the first of its step. Two cards turned up at once, or taken and placed at once,
come to the same as one after the other.
"""
