"""A rule set's rules text, made only from its data, so that text and play cannot differ.

Every field is described, so that a newcomer can play from the text; anything the fields make impossible is left out. No
sentence depends on a rule set's name. The sections on playing a hole are in ``rulebook_play``.
"""

import textwrap
from collections.abc import Callable
from typing import Final, NamedTuple

from golfnet.engine.cards import JOKER, column_slots
from golfnet.engine.forms import count, listed, word
from golfnet.engine.rulebook_play import (
    Paragraphs,
    can_be_closed,
    can_end_face_up,
    end_of_hole,
    out_of_time,
    power_ranks,
    powers,
    slams,
    start,
    turn,
)
from golfnet.engine.rules import (
    FREE_STARTS,
    MAX_HOLES,
    PEEKS,
    Cancel,
    DeckKind,
    FaceUp,
    FirstDealer,
    Leader,
    Penalty,
    Placed,
    RuleSet,
    SlamMode,
    StartMode,
)


def summary(rules: RuleSet, *, is_typed: bool = True) -> tuple[str, ...]:
    """Return the rules in six lines, each with its subject before a colon; ``is_typed`` adds the commands to type."""
    turn_up, place = (
        ("flip SLOT", "swap SLOT") if is_typed else ("turn up a card", "put it in place of one of yours")
    )
    instead = f"; or {turn_up}" * rules.reveal + "; or knock" * rules.knock
    return (
        f"Aim: the lowest total {_length(rules)}. You have {count(rules.slots, 'card')}, face down.",
        f"Start: {_start(rules, is_typed=is_typed)}.",
        f"Turn: draw or take, then {place} (or discard a drawn card){instead}.",
        f"Cards: {_cards_in_short(rules, turn_up, place)}.",
        f"End: {_end(rules)}.",
        f"Points: {_points_in_short(rules)}.",
    )


def aim(rules: RuleSet) -> tuple[str, str]:
    """Return what a new player needs to know: who wins, and what cards are worth."""
    equal = _EQUAL_CARDS[rules.cancelling].format(rows=word(rules.rows).capitalize())
    return (
        f"Low score wins: the lowest total {_length(rules)}. Get rid of high cards.",
        f"Points: {_points(rules)}.{equal} To read more, type: rules",
    )


_EQUAL_CARDS: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: " {rows} equal cards in a column cancel: they count 0.",
    Cancel.ANYWHERE: " Two equal cards cancel: they count 0.",
    Cancel.ALL: " Equal cards cancel: they count 0.",
}


def _length(rules: RuleSet) -> str:
    if rules.target is not None:
        return f"when somebody has {rules.target}"
    return f"after {count(rules.holes or 1, 'hole')}"


def _start(rules: RuleSet, *, is_typed: bool) -> str:
    mode, cards = rules.start
    if mode is StartMode.NONE:
        return "nobody looks at any card"
    does, verb = ("look at", "peek") if mode in PEEKS else ("turn up", "flip")
    if mode in FREE_STARTS:
        example = " ".join(map(str, range(1, cards + 1)))
        return f"{does} any {word(cards)} of your cards" + f", such as {verb} {example}" * is_typed
    slots = range(rules.slots - cards + 1, rules.slots + 1)
    example = f": {verb} {' '.join(map(str, slots))}" * is_typed
    return f"{does} your card{'s' * (cards > 1)} in {listed(slots)}{example}"


def _cards_in_short(rules: RuleSet, turn_up: str, place: str) -> str:
    what = f"what you {place.split()[0]} in lies face"
    ways = [f"{what} up" + " and stays there" * rules.lock if rules.placed is Placed.UP else f"{what} down"]
    if rules.flip:
        ways.append(f"after a discard you may {turn_up}")
    if ranks := power_ranks(rules):
        ways = [f"face down; discard {listed(ranks, 'or')} to peek or switch"]
    if rules.slam is not SlamMode.OFF:
        ways.append("slam an equal card")
    return "; ".join(ways)


def _end(rules: RuleSet) -> str:
    ways = [f"{count(rules.turns, 'turn')} each"] if rules.turns is not None else []
    face_up = can_end_face_up(rules)
    if face_up:
        every = rules.face_up is FaceUp.EVERY and not rules.final_turn
        ways.append("everybody's cards all face up" if every else "a player's cards all face up")
    if rules.knock:
        ways.append("a knock")
    last = "; then a last turn for the others" if rules.knock or (face_up and rules.final_turn) else ""
    at_once = "; or a player without cards" if rules.slam is not SlamMode.OFF else ""
    return (listed(ways, "or") if ways else "the stock is used up") + last + at_once


def _points_in_short(rules: RuleSet) -> str:
    values = rules.values
    by_value: dict[int, list[str]] = {}
    for rank in rules.ranks:
        if not (rank.isdigit() and values[rank] == int(rank)):
            by_value.setdefault(values[rank], []).append("joker" if rank == JOKER else rank)
    odd = [f"{listed(each)} {value}" for value, each in by_value.items()]
    numbers = [f"{'others ' * bool(odd)}their number"] if any(map(str.isdigit, rules.ranks)) else []
    price = _PRICES_IN_SHORT[rules.penalty] if can_be_closed(rules) else ""
    return f"{', '.join([*odd, *numbers])}{_EQUAL[rules.cancelling]}{price}"


_EQUAL: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: "; equal columns 0",
    Cancel.ANYWHERE: "; equal pairs 0",
    Cancel.ALL: "; equal cards 0",
}
_PRICES_IN_SHORT: Final = {
    Penalty.NONE: "",
    Penalty.FIVE: "; closing but not lowest costs 5",
    Penalty.TEN: "; closing but not lowest costs 10",
    Penalty.DOUBLE: "; closing but not lowest doubles it",
    Penalty.DOUBLE_OVER_FIVE: "; knocking with over 5 doubles it",
}


WIDTH: Final = 78
"""Characters per line in ``rules_text``: fits a terminal with 80 columns."""


class Section(NamedTuple):
    """One section of the rules text: its heading and its paragraphs, each as one line."""

    title: str
    paragraphs: tuple[str, ...]


def rulebook(rules: RuleSet) -> tuple[Section, ...]:
    """Return the rules in sections."""
    sections = [
        Section(title, tuple([text for text in paragraphs(rules) if text])) for title, paragraphs in _SECTIONS
    ]
    return tuple([section for section in sections if section.paragraphs])


def rules_text(rules: RuleSet, *, width: int = WIDTH) -> str:
    """Return the rules in lines of at most ``width`` characters, with headings at the margin and no final newline."""
    blocks = [_wrapped(f"{rules.title} ({rules.name})", width)]
    for title, paragraphs in rulebook(rules):
        wrapped = [_wrapped(text, width, indent="  ") for text in paragraphs]
        blocks.append("\n".join([_wrapped(title, width), *wrapped]))
    return "\n\n".join(blocks)


def rules_in_short(rules: RuleSet, *, width: int = WIDTH) -> str:
    """Return a summary of the rules, with one line per subject if the width allows it."""
    lines = [_wrapped(text, width, hanging="  ") for text in summary(rules)]
    return "\n".join([_wrapped(f"{rules.title} ({rules.name})", width), *lines])


def _wrapped(text: str, width: int, *, indent: str = "", hanging: str = "") -> str:
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent + hanging, break_on_hyphens=False
    )


def _aim(rules: RuleSet) -> Paragraphs:
    equals = "" if rules.cancelling is Cancel.NONE else " Equal cards can cancel each other out."
    return (
        f"Each seat has {count(rules.slots, 'card')} in front of it, dealt face down: its layout. Turn by turn you "
        "exchange your cards for better ones, although you do not know all of them. When the hole is over, all cards "
        f"are turned up and counted, and every point counts against you.{equals}",
        "A hole is one deal with the play that follows. The lowest total over all holes of a match wins it.",
    )


def _cards(rules: RuleSet) -> Paragraphs:
    low, high = rules.seats
    ranks = "A, 2 to 10, J, Q and K" if rules.deck is DeckKind.STANDARD else "0 to 10, J and Q"
    jokers = count(rules.jokers, "joker") + ", which all have the same rank" * bool(rules.jokers)
    begins = [low, *[seats for seats, _ in rules.decks.steps if low < seats <= high]]
    first, *later = [(seats, count(rules.decks.at(seats), "deck")) for seats in begins]
    packs = [first[1], *[f"from {seats} seats on {packs}" for seats, packs in later]]
    suits = [(seats, rules.extra_suits_for(seats)) for seats in range(low, high + 1)]
    added = [f"with {seats} seats {word(extra)}" for seats, extra in suits if extra]
    return (
        f"For {low if low == high else f'{low} to {high}'} seats. A deck is 52 cards, {ranks} in four suits, and "
        f"{jokers}. Suits never matter in play.",
        f"Play with {', '.join(packs)}.",
        bool(added) and f"More suits of 13 cards are added: {listed(added)}.",
    )


def _deal(rules: RuleSet) -> Paragraphs:
    dealer = "Seat A deals" if rules.dealer is FirstDealer.FIRST else "A seat drawn by lot deals"
    later = "" if rules.holes == 1 else " the first hole; after each hole the deal passes on clockwise"
    numbers = [" ".join(map(str, row)) for row in zip(*column_slots(rules.rows, rules.columns), strict=True)]
    return (
        f"Seats are called A, B, C and so on, clockwise. {dealer}{later}.",
        "Cards are dealt face down, one at a time, clockwise from the dealer's left: slot 1 for everybody, then slot "
        f"2 and so on. A layout has {count(rules.rows, 'row')} of {word(rules.columns)}; its slots are numbered from "
        f"left to right, top row first: {' / '.join(numbers)}. They keep their numbers for the whole hole. "
        "B3 is slot 3 of seat B; a number alone is a slot of your own.",
        "The next card is turned up and begins the discard pile; the rest, face down, is the stock."
        if rules.upcard
        else "The rest, face down, is the stock. The discard pile begins empty: the first turn cannot take from it.",
        _leader(rules),
    )


def _leader(rules: RuleSet) -> str:
    if rules.leader is Leader.LEFT:
        return "The seat on the dealer's left has the first turn."
    if rules.holes == 1:
        return "The dealer has the first turn."
    return (
        "In the first hole the dealer has the first turn; later, the seat with the highest total has it. If totals "
        "are equal, it is the first of these seats clockwise, counting from the one that had the first turn in the "
        "previous hole."
    )


def _scoring(rules: RuleSet) -> Paragraphs:
    return (
        f"Points: {_points(rules)}.",
        *_cancelling(rules),
        rules.slam is not SlamMode.OFF and "A seat without any cards scores 0.",
        can_be_closed(rules) and _PRICES[rules.penalty],
    )


def _points(rules: RuleSet) -> str:
    """Return points by rank, combining ranks that count their number: ``A = 1, 2 = -2, 3 to 10 their number``."""
    ranks = rules.ranks
    plain = [rank for rank in ranks if rank.isdigit() and rules.values[rank] == int(rank)]
    runs: list[list[str]] = []
    for rank in ranks:
        if rank in plain and runs and runs[-1][-1] in plain:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(
        [
            f"{run[0]} to {run[-1]} their number"
            if len(run) > 1
            else f"{'joker' if run[0] == JOKER else run[0]} = {rules.values[run[0]]}"
            for run in runs
        ]
    )


def _cancelling(rules: RuleSet) -> Paragraphs:
    seven, jack = rules.values["7"], rules.values["J"]
    match rules.cancelling:
        case Cancel.NONE:
            return ("Equal cards do not cancel: every card counts.",)
        case Cancel.COLUMN:
            columns = [listed(column) for column in column_slots(rules.rows, rules.columns)]
            cards = "both its cards" if rules.rows == 2 else f"all its {word(rules.rows)} cards"
            return (
                f"A column counts 0 if {cards} have the same rank, even if that rank is worth minus points. The "
                f"columns are slots {'; '.join(columns)}.",
                rules.slam is not SlamMode.OFF
                and "A column with an empty slot does not cancel, and cards in new slots are in no column.",
            )
        case Cancel.ANYWHERE:
            return (
                "One pair of each rank counts 0, wherever its two cards lie, even if the rank is worth minus points. "
                f"Only one pair: three sevens score {seven}, four sevens {2 * seven}.",
            )
        case Cancel.ALL:
            return (
                "If you have two or more cards of a rank, they all count 0, wherever they lie, even if the rank is "
                f"worth minus points: one jack scores {jack}, two or more jacks score 0.",
            )


_LOWEST: Final = "does not have the lowest score of the hole, alone or with others,"
_PRICES: Final = {
    Penalty.NONE: "",
    Penalty.FIVE: f"A closer that {_LOWEST} gets 5 points added, however the hole ended.",
    Penalty.TEN: f"A closer that {_LOWEST} gets 10 points added, however the hole ended.",
    Penalty.DOUBLE: (
        f"The score of a closer that {_LOWEST} is doubled, however the hole ended; a score of 0 or less stays the same."
    ),
    Penalty.DOUBLE_OVER_FIVE: (
        "A closer's score of more than 5 is doubled, even if it is the lowest, and however the hole ended; 5 is safe."
    ),
}


def _match(rules: RuleSet) -> Paragraphs:
    holes = count(rules.holes or MAX_HOLES, "hole")
    return (
        f"A match is {holes}."
        if rules.target is None
        else f"A match ends after the hole in which any seat's total reaches {rules.target} points or more, and at the "
        f"latest after {holes}.",
        "The lowest total wins. Equal totals share a place, and nothing breaks the tie: two seats may both be first, "
        "and the next is then third.",
        "If a match is ended early, the finished holes count; the hole in play counts for nobody.",
    )


_SECTIONS: Final[tuple[tuple[str, Callable[[RuleSet], Paragraphs]], ...]] = (
    ("Aim", _aim),
    ("Cards", _cards),
    ("Deal", _deal),
    ("Start", start),
    ("A turn", turn),
    ("Powers", powers),
    ("Slams", slams),
    ("End of the hole", end_of_hole),
    ("Scoring", _scoring),
    ("Match", _match),
    ("When time runs out", out_of_time),
    ("Notes", lambda rules: rules.notes),
)
