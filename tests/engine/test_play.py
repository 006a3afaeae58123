"""Penalties and turns when the stock is empty, with and without a reshuffle."""

from __future__ import annotations

from golfnet.engine.events import Penalized, Reshuffled
from tests.engine.drawing import FOUR, cards, dealt, names, only, rules


def test_no_penalty_is_dealt_if_there_is_no_card_left() -> None:
    rule_set = rules("cactus", stock_end=rules("six-card").stock_end)
    played = dealt(rule_set, FOUR, stock="5H", rest=False).chosen()
    played.plays("A draw", "A discard")
    assert names(played.plays("B slam 1")) == "slammed"


def test_a_penalty_may_need_a_reshuffle() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H 8D 8C", rest=False).chosen()
    for seat in "ABA":
        assert played.hole.ended is None
        played.plays(f"{seat} draw", f"{seat} discard")
        window = played.hole
        if seat != "A" or window.discard_no == 1:
            played.closes()
    assert window.stock == ()
    events = played.plays("A slam 1")
    assert names(events) == "slammed reshuffled penalty"
    order = only(Reshuffled, events).order or ()
    assert sorted(order, key=str) == list(cards("5H 8D"))
    assert only(Penalized, events).card == order[0]
    assert played.hole.discards == cards("8C")
    assert names(played.plays("A slam 1")) == "slammed penalty hole_ended match_ended", (
        "this time it is the last card"
    )


def test_without_a_second_discard_the_last_stock_card_still_ends_a_cactus_hole() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H", rest=False).chosen()
    assert names(played.plays("A draw")) == "drew discarded hole_ended match_ended"


def test_the_discard_may_be_taken_even_if_that_leaves_nothing_to_reshuffle() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H 8D 8C", rest=False).chosen()
    played.plays("A draw", "A discard")
    played.closes()
    assert (
        names(played.plays("B draw", "B discard", "A slam 1")) == "drew discarded slam_opened slammed penalty"
    )
    assert names(played.closes()) == "slam_closed turn"
    assert (played.hole.stock, played.hole.discards) == ((), cards("5H 8D"))
    assert names(played.plays("A take")) == "took"
    assert names(played.plays("A swap 1")) == "swapped slam_opened"
