"""What an operator does at one node takes effect at all nodes, and the answers cover the whole cluster."""

import json
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.server.operations.operations import answer, carry_out
from golfnet.server.operations.reaching import ORDER_SECONDS, BadOperation
from golfnet.storage.directory import SanctionKind
from tests.server.cluster import Cluster, apart


async def do(cluster: Cluster, node: int, line: str) -> dict[str, Any]:
    return await carry_out(cluster[node].lobby, line.split())


@pytest.mark.settings(3)
async def test_all_players_and_tables_are_listed_with_their_nodes(cluster: Cluster) -> None:
    ann, bob, _ = await cluster.programs("Ann", "Bob", "Eve")
    await ann.done("create four-turn seats=3")
    await ann.done("bot hard")
    await bob.done("create six-card")
    await trio.sleep(2)
    who = await do(cluster, 3, "who")
    assert [(row["name"], row["node"], row["table"], row["seat"]) for row in who["rows"]] == [
        ("Eve", 3, None, None),
        ("Ann", 1, "t1", "A"),
        ("hard-bot", 1, "t1", "B"),
        ("Bob", 2, "t51", "A"),
    ]
    assert [row.get("address") for row in who["rows"]] == ["127.0.0.1", None, None, None]
    assert who["note"] == "Addresses and connections without a name are listed only for node 3."
    tables = (await do(cluster, 2, "tables"))["rows"]
    assert [(row["table"], row["node"], row["variant"]) for row in tables] == [
        ("t51", 2, "six-card"),
        ("t1", 1, "four-turn"),
    ]
    assert (await do(cluster, 2, "status"))["node"] == 2


async def test_players_are_kicked_and_tables_closed_at_the_nodes_where_they_are(cluster: Cluster) -> None:
    (_, bob), table = await apart(cluster, "Ann", "Bob")
    await bob.done(f"join {table}")
    await trio.sleep(2)
    rows = (await do(cluster, 2, "who"))["rows"]
    assert [(row["name"], row["node"]) for row in rows] == [("Ann", 1), ("Bob", 1)]
    assert await do(cluster, 2, "kick bob") == {"kicked": "Bob", "node": 1}
    await bob.poll()
    assert bob.objects[-1]["code"] == "KICKED"
    with pytest.raises(BadOperation, match=r"^Bob is not connected$"):
        await do(cluster, 2, "kick Bob")
    assert await do(cluster, 1, "kick ann") == {"kicked": "Ann", "node": 1}
    assert await do(cluster, 2, f"close {table}") == {"closed": table, "node": 1}
    assert not cluster[1].lobby.tables


async def test_operations_on_players_and_tables_that_no_node_has_are_refused(cluster: Cluster) -> None:
    await cluster.programs("Ann", "Bob")
    for line, complaint in (
        ("kick Zoe", "there is no player Zoe on any node; to see everyone: who"),
        ("mute Zoe", "there is no player Zoe on any node; to see everyone: who"),
        ("close 99", "there is no table 99 on any node; to see all: tables"),
        ("unban Zoe", "Zoe is not banned; to see who is: bans"),
        ("unmute Zoe", "Zoe is not muted; to see who is: bans"),
    ):
        with pytest.raises(BadOperation, match=f"^{complaint}$"):
            await do(cluster, 2, line)


async def test_a_table_whose_node_has_stopped_is_listed_without_a_node(cluster: Cluster) -> None:
    _, table = await apart(cluster, "Ann", "Bob")
    await trio.sleep(2)
    cluster.state.gone.add(1)
    assert [(row["table"], row["node"]) for row in (await do(cluster, 2, "tables"))["rows"]] == [
        (table, None)
    ]
    with pytest.raises(BadOperation, match=f"^table {table} is on hold: its node has stopped"):
        await do(cluster, 2, f"close {table}")


@pytest.mark.settings(3)
async def test_a_ban_disconnects_the_player_from_all_nodes(cluster: Cluster) -> None:
    _, bob, _ = await cluster.programs("Ann", "Bob", "Eve")
    far = await cluster[2].connect(address="203.0.113.9")
    near = await cluster[3].connect(address="203.0.113.10")
    assert await do(cluster, 3, "ban 203.0.113.0/24 floods") == {
        "banned": "203.0.113.0/24",
        "closed": 1,
        "note": "Players connected from there to other nodes are disconnected too, but not counted.",
    }
    await trio.sleep(1)
    for banned in (far, near):
        await banned.take()
        assert banned.is_closed
    assert await do(cluster, 3, "mute bob") == {"muted": "Bob"}
    assert (await bob.ask("shout hello"))["code"] == "NOT_AVAILABLE"
    assert await do(cluster, 3, "ban ann") == {"banned": "Ann", "closed": 1}
    assert [row["whom"] for row in (await do(cluster, 2, "bans"))["rows"]] == [
        *("Ann", "203.0.113.0/24", "Bob")
    ]
    assert await do(cluster, 2, "unban ANN") == {"unbanned": "ANN"}
    await (await cluster[1].program()).done("name Ann")


async def test_a_ban_is_enforced_within_ten_seconds_after_its_message_was_lost(cluster: Cluster) -> None:
    mallory = await cluster[2].program("Mallory")
    cluster.state.listeners.clear()
    assert (await do(cluster, 1, "ban Mallory"))["closed"] == 0
    await mallory.done("ping")
    await trio.sleep(10)
    await mallory.take()
    assert mallory.is_closed


async def test_a_ban_from_another_node_can_be_lifted_after_its_message_was_lost(cluster: Cluster) -> None:
    cluster.state.listeners.clear()
    cluster.state.cut_off.add(2)
    banned = await do(cluster, 1, "ban Mallory")
    assert banned["note"] == (
        "Node 2 shows no sign of life: if it is running after all, this applies there within ten seconds."
    )
    assert [row["whom"] for row in (await do(cluster, 2, "bans"))["rows"]] == ["Mallory"]
    assert (await do(cluster, 2, "unban Mallory"))["unbanned"] == "Mallory"
    await trio.sleep(11)
    assert not cluster[1].lobby.sanctions.of(SanctionKind.BAN)


async def test_a_ban_repeated_for_a_look_alike_is_lifted_as_one(cluster: Cluster) -> None:
    await do(cluster, 1, "ban mallory rude")
    await do(cluster, 2, "ban Mallory again")
    assert [(row["whom"], row["reason"]) for row in (await do(cluster, 1, "bans"))["rows"]] == [
        ("Mallory", "again")
    ]
    await do(cluster, 1, "unban MALLORY")
    assert (await do(cluster, 2, "bans"))["rows"] == []


@pytest.mark.settings(3)
async def test_nodes_that_are_silent_or_do_not_act_are_named(cluster: Cluster, tmp_path: Path) -> None:
    (_, _, eve), table = await apart(cluster, "Ann", "Bob", "Eve")
    await trio.sleep(2)
    assert await do(cluster, 2, "announce Soup") == {"told": 3}
    assert (await eve.poll())[-1]["text"] == "Soup"
    cluster.state.cut_off.add(1)
    told = await do(cluster, 2, "announce Tea")
    assert told == {
        "told": 2,
        "note": "Node 1 shows no sign of life: it is not known whether anyone there was told.",
    }
    cluster.state.cut_off.add(3)
    assert "Nodes 1 and 3 show no sign of life" in (await do(cluster, 2, "announce Tea"))["note"]
    del cluster.state.listeners[1]
    began = trio.current_time()
    reply = await answer(cluster[2].lobby, b"kick Ann", tmp_path / "audit", 0)
    assert trio.current_time() - began == pytest.approx(ORDER_SECONDS, abs=0.2)
    assert not reply["ok"]
    assert "node 1, which has Ann, does not answer" in reply["error"]
    assert json.loads((tmp_path / "audit").read_text())["error"] == reply["error"]
    with pytest.raises(BadOperation, match=f"node 1, which has table {table}, does not answer"):
        await do(cluster, 2, f"close {table}")


async def test_an_order_sent_before_the_database_failed_has_an_unknown_outcome(cluster: Cluster) -> None:
    await cluster.programs("Ann", "Bob")
    del cluster.state.listeners[1]

    async def fail() -> None:
        await trio.sleep(1)
        cluster.state.is_down = True

    cluster[2].nursery.start_soon(fail)
    with pytest.raises(BadOperation, match="so the outcome is unknown"):
        await do(cluster, 2, "kick Ann")


async def test_without_the_database_operations_affect_only_this_node_or_fail(cluster: Cluster) -> None:
    _, bob = await cluster.programs("Ann", "Bob")
    cluster.state.is_down = True
    who = await do(cluster, 2, "who")
    assert [row["name"] for row in who["rows"]] == ["Bob"]
    assert who["note"].startswith("The database does not answer, so the other nodes are not listed.")
    told = await do(cluster, 2, "announce Tea")
    assert told == {
        "told": 1,
        "note": "The database does not answer, so players on the other nodes may not have been told.",
    }
    for line in ("kick Ann", "close t9", "mute Ann", "unban Ann", "bans"):
        with pytest.raises(BadOperation, match=r"^the database does not answer, so nothing was done"):
            await do(cluster, 2, line)
    banned = await do(cluster, 2, "ban 198.51.100.7")
    assert banned["note"].startswith("The database does not answer: this applies on this node now")
    assert await do(cluster, 2, "kick Bob") == {"kicked": "Bob", "node": 2}
    await bob.poll()
    assert bob.objects[-1]["code"] == "KICKED"
    cluster.state.is_down = False
    await trio.sleep(21)
    assert [entry.whom for entry in cluster[1].lobby.sanctions.of(SanctionKind.BAN)] == ["198.51.100.7/32"]


async def test_a_long_list_says_how_much_it_omits(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, _ = await cluster.programs("Ann", "Bob")
    await cluster[1].program("Cay")
    await ann.done("create six-card")
    await trio.sleep(2)
    monkeypatch.setattr("golfnet.server.operations.reaching.LISTED", 1)
    assert (await do(cluster, 2, "who"))["note"].startswith("And 1 player more. ")
    assert "note" not in await do(cluster, 2, "tables")
