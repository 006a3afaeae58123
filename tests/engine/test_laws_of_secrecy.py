"""Laws of secrecy: no viewer is shown, or can infer, a card that the rules hide from them."""

from golfnet.engine import events as ev, match as matches
from golfnet.engine.cards import Seat
from golfnet.engine.events import Event
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Deal
from golfnet.engine.legality import legal_actions
from golfnet.engine.match import Match
from golfnet.engine.rules import Recall
from golfnet.engine.views import View, dealt_view, evolve_view, mask, owner, view
from tests.engine.laws import Line, law
from tests.engine.random_play import Replay


@law(examples=4)
def test_only_the_owner_of_an_event_may_see_more_of_it_than_a_watcher(line: Line) -> None:
    for step in line.steps():
        for event in step.events:
            watcher = mask(event, None)
            for seat in map(Seat, range(line.seats)):
                if seat != owner(event):
                    assert mask(event, seat) == watcher


@law(examples=3)
def test_a_view_folded_from_masked_events_is_the_view_of_the_folded_hole(line: Line) -> None:
    for recall in Recall:
        for step in Line(replaced(line.rules, recall=recall), line.seats, line.seed).steps():
            match = step.before
            for event in step.events:
                before, match = match, matches.evolve(match, event)
                for viewer in (*map(Seat, range(line.seats)), None):
                    if match.hole is not None and match.hole is not before.hole:
                        folded = folded_view(before, event, viewer)
                        assert folded == view(match.hole, viewer, folded.choices)


def folded_view(before: Match, event: Event, viewer: Seat | None) -> View:
    """Return what a viewer sees after an event, folded from the view before it and the masked event."""
    masked = mask(event, viewer)
    if not isinstance(masked, ev.Dealt):
        assert before.hole is not None
        seen = view(before.hole, viewer)
        folded = evolve_view(seen, masked)
        assert folded.choices == seen.choices
        return folded
    rules, started = before.rules, before.started
    assert rules is not None
    assert started is not None
    deal = Deal(started.hole, started.dealer, started.leader, started.commitment, before.totals)
    return dealt_view(rules, viewer, deal, masked)


@law(examples=4)
def test_redealing_cards_a_viewer_never_saw_changes_nothing_the_viewer_was_shown(line: Line) -> None:
    chance = line.chance
    for recall in Recall:
        replay = Replay(replaced(line.rules, recall=recall), line.seats, line.chance)
        viewer = chance.choice([*map(Seat, range(line.seats)), None])
        until = chance.randrange(len(replay.script))  # the end of the hole shows everything
        shown = shown_to(viewer, replay, until)
        assert shown_to(viewer, replay.redealt(shown, chance), until) == shown


def shown_to(viewer: Seat | None, replay: Replay, until: int) -> list[object]:
    """Return all that a viewer is shown up to an entry of the script."""
    shown: list[object] = []
    for events, match in replay.steps(until):
        assert match.hole is not None
        shown.append(([mask(event, viewer) for event in events], view(match.hole, viewer)))
        if viewer is not None:
            shown.append(legal_actions(match.hole, viewer))
    return shown
