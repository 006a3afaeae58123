"""Thousands of slams: equally fast people win equally often over any connection, and no trick helps."""

import pytest

from tests.server.slam_lines import Way
from tests.server.slam_races import OTHERS, ROWS, TOLERANCE, Player, Row, is_bounded, play, race

BY_NAME = {row.name: row for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_nobody_appears_faster_or_slower_than_the_round_trip_rule_allows(row: Row) -> None:
    outcome = play(row, cards=150)
    assert is_bounded(row, outcome), outcome.error(-1)
    assert sum(outcome.judged) == outcome.cards == 150, "somebody is judged first for every card"


@pytest.mark.parametrize(
    "name",
    [
        "48 ms",
        "40 ms, varies by 10 each way",
        "40 ms, reporting proxy",
        "answers 0 to 150 ms late",
        "the same, frozen on slams",
        "everything but slams 100 ms late",
    ],
)
def test_honest_players_and_cheats_win_as_often_as_with_a_perfect_clock(name: str) -> None:
    outcome = play(BY_NAME[name], cards=500)
    for seat in range(4):
        assert abs(outcome.share(seat) - outcome.fair_share(seat)) <= TOLERANCE
    assert outcome.right >= 0.8 * outcome.cards, "up to the lot for ties, which a perfect clock also needs"


@pytest.mark.parametrize("name", ["program, 5 ms, at 60 ms", "program, 100 ms, at 2 ms"])
def test_a_program_faster_than_humanly_possible_wins_nothing(name: str) -> None:
    outcome = play(BY_NAME[name], cards=100)
    assert (outcome.share(-1), outcome.false_starts[-1]) == (0, 100)


@pytest.mark.parametrize("jitter", [0.0, 10.0, 30.0])
@pytest.mark.parametrize("one_way", [2, 40, 48, 120])
def test_an_honest_fast_person_makes_no_false_start_on_any_connection(one_way: float, jitter: float) -> None:
    quick = Player(Way(down=one_way, up=one_way, jitter=min(jitter, one_way)), 160, 0.05)
    outcome = race([*OTHERS, quick], cards=150)
    assert outcome.false_starts[-1] == 0
