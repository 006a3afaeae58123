"""From events back to actions: repeat in the engine what a log or record contains.

The first event of a step shows which seat did what; the engine must produce all other events of the step.
"""

from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import actions as do
from golfnet.engine import events as ev
from golfnet.engine import match as matches
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match, Step
from golfnet.engine.notation import action_text, seat_letter


def step_of(match: Match, first: ev.Event) -> Step:
    """Return the engine's step that begins with this event of the hole in play.

    Raise ``IllegalAction`` if no seat could do that, with a sentence that names the seat and the action.
    """
    hole = match.hole
    if hole is None or not match.is_playing:
        raise IllegalAction(Refusal.BAD_PHASE, "No hole is in play.")
    if isinstance(first, ev.HoleEnded) and first.reason is ev.EndReason.ABANDONED:
        return matches.abandon(match)
    if isinstance(first, ev.SlamClosed):
        return matches.close_window(match)
    action_of = _ACTIONS.get(type(first))
    if action_of is None:
        raise IllegalAction(Refusal.BAD_PHASE, f"Nobody can bring about {first.name} here.")
    seat, action = action_of(hole, first)
    if seat not in hole.seats:
        raise IllegalAction(Refusal.NOT_YOUR_TURN, f"There is no seat {seat_letter(seat)}.")
    try:
        return matches.act(match, seat, action)
    except IllegalAction as refused:
        tried = f"{seat_letter(seat)} cannot {action_text(action, seat)} here: {refused.expected}"
        raise IllegalAction(refused.refusal, tried) from None


def _slam_action(hole: Hole, event: ev.Slammed) -> tuple[Seat, do.Action]:
    number = hole.discard_no if hole.window is None else hole.window.discard_no
    return event.by, do.Slam(event.at, number)


def _reshuffle_action(hole: Hole, event: ev.Reshuffled) -> tuple[Seat, do.Action]:
    return Seat(0) if hole.turn is None else hole.turn, do.Draw()


_ACTIONS: Final[dict[type[ev.Event], Callable[[Hole, Any], tuple[Seat, do.Action]]]] = {
    ev.Peeked: lambda _, event: (event.seat, do.Peek(event.at)),
    ev.Flipped: lambda _, event: (event.seat, do.Flip((event.slot,))),
    ev.Reshuffled: _reshuffle_action,
    ev.Drew: lambda _, event: (event.seat, do.Draw()),
    ev.Took: lambda _, event: (event.seat, do.Take()),
    ev.Swapped: lambda _, event: (event.seat, do.Swap(event.slot)),
    ev.Discarded: lambda _, event: (event.seat, do.Discard()),
    ev.Passed: lambda _, event: (event.seat, do.Pass()),
    ev.Declined: lambda _, event: (event.seat, do.Decline()),
    ev.Knocked: lambda _, event: (event.seat, do.Knock()),
    ev.Switched: lambda _, event: (event.seat, do.Switch(*event.at)),
    ev.Slammed: _slam_action,
    ev.Gave: lambda _, event: (event.seat, do.Give(event.slot)),
}
"""The action behind an event that is the first of its step. Two cards turned up at once, or taken and placed at once,
have the same result as one after the other.
"""
