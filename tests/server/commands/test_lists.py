"""Lists as they are answered; ``test_listings`` looks at their rows."""

import random

from tests.server.house import open_house, play_at_random


async def test_who_and_tables_say_who_is_where(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
        eve = await house.program("Eve")
        await eve.done("watch t1")
        await bob.drop()
        await ann.done("who")
        rows = {row["name"]: row for row in ann.last("rows")["rows"]}
        assert (rows["Ann"]["table"], rows["Ann"]["seat"], rows["Ann"]["present"]) == ("t1", "A", True)
        assert (rows["Bob"]["seat"], rows["Bob"]["present"], rows["Bob"]["idle_ms"]) == ("B", False, None)
        assert (rows["Eve"]["table"], rows["Eve"]["watching"]) == (None, ["t1"])
        await ann.done("tables")
        [row] = ann.last("rows")["rows"]
        assert (row["watchers"], row["state"], row["variant"]) == (1, "playing", "four-turn")


async def test_history_lists_the_player_s_matches_those_of_a_table_or_everybody_s(
    autojump_clock: object,
) -> None:
    async with open_house(clock=0, pause=1) as house:
        for names in (("Ann", "Bob"), ("Cid", "Dan")):
            await play_at_random(await house.table("four-turn seats=2", *names), random.Random(1))
        eve = await house.program("Eve")

        async def listed(line: str) -> list[str]:
            await eve.done(line)
            return [row["table"] for row in eve.last("rows")["rows"]]

        assert await listed("history") == []
        assert await listed("history t1") == ["t1"]
        assert await listed("history all") == ["t2", "t1"]
        assert await listed("history ALL") == ["t2", "t1"]
