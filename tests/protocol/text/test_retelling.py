"""A hole retold: one line per turn or slam, and how the cards of each seat are counted."""

import random
import re

import pytest
from msgspec.structs import replace

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, Card, Position, Seat
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.engine.variants import CACTUS, SIX_CARD, VARIANTS
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.retelling import retold
from golfnet.protocol.text.typeset import display_width
from golfnet.protocol.text.words import Voice
from tests.engine.random_play import play_match
from tests.protocol.tabletop import hole_ended

ANN, BOB = Seat(0), Seat(1)
LETTERS = Settings(style=Style.PLAIN, cards=Cards.LETTERS)
SPOKEN = Settings(style=Style.SPEECH)


def told(
    *events: ev.Event, rules: RuleSet = SIX_CARD, you: Seat | None = None, settings: Settings = LETTERS
) -> list[str]:
    voice = Voice(settings=settings, you=you, names=("Ann", "Bob"), rules=rules, brief=True)
    return list(retold(events, voice, 78))


def cards(text: str) -> tuple[Card | None, ...]:
    return tuple([CARDS.get(each) for each in text.split()])


KING, SEVEN = CARDS["KD"], CARDS["7H"]


def test_a_turn_is_retold_in_one_line() -> None:
    drew = ev.Drew(seat=BOB, stock=20, card=None)
    took = ev.Took(seat=BOB, card=KING)
    put = ev.Swapped(seat=BOB, slot=3, card=KING, discard=SEVEN, discard_no=2, hidden=False)
    threw = ev.Discarded(seat=BOB, card=SEVEN, discard_no=2)
    flip = ev.Flipped(seat=BOB, slot=4, card=KING)
    turn = ev.TurnBegan(seat=BOB, turn=1)
    assert told(turn, drew, threw, flip) == ["Bob draws and discards 7H, turns up slot 4: KD."]
    assert told(turn, drew, threw, ev.Passed(seat=BOB)) == ["Bob draws and discards 7H."]
    assert told(turn, drew) == ["Bob draws."]
    assert told(turn, took) == ["Bob takes KD."]
    assert told(turn, took, put, you=BOB) == ["You take KD into slot 3, discard 7H."]
    assert told(drew, replaced(put, card=None)) == ["Bob draws into slot 3, discards 7H."]
    [spoken] = told(drew, put, settings=SPOKEN)
    assert spoken == "Bob draws king of diamonds into slot 3, discards seven of hearts."


def test_consecutive_actions_of_a_seat_share_a_line() -> None:
    turned = ((ANN, 1, KING), (ANN, 2, SEVEN), (BOB, 1, KING))
    events = [ev.Flipped(seat=seat, slot=slot, card=card) for seat, slot, card in turned]
    assert told(*events) == ["Ann turns up slot 1: KD, slot 2: 7H.", "Bob turns up slot 1: KD."]
    looks = [ev.Peeked(seat=ANN, at=(Position(ANN, slot),), cards=(KING,)) for slot in (3, 4)]
    other = ev.Peeked(seat=BOB, at=(Position(BOB, 3),), cards=None)
    assert told(*looks, other) == ["Ann looks at slots 3 and 4: KD and KD.", "Bob looks at slot 3."]


def test_events_that_change_nothing_are_not_retold() -> None:
    threw = ev.Discarded(seat=BOB, card=SEVEN, discard_no=2)
    window = ev.SlamOpened(discard_no=2, card=SEVEN, ms=3000, mode=SlamMode.ORDER)
    closed = ev.SlamClosed(discard_no=2)
    slam = ev.Slammed(by=ANN, at=Position(BOB, 1), card=KING, result=ev.SlamResult.WRONG, discard_no=None)
    events = (threw, window, ev.Passed(seat=BOB), slam, closed, ev.Declined(seat=BOB))
    assert told(*events, rules=CACTUS) == [
        "Bob draws and discards 7H.",
        "Ann slams Bob's slot 1 (B1): KD. Wrong!",
    ]
    assert told(ev.TurnBegan(seat=BOB, turn=1), ev.Passed(seat=BOB)) == ["Bob passes."]


def ended(
    reason: ev.EndReason, closer: Seat | None, layouts: str, *scores: int, totals: tuple[int, int]
) -> ev.HoleEnded:
    first, second = map(cards, layouts.split(" | "))
    return hole_ended(reason, closer, (first, second), scores=scores or None, totals=totals)


SIX = "KS 5S 3D 7D 5H 2H | 5C JS 7S 5H QD 9C"


def test_cards_are_counted_by_column_if_columns_cancel() -> None:
    six = ended(ev.EndReason.FACE_UP, BOB, SIX, 8, 72, totals=(20, 72))
    assert told(six) == [
        "The hole is over: Bob has all cards face up.",
        "A Ann  1 KS  2 5S  3 3D   7 + 0 + 1 = 8 points, total 20",
        "       4 7D  5 5H  6 2H",
        "B Bob  1 5C  2 JS  3 7S   0 + 20 + 16 = 36 doubled for closing = 72 points",
        "       4 5H  5 QD  6 9C",
    ]
    assert told(six, settings=SPOKEN)[1].endswith("two of hearts. Columns: 7, 0 and 1.")


def test_an_abandoned_hole_is_not_counted() -> None:
    broken = ended(ev.EndReason.ABANDONED, None, SIX, totals=(0, 0))
    assert "points" not in " ".join(told(broken))
    over = ev.MatchEnded(match="m1", totals=(0, 0), places=(1, 1))
    assert told(broken, over)[-1] == "The match is over. None of its holes counts."
    assert not re.search("Columns|points", " ".join(told(broken, settings=SPOKEN)))


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=list(VARIANTS))
def test_the_sums_of_whole_matches_are_correct_and_lines_fit(rules: RuleSet) -> None:
    seats = min(4, rules.seats.high)
    for seed in range(2):
        steps = list(play_match(rules, seats, random.Random(seed), holes=2))
        events = [event for step in steps for event in step.events]
        for settings in (replace(LETTERS, width=40), Settings(), SPOKEN):
            voice = Voice(settings=settings, you=None, names=(), brief=True)
            lines = list(retold(events, voice, settings.width - 2))
            pictures = [line for line in lines if re.match(r"[A-Z] |  ", line)]
            assert max(map(display_width, pictures), default=0) <= settings.width - 2
        text = re.sub(r"\n +", " ", "\n".join(retold(events, replace(voice, settings=LETTERS), 200)))
        found = re.findall(r"(-?\d+(?: [+-] \d+)*)(?: \+ (\d+) for closing)? = (-?\d+) points?", text)
        for plain, price, total in found:
            parts = sum(int(each.replace(" ", "")) for each in re.findall(r"[+-]? ?\d+", plain))
            assert parts + int(price or 0) == int(total)
        scored = [event for event in events if isinstance(event, ev.HoleEnded) and event.scores]
        doubled = text.count(" doubled for closing")
        assert len(found) + doubled == seats * len(scored)
        assert text.count("The hole is over") == len(scored) > 0
