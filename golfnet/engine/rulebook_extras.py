"""The rules text on what discards allow beside the turn: powers and slams.

Each function gives the paragraphs of one section of ``rulebook``, none where the rule set has no such thing.
"""

from collections.abc import Iterator
from typing import Final

from golfnet.engine.cards import JOKER
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.engine.wording import count, listed


def has_power(rules: RuleSet) -> bool:
    """Return whether a card of the deck gives a power."""
    return bool(power_ranks(rules))


def powers(rules: RuleSet) -> Iterator[str]:
    """Describe what the discard of certain ranks gives (C6)."""
    ranks = power_ranks(rules)
    if not ranks:
        return
    yield (
        f"When your turn puts a {listed(ranks, 'or')} on the discard pile, either just drawn or replaced in "
        "your layout, you may use its power once, in one of two ways."
    )
    yield "Peek at one face-down card of any seat, your own included (peek B3). Only you see it."
    yield (
        "Or switch two face-down cards without looking at them (switch 1 B3). They may be yours or others', "
        "of two seats "
        "or of the same seat."
    )
    yield (
        "Or do not use the power (decline). Everybody sees which slots you touch. The next turn waits for you to "
        "choose."
    )


def slams(rules: RuleSet) -> Iterator[str]:
    """Describe how cards are slammed out of turn (C11 to C21)."""
    if rules.slam is SlamMode.OFF:
        return
    yield (
        "When a turn puts a card on the discard pile, any seat, the discarder included, may slam a face-down "
        "card of the "
        "same rank onto it, its own or another seat's (slam 3, slam B3); a J is not a Q, and a 10 is neither. "
        "If you do not want to, pass (pass)."
    )
    yield _ORDER[rules.slam]
    yield (
        f"The slam window closes after {count(rules.slam_window, 'second')} at the latest, and earlier if "
        f"every seat has {'passed' if rules.slam is SlamMode.RACE else 'claimed or passed'}. Only one slam "
        "succeeds for "
        "each discard, the first right one; a slammed card opens no new window"
        f"{' and gives no power' * has_power(rules)}."
    )
    yield "Right, your own card: it goes on the discard pile. Its slot stays empty for the rest of the hole."
    yield (
        "Right, another seat's card: it goes on the discard pile, and you owe its seat a gift: one of your own cards "
        "goes unseen, face down, into the slot that became empty (give SLOT). Nothing else happens before that."
    )
    yield (
        "Wrong, your own card: everybody sees it, it goes back face down, and you get the top card of the stock, "
        "unseen, in a new slot. Wrong, another seat's card: everybody sees it, and that card moves face down to a "
        "new slot of yours, with no further penalty. The window stays open after a wrong slam."
    )
    yield (
        "Too late, because another slam has succeeded: the card is shown to everybody and put back. If it was also "
        "wrong, whoever owned it, you get the top card of the stock in a new slot; if it was right, nothing more "
        "happens."
    )
    yield "A new slot gets the number after the highest that the layout has ever had."
    yield (
        "Discards are numbered, and a slam can name the one it is meant for (slam B3 #12). One meant for an earlier "
        "discard, or for a slot whose card has changed since, is refused and costs nothing. The card below a discard "
        "can never be slammed on."
    )
    yield (
        "Slams do not change whose turn comes next. The next turn begins when the window is closed and no gift is owed"
        f"{', and when a power is used or declined' * has_power(rules)}."
    )


_ORDER: Final = {
    SlamMode.RACE: (
        "The fastest slam is judged first; the delay of each connection is made up for. You may try more than "
        "once while the window is open, even after passing, but every wrong slam costs. After a success the window "
        "stays open for a quarter of a second."
    ),
    SlamMode.ORDER: (
        "Slams are claims that stay secret until the window closes. Then they are judged clockwise from the "
        "discarder's left, the discarder last. Each seat has one claim in a window, and none once it has passed."
    ),
    SlamMode.LOT: (
        "Slams are claims that stay secret until the window closes. Then they are judged in an order drawn by lot. "
        "Each seat has one claim in a window, and none once it has passed."
    ),
}


def power_ranks(rules: RuleSet) -> list[str]:
    """Return the ranks of the deck that give a power."""
    ranks = [rank for rank in rules.power if rank in rules.deck.ranks]
    return [*ranks, "joker"] if JOKER in rules.power and rules.jokers else ranks
