"""Decisions C11–C17 and C19–C21: slams in cactus; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine.cards import CARDS
from golfnet.engine.errors import IllegalAction, Refusal
from golfnet.engine.events import EndReason, Event, Gave, Penalized, Slammed, SlamResult
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.rules import Recall, SlamMode
from tests.engine.drawing import FOUR, THREE, Played, cards, dealt, drawn, names, only, rules


def discarded(card: str, layouts: str = FOUR, *, stock: str = "5D QH QD", **changes: object) -> Played:
    """Return a hole in which A has drawn and discarded a card, and its window is open."""
    played = dealt(rules("cactus", **changes), layouts, stock=f"{card} {stock}").chosen()
    played.plays("A draw", "A discard")
    return played


def result(events: list[Event]) -> SlamResult:
    return only(Slammed, events).result


# C11


@pytest.mark.parametrize(
    ("card", "lines", "moved"),
    [
        pytest.param("JC", ["A switch 1 B4"], ["B slam A1", "B slam 4", "A slam 1"], id="switched"),
        pytest.param("7C", ["B slam 4"], ["A slam B4", "B slam 4"], id="emptied by a success"),
        pytest.param("7C", ["B slam A1", "B give 3"], ["A slam 1", "A slam B3"], id="given"),
        pytest.param("7C", ["B slam 1", "B slam A2"], ["A slam B5", "A slam B6", "A slam 2"], id="penalties"),
    ],
)
def test_c11_a_slam_of_a_position_changed_since_the_discard_is_refused(
    card: str, lines: list[str], moved: list[str]
) -> None:
    played = discarded(card)
    played.plays(*lines)
    for line in moved:
        seat, _, command = line.partition(" ")
        assert played.refuses(line) is Refusal.CARD_MOVED
        assert f"{command} #1" not in played.lines(seat)


# C12, C13


@pytest.mark.parametrize(
    ("discard", "slot"),
    [("JC", "QH"), ("QC", "JH"), ("10C", "JH"), ("10C", "QH"), ("0C", "10H"), ("1C", "10H")],
)
def test_c12_the_rank_must_match_not_the_value(discard: str, slot: str) -> None:
    played = discarded(discard, f"{slot} 2C | 3S 4S\n7S 9C | 6S 7D", stock="5D 8H")
    assert result(played.plays("A slam 1")) is SlamResult.WRONG


def test_c13_a_correct_slam_of_your_own_card_discards_it_and_its_slot_stays_empty() -> None:
    played = discarded("7C")
    played.plays("A slam 1")
    assert drawn(played.hole)[0] == ("-", "(2C)", "(7S)", "(9C)")
    assert played.hole.discards == cards("7C 7H")
    assert played.view("B").layouts[0] == ("-", "?", "?", "?")
    played.everybody_passes()
    played.plays("B draw", "B discard", "A slam 3")
    assert drawn(played.hole)[0] == ("-", "(2C)", "(7S)", "(9C)", "(QH)"), "slots are never renumbered"


# C14


def test_c14_only_a_giver_who_remembers_the_gift_knows_it() -> None:
    for recall in Recall:
        known = only(Gave, discarded("7C", recall=recall).plays("B slam A1", "B give 3"))
        unknown = only(Gave, discarded("7C", recall=recall).plays("B slam A1", "B give 1"))
        assert (known.card, known.known) == (CARDS["6S"], recall is Recall.ALWAYS)
        assert not unknown.known, "never looked at"


def test_c14_nothing_else_happens_until_the_card_is_given() -> None:
    played = discarded("JC", "JH 2C | 3S 4S\n7S 9C | JS 7D")
    played.plays("B slam A1")
    for line in ("A decline", "A peek 2", "A switch 2 3", "A slam B3", "B slam 3", "A pass", "B pass"):
        assert played.refuses(line) is Refusal.GIFT_OWED
    assert played.refuses("A give 2") is Refusal.NOT_YOUR_TURN
    assert played.refuses("B draw") is Refusal.NOT_YOUR_TURN
    before = played.match
    with pytest.raises(IllegalAction, match="must be given") as refused:
        played.closes()
    assert refused.value.refusal is Refusal.GIFT_OWED
    assert played.match is before
    played.plays("B give 1")
    assert {"decline", "pass"} <= set(played.lines("A")), "then power and window continue"


def one_card_left(**changes: object) -> Played:
    """Return a hole in which B, to play, has only 3S left and A has 9H and 2C; the next stock cards are 2D, 3D, 8D."""
    played = discarded("7C", "7H 2C | 7S 3S", stock="9S 9H 2D 3D 8D", rows=1, **changes)
    played.plays("B slam 1")
    played.everybody_passes()
    played.plays("B draw", "B discard")
    played.everybody_passes()
    played.plays("A draw", "A swap 1")  # discards the 7
    played.everybody_passes()
    assert drawn(played.hole) == (("(9H)", "(2C)"), ("-", "(3S)"))
    return played


def test_c14_giving_the_last_card_away_ends_the_hole() -> None:
    played = one_card_left()
    played.plays("B draw", "B discard")
    assert names(played.plays("B slam A2")) == "slammed"
    assert names(played.plays("B give 2")) == "gave hole_ended"
    assert (played.ended.reason, played.ended.scores) == (EndReason.EMPTY, (12, 0))


def test_c14_a_seat_whose_last_card_was_slammed_gets_the_gift_before_the_hole_can_end() -> None:
    played = one_card_left()
    played.plays("B draw", "B discard")
    played.everybody_passes()
    played.plays("A draw", "A discard")
    assert names(played.plays("A slam B2")) == "slammed", "the gift comes first"
    assert drawn(played.hole)[1] == ("-", "-")
    assert played.hole.ended is None
    assert names(played.plays("A give 1")) == "gave"
    assert drawn(played.hole) == (("-", "(2C)"), ("-", "(9H)"))
    assert names(played.everybody_passes()) == "passed passed slam_closed turn"


# C15


def test_c15_wrongly_slamming_the_last_card_of_a_seat_ends_the_hole() -> None:
    played = one_card_left()
    played.plays("B draw", "B discard")
    assert names(played.plays("A slam B2")) == "slammed penalty hole_ended"
    assert (played.ended.reason, played.ended.scores) == (EndReason.EMPTY, (9 + 2 + 3, 0))


def test_c15_a_new_slot_is_numbered_one_above_the_highest_ever_used() -> None:
    played = discarded("7C", stock="QH QD 5H 8C")
    played.plays("B slam 1", "B slam 2")
    assert len(played.hole.layouts[1]) == 6
    played.everybody_passes()
    played.plays("B draw", "B discard", "A slam B6")
    assert drawn(played.hole)[1] == ("(3S)", "(4S)", "(6S)", "(7D)", "(QH)", "-")
    penalty = only(Penalized, played.plays("B slam 5"))
    assert penalty.slot == 7, "empty or not"


# C17


@pytest.mark.parametrize("line", ["A slam 1", "B slam A1"])
def test_c17_a_late_slam_of_the_right_rank_is_shown_and_put_back_without_penalty_or_gift(line: str) -> None:
    played = discarded("7C")
    played.plays("B slam 4")
    (late,) = played.plays(line)
    assert isinstance(late, Slammed)
    assert (late.result, late.card, late.discard_no) == (SlamResult.LATE, CARDS["7H"], None)
    assert drawn(played.hole)[0] == ("(7H)", "(2C)", "(7S)", "(9C)")
    assert played.hole.gift is None


@pytest.mark.parametrize("line", ["slam 2", "slam B1"])
def test_c17_a_late_slam_of_the_wrong_rank_costs_one_card_from_the_stock(line: str) -> None:
    played = discarded("7C")
    played.plays("B slam 4")
    late, penalty = played.plays(f"A {line}")
    assert isinstance(late, Slammed)
    assert late.result is SlamResult.LATE
    assert penalty == Penalized(seat=Seat(0), slot=5, source=None, card=CARDS["5D"])
    assert drawn(played.hole) == (
        *(("(7H)", "(2C)", "(7S)", "(9C)", "(5D)"), ("(3S)", "(4S)", "(6S)", "-")),
    ), "another's card goes back to its owner"


# C19


def test_c19_the_window_closes_when_the_table_says_so_or_every_seat_has_passed_once() -> None:
    played = discarded("7C", THREE)
    assert names(played.plays("C pass", "A pass")) == "passed passed"
    assert "pass" not in played.lines("A")
    assert played.refuses("A pass") is Refusal.BAD_PHASE, "once"
    assert awaited(played.hole) == (1,)
    assert names(played.plays("B pass")) == "passed slam_closed turn"
    assert played.refuses("B pass") is Refusal.BAD_PHASE
    assert names(discarded("7C").closes()) == "slam_closed turn"


# C20


def test_c20_a_slam_for_an_earlier_discard_is_refused_without_penalty() -> None:
    played = discarded("7C", stock="5D 8D")
    assert played.refuses("B slam 1 #2") is Refusal.BAD_PHASE, "nor may one slam for a discard to come"
    played.closes()
    assert played.refuses("A slam 1 #1") is Refusal.TOO_LATE, "no window is open"
    played.plays("B draw", "B discard")
    assert played.refuses("A slam 1 #1") is Refusal.TOO_LATE
    assert len(played.hole.layouts[0]) == 4


def test_c20_if_the_discard_was_taken_the_card_beneath_cannot_be_slammed() -> None:
    played = discarded("7C", stock="5D 8D")
    played.closes()
    played.plays("B draw", "B discard")
    played.closes()
    played.plays("A take")
    assert played.hole.discards[-1] == CARDS["7C"]
    for number in (1, 2, 3):
        assert played.refuses(f"B slam 4 #{number}") is Refusal.TOO_LATE


# C21


def test_c15_c16_c21_a_seat_may_try_until_a_slam_is_correct_and_each_wrong_one_costs_a_card() -> None:
    played = discarded("7C", stock="5D 8D QH QD")
    played.plays("B slam 1", "B slam 1", "B slam A2")
    assert drawn(played.hole) == (
        ("(7H)", "-", "(7S)", "(9C)"),
        ("(3S)", "(4S)", "(6S)", "(7D)", "(5D)", "(8D)", "(2C)"),
    )
    assert result(played.plays("B slam 4")) is SlamResult.HIT


@pytest.mark.parametrize("mode", [SlamMode.ORDER, SlamMode.LOT])
def test_c21_in_sealed_slams_a_seat_has_one_claim_per_window_and_none_after_passing(mode: SlamMode) -> None:
    played = discarded("7C", THREE, slam=mode)
    played.plays("B slam 1", "C pass")
    for line in ("B slam 4", "C slam 1"):
        assert played.refuses(line) is Refusal.BAD_PHASE
    assert not [line for seat in "BC" for line in played.lines(seat)]
    assert awaited(played.hole) == (0,)
    assert names(played.plays("A slam 1")) == "slammed slam_closed turn", "all have claimed or passed"
    played.plays("B draw", "B discard")
    assert "slam 1 #3" in played.lines("B"), "a new window, a new claim"


@pytest.mark.parametrize("mode", [SlamMode.ORDER, SlamMode.LOT])
def test_c21_the_other_sealed_claims_follow_once_a_gift_is_given(mode: SlamMode) -> None:
    played = discarded("7C", slam=mode)
    played.plays("B slam A1")
    assert played.refuses("A slam 3") is Refusal.GIFT_OWED
    played.plays("B give 1")
    assert names(played.plays("A slam 3")) == "slammed slam_closed turn"


def test_without_slams_there_are_no_windows() -> None:
    played = discarded("7C", slam=SlamMode.OFF)
    assert names(played.log[-2:]) == "discarded turn"
    assert played.refuses("B slam 4") is Refusal.NOT_IN_RULES
    played = discarded("JC", slam=SlamMode.OFF)
    assert names(played.plays("A decline")) == "declined turn"
