"""A table as its viewer was told, read as the engine's own view of the hole: what a program needs to choose by.

What stays true: of what the server tells a seat, and of what is folded from that, this gives the view that the engine
has of the seat, with the choices that the server offers now.
"""

from functools import lru_cache
from typing import Final

from golfnet.engine.actions import Action
from golfnet.engine.hole import Gift, Phase
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.notation import parse_action, parse_card, parse_position, parse_seat
from golfnet.engine.rules import SlamMode
from golfnet.engine.views import SeenWindow, View
from golfnet.protocol.replies.replies import SlamView, TableView
from golfnet.protocol.replies.steps import rules_of


def seen(view: TableView) -> View | None:
    """Return the hole in play as the engine would show it to the viewer, None where none is in play."""
    if view.state != "playing" or view.phase is None or view.dealer is None or view.leader is None:
        return None
    seat = _seat(view.you)
    return View(
        rules=rules_of(view),
        seat=seat,
        hole=view.hole,
        dealer=parse_seat(view.dealer),
        leader=parse_seat(view.leader),
        commitment=view.commitment,
        totals=tuple([each.total for each in view.seats]),
        phase=Phase(view.phase),
        turn=_seat(view.turn),
        turns=tuple([each.turns for each in view.seats]),
        owed=view.owed,
        layouts=tuple([each.slots for each in view.seats]),
        stock=view.stock,
        discard=None if view.discard is None else parse_card(view.discard),
        discard_no=view.discard_no,
        discard_count=view.discard_count,
        reshuffles_left=view.reshuffles,
        holding=_seat(view.holding),
        drawn=None if view.drawn is None else parse_card(view.drawn),
        power=view.power,
        gift=_gift(view),
        window=None if view.slam is None else _window(view.slam),
        closer=_seat(view.closer),
        ended=None,
        choices=Choices() if seat is None else _choices(view, seat),
    )


def _seat(letter: str | None) -> Seat | None:
    return None if letter is None else parse_seat(letter)


def _gift(view: TableView) -> Gift | None:
    if view.owes is None or view.gift_to is None:
        return None
    return Gift(parse_seat(view.owes), parse_position(view.gift_to))


def _window(slam: SlamView) -> SeenWindow:
    return SeenWindow(
        discard_no=slam.discard_no,
        card=parse_card(slam.card),
        mode=SlamMode(slam.mode),
        won=slam.won,
        passed=slam.passed,
    )


def _choices(view: TableView, seat: Seat) -> Choices:
    """Return what is offered; beside a power ``targets`` are those of the power, some too many for a slam."""
    targets = _positions(view.targets)
    moved = () if view.slam is None else _positions(view.slam.moved)
    return Choices(
        actions=_actions(view.actions, seat),
        switchable=targets if _DECLINE in view.actions else (),
        slammable=tuple([at for at in targets if at not in moved]) if _SLAM in view.actions else (),
    )


@lru_cache(maxsize=1024)
def _actions(lines: tuple[str, ...], seat: Seat) -> tuple[Action, ...]:
    """Return the actions of command lines but bare pairs and slams, and but lines that are not known here."""
    actions = []
    for line in lines:
        try:
            actions.append(parse_action(line, seat))
        except ValueError:
            continue
    return tuple(actions)


@lru_cache(maxsize=1024)
def _positions(texts: tuple[str, ...]) -> tuple[Position, ...]:
    return tuple(map(parse_position, texts))


_DECLINE: Final = "decline"
_SLAM: Final = "slam"
