"""Which action of the rules each command of play asks for: one table, from the arguments as they were parsed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

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
from golfnet.engine.layout import Seat
from golfnet.protocol.commands.parse import Request


def to_action(request: Request, seat: Seat, discard_no: int = 0) -> Action:
    """Return the action that ``seat`` asks for by a command of play.

    ``discard_no`` is meant by a slam that names no discard.
    """
    return ACTIONS[request.verb](request.arguments, seat, discard_no)


_Arguments = Mapping[str, Any]  # of the types that the parameters of the command say


def _flip(given: _Arguments, seat: Seat, shown: int) -> Action:
    return Flip(tuple(sorted(given["slots"])))


def _peek(given: _Arguments, seat: Seat, shown: int) -> Action:
    return Peek(tuple(sorted([each.position(seat) for each in given["positions"]])))


def _switch(given: _Arguments, seat: Seat, shown: int) -> Action:
    return Switch(given["first"].position(seat), given["second"].position(seat))


def _slam(given: _Arguments, seat: Seat, shown: int) -> Action:
    return Slam(given["position"].position(seat), given.get("discard", shown))


ACTIONS: Final[Mapping[str, Callable[[_Arguments, Seat, int], Action]]] = {
    "draw": lambda given, seat, shown: Draw(),
    "take": lambda given, seat, shown: Take(given.get("slot")),
    "knock": lambda given, seat, shown: Knock(),
    "swap": lambda given, seat, shown: Swap(given["slot"]),
    "discard": lambda given, seat, shown: Discard(),
    "flip": _flip,
    "pass": lambda given, seat, shown: Pass(),
    "peek": _peek,
    "switch": _switch,
    "decline": lambda given, seat, shown: Decline(),
    "slam": _slam,
    "give": lambda given, seat, shown: Give(given["slot"]),
}
"""How each verb of play is read, with the seat that asks and the discard that was shown to it."""
