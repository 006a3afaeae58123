"""List cells: values in a few words, even if something is missing or invalid."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.text import cells


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (31.25, "31.2"),
        (12, "12"),
        ("t1", "t1"),
        ({"name": "Ann", "seat": "A"}, "Ann"),
        ({"holes": 9, "lock": True}, "holes=9 lock=yes"),
        (["Ann", {"name": "Bob"}, 3], "Ann, Bob, 3"),
    ],
)
def test_any_value_is_shown_in_a_few_words(value: object, text: str) -> None:
    assert cells.plain(value) == text
    assert cells.field("it")({"it": value}) == text


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_times_agree_with_the_calendar(seconds: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert cells.moment("ended")({"ended": seconds}) == f"{moment.year}-{moment:%m-%d %H:%M}"


def test_a_time_may_be_text_or_missing() -> None:
    assert cells.moment("ended")({"ended": "yesterday"}) == "yesterday"
    assert cells.moment("ended")({}) == ""


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"table": "t1", "seat": "A"}, "t1 A"),
        ({"table": "t1"}, "t1"),
        ({"table": None, "watching": ["t1", "t2"]}, "watches t1, t2"),
        ({"where": "at the bar"}, "at the bar"),
        ({}, "lobby"),
    ],
)
def test_a_players_whereabouts_are_shown(row: dict[str, object], text: str) -> None:
    assert cells.where(row) == text


@pytest.mark.parametrize(
    ("cell", "row", "text"),
    [
        *((cells.idle, {"idle_ms": ms}, "") for ms in (59_999, None)),
        (cells.idle, {"idle_ms": 111_000}, "1 minute"),
        (cells.idle, {"idle_ms": 250_000}, "4 minutes"),
        (cells.kind, {"kind": "guest", "present": True}, "guest"),
        (cells.seats, {"seats": "2-8"}, "2-8"),
        (cells.notes, {"private": False, "watchers": 0, "options": ""}, ""),
        (cells.notes, {"options": {"holes": 18}}, ""),
        (cells.notes, {"filling": None}, ""),
        (cells.notes, {"filling": "soon"}, ""),
        (cells.notes, {"filling": {"ms": 25_000}, "watchers": 1}, "bots in 25 seconds, 1 watching"),
        (cells.place, {}, ""),
    ],
)
def test_remarks_are_omitted_if_there_are_none(
    cell: Callable[[cells.Row], str], row: dict[str, object], text: str
) -> None:
    assert cell(row) == text


def test_seats_without_a_person_are_marked() -> None:
    seated = [
        {"name": "Ann", "kind": "human"},
        {"name": "Bob", "kind": "house"},
        {"name": "x", "kind": "bot"},
    ]
    assert cells.players({"players": seated}) == "Ann, Bob (bot), x (bot)"
    assert cells.players({"players": [{"name": "easy-bot-2", "kind": "bot"}]}) == "easy-bot-2"
    assert cells.players({"players": ["Ann", {"name": "Bob"}]}) == "Ann, Bob"
    assert cells.players({"players": "Ann"}) == cells.players({}) == ""


def test_results_are_sorted_by_place() -> None:
    row = {"players": ["Ann", {"name": "Bob"}, "Cid"], "totals": [9, 3, 3], "places": [3, 1, 1]}
    assert cells.results(row) == "Bob 3, Cid 3, Ann 9"
    assert cells.results({"players": ["Ann", "Bob"], "totals": [9], "places": [None, 1]}) == "Bob, Ann 9"
    bots = [{"name": "Ann", "kind": "guest"}, {"name": "Bob", "kind": "bot"}]
    assert cells.results({"players": bots, "totals": [9, 3], "places": [2, 1]}) == "Bob (bot) 3, Ann 9"
    assert cells.results({"players": "Ann"}) == cells.results({}) == ""


ROWS: list[dict[str, object]] = [
    {"discard_no": 12, "card": "KD", "name": "Bob", "seat": "B", "tied": True},
    {"discard_no": 12, "seat": "B", "tied": False},
    {"name": "Bob", "tied": "no"},
    {},
]


def test_a_slam_shows_its_discard_its_player_and_whether_it_was_decided_by_lot() -> None:
    assert [cells.slammed(row) for row in ROWS] == ["#12 KD", "#12", "", ""]
    assert [cells.claimant(row) for row in ROWS] == ["Bob (B)", "B", "Bob", ""]
    assert [cells.tie(row) for row in ROWS] == ["by lot", "", "", ""]
    assert cells.slammed({"card": "KD"}) == "KD"
