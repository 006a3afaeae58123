"""The lesson of a rule set: what to know at each point of a first hole, said when it comes up.

Made from the rules that are played, so that every rule set has one. The keys come first: a small window cuts the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine.cards import JOKER
from golfnet.engine.rules import Cancel, Penalty, Placed, RuleSet, StartMode
from golfnet.engine.wording import word
from golfnet.protocol.replies.view_codec import rules_of
from golfnet_client.screens.choices import digits_of, picking
from golfnet_client.screens.faces import card_text

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.screens.faces import Look


def lesson(view: TableView, look: Look) -> str:
    """Return what a beginner should read now, empty where there is nothing to learn."""
    rules = rules_of(view)
    match view.state:
        case "finished":
            return "That was a whole hole. The lowest total wins. Press q to go back, or r to play again."
        case "between":
            return "Every card was turned up and counted. Press r for the next hole."
        case "open":
            return "Press o to start, once somebody sits opposite you; b adds a bot."
    if not view.actions:
        return _meanwhile(view, rules)
    match view.phase:
        case "start":
            return _start(view, rules)
        case "turn":
            return _turn(view, rules, look)
        case "holding":
            return _holding(view, rules, look)
        case "flip":
            return "You can turn up one card: press its number. p leaves them face down."
        case "power":
            return (
                "Your power: choose a card with the arrows, then Enter looks at it; or mark two with m and w switches "
                "them. n does nothing."
            )
        case "give":
            return "Right! Now give one of your cards away: press its number. Give a high one."
        case "slam":
            return _slam(view)
    return ""


def _start(view: TableView, rules: RuleSet) -> str:
    owed = view.offer.most
    if rules.start.mode in (StartMode.PEEK_BOTTOM, StartMode.FLIP_BOTTOM):
        if picking(view) == "peek":
            return f"Press Enter to look at your {word(owed)} bottom cards, and remember them: you see them once."
        return f"Press Enter to turn up your {word(owed)} bottom cards."
    if picking(view) == "peek":
        return (
            f"Look at {word(owed)} of your cards: press {digits_of(view)}. Remember them: you see them once."
        )
    if owed < rules.start.cards:
        return f"Turn up {word(owed)} more: press {digits_of(view)}."
    return f"Turn up {word(owed)} of your {word(rules.slots)} cards: press their numbers, {digits_of(view)}."


def _turn(view: TableView, rules: RuleSet, look: Look) -> str:
    keys = ["d draws a card"]
    if "take" in view.offer and view.discard is not None:
        keys.append(f"t takes {card_text(view.discard, look)}")
    if "knock" in view.offer and _turns(view) > 1:
        low = "5 points or less" if rules.penalty is Penalty.DOUBLE_OVER_FIVE else "few points"
        return f"{', '.join(keys)}, k knocks: only with {low}. It ends the hole."
    last = " This is your last turn." if view.closer not in (None, view.you) else ""
    return f"{', '.join(keys)}.{last} {_aim(rules)}"


def _holding(view: TableView, rules: RuleSet, look: Look) -> str:
    card = card_text(view.drawn, look) if view.drawn is not None else "the card"
    numbers = digits_of(view)
    down = " It lies face down then: remember it." if rules.placed is Placed.DOWN else _pairs(rules)
    if "discard" not in view.offer:
        return f"Press {numbers} to put {card} there: a taken card must go in.{down}"
    if view.drawn is not None and view.drawn[:-1] in rules.power:
        return f"x throws {card} away and gives you its power: a look at a card, or a switch of two."
    return f"Press {numbers} to put {card} there, or x to throw it away.{down}"


def _slam(view: TableView) -> str:
    rank = "" if view.slam is None else _rank(view.slam.card)
    example = next((at.lower() for at in view.targets if at[0] != view.you), "b3")
    return (
        f"space slams another {rank or 'equal card'} that you know, p passes. Choose it with the arrows, or "
        f"{example[0]} then {example[1:]}. A wrong card costs you one more."
    )


def _meanwhile(view: TableView, rules: RuleSet) -> str:
    if view.closer is not None and view.closer != view.you:
        names = {seat.seat: seat.name for seat in view.seats}
        return f"{names.get(view.closer, 'Somebody')} has closed. Everybody else has one more turn."
    who = next((seat.name for seat in view.seats if seat.seat == view.turn), "")
    return f"{who} plays. {_aim(rules)}{_pairs(rules)}" if who else f"{_aim(rules)}{_pairs(rules)}"


def _aim(rules: RuleSet) -> str:
    """Return which cards are good, in one sentence."""
    ranks = (*rules.deck.ranks, *([JOKER] if rules.jokers else []))
    best = [f"a {_name(rank)} counts {rules.values[rank]}" for rank in ranks if rules.values[rank] <= 0]
    return f"Low is good: {', '.join(best)}." if best else "Low cards are good."


def _pairs(rules: RuleSet) -> str:
    return _PAIRS[rules.cancel] if rules.slots > 1 else ""


def _turns(view: TableView) -> int:
    """Return how many turns the viewer has had."""
    return next((seat.turns for seat in view.seats if seat.seat == view.you), 0)


def _rank(card: str) -> str:
    return "joker" if card == JOKER else card[:-1]


def _name(rank: str) -> str:
    return _NAMES.get(rank, rank)


_NAMES: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", JOKER: "joker"}

_PAIRS: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: " Equal cards in a column count 0.",
    Cancel.ANYWHERE: " A pair of equal cards counts 0.",
    Cancel.ALL: " Equal cards count 0.",
}
