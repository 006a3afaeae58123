"""Several nodes that act as one server: numbers, lists, seeks and chat across nodes, and the lease of a node."""

from collections.abc import Callable
from functools import partial

import pytest
import trio
from msgspec.structs import replace

from golfnet.server.nodes import BEATS, BLOCKS, Lease
from golfnet.server.operations.operations import carry_out
from golfnet.storage.store import IdKind
from tests.server.cluster import Cluster, apart
from tests.server.house import House

pytestmark = pytest.mark.usefixtures("quick_passwords")

SECONDS = 10.0
"""The duration of a lease."""


async def test_names_and_tables_wait_for_numbers(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in IdKind:
        monkeypatch.setitem(BLOCKS, kind, 4)
    programs = [await cluster[1].program() for _ in range(20)]
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


@pytest.mark.settings(3)
async def test_players_who_seek_the_same_rules_at_three_nodes_meet_at_one_table(cluster: Cluster) -> None:
    await cluster[1].program("Dan", "create six-card holes=3")
    await trio.sleep(2)
    seekers = await cluster.programs("Ann", "Bob", "Cid")
    for seeker in seekers:
        await seeker.send("seek six-card holes=5")
    await trio.sleep(2)
    assert len({seeker.last("ok")["table"] for seeker in seekers}) == 1
    assert {seeker.last("view")["options"]["holes"] for seeker in seekers} == {5}


async def test_a_seated_player_cannot_watch_a_table_at_another_node(cluster: Cluster) -> None:
    (_, bob), table = await apart(cluster, "Ann", "Bob", create="six-card")
    await bob.done("create six-card")
    assert (await bob.ask(f"watch {table}"))["code"] == "NOT_AVAILABLE"


async def test_without_the_database_server_only_commands_that_need_it_are_refused(cluster: Cluster) -> None:
    (ann, bob), table = await apart(cluster, "Ann", "Bob", create="four-turn seats=2 clock=0")
    cluster.state.is_down = True
    assert (await bob.ask(f"join {table}"))["code"] == "PAUSED"
    assert (await (await cluster[2].program()).ask("name Cid"))["code"] == "PAUSED"
    await ann.done("ping", "leave")
    cluster.state.is_down = False
    await trio.sleep(5)
    assert (await (await cluster[2].program()).ask("name Cid"))["name"] == "Cid"


@pytest.mark.settings(3)
async def test_lists_show_everything_at_all_nodes_once_after_a_move_or_a_takeover(cluster: Cluster) -> None:
    ann, bob, eve = await cluster.programs("Ann", "Bob", "Eve")
    await ann.done("create six-card seats=3", "bot easy")
    table = (await bob.done("create four-turn"))["table"]
    await trio.sleep(2)
    rows = {row["table"]: row for row in (await eve.rows("tables"))}
    assert {row["variant"] for row in rows.values()} == {"six-card", "four-turn"}
    assert rows[table]["host"] == "Bob"
    for program in (ann, eve):
        names = [row["name"] for row in (await program.rows("who"))]
        assert sorted(names) == ["Ann", "Bob", "Eve", "easy-bot"]
    who = {row["name"]: row for row in eve.last("rows")["rows"]}
    assert (who["Bob"]["table"], who["Bob"]["seat"], who["Bob"]["present"]) == (table, "A", True)
    assert (who["Eve"]["table"], who["easy-bot"]["kind"]) == (None, "bot")
    await ann.done("leave", f"join {table}")
    rows = {row["table"]: [each["name"] for each in row["players"]] for row in (await bob.rows("tables"))}
    assert rows.pop(table) == ["Bob", "Ann"]
    assert [name for names in rows.values() for name in names if name == "Ann"] == []
    await trio.sleep(3)
    assert [row["table"] for row in (await eve.rows("tables"))] == [table]
    cluster.kill(2)
    await cluster.take_over(2, heir=3)
    assert [(row["table"], row["taken"]) for row in (await eve.rows("tables"))] == [(table, 2)]
    assert sorted(row["name"] for row in (await eve.rows("who"))) == ["Ann", "Bob", "Eve"]
    assert len((await carry_out(cluster[3].lobby, ["tables"]))["rows"]) == 1
    assert len((await carry_out(cluster[3].lobby, ["who"]))["rows"]) == 3


async def test_away_players_at_other_nodes_are_listed_if_seated_but_get_no_messages(cluster: Cluster) -> None:
    ann, bob, cid = await cluster.programs("Ann", "Bob", "Cid")
    await ann.done("create six-card")
    for away in (ann, cid):
        await away.drop()
    await trio.sleep(2)
    rows = {row["name"]: (row["present"], row["seat"]) for row in await bob.rows("who")}
    assert rows == {"Bob": (True, None), "Ann": (False, "A")}, "Cid has no seat"
    for name in ("Ann", "Cid"):
        assert (await bob.ask(f"tell {name} hello"))["code"] == "NO_SUCH_PLAYER"
    await cluster[2].resumed(cid)
    await trio.sleep(2)
    assert "Cid" in [row["name"] for row in await bob.rows("who")], "the name was kept"


async def test_a_player_who_left_during_a_directory_outage_is_free_afterwards(cluster: Cluster) -> None:
    (ann,) = await cluster.programs("Ann")
    await ann.done("create six-card", "leave")
    await trio.sleep(2)
    nodes, (player,) = cluster[1].lobby.nodes, cluster[1].lobby.accounts
    cluster.state.is_down = True
    nodes.depart(player.id, player.stay)
    await trio.sleep(5)
    cluster.state.is_down = False
    assert player.id in cluster.state.stays
    await trio.sleep(2)
    assert player.id not in cluster.state.stays


@pytest.mark.settings(3)
async def test_chat_reaches_other_nodes_but_not_those_who_do_not_want_it(cluster: Cluster) -> None:
    ann, bob, eve = await cluster.programs("Ann", "Bob", "Eve")
    assert (await ann.done("tell bob hello there"))["note"] == "To Bob: hello there"
    assert (bob.last("chat")["from"], bob.last("chat")["text"]) == ("Ann", "hello there")
    await eve.done("mute Ann")
    await ann.done("shout anybody for golf?")
    assert [program.last("chat")["text"] for program in (ann, bob)] == ["anybody for golf?"] * 2
    assert not [thing for thing in eve.objects if thing["type"] == "chat"]
    assert (await ann.ask("tell Nobody hello"))["code"] == "NO_SUCH_PLAYER"


async def test_a_seek_does_not_wait_long_for_a_table_that_another_seek_never_opened(cluster: Cluster) -> None:
    ann, bob = await cluster.programs("Ann", "Bob")
    await ann.done("create six-card")
    await trio.sleep(2)
    (offer,) = cluster.state.offers.values()
    await ann.done("leave")
    never = replace(offer, table="t9", is_opening=True)  # the player who wanted to open it is gone
    cluster.state.offers["t9"] = never
    cluster[1].lobby.nodes.opening.add("t9")
    await trio.sleep(5)
    began = trio.current_time()
    await bob.done("seek six-card")
    assert trio.current_time() - began < 1
    assert not cluster[1].lobby.nodes.opening


async def test_a_single_server_keeps_nothing_for_other_nodes(house: House) -> None:
    await house.program("Ann", "create six-card")
    await house.program("Bob", "seek four-turn")
    assert not house.lobby.nodes.opening


async def test_a_player_seated_while_their_command_waits_gets_no_second_seat(cluster: Cluster) -> None:
    await cluster[1].program("Ann", "create four-turn seats=2")
    [table] = cluster[1].lobby.tables
    bob = await cluster[1].program("Bob", f"join {table}")
    cid = await cluster[1].program("Cid", f"join {table} wait=on")
    await cid.send("seek nine-card")  # first looks for a table at other nodes
    await bob.send("leave")
    await trio.sleep(1)
    refused = [each["code"] for each in await cid.poll() if each["type"] == "error"]
    assert refused == ["ALREADY_SEATED"]
    seats = [chair.name for each in cluster[1].lobby.tables.values() for chair in each.seating]
    assert seats == ["Ann", "Cid"]


def watched_lease() -> tuple[Lease, list[Callable[[], None]], list[str]]:
    """Return a lease, the heartbeats that wait to be stored, and what the lease has called."""
    waiting, called = list[Callable[[], None]](), list[str]()
    lease = Lease(waiting.append, SECONDS)
    lease.on_lapse, lease.on_renewal = partial(called.append, "lapse"), partial(called.append, "renewal")
    return lease, waiting, called


async def test_a_lease_lasts_while_beats_are_stored_soon(virtual_time: None, nursery: trio.Nursery) -> None:
    lease, waiting, called = watched_lease()
    nursery.start_soon(lease.keep)
    for _ in range(21):
        under_way, waiting[:] = waiting[:], []
        await trio.sleep(SECONDS / 3)
        for stored in under_way:
            stored()
        assert lease.is_sure()
    await trio.sleep(5 * SECONDS)
    assert len(waiting) == BEATS, "no more heartbeats are submitted than fit in a lease"
    waiting.pop(0)()
    assert not lease.is_sure(), "it was submitted too long ago"
    await trio.sleep(SECONDS / BEATS)
    waiting.pop()()
    assert lease.is_sure()
    assert called == ["lapse", "renewal"]


async def test_a_lease_lapses_when_a_write_fails_until_a_heartbeat_is_stored(virtual_time: None) -> None:
    lease, waiting, called = watched_lease()
    lease.beat()
    lease.lapse()
    lease.lapse()
    assert not lease.is_sure()
    waiting.pop()()
    assert lease.is_sure()
    assert called == ["lapse", "renewal"]
