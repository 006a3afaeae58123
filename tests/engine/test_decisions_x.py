"""Decisions X1–X12, which hold for all rule sets; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.cards import CARDS, Card
from golfnet.engine.errors import Refusal
from golfnet.engine.events import (
    Dealt,
    Drew,
    EndReason,
    HoleStarted,
    MatchEnded,
    Peeked,
    Reshuffled,
    Slammed,
    SlamResult,
    Swapped,
)
from golfnet.engine.hole import Stage
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.rules import Recall, Start, StartMode
from golfnet.engine.scoring import layout_score
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import mask
from tests.engine.drawing import FOUR, SIX, begun, cards, cells, dealt, drawn, names, only, rules

THREE = """
    7H 2C | 3S 4S | KD KH
    7S 9C | 6S 7D | 5S 5H
"""


# X1


def test_x1_slots_run_left_to_right_and_top_row_first() -> None:
    played = dealt("six-card", SIX)
    played.plays("A flip 2", "B flip 4")
    assert [seen[1] for seen in played.view("A").layouts] == ["2C", "?"]
    assert [seen[3] for seen in played.view("A").layouts] == ["?", "6S"]


def test_x1_the_bottom_row_of_four_cards_is_slots_3_and_4() -> None:
    played = dealt("four-turn", FOUR)
    assert played.lines("A") == ["peek 3", "peek 4", "peek 3 4"]
    assert only(Peeked, played.plays("A peek 3 4")).cards == cards("7S 9C")


# X2, X3


def test_x2_a_card_from_the_discard_pile_cannot_be_discarded() -> None:
    played = dealt("multiples", FOUR, upcard="9S").chosen()
    played.plays("A take")
    assert played.refuses("A discard") is Refusal.MUST_PLACE
    assert played.lines("A") == ["swap 1", "swap 2", "swap 3", "swap 4"]


def test_x3_take_names_its_slot_at_once_or_afterwards() -> None:
    at_once, later = (dealt("multiples", FOUR, upcard="9S").chosen() for _ in range(2))
    events = at_once.plays("A take 2")
    assert names(events) == "took swapped turn"
    assert later.plays("A take", "A swap 2") == events
    assert later.hole == at_once.hole


def test_x3_only_the_seat_that_drew_a_card_sees_it_until_it_is_placed_or_discarded() -> None:
    played = dealt("multiples", FOUR, stock="QD").chosen()
    drew = only(Drew, played.plays("A draw"))
    assert [mask(drew, seat) == drew for seat in (Seat(0), Seat(1), None)] == [True, False, False]
    assert (played.view("A").drawn, played.view("B").drawn, played.view(None).drawn) == (
        CARDS["QD"],
        None,
        None,
    )
    assert played.lines("A") == ["discard", "swap 1", "swap 2", "swap 3", "swap 4"]


def test_x3_everybody_sees_a_replaced_card_only_once_it_is_on_the_discard_pile() -> None:
    played = dealt(rules("multiples", recall=Recall.ALWAYS), FOUR, stock="QD").chosen()
    played.plays("A draw")
    assert played.view("A").layouts[0][0] == "?"
    swapped = only(Swapped, played.plays("A swap 1"))
    assert [mask(swapped, viewer) for viewer in (Seat(0), Seat(1), None)] == [swapped] * 3
    assert swapped.discard == played.view("B").discard == CARDS["7H"]


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


def test_x4_without_an_upcard_all_the_remaining_cards_are_stock() -> None:
    played = begun(VARIANTS["cactus"], seats=2)
    deal = only(Dealt, played.log)
    assert (deal.discard, deal.discard_no, deal.stock) == (None, 0, 44)
    assert (played.hole.discards, played.hole.stock) == ((), deal.deck[8:])


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


def test_x6_an_empty_stock_is_refilled_from_the_discard_pile_except_its_top_card() -> None:
    played = dealt("six-card-final", SIX, upcard="9S", stock="2S 3H 4H", rest=False).chosen()
    played.plays("A draw", "A discard", "B draw", "B discard", "A draw", "A discard")
    assert played.hole.stock == ()
    events = played.plays("B draw")
    assert names(events) == "reshuffled drew"
    reshuffled = only(Reshuffled, events)
    key = fairdeal.reshuffle_key(played.hole.deal.key, 1)
    assert reshuffled.order == fairdeal.shuffled(key, cards("9S 2S 3H"))
    assert (reshuffled.stock, reshuffled.discard) == (3, CARDS["4H"])
    drew = only(Drew, events)
    assert (drew.card, drew.stock) == (reshuffled.order[0], 2)
    assert played.hole.discards == cards("4H")
    assert played.hole.stock == reshuffled.order[1:]


def test_x6_every_reshuffle_has_its_own_key() -> None:
    played = dealt(
        rules("six-card-final", reshuffles=2), SIX, upcard="9S", stock="2S 3H 4H", rest=False
    ).chosen()
    orders: list[tuple[Card, ...]] = []
    while played.hole.ended is None:
        pile = played.hole.discards[:-1]
        for event in played.house(awaited(played.hole)[0]):
            if isinstance(event, Reshuffled):
                key = fairdeal.reshuffle_key(played.hole.deal.key, len(orders) + 1)
                assert event.order is not None
                assert event.order == fairdeal.shuffled(key, pile)
                orders.append(event.order)
    assert len(orders) == 2


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


def test_x6_after_the_last_reshuffle_the_hole_ends_with_the_stock() -> None:
    played = dealt("six-card-final", SIX, upcard="9S", stock="2S 3H", rest=False).chosen()
    played.plays("A draw", "A discard", "B draw", "B discard")
    assert names(played.plays("A draw", "A discard")) == "reshuffled drew discarded turn"
    assert names(played.plays("B draw", "B discard")) == "drew discarded hole_ended"
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


def test_x6_last_turns_still_owed_are_lost_and_every_card_is_turned_up() -> None:
    played = dealt(rules("four-card-knock", reshuffles=0), THREE, stock="2S", rest=False).chosen()
    played.plays("A knock", "B draw")
    assert names(played.plays("B discard")) == "discarded hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.STOCK, 0)
    assert played.hole.turns == (1, 1, 0)
    assert drawn(played.hole) == cells(THREE)


# X7


def test_x7_the_hole_ends_when_every_seat_has_had_its_turns() -> None:
    played = dealt(rules("multiples", turn_cap=2), FOUR, leader="B").chosen()
    played.plays("B draw", "B discard", "A draw", "A discard", "B draw", "B discard", "A draw")
    assert names(played.plays("A discard")) == "discarded hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.CAP, None)


def test_x7_with_a_closer_the_cap_no_longer_applies() -> None:
    played = dealt(rules("four-card-knock", turn_cap=1), FOUR, upcard="9S").chosen()
    played.plays("A knock")
    assert names(played.plays("B draw", "B discard")) == "drew discarded hole_ended"
    assert played.ended.reason is EndReason.KNOCK
    played = dealt(rules("four-card-knock", turn_cap=1), THREE, upcard="9S").chosen()
    played.plays("A draw", "A discard", "B draw", "B discard", "C knock", "A draw", "A discard")
    assert names(played.plays("B draw", "B discard")) == "drew discarded hole_ended"
    assert (played.ended.reason, played.hole.turns) == (EndReason.KNOCK, (2, 2, 1))


def test_x7_a_knock_counts_as_a_turn() -> None:
    played = dealt("four-card-knock", FOUR).chosen()
    played.plays("A knock")
    assert played.hole.turns == (1, 1)


# X8, X9


def test_x8_face_down_cards_are_turned_up_before_scoring_and_count_for_pairs() -> None:
    played = dealt("four-card-knock", "7H 2C | 3S 4S\n7S 9C | 3H 4H", stock="KS").chosen()
    played.plays("A knock", "B draw", "B discard")
    assert played.ended.layouts == (cards("7H 2C 7S 9C"), cards("3S 4S 3H 4H"))
    assert played.ended.scores == (11, 0)
    assert drawn(played.hole)[0] == ("7H", "2C", "7S", "9C")
    assert played.view(None).layouts[1] == ("3S", "4S", "3H", "4H")


def test_x9_the_lowest_total_wins_and_equal_totals_share_a_place() -> None:
    played = dealt(
        "four-turn",
        """
        AS 2S | AH 2H | AD KD | AC 2C
        7H 3S | 7S 3H | KS 3D | 7D 4C
        """,
    )
    played.house_plays_on()
    assert played.ended.scores == (13, 13, 4, 14)
    assert only(MatchEnded, played.log).totals == (13, 13, 4, 14)
    assert played.match.places == (2, 2, 1, 4)


# X10


def test_x10_peeked_cards_are_shown_once_and_to_that_seat_only() -> None:
    played = dealt("four-turn", FOUR)
    peeked = only(Peeked, played.plays("A peek 3 4"))
    assert mask(peeked, Seat(0)) == peeked
    for other in (Seat(1), None):
        assert mask(peeked, other) == Peeked(seat=Seat(0), at=peeked.at, cards=None)
    assert {played.view(viewer).layouts[0] for viewer in ("A", "B", None)} == {("?",) * 4}


def test_x10_recall_always_keeps_showing_a_seat_what_it_has_lawfully_seen() -> None:
    played = dealt(rules("four-turn", recall=Recall.ALWAYS), FOUR)
    played.plays("A peek 4", "B peek 3 4")
    assert played.view("A").layouts == (("?", "?", "?", "?9C"), ("?",) * 4)
    assert played.view("B").layouts == (("?",) * 4, ("?", "?", "?6S", "?7D"))
    assert played.view(None).layouts == (("?",) * 4,) * 2


# X11


def test_x11_suits_never_matter_for_play() -> None:
    """The same holes in other suits have the same actions and the same scores."""
    other = {"S": "H", "H": "D", "D": "C", "C": "S"}
    turned = "".join(other.get(sign, sign) for sign in FOUR)
    plain, changed = (
        dealt("cactus", text, stock=stock, rest=False).chosen()
        for text, stock in ((FOUR, "7C JS 5H 2D"), (turned, "7S JH 5D 2C"))
    )
    for played in (plain, changed):
        played.plays(
            "A draw", "A discard", "B slam A1", "B give 1", "A pass", "B pass", "B draw", "B discard"
        )
    assert plain.lines("A") == changed.lines("A")
    assert plain.lines("B") == changed.lines("B")
    assert names(plain.log) == names(changed.log)


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


def test_x12_no_more_start_cards_may_be_chosen_than_are_still_owed() -> None:
    played = dealt("six-card", SIX)
    assert played.refuses("A flip 1 2 3") is Refusal.BAD_SLOT
    played.plays("A flip 1")
    assert played.refuses("A flip 2 3") is Refusal.BAD_SLOT
    assert played.refuses("A flip 1") is Refusal.BAD_SLOT, "a slot may be chosen only once"
    assert played.refuses("B flip 2 2") is Refusal.BAD_SLOT
    played.plays("A flip 2")
    assert played.lines("A") == []
    assert played.refuses("A flip 3") is Refusal.BAD_PHASE


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
def test_x12_a_rule_set_may_ask_for_more_or_fewer_than_two(mode: StartMode, count: int) -> None:
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
