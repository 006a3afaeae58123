"""A view on the wire shows what the engine's view shows, plus what everybody has seen."""

from golfnet.engine import match as matches
from golfnet.engine.layout import Seat
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import view
from golfnet.protocol.replies.replies import SlamView
from golfnet.protocol.replies.view_codec import rules_of, seat_to_wire, view_from_wire, view_to_wire
from tests.engine.drawing import FOUR, dealt
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


def test_all_viewers_see_the_time_left_in_a_slam_window_and_which_cards_have_moved() -> None:
    played = dealt(VARIANTS["cactus"], FOUR, stock="7C 2S", leader="A").chosen()
    played.plays("A draw", "A discard", "A slam 3")
    assert played.match.hole is not None
    assert played.match.rules is not None
    told = view_to_wire(
        played.match,
        view(played.match.hole, None),
        table="t1",
        seq=9,
        rules=played.match.rules,
        state="playing",
        you=None,
        seats=(),
        slam_ms=2500,
    )
    assert told.slam == SlamView(discard_no=1, card="7C", ms=2500, mode="race", won=True, moved=("A3",))


def test_between_holes_a_table_view_contains_no_view_of_a_hole() -> None:
    tabletop = Tabletop(rules=VARIANTS["six-card"], names=NAMES[:2], you=A)
    assert [*tabletop.replies(holes=1)]
    assert tabletop.view().state == "between"
    assert view_from_wire(tabletop.view()) is None


def test_the_rules_are_read_from_the_table_view_during_and_between_holes() -> None:
    tabletop = Tabletop(rules=VARIANTS["cactus"], names=NAMES[:3], you=A)
    for _ in tabletop.replies(holes=1):
        if tabletop.match.hole is not None:
            view = tabletop.view()
            assert rules_of(view) == tabletop.match.rules
            view_from_wire(view)
            assert rules_of(view) == tabletop.match.rules
