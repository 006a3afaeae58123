"""The limit on tables, ids that are used only once, and tables with the same name."""

import pytest

from tests.server.house import House, all_done


@pytest.mark.settings(tables=2)
async def test_the_number_of_tables_is_limited(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await all_done((ann, bob), "create four-turn")
    for line in ("create four-turn", "seek six-card"):
        error = await cid.ask(line)
        assert error["code"] == "TOO_MANY"
        assert "2 tables" in error["message"]
    await bob.done("leave")
    assert (await cid.done("create four-turn"))["table"] == "t3"
    assert list(house.lobby.tables) == ["t1", "t3"]


async def test_five_of_many_tables_with_the_same_name_are_listed(house: House) -> None:
    hosts = await house.programs(*(f"Host{letter}" for letter in "ABCDEFG"))
    await all_done(hosts, "create four-turn name=home")
    zoe = await house.program("Zoe")
    answer = await zoe.ask("watch HOME")
    assert answer["code"] == "NO_SUCH_TABLE"
    assert "t1, t2, t3, t4, t5 and more." in answer["message"]
