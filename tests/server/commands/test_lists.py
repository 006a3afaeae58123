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
    assert len((await ann.say("rules six-card")).splitlines()) == 8
    whole = await ann.say("rules six-card full")
    assert "- When time runs out" in whole
    for line in ("rules six-card", "rules six-card full"):
        bob.objects.clear()
        await bob.done(line)
        rows = [row for part in bob.objects if part["type"] == "rows" for row in part["rows"]]
        assert [f"- {row}".rstrip() for row in rows] == whole.splitlines()
    await bob.done("set width 50")
    for line in ("rules six-card", "help rated"):
        assert max(map(len, await bob.rows(line))) in range(40, 49)


async def test_rules_without_a_name_shows_a_program_the_rules_of_its_table(house: House) -> None:
    bob = await house.program("Bob")
    assert await bob.codes("rules", "rules short") == ["BAD_ARGUMENT"] * 2
    await bob.done("create cactus holes=3")

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


def test_a_time_later_than_now_means_yesterday() -> None:
    noon = datetime(2026, 11, 22, 12, 0).timestamp()
    assert hour_before("12:00", noon) == noon
    assert hour_before("9", noon) == datetime(2026, 11, 22, 9).timestamp()
    assert hour_before("20:30", noon) == datetime(2026, 11, 21, 20, 30).timestamp()
    for odd in ("24:00", "12:60", "-1", "noon", ""):
        with pytest.raises(Refused, match="20:00"):
            hour_before(odd, noon)
