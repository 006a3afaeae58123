"""A view on the wire shows what the engine's view shows, plus what everybody has seen."""

from golfnet.engine import match as matches
from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.view_codec import seat_to_wire, view_from_wire, view_to_wire
from tests.protocol.tabletop import NAMES, Tabletop

A = Seat(0)


def test_before_the_deal_a_view_has_seats_but_no_cards() -> None:
    rules = VARIANTS["six-card"]
    _, match = matches.commit(matches.Match("m1"), bytes(32))
    told = view_to_wire(
        match,
        None,
        table="t1",
        seq=3,
        rules=rules,
        state="open",
        you=A,
        seats=[seat_to_wire(match, None, A, name="Ann", host=True)],
        slam_ms=0,
    )
    assert (told.hole, told.phase, told.discard, told.slam, told.you) == (0, None, None, None, "A")
    assert match.next_deal is not None
    assert told.commitment == match.next_deal.commitment
    (ann,) = told.seats
    assert (ann.seat, ann.slots, ann.total, ann.turns, ann.host) == ("A", (), 0, 0, True)


def test_between_holes_a_table_view_contains_no_view_of_a_hole() -> None:
    tabletop = Tabletop(rules=VARIANTS["six-card"], names=NAMES[:2], you=A)
    assert [*tabletop.replies(holes=1)]
    assert tabletop.view().state == "between"
    assert view_from_wire(tabletop.view()) is None
