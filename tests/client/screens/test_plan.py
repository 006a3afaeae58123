"""Where the table screen draws things: nothing overlaps, nothing is cut off, and nothing jumps."""

import re
from itertools import combinations, pairwise, product

import pytest
from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from golfnet.engine.rules import MAX_SLOTS
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import Clock, TableView
from golfnet_client.model.story import Motion
from golfnet_client.screens.canvas import Canvas, Zone
from golfnet_client.screens.faces import TOKEN
from golfnet_client.screens.plan import plan_of
from tests.client import tables

SIZES = [(40, 14), (60, 19), (80, 23), (120, 39), (200, 59)]
WIDE = SIZES[2:]


def seated(variant: str, seats: int, layout: str = "") -> TableView:
    return tables.a_view(variant, *[layout or " ".join("?" * VARIANTS[variant].slots)] * seats)


def drawn(view: TableView, width: int, height: int) -> Canvas:
    return tables.picture(tables.a_model(view), width, height)


def cards(view: TableView, width: int, height: int) -> list[Zone]:
    return cards_on(drawn(view, width, height))


def cards_on(canvas: Canvas) -> list[Zone]:
    return [zone for zone in canvas.zones if zone.target[:4] in ("card", "pile")]


def is_over(one: Zone, other: Zone) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


def test_cards_keep_their_places_from_phase_to_phase() -> None:
    turn = tables.six_card()
    others = (tables.holding(), replace(turn, turn="C", actions=()), replace(turn, holding="B", drawn=None))
    for (width, height), view in product(SIZES, others):
        before = {zone.target: zone for zone in cards(turn, width, height)}
        after = {zone.target: zone for zone in cards(view, width, height)}
        assert before.items() <= after.items()
        assert len(after) - len(before) == (view.holding is not None)


def test_a_lone_opponents_cards_are_above_your_own() -> None:
    for width, height in WIDE:
        found = {zone.target: zone for zone in cards(seated("six-card", 2), width, height)}
        assert abs(found["card A2"].middle[0] - found["card B2"].middle[0]) <= 1


def test_an_open_slam_window_pulses_around_the_discard_pile_with_its_clock_beneath() -> None:
    model = tables.a_model(tables.cactus())
    for width, height in WIDE:
        first, second = [tables.picture(model, width, height, now) for now in (100.0, 100.25)]
        pile = next(zone for zone in first.zones if zone.target == "pile discard")
        assert first.styles[pile.y + 1][pile.x - 1] != second.styles[pile.y + 1][pile.x - 1]
        near = first.lines()[pile.y + pile.height - 1 : pile.y + pile.height + 1]
        assert any("█" in line[pile.x : pile.x + pile.width] and "2.4 s" in line for line in near)
    assert model.changes_in(100.0) == 0.1


def test_a_seat_has_one_colour_wherever_it_is_mentioned() -> None:
    model = tables.a_model(tables.six_card(), "Bob (B) draws from the stock (30 left).")
    canvas = tables.picture(model, 200, 59)
    styles = [
        canvas.styles[y][line.index(name) + at]
        for y, line in enumerate(canvas.lines())
        for name, at in (("B Bob", 2), ("Bob (B)", 0))
        if name in line
    ]
    assert len(styles) >= 3, "above the cards, in the scores, in the log"
    assert all("seat-1" in style for style in styles)


@pytest.mark.parametrize("seats", [2, 3, 6, 12])
def test_larger_windows_never_have_smaller_cards(seats: int) -> None:
    view = seated("six-card-final", seats)
    sizes = ((60, 20), (80, 24), (100, 30), (120, 40), (160, 50), (200, 60))
    plans = [plan_of(view, width, 2, height - 2, no_log=True) for width, height in sizes]
    for before, after in pairwise(plans):
        assert after.own >= before.own or after.others > before.others


def check(view: TableView, width: int, height: int) -> None:
    """Check that cards and name plates are whole and do not overlap, and that players without a plate are counted."""
    which = (view.variant, view.options["rows"], view.options["columns"], len(view.seats), width, height)
    canvas = drawn(view, width, height)
    found, plates = cards_on(canvas), [zone for zone in canvas.zones if zone.target[:4] == "seat"]
    for one, other in combinations(found + plates, 2):
        is_line = one.height == other.height == 1 and one.target[5] == other.target[5]
        assert is_line or not is_over(one, other), (which, one, other)
    for zone in found + plates:
        assert zone.x > 0, (which, zone)
        assert zone.x + zone.width < width, (which, zone)
        assert zone.y > 0, "the first line is for the header"
        assert zone.y + zone.height <= height - 2, "the last lines are for the headline and the keys"
        top = "".join(canvas.chars[zone.y][zone.x : zone.x + zone.width])
        bottom = "".join(canvas.chars[zone.y + zone.height - 1][zone.x : zone.x + zone.width])
        if zone.height > 1:
            assert re.fullmatch("▗▄+▖", top), (which, zone, top)
            assert re.fullmatch("▝▀+▘", bottom), (which, zone, bottom)
    text = "\n".join(canvas.lines())
    named = {zone.target[5:]: "".join(canvas.chars[zone.y][zone.x : zone.x + zone.width]) for zone in plates}
    shown = [seat for seat in view.seats if f"{seat.seat} {seat.name}" in named.get(seat.seat, "")]
    missing = len(view.seats) - len(shown)
    assert view.seats[0] in shown, which
    assert not missing or f"and {missing} more" in text, (which, text)
    for seat in shown:
        assert len([zone for zone in found if zone.target[5] == seat.seat]) == len(seat.slots), (which, seat)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_all_cards_and_players_fit_at_any_size_with_any_number_of_seats(width: int, height: int) -> None:
    for variant, rules in VARIANTS.items():
        layout = " ".join(["5C", "?", "KD", *["?"] * rules.slots][: rules.slots])
        for seats in range(rules.seats.low, rules.seats.high + 1):
            check(seated(variant, seats, layout), width, height)


LAYOUTS = [each for each in product(range(1, 5), range(1, 7)) if 2 <= each[0] * each[1] <= MAX_SLOTS]
"""The rows and columns of all layouts that the rules allow."""


@given(
    width=st.integers(40, 200),
    height=st.integers(12, 60),
    layout=st.sampled_from(LAYOUTS),
    slam=st.sampled_from(["off", "race"]),
)
@example(width=40, height=14, layout=(1, 2), slam="off")
@example(width=40, height=14, layout=(1, 2), slam="race")
@example(width=40, height=14, layout=(2, 6), slam="off")
@example(width=40, height=30, layout=(1, 4), slam="off")
@example(width=90, height=25, layout=(3, 4), slam="race")
@example(width=120, height=39, layout=(1, 6), slam="off")
def test_every_layout_that_the_rules_allow_fits_at_any_size(
    width: int, height: int, layout: tuple[int, int], slam: str
) -> None:
    rows, columns = layout
    changed = {"rows": rows, "columns": columns, "start": "none", "decks": 8, "placed": "down", "slam": slam}
    for seats in range(2, 13):
        view = seated("six-card-final", seats, " ".join("?" * (rows * columns)))
        check(replace(view, options=view.options | changed), width, height)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_added_cards_fit_and_do_not_move_or_resize_others(seats: int, width: int, height: int) -> None:
    """With up to eight cards at a seat, no other card moves; with up to ten, no other card changes its size.

    More cards change only the viewer's own cards, or only those of the other players.
    """
    start = seated("cactus", seats)
    before = {zone.target: zone for zone in cards(start, width, height)}
    for number, seat in product((5, 7, 10, 15), {0, 1, seats - 1}):
        more = replace(start.seats[seat], slots=("?",) * number)
        view = replace(start, seats=(*start.seats[:seat], more, *start.seats[seat + 1 :]))
        after = cards(view, width, height)
        assert before.keys() <= {zone.target for zone in after}
        own = {zone.target for zone in after if zone.target.startswith(f"card {more.seat}")}
        assert len(own) == number
        for zone in after:
            in_ring = zone.target[:6] == "card A" if seat == 0 else zone.target[:6] != "card A"
            known = before.get(zone.target, zone)
            if number <= 10 or not in_ring:
                assert (known.width, known.height) == (zone.width, zone.height), number
            if number <= (10 if width >= 60 else 8) or not in_ring:
                assert known == zone, number
            assert zone.x > 0 < zone.y
            assert zone.x + zone.width <= width
        for one, other in combinations(after, 2):
            assert not is_over(one, other), (number, one, other)


def test_the_viewers_own_cards_are_largest_followed_by_the_piles() -> None:
    for variant, seats, (width, height) in product(VARIANTS, (2, 4, 6), SIZES):
        plan = plan_of(seated(variant, seats), width, 2, height - 2, no_log=False)
        assert plan.piles.height >= plan.others.height
        assert plan.own.height >= plan.piles.height or plan.own == TOKEN
        assert plan.own.height > plan.others.height or plan.own == TOKEN


def test_the_slam_frame_appears_after_the_discard_has_landed_and_only_one_clock_is_shown() -> None:
    model = tables.a_model(replace(tables.cactus(), clock=Clock(seat="B", ms=9000)))
    model.motions = [Motion("9D", "B1", "discard", 100.0, 0.2, "KC")]
    flying = tables.picture(model, 80, 23, 100.1)
    model.motions = []
    landed = tables.picture(model, 80, 23, 100.3)
    pile = next(zone for zone in landed.zones if zone.target == "pile discard")
    assert flying.chars[pile.y + 1][pile.x - 1] == " "
    assert landed.chars[pile.y + 1][pile.x - 1] == "▐"
    for canvas in (flying, landed):
        assert sum(line.count(" s") for line in canvas.lines() if "█" in line) == 1


@pytest.mark.parametrize("size", [(40, 14), (60, 16), (80, 23)])
def test_the_prompt_and_every_way_to_go_on_are_shown_beside_the_clock(size: tuple[int, int]) -> None:
    flip = replace(seated("six-card", 2), phase="flip", actions=("pass", "flip 2", "flip 3", "flip 5"))
    for view, prompt, keys in (
        (tables.holding(), "You hold 5♠: choose a slot, or discard it.", "1-6  put it in   x  discard"),
        (flip, "You can turn up one of your cards.", "2 3 5  turn up   p  pass"),
    ):
        lines = drawn(replace(view, clock=Clock(seat="A", ms=59_000)), *size).lines()[-3:]
        text = " ".join(re.sub("█+", "", " ".join(lines)).replace("59 s", "").split())
        assert prompt in text
        assert " ".join(keys.split()) in text
        assert "59 s" in "".join(lines)


def test_a_card_being_turned_up_narrows_before_its_face_is_shown() -> None:
    model = tables.a_model(replace(tables.six_card(), clock=None))
    model.motions = [Motion("4H", "A2", "A2", 100.0, 0.2, "?")]
    shown = []
    for now in (100.0, 100.1, 100.19):
        canvas = tables.picture(model, 80, 23, now)
        (zone,) = [zone for zone in canvas.zones if zone.target == "card A2"]
        shown.append([line[zone.x : zone.x + zone.width] for line in canvas.lines()[zone.y :][: zone.height]])
    assert ["4♥" in "".join(lines) for lines in shown] == [False, False, True]
    assert [lines[0][0] == " " for lines in shown] == [False, True, False]


def test_a_slam_window_dims_all_but_the_discard_and_its_targets() -> None:
    view = tables.cactus()
    canvas = drawn(view, 80, 23)
    for zone in canvas.zones:
        kind, _, at = zone.target.partition(" ")
        if kind in ("card", "pile"):
            is_dark = "shade" in canvas.styles[zone.y + 1][zone.x + 1]
            assert is_dark is (zone.target != "pile discard" and at not in view.targets), zone
    passed = drawn(replace(view, actions=(), targets=()), 80, 23)
    assert not any("shade" in style for row in passed.styles for style in row)


def test_older_log_entries_fade_but_names_keep_their_colour() -> None:
    told = "Bob (B) takes 9♠ from the discard pile."
    canvas = tables.picture(tables.a_model(tables.six_card(), told, told), 80, 23)
    bars = [(x, y) for y, row in enumerate(canvas.chars) for x, char in enumerate(row) if char == "▎"]
    assert len(bars) == 6, "three lines each"
    assert all("seat-1" in canvas.styles[y][x] for x, y in bars)
    faded = ["old" in canvas.styles[y][x + 2] or "seat" in canvas.styles[y][x + 2] for x, y in bars]
    assert faded == [True, True, True, True, False, False], "the name keeps its colour"
