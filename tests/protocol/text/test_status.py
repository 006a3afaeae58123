"""The status of a table: titles, what it is waiting for, remarks on seats, totals."""

import pytest
from msgspec.structs import replace

from golfnet.engine.variants import CACTUS, SIX_CARD
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.replies.replies import FillingView, SlamView, TableView
from golfnet.protocol.text.art import Shape
from golfnet.protocol.text.status import marks, notes, own_points, shape_of, status, title, totals, voice_for
from golfnet.protocol.text.typeset import unpainted
from tests.protocol.tabletop import NAMES, dealt

SETTINGS = Settings(cards=Cards.LETTERS)


def waits(view: TableView) -> str:
    return unpainted(status(view, voice_for(view, SETTINGS)))


def test_a_title_names_the_rules_and_the_table() -> None:
    view = dealt(SIX_CARD)
    assert title(view) == "t12, six-card, hole 1 of 9"
    assert title(replace(view, name="Friday", hole=0)) == 't12 "Friday", six-card'
    assert title(dealt(CACTUS)) == "t12, cactus, hole 1, to 25 points"


@pytest.mark.parametrize(
    ("owed", "said"),
    [
        ((2, 0, 0), "You still have to turn up two cards."),
        ((0, 0, 1), "Cid (C) still has to turn up one card."),
        ((1, 2, 0), "You and Bob (B) still have to turn up cards."),
        ((0,) * 3, "Nobody still has to turn up cards."),
    ],
)
def test_the_status_says_who_still_has_to_choose_start_cards(owed: tuple[int, ...], said: str) -> None:
    assert waits(replace(dealt(SIX_CARD), owed=owed)) == said


def test_an_open_table_announces_when_bots_join() -> None:
    view = replace(dealt(SIX_CARD), state="open")
    said = waits(view)
    assert "Bots" not in said
    assert waits(replace(view, filling=FillingView(level="easy", ms=25_000))) == (
        f"{said} Easy bots will take free seats in 25 seconds."
    )


def test_many_seats_that_still_have_to_choose_are_counted_not_named() -> None:
    view = dealt(SIX_CARD, NAMES[:8])
    assert waits(view) == "You and seven others still have to turn up two cards."
    assert waits(replace(view, owed=(0, *view.owed[1:]))) == "Seven players still have to turn up two cards."


def test_each_phase_names_the_player_it_waits_for() -> None:
    view = dealt(SIX_CARD)
    turn = replace(view, phase="turn", turn="B")
    holding = replace(turn, phase="holding", holding="B", drawn="7H")
    assert waits(holding) == "Bob (B) holds 7H."
    assert waits(replace(holding, holding="A")) == "You hold 7H."
    assert waits(replace(turn, phase="flip")) == "Bob (B) may turn up a card."
    slam = SlamView(discard_no=3, card="QS", ms=2500, mode="race")
    assert waits(replace(turn, phase="power", turn="A", slam=slam)) == (
        "You may use a power. QS may be slammed for 3 seconds."
    )
    assert waits(replace(turn, phase="slam", slam=slam)) == "QS may be slammed for 3 seconds."
    assert waits(replace(turn, phase="give", owes="C")) == "Cid (C) has to give a card."
    assert waits(replace(turn, phase="over")) == "The hole is over."


def test_each_state_outside_play_announces_what_follows() -> None:
    view = dealt(SIX_CARD)
    assert waits(replace(view, state="open", options={})) == "Waiting for players: three seats taken."
    soon = replace(view, state="open", starts_ms=4_500)
    assert waits(soon).endswith(
        "All seats are taken. The match begins in 5 seconds, or as soon as everybody is ready."
    )
    begun = replace(view, state="between", scores=())
    assert waits(begun) == "The match has started. The first hole will be dealt in a moment."
    seats = [replace(seat, seal="0f" * 32, told=seat.seat == "B") for seat in begun.seats]
    closed = replace(begun, seats=tuple(seats), sealing_ms=2_500)
    assert waits(closed) == "Sealing is closed. Send your sealed text within 3 seconds; type: cut TEXT"
    told = replace(closed, seats=(replace(seats[0], told=True), *seats[1:]))
    assert waits(told) == "Sealing is closed. Waiting up to 3 seconds for the sealed text of Cid (C)."
    view = replace(view, scores=((1, 2, 3),))
    assert (
        waits(replace(view, state="between"))
        == "The hole is over. The next hole will be dealt as soon as everybody is ready."
    )
    sealing = replace(view, state="between", sealing_ms=3_000)
    assert waits(sealing) == "The hole is over. The next hole will be dealt in a moment."
    window = SlamView(discard_no=1, card="7H", ms=250, mode="race")
    slammed = replace(view, state="playing", phase="slam", slam=window)
    assert waits(slammed) == "7H may be slammed for 1 second."
    assert waits(replace(slammed, slam=replace(window, won=True))) == "7H has been slammed."
    away = replace(view, state="open", seats=(replace(view.seats[0], present=False), *view.seats[1:]))
    assert waits(away) == "All seats are taken. Waiting for Ann."


def test_seats_show_roles_absence_and_readiness() -> None:
    view = replace(dealt(SIX_CARD, NAMES[:4]), phase="turn", turn="B", closer="A")
    assert [notes(seat, view) for seat in view.seats] == [["knocked"], [], ["bot"], ["away"]]
    waiting = replace(view, state="open", seats=(replace(view.seats[0], ready=True),))
    assert notes(waiting.seats[0], waiting) == ["host", "ready", "knocked"]


def test_a_picture_marks_whose_turn_it_is_unless_it_is_yours() -> None:
    view = replace(dealt(SIX_CARD), phase="turn", turn="B")
    assert [marks(seat, view) for seat in view.seats] == [[], ["to play"], ["bot"]]
    assert [marks(seat, replace(view, you="B")) for seat in view.seats] == [[], [], ["bot"]]


def test_totals_are_shown_after_the_first_finished_hole() -> None:
    view = dealt(SIX_CARD)
    assert totals(view, voice_for(view, SETTINGS)) == ""
    assert own_points(view.seats[0], view, SETTINGS) == []
    seats = tuple(replace(seat, total=9 - at) for at, seat in enumerate(view.seats))
    later = replace(view, seats=seats, scores=((9, 8, 7),))
    assert totals(later, voice_for(later, SETTINGS)) == "Totals after one hole: Cid (C) 7, Bob (B) 8, you 9."
    assert own_points(seats[1], later, SETTINGS) == ["8 points"]


def test_free_seats_have_no_names() -> None:
    view = dealt(SIX_CARD, you=None)
    gap = replace(view, seats=(view.seats[0], view.seats[2]))
    assert voice_for(gap, SETTINGS).names == ("Ann", "", "Cid")


def test_the_shape_comes_from_the_rules_if_they_are_known() -> None:
    assert shape_of(dealt(SIX_CARD)) == Shape(2, 3)
    assert shape_of(replace(dealt(SIX_CARD), options={"rows": "many"})) == Shape(2, 3)
    assert shape_of(replace(dealt(SIX_CARD), options={"rows": 3, "columns": 2})) == Shape(3, 2)
