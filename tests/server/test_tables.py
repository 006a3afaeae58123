"""Which tables there are: finding one to play at, how many, and numbers that are given once."""

import gc

import pytest
import trio

from golfnet.protocol.errors import Refused
from golfnet.server.net.hub_transport import HubTransport
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.storage.sqlite import MemoryStore
from tests.server.house import House, Program, open_house


async def named(house: House, *names: str) -> list[Program]:
    return [await house.program(name) for name in names]


@pytest.mark.parametrize("typed", ["t1", "T1", "1"])
async def test_a_table_is_found_by_its_id_however_it_is_typed(autojump_clock: object, typed: str) -> None:
    async with open_house() as house:
        [ann] = await named(house, "Ann")
        await ann.done("create four-turn")
        tables = house.lobby.tables
        assert tables.named(typed) is tables["t1"]
        with pytest.raises(Refused, match="no table t2"):
            tables.named("t2")


async def test_there_are_so_many_tables_and_no_more(autojump_clock: object) -> None:
    async with open_house(tables=2) as house:
        ann, bob, cid = await named(house, "Ann", "Bob", "Cid")
        for program in (ann, bob):
            await program.done("create four-turn")
        for line in ("create four-turn", "seek six-card"):
            error = await cid.ask(line)
            assert error["code"] == "TOO_MANY"
            assert "2 tables" in error["message"]
        await bob.done("leave")
        assert (await cid.done("create four-turn"))["table"] == "t3"
        assert list(house.lobby.tables) == ["t1", "t3"]


async def test_no_number_is_given_twice_not_even_after_a_restart(autojump_clock: object) -> None:
    store = MemoryStore()
    matches = []
    for number in (1, 2, 3):
        async with open_house(store=store) as house:
            [ann] = await named(house, f"Ann{number}")
            assert (await ann.done("create four-turn"))["table"] == f"t{number}"
            matches.append(house.lobby.tables[f"t{number}"].match.id)
            await ann.done("leave")
            assert not house.lobby.tables
            assert not list(store.tables())
    assert matches == ["m1", "m2", "m3"]


@pytest.mark.usefixtures("each_transport")
async def test_nothing_is_kept_of_connections_and_tables_that_are_gone(autojump_clock: object) -> None:
    def alive() -> list[object]:
        gc.collect()
        return [one for one in gc.get_objects() if isinstance(one, Session | Table | Player | HubTransport)]

    async with open_house() as house:
        before = len(alive())
        programs = await house.table("cactus seats=2 holes=1 clock=30", "Ann", "Bob")
        eve, tom = await house.program("Eve"), await house.person("Tom")
        await eve.done("watch t1")
        await tom.say("watch t1")
        for program in programs:
            await program.done("peek 3 4")
            await program.done("leave")
        await eve.done("create four-turn seats=3 fill=1 level=hard")
        await trio.sleep(20)
        assert len(alive()) > before
        for peer in (*programs, eve, tom):
            await peer.drop()
        await trio.sleep(3600)  # the house ends the match
        assert len(alive()) == before


@pytest.mark.parametrize("typed", ['"Bea\'s Place"', "Bea's Place", "bea's  PLACE", '"BEA\'S place"'])
@pytest.mark.parametrize("verb", ["join", "watch"])
async def test_a_table_is_found_by_its_name_however_it_is_typed(
    autojump_clock: object, verb: str, typed: str
) -> None:
    async with open_house() as house:
        [ann] = await named(house, "Ann")
        await ann.done("create four-turn name=Home")
        bea, cid = await house.program("Bea"), await house.person("Cid")
        await bea.done('create four-turn name="Bea\'s Place"')
        assert "t2" in await cid.say(f"{verb} {typed}")
        await cid.say("say hello")
        await bea.poll()
        assert bea.last("chat")["from"] == "Cid"


async def test_a_name_that_several_tables_have_is_refused_with_their_ids(autojump_clock: object) -> None:
    async with open_house() as house:
        hosts = await named(house, *(f"Host{letter}" for letter in "ABCDEFG"))
        [zoe] = await named(house, "Zoe")
        for host in hosts[:2]:
            await host.done("create four-turn name=Home")
        expected = "Several tables have that name: t1 and t2. Type the id, as in: join t1"
        assert (await zoe.ask("join home"))["message"] == expected
        for host in hosts[2:]:
            await host.done("create four-turn name=home")
        answer = await zoe.ask("watch HOME")
        assert answer["code"] == "NO_SUCH_TABLE"
        assert "t1, t2, t3, t4, t5 and more." in answer["message"]


@pytest.mark.parametrize("typed", ["zoe", "nowhere at all", "t9"])
async def test_what_no_table_is_called_is_refused_with_how_to_see_them_all(
    autojump_clock: object, typed: str
) -> None:
    async with open_house() as house:
        [ann] = await named(house, "Ann")
        await ann.done("create four-turn")
        bob = await house.person("Bob")
        for line in (f"join {typed}", f'watch "{typed}"', 'join ""'):
            name = typed if typed in line else ""
            answer = " ".join((await bob.say(line)).split())
            assert answer.endswith(f"There is no table {name}. To see all tables, type: tables")


async def test_a_password_behind_an_id_is_never_repeated(autojump_clock: object) -> None:
    async with open_house() as house:
        bob = await house.person("Bob")
        answer = await bob.say("join t1 sesame")
        assert "sesame" not in answer
        assert "Usage: join TABLE" in answer
