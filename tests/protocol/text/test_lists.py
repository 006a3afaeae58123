"""Lists: aligned columns within the width, sentences for screen readers, lines shown unchanged, and their cells."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.engine.cards import Seat
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.replies.replies import Rows
from golfnet.protocol.text import lists
from golfnet.protocol.text.scene import score_card
from golfnet.protocol.text.text import render
from golfnet.protocol.text.typeset import display_width, unpainted
from golfnet.protocol.text.words import Voice

TABLE = {
    **{"table": "t1", "variant": "six-card", "state": "open"},
    **{"seats": 4, "taken": 2, "players": ["Ann", "Bob"]},
}
OTHER = {**TABLE, "table": "t12", "variant": "four-card-knock", "taken": 4, "name": "Friday", "private": True}
USUAL = Settings()
SPEECH = Settings(style=Style.SPEECH)


def said(kind: str, *rows: Any, settings: Settings = USUAL) -> list[str]:
    return render(Rows(kind=kind, rows=rows), settings, you=None).lines


@pytest.mark.parametrize("width", range(32, 80, 3))
def test_the_rules_and_state_of_a_table_are_shown_in_full_at_any_width(width: int) -> None:
    lines = said("tables", TABLE, OTHER | {"state": "playing"}, settings=Settings(width=width))
    assert max(map(len, lines)) <= width
    assert width < 70 or lines[0].index("rules") == lines[1].index("six-card"), "headings are aligned"
    told = " ".join(lines).replace(";", "").split()
    assert {"t1", "six-card", "t12", "four-card-knock", "2/4", "playing"} <= set(told)


def test_a_table_between_holes_is_listed_as_playing_with_seats_shown_once() -> None:
    row = TABLE | {"state": "between", "options": "seats=4 holes=1"}
    assert said("tables", row)[1] == "- t1     six-card  playing  2/4    Ann, Bob  holes=1"
    assert "six-card, playing, 2 of 4 seats taken, holes=1, with" in said("tables", row, settings=SPEECH)[0]
    assert "taken" not in said("tables", {"table": "t1", "seats": 4}, settings=SPEECH)[0]


@pytest.mark.parametrize("settings", [Settings(), SPEECH])
def test_an_empty_list_is_described_by_a_sentence(settings: Settings) -> None:
    assert said("who", settings=settings) == ["= Nobody is here."]
    assert said("other", settings=settings) == ["= There is nothing to list."]
    assert render(Rows(kind="who", rows=(), more=True), settings, you=None).lines == []


def test_match_totals_are_shown_in_full_at_any_width() -> None:
    names = [{"name": f"Player{number}", "kind": "guest"} for number in range(8)]
    totals = {"totals": [*range(100, 108)], "places": [1] * 8}
    match = {"match": "m7", "variant": "four-card-knock", "players": names, **totals}
    for width in range(32, 251, 7):
        told = " ".join(" ".join(said("history", match, settings=replace(USUAL, width=width))).split())
        assert [f"Player{number} 10{number}" in told for number in range(8)] == [True] * 8, width


def test_a_record_is_one_line_of_json_per_row_however_long() -> None:
    hole, cards = {"name": "Bör", "cards": ["7H"] * 50}, ",".join(['"7H"'] * 50)
    assert said("record", hole) == [f'- {{"name":"B\\u00f6r","cards":[{cards}]}}']
    lines = ["x" * 300, '{"format":"golfnet-record/1"}']
    assert said("record", *lines) == [f"- {line}" for line in lines]


def test_rows_of_an_unknown_kind_show_all_their_fields() -> None:
    row = {"by": "B", "reaction_ms": 412, "note": None}
    assert said("other", row) == ["- by: B", "- reaction: 412"]
    assert said("other", row, {"by": "C"}) == ["  by  reaction", "- B   412", "- C"]
    assert said("other", row, settings=SPEECH) == ["- by B, reaction 412."]


NAMES = ("Ann", "Bob", "Cid")


def card(scores: list[list[int]], width: int = 78) -> list[str]:
    totals = list(map(sum, zip(*scores, strict=True)))
    voice = Voice(settings=Settings(), you=Seat(0), names=NAMES)
    return [unpainted(line) for line in score_card(scores, totals, voice, width)]


def test_the_best_total_comes_first_and_equal_totals_share_a_place() -> None:
    places = [line.split()[:2] for line in card([[9, 5, 5], [0, 0, 0]])[1:]]
    assert places == [["1st", "B"], ["1st", "C"], ["3rd", "A"]]


@given(
    holes=st.lists(st.lists(st.integers(-20, 150), min_size=3, max_size=3), min_size=1, max_size=20),
    width=st.integers(38, 250),
)
def test_the_score_card_has_every_score_and_no_line_is_too_wide(holes: list[list[int]], width: int) -> None:
    lines = card(holes, width)
    assert max(map(display_width, lines)) <= width
    heads = [line.split()[1:] for line in lines if line.lstrip().startswith("hole")]
    numbers = [int(number) for head in heads for number in head if number != "total"]
    assert numbers == list(range(1, len(holes) + 1))
    for seat, name in enumerate(NAMES):
        rows = [line.replace(", you", "").split()[3:] for line in lines if f" {name}" in line]
        scores = [hole[seat] for hole in holes]
        assert [int(number) for row in rows for number in row] == [*scores, sum(scores)]


def test_one_point_is_singular_and_a_single_hole_is_not_listed_in_speech() -> None:
    voice = Voice(settings=Settings(style=Style.SPEECH), you=Seat(1), names=NAMES)
    assert score_card([[5, 1, 3]], [5, 1, 3], voice, 78)[0] == "1st: You, 1 point."


# --- cells: values in a few words, even if something is missing or invalid


SEATED = [{"name": "Ann", "kind": "human"}, {"name": "Bob", "kind": "house"}, {"name": "x", "kind": "bot"}]
VALUES = [
    *((None, ""), (True, "yes"), (False, "no"), (31.25, "31.2"), (12, "12"), ("t1", "t1")),
    ({"name": "Ann", "seat": "A"}, "Ann"),
    ({"holes": 9, "lock": True}, "holes=9 lock=yes"),
    (["Ann", {"name": "Bob"}, 3], "Ann, Bob, 3"),
]
TIMES = [(-1, "1969-12-31 23:59"), (951_782_399.9, "2000-02-28 23:59"), (10**15, "1000000000000000")]
THREE = {"players": ["Ann", {"name": "Bob"}, "Cid"], "totals": [9, 3, 3], "places": [3, 1, 1]}


@pytest.mark.parametrize(
    ("name", "row", "text"),
    [
        *(("ended", {"ended": time}, text) for time, text in TIMES),
        ("where", {"table": "t1"}, "t1"),
        ("where", {"table": None, "watching": ["t1", "t2"]}, "watches t1, t2"),
        ("where", {}, "lobby"),
        ("idle", {"idle_ms": 59_999}, ""),
        ("idle", {"idle_ms": None}, ""),
        ("idle", {"idle_ms": 111_000}, "1 minute"),
        ("idle", {"idle_ms": 250_000}, "4 minutes"),
        ("kind", {"kind": "guest", "present": True}, "guest"),
        ("notes", {"private": False, "watchers": 0, "options": ""}, ""),
        ("notes", {"options": {"holes": 18}}, ""),
        ("notes", {"filling": "soon"}, ""),
        ("notes", {"filling": {"ms": 25_000}, "watchers": 1}, "bots in 25 seconds, 1 watching"),
        ("players", {"players": SEATED}, "Ann, Bob (bot), x (bot)"),
        ("players", {"players": [{"name": "easy-bot-2", "kind": "bot"}]}, "easy-bot-2"),
        ("players", {"players": "Ann"}, "Ann"),
        ("results", THREE, "Bob 3, Cid 3, Ann 9"),
        ("results", {"players": ["Ann", "Bob"], "totals": [9], "places": [None, 1]}, ""),
        (
            "results",
            {"players": [{"name": "Ann", "ending": ["left"]}], "totals": [9], "places": [1]},
            "Ann 9",
        ),
        ("results", {"players": SEATED[:2], "totals": [9, 3], "places": [2, 1]}, "Bob (bot) 3, Ann 9"),
        ("results", {"players": "Ann"}, ""),
        *(("tie", {"tied": tied}, text) for tied, text in ((True, "by lot"), (False, ""), ("no", ""))),
        *((name, {}, "") for name in ("ended", "notes", "place", "players", "results")),
        *((name, {}, "") for name in ("slammed", "claimant", "tie")),
        *(("it", {"it": value}, text) for value, text in VALUES),
    ],
)
def test_a_cell_summarizes_the_values_in_its_row(name: str, row: dict[str, object], text: str) -> None:
    assert lists.cell(name)(row) == text


def test_a_sentence_has_only_the_parts_whose_cells_are_not_empty() -> None:
    template = "{name}, ended {ended}, {card} in hole {hole}, silent for {idle}"
    assert lists.said({"name": "Ann", "ended": "yesterday", "hole": 2}, template) == "Ann, ended yesterday."
    assert lists.said({"idle_ms": 111_000}, template) == "silent for 1 minute."
