"""List cells: values in a few words, even if something is missing or invalid."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.text import lists


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
    assert lists.plain(value) == lists.cell("it")({"it": value}) == text


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_times_agree_with_the_calendar(seconds: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert lists.cell("ended")({"ended": seconds}) == f"{moment.year}-{moment:%m-%d %H:%M}"


SEATED = [{"name": "Ann", "kind": "human"}, {"name": "Bob", "kind": "house"}, {"name": "x", "kind": "bot"}]
THREE = {"players": ["Ann", {"name": "Bob"}, "Cid"], "totals": [9, 3, 3], "places": [3, 1, 1]}


@pytest.mark.parametrize(
    ("name", "row", "text"),
    [
        ("where", {"table": "t1"}, "t1"),
        ("where", {"table": None, "watching": ["t1", "t2"]}, "watches t1, t2"),
        ("where", {}, "lobby"),
        ("idle", {"idle_ms": 59_999}, ""),
        ("idle", {"idle_ms": None}, ""),
        ("idle", {"idle_ms": 111_000}, "1 minute"),
        ("idle", {"idle_ms": 250_000}, "4 minutes"),
        ("kind", {"kind": "guest", "present": True}, "guest"),
        ("taken_seats", {"seats": "2-8"}, "2-8"),
        ("notes", {"private": False, "watchers": 0, "options": ""}, ""),
        ("notes", {"options": {"holes": 18}}, ""),
        ("notes", {"filling": "soon"}, ""),
        ("notes", {"filling": {"ms": 25_000}, "watchers": 1}, "bots in 25 seconds, 1 watching"),
        ("players", {"players": SEATED}, "Ann, Bob (bot), x (bot)"),
        ("players", {"players": [{"name": "easy-bot-2", "kind": "bot"}]}, "easy-bot-2"),
        ("players", {"players": "Ann"}, ""),
        ("results", THREE, "Bob 3, Cid 3, Ann 9"),
        ("results", {"players": ["Ann", "Bob"], "totals": [9], "places": [None, 1]}, "Bob, Ann 9"),
        ("results", {"players": SEATED[:2], "totals": [9, 3], "places": [2, 1]}, "Bob (bot) 3, Ann 9"),
        ("results", {"players": "Ann"}, ""),
        *(("slammed", {"discard_no": 12}, "#12"), ("slammed", {"card": "KD"}, "KD")),
        *(("claimant", {"seat": "B"}, "B"), ("claimant", {"name": "Bob"}, "Bob")),
        *(("tie", {"tied": tied}, text) for tied, text in ((True, "by lot"), (False, ""), ("no", ""))),
        *((name, {}, "") for name in ("ended", "notes", "place", "players", "results")),
        *((name, {}, "") for name in ("slammed", "claimant", "tie")),
    ],
)
def test_a_cell_summarizes_the_values_in_its_row(name: str, row: dict[str, object], text: str) -> None:
    assert lists.cell(name)(row) == text


def test_a_sentence_has_only_the_parts_whose_cells_are_not_empty() -> None:
    template = "{name}, ended {ended}, {card} in hole {hole}, silent for {idle}"
    assert lists.said({"name": "Ann", "ended": "yesterday", "hole": 2}, template) == "Ann, ended yesterday."
    assert lists.said({"idle_ms": 111_000}, template) == "silent for 1 minute."
