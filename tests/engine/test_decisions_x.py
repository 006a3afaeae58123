"""Decisions X1–X12, which hold for all rule sets; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.errors import Refusal
from golfnet.engine.events import Dealt, EndReason, HoleStarted, Peeked, Reshuffled, Slammed, SlamResult
from golfnet.engine.hole import Stage
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.rules import Start, StartMode
from golfnet.engine.scoring import layout_score
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import mask
from tests.engine.drawing import FOUR, SIX, THREE, begun, cards, dealt, drawn, names, only, rules

# X2, X3


def test_x2_a_card_from_the_discard_pile_cannot_be_discarded() -> None:
    played = dealt("multiples", FOUR, upcard="9S").chosen()
    played.plays("A take")
    assert played.refuses("A discard") is Refusal.MUST_PLACE
    assert played.lines("A") == ["swap 1", "swap 2", "swap 3", "swap 4"]


def test_x3_the_slot_for_a_taken_card_may_be_named_at_once_or_afterwards() -> None:
    at_once, later = (dealt("multiples", FOUR, upcard="9S").chosen() for _ in range(2))
    events = at_once.plays("A take 2")
    assert names(events) == "took swapped turn"
    assert later.plays("A take", "A swap 2") == events
    assert later.hole == at_once.hole


# X4, X5


def test_x4_the_first_card_goes_to_the_dealers_left_and_slot_1_is_dealt_to_everybody_first() -> None:
    played = begun(VARIANTS["six-card-final"], seats=3)
    deal = only(Dealt, played.log)
    for number, card in enumerate(deal.deck[:18]):
        slot = played.hole.layouts[(number + 1) % 3][number // 3]
        assert slot is not None
        assert slot.card is card
    assert deal.discard is deal.deck[18] is played.hole.discards[-1]
    assert (deal.discard_no, deal.stock) == (1, 52 - 19)
    assert played.hole.stock == deal.deck[19:]


def test_x5_the_first_dealer_is_seat_a_and_the_deal_passes_clockwise_with_the_dealers_left_leading() -> None:
    played = begun(rules("four-turn", holes=4), seats=3)
    played.house_plays_on()
    while played.match.places is None:
        played.deals()
        played.house_plays_on()
    started = [event for event in played.log if isinstance(event, HoleStarted)]
    assert [hole.dealer for hole in started] == [0, 1, 2, 0]
    assert [hole.leader for hole in started] == [1, 2, 0, 1]


# X6


def test_x6_an_empty_stock_is_refilled_from_all_discards_but_the_top_one_each_time_with_a_new_key() -> None:
    played = dealt(
        rules("six-card-final", reshuffles=2), SIX, upcard="9S", stock="2S 3H 4H", rest=False
    ).chosen()
    reshuffles = 0
    while played.hole.ended is None:
        pile = played.hole.discards[:-1]
        for event in played.house(awaited(played.hole)[0]):
            if isinstance(event, Reshuffled):
                reshuffles += 1
                key = fairdeal.reshuffle_key(played.hole.deal.key, reshuffles)
                assert event.order == fairdeal.shuffled(key, pile)
    assert reshuffles == 2


def test_x6_without_a_reshuffle_the_seat_that_drew_the_last_card_finishes_its_turn() -> None:
    played = dealt("multiples", FOUR, upcard="9S", stock="2S", rest=False).chosen()
    assert names(played.plays("A draw")) == "drew"
    assert played.hole.stage is Stage.HOLDING
    events = played.plays("A swap 1")
    assert names(events) == "swapped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.STOCK, None)
    assert drawn(played.hole) == (("2S", "2C", "7S", "9C"), ("3S", "4S", "6S", "7D"))
    assert played.ended.scores == (0 + 7 + 9, 3 + 4 + 6 + 7)


def test_x6_the_last_stock_card_may_still_be_followed_by_a_flip() -> None:
    played = dealt(rules("six-card", reshuffles=0), SIX, upcard="9S", stock="2S", rest=False).chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded"
    assert names(played.plays("A flip 4")) == "flipped hole_ended"
    assert played.ended.reason is EndReason.STOCK


def test_x6_fewer_than_two_discards_are_not_reshuffled() -> None:
    played = dealt(rules("six-card-final", upcard=False), SIX, stock="2S", rest=False).chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded hole_ended"
    assert played.ended.reason is EndReason.STOCK
    played = dealt(rules("six-card-final", upcard=False), SIX, stock="2S 3H", rest=False).chosen()
    assert names(played.plays("A draw", "A discard", "B draw")) == "drew discarded turn drew"
    assert names(played.plays("B discard")) == "discarded turn", "with two there is one card to draw"


def test_x6_a_turn_may_begin_with_an_empty_stock_if_a_reshuffle_is_left() -> None:
    played = dealt("six-card-final", SIX, upcard="9S", stock="2S", rest=False).chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded turn"
    assert played.hole.stock == ()
    assert "draw" in played.lines("B")
    assert names(played.plays("B take 1")) == "took swapped turn", (
        "nothing is reshuffled before a card is drawn"
    )


# X7


def test_x7_the_hole_ends_when_every_seat_has_had_its_turns() -> None:
    played = dealt(rules("multiples", turn_cap=2), FOUR, leader="B").chosen()
    played.plays("B draw", "B discard", "A draw", "A discard", "B draw", "B discard", "A draw")
    assert names(played.plays("A discard")) == "discarded hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.CAP, None)


def test_x7_with_a_closer_the_cap_no_longer_applies() -> None:
    played = dealt(rules("four-card-knock", turn_cap=1), THREE, upcard="9S").chosen()
    played.plays("A draw", "A discard", "B draw", "B discard", "C knock", "A draw", "A discard")
    assert names(played.plays("B draw", "B discard")) == "drew discarded hole_ended"
    assert (played.ended.reason, played.hole.turns) == (EndReason.KNOCK, (2, 2, 1))


# X8


def test_x8_face_down_cards_are_turned_up_before_scoring_and_count_for_pairs() -> None:
    played = dealt("four-card-knock", "7H 2C | 3S 4S\n7S 9C | 3H 4H", stock="KS").chosen()
    played.plays("A knock", "B draw", "B discard")
    assert played.ended.layouts == (cards("7H 2C 7S 9C"), cards("3S 4S 3H 4H"))
    assert played.ended.scores == (11, 0)
    assert drawn(played.hole)[0] == ("7H", "2C", "7S", "9C")
    assert played.view(None).layouts[1] == ("3S", "4S", "3H", "4H")


# X10


def test_x10_peeked_cards_are_shown_once_and_to_that_seat_only() -> None:
    played = dealt("four-turn", FOUR)
    peeked = only(Peeked, played.plays("A peek 3 4"))
    assert mask(peeked, Seat(0)) == peeked
    for other in (Seat(1), None):
        assert mask(peeked, other) == Peeked(seat=Seat(0), at=peeked.at, cards=None)
    assert {played.view(viewer).layouts[0] for viewer in ("A", "B", None)} == {("?",) * 4}


# X11


def test_x11_all_jokers_are_one_rank() -> None:
    jokers = rules("six-card-final", jokers=2)
    assert layout_score(jokers, cards("* 2C KD * 9C AH")) == 12
    slammed = dealt(rules("cactus", jokers=2), "* 2C | 3S 4S\n7S 9C | 6S 7D", stock="* 5H").chosen()
    slammed.plays("A draw", "A discard")
    assert only(Slammed, slammed.plays("B slam A1")).result is SlamResult.HIT


# X12


def test_x12_start_choices_are_made_in_any_order_and_play_begins_when_all_are_done() -> None:
    played = dealt("six-card", SIX)
    assert awaited(played.hole) == (0, 1)
    assert names(played.plays("B flip 6", "A flip 1 2", "B flip 2")) == "flipped flipped flipped flipped turn"
    assert played.hole.turn == 0
    assert drawn(played.hole) == (
        ("7H", "2C", "(KD)", "(7S)", "(9C)", "(AH)"),
        ("(3S)", "4S", "(5S)", "(6S)", "(7D)", "8S"),
    )


def test_x12_fixed_slots_must_also_be_sent_and_others_are_refused() -> None:
    played = dealt("four-turn", FOUR)
    assert played.refuses("A peek 1 2") is Refusal.BAD_SLOT
    assert played.refuses("A peek 2 3") is Refusal.BAD_SLOT
    assert played.refuses("A peek B3") is Refusal.BAD_SLOT
    played.plays("A peek 4", "A peek 3")
    assert played.hole.owed == (0, 2)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("four-turn", "peek 3 4"),
        ("cactus", "peek 3 4"),
        ("multiples", "peek 3 4"),
        ("four-card-knock", "peek 1 2"),
    ],
)
def test_x12_the_default_action_is_the_first_lawful_choice(name: str, line: str) -> None:
    assert dealt(name, FOUR).house_line("B") == line


def test_x12_the_default_action_chooses_only_what_is_still_owed() -> None:
    played = dealt("six-card-final", SIX)
    assert played.house_line("A") == "flip 1 2"
    played.plays("A flip 1")
    assert played.house_line("A") == "flip 2"
    played.plays("A flip 6")
    assert played.house_line("A") is None


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("mode", [StartMode.PEEK_ANY, StartMode.FLIP_ANY, StartMode.PEEK_BOTTOM])
def test_x12_a_rule_set_may_ask_for_more_or_fewer_than_two_start_cards(mode: StartMode, count: int) -> None:
    played = dealt(rules("multiples", start=Start(mode, count)), FOUR)
    assert played.hole.owed == (count, count)
    for _ in range(count):
        assert played.hole.stage is Stage.START
        played.plays("A " + played.lines("A")[0])
        played.plays("B " + played.lines("B")[0])
    assert played.hole.stage is Stage.TURN


def test_x12_without_start_choices_the_first_turn_begins_at_once() -> None:
    played = dealt(rules("multiples", start=Start(StartMode.NONE, 0)), FOUR)
    assert names(played.log[-2:]) == "dealt turn"
