"""Which seats are rated, and by which result; the simulation checks the ratings themselves."""

import pytest

from golfnet.storage.results import rated
from golfnet.storage.writes import PlayerKind, Rating, SeatEnding
from tests.storage.rows import match, seat

LEFT, ABSENT, EXCUSED = SeatEnding.LEFT, SeatEnding.ABSENT, SeatEnding.EXCUSED


def new_player(player: str, variant: str, pool: PlayerKind) -> Rating:
    return Rating(player=player, variant=variant, pool=pool)


def test_a_forfeit_is_rated_by_rank_whatever_the_bot_scored() -> None:
    left = match(1, seat(1, 1, ending=LEFT, rank=3), seat(2, 2, rank=1), seat(3, 3, ending=ABSENT, rank=2))
    lost = match(1, seat(1, 3), seat(2, 1), seat(3, 2))
    assert rated(left, new_player) == rated(lost, new_player)
    assert [each.wins for each in rated(left, new_player)] == [0, 1, 0]


@pytest.mark.parametrize(
    "unrated",
    [
        match(1, rated=False),
        match(1, seat(1, 1, ending=LEFT), seat(2, 2, ending=LEFT), finished=False, rated=False),
        match(1, finished=False),
        match(1, seat(1, 2, ending=LEFT), seat(2, 1), finished=False),
        match(1, seat(1, 2, ending=LEFT), seat(2, 1, ending=EXCUSED), finished=False),
        match(1, seat(1, 1), seat(None, 2)),
        match(1, seat(1, 1)),
    ],
    ids=[
        *("not rated", "left and not rated", "abandoned", "abandoned while one played on"),
        *("abandoned while one was excused", "seat without owner", "alone"),
    ],
)
def test_an_unrated_match_changes_nothing(unrated: object) -> None:
    assert rated(unrated, new_player) == ()  # type: ignore[arg-type]


def test_a_player_with_several_seats_is_rated_by_their_mean() -> None:
    ratings = rated(match(1, seat(1, 1), seat(2, 2), seat(1, 3)), new_player)
    assert ratings[0].mu == ratings[1].mu
    assert [(each.player, each.matches, each.wins) for each in ratings] == [("p1", 1, 1), ("p2", 1, 0)]
