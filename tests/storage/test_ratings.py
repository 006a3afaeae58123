from __future__ import annotations

import pytest

from golfnet.storage.results import START_MU, START_SIGMA, new_rating, rated
from golfnet.storage.writes import PlayerKind, Rating, SeatEnding
from tests.storage.rows import ACCOUNT, BOT, GUEST, match, seat

LEFT, ABSENT, EXCUSED = SeatEnding.LEFT, SeatEnding.ABSENT, SeatEnding.EXCUSED


def unrated_player(player: str, variant: str, pool: PlayerKind) -> Rating | None:
    return None


def mu(ratings: tuple[Rating, ...]) -> dict[str, float]:
    return {rating.player: rating.mu for rating in ratings}


def test_ratings_rise_with_better_places_and_are_equal_for_shared_ones() -> None:
    ratings = mu(rated(match(1, seat(1, 3), seat(2, 1), seat(3, 2)), unrated_player))
    assert ratings["p2"] > ratings["p3"] > ratings["p1"]
    assert ratings["p2"] > START_MU > ratings["p1"]
    shared = mu(rated(match(1, seat(1, 1), seat(2, 1), seat(3, 3)), unrated_player))
    assert shared["p1"] == shared["p2"] > shared["p3"]


def test_certainty_grows_with_each_match() -> None:
    known: dict[str, Rating] = {}
    for number in range(1, 4):
        for rating in rated(match(number), lambda player, *_: known.get(player)):
            assert rating.sigma < (known[rating.player].sigma if number > 1 else START_SIGMA)
            known[rating.player] = rating
    assert [known["p1"].matches, known["p1"].wins, known["p2"].wins] == [3, 3, 0]
    assert known["p1"].points > known["p2"].points


def test_each_kind_of_player_is_rated_separately() -> None:
    mixed = match(
        1, seat(1, 1), seat(2, 4), seat(3, 2, kind=GUEST), seat(4, 3, kind=GUEST), seat(5, 5, kind=BOT)
    )
    ratings = rated(mixed, unrated_player)
    assert {rating.player: rating.pool for rating in ratings} == {
        **dict.fromkeys(("p1", "p2"), ACCOUNT),
        **dict.fromkeys(("p3", "p4"), GUEST),
    }
    alone = rated(match(1, seat(3, 2, kind=GUEST), seat(4, 3, kind=GUEST)), unrated_player)
    assert [each.mu for each in ratings if each.pool is GUEST] == [each.mu for each in alone]


def test_a_forfeit_is_rated_by_rank_whatever_the_bot_scored() -> None:
    left = match(1, seat(1, 1, ending=LEFT, rank=3), seat(2, 2, rank=1), seat(3, 3, ending=ABSENT, rank=2))
    lost = match(1, seat(1, 3), seat(2, 1), seat(3, 2))
    assert rated(left, unrated_player) == rated(lost, unrated_player)
    assert [each.wins for each in rated(left, unrated_player)] == [0, 1, 0]


def test_a_match_that_everyone_has_left_counts() -> None:
    seats = (seat(1, 1, ending=LEFT, rank=2), seat(2, 1, ending=LEFT, rank=1))
    ratings = mu(rated(match(1, *seats, finished=False), unrated_player))
    assert ratings["p2"] > START_MU > ratings["p1"]


def test_an_excused_player_is_not_rated_and_the_others_are() -> None:
    alone = rated(match(1, seat(2, 1), seat(3, 2)), unrated_player)
    assert rated(match(1, seat(1, 3, ending=EXCUSED), seat(2, 1), seat(3, 2)), unrated_player) == alone
    assert rated(match(1, seat(1, 2, ending=EXCUSED), seat(2, 1)), unrated_player) == ()


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
    assert rated(unrated, unrated_player) == ()  # type: ignore[arg-type]


def test_a_player_with_several_seats_is_rated_by_their_mean() -> None:
    ratings = rated(match(1, seat(1, 1), seat(2, 2), seat(1, 3)), unrated_player)
    assert mu(ratings)["p1"] == mu(ratings)["p2"]
    assert {rating.player: (rating.matches, rating.wins) for rating in ratings} == {
        "p1": (1, 1),
        "p2": (1, 0),
    }


def test_a_new_player_is_not_yet_on_a_ladder() -> None:
    assert new_rating("p1", "cactus", ACCOUNT).points == pytest.approx(0)
