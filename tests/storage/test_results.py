"""Which seats are rated, by which result (the simulation checks the ratings), and what a record says about honours."""

from typing import Any

import msgspec
import pytest

from golfnet.storage.results import BestHole, LuckySlam, MatchHonours, honours_of, rated
from golfnet.storage.writes import MatchResult, PlayerKind, Rating, SeatEnding, SeatKind
from tests.storage.rows import match, seat

LEFT, ABSENT, EXCUSED = SeatEnding.LEFT, SeatEnding.ABSENT, SeatEnding.EXCUSED


def new_player(player: str, variant: str, pool: PlayerKind) -> Rating:
    return Rating(player=player, variant=variant, pool=pool)


def test_a_forfeit_is_rated_by_rank_whatever_the_bot_scored() -> None:
    left = match(1, seat(1, 1, ending=LEFT, rank=3), seat(2, 2, rank=1), seat(3, 3, ending=ABSENT, rank=2))
    lost = match(1, seat(1, 3), seat(2, 1), seat(3, 2))
    assert rated(left, new_player) == rated(lost, new_player)
    assert [each.wins for each in rated(left, new_player)] == [0, 1, 0]


UNRATED = {
    "not rated": match(1, rated=False),
    "left and not rated": match(
        1, seat(1, 1, ending=LEFT), seat(2, 2, ending=LEFT), finished=False, rated=False
    ),
    "abandoned": match(1, finished=False),
    "one played on": match(1, seat(1, 2, ending=LEFT), seat(2, 1), finished=False),
    "one was excused": match(1, seat(1, 2, ending=LEFT), seat(2, 1, ending=EXCUSED), finished=False),
    "seat without owner": match(1, seat(1, 1), seat(None, 2)),
    "alone": match(1, seat(1, 1)),
}


@pytest.mark.parametrize("unrated", UNRATED.values(), ids=UNRATED)
def test_an_unrated_match_changes_nothing(unrated: MatchResult) -> None:
    assert rated(unrated, new_player) == ()


def test_a_rating_is_three_deviations_below_the_estimate_at_first_0() -> None:
    new = Rating(player="p1", variant="cactus", pool=PlayerKind.GUEST)
    assert new.points == pytest.approx(0)
    assert msgspec.structs.replace(new, mu=30.0, sigma=2.0).points == 24


def test_a_player_with_several_seats_is_rated_by_their_mean() -> None:
    ratings = rated(match(1, seat(1, 1), seat(2, 2), seat(1, 3)), new_player)
    assert ratings[0].mu == ratings[1].mu
    assert [(each.player, each.matches, each.wins) for each in ratings] == [("p1", 1, 1), ("p2", 1, 0)]


MATCH = match(1)
"""A match of Player1, who is seat A, and Player2."""


def honours(*events: dict[str, Any], of: MatchResult = MATCH) -> MatchHonours:
    started = {"event": "match_started", "options": {"values": {"K": 10, "2": 2, "*": -2}}}
    lines = [started, {"event": "hole_started", "hole": 1}, *events]
    return honours_of(of, [msgspec.json.encode(line) for line in lines])


def event(name: str, seat: str = "A", **fields: Any) -> dict[str, Any]:
    return {"event": name, "seat": seat, **fields}


def hit(at: str, by: str = "A", card: str = "KS", result: str = "hit") -> dict[str, Any]:
    return {"event": "slammed", "by": by, "at": at, "card": card, "result": result}


def ended(*scores: int, totals: tuple[int, ...]) -> dict[str, Any]:
    return {"event": "hole_ended", "scores": list(scores), "totals": list(totals)}


LUCKY = LuckySlam(10, "Player1", "KS", 1)


@pytest.mark.parametrize(
    ("before", "is_lucky"),
    [
        ([], True),
        ([event("peeked", at=["B3"])], False),
        ([event("peeked", seat="B", at=["B3"])], True),
        ([event("drew"), event("swapped", slot=3), event("switched", at=["A3", "B3"])], False),
        ([event("drew", seat="B"), event("swapped", seat="B", slot=3)], True),
        ([event("took", seat="B"), event("swapped", seat="B", slot=3)], False),
        ([event("peeked", at=["B3"]), event("switched", at=["B3", "B1"])], True),
        ([hit("B3", by="B", result="wrong")], False),
        ([event("peeked", at=["A2"]), event("gave", slot=2, to="B3")], False),
        ([event("gave", slot=2, to="B3")], True),
        ([event("peeked", at=["A9"]), event("penalty", seat="B", slot=3, **{"from": "A9"})], False),
        ([event("peeked", at=["B3"]), event("penalty", seat="B", slot=3, **{"from": None})], True),
        ([event("peeked", at=["B3"]), {"event": "hole_started", "hole": 1}], True),
    ],
)
def test_a_slam_is_lucky_if_the_card_was_unknown(before: list[dict[str, Any]], is_lucky: bool) -> None:
    assert honours(*before, hit("B3")).slam == (LUCKY if is_lucky else None)


def test_the_lucky_slam_with_the_highest_card_counts() -> None:
    assert honours(hit("B1", card="2S"), hit("B3"), hit("B2", card="*")).slam == LUCKY
    assert honours(hit("B1", result="late")).slam is None


def test_the_best_hole_is_the_lowest_score() -> None:
    told = honours(
        ended(4, -2, totals=(4, -2)), {"event": "hole_started", "hole": 2}, ended(-2, 9, totals=(2, 7))
    )
    assert told.best == BestHole(-2, "Player2", 1)
    assert honours({"event": "hole_ended", "scores": None, "totals": [0, 0]}).best is None


@pytest.mark.parametrize(
    ("totals", "name"),
    [([(9, 3), (4, 5)], "Player1"), ([(3, 9), (4, 5)], None), ([(3, 3), (4, 5)], None), ([(9, 3)], None)],
)
def test_a_comeback_is_a_win_from_last_place(totals: list[tuple[int, int]], name: str | None) -> None:
    assert honours(*[ended(0, 0, totals=each) for each in totals]).comeback == name


def test_bots_and_players_who_left_are_not_honoured() -> None:
    events = (hit("B3"), ended(1, 2, totals=(9, 3)), ended(1, 2, totals=(1, 2)))
    for change in ({"kind": SeatKind.BOT}, {"ending": SeatEnding.LEFT}):
        assert honours(*events, of=match(1, seat(1, 1, **change), seat(2, 2, **change))) == MatchHonours()
