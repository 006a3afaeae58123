"""Score cards: places, scores by hole and totals, in one table or in parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.layout import Seat
from golfnet.protocol.commands.settings import Settings, Style
from golfnet.protocol.text.scorecard import score_card, spoken_score_card
from golfnet.protocol.text.typeset import display_width, unpainted
from golfnet.protocol.text.words import Voice

NAMES = ("Ann", "Bob", "Cid")


def card(scores: list[list[int]], width: int = 78) -> list[str]:
    totals = list(map(sum, zip(*scores, strict=True)))
    voice = Voice(settings=Settings(), you=Seat(0), names=NAMES)
    return [unpainted(line) for line in score_card(scores, totals, voice, width)]


def test_the_best_comes_first_and_equal_totals_share_a_place() -> None:
    assert card([[5, -2, 3], [4, 11, 6]]) == [
        "      hole         1  2  total",
        "1st   A Ann, you   5  4      9",
        "1st   B Bob       -2 11      9",
        "1st   C Cid        3  6      9",
    ]
    assert [line.split()[0] for line in card([[9, 5, 5], [0, 0, 0]])[1:]] == ["1st", "1st", "3rd"]


@given(
    holes=st.lists(st.lists(st.integers(-20, 150), min_size=3, max_size=3), min_size=1, max_size=20),
    width=st.integers(38, 250),
)
def test_every_score_stands_in_the_card_and_no_line_is_too_wide(holes: list[list[int]], width: int) -> None:
    lines = card(holes, width)
    assert max(map(display_width, lines)) <= width
    parts = [line for line in lines if line.lstrip().startswith("hole")]
    assert [int(n) for line in parts for n in line.split()[1:] if n != "total"] == list(
        range(1, len(holes) + 1)
    )
    for seat, name in enumerate(NAMES):
        rows = [line for line in lines if f" {name}" in line]
        numbers = [int(n) for line in rows for n in line.replace(", you", "").split()[3:]]
        assert numbers == [*(hole[seat] for hole in holes), sum(hole[seat] for hole in holes)]


def test_a_screen_reader_gets_a_seat_in_a_sentence() -> None:
    voice = Voice(settings=Settings(style=Style.SPEECH), you=Seat(1), names=NAMES)
    assert spoken_score_card([[5, -2, 3], [4, 11, -7]], [9, 9, -4], voice) == [
        "1st: Cid (C), minus 4 points. Holes: 3, minus 7.",
        "2nd: Ann (A), 9 points. Holes: 5, 4.",
        "2nd: You, 9 points. Holes: minus 2, 11.",
    ]
    assert spoken_score_card([[5, 1, 3]], [5, 1, 3], voice)[0] == "1st: You, 1 point."


def test_a_match_without_a_finished_hole_has_totals_only() -> None:
    voice = Voice(settings=Settings(), you=None, names=NAMES)
    assert score_card([], [0, 0, 0], voice, 78)[1] == "1st   A Ann       0"
