"""The effect of keys and clicks at a table: they select a card or send a line that the server offered.

The player has to confirm an action that cannot be undone. A menu shows what a power can do with a card.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from golfnet.engine.rules import Penalty
from golfnet.protocol.replies.replies import TableView
from golfnet_client.model.pages import Item, Menu
from golfnet_client.screens.choices import choices, line_at, line_for_key, pickable, picking, slam_line
from golfnet_client.terminal.client import Client


def confirm(
    client: Client, title: str, text: str, yes: str, do: Callable[[], None], *, key: str, needs: str = ""
) -> None:
    """Ask before an action that cannot be undone; pressing ``key`` again confirms it too."""
    client.menu = Menu(
        title=title,
        text=text,
        needs=needs,
        again=key,
        items=(Item(key="n", label="No, go back"), Item(key="y", label=yes, do=do)),
    )


_FORFEIT: Final = " If the match is rated, you come last."
UNFINISHED: Final = "This match is not finished, and cannot be continued later."


def power_menu(client: Client, at: str) -> Menu:
    """Return a menu of the ways to use a power on a card."""
    model, view = client.model, client.model.shown
    look = line_at(view, "peek", at)
    marks = [mark for mark in model.marks if mark != at]
    items = []
    if look is not None:
        items.append(
            Item(label=f"Look at {at}", do=partial(client.send, look), meaning="nobody else sees the card")
        )
    can_switch = "switch" in view.offer
    if can_switch and marks:
        other = marks[-1]
        switch = partial(_play, client, f"switch {other} {at}")
        items.append(Item(label=f"Switch {other} and {at}", do=switch, meaning="nobody sees the cards"))
    elif can_switch:

        def mark() -> None:
            model.marks = [at]

        items.append(Item(label=f"Switch {at} with ...", do=mark, meaning="then click the other card"))
    items.append(Item(label="Nothing"))
    return Menu(title="Your power", items=tuple(items), needs="decline")


_PRICES: Final = {
    Penalty.NONE: "",
    Penalty.FIVE: " Unless you have the lowest score, you get 5 more points.",
    Penalty.TEN: " Unless you have the lowest score, you get 10 more points.",
    Penalty.DOUBLE: " Unless you have the lowest score, yours is doubled.",
    Penalty.DOUBLE_OVER_FIVE: " If you have more than 5 points, they are doubled.",
}


_ARROWS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def press_table(client: Client, view: TableView, key: str) -> None:
    """Act on a key at the table."""
    aims, client.aims = client.aims, ""
    if key in _ARROWS:
        _go(client, key)
    elif key in ("pageup", "pagedown", "end"):
        client.scroll_log(key)
    elif key == "tab":
        _next_pickable(client, view)
    elif view.targets and key.upper() in {seat.seat for seat in view.seats}:
        client.aims = key.upper()  # a following digit selects another card of the seat
        client.model.cursor = next((at for at in pickable(view) if at[0] == client.aims), client.model.cursor)
    elif key.isascii() and key.isdigit():
        _digit(client, view, aims, "10" if key == "0" else key)
    elif key in ("q", "escape"):
        _leave(client, view)
    elif client.model.is_connected:
        _act(client, view, key)


def click_card(client: Client, view: TableView, at: str) -> None:
    """Act on a click on a card: do what can be done with it, and ask if there are several ways."""
    model = client.model
    model.cursor, client.aims = at, ""
    if not model.is_connected:
        return
    if "decline" in view.offer and at in pickable(view):
        client.menu = power_menu(client, at)
    elif picking(view) and at in pickable(view):
        _play(client, line_at(view, picking(view), at))
    else:
        _play(client, slam_line(view, at))


def _leave(client: Client, view: TableView) -> None:
    """Leave the table; ask first if a match is running."""
    model = client.model
    go = client.ways.home if model.is_solo else partial(client.carry_out, "leave")
    if view.you is None:
        client.carry_out(f"unwatch {view.table}")
    elif view.state in ("open", "finished"):
        go()
    elif model.is_solo:
        confirm(client, "Leave?", UNFINISHED, "End the match", go, key="q")
    else:
        others = any(seat.kind == "human" and seat.seat != view.you for seat in view.seats)
        text = (
            f"A bot will take your seat for the rest of the match.{_FORFEIT * others} If you quit with Ctrl-C instead, "
            "your seat is kept for a while."
        )
        confirm(client, "Leave the table?", text, "Leave", go, key="q")


def _act(client: Client, view: TableView, key: str) -> None:
    model = client.model
    line = line_for_key(model, key)
    if line == "knock":
        text = f"Everybody else gets one more turn, then the hole ends.{_PRICES[view.rules.penalty]}"
        confirm(client, "Knock?", text, "Knock", partial(client.send, "knock"), key="k", needs="knock")
    elif line is not None and line.startswith("mark "):
        at = line.partition(" ")[2]
        others = [mark for mark in model.marks if mark != at]
        model.marks = others if at in model.marks else [*others, at][-2:]
    elif line is not None:
        _play(client, line)
    elif key == "v":
        client.show_scores()
    elif key == "u":
        client.carry_out("rules")
    elif key == "h":
        client.send("hint")
    elif key == "g":
        model.lesson = not model.lesson
    elif any(choice.key == key for choice in choices(model)):
        _next_pickable(client, view)


def _play(client: Client, line: str | None) -> None:
    """Send a play command, if any, and clear the selection that it uses."""
    if line is None:
        return
    verb, _, rest = line.partition(" ")
    if verb == "switch":
        client.model.marks = []
    if verb in ("swap", "flip", "give", "peek"):
        client.placed = f"{client.model.shown.you}{rest}"
        client.model.cursor = None
    client.send(line)


def _go(client: Client, key: str) -> None:
    target = client.canvas.neighbour(f"card {client.model.cursor}", *_ARROWS[key], "card ")
    if target is not None:
        client.model.cursor = target.removeprefix("card ")


def _digit(client: Client, view: TableView, letter: str, digit: str) -> None:
    """Select a card of the chosen seat or the player's own; use it if they have to choose one of their slots."""
    model, at = client.model, f"{letter or view.you or ''}{digit}"
    if model.slot(at) is None:
        return
    model.cursor = at
    # A power or a slam needs more than a digit; everything else asks for exactly one of the player's slots.
    if not letter and view.phase != "power" and model.is_connected:
        _play(client, line_at(view, picking(view), at))


def _next_pickable(client: Client, view: TableView) -> None:
    """Select the next card that can be chosen; if there is none, show the next table."""
    model, offers, names = client.model, pickable(view), list(client.model.tables)
    if offers:
        at = offers.index(model.cursor) + 1 if model.cursor in offers else 0
        model.cursor = offers[at % len(offers)]
    elif model.focus in names:
        model.focus_on(names[(names.index(model.focus) + 1) % len(names)])
