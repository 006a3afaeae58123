"""Tables: how they are found, how many there may be, and that ids are used only once."""

import pytest

from tests.server.house import House


async def test_a_table_is_found_by_its_id_in_any_spelling(house: House) -> None:
    await house.program("Ann", "create four-turn")
    bob = await house.program("Bob")
    for typed in ("t1", "T1", "1"):
        assert (await bob.done(f"watch {typed}"))["table"] == "t1"


@pytest.mark.settings(tables=2)
async def test_the_number_of_tables_is_limited(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    for program in (ann, bob):
        await program.done("create four-turn")
    for line in ("create four-turn", "seek six-card"):
        error = await cid.ask(line)
        assert error["code"] == "TOO_MANY"
        assert "2 tables" in error["message"]
    await bob.done("leave")
    assert (await cid.done("create four-turn"))["table"] == "t3"
    assert list(house.lobby.tables) == ["t1", "t3"]


async def test_a_table_is_found_by_its_name_in_any_spelling(house: House) -> None:
    await house.program("Ann", "create four-turn name=Home")
    await house.program("Bea", 'create four-turn name="Bea\'s Place"')
    cid = await house.person("Cid")
    for typed in ('"Bea\'s Place"', "Bea's Place", "bea's  PLACE", '"BEA\'S place"'):
        assert "You are watching t2." in await cid.say(f"watch {typed}")
    assert "You are at table t2" in await cid.say("join bea's place")


async def test_a_name_shared_by_several_tables_is_refused_with_their_ids(house: House) -> None:
    hosts = await house.programs(*(f"Host{letter}" for letter in "ABCDEFG"))
    [zoe] = await house.programs("Zoe")
    for host in hosts[:2]:
        await host.done("create four-turn name=Home")
    expected = "Several tables have that name: t1 and t2. Type the id, as in: join t1"
    assert (await zoe.ask("join home"))["message"] == expected
    for host in hosts[2:]:
        await host.done("create four-turn name=home")
    answer = await zoe.ask("watch HOME")
    assert answer["code"] == "NO_SUCH_TABLE"
    assert "t1, t2, t3, t4, t5 and more." in answer["message"]


async def test_an_unknown_table_is_refused_saying_how_to_list_tables(house: House) -> None:
    await house.program("Ann", "create four-turn")
    bob = await house.person("Bob")
    for line, name in (
        *(
            ("join zoe", "zoe"),
            ("join nowhere at all", "nowhere at all"),
            ('watch "t9"', "t9"),
            ('join ""', ""),
        ),
    ):
        answer = " ".join((await bob.say(line)).split())
        assert answer.endswith(f"There is no table {name}. To see all tables, type: tables")


async def test_a_password_typed_after_an_id_is_never_repeated(house: House) -> None:
    bob = await house.person("Bob")
    answer = await bob.say("join t1 sesame")
    assert "sesame" not in answer
    assert "Usage: join TABLE" in answer
