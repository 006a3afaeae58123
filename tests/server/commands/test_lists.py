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
    for setting in ("width 50", "prefix off", "style speech"):
        await bob.done(f"set {setting}")  # the others are for people
    for line in ("rules six-card", "help rated"):
        assert max(map(len, await bob.rows(line))) in range(40, 49)


async def test_programs_get_a_replay_in_plain_rows_up_to_a_limit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = await house.table("six-card seats=2 holes=2", "Ann", "Bob")
    await play_at_random([ann, bob], random.Random(1))
    await ann.done("replay")
    rows = ann.last("rows")
    assert (rows["kind"], rows["more"]) == ("replay", False)
    assert all(isinstance(row, str) and row.isascii() for row in rows["rows"])
    monkeypatch.setattr(lists, "REPLAY_LINES", 20)
    *first, last = await bob.rows("replay m1")
    assert first == rows["rows"][:20]
    assert last.startswith("The replay stops here, after 20 lines.")


def test_a_time_later_than_now_means_yesterday() -> None:
    noon = datetime(2026, 11, 22, 12, 0).timestamp()
    assert hour_before("12:00", noon) == noon
    assert hour_before("9", noon) == datetime(2026, 11, 22, 9).timestamp()
    assert hour_before("20:30", noon) == datetime(2026, 11, 21, 20, 30).timestamp()
    for odd in ("24:00", "12:60", "-1", "noon", ""):
        with pytest.raises(Refused, match="20:00"):
            hour_before(odd, noon)
