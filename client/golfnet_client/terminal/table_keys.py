"""The effect of keys and clicks at a table: they select a card or send a line that the server offered.

The player has to confirm an action that cannot be undone. A menu shows what a power can do with a card.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from golfnet.engine.rules import Penalty
from golfnet.protocol.replies.view_codec import rules_of
from golfnet_client.model.pages import Item, Menu, nothing
from golfnet_client.screens.choices import (
    can_slam,
    choices,
    line_at,
    line_for_key,
    pickable,
    picking,
    slam_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.terminal.desk import Desk


def confirm(
    desk: Desk, title: str, text: str, yes: str, do: Callable[[], None], *, key: str, needs: str = ""
) -> None:
    """Ask before an action that cannot be undone; pressing ``key`` again confirms it too."""
    desk.menu = Menu(
        title=title,
        text=text,
        needs=needs,
        again=key,
        items=(Item(key="n", label="No, go back", do=nothing), Item(key="y", label=yes, do=do)),
    )


def power_menu(desk: Desk, at: str) -> Menu:
    """Return a menu of the ways to use a power on a card."""
    model, view = desk.model, desk.model.shown
    look = line_at(view, "peek", at)
    marks = [mark for mark in model.marks if mark != at]
    items = []
    if look is not None:
        items.append(
            Item(label=f"Look at {at}", do=partial(desk.send, look), meaning="nobody else sees the card")
        )
    can_switch = "switch" in view.offer
    if can_switch and marks:
        other = marks[-1]
        switch = partial(_play, desk, f"switch {other} {at}")
        items.append(Item(label=f"Switch {other} and {at}", do=switch, meaning="nobody sees the cards"))
    elif can_switch:

        def mark() -> None:
            model.marks = [at]

        items.append(Item(label=f"Switch {at} with ...", do=mark, meaning="then click the other card"))
    items.append(Item(label="Nothing", do=nothing))
    return Menu(title="Your power", items=tuple(items), needs="decline")


_PRICES: Final = {
    Penalty.NONE: "",
    Penalty.FIVE: " Unless you have the lowest score, you get 5 more points.",
    Penalty.TEN: " Unless you have the lowest score, you get 10 more points.",
    Penalty.DOUBLE: " Unless you have the lowest score, yours is doubled.",
    Penalty.DOUBLE_OVER_FIVE: " If you have more than 5 points, they are doubled.",
}


_ARROWS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def press_table(desk: Desk, key: str) -> None:
    """Act on a key at the table."""
    view = desk.model.table
    if view is None:
        return
    aims, desk.aims = desk.aims, ""
    if key in _ARROWS:
        _go(desk, key)
    elif key in ("pageup", "pagedown", "end"):
        desk.scroll_log(key)
    elif key == "tab":
        _next_pickable(desk, view)
    elif view.targets and key.upper() in {seat.seat for seat in view.seats}:
        _aim(desk, view, key.upper())
    elif key.isascii() and key.isdigit():
        _digit(desk, view, aims, "10" if key == "0" else key)
    elif key in ("q", "escape"):
        leave(desk)
    elif desk.model.is_connected:
        _act(desk, view, key)


def click_card(desk: Desk, at: str) -> None:
    """Act on a click on a card: do what can be done with it, and ask if there are several ways."""
    view, model = desk.model.table, desk.model
    if view is None:
        return
    model.cursor, desk.aims = at, ""
    if not model.is_connected:
        return
    verb = picking(view)
    if "decline" in view.offer and at in pickable(view):
        desk.menu = power_menu(desk, at)
    elif verb is not None and at in pickable(view):
        _play(desk, line_at(view, verb, at))
    else:
        _play(desk, slam_line(view, at))


def keep_cursor(desk: Desk) -> None:
    """Keep a card selected while the player has to choose one: by default the first unknown one that is allowed."""
    view, model = desk.model.table, desk.model
    if model.cursor is not None and model.slot(model.cursor) is None:
        model.cursor = None
    if view is None or view.you is None:
        return
    offers = pickable(view)
    if desk.was_asked and not offers:
        model.cursor = None  # the selection belonged to an earlier decision
    desk.was_asked = bool(offers)
    is_slam = can_slam(view)
    if is_slam and not desk.was_slam:
        model.cursor = None  # never suggest a card to slam: players choose it themselves
    desk.was_slam = is_slam
    if offers and model.cursor not in offers and not is_slam:
        own = [at for at in offers if at[:1] == view.you] or offers
        unknown = [at for at in own if (model.slot(at) or "").startswith("?")]
        # The card just placed is not the default, so that Enter does not replace it.
        others = [at for at in own if at != desk.placed]
        model.cursor = [*unknown, *others, *own][0]


def leave(desk: Desk) -> None:
    """Leave the table; ask first if a match is running."""
    view, model = desk.model.table, desk.model
    if view is None:
        return
    go = desk.ways.home if model.is_solo else partial(desk.carry_out, "leave")
    if view.you is None:
        desk.carry_out(f"unwatch {view.table}")
    elif view.state in ("open", "finished"):
        go()
    elif model.is_solo:
        text = "This match is not finished, and cannot be continued later."
        confirm(desk, "Leave?", text, "End the match", go, key="q")
    else:
        text = (
            "A bot will take your seat for the rest of the match. If you quit with Ctrl-C instead, your seat is "
            "kept for a while."
        )
        confirm(desk, "Leave the table?", text, "Leave", go, key="q")


def _act(desk: Desk, view: TableView, key: str) -> None:
    """Carry out the choice that a key stands for."""
    model = desk.model
    line = line_for_key(model, key)
    if line == "knock":
        price = _PRICES[rules_of(view).penalty]
        text = f"Everybody else gets one more turn, then the hole ends.{price}"
        confirm(desk, "Knock?", text, "Knock", partial(desk.send, "knock"), key="k", needs="knock")
    elif line is not None and line.startswith("mark "):
        _mark(desk, line.partition(" ")[2])
    elif line is not None:
        _play(desk, line)
    elif key == "v":
        desk.show_scores()
    elif key == "u":
        desk.send("rules")
    elif key == "h":
        desk.send("hint")
    elif key == "g":
        model.lesson = not model.lesson
    elif any(choice.key == key for choice in choices(model)):
        _next_pickable(desk, view)


def _play(desk: Desk, line: str | None) -> None:
    """Send a play command, if any, and clear the selection that it uses."""
    if line is None:
        return
    verb, _, rest = line.partition(" ")
    if verb == "switch":
        desk.model.marks = []
    if verb in ("swap", "flip", "give", "peek"):
        desk.placed = f"{desk.model.shown.you}{rest}"
        desk.model.cursor = None
    desk.send(line)


def _go(desk: Desk, key: str) -> None:
    model = desk.model
    if desk.canvas is None:
        return
    here = f"card {model.cursor}" if model.cursor else None
    target = desk.canvas.neighbour(here, *_ARROWS[key], "card ")
    if target is not None:
        model.cursor = target.partition(" ")[2]


def _aim(desk: Desk, view: TableView, letter: str) -> None:
    """Select the first card of a seat; a following digit selects another of its cards."""
    desk.aims = letter
    own = [at for at in pickable(view) if at[0] == letter]
    if own:
        desk.model.cursor = own[0]


def _mark(desk: Desk, position: str) -> None:
    marks = desk.model.marks
    if position in marks:
        marks.remove(position)
    else:
        desk.model.marks = [*marks, position][-2:]


def _digit(desk: Desk, view: TableView, letter: str, digit: str) -> None:
    """Select a card of the chosen seat or the player's own; use it if they have to choose one of their slots."""
    model, at = desk.model, f"{letter or view.you or ''}{digit}"
    if model.slot(at) is None:
        return
    model.cursor = at
    # A power or a slam needs more than a digit; everything else asks for exactly one of the player's slots.
    verb = picking(view)
    if not letter and verb is not None and view.phase != "power" and model.is_connected:
        _play(desk, line_at(view, verb, at))


def _next_pickable(desk: Desk, view: TableView) -> None:
    model, offers = desk.model, pickable(view)
    if not offers:
        _next_table(desk)
        return
    at = offers.index(model.cursor) + 1 if model.cursor in offers else 0
    model.cursor = offers[at % len(offers)]


def _next_table(desk: Desk) -> None:
    model = desk.model
    names = list(model.tables)
    if model.focus in names and len(names) > 1:
        model.focus_on(names[(names.index(model.focus) + 1) % len(names)])
