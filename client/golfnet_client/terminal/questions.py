"""Questions asked before actions that cannot be undone, and the menu of what a power can do with a card."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from golfnet.engine.rules import Penalty
from golfnet.protocol.replies.view_codec import rules_of
from golfnet_client.model.pages import Item, Menu, nothing
from golfnet_client.screens.choices import line_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet_client.model.model import Model
    from golfnet_client.terminal.desk import Desk


def confirm(
    desk: Desk, title: str, text: str, yes: str, do: Callable[[], None], *, key: str, needs: str = ""
) -> None:
    """Ask before an action that cannot be undone; pressing ``key`` again confirms it too."""
    desk.menu = Menu(
        title=title,
        text=text,
        needs=needs,
        items=(Item(key="n", label="No, go back", do=nothing), Item(key="y", label=yes, do=do)),
    )
    desk.again = key


def leave_question(model: Model) -> tuple[str, str, str]:
    """Return the title, text and confirming label of the question asked before leaving a running match."""
    if model.is_solo:
        return "Leave?", "This match is not finished, and cannot be continued later.", "End the match"
    text = (
        "A bot will take your seat for the rest of the match. If you quit with Ctrl-C instead, your seat is kept "
        "for a while."
    )
    return "Leave the table?", text, "Leave"


def knock_question(desk: Desk) -> tuple[str, str, str]:
    """Return the title, text and confirming label of the question asked before a knock."""
    view = desk.model.table
    rules = None if view is None else rules_of(view)
    price = "" if rules is None else _PRICES[rules.penalty]
    text = f"Everybody else gets one more turn, then the hole ends.{price}"
    return "Knock?", text, "Knock"


def power_menu(desk: Desk, at: str) -> Menu:
    """Return a menu of the ways to use a power on a card."""
    model, view = desk.model, desk.model.table
    look = line_for(model, "peek", at)
    marks = [mark for mark in model.marks if mark != at]
    items = []
    if look is not None:
        items.append(
            Item(label=f"Look at {at}", do=partial(desk.send, look), meaning="nobody else sees the card")
        )
    can_switch = view is not None and "switch" in view.offer
    if can_switch and marks:
        other = marks[-1]

        def switch() -> None:
            model.marks = []
            desk.send(f"switch {other} {at}")

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
