"""The tutorial: what to know at each point of a first hole of six-card, said when it comes up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet_client.screens.faces import card_text

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.screens.faces import Look


def lesson(view: TableView, look: Look) -> str:
    """Return what a beginner should hear now, empty where there is nothing to learn."""
    drawn = card_text(view.drawn, look) if view.drawn is not None else ""
    if view.state == "finished":
        return "That was a whole hole. Lowest total wins; press q for the lobby, r plays on."
    if view.state != "playing":
        return "Press r when you are ready."
    if not view.actions:
        return "The others play. Low cards are good; two equal cards in a column count 0."
    match view.phase:
        case "start":
            more = view.offer.most == 1
            return (
                "Turn up one more."
                if more
                else "Turn up two of your six cards: press their numbers, or click them."
            )
        case "turn":
            return "d draws an unknown card; t takes the open one. Low is good, a 2 counts -2, a king 0."
        case "holding" if "discard" in view.actions:
            return f"{drawn}: press the number of the card to replace, or x to throw it away."
        case "holding":
            return f"{drawn} must stay: press the number of the card it replaces. Look for pairs in a column."
        case "flip":
            return "You may turn up one card: press its number. p keeps them face down."
        case _:
            return ""
