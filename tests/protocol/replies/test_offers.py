"""Offers: the choices of a seat are written as lines, which are parsed to an offer and to the same choices."""

from collections.abc import Iterator
from itertools import combinations

import pytest

from golfnet.engine.actions import Pass, Switch, action_text, parse_action
from golfnet.engine.cards import Position, Seat, parse_position
from golfnet.engine.hole import Hole
from golfnet.engine.legality import Choices, choices, legal_actions
from golfnet.protocol.commands.catalog import verbs_of
from golfnet.protocol.commands.specs import Group
from golfnet.protocol.replies.replies import offer_of
from golfnet.protocol.replies.view_codec import choices_from_wire
from tests.protocol.replies.test_data import played

A, B = Seat(0), Seat(1)
POWER = ("peek A1", "peek 2", "decline", "pass", "switch", "slam", "dance")
TARGETS = ("A1", "A2", "B1")


def written_out(lines: tuple[str, ...], targets: tuple[str, ...], hole: Hole) -> Iterator[str]:
    """Yield an offer's lines, with the targets filled in for verbs that need them."""
    moved = hole.window.moved if hole.window is not None else ()
    for line in lines:
        if line == "switch":
            yield from (f"switch {one} {other}" for one, other in combinations(targets, 2))
        elif line == "slam":
            yield from (f"slam {at}" for at in targets if parse_position(at) not in moved)
        else:
            yield line


def test_offers_match_what_the_rules_allow_word_for_word() -> None:
    verbs = set()
    for hole in [step.after.hole for step in played() if step.after.hole is not None]:
        moved = hole.window.moved if hole.window is not None else ()
        for seat in map(Seat, hole.seats):
            legal = legal_actions(hole, seat)
            offered, targets = choices(hole, seat).as_offer(seat)
            allowed = choices(hole, seat)
            if allowed.switchable and allowed.slammable:
                # A moved card is not offered until the window is closed.
                allowed = allowed._replace(switchable=allowed.slammable)
                gone = [
                    one for one in legal if isinstance(one, Switch) and {one.first, one.second} & {*moved}
                ]
                legal = tuple([one for one in legal if one not in gone])
            assert choices_from_wire(offer_of(offered, targets), seat, moved) == allowed
            texts = [action_text(action, seat) for action in legal]
            assert [line for line in offered if line not in ("switch", "slam")] == [
                line for line in texts if line.split()[0] not in ("switch", "slam")
            ]
            number = hole.window.discard_no if hole.window is not None else 0
            read = [parse_action(line, seat, number) for line in written_out(offered, targets, hole)]
            assert len(set(read)) == len(read)
            assert set(read) == set(legal)
            verbs |= {action.verb for action in legal}
    assert verbs == {*verbs_of(Group.PLAY)}


@pytest.mark.parametrize("stays", range(4))
def test_every_target_may_be_slammed_if_slam_is_offered_as_well_as_switch(stays: int) -> None:
    positions = tuple(Position(B, slot) for slot in range(1, 5))
    offered, targets = Choices((), positions, positions[:stays]).as_offer(B)
    assert offered == (("switch",), ("slam",), ("switch", "slam"), ("switch", "slam"))[stays]
    assert targets == tuple(f"B{slot}" for slot in range(1, (stays or 4) + 1))


@pytest.mark.parametrize("count", range(5))
def test_a_switch_is_offered_if_there_are_at_least_two_cards_to_switch(count: int) -> None:
    positions = tuple(Position(Seat(0), slot) for slot in range(1, count + 1))
    offered, targets = Choices((), positions, ()).as_offer(Seat(1))
    assert ("switch" in offered) == any(True for _ in combinations(positions, 2))
    assert tuple(map(parse_position, targets)) == positions


def test_an_offer_has_the_arguments_of_each_verb_and_tells_switch_and_slam_targets_apart() -> None:
    told = choices_from_wire(offer_of(POWER, TARGETS), A, {Position(A, 2)})
    assert told.switchable == (Position(A, 1), Position(A, 2), Position(B, 1))
    assert told.slammable == (Position(A, 1), Position(B, 1))
    assert [action.verb for action in told.actions] == ["peek", "peek", "decline", "pass"]
    assert Pass() in told.actions
    offer = offer_of(("take", "take 1", "take 3", "flip 1 2"))
    assert list(offer.arguments) == ["take", "flip"]
    assert (offer.after("take"), offer.after("draw"), offer.most) == ((("1",), ("3",)), (), 2)
