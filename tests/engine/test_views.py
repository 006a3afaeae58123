"""What each viewer may see of a hole and its events.

``test_laws_of_secrecy`` tests that no secret leaks, and that a view updated event by event is that of the hole.
"""

from typing import Any

import pytest

from golfnet.engine import events as ev, match as matches
from golfnet.engine.cards import CARDS, Position, Seat, parse_deck
from golfnet.engine.frozen import replaced
from golfnet.engine.hole import Window
from golfnet.engine.legality import Choices
from golfnet.engine.views import evolve_view, mask, owner
from tests.engine.drawing import only
from tests.engine.scenes import in_phase, scene

A, B = Seat(0), Seat(1)


def test_a_view_shows_start_choices_owed_and_reshuffles_left() -> None:
    """Golden playthroughs and the folding of views test the other fields."""
    seen = scene("six-card: SIX; before the start choices", "A flip 1", "B flip 2 3").view("B")
    assert (seen.owed, seen.reshuffles_left) == ((1, 0), 1)


def test_a_slam_window_shows_which_cards_have_moved_since_the_discard() -> None:
    opened = in_phase("window").view("B").window
    assert opened == Window(1, CARDS["7C"])
    slammed = in_phase("slammed").view("B").window
    assert slammed == opened._replace(won=True, moved=frozenset({Position(A, 1)}))


SEVEN, EIGHT, AT = CARDS["7H"], CARDS["8H"], Position(B, 1)
SECRETS: list[tuple[ev.Event, dict[str, Any]]] = [
    (ev.Committed(match="m1", hole=1, commitment="c0", seed=b"s" * 32), {"seed": b""}),
    (
        ev.HoleStarted(hole=1, dealer=A, leader=B, commitment="c0", cuts=("x", ""), context="{}"),
        {"context": "", "cuts": ()},
    ),
    (ev.Dealt(stock=1, discard=None, discard_no=0, deck=parse_deck("7H 8H")), {"deck": ()}),
    (ev.Peeked(seat=A, at=(AT,), cards=parse_deck("7H")), {"cards": None}),
    (ev.Drew(seat=A, stock=1, card=SEVEN), {"card": None}),
    (ev.Swapped(seat=A, slot=1, card=SEVEN, discard=EIGHT, discard_no=1, hidden=True), {"card": None}),
    (ev.Gave(seat=A, slot=1, to=AT, card=SEVEN, known=True), {"card": None, "known": False}),
    (ev.Penalized(seat=A, slot=5, source=None, card=SEVEN), {"card": None}),
    (ev.Penalized(seat=A, slot=5, source=AT, card=SEVEN), {"card": None}),
    (ev.Reshuffled(stock=1, discard=EIGHT, order=parse_deck("7H")), {"order": None}),
]
"""Events, and the fields that replace their secrets for everybody who may not see them."""


@pytest.mark.parametrize(("event", "hidden"), SECRETS)
def test_a_secret_is_seen_only_by_the_seat_it_belongs_to_or_by_nobody(
    event: ev.Event, hidden: dict[str, Any]
) -> None:
    own = isinstance(event, ev.Peeked | ev.Drew | ev.Swapped | ev.Gave)
    assert owner(event) == (A if own else None)
    watched = replaced(event, **hidden)
    assert mask(event, A) == (event if own else watched)
    assert mask(event, B) == mask(event, None) == mask(watched, None) == watched


# --- views updated event by event


def test_a_seat_knows_a_card_that_it_placed_face_down_with_or_without_the_hidden_field() -> None:
    """On the wire the event has the card but not the ``hidden`` field."""
    played = scene("cactus recall=always: FOUR; stock QD", "A draw")
    before = played.view("A")
    event = only(ev.Swapped, played.plays("A swap 1"))
    assert event.hidden
    unmarked = replaced(event, hidden=False)
    assert evolve_view(before, event) == evolve_view(before, unmarked)
    assert evolve_view(before, unmarked).layouts[0][0] == "?QD"


@pytest.mark.parametrize("line", ["A draw", "A take"])
def test_a_card_that_is_held_when_the_hole_is_abandoned_stays_as_secret_as_it_was(line: str) -> None:
    played = scene("six-card: SIX", line)
    before = {viewer: played.view(viewer) for viewer in ("A", "B", None)}
    (event, _), played.match = matches.abandon(played.match)
    for viewer, seen in before.items():
        assert evolve_view(seen, event)._replace(choices=Choices()) == played.view(viewer)


MISFITS: list[ev.Event] = [
    ev.Flipped(seat=A, slot=6, card=SEVEN),
    ev.Flipped(seat=A, slot=0, card=SEVEN),
    ev.Swapped(seat=Seat(5), slot=1, card=None, discard=SEVEN, discard_no=1, hidden=True),
    ev.Switched(seat=A, at=(Position(A, 1), Position(B, 5))),
    ev.Slammed(by=A, at=Position(B, 5), card=SEVEN, result=ev.SlamResult.WRONG, discard_no=None),
    ev.Penalized(seat=A, slot=9, source=None, card=None),
    ev.Penalized(seat=A, slot=5, source=Position(B, 9), card=None),
    ev.Gave(seat=A, slot=7, to=Position(B, 1), card=None, known=False),
]


@pytest.mark.parametrize("event", MISFITS)
def test_an_event_that_does_not_fit_the_view_is_an_error(event: ev.Event) -> None:
    seen = scene("cactus: FOUR").view("B")
    with pytest.raises(LookupError):
        evolve_view(seen, event)


def test_a_match_level_event_or_a_view_with_more_cards_than_any_deck_is_an_error() -> None:
    seen = scene("cactus: FOUR").view("B")
    with pytest.raises(LookupError):
        evolve_view(seen, ev.MatchEnded(match="m1", totals=(0, 0), places=(1, 1)))
    for count in (-1, 10**9):
        with pytest.raises(LookupError):
            evolve_view(seen._replace(stock=count), ev.Drew(seat=A, stock=count, card=None))
