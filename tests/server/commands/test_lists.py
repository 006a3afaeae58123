"""How lists are sent to people and programs, and the scoreboard; ``test_listings`` tests their rows."""

import random
from datetime import datetime

import pytest

from golfnet.protocol.errors import Refused
from golfnet.server.commands import lists
from golfnet.server.commands.lists import hour_before
from tests.server.house import House, play_at_random

pytestmark = pytest.mark.settings(clock=0, pause=1)


async def test_people_get_the_rules_in_six_lines_or_in_full_and_programs_always_in_full(house: House) -> None:
    ann, bob = await house.person("Ann"), await house.program("Bob")
    told = (await ann.say("rules six-card")).splitlines()
    assert len(told) == 8
    assert told[-1] == "= To read all the rules, type: rules six-card full"
    whole = await ann.say("rules six-card full")
    assert "- When time runs out" in whole
    for line in ("rules six-card", "rules six-card full"):
        bob.objects.clear()
        await bob.done(line)
        rows = [row for part in bob.objects if part["type"] == "rows" for row in part["rows"]]
        assert [f"- {row}".rstrip() for row in rows] == whole.splitlines()


async def test_rules_without_a_name_shows_the_tables_rules_or_a_list_in_the_lobby(house: House) -> None:
    ann, bob = await house.person("Ann"), await house.program("Bob")
    told = await ann.say("rules")
    assert "- cactus" in told
    assert told.splitlines()[-1] == "= To read the rules of one, type rules and its name."
    assert await bob.codes("rules", "rules short") == ["BAD_ARGUMENT"] * 2
    await ann.say("create cactus holes=3")
    told = await ann.say("rules")
    assert "Cactus (cactus)" in told
    assert told.splitlines()[-1] == "= To read all the rules, type: rules full"
    assert "A match is three holes." in await ann.say("rules full")
    await bob.done("join t1")
    rows = await bob.rows("rules short")
    assert [row.partition(":")[0] for row in rows] == ["Aim", "Start", "Turn", "Cards", "End", "Points"]
    assert "after three holes" in rows[0]
    assert rows[1] == "Start: look at your cards in 3 and 4."


async def test_anybody_can_replay_a_match_or_a_hole(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = await house.table("six-card seats=2 holes=2", "Ann", "Bob")
    eve = await house.person("Eve", "watch t1")
    await play_at_random([ann, bob], random.Random(1))
    whole = (await eve.say("replay")).splitlines()
    assert whole[-1] == "= To read one hole alone, type: replay m1 1"
    assert sum(line.startswith("- Hole ") for line in whole) == 2
    assert whole == (await eve.say("rep 1")).splitlines()
    second = (await eve.say("replay m1 2")).splitlines()
    assert second[2:] == whole[whole.index(second[2]) : whole.index(second[-1]) + 1]
    assert second[2].startswith("- Hole 2 of 2: ")
    assert not any("The match is over" in line for line in second)
    for hole in ("0", "3", "999"):
        assert "m1 has 2 holes. Type: replay m1 1" in await eve.say(f"replay m1 {hole}")
    await ann.done("replay")
    rows = ann.last("rows")
    assert (rows["kind"], rows["more"]) == ("replay", False)
    assert all(isinstance(row, str) and row.isascii() for row in rows["rows"])
    stranger = await house.connect()
    assert "Which match?" in await stranger.say("replay")
    assert "- Match m1, six-card" in await stranger.say("replay m1")
    monkeypatch.setattr(lists, "REPLAY_LINES", 20)
    dan = await house.program("Dan", "replay m1")
    *first, last = dan.last("rows")["rows"]
    assert len(first) == 20
    assert last.startswith("The replay stops here, after 20 lines.")


async def test_the_scoreboard_counts_the_matches_of_people_in_the_last_hours(house: House) -> None:
    eve = await house.person("Eve")
    told = await eve.say("evening")
    assert told == "= No matches were finished in this time.\r\n= 0 matches in the last 12 hours.\r\n"
    await play_at_random(await house.table("four-turn seats=2", "Ann", "Bob"), random.Random(1))
    cid = await house.program("Cid", "create four-turn seats=2", "bot easy", "start")
    await play_at_random([cid], random.Random(1))
    rows = await (await house.program("Dan")).rows("evening")
    players = [row for row in rows if "honour" not in row]
    assert sorted(row["name"] for row in players) == ["Ann", "Bob", "Cid"]
    assert [row["place"] for row in players] == sorted(row["place"] for row in players)
    assert all(row["matches"] == 1 and row["kind"] == "guest" for row in players)
    assert sum(row["wins"] for row in players) >= 1
    assert {row["name"] for row in rows} == {"Ann", "Bob", "Cid"}, "no honour is for a bot"
    [best] = [row for row in rows if row.get("honour") == "best_hole"]
    assert {"name", "match", "variant", "hole", "score"} <= best.keys()
    said = await eve.say("evening")
    assert "  place  name  won  matches  average place  kind" in said
    assert "- Best hole: " in said
    assert "= 2 matches in the last 12 hours." in said
    assert "= 2 matches since " in await eve.say("evening 0")
    await eve.say("set style speech")
    assert "- 1st: " in await eve.say("evening")


def test_a_time_later_than_now_means_yesterday() -> None:
    noon = datetime(2026, 11, 22, 12, 0).timestamp()
    assert hour_before("12:00", noon) == noon
    assert hour_before("9", noon) == datetime(2026, 11, 22, 9).timestamp()
    assert hour_before("20:30", noon) == datetime(2026, 11, 21, 20, 30).timestamp()
    for odd in ("24:00", "12:60", "-1", "noon", ""):
        with pytest.raises(Refused, match="20:00"):
            hour_before(odd, noon)
