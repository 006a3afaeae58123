"""The settled points X13–X18: the house, end reasons, memory, dealers, and abandoned matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.engine import fairdeal, match
from golfnet.engine.actions import Take
from golfnet.engine.events import EndReason, HoleEnded, HoleStarted, MatchEnded
from golfnet.engine.layout import Seat
from golfnet.engine.legality import default_action
from golfnet.engine.play import decide
from golfnet.engine.rules import FirstDealer, Recall, Start, StartMode
from tests.engine import phases
from tests.engine.drawing import FOUR, SEED, SIX, begun, dealt, names, only, rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.drawing import Played

# X13


@pytest.mark.parametrize(
    ("made", "seat", "line"),
    [
        (phases.turn, "A", "draw"),
        (phases.turn, "B", None),
        (phases.holding, "A", "discard"),
        (phases.flip, "A", "pass"),
        (phases.power, "A", "decline"),
        (phases.power, "B", "pass"),
        (phases.window, "A", "pass"),
        (phases.gift, "A", None),
        (phases.gift, "B", "give 1"),
    ],
)
def test_x13_the_default_action_is_the_safe_one_of_each_phase(
    made: Callable[[], Played], seat: str, line: str | None
) -> None:
    assert made().house_line(seat) == line


def test_x13_the_default_action_puts_a_taken_card_into_the_first_lawful_slot() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    played.plays("A take 1", "B draw", "B discard", "A take")
    assert played.house_line("A") == "swap 2"


def test_x13_without_a_stock_the_default_action_takes_the_discard_into_the_first_lawful_slot() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    played.plays("A take 1", "B draw", "B discard")
    empty = played.hole._replace(stock=())  # cannot happen in play: X6 ends the hole first
    action = default_action(empty, Seat(0))
    assert action == Take(2)
    assert decide(empty, Seat(0), action)[0]


def test_x13_the_default_gift_is_the_first_own_card_not_the_first_slot() -> None:
    played = dealt("cactus", "7H 2C | 7S 2S\n7D 9C | JS 8D", stock="7C 2D 5D").chosen()
    played.plays("A draw", "A discard", "B slam 1")
    played.everybody_passes()
    played.plays("B draw", "B discard", "B slam A2")
    assert played.house_line("B") == "give 2"


# X14: the reason is the first that applies of empty, stock (C8), turns, face_up, knock, stock (X6), cap


def test_c8_x14_the_hole_ends_at_once_when_a_seat_has_no_cards_left_even_after_a_knock() -> None:
    two = rules("cactus", rows=1, columns=2, start=Start(StartMode.PEEK_BOTTOM, 1))
    played = dealt(two, "7H 2C | 3S 3H", stock="3D 7D 3C 8S").chosen()
    played.plays("A draw", "A discard", "B slam 1")
    played.everybody_passes()
    played.plays("B draw", "B discard")
    played.everybody_passes()
    played.plays("A knock", "B draw", "B discard")
    assert names(played.plays("B slam 2")) == "slammed hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.EMPTY, 0)


def test_x14_the_last_stock_card_of_c8_comes_before_turns() -> None:
    fixed = rules("cactus", turns=1, turn_cap=None)
    played = dealt(fixed, FOUR, stock="5H 5D", rest=False).chosen()
    played.plays("A draw", "A discard")
    played.everybody_passes()
    played.plays("B draw")
    assert played.ended.reason is EndReason.STOCK


def test_x14_turns_come_before_face_up() -> None:
    rule_set = rules("multiples", rows=1, columns=2, start=Start(StartMode.PEEK_BOTTOM, 1), turns=2)
    played = dealt(rule_set, "7H 2C | 3S 4S", upcard="9S").chosen()
    played.plays("A take 1", "B take 1", "A take 2", "B take 2")
    assert played.ended.reason is EndReason.TURNS


def test_x14_turns_come_before_knock() -> None:
    played = dealt(rules("four-card-knock", turns=1), FOUR).chosen()
    played.plays("A knock", "B draw", "B discard")
    assert (played.ended.reason, played.ended.closer) == (EndReason.TURNS, 0)


def test_x14_face_up_comes_before_the_empty_stock_of_x6() -> None:
    rule_set = rules("six-card", rows=1, columns=2, start=Start(StartMode.FLIP_ANY, 1), reshuffles=0)
    played = dealt(rule_set, "7H 2C | 3S 4S", upcard="9S", stock="5H", rest=False).chosen()
    played.plays("A draw", "A swap 2")
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)


def test_x14_knock_comes_before_the_empty_stock_of_x6() -> None:
    played = dealt(rules("four-card-knock", reshuffles=0), FOUR, stock="5H", rest=False).chosen()
    played.plays("A knock", "B draw", "B discard")
    assert played.ended.reason is EndReason.KNOCK


def test_x14_the_empty_stock_of_x6_comes_before_the_cap() -> None:
    played = dealt(rules("multiples", turn_cap=1), FOUR, stock="5H 5D", rest=False).chosen()
    played.plays("A draw", "A discard", "B draw", "B discard")
    assert played.ended.reason is EndReason.STOCK


def test_x14_the_first_of_two_closings_determines_reason_and_closer() -> None:
    played = dealt("four-card-knock", FOUR, upcard="9S", stock="AS AH AD").chosen()
    played.plays("A take 1", "B take 1", "A take 2", "B take 2", "A take 3", "B take 3")
    played.plays("A knock", "B take 4")
    assert (played.ended.reason, played.ended.closer) == (EndReason.KNOCK, 0)


# X15


def test_x15_holes_target_or_99_holes_end_the_match_whichever_comes_first() -> None:
    rule_set = rules("six-card-final", holes=2, target=30)
    for totals, over in (((29, 0), False), ((30, 0), True)):
        state = match.Match("m1", rules=rule_set, totals=totals, scores=(totals,))
        assert match.is_decided(state) is over
    assert match.is_decided(match.Match("m1", rules=rule_set, totals=(1, 1), scores=((1, 0), (0, 1))))
    rule_set = rules("six-card-final", holes=None, target=1000)
    scores = ((1, 0),) * 98
    assert not match.is_decided(match.Match("m1", rules=rule_set, totals=(98, 0), scores=scores))
    assert match.is_decided(match.Match("m1", rules=rule_set, totals=(99, 0), scores=(*scores, (1, 0))))


# X16


def test_x16_seats_remember_stock_cards_they_placed_and_cards_taken_from_the_discard_pile() -> None:
    played = dealt(rules("cactus", recall=Recall.ALWAYS), FOUR, stock="5H 5D 8C").chosen()
    played.plays("A draw", "A swap 1")
    played.everybody_passes()
    played.plays("B take 2")
    assert played.view("A").layouts == (("?5H", "?", "?7S", "?9C"), ("?", "?7H", "?", "?"))
    assert played.view("B").layouts == (("?",) * 4, ("?", "?7H", "?6S", "?7D"))
    assert played.view(None).layouts == (("?",) * 4,) * 2, "watchers remember nothing"


# X17


def test_x17_a_random_first_dealer_is_derived_from_the_first_deal_key_and_then_the_deal_passes_on() -> None:
    played = begun(rules("four-turn", dealer=FirstDealer.RANDOM, holes=2), seats=3)
    started = only(HoleStarted, played.log)
    key = fairdeal.deal_key(SEED, started.context, ("",) * 3, fairdeal.Scheme.V1)
    dealer = fairdeal.random_dealer(key, 3)
    assert (started.dealer, started.leader) == (dealer, (dealer + 1) % 3)
    played.house_plays_on()
    assert only(HoleStarted, played.deals()).dealer == (dealer + 1) % 3


# X18


def test_x18_an_abandoned_hole_does_not_count_and_the_match_ends_with_the_totals_so_far() -> None:
    played = dealt("six-card-final", SIX, totals=(5, 9)).chosen()
    events, state = match.abandon(played.match)
    ended, over = events
    assert isinstance(ended, HoleEnded)
    assert isinstance(over, MatchEnded)
    assert (ended.reason, ended.scores, ended.totals) == (EndReason.ABANDONED, None, (5, 9))
    assert (over.totals, over.places) == ((5, 9), (1, 2)) == (state.totals, state.places)
    assert state.scores == ((5, 9),), "the scores of the previous hole, but none of this one"
    assert (ended.seed, ended.cuts) == (SEED, ("", "")), "seed and cuts are revealed even then"
    assert ended.layouts == tuple(tuple(slot and slot.card for slot in seat) for seat in played.hole.layouts)


def test_x18_a_match_abandoned_between_holes_ends_with_the_totals_so_far() -> None:
    played = begun(rules("four-turn", holes=3), seats=2)
    played.house_plays_on()
    totals = played.match.totals
    events, state = match.abandon(played.match)
    assert names(events) == "match_ended"
    assert only(MatchEnded, events).totals == totals
    assert state.places is not None
