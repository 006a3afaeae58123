"""A view updated event by event; ``test_laws_of_secrecy`` tests that it equals the result of ``view``."""

import pytest

from golfnet.engine import events as ev
from golfnet.engine import match as matches
from golfnet.engine.cards import CARDS
from golfnet.engine.frozen import replaced
from golfnet.engine.layout import Position, Seat
from golfnet.engine.legality import Choices
from golfnet.engine.rules import Recall
from golfnet.engine.views import evolve_view
from tests.engine.drawing import FOUR, SIX, dealt, only, rules

A, B = Seat(0), Seat(1)


def test_a_seat_knows_a_card_that_it_placed_face_down_with_or_without_the_hidden_field() -> None:
    """On the wire the event has the card but not the ``hidden`` field."""
    played = dealt(rules("cactus", recall=Recall.ALWAYS), FOUR, stock="QD").chosen()
    played.plays("A draw")
    before = played.view("A")
    event = only(ev.Swapped, played.plays("A swap 1"))
    assert event.hidden
    unmarked = replaced(event, hidden=False)
    assert evolve_view(before, event) == evolve_view(before, unmarked)
    assert evolve_view(before, unmarked).layouts[0][0] == "?QD"


@pytest.mark.parametrize("line", ["A draw", "A take"])
def test_a_card_that_is_held_when_the_hole_is_abandoned_stays_as_secret_as_it_was(line: str) -> None:
    played = dealt("six-card", SIX).chosen()
    played.plays(line)
    before = {viewer: played.view(viewer) for viewer in ("A", "B", None)}
    (event, _), played.match = matches.abandon(played.match)
    for viewer, seen in before.items():
        assert evolve_view(seen, event)._replace(choices=Choices()) == played.view(viewer)


SEVEN = CARDS["7H"]
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
    seen = dealt("cactus", FOUR).chosen().view("B")
    with pytest.raises(LookupError):
        evolve_view(seen, event)


def test_a_match_level_event_or_a_view_with_more_cards_than_any_deck_is_an_error() -> None:
    seen = dealt("cactus", FOUR).view("B")
    with pytest.raises(LookupError):
        evolve_view(seen, ev.MatchEnded(match="m1", totals=(0, 0), places=(1, 1)))
    for count in (-1, 10**9):
        with pytest.raises(LookupError):
            evolve_view(seen._replace(stock=count), ev.Drew(seat=A, stock=count, card=None))
