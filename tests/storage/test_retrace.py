from __future__ import annotations

import pytest

from golfnet.engine import match as matches
from golfnet.engine.cards import CARDS
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import EndReason, Event, HoleEnded, Knocked, Reshuffled, SlamClosed, TurnBegan
from golfnet.engine.layout import Seat
from golfnet.engine.match import Match
from golfnet.storage.verification import step_of
from tests.storage.matches import played, rules_of


def playing() -> Match:
    match = Match("m1")
    for entry in played(rules_of("six-card"))[:20]:
        match = matches.evolve(match, entry.event)
    assert match.is_playing
    return match


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (TurnBegan(seat=Seat(0), turn=1), "Nobody can cause turn"),
        (Knocked(seat=Seat(0)), "A cannot knock here: "),
        (Knocked(seat=Seat(5)), "There is no seat F"),
        (SlamClosed(discard_no=1), "No slam window"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_impossible_action_raises(event: Event, said: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        step_of(playing(), event)
    assert said in caught.value.expected


def test_no_action_is_possible_between_holes() -> None:
    with pytest.raises(IllegalAction, match="No hole is in play"):
        step_of(Match("m1"), Knocked(seat=Seat(0)))


def test_a_hole_may_be_abandoned_but_not_ended_otherwise() -> None:
    values = {"closer": None, "layouts": (), "scores": None, "totals": (), "seed": b"", "cuts": ()}
    ended, over = step_of(playing(), HoleEnded(reason=EndReason.ABANDONED, **values))[0]  # type: ignore[arg-type]
    assert (ended.name, over.name) == ("hole_ended", "match_ended")
    with pytest.raises(IllegalAction, match="Nobody can cause hole_ended"):
        step_of(playing(), HoleEnded(reason=EndReason.KNOCK, **values))  # type: ignore[arg-type]


def test_a_reshuffle_comes_from_a_draw() -> None:
    match = playing()
    assert match.hole is not None
    empty = match.hole._replace(stock=(), discards=(CARDS["7H"], CARDS["8H"], CARDS["9H"]))
    (first, drew, *_), _ = step_of(
        match._replace(hole=empty), Reshuffled(stock=2, discard=CARDS["9H"], order=None)
    )
    assert (first.name, drew.name) == ("reshuffled", "drew")
