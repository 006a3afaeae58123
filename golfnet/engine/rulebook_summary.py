"""The rules of a rule set in six lines, enough to start playing; the rulebook has the rest.

They are made from the rule set's data like the rulebook: shorter, and never different.
"""

from typing import Final

from golfnet.engine.cards import JOKER
from golfnet.engine.rulebook_extras import power_ranks
from golfnet.engine.rulebook_play import START_PEEKS, can_be_closed, can_end_face_up
from golfnet.engine.rules import Cancel, FaceUp, Penalty, Placed, RuleSet, SlamMode, StartMode
from golfnet.engine.wording import count, listed, word


def summary(rules: RuleSet) -> tuple[str, ...]:
    """Return the lines, each with what it is about before a colon."""
    return (
        f"Aim: the lowest total {_length(rules)}. You have {count(rules.slots, 'card')}, face down.",
        f"Start: {_start(rules)}.",
        f"Turn: draw or take, then swap SLOT (or discard a drawn card){_instead(rules)}.",
        f"Cards: {_cards(rules)}.",
        f"End: {_end(rules)}.",
        f"Points: {_points(rules)}.",
    )


def _length(rules: RuleSet) -> str:
    if rules.target is not None:
        return f"when somebody has {rules.target}"
    return f"after {count(rules.holes or 1, 'hole')}"


def _start(rules: RuleSet) -> str:
    mode, cards = rules.start
    if mode is StartMode.NONE:
        return "nobody looks at any card"
    does, verb = ("look at", "peek") if mode in START_PEEKS else ("turn up", "flip")
    if mode in (StartMode.PEEK_ANY, StartMode.FLIP_ANY):
        example = " ".join(map(str, range(1, cards + 1)))
        return f"{does} any {word(cards)} of your cards, such as {verb} {example}"
    slots = range(rules.slots - cards + 1, rules.slots + 1)
    return f"{does} your card{'s' * (cards > 1)} in {listed(slots)}: {verb} {' '.join(map(str, slots))}"


def _instead(rules: RuleSet) -> str:
    return "; or flip SLOT" * rules.reveal + "; or knock" * rules.knock


def _cards(rules: RuleSet) -> str:
    if rules.placed is Placed.UP:
        ways = ["what you swap in lies face up" + " and stays there" * rules.lock]
    else:
        ways = ["what you swap in lies face down"]
    if rules.flip:
        ways.append("after a discard you may flip SLOT")
    if ranks := power_ranks(rules):
        ways = [f"face down; to discard {listed(ranks, 'or')}: peek or switch"]
    if rules.slam is not SlamMode.OFF:
        ways.append("equal to a discard: slam")
    return "; ".join(ways)


def _end(rules: RuleSet) -> str:
    ways = [f"{count(rules.turns, 'turn')} each"] if rules.turns is not None else []
    face_up = can_end_face_up(rules)
    if face_up:
        every = rules.face_up is FaceUp.EVERY and not rules.final_turn
        ways.append("all layouts face up" if every else "a layout face up")
    if rules.knock:
        ways.append("a knock")
    if rules.slam is not SlamMode.OFF:
        ways.append("a seat without cards")
    last = "; then a last turn for the others" if rules.knock or (face_up and rules.final_turn) else ""
    return (listed(ways, "or") if ways else "the stock is used up") + last


def _points(rules: RuleSet) -> str:
    values = rules.values
    ranks = [*rules.deck.ranks, *([JOKER] if rules.jokers else [])]
    by_value: dict[int, list[str]] = {}
    for rank in ranks:
        if not (rank.isdigit() and values[rank] == int(rank)):
            by_value.setdefault(values[rank], []).append("joker" if rank == JOKER else rank)
    odd = [f"{listed(each)} {value}" for value, each in by_value.items()]
    numbers = [f"{'others ' * bool(odd)}their number"] if any(map(str.isdigit, ranks)) else []
    equal = _EQUAL[rules.cancel] if rules.cancel is not Cancel.COLUMN or rules.rows > 1 else ""
    price = _PRICES[rules.penalty] if can_be_closed(rules) else ""
    return f"{', '.join([*odd, *numbers])}{equal}{price}"


_EQUAL: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: "; a column of equals 0",
    Cancel.ANYWHERE: "; a pair of equals 0",
    Cancel.ALL: "; equals 0",
}
_PRICES: Final = {
    Penalty.NONE: "",
    Penalty.FIVE: "; to close and not be lowest costs 5",
    Penalty.TEN: "; to close and not be lowest costs 10",
    Penalty.DOUBLE: "; to close and not be lowest doubles",
    Penalty.DOUBLE_OVER_FIVE: "; to close with over 5 doubles",
}
