"""Laws that hold in every match, whatever its rule set and number of seats."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from golfnet.engine import actions as do, events as ev, match as matches
from golfnet.engine.cards import Position, Seat
from golfnet.engine.errors import IllegalAction, RuleError
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Hole
from golfnet.engine.legality import awaited, choices, default_action, legal_actions
from golfnet.engine.options import FIELDS, override
from golfnet.engine.play import decide
from golfnet.engine.rules import RuleSet
from golfnet.engine.scoring import layout_score
from tests.engine.laws import Line, law
from tests.engine.naive import naive_places, naive_scores
from tests.engine.random_play import cards_on_the_table, play_match
from tests.engine.strategies import option_text, rule_sets


@law(examples=4)
def test_cards_are_conserved(line: Line) -> None:
    deck = Counter(line.rules.deck_for(line.seats))
    for step in line.steps():
        if step.after.hole is not None:
            assert cards_on_the_table(step.after.hole) == deck


@law(examples=4)
def test_folding_the_log_reproduces_the_state(line: Line) -> None:
    folded = matches.Match("m1")
    for step in line.steps(holes=2):
        for event in step.events:
            folded = matches.evolve(folded, event)
        assert folded == step.after


@law(examples=4)
def test_events_tell_how_many_cards_are_left_in_the_stock(line: Line) -> None:
    for step in line.steps():
        match = step.before
        for event in step.events:
            match = matches.evolve(match, event)
            told = getattr(event, "stock", None)
            assert told is None or (match.hole is not None and told == len(match.hole.stock))


def refusal(hole: Hole, seat: Seat, action: do.Action) -> str | None:
    """Return what was expected instead of an action, or None if the action is legal; other exceptions propagate."""
    try:
        decide(hole, seat, action)
    except IllegalAction as refused:
        return refused.expected
    return None


def well_formed(hole: Hole, seat: Seat, chance: Random) -> Iterator[do.Action]:
    """Yield a sample of well-formed actions, sensible or not, some of them at positions where no card can be."""
    seats, slots = [-1, *hole.seats, len(hole.layouts)], range(-1, len(hole.layouts[seat]) + 2)
    every = [Position(Seat(each), slot) for each in seats for slot in range(-1, hole.rules.slots + 3)]
    positions = chance.sample(every, min(6, len(every)))
    number = hole.window.discard_no if hole.window else hole.discard_no
    yield from (do.Draw(), do.Take(), do.Knock(), do.Discard(), do.Decline(), do.Pass())
    for kind in (do.Take, do.Swap, do.Give):
        yield from map(kind, slots)
    pair = tuple(chance.sample(slots, 2))
    for some in ((), *((slot,) for slot in slots), pair, tuple(sorted(pair)), (pair[0], pair[0])):
        yield from (do.Flip(some), do.Peek(tuple(Position(seat, slot) for slot in some)))
    for at in positions:
        yield from (do.Peek((at,)), do.Switch(at, at))
        yield from (do.Slam(at, discard_no) for discard_no in (number - 1, number, number + 1))
    yield from (do.Switch(first, second) for first, second in combinations(positions[:4], 2))


@law(examples=3)
def test_an_action_is_legal_if_and_only_if_decide_accepts_it(line: Line) -> None:
    chance = line.chance
    for hole in line.holes(every=8):
        for seat in map(Seat, hole.seats):
            listed = legal_actions(hole, seat)
            assert len(set(listed)) == len(listed)
            for action in chance.sample(listed, min(15, len(listed))):
                assert decide(hole, seat, action)[0]
            # A pair is listed once, but may be given in either order.
            switches = [action for action in listed if isinstance(action, do.Switch)]
            lawful = {*listed, *(do.Switch(two.second, two.first) for two in switches)}
            for action in well_formed(hole, seat, chance):
                refused = refusal(hole, seat, action)
                assert (refused is None) is (action in lawful)
                assert refused is None or refused.endswith(".")


@law(examples=4)
def test_every_awaited_seat_has_a_legal_default_action(line: Line) -> None:
    for step in line.steps():
        hole = step.after.hole
        if hole is None:
            continue
        assert bool(awaited(hole)) is (hole.ended is None)
        for seat in map(Seat, hole.seats):
            action = default_action(hole, seat)
            assert (action is None) is (not choices(hole, seat).actions)
            if action is not None:
                decide(hole, seat, action)
                assert not isinstance(action, do.Knock | do.Switch | do.Slam | do.Take) or not hole.can_draw
        assert all(default_action(hole, seat) is not None for seat in awaited(hole))


@law(examples=4)
def test_a_hole_played_by_default_actions_always_ends(line: Line) -> None:
    match = next(step.after for step in line.steps() if step.after.hole is not None)
    asked = 0
    while match.is_playing and match.hole is not None:
        seat = awaited(match.hole)[-1]
        action = default_action(match.hole, seat)
        assert action is not None
        _, match = matches.act(match, seat, action)
        asked += 1
    turns = (line.rules.turns or line.rules.turn_cap or 0) * line.seats
    choices_of_a_turn = 3 + line.seats  # draw, discard, pass or decline; then all seats pass
    assert asked <= line.seats + turns * choices_of_a_turn


@law(examples=4)
def test_f6_s5_x9_every_match_ends_at_its_last_hole_or_its_target(line: Line) -> None:
    rules = line.rules
    short = replaced(rules, holes=min(rules.holes or 3, 3), turn_cap=min(rules.turn_cap or 5, 5))
    steps = [*play_match(short, line.seats, line.chance)]
    events = [event for step in steps for event in step.events]
    *holes, over = [event for event in events if isinstance(event, ev.HoleEnded | ev.MatchEnded)]
    assert isinstance(over, ev.MatchEnded)
    totals = [0] * line.seats
    for number, ended in enumerate(holes, 1):
        assert isinstance(ended, ev.HoleEnded)
        assert ended.scores is not None
        totals = [total + score for total, score in zip(totals, ended.scores, strict=True)]
        assert [*ended.totals] == totals
        decided = number == short.holes or (short.target is not None and max(totals) >= short.target)
        assert decided is (ended is holes[-1])
    assert [*over.totals] == totals
    assert steps[-1].after.places == over.places == (*naive_places(over.totals),)


@st.composite
def holes_under(draw: st.DrawFn, option: str) -> tuple[RuleSet, ev.HoleEnded]:
    """Draw rules with any playable value of one option, and the end of a hole played under them."""
    rules = draw(rule_sets())
    with suppress(RuleError):
        rules = override(rules, {option: draw(option_text(option))})
    line = Line(rules, rules.seats.low, draw(st.integers(0, 2**32)))
    (ended,) = [event for step in line.steps() for event in step.events if isinstance(event, ev.HoleEnded)]
    return rules, ended


@pytest.mark.parametrize("option", FIELDS)
@settings(max_examples=settings().max_examples // 8)
@given(st.data())
def test_scores_under_every_option_agree_with_the_naive_scorer_and_are_explained(
    option: str, data: st.DataObject
) -> None:
    rules, ended = data.draw(holes_under(option))
    assert ended.scores is not None
    assert [*ended.scores] == naive_scores(rules, ended), "tests/engine/naive.py has to count it too"
    for seat, layout in enumerate(ended.layouts):
        assert seat == ended.closer or ended.scores[seat] == layout_score(rules, layout), (
            "players are told that anything in a score apart from the cards is the price of closing: name this in "
            "scene.py and speech.py in golfnet/protocol/text and in client/golfnet_client/screens/count.py, "
            "then allow it here"
        )
