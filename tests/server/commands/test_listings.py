"""The lists agree with each other and with their data: no duplicates and nothing missing."""

import json
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
import trio
from hypothesis import given, strategies as st

from golfnet.engine.options import override
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.errors import Code, Refused
from golfnet.server.commands import listings
from golfnet.storage.results import rated
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import FinishMatch, PlayerKind, Rating, SavePlayer, SeatResult
from tests.server.house import House
from tests.storage import rows as stored
from tests.storage.rows import match, player
from tests.storage.test_results import new_player

NAMES = ("Ann", "Ben", "Cem", "Dea")
IDS = {name: f"p{number}" for number, name in enumerate(NAMES, 1)}
VARIETY = list(VARIANTS)[:3]


# --- players and tables


async def a_full_house(house: House) -> None:
    """Set up an open table with bots, one in play, a private one, and people without a table."""
    [ann] = await house.opened("six-card seats=4 holes=3 jokers=4 name=Evening", "Ann")
    await ann.done("bot easy", "bot hard")
    await house.table("cactus seats=2 slam=lot", "Ben", "Cem")
    await house.opened("four-turn password=sesame", "Dea")
    await house.program("Eve", "watch t2")
    await house.connect()  # without a name
    away = await house.program("Fay", "join t1")
    await away.drop()


async def test_everybody_is_listed_once_with_bots_last_and_seats_agree_with_the_tables(house: House) -> None:
    await a_full_house(house)
    tables, players = list(listings.tables(house.lobby)), list(listings.players(house.lobby))
    people = [row["name"] for row in players if row["kind"] != "bot"]
    assert sorted(people) == ["Ann", "Ben", "Cem", "Dea", "Eve", "Fay"]
    assert [row["kind"] == "bot" for row in players] == sorted(row["kind"] == "bot" for row in players)
    by_player = {(row["table"], row["seat"]): row for row in players if row["table"] is not None}
    by_table = {(row["table"], seat["seat"]): seat for row in tables for seat in row["players"]}
    assert by_player.keys() == by_table.keys()
    for at, seat in by_table.items():
        assert by_player[at]["name"] == seat["name"]
        assert by_player[at]["present"] == seat["present"]
        assert (by_player[at]["kind"] == "bot") == (seat["kind"] == "bot")
    assert [row["name"] for row in players if not row["present"]] == ["Fay"]
    await trio.sleep(7)
    idle = {row["name"]: row.get("idle_ms") for row in listings.players(house.lobby)}
    assert (idle["Ann"], idle["Eve"]) == (7000, 7000)
    watching = Counter(table for row in players for table in row.get("watching", ()))
    assert watching == Counter({row["table"]: row["watchers"] for row in tables if row["watchers"]})


async def test_a_row_says_how_full_a_table_is_and_what_its_rules_are(house: House) -> None:
    await a_full_house(house)
    rows = list(listings.tables(house.lobby))
    assert [row["table"] for row in rows] == list(house.lobby.tables)
    for row in rows:
        table = house.lobby.tables[row["table"]]
        assert row["taken"] == len(row["players"]) <= row["seats"]
        options = dict(word.split("=", 1) for word in row["options"].split())
        assert override(VARIANTS[row["variant"]], options) == table.rules
        assert row["host"] in [seat["name"] for seat in row["players"]]
    assert [row["private"] for row in rows] == [False, False, True]
    assert "sesame" not in json.dumps(rows)


# --- matches played


def a_store(*writes: Any) -> MemoryStore:
    """Return a store that contains some players and the given writes."""
    store = MemoryStore()
    store.write([SavePlayer(player(number, name)) for number, name in enumerate(NAMES, 1)])
    store.write(writes)
    return store


@pytest.mark.parametrize("match", ["m9", "9", "", "x", "m", "t1", "../m1"])
def test_an_unknown_match_is_refused(match: str) -> None:
    with pytest.raises(Refused) as refused:
        listings.record(a_store(), match)
    assert refused.value.code is Code.NO_SUCH_MATCH


seats = st.builds(
    stored.seat, st.integers(1, len(NAMES)), st.integers(1, 4), kind=st.sampled_from(PlayerKind)
)
played = st.tuples(st.sampled_from(VARIETY), st.lists(seats, min_size=2, max_size=6))


@given(st.lists(played, max_size=6))
def test_a_ladder_has_each_rated_player_once_best_first_with_separate_pools(
    played: list[tuple[str, list[SeatResult]]],
) -> None:
    finished = [match(number, *seats, variant=variant) for number, (variant, seats) in enumerate(played, 1)]
    store = a_store(*[FinishMatch(each, b"") for each in finished])
    rows = list(listings.ladder(store, VARIANTS, None))
    latest: dict[tuple[str, PlayerKind, str], Rating] = {}

    def current(player: str, variant: str, pool: PlayerKind) -> Rating:
        return latest.get((variant, pool, player), new_player(player, variant, pool))

    for each in finished:
        for rating in rated(each, current):
            latest[rating.variant, rating.pool, rating.player] = rating
    assert len(rows) == len(latest)
    for row in rows:
        rating = latest[row["variant"], row["pool"], IDS[row["name"]]]
        assert row["rating"] == round(rating.points, 1)
        assert (row["matches"], row["wins"]) == (rating.matches, rating.wins)
    ladders = [list(ladder) for _, ladder in groupby(rows, key=lambda row: (row["variant"], row["pool"]))]
    assert len(ladders) == len({key[:2] for key in latest})
    for ladder in ladders:
        assert [row["place"] for row in ladder] == list(range(1, len(ladder) + 1))
        assert [row["rating"] for row in ladder] == sorted([row["rating"] for row in ladder], reverse=True)
