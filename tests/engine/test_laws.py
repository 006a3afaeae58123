"""Laws that hold for every rule set, number of seats and line of play.

Each law is tried on every rule set that golfnet comes with and on random house rules, by random legal play.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, combinations
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golfnet.engine import actions as do
from golfnet.engine import events as ev
from golfnet.engine import match as matches
from golfnet.engine.cards import Card
from golfnet.engine.errors import IllegalAction, RuleError
from golfnet.engine.hole import Phase, phase
from golfnet.engine.layout import Layout, Position, Seat, Slot
from golfnet.engine.legality import awaited, choices, house_action, legal_actions
from golfnet.engine.options import FIELDS, override
from golfnet.engine.play import decide, play
from golfnet.engine.rules import Recall, RuleSet
from golfnet.engine.scoring import layout_score
from golfnet.engine.view_fold import evolve_view, offered
from golfnet.engine.views import View, dealt_view, mask, owner, view
from golfnet.rulesets import catalogue
from tests.engine.naive import naive_places, naive_scores
from tests.engine.random_play import Step, play_match
from tests.engine.strategies import option_text, rule_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.match import Match

CATALOGUE = catalogue()
HOUSE_RULES = "random house rules"


@dataclass(frozen=True)
class Line:
    """The recipe of a line of random play."""

    rules: RuleSet
    seats: int
    seed: int

    @property
    def chance(self) -> Random:
        return Random(self.seed)

    def steps(self, *, holes: int | None = 1) -> Iterator[Step]:
        return play_match(self.rules, self.seats, self.chance, holes=holes)

    def holes(self, *, every: int = 1) -> Iterator[Hole]:
        """Yield the state of the first hole before its actions, or before every so many of them."""
        for number, step in enumerate(self.steps()):
            if number % every == 0 and step.before.is_playing and step.before.hole is not None:
                yield step.before.hole


@st.composite
def lines(draw: st.DrawFn, name: str) -> Line:
    rules = draw(rule_sets()) if name == HOUSE_RULES else CATALOGUE[name]
    return Line(rules, draw(st.integers(*rules.seats)), draw(st.integers(0, 2**32)))


def law(examples: int) -> Callable[[Callable[[Line], None]], Callable[[str], None]]:
    """Turn a law into a test of every rule set, with so many lines of play in the quick profile; more where
    the rule sets themselves are drawn.
    """
    several = max(1, examples * settings().max_examples // 50)

    def decorate(holds: Callable[[Line], None]) -> Callable[[str], None]:
        def test(name: str) -> None:
            @settings(max_examples=several * (3 if name == HOUSE_RULES else 1))
            @given(lines(name))
            def check(line: Line) -> None:
                holds(line)

            check()

        return pytest.mark.parametrize("name", [*CATALOGUE, HOUSE_RULES])(test)

    return decorate


def cards_on_the_table(hole: Hole) -> Counter[Card]:
    return Counter(
        [
            *chain.from_iterable((slot.card for slot in layout if slot) for layout in hole.layouts),
            *hole.stock,
            *hole.discards,
            *([hole.drawn.card] if hole.drawn else []),
        ]
    )


@law(examples=4)
def test_cards_are_conserved(line: Line) -> None:
    deck = Counter(line.rules.deck_for(line.seats))
    for step in line.steps():
        if step.after.hole is not None:
            assert cards_on_the_table(step.after.hole) == deck


@law(examples=6)
def test_folding_the_log_gives_the_state(line: Line) -> None:
    folded = matches.Match("m1")
    for step in line.steps(holes=2):
        for event in step.events:
            folded = matches.evolve(folded, event)
        assert folded == step.after


@law(examples=4)
def test_events_have_the_cards_of_the_state(line: Line) -> None:
    for step in line.steps():
        match = step.before
        for event in step.events:
            before, match = match.hole, matches.evolve(match, event)
            hole = match.hole
            if hole is None or before is None:
                continue
            match event:
                case ev.Drew(card=card, stock=stock):
                    assert hole.drawn is not None
                    assert (hole.drawn.card, len(hole.stock)) == (card, stock)
                case ev.Took(card=card):
                    assert (hole.drawn and hole.drawn.card) == card == before.discards[-1]
                case ev.Swapped(seat=seat, slot=number, card=card, discard=discard):
                    assert card_at(hole, seat, number) == card
                    assert card_at(before, seat, number) == discard == hole.discards[-1]
                case ev.Discarded(card=card) | ev.Slammed(card=card, result=ev.SlamResult.HIT):
                    assert hole.discards[-1] == card
                case ev.Slammed(at=at, card=card):
                    assert card_at(before, *at) == card == card_at(hole, *at)
                case (
                    ev.Flipped(seat=seat, slot=number, card=card)
                    | ev.Penalized(seat=seat, slot=number, card=card)
                ):
                    assert card_at(hole, seat, number) == card
                case ev.Gave(to=to, card=card):
                    assert card_at(hole, *to) == card
                case ev.Peeked(at=at, cards=cards):
                    assert tuple(card_at(hole, *one) for one in at) == cards
                case ev.Reshuffled(order=order, stock=stock, discard=discard):
                    assert hole.stock == order
                    assert (len(hole.stock), hole.discards) == (stock, (discard,))


def card_at(hole: Hole, seat: Seat, number: int) -> Card | None:
    slot = hole.layouts[seat][number - 1]
    return slot and slot.card


@law(examples=4)
def test_decide_and_play_agree_and_leave_the_state_unchanged(line: Line) -> None:
    for step in line.steps():
        if step.seat is not None and step.action is not None and step.before.hole is not None:
            before = step.before.hole
            kept = before._replace()
            events, after = play(before, step.seat, step.action)
            assert decide(before, step.seat, step.action) == events == step.events[: len(events)]
            assert after == step.after.hole
            assert before == kept


def refusal(hole: Hole, seat: Seat, action: do.Action) -> str | None:
    """Return what a refusal expects, None if the action is lawful; any other exception goes through."""
    try:
        decide(hole, seat, action)
    except IllegalAction as refused:
        return refused.expected
    return None


def some_positions(hole: Hole, chance: Random) -> list[Position]:
    """Return positions of all kinds, among them some where no card can be."""
    seats = [*hole.seats, len(hole.layouts)]
    every = [Position(Seat(seat), slot) for seat in seats for slot in range(0, hole.rules.slots + 3)]
    return chance.sample(every, min(6, len(every)))


def well_formed(hole: Hole, seat: Seat, chance: Random) -> Iterator[do.Action]:
    """Yield a sample of the actions that can be written down, sensible or not."""
    slots = range(0, len(hole.layouts[seat]) + 2)
    positions = some_positions(hole, chance)
    number = hole.window.discard_no if hole.window else hole.discard_no
    yield from (
        do.Draw(),
        do.Take(),
        do.Knock(),
        do.Discard(),
        do.Decline(),
        do.Pass(),
        do.Flip(()),
        do.Peek(()),
    )
    for slot in slots:
        yield from (
            do.Take(slot),
            do.Swap(slot),
            do.Give(slot),
            do.Flip((slot,)),
            do.Peek((Position(seat, slot),)),
        )
    pair = tuple(chance.sample(slots, 2))
    yield from (do.Flip(pair), do.Flip(tuple(sorted(pair))), do.Flip((pair[0], pair[0])))
    yield from (do.Peek(tuple(Position(seat, slot) for slot in some)) for some in (pair, tuple(sorted(pair))))
    for at in positions:
        yield from (
            do.Peek((at,)),
            do.Switch(at, at),
            do.Slam(at, number),
            do.Slam(at, number - 1),
            do.Slam(at, number + 1),
        )
    yield from (do.Switch(first, second) for first, second in combinations(positions[:4], 2))


@law(examples=4)
def test_legal_actions_and_decide_agree_both_ways(line: Line) -> None:
    chance = line.chance
    for hole in line.holes(every=8):
        for seat in map(Seat, hole.seats):
            listed = legal_actions(hole, seat)
            assert len(set(listed)) == len(listed)
            for action in chance.sample(listed, min(15, len(listed))):
                assert decide(hole, seat, action)
            # A pair is listed once; either order may be asked for.
            lawful = {
                *listed,
                *(do.Switch(two.second, two.first) for two in listed if isinstance(two, do.Switch)),
            }
            for action in well_formed(hole, seat, chance):
                assert (refusal(hole, seat, action) is None) is (action in lawful)


@law(examples=4)
def test_legal_actions_are_the_choices_multiplied_out(line: Line) -> None:
    for hole in line.holes():
        for seat in map(Seat, hole.seats):
            actions, switchable, slammable = choices(hole, seat)
            listed = legal_actions(hole, seat)
            switches = [action for action in listed if isinstance(action, do.Switch)]
            slams = [action for action in listed if isinstance(action, do.Slam)]
            assert [*actions, *switches, *slams] == [*listed]
            assert [(two.first, two.second) for two in switches] == [*combinations(switchable, 2)]
            assert [slam.at for slam in slams] == [*slammable]
            assert {slam.discard_no for slam in slams} <= {hole.window and hole.window.discard_no}


@law(examples=4)
def test_the_default_action_is_legal_and_exists_wherever_an_action_is_awaited(line: Line) -> None:
    for step in line.steps():
        hole = step.after.hole
        if hole is None:
            continue
        assert bool(awaited(hole)) is (hole.ended is None)
        for seat in map(Seat, hole.seats):
            action = house_action(hole, seat)
            assert (action is None) is (not choices(hole, seat).actions)
            if action is not None:
                decide(hole, seat, action)
                assert not isinstance(action, do.Knock | do.Switch | do.Slam | do.Take) or not hole.can_draw
        assert all(house_action(hole, seat) is not None for seat in awaited(hole))


@law(examples=6)
def test_every_hole_of_default_actions_ends(line: Line) -> None:
    match = next(step.after for step in line.steps() if step.after.hole is not None)
    asked = 0
    while match.is_playing and match.hole is not None:
        seat = awaited(match.hole)[-1]
        action = house_action(match.hole, seat)
        assert action is not None
        _, match = matches.act(match, seat, action)
        asked += 1
    turns = (line.rules.turns or line.rules.turn_cap or 0) * line.seats
    choices_of_a_turn = 3 + line.seats  # draw, discard, pass or decline; a window
    assert asked <= line.seats + turns * choices_of_a_turn


@law(examples=4)
def test_every_match_ends_with_its_holes_or_its_target(line: Line) -> None:
    short = replace(
        line.rules, holes=min(line.rules.holes or 3, 3), turn_cap=min(line.rules.turn_cap or 5, 5)
    )
    steps = [*play_match(short, line.seats, line.chance)]
    ends = [
        event for step in steps for event in step.events if isinstance(event, ev.HoleEnded | ev.MatchEnded)
    ]
    *holes, over = ends
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


@law(examples=8)
def test_a_second_naive_scorer_agrees(line: Line) -> None:
    (ended,) = [event for step in line.steps() for event in step.events if isinstance(event, ev.HoleEnded)]
    assert ended.scores == (*naive_scores(line.rules, ended),)


@st.composite
def holes_under(draw: st.DrawFn, option: str) -> tuple[RuleSet, ev.HoleEnded]:
    """Draw the end of a hole by rules in which an option has any value that can be played."""
    rules = draw(rule_sets())
    with suppress(RuleError):
        rules = override(rules, {option: draw(option_text(option))})
    line = Line(rules, rules.seats.low, draw(st.integers(0, 2**32)))
    (ended,) = [event for step in line.steps() for event in step.events if isinstance(event, ev.HoleEnded)]
    return rules, ended


@pytest.mark.parametrize("option", FIELDS)
@settings(max_examples=15)
@given(st.data())
def test_scores_under_every_option_are_counted_again_and_explained(option: str, data: st.DataObject) -> None:
    rules, ended = data.draw(holes_under(option))
    assert ended.scores is not None
    assert [*ended.scores] == naive_scores(rules, ended), "tests/engine/naive.py has to count it, too"
    for seat, layout in enumerate(ended.layouts):
        assert seat == ended.closer or ended.scores[seat] == layout_score(rules, layout), (
            "players are told that what a score has beside its cards is the price of closing: scene.py and "
            "speech.py in golfnet/protocol/text and client/golfnet_client/screens/count.py have to name it, "
            "then allow it here"
        )


numbers = st.integers(-3, 40) | st.integers()
positions = st.builds(Position, numbers.map(Seat), numbers)
some = st.lists(numbers, max_size=4).map(tuple)
anything: st.SearchStrategy[do.Action] = st.one_of(
    st.sampled_from([do.Draw(), do.Take(), do.Knock(), do.Discard(), do.Decline(), do.Pass()]),
    st.builds(do.Take, numbers),
    st.builds(do.Swap, numbers),
    st.builds(do.Give, numbers),
    st.builds(do.Flip, some),
    st.builds(do.Peek, st.lists(positions, max_size=4).map(tuple)),
    st.builds(do.Switch, positions, positions),
    st.builds(do.Slam, positions, numbers),
)


@pytest.mark.parametrize("name", [*CATALOGUE, HOUSE_RULES])
def test_decide_raises_nothing_but_illegal_action(name: str) -> None:
    @settings(max_examples=max(1, 5 * settings().max_examples // 50))
    @given(lines(name), st.lists(anything, min_size=20, max_size=20))
    def check(line: Line, actions: list[do.Action]) -> None:
        for hole in line.holes(every=4):
            for action in actions:
                for seat in (Seat(0), Seat(line.seats - 1)):
                    refused = refusal(hole, seat, action)
                    assert refused is None or refused.endswith(".")

    check()


# Secrets


@law(examples=4)
def test_the_owner_is_the_only_seat_that_may_know_more_of_an_event(line: Line) -> None:
    for step in line.steps():
        for event in step.events:
            watcher = mask(event, None)
            for seat in map(Seat, range(line.seats)):
                if seat != owner(event):
                    assert mask(event, seat) == watcher


@law(examples=5)
def test_a_view_does_not_depend_on_cards_that_its_viewer_cannot_see(line: Line) -> None:
    chance = line.chance
    for recall in Recall:
        for hole in Line(replace(line.rules, recall=recall), line.seats, line.seed).holes(every=6):
            for viewer in (*map(Seat, hole.seats), None):
                other = shuffled_behind(hole, viewer, chance)
                assert view(other, viewer) == view(hole, viewer)


@law(examples=5)
def test_a_view_folded_from_masked_events_is_the_view_of_the_folded_hole(line: Line) -> None:
    for recall in Recall:
        for step in Line(replace(line.rules, recall=recall), line.seats, line.seed).steps(holes=2):
            match = step.before
            for event in step.events:
                before, match = match, matches.evolve(match, event)
                for viewer in (*map(Seat, range(line.seats)), None):
                    if match.hole is not None and match.hole is not before.hole:
                        folded = folded_view(before, event, viewer)
                        assert folded == offered(view(match.hole, viewer), folded.choices)


def folded_view(before: Match, event: Event, viewer: Seat | None) -> View:
    """Return what a viewer sees after an event of a hole, from what it saw before and is told."""
    masked = mask(event, viewer)
    if not isinstance(masked, ev.Dealt):
        assert before.hole is not None
        seen = view(before.hole, viewer)
        folded = evolve_view(seen, masked)
        assert folded.choices == seen.choices
        return folded
    assert before.rules is not None
    assert before.started is not None
    return dealt_view(
        before.rules,
        viewer,
        masked,
        hole=before.started.hole,
        dealer=before.started.dealer,
        leader=before.started.leader,
        commitment=before.started.commitment,
        totals=before.totals,
    )


def shuffled_behind(hole: Hole, viewer: Seat | None, chance: Random) -> Hole:
    """Return the hole with all the cards exchanged at random that the viewer may not be shown now."""
    remembers = viewer is not None and hole.rules.recall is Recall.ALWAYS

    def shown(slot: Slot) -> bool:
        return slot.face_up or (remembers and viewer is not None and bool(slot.known >> viewer & 1))

    drawn = hole.drawn if hole.drawn and hole.drawn.seat != viewer and not hole.drawn.from_discard else None
    secret = [slot.card for layout in hole.layouts for slot in layout if slot and not shown(slot)]
    taken = hole.drawn is not None and hole.drawn.from_discard
    covered = max(0, len(hole.discards) - (1 if taken else 2))
    secret += [*hole.stock, *hole.discards[:covered], *([drawn.card] if drawn else [])]
    chance.shuffle(secret)
    cards = iter(secret)
    return hole._replace(
        layouts=tuple(
            Layout(slot._replace(card=next(cards)) if slot and not shown(slot) else slot for slot in layout)
            for layout in hole.layouts
        ),
        stock=tuple(next(cards) for _ in hole.stock),
        discards=(*(next(cards) for _ in hole.discards[:covered]), *hole.discards[covered:]),
        drawn=drawn._replace(card=next(cards)) if drawn else hole.drawn,
    )


@law(examples=6)
def test_redealing_the_cards_a_viewer_never_saw_changes_nothing_that_it_was_shown(line: Line) -> None:
    chance = line.chance
    for recall in Recall:
        steps = [*Line(replace(line.rules, recall=recall), line.seats, line.seed).steps()]
        viewer = chance.choice([*map(Seat, range(line.seats)), None])
        first = told_apart(steps)
        script = [(step.seat, step.action) for step in steps if step.before.is_playing]
        script = script[: chance.randrange(len(script))]  # the end of the hole shows everything
        shown, seen = watched(first, script, viewer)
        again, _ = watched(redealt(first, seen, chance), script, viewer)
        assert again == shown


def told_apart(steps: list[Step]) -> tuple[Match, list[Event]]:
    """Return the match before its deal, and the deal with a card object of its own for each card."""
    deal = next(step for step in steps if any(isinstance(event, ev.Dealt) for event in step.events))
    started, dealt = deal.events[:2]
    assert isinstance(dealt, ev.Dealt)
    deck = tuple(Card(card.rank, card.suit) for card in dealt.deck)
    upcard = deck[-dealt.stock - 1] if dealt.discard else None
    return deal.before, [started, replace(dealt, deck=deck, discard=upcard), *deal.events[2:]]


def watched(
    deal: tuple[Match, list[Event]], script: list[tuple[Seat | None, do.Action | None]], viewer: Seat | None
) -> tuple[list[Any], set[int]]:
    """Play a script on a deal; return all that the viewer is shown, and which card objects it has seen."""
    match, events = deal
    for event in events:
        match = matches.evolve(match, event)
    shown: list[Any] = [[mask(event, viewer) for event in events]]
    for seat, action in script:
        if seat is None or action is None:
            happened, match = matches.close_window(match)
        else:
            happened, match = matches.act(match, seat, action)
        assert match.hole is not None
        shown.append(([mask(event, viewer) for event in happened], view(match.hole, viewer)))
        if viewer is not None:
            shown.append(legal_actions(match.hole, viewer))
    return shown, {id(card) for card in found_in(shown)}


def found_in(value: Any) -> Iterable[Card]:
    """Yield the card objects anywhere in a value."""
    if isinstance(value, Card):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from found_in(getattr(value, field.name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from found_in(item)


def redealt(deal: tuple[Match, list[Event]], seen: set[int], chance: Random) -> tuple[Match, list[Event]]:
    """Return the deal with all cards exchanged at random that are not among the seen ones."""
    before, (started, dealt, *others) = deal
    assert isinstance(dealt, ev.Dealt)
    unseen = [card for card in dealt.deck if id(card) not in seen]
    chance.shuffle(unseen)
    cards = iter(unseen)
    deck = tuple(card if id(card) in seen else next(cards) for card in dealt.deck)
    return before, [started, replace(dealt, deck=deck), *others]


def test_the_lines_of_play_reach_every_phase_and_every_way_to_end() -> None:
    """What the laws are tried on: without this they could hold of nothing."""
    phases: set[Phase] = set()
    reasons: set[str] = set()
    for name, rules in CATALOGUE.items():
        for seed in range(12):
            for step in Line(rules, 3, seed).steps():
                if step.after.hole is not None:
                    phases.add(phase(step.after.hole))
                    if step.after.hole.ended:
                        reasons.add(f"{name} {step.after.hole.ended.reason}")
    assert phases == {*Phase}
    assert {"cactus empty", "cactus stock", "cactus knock", "four-turn turns", "six-card face_up"} <= reasons
