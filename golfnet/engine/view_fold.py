"""How each event changes what one viewer sees: like ``hole.evolve``, but for viewers who may not know everything.

Invariant, for every event and every viewer: folding the masked event (``views.mask``) into the view before it gives
the view of the hole after it (``views.view``). Choices are the one exception. They stay unchanged, because they cannot
be computed from a view: it lacks what a seat has looked at (X10), and a table may allow less than the rules do.
The server sends the allowed choices, and ``offered`` puts them into the view.

A view has no field for a hidden card, and nothing here needs one.
"""

from collections.abc import Callable
from typing import Any, Final

from golfnet.engine import events as ev
from golfnet.engine.cards import Card
from golfnet.engine.hole import Gift, Phase, changed
from golfnet.engine.layout import EMPTY, HIDDEN, Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.rules import FaceUp, Placed, Recall, SlamMode
from golfnet.engine.views import SeenLayout, SeenWindow, View

Changes = dict[str, Any]
"""New values for some of a view's fields."""


def evolve_view(view: View, event: ev.Event) -> View:
    """Return the view after an event of its hole, masked for its viewer; choices stay unchanged.

    Raise ``LookupError`` for an event that does not fit the view.
    """
    return changed(view, **changes_of(view, event))


def changes_of(view: View, event: ev.Event) -> Changes:
    """Return the new values of the fields that the event changes."""
    return _CHANGES[type(event)](view, event)


def offered(view: View, choices: Choices) -> View:
    """Return the view with its viewer's choices."""
    return changed(view, choices=choices)


_START, _TURN, _HOLDING, _FLIP, _POWER, _SLAM, _GIVE, _OVER = Phase
_UP, _ALWAYS, _RACE, _HIT = Placed.UP, Recall.ALWAYS, SlamMode.RACE, ev.SlamResult.HIT
_NOBODY, _FIRST = FaceUp.OFF, FaceUp.FIRST


def _slot(view: View, at: Position) -> str:
    slots = view.layouts[at.seat]
    if not 1 <= at.slot <= len(slots):
        raise LookupError(f"no slot {at.slot} at seat {at.seat}")
    return slots[at.slot - 1]


def _put(layouts: tuple[SeenLayout, ...], at: Position, text: str) -> tuple[SeenLayout, ...]:
    """Return the layouts with a slot replaced; the number after the highest adds a slot."""
    seat, number = at
    slots = layouts[seat]
    if not 1 <= number <= len(slots) + 1:
        raise LookupError(f"no slot {number} at seat {seat}")
    return (*layouts[:seat], (*slots[: number - 1], text, *slots[number:]), *layouts[seat + 1 :])


def _face_down(view: View, card: Card | None) -> str:
    """Return the text of a face-down card that the viewer has seen; only ``recall=always`` shows it (X10, X16)."""
    if card is None or view.seat is None or view.rules.recall is not _ALWAYS:
        return HIDDEN
    return card.known_text


def _moved(window: SeenWindow | None, *positions: Position) -> SeenWindow | None:
    return None if window is None else changed(window, moved=window.moved.union(positions))


def _owed_less(view: View, seat: Seat, count: int) -> tuple[int, ...]:
    return (*view.owed[:seat], view.owed[seat] - count, *view.owed[seat + 1 :])


def _is_all_face_up(slots: SeenLayout) -> bool:
    for text in slots:
        if text[0] == HIDDEN:
            return False
    return any([text != EMPTY for text in slots])


def _closer(view: View, seat: Seat, layouts: tuple[SeenLayout, ...]) -> Seat | None:
    """Return the closer after ``seat`` has turned up or placed a card; the first closer stays (X14)."""
    rules = view.rules
    if view.closer is not None or rules.face_up is _NOBODY or not _is_all_face_up(layouts[seat]):
        return view.closer
    if rules.face_up is _FIRST or rules.final_turn or all(map(_is_all_face_up, layouts)):
        return seat
    return None


def _after_turn(view: View, changes: Changes) -> Changes:
    """Return the changes, plus the phase after a turn's last choice: gift, then power, then window (C14, C18)."""
    gift = changes.get("gift", view.gift)
    power = changes.get("power", view.power)
    changes["phase"] = _GIVE if gift is not None else _POWER if power else _SLAM
    return changes


def _peeked(view: View, event: ev.Peeked) -> Changes:
    layouts = view.layouts
    if event.cards is not None and event.seat == view.seat and view.rules.recall is _ALWAYS:
        for at, card in zip(event.at, event.cards, strict=True):
            layouts = _put(layouts, at, card.known_text)
    if view.phase is _START:
        return {"layouts": layouts, "owed": _owed_less(view, event.seat, len(event.at))}
    return _after_turn(view, {"layouts": layouts, "power": False})


def _flipped(view: View, event: ev.Flipped) -> Changes:
    layouts = _put(view.layouts, Position(event.seat, event.slot), event.card.text)
    if view.phase is _START:
        return {"layouts": layouts, "owed": _owed_less(view, event.seat, 1)}
    return _after_turn(view, {"layouts": layouts, "closer": _closer(view, event.seat, layouts)})


def _turn(view: View, event: ev.TurnBegan) -> Changes:
    seat = event.seat
    turns = (*view.turns[:seat], event.turn, *view.turns[seat + 1 :])
    return {"phase": _TURN, "turn": seat, "turns": turns}


def _drew(view: View, event: ev.Drew) -> Changes:
    return {"stock": event.stock, "holding": event.seat, "drawn": event.card, "phase": _HOLDING}


def _took(view: View, event: ev.Took) -> Changes:
    return {
        "discard": view.beneath,
        "beneath": None,
        "discard_count": view.discard_count - 1,
        "holding": event.seat,
        "drawn": event.card,
        "phase": _HOLDING,
    }


def _laid(view: View, card: Card, discard_no: int) -> Changes:
    """Return the changes when a turn puts a card on the discard pile."""
    power = card.rank in view.rules.power
    return {
        "discard": card,
        "beneath": view.discard,
        "discard_no": discard_no,
        "discard_count": view.discard_count + 1,
        "holding": None,
        "drawn": None,
        "power": power,
        "phase": _POWER if power else _SLAM,
    }


def _swapped(view: View, event: ev.Swapped) -> Changes:
    rules, card = view.rules, event.card
    text = card.text if rules.placed is _UP and card is not None else _face_down(view, card)
    layouts = _put(view.layouts, Position(event.seat, event.slot), text)
    changes = _laid(view, event.discard, event.discard_no)
    changes["layouts"] = layouts
    changes["closer"] = _closer(view, event.seat, layouts)
    return changes


def _discarded(view: View, event: ev.Discarded) -> Changes:
    rules = view.rules
    changes = _laid(view, event.card, event.discard_no)
    if rules.flip and not _is_all_face_up(view.layouts[event.seat]):  # S1
        changes["phase"] = _FLIP
    return changes


def _passed(view: View, event: ev.Passed) -> Changes:
    return _after_turn(view, {}) if view.phase is _FLIP else {"window": _judged(view, event.seat)}


def _judged(view: View, seat: Seat) -> SeenWindow | None:
    """Return the window after a seat has acted in it; viewers see only their own actions (C21)."""
    window = view.window
    return window if window is None or view.seat != seat else changed(window, passed=True)


def _switched(view: View, event: ev.Switched) -> Changes:
    first, second = event.at
    one, other = _slot(view, first), _slot(view, second)
    layouts = _put(_put(view.layouts, first, other), second, one)
    return _after_turn(
        view, {"layouts": layouts, "power": False, "window": _moved(view.window, first, second)}
    )


def _slammed(view: View, event: ev.Slammed) -> Changes:
    at = event.at
    _slot(view, at)
    window = view.window if view.rules.slam is _RACE else _judged(view, event.by)
    if event.result is not _HIT or event.discard_no is None:
        if view.seat is None or view.rules.recall is not _ALWAYS:
            return {"window": window}
        return {"window": window, "layouts": _put(view.layouts, at, event.card.known_text)}
    window = _moved(window, at)
    return _after_turn(
        view,
        {
            "layouts": _put(view.layouts, at, EMPTY),
            "discard": event.card,
            "beneath": view.discard,
            "discard_no": event.discard_no,
            "discard_count": view.discard_count + 1,
            "window": window and changed(window, won=True),
            "gift": None if at.seat == event.by else Gift(event.by, at),
        },
    )


def _penalized(view: View, event: ev.Penalized) -> Changes:
    new, source = Position(event.seat, event.slot), event.source
    if source is None:
        layouts = _put(view.layouts, new, HIDDEN)
        return {"layouts": layouts, "stock": view.stock - 1, "window": _moved(view.window, new)}
    layouts = _put(_put(view.layouts, source, EMPTY), new, _slot(view, source))
    return {"layouts": layouts, "window": _moved(view.window, source, new)}


def _gave(view: View, event: ev.Gave) -> Changes:
    source = Position(event.seat, event.slot)
    layouts = _put(_put(view.layouts, source, EMPTY), event.to, _slot(view, source))
    return _after_turn(
        view, {"layouts": layouts, "gift": None, "window": _moved(view.window, source, event.to)}
    )


def _reshuffled(view: View, event: ev.Reshuffled) -> Changes:
    return {
        "stock": event.stock,
        "discard": event.discard,
        "beneath": None,
        "discard_count": 1,
        "reshuffles_left": view.reshuffles_left - 1,
    }


def _hole_ended(view: View, event: ev.HoleEnded) -> Changes:
    layouts = tuple(
        [tuple([EMPTY if card is None else card.text for card in each]) for each in event.layouts]
    )
    return {
        "layouts": layouts,
        "phase": _OVER,
        "power": False,
        "gift": None,
        "window": None,
        "ended": event,
    }


_CHANGES: Final[dict[type[ev.Event], Callable[[View, Any], Changes]]] = {
    ev.Peeked: _peeked,
    ev.Flipped: _flipped,
    ev.TurnBegan: _turn,
    ev.Drew: _drew,
    ev.Took: _took,
    ev.Swapped: _swapped,
    ev.Discarded: _discarded,
    ev.Passed: _passed,
    ev.Declined: lambda view, event: _after_turn(view, {"power": False}),
    ev.Knocked: lambda view, event: _after_turn(view, {"closer": event.seat}),
    ev.Switched: _switched,
    ev.SlamOpened: lambda view, event: {"window": SeenWindow(event.discard_no, event.card, event.mode)},
    ev.SlamClosed: lambda view, event: {"window": None},
    ev.Slammed: _slammed,
    ev.Penalized: _penalized,
    ev.Gave: _gave,
    ev.Reshuffled: _reshuffled,
    ev.HoleEnded: _hole_ended,
}

FOLDED: Final = frozenset(_CHANGES)
"""The events that ``evolve_view`` accepts: those in a hole after its deal."""
