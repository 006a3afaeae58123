"""The rules text says what is played: its numbers match the rule set, and equal texts mean equal play."""

import re
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from golfnet.engine.cards import Seat, column_slots
from golfnet.engine.errors import RuleError
from golfnet.engine.events import MatchStarted
from golfnet.engine.frozen import replaced
from golfnet.engine.options import FIELDS, override
from golfnet.engine.rulebook import WIDTH, aim, rulebook, rules_in_short, rules_text, summary
from golfnet.engine.rules import Cancel, RuleSet, SlamMode, Start, StartMode
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.engine.random_play import play_match
from tests.engine.strategies import option_text, rule_sets

CATALOGUE = catalogue()
NUMBERS = {
    **{"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8},
    **{"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "once": 1, "twice": 2},
}


def said(rules: RuleSet) -> str:
    """Return the whole text in one line, without title and headings."""
    return " ".join(text for section in rulebook(rules) for text in section.paragraphs)


def section(rules: RuleSet, title: str) -> str:
    return " ".join(text for name, texts in rulebook(rules) if name == title for text in texts)


def number(word: str) -> int:
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)


def numbers(pattern: str, text: str) -> list[int]:
    """Return the numbers matched by the group of a pattern, wherever it occurs."""
    return [number(word) for word in re.findall(pattern, text)]


@given(rule_sets())
def test_any_rules_are_described_in_plain_full_sentences_that_fit_a_terminal(rules: RuleSet) -> None:
    text = rules_text(rules)
    assert all(0 <= len(line) <= WIDTH and line == line.rstrip() for line in text.splitlines())
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert not text.endswith("\n")
    assert all(len(line) <= 240 and "{" not in line for line in aim(rules))
    for title, paragraphs in rulebook(rules):
        assert paragraphs, title
        for paragraph in paragraphs:
            assert re.fullmatch(r"[A-Z].*\.", paragraph), paragraph
            assert not [odd for odd in ("  ", " .", "..", "None") if odd in paragraph], paragraph
    other_words = r"(?i)\b(hands?|rounds?|games?|boards?|grids?|rooms?|users?|players?|decks of)\b"
    assert re.findall(other_words, said(rules)) == []


@pytest.mark.parametrize("name", CATALOGUE)
def test_sections_follow_the_order_of_play_and_titles_are_not_indented(name: str) -> None:
    rules = CATALOGUE[name]
    extras = ["Powers", "Slams"] if rules.slam is not SlamMode.OFF else []
    first, *lines = rules_text(rules).splitlines()
    assert first == f"{rules.title} ({name})"
    assert [line for line in lines if line and not line.startswith("  ")] == [
        *("Aim", "Cards", "Deal", "Start", "A turn", *extras, "End of the hole", "Scoring", "Match"),
        "When time runs out",
    ]


def points_of(text: str) -> dict[str, int]:
    """Return the points by rank, parsed from the list in the text."""
    found: dict[str, int] = {}
    for part in text.partition("Points: ")[2].partition(".")[0].split(", "):
        if run := re.fullmatch(r"(\d+) to (\d+) their number", part):
            found |= {str(n): n for n in range(int(run[1]), int(run[2]) + 1)}
        else:
            rank, _, value = part.partition(" = ")
            found["*" if rank == "joker" else rank] = int(value)
    return found


@given(rule_sets())
def test_the_text_gives_the_deck_for_every_number_of_seats(rules: RuleSet) -> None:
    text = section(rules, "Cards")
    (packs,) = re.findall(r"Play with ([^.]+)\.", text)
    steps = {int(seats): number(word) for seats, word in re.findall(r", from (\d+) seats on (\w+)", packs)}
    steps[1] = number(packs.split()[0])
    suits = {int(seats): number(word) for seats, word in re.findall(r"with (\d+) seats (\w+)", text)}
    jokers = sum(numbers(r"(\w+) jokers?", text))
    for seats in range(rules.seats.low, rules.seats.high + 1):
        count = steps[max(step for step in steps if step <= seats)]
        assert count * (52 + jokers) + 13 * suits.get(seats, 0) == rules.deck_size(seats)


@given(rule_sets())
def test_the_text_gives_the_number_of_seats_and_the_arrangement_of_slots(rules: RuleSet) -> None:
    (low, high) = re.findall(r"For (\d+)(?: to (\d+))? seats\.", section(rules, "Cards"))[0]
    assert (int(low), int(high or low)) == rules.seats
    deal = section(rules, "Deal")
    (drawn,) = re.findall(r"top row first: ([\d /]+)\.", deal)
    rows = [[int(slot) for slot in row.split()] for row in drawn.split("/")]
    assert rows == [[row * rules.columns + n + 1 for n in range(rules.columns)] for row in range(rules.rows)]
    assert numbers(r"has (\w+) rows?", deal) == [rules.rows]
    assert numbers(r"rows? of (\w+)", deal) == [rules.columns]
    assert numbers(r"Each seat has (\w+) cards", section(rules, "Aim")) == [rules.slots]


@given(rule_sets())
def test_s4_the_text_gives_the_points_of_the_ranks_and_the_columns_that_cancel(rules: RuleSet) -> None:
    text = section(rules, "Scoring")
    ranks = {card.rank for card in rules.deck_for(rules.seats.high)}
    assert points_of(text) == {rank: rules.values[rank] for rank in ranks}
    listed = re.findall(r"The columns are slots ([^.]+)\.", text)
    if rules.cancel is not Cancel.COLUMN or rules.rows == 1:
        assert listed == []
        return
    columns = [tuple(int(slot) for slot in re.findall(r"\d+", column)) for column in listed[0].split(";")]
    assert tuple(columns) == column_slots(rules.rows, rules.columns)


@given(rule_sets())
def test_the_text_gives_the_length_of_a_hole_and_of_a_match(rules: RuleSet) -> None:
    end = section(rules, "End of the hole")
    turns = numbers(r"every seat has had (\w+) turns?", end)
    assert turns == [
        n for n in (rules.turns, rules.turn_cap) if n is not None and (n == turns[0] or n < turns[0])
    ]
    match = section(rules, "Match")
    assert numbers(r"total reaches (\w+) points", match) == (
        [rules.target] if rules.target is not None else []
    )
    assert numbers(r"(?:A match is|at the latest after) (\w+) holes?\.", match) == [rules.holes or 99]
    assert numbers(r"(\w+(?= times)|Once|Twice)(?: times)? in a hole, when", end) in ([], [rules.reshuffles])


@given(rule_sets())
def test_the_text_gives_the_start_choices_and_the_length_of_the_slam_window(rules: RuleSet) -> None:
    start = re.findall(r"\((peek|flip) ([\d ]+)\)", section(rules, "Start"))
    count = rules.start.cards
    if count == 0:
        assert start == []
        assert "Nobody looks at any card before play" in section(rules, "Start")
    else:
        ((verb, slots),) = start
        assert rules.start.mode.value.startswith(verb)
        first = 1 if rules.start.mode.value.endswith("any") else rules.slots - count + 1
        assert [int(slot) for slot in slots.split()] == list(range(first, first + count))
    seconds = numbers(r"after (\w+) seconds? at the latest", section(rules, "Slams"))
    assert seconds == ([] if rules.slam is SlamMode.OFF else [rules.slam_window])


SENTENCES = """
    four-turn F2 A turn: any one of your face-down cards
    four-turn F2 A turn: is locked: it stays until the end of the hole
    four-turn F1 End of the hole: ends when every seat has had four turns. Drawing and discarding is a turn
    four-turn F3 Scoring: three sevens score 7, four sevens 14
    four-turn F4 Scoring: J = 0, Q = 10, K = 10
    four-turn F6 Match: A match is one hole.
    cactus C1 Cards: A deck is 52 cards, 0 to 10, J and Q in four suits
    cactus C1 Cards: with 6 seats one, with 7 seats two, with 8 seats three
    cactus C2 Deal: The discard pile begins empty
    cactus C3 A turn: lies face down: if it came from the stock, only you know it
    cactus C13 A turn: cannot be placed in an empty slot
    cactus C4 Scoring: Equal cards do not cancel
    cactus C5 Deal: the seat with the highest total has it. If totals are equal, it is the first of these seats
    cactus C6 Powers: puts a J or Q on the discard pile
    cactus C6 Powers: Peek at one face-down card of any seat
    cactus C6 Powers: Everybody sees which slots you touch
    cactus C7 End of the hole: knock instead of playing its turn, before drawing, from its first turn on
    cactus C7 End of the hole: The knocker's cards stay in play. The knocker may still slam.
    cactus C8 End of the hole: at once when the last card of the stock is drawn
    cactus C8 End of the hole: A penalty card stays with its new owner and counts
    cactus C9 Scoring: more than 5 is doubled, even if it is the lowest
    cactus C10 Match: total reaches 25 points or more
    cactus C11 Slams: any seat, the discarder included, may slam a face-down card
    cactus C12 Slams: a J is not a Q, and a 10 is neither
    cactus C12 Slams: Only one slam succeeds for each discard, the first right one
    cactus C13 Slams: its slot stays empty for the rest of the hole
    cactus C14 Slams: you owe its seat a gift
    cactus C14 End of the hole: A seat whose last card another seat has slammed gets its gift first
    cactus C15 Slams: it moves face down to a new slot in your layout, with no further penalty
    cactus C15 Slams: the number after the highest that the layout has ever had
    cactus C16 Slams: The window stays open after a wrong slam
    cactus C17 Slams: If it was also wrong, whoever owned it, you get the top card of the stock
    cactus C18 Slams: Slams do not change whose turn comes next
    cactus C19 End of the hole: Whatever the last discard allows happens before the cards are counted
    cactus C20 Slams: One meant for an earlier discard, or for a slot whose card has changed since
    cactus C21 Slams: every wrong slam costs
    six-card S1 A turn: you may turn up one of your face-down cards (flip SLOT), even the last one
    six-card S2 End of the hole: others may have had one turn fewer
    six-card S3 Scoring: A column counts 0 if both its cards have the same rank
    six-card S3 Scoring: even if that rank is worth minus points
    six-card S4 Scoring: slots 1 and 4; 2 and 5; 3 and 6
    six-card-final G1 Start: each after seeing the one before
    six-card-final G2 End of the hole: every other seat has one more turn, the closer none
    four-card-knock K1 Start: looks at any two of its cards
    four-card-knock K2 End of the hole: every other seat has one more turn, in which it cannot knock
    multiples M1 Cards: Play with two decks
    multiples M2 A turn: When all your cards lie face up, you play on in the same way
    multiples M3 End of the hole: after which all cards of all seats lie face up
    multiples M4 Scoring: If you have two or more cards of a rank, they all count 0
    multiples X2 A turn: it cannot be put back
    multiples X3 A turn: You do not see a face-down card before you replace it
    multiples X4 Deal: clockwise from the dealer's left: slot 1 for everybody, then slot 2
    multiples X5 Deal: Seat A deals the first hole; after each hole the deal passes on clockwise
    six-card-final X6 End of the hole: the discard pile, except its top card, is shuffled
    six-card-final X7 End of the hole: had 40 turns and nobody has closed it
    multiples X8 End of the hole: all face-down cards are turned up and count
    multiples X9 Match: Equal totals share a place
    multiples X10 Start: shown to you once
    multiples X11 Cards: Suits never matter
    multiples X12 Start: All seats do this at the same time, in any order
    cactus X13 When time runs out: With a power: decline it
    cactus X14 End of the hole: the one named first here is given as the reason
    cactus X15 Match: at the latest after 99 holes
    multiples X18 Match: the hole in play counts for nobody
    six-card-final,penalty=+10 G4 Scoring: gets 10 points added, however the hole ended
    six-card-final,jokers=2 G3 Cards: two jokers, which all have the same rank
    four-card-knock,cancel=anywhere K3 Scoring: One pair of each rank counts 0
    multiples,lock=on M3 A turn: If you have no face-down card left, you cannot take
    multiples,reveal=on M3 A turn: Or turn up one of your face-down cards (flip SLOT)
    multiples,final_turn=on M3 End of the hole: every other seat has one more turn, the closer none
    cactus,deck=standard C1 Powers: puts a J, Q or K on the discard pile
    cactus,slam=order C21 Slams: clockwise from the discarder's left, the discarder last
    cactus,slam=lot C21 Slams: in an order drawn by lot. Each seat has one claim in a window
    cactus,recall=always X16 Start: stays visible to you
    six-card,dealer=random X17 Deal: A seat drawn by lot deals the first hole
    six-card,start=peek-any-1 X12 Start: (peek 1); nobody else sees it.
    six-card,start=flip-bottom-1 X12 Start: turns up its card in slot 6 (flip 6).
    cactus,power=*J,jokers=1 C6 Powers: puts a J or joker on the discard pile
"""
"""A rule set, a decision, the section of the text that explains it, and words in that section."""


@pytest.mark.parametrize("row", SENTENCES.strip().splitlines())
def test_every_decision_is_explained_in_its_section(row: str) -> None:
    name, number, words = row.split(maxsplit=2)
    title, _, sentence = words.partition(": ")
    base, *options = name.split(",")
    assert sentence in section(override(VARIANTS[base], typed(" ".join(options))), title), number


def test_the_text_omits_what_the_rules_do_not_allow() -> None:
    for name, rules in CATALOGUE.items():
        for words, there in [
            ("slam", rules.slam is not SlamMode.OFF),
            ("knock", rules.knock),
            ("can cancel each other", rules.cancel is not Cancel.NONE),
            ("turn up no card", rules.flip),
        ]:
            assert (words in said(rules)) == there, (name, words)
    assert "power" not in said(override(CACTUS, {"power": "K"})), "the numbered deck has no king"
    assert "closer" not in said(VARIANTS["four-turn"])
    for changes in ({"slam": "off"}, {"power": "off"}, {"slam": "off", "power": "off"}):
        allows_more = len(changes) == 1
        assert ("allows nothing more" in said(override(CACTUS, changes))) == allows_more, changes


def test_the_text_ends_with_notes() -> None:
    assert rulebook(replaced(SIX_CARD, notes=("The loser buys.",)))[-1] == ("Notes", ("The loser buys.",))


def played(rules: RuleSet, seed: int) -> Iterator[object]:
    """Yield what happens in the first holes of a random match, and what seat A sees."""
    for step in islice(play_match(rules, rules.seats.low, Random(seed), holes=2), 250):
        yield [event for event in step.events if not isinstance(event, MatchStarted)]
        if step.after.hole is not None:
            yield view(step.after.hole, Seat(0)).layouts


@pytest.mark.parametrize("name", FIELDS)
@settings(max_examples=settings().max_examples // 6)
@given(rules=rule_sets(), data=st.data(), seed=st.integers(0, 10**6))
def test_an_option_that_changes_play_changes_the_text(
    name: str, rules: RuleSet, data: st.DataObject, seed: int
) -> None:
    """If two rule sets have the same text, events and views must be the same under both."""
    text = data.draw(option_text(name))
    try:
        changed = override(rules, {name: text})
    except RuleError:
        return
    assume(changed != rules)
    if said(changed) == said(rules):
        assert list(played(changed, seed)) == list(played(rules, seed))


MATTERS = """
    six-card: seats=4 | seats=2-7 | rows=1 | columns=4 | decks=2 | decks=1,4:2,8:3 | deck=numbered | jokers=1 |
        start=flip-any-1 | start=flip-bottom-2 | start=peek-any-2 | start=none
    cactus knock=off slam=off power=off: placed=up
    six-card flip=off: lock=on | flip=on | reveal=on | knock=on | final_turn=on | cancel=none | cancel=anywhere |
        cancel=all | values=10:0 | holes=18 | target=50 | turns=6 | turn_cap=41 | reshuffles=2 | reshuffles=0 |
        penalty=+5 | penalty=+10 | penalty=double | penalty=double-over-5 | dealer=random | upcard=off |
        face_up=off | face_up=every | stock_end=at-once | leader=highest
    cactus reveal=on knock=off slam=off power=off: lock=on
    cactus start=flip-any-2 knock=off slam=off power=off: lock=on
    six-card flip=off turns=5: knock=on
    six-card flip=off face_up=every: final_turn=on
    cactus flip=on knock=off slam=off power=off face_up=first: final_turn=off | penalty=none
    six-card jokers=1 flip=off: values=*:1
    six-card flip=off target=50: holes=18 target=50
    six-card flip=off turns=6: turn_cap=5 | stock_end=at-once
    cactus decks=2 turns=5 stock_end=finish: reshuffles=2
    cactus: reshuffles=1 | slam=off | slam=order | slam=lot | slam_window=4 | power=Q | power=off |
        extra_suits_from=7 | extra_suits_from=5
    cactus reveal=on knock=off slam=off power=off face_up=every: penalty=none
    six-card start=peek-any-2 flip=off: recall=always
    cactus start=none knock=off slam=off power=off: recall=always
    six-card flip=off holes=1: dealer=random | leader=highest
    cactus flip=on knock=off slam=off power=off: face_up=first
"""
"""Rule sets, each with changes of options that must change its text."""


def those_that_matter() -> Iterator[tuple[str, str]]:
    """Yield a rule set and a change to it, both as a host would type them."""
    for row in MATTERS.replace(" |\n", " |").strip().splitlines():
        base, _, changes = row.strip().partition(": ")
        for change in changes.split("|"):
            yield base, change.strip()


def typed(options: str) -> dict[str, str]:
    return dict(option.split("=") for option in options.split())


@pytest.mark.parametrize(("base", "changes"), list(those_that_matter()))
def test_an_option_with_an_effect_changes_the_text(base: str, changes: str) -> None:
    name, _, options = base.partition(" ")
    rules = override(VARIANTS[name], typed(options))
    assert said(override(rules, typed(changes))) != said(rules)


def test_every_option_has_an_example_in_which_it_matters() -> None:
    named = {name for _, changes in those_that_matter() for name in typed(changes)}
    assert named == set(FIELDS), "MATTERS needs a rule set in which the option matters, with a change of it"


# --- the rules in six lines, and the aim in two


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=list(VARIANTS))
def test_the_short_rules_have_six_lines_that_fit_a_terminal(rules: RuleSet) -> None:
    title, *lines = rules_in_short(rules).splitlines()
    assert rules.name in title
    assert [line.split(":")[0] for line in lines] == ["Aim", "Start", "Turn", "Cards", "End", "Points"]
    assert all(len(line) <= WIDTH for line in lines)
    assert not re.search(r"SLOT|flip|peek \d|such as", " ".join(summary(rules, is_typed=False))), (
        "with buttons"
    )


@pytest.mark.parametrize("width", [26, 38, 118])
def test_short_rules_are_wrapped_to_any_width(width: int) -> None:
    for rules in VARIANTS.values():
        for text in (rules_text(rules, width=width), rules_in_short(rules, width=width)):
            assert all(len(line) <= width for line in text.splitlines())
        assert rules_text(rules, width=width).split() == rules_text(rules).split()


def test_short_rules_reflect_the_options() -> None:
    def line(name: str, **changes: Any) -> str:
        told = rules_in_short(replaced(SIX_CARD, **changes), width=200).splitlines()
        return next(each for each in told if each.startswith(f"{name}: "))

    assert line("Points") == "Points: A 1, 2 -2, J and Q 10, K 0, others their number; equal columns 0."
    assert line("Points", cancel=Cancel.NONE).endswith("others their number.")
    assert line("End", knock=True).endswith("a knock; then a last turn for the others.")
    assert line("Turn", knock=True).endswith("(or discard a drawn card); or knock.")
    assert line("Aim", target=50).startswith("Aim: the lowest total when somebody has 50.")
    assert line("Start", start=Start(StartMode.PEEK_BOTTOM, 3)) == (
        "Start: look at your cards in 4, 5 and 6: peek 4 5 6."
    )
    assert line("Cards", lock=True).startswith("Cards: what you swap in lies face up and stays there")


@pytest.mark.parametrize(
    ("name", "length", "points"),
    [
        ("six-card", "after nine holes", " Two equal cards in a column cancel: they count 0."),
        ("nine-card", "after nine holes", " Three equal cards in a column cancel: they count 0."),
        ("cactus", "when somebody has 25", ""),
        ("multiples", "after nine holes", " Equal cards cancel: they count 0."),
    ],
)
def test_the_two_line_aim_says_what_wins_and_what_cancels(name: str, length: str, points: str) -> None:
    first, second = aim(CATALOGUE[name])
    assert first == f"Low score wins: the lowest total {length}. Get rid of high cards."
    assert second.endswith(f".{points} To read more, type: rules")
