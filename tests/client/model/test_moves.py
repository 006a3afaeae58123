"""Animated cards soon reach their places, and show nothing that the viewer may not see."""

import pytest
from hypothesis import assume, given, strategies as st

from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import Discarded, Drew, Flipped, Penalized, Slammed, SlamResult, Swapped, TurnBegan
from golfnet.engine.frozen import replaced
from golfnet_client.model.story import FLIP, FRAME, SLIDE, timed
from tests.client import tables
from tests.client.tables import happens

SWAPPED = Swapped(seat=Seat(1), slot=2, card=CARDS["9H"], discard=CARDS["9S"], discard_no=4, hidden=False)


def test_a_swap_moves_one_card_into_the_slot_and_one_to_the_discard_pile() -> None:
    model = tables.a_model(tables.six_card())
    happens(model, Drew(seat=Seat(1), stock=29, card=None))
    assert [(each.card, each.source, each.target) for each in model.motions] == [("?", "stock", "held")]
    happens(model, SWAPPED, now=100.1)
    assert [(each.card, each.source, each.target, each.before) for each in model.motions] == [
        ("9H", "held", "B2", "-"),
        ("9S", "B2", "discard", "7H"),
    ]
    assert model.changes_in(100.1) == FRAME
    model.pass_time(100.1 + SLIDE + 0.01)
    assert not model.motions
    assert model.changes_in(100.4) is None, "no timer runs when nothing moves"
    model.is_still = True
    happens(model, Flipped(seat=Seat(0), slot=2, card=CARDS["4H"]))
    assert model.motions == []


HIT = Slammed(by=Seat(1), at=Position(Seat(2), 1), card=CARDS["10H"], result=SlamResult.HIT, discard_no=4)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Flipped(seat=Seat(0), slot=2, card=CARDS["4H"]), [("4H", "A2", "A2", "?")]),
        (Discarded(seat=Seat(0), card=CARDS["4H"], discard_no=4), [("4H", "held", "discard", "7H")]),
        (HIT, [("10H", "C1", "discard", "7H")]),
        (replaced(HIT, result=SlamResult.WRONG, discard_no=None), []),
        (Penalized(seat=Seat(1), slot=7, source=None, card=None), [("?", "stock", "B7", "-")]),
    ],
)
def test_each_kind_of_event_moves_the_right_cards(event: object, expected: list[tuple[str, ...]]) -> None:
    model = tables.a_model(tables.six_card())
    happens(model, event)
    assert [(each.card, each.source, each.target, each.before) for each in model.motions] == expected
    assert all(0.12 <= each.lasts <= 0.2 for each in model.motions)


def test_a_motion_never_goes_backward() -> None:
    model = tables.a_model(tables.six_card())
    happens(model, Flipped(seat=Seat(0), slot=2, card=CARDS["4H"]))
    (motion,) = model.motions
    parts = [motion.progress(100 + FLIP * step / 10) for step in range(-2, 13)]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0, 1)


def test_a_seats_last_move_is_shown_until_its_next_turn() -> None:
    model = tables.a_model(tables.six_card())
    happens(model, Drew(seat=Seat(1), stock=29, card=None), SWAPPED, TurnBegan(seat=Seat(2), turn=2))
    assert model.moves["B"] == "placed 9♥"
    assert model.changed == {"B2": "B"}
    happens(model, Flipped(seat=Seat(2), slot=2, card=CARDS["4H"]))
    assert model.changed == {"B2": "B", "C2": "C"}
    happens(model, TurnBegan(seat=Seat(1), turn=3))
    assert model.changed == {"C2": "C"}


@given(st.integers(1, 3_600_000), st.floats(0, 1e6), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_a_running_clock_sent_again_keeps_its_length(ms: int, now: float, parts: list[float]) -> None:
    begun = latest = timed("A", ms, now)
    for part in sorted(parts):
        then = now + part * ms / 1000
        assume(latest.ends > then)
        left = round((begun.ends - then) * 1000)
        latest = timed("A", left, then, latest)
        assert latest.lasts >= begun.lasts
        assert latest.lasts - begun.lasts < 0.001 + 1e-6 * now
        assert latest.ends == then + left / 1000
    assert timed("B", 70, now, latest).lasts == 0.07, "another seat's clock"
    assert timed("A", 70, latest.ends, latest).lasts == 0.07, "the last one has run out"
