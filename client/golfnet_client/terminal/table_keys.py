"""What keys mean at a table: a card is chosen with arrows and digits, and a line is sent that the server offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet_client.screens.choices import line_for_digit, line_for_key, pickable, picking

if TYPE_CHECKING:
    from golfnet_client.terminal.desk import Desk

_ARROWS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def press_table(desk: Desk, key: str) -> None:
    """Act on a key at the table."""
    model, view = desk.model, desk.model.table
    if view is None:
        return
    if key in _ARROWS and desk.canvas is not None:
        target = desk.canvas.neighbour(
            f"card {model.cursor}" if model.cursor else None, *_ARROWS[key], "card "
        )
        if target is not None:
            model.cursor = target.partition(" ")[2]
        return
    if key in ("pageup", "pagedown", "end"):
        desk.scroll_log(key)
        return
    if key == "tab":
        _next_pickable(desk)
        return
    if key.isdigit():
        _digit(desk, "10" if key == "0" else key)
        return
    line = line_for_key(model, key, desk.look)
    if line is not None:
        _do(desk, line)
    elif key == "v":
        desk.show_scores()
    elif key == "u":
        desk.send("rules")
    elif key == "q":
        _leave(desk)
    elif key == "enter" and model.cursor is not None and view.targets:
        _mark(desk, model.cursor)


def keep_cursor(desk: Desk) -> None:
    """See that a card is chosen where one is asked for."""
    view, model = desk.model.table, desk.model
    if model.cursor is not None and model.slot(model.cursor) is None:
        model.cursor = None
    if view is not None and model.cursor is None and view.you is not None and model.slot(f"{view.you}1"):
        model.cursor = next(iter(pickable(view)), f"{view.you}1")


def _do(desk: Desk, line: str) -> None:
    """Send a line of play, or do what only the client knows."""
    if line.startswith("mark "):
        _mark(desk, line.partition(" ")[2])
        return
    if line.startswith("switch"):
        desk.model.marks = []
    desk.send(line)


def _mark(desk: Desk, position: str) -> None:
    view, marks = desk.model.table, desk.model.marks
    if position in marks:
        marks.remove(position)
    elif view is not None and position in view.targets and "switch" in view.actions:
        desk.model.marks = [*marks, position][-2:]


def _digit(desk: Desk, digit: str) -> None:
    view = desk.model.table
    if view is None or view.you is None:
        return
    at = f"{view.you}{digit}"
    if desk.model.slot(at) is None:
        return
    desk.model.cursor = at
    # A power or a slam is too much for a digit; everything else asks for exactly one own slot.
    if picking(view) is not None and view.phase != "power":
        line = line_for_digit(desk.model, digit)
        if line is not None:
            desk.send(line)


def _next_pickable(desk: Desk) -> None:
    view, model = desk.model.table, desk.model
    offers = pickable(view) if view is not None else []
    if not offers:
        _next_table(desk)
        return
    at = offers.index(model.cursor) + 1 if model.cursor in offers else 0
    model.cursor = offers[at % len(offers)]


def _next_table(desk: Desk) -> None:
    """Look at the next of several tables: one's own and those that are watched."""
    model = desk.model
    names = list(model.tables)
    if model.focus in names and len(names) > 1:
        model.focus = names[(names.index(model.focus) + 1) % len(names)]
        model.cursor = model.clock = model.window = model.pause = model.filling = None


def _leave(desk: Desk) -> None:
    """Leave the table; a seat in a running match only when asked for twice."""
    view = desk.model.table
    if view is None:
        return
    if view.you is None:
        desk.carry_out(f"unwatch {view.table}")
    elif view.state in ("open", "finished") or desk.is_leaving:
        desk.carry_out("leave")
    else:
        desk.is_leaving = True
        desk.model.tell("q once more gives your seat to the house; ctrl-c closes and keeps it.", desk.now())
