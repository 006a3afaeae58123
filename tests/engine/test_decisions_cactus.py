"""Decisions C1–C10 and C18: cactus apart from slams; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine import match
from golfnet.engine.cards import CARDS, DeckKind
from golfnet.engine.errors import Refusal
from golfnet.engine.events import Discarded, EndReason, HoleStarted, Peeked, Switched
from golfnet.engine.frozen import replaced
from golfnet.engine.layout import Seat
from golfnet.engine.views import mask
from tests.engine.drawing import FOUR, THREE, Played, begun, cards, dealt, drawn, names, only, rules


def power(stock: str = "JH 5D") -> Played:
    """Return a hole in which A has just discarded a jack."""
    played = dealt("cactus", FOUR, stock=stock).chosen()
    played.plays("A draw", "A discard")
    return played


# C1


def test_c1_in_a_standard_pack_kings_count_0_and_have_the_power_and_aces_count_1() -> None:
    rule_set = rules("cactus", deck=DeckKind.STANDARD)
    played = dealt(rule_set, "AH KC | 3S 4S\n7S 9C | 6S 7D", stock="KH 5D").chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded slam_opened"
    assert played.hole.power
    played.plays("A decline")
    played.everybody_passes()
    played.plays("B knock", "A draw", "A discard")
    played.everybody_passes()
    assert played.ended.scores == (1 + 0 + 7 + 9, 2 * 20)


# C2, C3, C4


def test_c2_in_the_first_turn_there_is_no_discard_to_take() -> None:
    played = dealt("cactus", FOUR).chosen()
    assert played.lines("A") == ["draw", "knock"]
    assert played.refuses("A take") is Refusal.NOTHING_TO_TAKE
    assert played.refuses("A take 1") is Refusal.NOTHING_TO_TAKE


def test_c3_any_of_your_own_cards_may_be_replaced_but_empty_slots_cannot_be_filled() -> None:
    played = dealt("cactus", FOUR, stock="7C 5D").chosen()
    played.plays("A draw", "A discard", "B slam 4")
    played.everybody_passes()
    assert played.lines("B") == ["draw", "take", "take 1", "take 2", "take 3", "knock"]
    assert played.refuses("B take 4") is Refusal.BAD_SLOT
    played.plays("B draw")
    assert played.lines("B") == ["discard", "swap 1", "swap 2", "swap 3"]
    assert played.refuses("B swap 4") is Refusal.BAD_SLOT
    assert played.refuses("B swap 5") is Refusal.BAD_SLOT


# C5


@pytest.mark.parametrize(
    ("totals", "last", "leader"),
    [
        ((3, 9, 4), 0, 1),
        ((9, 9, 4), 0, 0),  # first the last leader
        ((9, 9, 4), 1, 1),
        ((9, 9, 4), 2, 0),  # then clockwise
        ((9, 3, 9), 1, 2),
        ((5, 5, 5), 2, 2),
        ((0, 0, 24), 0, 2),
    ],
)
def test_c5_the_highest_total_leads_later_and_ties_go_clockwise_from_the_last_leader(
    totals: tuple[int, ...], last: int, leader: int
) -> None:
    played = begun(rules("cactus"), seats=3)
    started = replaced(only(HoleStarted, played.log), leader=Seat(last))
    state = played.match._replace(totals=totals, scores=(totals,), hole=None, started=started)
    started = only(HoleStarted, Played(state).deals())
    assert (started.dealer, started.leader) == (1, leader), "the deal still passes clockwise"


# C6


@pytest.mark.parametrize(("card", "has"), [("JH", True), ("QH", True), ("10H", False), ("0H", False)])
def test_c6_court_cards_give_the_power_when_discarded_or_swapped_out_of_the_layout(
    card: str, has: bool
) -> None:
    assert power(f"{card} 5D").hole.power is has
    played = dealt("cactus", f"{card} 2C | 3S 4S\n7S 9C | 6S 7D", stock="5H 5D").chosen()
    played.plays("A draw", "A swap 1")
    assert played.hole.power is has


def test_c6_peek_at_one_face_down_card_of_any_seat() -> None:
    played = power()
    peeked = only(Peeked, played.plays("A peek B2"))
    assert (peeked.at, peeked.cards) == (((1, 2),), cards("4S"))
    assert mask(peeked, Seat(1)) == Peeked(seat=Seat(0), at=peeked.at, cards=None), (
        "which slot it was is public"
    )
    assert not played.hole.power
    assert played.refuses("A peek B3") is Refusal.BAD_PHASE, "once"


@pytest.mark.parametrize(
    ("line", "layouts"),
    [
        ("switch 1 B1", (("(3S)", "(2C)", "(7S)", "(9C)"), ("(7H)", "(4S)", "(6S)", "(7D)"))),
        ("switch B4 B1", (("(7H)", "(2C)", "(7S)", "(9C)"), ("(7D)", "(4S)", "(6S)", "(3S)"))),
        ("switch 1 2", (("(2C)", "(7H)", "(7S)", "(9C)"), ("(3S)", "(4S)", "(6S)", "(7D)"))),
    ],
)
def test_c6_switch_any_two_face_down_cards_unseen(line: str, layouts: tuple[tuple[str, ...], ...]) -> None:
    played = power()
    switched = only(Switched, played.plays(f"A {line}"))
    assert drawn(played.hole) == layouts
    assert mask(switched, None) == switched, "which slots they were is public"
    assert not played.hole.power
    assert played.refuses("A decline") is Refusal.BAD_PHASE


def test_c6_a_taken_court_card_gives_no_power_and_cannot_be_put_back() -> None:
    played = power()
    played.plays("A decline")
    played.everybody_passes()
    played.plays("B take")
    assert played.refuses("B discard") is Refusal.MUST_PLACE
    played.plays("B swap 1")
    assert not played.hole.power


# C7


def test_c7_a_knock_replaces_a_turn_and_comes_before_drawing() -> None:
    played = dealt("cactus", FOUR, stock="5H 5D").chosen()
    assert "knock" in played.lines("A"), "from the first turn on"
    assert played.refuses("B knock") is Refusal.NOT_YOUR_TURN
    played.plays("A draw")
    assert played.refuses("A knock") is Refusal.BAD_PHASE
    played.plays("A discard")
    assert played.refuses("A knock") is Refusal.BAD_PHASE


def test_c7_every_other_seat_gets_one_more_turn_and_cannot_knock() -> None:
    played = dealt("cactus", THREE, stock="5D 8C 8D").chosen()
    played.plays("A draw", "A discard")
    played.everybody_passes()
    assert names(played.plays("B knock")) == "knocked turn", "no discard, no window"
    assert played.refuses("C knock") is Refusal.BAD_PHASE
    played.plays("C draw", "C discard")
    played.everybody_passes()
    played.plays("A draw", "A discard")
    assert names(played.everybody_passes()) == "passed passed passed slam_closed hole_ended match_ended"
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.KNOCK, 1, (2, 1, 1))


def test_c7_the_knockers_cards_stay_in_play_and_the_knocker_may_slam() -> None:
    played = dealt("cactus", FOUR, stock="JH 5D").chosen()
    played.plays("A knock", "B draw", "B discard", "B switch 1 A1")
    assert drawn(played.hole)[0] == ("(3S)", "(2C)", "(7S)", "(9C)")
    played = dealt("cactus", FOUR, stock="7C 5D").chosen()
    played.plays("A knock", "B draw", "B discard", "A slam 1")
    assert drawn(played.hole)[0] == ("-", "(2C)", "(7S)", "(9C)")
    played = dealt("cactus", FOUR, stock="7C 5D").chosen()
    played.plays("A knock", "B draw", "B discard", "B slam A3", "B give 1")
    assert drawn(played.hole)[0] == ("(7H)", "(2C)", "(3S)", "(9C)")


# C8


def test_c8_the_hole_ends_at_once_when_the_last_stock_card_is_drawn() -> None:
    played = dealt("cactus", FOUR, stock="5H JD", rest=False).chosen()
    played.plays("A draw", "A discard")
    played.everybody_passes()
    events = played.plays("B draw")
    assert names(events) == "drew discarded hole_ended match_ended", "no window, no power"
    discarded = only(Discarded, events)
    assert (discarded.seat, discarded.card, discarded.discard_no) == (1, CARDS["JD"], 2)
    assert (played.ended.reason, played.ended.closer) == (EndReason.STOCK, None)
    assert played.ended.layouts == (cards("7H 2C 7S 9C"), cards("3S 4S 6S 7D"))
    assert played.ended.scores == (25, 20), "the drawn card counts for nobody"
    assert not played.hole.power
    assert played.hole.window is None


def test_c8_c9_the_last_turns_are_lost_but_the_knocker_still_pays_double() -> None:
    played = dealt("cactus", THREE, stock="5D", rest=False).chosen()
    played.plays("A knock", "B draw")
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.STOCK, 0, (1, 1, 0))
    assert played.ended.scores == (2 * 25, 20, 33)


def test_c8_a_penalty_card_stays_with_its_new_owner_and_counts_and_an_unused_power_is_lost() -> None:
    played = dealt("cactus", FOUR, stock="JH QD", rest=False).chosen()
    played.plays("A draw", "A discard")
    assert played.hole.power
    assert names(played.plays("B slam 1")) == "slammed penalty hole_ended match_ended"
    assert (played.ended.reason, played.ended.scores) == (EndReason.STOCK, (25, 30))
    assert played.ended.layouts[1] == cards("3S 4S 6S 7D QD")


# C9, C10


@pytest.mark.parametrize(
    ("layout", "score"),
    [
        ("0S 1S | QS QH\n1H 3S | QD QC", 5),  # 5 itself is safe
        ("0S 1S | QS QH\n1H 4S | QD QC", 12),  # doubled even if the lowest
        ("0S 1S | 0H 0D\n1H 2S | 0C 1D", 4),  # not doubled even though not the lowest
        ("QS QH | 0H 0D\nQD QC | 0C 1D", 80),
    ],
)
def test_c9_the_knockers_score_is_doubled_if_it_exceeds_5(layout: str, score: int) -> None:
    played = dealt("cactus", layout, stock="8H 8D").chosen()
    played.plays("A knock", "B draw", "B discard")
    played.everybody_passes()
    assert played.ended.reason is EndReason.KNOCK
    assert (played.ended.scores or ())[0] == score


@pytest.mark.parametrize(
    ("changes", "before", "over"),
    [
        ({}, (0, 4), False),
        ({}, (0, 5), True),
        ({}, (0, 6), True),
        ({}, (24, 0), True),
        ({"target": 50}, (0, 29), False),
        ({"target": 50}, (0, 30), True),
        ({"target": None, "holes": 2}, (0, 0), True),
        ({"target": 99, "holes": 2}, (0, 0), True),
    ],
)
def test_c10_g5_the_match_ends_when_a_total_is_25_or_the_target_or_more_or_after_the_holes(
    changes: dict[str, int | None], before: tuple[int, int], over: bool
) -> None:
    rule_set = rules("cactus", **changes)
    played = dealt(rule_set, "0S 1S | 3S 4S\n0H 1H | 6S 7D", totals=before).chosen()
    played.plays("A knock", "B draw", "B discard")
    last = played.everybody_passes()[-1]
    assert played.ended.scores == (2, 20)
    assert (last.name == "match_ended") is over
    assert match.is_decided(played.match) is over


# C18


@pytest.mark.parametrize(
    "order",
    [("A decline", "A pass", "B pass"), ("A pass", "A decline", "B pass"), ("B pass", "A pass", "A decline")],
)
def test_c18_the_next_turn_waits_for_power_and_window_in_any_order(order: tuple[str, ...]) -> None:
    played = power()
    *first, last = order
    assert "turn" not in names(played.plays(*first))
    assert names(played.plays(last)).endswith("turn")
    assert played.hole.turn == 1


def test_c18_slams_never_change_whose_turn_is_next() -> None:
    played = dealt("cactus", THREE, stock="7C 5D").chosen()
    played.plays("A draw", "A discard", "C slam B4", "C give 1")
    assert played.everybody_passes()[-1].name == "turn"
    assert played.hole.turn == 1
