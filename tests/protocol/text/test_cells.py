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
    assert cells.cell("it")({"it": value}) == text


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_times_agree_with_the_calendar(seconds: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert cells.cell("ended")({"ended": seconds}) == f"{moment.year}-{moment:%m-%d %H:%M}"


SEATED = [{"name": "Ann", "kind": "human"}, {"name": "Bob", "kind": "house"}, {"name": "x", "kind": "bot"}]
THREE = {"players": ["Ann", {"name": "Bob"}, "Cid"], "totals": [9, 3, 3], "places": [3, 1, 1]}
SLAM = {"discard_no": 12, "card": "KD", "name": "Bob", "seat": "B", "tied": True}


@pytest.mark.parametrize(
    ("cell", "row", "text"),
    [
        (cells.where, {"table": "t1", "seat": "A"}, "t1 A"),
        (cells.where, {"table": "t1"}, "t1"),
        (cells.where, {"table": None, "watching": ["t1", "t2"]}, "watches t1, t2"),
        (cells.where, {}, "lobby"),
        (cells.idle, {"idle_ms": 59_999}, ""),
        (cells.idle, {"idle_ms": None}, ""),
        (cells.idle, {"idle_ms": 111_000}, "1 minute"),
        (cells.idle, {"idle_ms": 250_000}, "4 minutes"),
        (cells.kind, {"kind": "guest", "present": True}, "guest"),
        (cells.taken_seats, {"seats": "2-8"}, "2-8"),
        (cells.notes, {"private": False, "watchers": 0, "options": ""}, ""),
        (cells.notes, {"options": {"holes": 18}}, ""),
        (cells.notes, {"filling": "soon"}, ""),
        (cells.notes, {"filling": {"ms": 25_000}, "watchers": 1}, "bots in 25 seconds, 1 watching"),
        (cells.players, {"players": SEATED}, "Ann, Bob (bot), x (bot)"),
        (cells.players, {"players": [{"name": "easy-bot-2", "kind": "bot"}]}, "easy-bot-2"),
        (cells.players, {"players": ["Ann", {"name": "Bob"}]}, "Ann, Bob"),
        (cells.players, {"players": "Ann"}, ""),
        (cells.results, THREE, "Bob 3, Cid 3, Ann 9"),
        (cells.results, {"players": ["Ann", "Bob"], "totals": [9], "places": [None, 1]}, "Bob, Ann 9"),
        (cells.results, {"players": SEATED[:2], "totals": [9, 3], "places": [2, 1]}, "Bob (bot) 3, Ann 9"),
        (cells.results, {"players": "Ann"}, ""),
        *((cells.slammed, SLAM, "#12 KD"), (cells.claimant, SLAM, "Bob (B)")),
        *((cells.slammed, {"discard_no": 12}, "#12"), (cells.slammed, {"card": "KD"}, "KD")),
        *((cells.claimant, {"seat": "B"}, "B"), (cells.claimant, {"name": "Bob"}, "Bob")),
    ],
)
def test_a_cell_summarizes_the_values_in_its_row(
    cell: Callable[[cells.Row], str], row: dict[str, object], text: str
) -> None:
    assert cell(row) == text


@pytest.mark.parametrize(
    "name", ["ended", "notes", "place", "players", "results", "slammed", "claimant", "tie"]
)
def test_a_cell_of_an_empty_row_is_empty(name: str) -> None:
    assert cells.cell(name)({}) == ""


@pytest.mark.parametrize(("tied", "text"), [(True, "by lot"), (False, ""), ("no", "")])
def test_a_claim_decided_by_lot_says_so(tied: object, text: str) -> None:
    assert cells.cell("tie")({"tied": tied}) == text


def test_a_sentence_has_only_the_parts_whose_cells_are_not_empty() -> None:
    template = "{name}, ended {ended}, {card} in hole {hole}, silent for {idle}"
    assert cells.said({"name": "Ann", "ended": "yesterday", "hole": 2}, template) == "Ann, ended yesterday."
    assert cells.said({"idle_ms": 111_000}, template) == "silent for 1 minute."
