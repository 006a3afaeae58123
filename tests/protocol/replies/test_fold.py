"""A view folded from the viewer's replies equals the server's and the engine's, for every rule set and viewer."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import Discarded, Drew, Flipped, Switched, TurnBegan
from golfnet.engine.hole import Gift
from golfnet.engine.rules import Packs, Recall, RuleSet, SlamMode, Span
from golfnet.engine.variants import VARIANTS
from golfnet.engine.views import view as engine_view
from golfnet.protocol.replies import data
from golfnet.protocol.replies.data import AnyEvent
from golfnet.protocol.replies.fold import Gap, TableClosed, fold, prompted
from golfnet.protocol.replies.presence import Cause, Closed, Left, Watching
from golfnet.protocol.replies.replies import Clock, Happened, Prompt, TableView
from golfnet.protocol.replies.view_codec import view_from_wire
from tests.engine.drawing import rules
from tests.protocol.tabletop import NAMES, Tabletop, differences

A, B = Seat(0), Seat(1)

PLAYED: dict[str, RuleSet] = {
    **VARIANTS,
    "order": rules("cactus", slam=SlamMode.ORDER, recall=Recall.ALWAYS),
    "lot": rules("cactus", slam=SlamMode.LOT),
    "race": rules("cactus", recall=Recall.ALWAYS),
    "reshuffled": rules("six-card-final", seats=Span(2, 4), decks=Packs(((1, 1),)), reshuffles=2),
}


def folded(tabletop: Tabletop, *, holes: int = 2) -> Iterator[tuple[TableView, object]]:
    """For each reply to the viewer, except whole views, yield the view folded so far and the reply."""
    view = tabletop.before_the_match()
    for reply in tabletop.replies(holes=holes):
        told = data.decode(data.encode(reply))
        if isinstance(told, Happened):
            view = fold(view, told)
            yield view, told
        elif isinstance(told, Prompt):
            view = prompted(view, told)
            yield view, told


@pytest.mark.parametrize("you", [A, None])
@pytest.mark.parametrize("game", PLAYED)
def test_the_folded_view_equals_the_view_the_server_would_send(game: str, you: Seat | None) -> None:
    tabletop = Tabletop(rules=PLAYED[game], names=NAMES[:4], you=you)
    compared = 0
    for view, told in folded(tabletop):
        if tabletop.match.hole is None or not tabletop.is_settled:
            continue
        differ = differences(view, tabletop.view())
        # Changed actions come with the next prompt.
        assert set(differ) <= ({"actions", "targets"} if isinstance(told, Happened) else set())
        again = data.decode(data.encode(view))
        assert isinstance(again, TableView)
        assert again == view
        assert view_from_wire(again) == view_from_wire(view)
        seen = engine_view(tabletop.match.hole, you) if tabletop.match.is_playing else None
        assert view_from_wire(tabletop.view()) == seen
        compared += 1
    assert compared > 20


def at_the_table(you: Seat | None = A) -> TableView:
    """Return a view of a cactus table in the first turn, which is that of seat A."""
    tabletop = Tabletop(rules=PLAYED["race"], names=NAMES[:2], you=you)
    return next(view for view, _ in folded(tabletop) if view.phase == "turn")


def after(view: TableView, *events: AnyEvent, ms: int | None = None) -> TableView:
    for event in events:
        view = fold(view, Happened(table=view.table, seq=view.seq + 1, event=event, names=(), ms=ms))
    return view


PLAYING, WAITING = at_the_table(), Tabletop(rules=PLAYED["race"], names=NAMES[:2], you=A).before_the_match()


def test_a_card_that_is_owed_is_read_from_a_view() -> None:
    seen = view_from_wire(replace(PLAYING, owes="B", gift_to="A1"))
    assert seen is not None
    assert seen.gift == Gift(B, Position(A, 1))


@pytest.mark.parametrize(
    ("view", "ahead", "event", "fault"),
    [
        (PLAYING, 2, Watching(player="Eve"), Gap),
        (PLAYING, 1, Flipped(seat=A, slot=9, card=CARDS["7H"]), Gap),
        (PLAYING, 1, Flipped(seat=Seat(7), slot=1, card=CARDS["7H"]), Gap),
        (PLAYING, 1, Switched(seat=A, at=(Position(A, 1), Position(B, 9))), Gap),
        (WAITING, 1, Drew(seat=A, stock=3, card=None), Gap),
        (PLAYING, 1, Closed(reason="empty"), TableClosed),
    ],
)
def test_an_event_that_cannot_be_folded_or_closes_the_table_raises(
    view: TableView, ahead: int, event: AnyEvent, fault: type[Exception]
) -> None:
    with pytest.raises(fault, match="empty" if fault is TableClosed else None):
        fold(view, Happened(table="t12", seq=view.seq + ahead, event=event, names=()))
    assert fold(view, Happened(table="t12", seq=view.seq, event=event, names=())) is view, "an old one"


def test_before_the_match_a_view_has_seats_but_no_cards() -> None:
    assert (WAITING.hole, WAITING.phase, WAITING.discard, WAITING.slam) == (0, None, None, None)
    assert [(seat.slots, seat.turns, seat.total) for seat in WAITING.seats] == [((), 0, 0)] * 2


SEAL = "ab" * 32


@pytest.mark.parametrize(
    ("state", "sealing_ms", "kept"),
    [("open", None, []), ("playing", None, [None]), ("between", None, [None]), ("between", 3000, [SEAL])],
)
def test_who_leaves_during_a_match_keeps_the_seat_and_the_seal_if_all_seals_are_fixed(
    state: str, sealing_ms: int | None, kept: list[str | None]
) -> None:
    view = replace(at_the_table(), state=state, sealing_ms=sealing_ms)
    sealed = replace(view, seats=tuple([replace(seat, seal=SEAL) for seat in view.seats]))
    left = after(sealed, Left(seat=B, player="Bob", cause=Cause.LEFT))
    others = [("B", False, seal) for seal in kept]
    assert [(seat.seat, seat.present, seat.seal) for seat in left.seats] == [("A", True, SEAL), *others]


def test_the_clock_of_a_turn_runs_until_the_last_choice() -> None:
    view = after(at_the_table(), TurnBegan(seat=B, turn=1), ms=9000)
    assert view.clock == Clock(seat="B", ms=9000)
    view = after(view, Drew(seat=B, stock=view.stock - 1, card=None))
    assert view.clock == Clock(seat="B", ms=9000)
    view = after(view, Discarded(seat=B, card=CARDS["7H"], discard_no=1))
    assert view.clock is None
