"""Laws of secrecy: no viewer is shown, or can infer, a card that the rules hide from them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from golfnet.engine import actions as do
from golfnet.engine import events as ev
from golfnet.engine import match as matches
from golfnet.engine.cards import Card
from golfnet.engine.frozen import Frozen, fields_of, replaced
from golfnet.engine.layout import Layout, Seat, Slot
from golfnet.engine.legality import legal_actions
from golfnet.engine.rules import Recall
from golfnet.engine.view_fold import dealt_view, evolve_view, offered
from golfnet.engine.views import View, mask, owner, view
from tests.engine.laws import Line, law

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.match import Match
    from tests.engine.random_play import Step


@law(examples=4)
def test_only_the_owner_of_an_event_may_see_more_of_it_than_a_watcher(line: Line) -> None:
    for step in line.steps():
        for event in step.events:
            watcher = mask(event, None)
            for seat in map(Seat, range(line.seats)):
                if seat != owner(event):
                    assert mask(event, seat) == watcher


@law(examples=5)
def test_a_view_does_not_depend_on_cards_its_viewer_cannot_see(line: Line) -> None:
    chance = line.chance
    for recall in Recall:
        for hole in Line(replace(line.rules, recall=recall), line.seats, line.seed).holes(every=6):
            for viewer in (*map(Seat, hole.seats), None):
                other = shuffled_behind(hole, viewer, chance)
                assert view(other, viewer) == view(hole, viewer)


@law(examples=5)
def test_a_view_folded_from_masked_events_is_the_view_of_the_folded_hole(line: Line) -> None:
    for recall in Recall:
        for step in Line(replace(line.rules, recall=recall), line.seats, line.seed).steps():
            match = step.before
            for event in step.events:
                before, match = match, matches.evolve(match, event)
                for viewer in (*map(Seat, range(line.seats)), None):
                    if match.hole is not None and match.hole is not before.hole:
                        folded = folded_view(before, event, viewer)
                        assert folded == offered(view(match.hole, viewer), folded.choices)


def folded_view(before: Match, event: Event, viewer: Seat | None) -> View:
    """Return what a viewer sees after an event, folded from the view before it and the masked event."""
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
    """Return the hole with a random exchange of all cards that the viewer may not be shown at this point."""
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
def test_redealing_cards_a_viewer_never_saw_changes_nothing_the_viewer_was_shown(line: Line) -> None:
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
    """Return the match before its deal, and the deal with a distinct object for each card."""
    deal = next(step for step in steps if any(isinstance(event, ev.Dealt) for event in step.events))
    started, dealt = deal.events[:2]
    assert isinstance(dealt, ev.Dealt)
    deck = tuple(Card(card.rank, card.suit) for card in dealt.deck)
    upcard = deck[-dealt.stock - 1] if dealt.discard else None
    return deal.before, [started, replaced(dealt, deck=deck, discard=upcard), *deal.events[2:]]


def watched(
    deal: tuple[Match, list[Event]], script: list[tuple[Seat | None, do.Action | None]], viewer: Seat | None
) -> tuple[list[Any], set[int]]:
    """Play a script on a deal; return all that the viewer is shown, and the card objects they have seen."""
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
    """Yield all card objects inside a value."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, Frozen):
        for item in fields_of(value).values():
            yield from found_in(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from found_in(getattr(value, field.name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from found_in(item)


def redealt(deal: tuple[Match, list[Event]], seen: set[int], chance: Random) -> tuple[Match, list[Event]]:
    """Return the deal with all unseen cards exchanged at random."""
    before, (started, dealt, *others) = deal
    assert isinstance(dealt, ev.Dealt)
    unseen = [card for card in dealt.deck if id(card) not in seen]
    chance.shuffle(unseen)
    cards = iter(unseen)
    deck = tuple(card if id(card) in seen else next(cards) for card in dealt.deck)
    return before, [started, replaced(dealt, deck=deck), *others]
