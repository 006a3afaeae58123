"""A node that stops gives its tables away first: with the clocks, the cards in hand, and everybody who is there."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.server.ownership.giving import TOGETHER_SECONDS
from golfnet.server.table.arrivals import ARRIVE_SECONDS
from tests.server.cluster import Cluster, open_cluster, playing
from tests.server.house import Program, play_at_random

if TYPE_CHECKING:
    from golfnet.server.table.table import Table

MOVED = TOGETHER_SECONDS + 1.0


def at(cluster: Cluster, table: str) -> tuple[int, Table]:
    """Return the one node that has a table, and the table there."""
    ((number, found),) = [
        (number, node.lobby.tables[table])
        for number, node in cluster.nodes.items()
        if table in node.lobby.tables
    ]
    return number, found


def kinds(program: Program, since: int) -> list[str]:
    """Return the notices and table events that a program was told, by code and name."""
    return [str(thing.get("code") or thing.get("event")) for thing in program.objects[since:]]


async def test_a_match_goes_on_at_another_node_and_nobody_was_away(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        programs, table = await playing(cluster, "four-turn", "Ann", "Ben", "Cid")
        marks = [len(program.objects) for program in programs]
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        assert at(cluster, table)[0] != 1
        for program, mark in zip(programs, marks, strict=True):
            await program.poll()
            told = kinds(program, mark)
            assert "MOVING" in told
            assert program.last("view")["table"] == table
            assert not {"dropped", "returned", "left"} & set(told), told
        await play_at_random(programs, random.Random(1))
        assert not any({"dropped", "returned"} & set(kinds(each, 0)) for each in programs)


async def test_who_holds_a_card_holds_it_afterwards_with_the_rest_of_the_clock(
    autojump_clock: object,
) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, ben), _ = await playing(cluster, "six-card clock=60", "Ann", "Ben")
        for program in (ann, ben):
            if "flip 1 2" in program.last("prompt")["actions"]:
                await program.done("flip 1 2")
        mover = await mover_of(ann, ben)
        await mover.done("draw")
        await mover.done("look")
        drawn = mover.last("view")["drawn"]
        assert drawn
        await trio.sleep(20)
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        await mover.poll()
        view = mover.last("view")
        assert view["drawn"] == drawn
        left = mover.last("prompt")["ms"]
        assert 39_000 - 1000 * MOVED < left <= 40_000
        await trio.sleep(left / 1000 - MOVED - 1)
        await mover.poll()
        assert not mover.events("timed_out")
        await trio.sleep(MOVED + 1)
        await mover.poll()
        assert mover.events("timed_out")


async def mover_of(*programs: Program) -> Program:
    for program in programs:
        await program.poll()
        if "draw" in program.last("prompt")["actions"]:
            return program
    raise AssertionError("nobody may draw")


async def test_whoever_is_away_has_no_more_grace_than_before(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True, grace=60) as cluster:
        (ann, ben, _), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben", "Cid")
        await ben.drop()
        await trio.sleep(40)
        cluster[1].lobby.drain()
        await trio.sleep(10)
        await ann.poll()
        assert not ann.events("house_plays")
        await trio.sleep(11)
        await ann.poll()
        assert ann.events("house_plays")[-1]["seat"] == "B"
        assert at(cluster, table)[0] != 1


async def test_who_does_not_follow_is_dropped_by_the_server_and_excused(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, ben), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        cluster.is_cut = True  # nobody can go to node 2 but who is there
        cluster[1].lobby.drain()
        await trio.sleep(MOVED + ARRIVE_SECONDS)
        await ben.poll()
        (dropped,) = ben.events("dropped")
        assert (dropped["seat"], dropped["cause"]) == ("A", "restart")
        await trio.sleep(20)
        await ann.poll()
        assert (ann.last("bye")["code"], ann.is_closed) == ("MOVED", True)
        again = await cluster[2].program()
        assert (await again.done(f"resume {ann.token}"))["table"] == table


async def test_watchers_follow_and_are_not_announced_again(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        (ann, *_), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        eve, fay = await cluster[1].program("Eve"), await cluster[3].program("Fay")
        for watcher in (eve, fay):
            await watcher.done(f"watch {table}")
        await ann.poll()
        mark = len(ann.objects)
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        for watcher in (eve, fay):
            await watcher.poll()
            assert watcher.last("view")["table"] == table
            assert (await watcher.done("say well played"))["type"] == "ok"
        await ann.poll()
        assert not {"watching", "left"} & set(kinds(ann, mark))
        await eve.poll()
        assert eve.last("chat")["from"] == "Fay"


async def test_who_was_sent_away_stays_away(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, _), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        eve = await cluster[2].program("Eve")
        await eve.done(f"watch {table}")
        await ann.done("kick Eve")
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        assert (await eve.ask(f"watch {table}"))["type"] == "error"


async def test_what_is_sent_on_the_way_is_carried_out_there_in_order(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        programs, _ = await playing(cluster, "four-turn clock=0", "Ann", "Ben", "Cid")
        cluster.delay = 0.05
        cluster[1].lobby.drain()
        for number in range(1, 60):
            for program in programs:
                await program.send(f"{number} ping {number}")
            await trio.sleep(0.02)
        await trio.sleep(3)
        for program in programs:
            await program.poll()
            answered = [thing["id"] for thing in program.objects if "id" in thing]
            assert answered[-59:] == [*range(1, 60)]


@pytest.mark.parametrize("mode", ["race", "order"])
async def test_a_table_moves_between_two_slam_windows(autojump_clock: object, mode: str) -> None:
    async with open_cluster(2, looking=True) as cluster:
        programs, table = await playing(cluster, f"cactus slam={mode} clock=0", "Ann", "Ben")
        home = cluster[1].lobby.tables[table]
        chance = random.Random(1)
        for _ in range(200):
            for program in programs:
                await program.poll()
                prompt = program.last("prompt")
                if prompt["actions"] and home.can_move:
                    await program.ask(chance.choice(prompt["actions"]))
            if not home.can_move:
                break
        assert not home.can_move
        cluster[1].lobby.drain()
        await trio.sleep(TOGETHER_SECONDS + 0.5)
        assert at(cluster, table)[0] == 1
        await trio.sleep(13)
        assert at(cluster, table)[0] == 2


async def test_an_open_table_keeps_its_seats_and_its_password(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        ann = await cluster[1].program("Ann")
        table = (await ann.done("create four-turn seats=3 password=secret"))["table"]
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        ben = await cluster[2].program("Ben")
        assert (await ben.ask(f"join {table}"))["type"] == "error"
        await ben.done(f"join {table} password=secret")
        await ann.done("ready")
        await ben.done("ready")
        assert at(cluster, table)[0] == 2


async def test_several_tables_go_to_those_who_have_the_fewest(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        for number, count in ((1, 7), (2, 3)):
            for each in range(count):
                host = await cluster[number].program(f"Ann{number}x{each}")
                await host.done("create four-turn")
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        assert [len(cluster[number].lobby.tables) for number in (1, 2, 3)] == [0, 5, 5]


async def test_nodes_that_stop_together_give_each_other_nothing(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, _), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        for number in (1, 2):
            cluster[number].lobby.drain()
        await trio.sleep(MOVED)
        assert at(cluster, table)[0] == 1
        await ann.poll()
        assert "MOVING" not in kinds(ann, 0)
        assert cluster[1].lobby.given_away.is_set()


async def test_a_table_is_given_on_once_its_people_have_come(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        ann = await cluster[1].program("Ann")
        table = (await ann.done("create four-turn"))["table"]
        cluster.is_cut = True  # she is on the way until it is not
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        heir, _ = at(cluster, table)
        cluster[heir].lobby.drain()
        await trio.sleep(MOVED)
        assert at(cluster, table)[0] == heir
        cluster.is_cut = False
        await trio.sleep(MOVED)
        number, found = at(cluster, table)
        assert number not in (1, heir)
        assert [player.session is not None for player in found.seating.owners] == [True]
        await ann.poll()
        assert ann.last("view")["table"] == table
        assert not {"dropped", "returned", "left"} & set(kinds(ann, 0))


async def test_who_waits_for_others_sees_the_table_before_anything_happens_there(
    autojump_clock: object,
) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (_, ben, cid), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben", "Cid")
        await cid.drop()
        await ben.poll()
        mark = len(ben.objects)
        cluster.is_cut = True  # Ann is at node 1, and on the way until it is not
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        assert at(cluster, table)[1].is_arriving
        back = await cluster[2].program()
        await back.done(f"resume {cid.token}")
        await ben.poll()
        told = [thing["type"] for thing in ben.objects[mark:] if thing["type"] in ("view", "event")]
        assert told[0] == "view"
        assert "returned" in kinds(ben, mark)


async def test_a_table_whose_new_node_dies_on_the_way_is_taken_by_another(autojump_clock: object) -> None:
    async with open_cluster(3, looking=True) as cluster:
        (ann, ben), table = await playing(cluster, "four-turn clock=60", "Ann", "Ben")
        del ben
        cluster[1].lobby.drain()
        await trio.sleep(TOGETHER_SECONDS + 0.001)
        assert table not in cluster[1].lobby.tables
        heir = cluster.state.owners[table]
        assert heir is not None
        cluster.nodes[heir].die()
        await trio.sleep(8)
        other = ({2, 3} - {heir}).pop()
        assert table in cluster[other].lobby.tables
        await ann.poll()
        assert ann.last("view")["table"] == table


async def test_a_node_that_drains_lets_others_open_tables(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        ann = await cluster[1].program("Ann")
        cluster[1].lobby.drain()
        await trio.sleep(MOVED)
        table = (await ann.done("create four-turn"))["table"]
        assert at(cluster, table)[0] == 2
        eve = await cluster[1].program("Eve")
        await eve.done("seek four-turn")
        assert at(cluster, table)[1].seating.has_humans


async def test_the_drain_is_over_when_the_last_connection_has_gone(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, ben), _ = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        del ben
        lobby = cluster[1].lobby
        lobby.drain()
        await trio.sleep(MOVED)
        assert lobby.given_away.is_set()
        assert not lobby.emptied.is_set()  # Ann is relayed
        await ann.drop()
        await trio.sleep(0.1)
        assert lobby.emptied.is_set()


async def test_who_comes_in_at_the_old_node_has_its_seat_at_the_new_one(autojump_clock: object) -> None:
    async with open_cluster(2, looking=True) as cluster:
        (ann, ben), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
        del ben
        await ann.drop()
        cluster[1].lobby.drain()
        comers = [await cluster[1].program() for _ in range(40)]
        for comer in comers:  # before, while and after the table is given away
            await comer.send(f"resume {ann.token}")
            await trio.sleep(TOGETHER_SECONDS / 20)
        await trio.sleep(MOVED)
        await comers[-1].poll()
        assert comers[-1].last("ok")["table"] == table
        assert comers[-1].last("view")["table"] == table
        for comer in comers[:-1]:
            await comer.poll()
            assert "NOT_SEATED" not in str(comer.objects)
