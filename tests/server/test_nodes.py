"""Several nodes of one server: whoever wants something goes to where it is, and nobody notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel
from msgspec.structs import replace

from golfnet.server.nodes import BLOCKS
from golfnet.server.operations.operations import carry_out
from golfnet.storage.directory import IdKind
from tests.server.cluster import Cluster, open_cluster
from tests.server.house import open_house

if TYPE_CHECKING:
    from tests.server.house import Program

pytestmark = pytest.mark.usefixtures("quick_passwords")


async def at_each(cluster: Cluster, *names: str) -> list[Program]:
    """Connect a program with a name at each node in turn."""
    houses = cluster.houses
    return [await houses[place % len(houses)].program(name) for place, name in enumerate(names)]


async def test_a_name_that_two_ask_for_at_two_nodes_goes_to_one(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        programs = [await house.program() for house in cluster.houses]
        for program in programs:
            await program.send("name Ann")
        for program in programs:
            await program.settle()
        answers = [(await program.poll())[-1] for program in programs]
        assert sorted(answer.get("code", "ok") for answer in answers) == ["NAME_TAKEN", "NAME_TAKEN", "ok"]


async def test_a_burst_of_names_and_tables_waits_for_its_numbers(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in IdKind:
        monkeypatch.setitem(BLOCKS, kind, 4)
    async with open_cluster(2) as cluster:
        programs = [await cluster[1].program() for _ in range(30)]
        for line in ("name Guest{}", "create six-card", "leave", "seek four-turn seats=2"):
            for number, program in enumerate(programs):
                await program.send(line.format(number))
            await trio.sleep(1)
            for program in programs:
                answers = [each for each in await program.poll() if each["type"] in ("ok", "error")]
                assert [each["type"] for each in answers] == ["ok"]
        cluster.state.is_down = True
        late = [await cluster[1].program() for _ in range(9)]
        for number, program in enumerate(late):
            assert (await program.ask(f"name Late{number}"))["code"] == "PAUSED"


async def test_a_table_that_was_taken_over_is_listed_once_and_so_are_its_players(
    autojump_clock: object,
) -> None:
    async with open_cluster(2) as cluster:
        ann, eve = await at_each(cluster, "Ann", "Eve")
        table = (await ann.done("create four-turn seats=3 clock=0"))["table"]
        await ann.done("bot easy")
        await trio.sleep(2)
        for verb in ("tables", "who"):  # what is told of other nodes is good for a second from now
            await eve.done(verb)
        cluster.kill(1)
        await cluster.take_over(1, 2)
        assert table in cluster[2].lobby.tables
        await eve.done("tables")
        assert [(row["table"], row["taken"]) for row in eve.last("rows")["rows"]] == [(table, 2)]
        await eve.done("who")
        assert sorted(row["kind"] for row in eve.last("rows")["rows"]) == ["bot", "guest", "guest"]
        assert len((await carry_out(cluster[2].lobby, ["tables"]))["rows"]) == 1
        assert len((await carry_out(cluster[2].lobby, ["who"]))["rows"]) == 3


async def test_a_player_who_has_gone_to_another_table_is_listed_there_alone(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, ben = await at_each(cluster, "Ann", "Ben")
        first = (await ann.done("create four-turn seats=3"))["table"]
        second = (await ben.done("create four-turn seats=3"))["table"]
        await trio.sleep(2)
        await ben.done("tables")
        await ann.done("leave")
        await ann.done(f"join {second}")
        await ben.done("tables")
        rows = {row["table"]: [each["name"] for each in row["players"]] for row in ben.last("rows")["rows"]}
        assert rows[second] == ["Ben", "Ann"]
        assert rows.get(first, []) == []


async def test_who_joins_or_watches_a_table_of_another_node_is_there(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, bob, eve = await at_each(cluster, "Ann", "Bob", "Eve")
        opened = await ann.done("create four-turn seats=2 clock=0")
        joined = await bob.done(f"join {opened['table']}")
        assert joined["table"] == opened["table"]
        await eve.done(f"watch {opened['table']}")
        await bob.done("ready")
        await ann.done("start")
        await eve.poll()
        assert eve.last("view")["table"] == opened["table"]
        assert len(cluster[1].lobby.sessions) == 3
        assert not cluster[2].lobby.sessions
        assert [player.name for player in cluster[2].lobby.accounts] == []


async def test_who_seek_at_three_nodes_meet_at_one_table(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        seekers = await at_each(cluster, "Ann", "Bob", "Cid")
        for seeker in seekers:
            await seeker.send("seek six-card")
        await trio.sleep(2)
        for seeker in seekers:
            await seeker.poll()
        assert len({seeker.last("ok")["table"] for seeker in seekers}) == 1


async def test_a_seek_goes_to_a_table_that_fits_and_not_to_another(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob, cid = await cluster[1].program("Ann"), await cluster[1].program("Bob"), None
        await ann.done("create six-card holes=3")
        fits = (await bob.done("create six-card holes=5"))["table"]
        await trio.sleep(2)
        cid = await cluster[2].program("Cid")
        assert (await cid.done("seek six-card holes=5"))["table"] == fits


async def test_a_token_leads_to_the_seat_wherever_it_is(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, bob, _ = await at_each(cluster, "Ann", "Bob", "Cid")
        table = (await ann.done("create four-turn seats=2 clock=0"))["table"]
        await bob.done(f"join {table}")
        await bob.drop()
        again = await cluster[3].program()
        ok = await again.done(f"resume {bob.token}")
        assert (ok["table"], again.last("view")["you"]) == (table, "B")
        assert len(cluster[1].lobby.sessions) == 2


async def test_a_login_leads_to_where_the_player_is(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann = await cluster[1].program("Ann")
        await ann.done("register seven-hearts")
        again = await cluster[2].program()
        assert (await again.done("login Ann seven-hearts"))["name"] == "Ann"
        await ann.poll()
        assert ann.objects[-1]["code"] == "TAKEN_OVER"


async def test_watching_elsewhere_from_a_seat_is_refused(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        table = (await ann.done("create six-card"))["table"]
        await bob.done("create six-card")
        assert (await bob.ask(f"watch {table}"))["code"] == "NOT_AVAILABLE"


async def test_a_node_that_cannot_be_reached_leaves_everybody_where_they_are(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        table = (await ann.done("create six-card"))["table"]
        cluster.is_cut = True
        error = await bob.ask(f"join {table}")
        assert (error["code"], error["retry"]) == ("MOVED", True)
        await bob.done("create six-card")
        cluster.is_cut = False
        await bob.done("leave")
        await bob.done(f"join {table}")


async def test_an_engine_that_is_down_refuses_what_needs_it_and_nothing_else(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        table = (await ann.done("create four-turn seats=2 clock=0"))["table"]
        cluster.state.is_down = True
        assert (await bob.ask(f"join {table}"))["code"] == "PAUSED"
        assert (await (await cluster[2].program()).ask("name Cid"))["code"] == "PAUSED"
        await ann.done("ping")
        await ann.done("leave")
        cluster.state.is_down = False
        await trio.sleep(5)
        assert (await (await cluster[2].program()).ask("name Cid"))["name"] == "Cid"


async def test_lists_show_what_is_at_all_nodes_once(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, bob, eve = await at_each(cluster, "Ann", "Bob", "Eve")
        await ann.done("create six-card seats=3")
        await ann.done("bot easy")
        table = (await bob.done("create four-turn"))["table"]
        await trio.sleep(2)
        await eve.done("tables")
        rows = {row["table"]: row for row in eve.last("rows")["rows"]}
        assert {row["variant"] for row in rows.values()} == {"six-card", "four-turn"}
        assert rows[table]["host"] == "Bob"
        for program in (ann, eve):
            await program.done("who")
            names = [row["name"] for row in program.last("rows")["rows"]]
            assert sorted(names) == ["Ann", "Bob", "Eve", "easy-bot"]
        who = {row["name"]: row for row in eve.last("rows")["rows"]}
        assert (who["Bob"]["table"], who["Bob"]["seat"], who["Bob"]["present"]) == (table, "A", True)
        assert (who["Eve"]["table"], who["easy-bot"]["kind"]) == (None, "bot")
        await ann.done("leave")
        await trio.sleep(3)
        await eve.done("tables")
        assert [row["table"] for row in eve.last("rows")["rows"]] == [table]


async def test_who_is_away_from_a_seat_elsewhere_is_listed_as_away_and_cannot_be_told_anything(
    autojump_clock: object,
) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        await ann.done("create six-card")
        await ann.drop()
        await trio.sleep(2)
        await bob.done("who")
        (row,) = [row for row in bob.last("rows")["rows"] if row["name"] == "Ann"]
        assert (row["present"], row["seat"]) == (False, "A")
        assert (await bob.ask("tell Ann hello"))["code"] == "NO_SUCH_PLAYER"


async def test_who_left_without_a_seat_is_listed_nowhere_though_the_name_is_kept(
    autojump_clock: object,
) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        await trio.sleep(2)
        await ann.drop()
        await trio.sleep(2)
        await bob.done("who")
        assert [row["name"] for row in bob.last("rows")["rows"]] == ["Bob"]
        assert (await bob.ask("tell Ann hello"))["code"] == "NO_SUCH_PLAYER"
        back = await cluster[2].program()
        await back.done(f"resume {ann.token}")
        await trio.sleep(2)
        await bob.done("who")
        assert sorted(row["name"] for row in bob.last("rows")["rows"]) == ["Ann", "Bob"]


async def test_who_left_while_the_directory_was_away_is_free_afterwards(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        (ann,) = await at_each(cluster, "Ann")
        await ann.done("create six-card")
        await ann.done("leave")
        await trio.sleep(2)
        nodes, (player,) = cluster[1].lobby.nodes, cluster[1].lobby.accounts
        cluster.state.is_down = True
        nodes.depart(player.id, player.stay)
        await trio.sleep(5)
        cluster.state.is_down = False
        assert player.id in cluster.state.stays
        await trio.sleep(2)
        assert player.id not in cluster.state.stays


async def test_chat_reaches_other_nodes_but_not_those_who_do_not_want_it(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, bob, eve = await at_each(cluster, "Ann", "Bob", "Eve")
        assert (await ann.done("tell bob hello there"))["note"] == "To Bob: hello there"
        await bob.poll()
        assert (bob.last("chat")["from"], bob.last("chat")["text"]) == ("Ann", "hello there")
        await eve.done("mute Ann")
        await ann.done("shout anybody for golf?")
        for program in (ann, bob, eve):
            await program.poll()
        assert [program.last("chat")["text"] for program in (ann, bob)] == ["anybody for golf?"] * 2
        assert not [thing for thing in eve.objects if thing["type"] == "chat"]
        assert (await ann.ask("tell Nobody hello"))["code"] == "NO_SUCH_PLAYER"


async def test_what_the_operator_does_holds_at_all_nodes(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, bob, eve = await at_each(cluster, "Ann", "Bob", "Eve")
        table = (await ann.done("create four-turn seats=2 clock=0"))["table"]
        await bob.done("create six-card")
        third = cluster[3].lobby
        await carry_out(third, ["announce", "Tea", "is", "ready."])
        for program in (ann, bob, eve):
            await program.poll()
            assert program.last("notice")["text"] == "Tea is ready."
        await carry_out(third, ["ban", "Ann", "rude"])
        await trio.sleep(1)
        await ann.poll()
        assert ann.objects[-1]["code"] == "KICKED"
        assert table not in cluster[1].lobby.tables
        stranger = await cluster[2].program()
        assert (await stranger.ask("name Ann"))["code"] == "NOT_AVAILABLE"
        await carry_out(cluster[2].lobby, ["unban", "ann"])
        await trio.sleep(1)
        assert not third.sanctions.bans
        await carry_out(third, ["kick", "Bob"])
        await bob.poll()
        assert bob.objects[-1]["code"] == "KICKED"
        await carry_out(third, ["close", next(iter(cluster[2].lobby.tables))])
        await trio.sleep(1)
        assert not cluster[2].lobby.tables


async def test_an_operator_mutes_who_is_at_another_node(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        second = cluster[2].lobby
        assert await carry_out(second, ["mute", "ann", "spam"]) == {"muted": "Ann"}
        assert (await ann.ask("shout hello"))["code"] == "NOT_AVAILABLE"
        assert await carry_out(second, ["mute", "Bob"]) == {"muted": "Bob"}
        assert await carry_out(second, ["unmute", "Ann"]) == {"unmuted": "Ann"}
        await ann.done("shout hello")
        assert (await bob.ask("shout hello"))["code"] == "NOT_AVAILABLE"


async def test_bans_hold_though_the_bus_loses_everything(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, _ = await at_each(cluster, "Ann", "Bob")
        cluster.state.listeners.clear()
        await carry_out(cluster[2].lobby, ["ban", "Ann"])
        await trio.sleep(11)
        await ann.poll()
        assert ann.objects[-1]["code"] == "KICKED"


async def test_a_seek_that_is_given_up_keeps_nobody_waiting_for_its_table(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob = await at_each(cluster, "Ann", "Bob")
        await ann.done("create six-card")
        await trio.sleep(2)
        (offer,) = cluster.state.offers.values()
        await ann.done("leave")
        never = replace(offer, table="t9", is_opening=True)  # whoever wanted to open it is gone
        cluster.state.offers["t9"] = never
        cluster[1].lobby.nodes.note_opening("t9")
        await trio.sleep(5)
        began = trio.current_time()
        await bob.done("seek six-card")
        assert trio.current_time() - began < 1
        assert not cluster[1].lobby.nodes.opening


async def test_a_seat_is_given_up_by_who_came_in_elsewhere_without_it(
    autojump_clock: object,
) -> None:
    async with open_cluster(3) as cluster:
        ann, ben = await at_each(cluster, "Ann", "Ben")
        table = (await ann.done("create four-turn seats=3 clock=0"))["table"]
        await ben.done(f"join {table}")
        cluster.kill(1)
        (id,) = [player.id for player in cluster[1].lobby.accounts if player.name == "Ann"]
        del cluster.state.stays[id], cluster.state.seats[id]  # as no node leaves it
        again = await cluster[2].program()
        await again.done(f"resume {ann.token}")
        await cluster.take_over(1, heir=3)
        names = [
            chair.name for _, chair in cluster[3].lobby.tables[table].seating if chair.player is not None
        ]
        assert names == ["Ben"]
        await again.done("create four-turn")


async def test_a_server_that_is_alone_remembers_nothing_for_others(autojump_clock: object) -> None:
    async with open_house() as house:
        for number in range(20):
            await (await house.program(f"Guest{number}")).done("create six-card")
            await (await house.program(f"Seeker{number}")).done("seek four-turn")
        assert not house.lobby.nodes.opening


async def test_who_gets_a_seat_while_its_command_waits_gets_no_second_one(autojump_clock: object) -> None:
    async with open_cluster(2) as cluster:
        ann, bob, cid = [await cluster[1].program(name) for name in ("Ann", "Bob", "Cid")]
        await ann.done("create four-turn seats=2")
        [table] = cluster[1].lobby.tables.values()
        await bob.done(f"join {table.id}")
        await cid.done(f"join {table.id} wait=on")
        await cid.send("seek nine-card")  # the other nodes are asked for a table first
        await bob.send("leave")
        await trio.sleep(1)
        refused = [each["code"] for each in await cid.poll() if each["type"] == "error"]
        assert refused == ["ALREADY_SEATED"]
        seats = [chair.name for each in cluster[1].lobby.tables.values() for _, chair in each.seating]
        assert seats == ["Ann", "Cid"]
