"""The decisions S1–S5: six-card; each test names its number."""

from __future__ import annotations

import pytest

from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason, Flipped
from golfnet.engine.hole import Phase
from tests.engine.drawing import Played, dealt, drawn, names, only, rules

SIX = """
    7H 2C KD | 3S 4S 5S
    7S 9C AH | 6S 7D 8S
"""
THREE = """
    7H 2C KD | 3S 4S 5S | 2S 2H KS
    7S 9C AH | 6S 7D 8S | 10S JS QS
"""


def almost_all_face_up(name: str = "six-card", **changes: object) -> Played:
    """Return a hole in which A's next card closes."""
    played = dealt(rules(name, **changes), THREE, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays(f"A take {slot}", "B take 1", "C take 1")
    return played


def test_s1_after_refusing_a_stock_card_the_seat_may_turn_up_one_own_card() -> None:
    played = dealt("six-card", SIX, stock="JC JD").chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded"
    assert played.view("B").phase is Phase.FLIP
    assert played.lines("A") == ["flip 3", "flip 4", "flip 5", "flip 6", "pass"]
    assert names(played.plays("A flip 5")) == "flipped turn"
    assert drawn(played.hole)[0] == ("7H", "2C", "(KD)", "(7S)", "9C", "(AH)")
    assert names(played.plays("B draw", "B discard", "B pass")) == "drew discarded passed turn"


def test_s1_only_one_own_face_down_card_is_turned_up() -> None:
    played = dealt("six-card", SIX).chosen()
    assert played.refuses("A flip 3") is Refusal.BAD_PHASE, "not before the card is drawn"
    played.plays("A draw")
    assert played.refuses("A flip 3") is Refusal.BAD_PHASE
    played.plays("A discard")
    assert played.refuses("A flip 1") is Refusal.BAD_SLOT
    assert played.refuses("A flip 7") is Refusal.BAD_SLOT
    assert played.refuses("A flip 3 4") is Refusal.BAD_SLOT
    assert played.refuses("B flip 3") is Refusal.NOT_YOUR_TURN
    assert played.refuses("B pass") is Refusal.NOT_YOUR_TURN


def test_s1_after_a_taken_card_nothing_is_turned_up() -> None:
    played = dealt("six-card", SIX, upcard="9S").chosen()
    assert names(played.plays("A take 3")) == "took swapped turn"
    assert names(played.plays("B draw", "B swap 3")) == "drew swapped turn"


def test_s1_the_last_card_may_be_turned_up_and_ends_the_hole() -> None:
    played = almost_all_face_up()
    assert names(played.plays("A draw", "A discard", "A flip 6")) == "drew discarded flipped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)


def test_s1_with_no_face_down_card_left_there_is_no_flip() -> None:
    two = "7H 2C | 3S 4S\n7S 9C | 6S 7D"
    played = dealt(rules("multiples", flip=True), two, upcard="9S").chosen()
    for slot in (1, 2, 3, 4):
        played.plays(f"A take {slot}", "B take 1")
    assert names(played.plays("A draw", "A discard")) == "drew discarded turn"


def test_s2_the_hole_ends_as_soon_as_one_layout_is_all_face_up() -> None:
    played = almost_all_face_up()
    assert names(played.plays("A take 6")) == "took swapped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)
    assert played.hole.turns == (4, 3, 3), "seats may have had different numbers of turns"


def test_s2_final_turn_gives_every_other_seat_one_more_turn() -> None:
    played = almost_all_face_up(final_turn=True)
    assert names(played.plays("A take 6")) == "took swapped turn"
    played.plays("B take 1", "C draw", "C discard")
    assert names(played.plays("C pass")) == "passed hole_ended"
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.FACE_UP, 0, (4, 4, 4))


@pytest.mark.parametrize(
    ("layout", "score"),
    [
        ("2H 5C KD\n2S 9C AH", 15),
        ("KH 5C 3D\nKS 9C AH", 18),
        ("KH 2C 3D\n9D KC 2H", 8),
        ("QH 2C 3D\nQS 2D 3S", 0),
        ("7H 7C 7D\n2S 2C 2D", 15),
    ],
)
def test_s3_a_column_of_two_equal_ranks_counts_zero(layout: str, score: int) -> None:
    first, second = layout.splitlines()
    rule_set = rules("six-card", turn_cap=1)
    played = dealt(rule_set, f"{first} | 4S 5S 6S\n{second} | 8S 9S 10S")
    played.house_plays_on()
    assert played.ended.scores == (score, 42)


@pytest.mark.parametrize(
    ("layout", "score"),
    [
        ("7H 4S 5S\n7C 8S 9S", 26),
        ("3S 7H 5S\n6S 7C 9S", 23),
        ("3S 4S 7H\n6S 8S 7C", 21),
        ("7H 7C 5S\n6S 8S 9S", 42),
        ("7H 4S 5S\n6S 7C 9S", 38),
        ("3S 4S 7H\n7C 8S 9S", 38),
    ],
)
def test_s4_columns_are_slots_1_4_and_2_5_and_3_6(layout: str, score: int) -> None:
    first, second = layout.splitlines()
    played = dealt(rules("six-card", turn_cap=1), f"{first} | AD AH 10S\n{second} | KD KH 10H")
    played.house_plays_on()
    assert played.ended.scores == (score, 2)


def test_s5_nine_holes_and_eighteen_are_the_long_course() -> None:
    for holes in (9, 18):
        longer = {} if holes == 9 else {"holes": holes}
        played = dealt(rules("six-card", turn_cap=1, **longer), SIX)
        played.house_plays_on()
        while played.match.places is None:
            played.deals()
            played.house_plays_on()
        assert len(played.match.scores) == played.hole.deal.hole == holes


def test_s1_a_flipped_card_is_seen_by_all() -> None:
    played = dealt("six-card", SIX).chosen()
    played.plays("A draw", "A discard")
    card = only(Flipped, played.plays("A flip 6")).card
    assert [played.view(viewer).layouts[0][5] for viewer in ("A", "B", None)] == [card.text] * 3
