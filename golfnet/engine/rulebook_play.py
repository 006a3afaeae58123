"""The rules text about playing a hole, from the start choices to the end.

Each function returns the paragraphs of one section of ``rulebook``. The ways in which a hole ends are in the order of
X14.
"""

from typing import Final, Literal

from golfnet.engine.cards import JOKER
from golfnet.engine.forms import count, listed, times, word
from golfnet.engine.rules import (
    FLIPS,
    FREE_STARTS,
    PEEKS,
    FaceUp,
    Placed,
    Recall,
    RuleSet,
    SlamMode,
    StartMode,
    StockEnd,
)

Paragraphs = tuple[str | Literal[False], ...]
"""Paragraphs, each as one line; False stands for one that does not apply."""


def powers(rules: RuleSet) -> Paragraphs:
    """Describe the powers of certain ranks (C6)."""
    ranks = power_ranks(rules)
    if not ranks:
        return ()
    return (
        f"When your turn puts a {listed(ranks, 'or')} on the discard pile, either just drawn or replaced in your "
        "layout, you may use its power once, in one of two ways.",
        "Peek at one face-down card of any seat, your own included (peek B3). Only you see it.",
        "Or switch two face-down cards without looking at them (switch 1 B3). They may be yours or others', from two "
        "seats or from one.",
        "Or do not use the power (decline). Everybody sees which slots you touch. The next turn waits for you to "
        "choose.",
    )


def slams(rules: RuleSet) -> Paragraphs:
    """Describe how cards are slammed out of turn (C11 to C21)."""
    if rules.slam is SlamMode.OFF:
        return ()
    has_powers = bool(power_ranks(rules))
    done = "passed" if rules.slam is SlamMode.RACE else "claimed or passed"
    return (
        "When a turn puts a card on the discard pile, any seat, the discarder included, may slam a face-down card of "
        "the same rank onto it, its own or another seat's (slam 3, slam B3); a J is not a Q, and a 10 is neither. If "
        "you do not want to, pass (pass).",
        _ORDER[rules.slam],
        f"The slam window closes after {count(rules.slam_window, 'second')} at the latest, and earlier if every seat "
        f"has {done}. Only one slam succeeds for each discard, the first right one; a slammed card opens no new window"
        f"{' and gives no power' * has_powers}.",
        "If your own card is right, it goes on the discard pile, and its slot stays empty for the rest of the hole.",
        "If another seat's card is right, it goes on the discard pile, and you owe its seat a gift: one of your own "
        "cards goes unseen, face down, into the slot that became empty (give SLOT). Nothing else happens before that.",
        "If your own card is wrong, everybody sees it, it goes back face down, and you get the top card of the stock, "
        "unseen, in a new slot. If another seat's card is wrong, everybody sees it, and it moves face down to a new "
        "slot in your layout, with no further penalty. The window stays open after a wrong slam.",
        "Too late, because another slam has succeeded: the card is shown to everybody and put back. If it was also "
        "wrong, whoever owned it, you get the top card of the stock in a new slot; if it was right, nothing more "
        "happens.",
        "A new slot gets the number after the highest that the layout has ever had.",
        "Discards are numbered, and a slam can name the one it is meant for (slam B3 #12). One meant for an earlier "
        "discard, or for a slot whose card has changed since, is refused and costs nothing. If a discard is taken, "
        "nothing can be slammed on the card below it.",
        "Slams do not change whose turn comes next. The next turn begins when the window is closed and no gift is owed"
        f"{', and when a power is used or declined' * has_powers}.",
    )


_ORDER: Final = {
    SlamMode.RACE: (
        "The fastest slam is judged first, allowing for the delay of each connection. You may try more than "
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
    """Return the ranks in the deck that give a power."""
    return ["joker" if rank == JOKER else rank for rank in rules.ranks if rank in rules.power]


def can_be_closed(rules: RuleSet) -> bool:
    """Return whether a seat can close a hole, and so pay the price of closing."""
    return rules.knock or can_end_face_up(rules)


def start(rules: RuleSet) -> Paragraphs:
    """Describe what happens before the first turn (X12), and how long a seen card is shown (X10)."""
    mode = rules.start.mode
    is_shown = mode in PEEKS or rules.placed is Placed.DOWN
    return (
        "Nobody looks at any card before play begins." if mode is StartMode.NONE else _start_choices(rules),
        mode is not StartMode.NONE
        and "All seats do this at the same time, in any order. Play begins when everybody has done it.",
        is_shown and _RECALL[rules.recall],
    )


_RECALL: Final = {
    Recall.ONCE: (
        "A face-down card that you are allowed to see is shown to you once, at that moment. Remember it."
    ),
    Recall.ALWAYS: (
        "A face-down card that you were allowed to see stays visible to you, even after it is moved in the open. "
        "Watchers are shown none."
    ),
}


def turn(rules: RuleSet) -> Paragraphs:
    """Describe what a seat may do on its turn (X2, X3, S1, M2)."""
    return (
        "Play goes clockwise. On your turn, do one of the following; you cannot skip a turn.",
        "Draw the top card of the stock (draw). Only you see it. Then place it in your layout (swap SLOT) or put it "
        "on the discard pile (discard).",
        "Or take the top card of the discard pile (take, or take SLOT in one step). Everybody has seen it, and it "
        "must be placed in your layout: it cannot be put back.",
        rules.reveal and "Or turn up one of your face-down cards (flip SLOT). That is a whole turn.",
        rules.knock and "Or knock (knock), which closes the hole: see below.",
        *_placing(rules),
        rules.flip
        and "When you have discarded the card you drew, you may turn up one of your face-down cards (flip SLOT), even "
        "the last one, or leave them as they are (pass).",
    )


def end_of_hole(rules: RuleSet) -> Paragraphs:
    """Describe when a hole ends and what happens then (X6 to X8, X14)."""
    ways = [way for way in _ways_to_end(rules) if way]
    allows_more = power_ranks(rules) or rules.slam is not SlamMode.OFF
    return (
        *ways,
        len(ways) > 1
        and "Whichever comes first ends the hole. If several happen at once, the one named first here is given as the "
        "reason.",
        _has_last_turns(rules) and "A hole can be closed only once: a second closing changes nothing.",
        bool(allows_more)
        and "Whatever the last discard allows happens before the cards are counted, unless the hole ends at once.",
        "Then all face-down cards are turned up and count like the others.",
    )


def out_of_time(rules: RuleSet) -> Paragraphs:
    """Describe what happens to a seat whose clock has run out (X13)."""
    return (
        "If a table plays with a clock and a seat runs out of time, the server plays for it.",
        rules.start.mode is not StartMode.NONE
        and "Before play: the lowest slots that can be chosen are chosen.",
        "At the start of a turn: draw and discard. With a drawn card: discard it. With a taken card: place it in the "
        "lowest slot where it can go.",
        rules.flip and "After a discard: turn up no card.",
        bool(power_ranks(rules)) and "With a power: decline it.",
        rules.slam is not SlamMode.OFF
        and "While cards may be slammed: pass. When a gift is owed: give the card in the lowest slot.",
    )


def _start_choices(rules: RuleSet) -> str:
    mode, cards = rules.start
    first = 1 if mode in FREE_STARTS else rules.slots - cards + 1
    slots = range(first, first + cards)
    command = f"{'peek' if mode in PEEKS else 'flip'} {' '.join(map(str, slots))}"
    which = (
        f"any {word(cards)} of its cards"
        if mode in FREE_STARTS
        else f"its card{'s' * (cards > 1)} in slot{'s' * (cards > 1)} {listed(slots)}"
    )
    begun = f"Before play each seat {'looks at' if mode in PEEKS else 'turns up'} {which} ({command})"
    if mode in PEEKS:
        begun += "; nobody else sees them" if cards > 1 else "; nobody else sees it"
    if cards == 1 or mode not in FREE_STARTS:
        return f"{begun}."
    return f"{begun}. You may choose them one by one, each after seeing the one before."


def _placing(rules: RuleSet) -> Paragraphs:
    some_up = rules.placed is Placed.UP or rules.flip or rules.reveal or rules.start.mode in FLIPS
    locks = rules.lock and some_up
    which = "your face-down cards" if locks else f"your cards{', face up or face down' * some_up}"
    lies = (
        "lies face up"
        if rules.placed is Placed.UP
        else (
            "lies face down: if it came from the stock, only you know it; if it came from the discard pile, "
            "everybody does"
        )
    )
    return (
        f"A card is placed in the slot of any one of {which}. You do not see a face-down card before you replace it. "
        f"The old card goes face up on the discard pile, and the new one {lies}.",
        locks
        and "A card that lies face up is locked: it stays until the end of the hole. If you have no face-down card "
        "left, you cannot take.",
        some_up
        and not (locks or rules.closes_first)
        and "When all your cards lie face up, you play on in the same way.",
        rules.slam is not SlamMode.OFF and "A card cannot be placed in an empty slot.",
    )


def _ways_to_end(rules: RuleSet) -> Paragraphs:
    slams, last_turns = rules.slam is not SlamMode.OFF, _has_last_turns(rules)
    at_once = rules.stock_end is StockEnd.AT_ONCE
    stays = " The knocker's cards stay in play." * (rules.placed is Placed.DOWN)
    more = (
        ", counts for nobody and allows nothing more"
        if slams or power_ranks(rules)
        else " and counts for nobody"
    )
    # With a fixed number of turns the stock has a card for each (X15), unless penalties use it up.
    stock_lasts = rules.turns is not None and not slams
    return (
        slams
        and "The hole ends at once when a seat has no cards left, because they were slammed, given or lost. A seat "
        "whose last card another seat has slammed gets its gift first.",
        at_once
        and f"The hole ends at once when {_no_stock(rules)} The card drawn is then put on the discard pile{more}."
        f"{' A penalty card stays with its new owner and counts.' * slams}",
        rules.turns is not None
        and f"The hole ends when every seat has had {count(rules.turns, 'turn')}. Drawing and discarding is a turn, "
        "too.",
        can_end_face_up(rules) and _end_face_up(rules),
        rules.knock
        and "A seat may knock instead of playing its turn, before drawing, from its first turn on, if nobody has "
        "closed the hole. It is then the closer: every other seat has one more turn, in which it cannot knock, and "
        f"the hole ends.{stays}{' The knocker may still slam.' * slams}",
        not (at_once or stock_lasts)
        and f"The hole ends with the turn in which {_no_stock(rules)}"
        f"{' Last turns that are still to come are lost.' * last_turns}",
        rules.turn_cap is not None
        and (rules.turns is None or rules.turn_cap < rules.turns)
        and f"The hole ends when every seat has had {count(rules.turn_cap, 'turn')}"
        f"{' and nobody has closed it' * last_turns}{'; a knock counts as a turn' * rules.knock}.",
    )


def _end_face_up(rules: RuleSet) -> str:
    if rules.final_turn:
        return (
            "A seat closes the hole when it turns up or places a card and all its cards then lie face up. It is the "
            "closer: every other seat has one more turn, the closer none, and the hole ends."
        )
    if rules.face_up is FaceUp.FIRST:
        return (
            "The hole ends with the turn in which a seat turns up or places a card and all its cards then lie face "
            "up. That seat is the closer; others may have had one turn fewer."
        )
    return (
        "The hole ends with the turn after which all cards of all seats lie face up. The seat whose turn it was is "
        "the closer; there are no last turns."
    )


def _no_stock(rules: RuleSet) -> str:
    """Return when the stock is used up: the end of a sentence and, if the stock can be renewed, how."""
    if not rules.reshuffles:
        return "the last card of the stock is drawn."
    return (
        "the last card of the stock is drawn and the stock cannot be renewed. "
        f"{times(rules.reshuffles).capitalize()} in a hole, when a card has to be drawn and the stock is used up, the "
        "discard pile, except its top card, is shuffled and becomes the new stock; the pile must have at least two "
        "cards."
    )


def can_end_face_up(rules: RuleSet) -> bool:
    """Return whether a hole can end because cards are face up."""
    can_turn_all = rules.placed is Placed.UP or rules.flip or rules.reveal
    return can_turn_all and rules.face_up is not FaceUp.OFF


def _has_last_turns(rules: RuleSet) -> bool:
    return rules.knock or (can_end_face_up(rules) and rules.final_turn)
