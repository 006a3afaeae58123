"""The scoreboard of an evening: who won how many matches in the last hours, or since a given time."""

import random
from datetime import datetime

import pytest
import trio

from golfnet.protocol.errors import Refused
from golfnet.server.commands.evening import EVENING_SECONDS, hour_before
from golfnet.storage.sqlite import MemoryStore
from tests.server.house import House, open_house, play_at_random

pytestmark = pytest.mark.settings(clock=0, pause=1)


async def test_the_scoreboard_counts_the_matches_of_the_last_hours(house: House, no_threads: None) -> None:
    eve = await house.person("Eve")
    told = await eve.say("evening")
    assert told == "= No matches were finished in this time.\r\n= 0 matches in the last 12 hours.\r\n"
    for names in (("Ann", "Bob"), ("Cid", "Ann2")):
        await play_at_random(await house.table("four-turn seats=2", *names), random.Random(1))
    dan = await house.program("Dan", "evening")
    rows = dan.last("rows")["rows"]
    players = [row for row in rows if "honour" not in row]
    assert sorted(row["name"] for row in players) == ["Ann", "Ann2", "Bob", "Cid"]
    assert [row["place"] for row in players] == sorted(row["place"] for row in players)
    assert all(row["matches"] == 1 and row["kind"] == "guest" for row in players)
    assert sum(row["wins"] for row in players) >= 2
    [best] = [row for row in rows if row.get("honour") == "best_hole"]
    assert {"name", "match", "variant", "hole", "score"} <= best.keys()
    said = await eve.say("evening")
    assert "  place  name  won  matches  average place  kind" in said
    assert "- Best hole: " in said
    assert "= 2 matches in the last 12 hours." in said
    assert "= 2 matches since " in await eve.say("evening 0")
    await eve.say("set style speech")
    assert "- 1st: " in await eve.say("evening")


async def test_an_evening_continues_after_a_restart_and_ends_after_its_hours(
    autojump_clock: object, no_threads: None
) -> None:
    store = MemoryStore()
    async with open_house(store=store, clock=0, pause=1) as house:
        await play_at_random(await house.table("four-turn seats=2", "Ann", "Bob"), random.Random(1))
    async with open_house(store=store, clock=0, pause=1) as house:
        dan = await house.program("Dan")
        assert (await dan.done("evening"))["note"] == "1 match in the last 12 hours."
        assert [row["name"] for row in dan.last("rows")["rows"] if "place" in row] != []
        await trio.sleep(EVENING_SECONDS + 60)
        eli = await house.program("Eli")
        assert (await eli.done("evening"))["note"] == "0 matches in the last 12 hours."
        assert eli.last("rows")["rows"] == []


async def test_bots_are_not_on_the_scoreboard(house: House, no_threads: None) -> None:
    [ann] = await house.opened("four-turn seats=3", "Ann")
    await ann.done("bot easy")
    await ann.done("bot easy")
    await ann.done("start")
    await play_at_random([ann], random.Random(1))
    [board, *honours] = await ann.rows("evening")
    assert (board["name"], board["place"], board["matches"]) == ("Ann", 1, 1)
    assert {row["name"] for row in honours} == {"Ann"}


async def test_a_given_time_means_its_last_occurrence_on_the_servers_clock(
    house: House, no_threads: None
) -> None:
    await play_at_random(await house.table("four-turn seats=2", "Ann", "Bob"), random.Random(1))
    dan = await house.program("Dan")
    now = datetime.fromtimestamp(house.lobby.wall_clock())
    later = (now.hour * 60 + now.minute + 2) % 1440
    within_the_minute = await dan.rows(f"evening {now.hour}:{now.minute:02}")
    assert len(await dan.rows(f"evening {later // 60}:{later % 60:02}")) >= len(within_the_minute)
    await trio.sleep(3600)
    dan = await house.program("Eli")
    now = datetime.fromtimestamp(house.lobby.wall_clock())
    assert (await dan.rows(f"evening {now.hour}:{now.minute:02}")) == []
    assert (await dan.ask("evening soon"))["code"] == "BAD_ARGUMENT"


def test_a_time_later_than_now_means_yesterday() -> None:
    noon = datetime(2026, 11, 22, 12, 0).timestamp()
    assert hour_before("12:00", noon) == noon
    assert hour_before("9", noon) == datetime(2026, 11, 22, 9).timestamp()
    assert hour_before("20:30", noon) == datetime(2026, 11, 21, 20, 30).timestamp()
    for odd in ("24:00", "12:60", "-1", "noon", ""):
        with pytest.raises(Refused, match="20:00"):
            hour_before(odd, noon)
