"""What may be sent: choices as lines, lines as an offer and as choices again."""

from __future__ import annotations

import pytest

from golfnet.engine.actions import Decline, Pass, Peek, Swap
from golfnet.engine.hole import Phase, phase
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices, choices
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.offers import choices_from_wire, choices_to_wire, offer_of
from tests.protocol.tabletop import NAMES, Tabletop

A, B = Seat(0), Seat(1)
POWER = ("peek A1", "peek 2", "decline", "pass", "switch", "slam", "dance")
TARGETS = ("A1", "A2", "B1")


@pytest.mark.parametrize("variant", VARIANTS)
def test_choices_that_were_written_are_read_back(variant: str) -> None:
    tabletop = Tabletop(rules=VARIANTS[variant], names=NAMES[:3], you=A)
    offered = 0
    for _ in tabletop.replies(holes=2):
        hole = tabletop.match.hole
        if hole is None or not tabletop.is_settled:
            continue
        moved = () if hole.window is None else hole.window.moved
        for seat in map(Seat, hole.seats):
            lines, targets = choices_to_wire(choices(hole, seat), seat)
            assert choices_from_wire(offer_of(lines, targets), seat, moved) == choices(hole, seat)
            offered += bool(lines)
    assert offered > 20


def test_lines_are_the_same_for_lists_that_are_handed_out_again_and_for_equal_ones() -> None:
    shared = Choices((Peek((Position(A, 1),)), Swap(2)))
    for seat, peek in ((A, "peek 1"), (B, "peek A1"), (A, "peek 1")):
        assert choices_to_wire(shared, seat) == ((peek, "swap 2"), ())
        assert choices_to_wire(Choices(shared.actions), seat) == ((peek, "swap 2"), ())


def test_a_single_card_is_no_pair_to_switch() -> None:
    assert choices_to_wire(Choices((Decline(),), (Position(B, 1),)), A) == (("decline",), ("B1",))


def test_beside_a_power_targets_are_told_apart_and_unknown_lines_passed_over() -> None:
    told = choices_from_wire(offer_of(POWER, TARGETS), A, {Position(A, 2)})
    assert told.switchable == (Position(A, 1), Position(A, 2), Position(B, 1))
    assert told.slammable == (Position(A, 1), Position(B, 1))
    assert [action.verb for action in told.actions] == ["peek", "peek", "decline", "pass"]
    assert Pass() in told.actions


def test_an_offer_says_what_may_follow_each_verb() -> None:
    offer = offer_of(("take", "take 1", "take 3", "flip 1 2"))
    assert list(offer.arguments) == ["take", "flip"]
    assert offer.after("take") == (("1",), ("3",))
    assert offer.after("draw") == ()
    assert "take" in offer
    assert "draw" not in offer
    assert offer.most == 2


def test_nothing_is_offered_without_lines() -> None:
    assert (offer_of(()).arguments, offer_of(()).most) == ({}, 0)


def test_the_lines_of_play_reach_every_phase_in_which_something_is_offered() -> None:
    phases: set[Phase] = set()
    for seed in range(5):
        tabletop = Tabletop(rules=VARIANTS["cactus"], names=NAMES[:3], you=A, seed=seed)
        for _ in tabletop.replies(holes=2):
            phases |= {phase(tabletop.match.hole)} if tabletop.match.hole is not None else set()
    assert {Phase.START, Phase.TURN, Phase.HOLDING, Phase.POWER, Phase.SLAM, Phase.GIVE} <= phases
