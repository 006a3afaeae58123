"""The line about what is happening, on a server in memory."""

from golfnet.server.operations.overview import open_tables, overview, waited_for, who_is_here
from tests.server.house import open_house


async def test_who_is_here_is_named_in_the_order_of_coming() -> None:
    async with open_house() as house:
        assert overview(house.lobby) == "Nobody is here yet"
        await house.connect()
        assert overview(house.lobby) == "Nobody has given a name yet"
        assert waited_for(house.lobby) == "1 connection"
        people = [await house.person(name) for name in ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay")]
        assert who_is_here(house.lobby) == "6 here: Ann, Ben, Cid, Dan, Eve, Fay"
        await house.person("Gus")
        await house.person("Hal")
        assert who_is_here(house.lobby) == "8 here: Ann, Ben, Cid, Dan, Eve, Fay and 2 more"
        await people[0].say("quit")
        assert waited_for(house.lobby) == "7 players"


async def test_what_is_played_follows_a_few_tables_and_counts_the_others() -> None:
    async with open_house() as house:
        ann, ben = await house.table("six-card seats=2", "Ann", "Ben")
        assert overview(house.lobby) == "2 here: Ann, Ben | t1 six-card, hole 1 of 9"
        cid = await house.person("Cid")
        await cid.say("create cactus seats=3")
        assert overview(house.lobby, " · ").endswith(" · t2 cactus, 1 of 3 seats taken")
        assert open_tables(house.lobby) == 1
        for name in ("Dan", "Eve"):
            other = await house.person(name)
            await other.say("create four-turn seats=2 password=secret")
        assert overview(house.lobby).endswith(" | t3 four-turn, 1 of 2 seats taken | 1 more table")
        assert open_tables(house.lobby) == 1, "nobody sits down at a private table without its password"
        await ann.done("leave")
        await ben.done("leave")
        assert "t1" not in overview(house.lobby)


async def test_a_pause_comes_before_everything() -> None:
    async with open_house() as house:
        await house.person("Ann")
        house.lobby.pause("the disk is full")
        assert overview(house.lobby).startswith("Play is paused")
