"""What a front does when a node has gone: its players wait, and continue at the node that takes over their table.

The simulation of clusters checks that nobody loses a seat, an answer or a connection; here is what it cannot see.
"""

import pytest
import trio

from golfnet.protocol.links import Accepted, encode
from golfnet.server.budget import CHUNK
from golfnet.server.links.link_end import LinkEnd
from golfnet.server.links.links import CHECK_SECONDS
from golfnet.server.links.relay import OPEN, SEEK_SECONDS
from golfnet.storage.directory import Stay
from tests.server.cluster import Cluster, apart, names_at, playing


async def test_a_link_on_which_an_owner_sends_nonsense_is_replaced(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    (_, ben), table = await playing(cluster, "four-turn", "Ann", "Ben")
    [relay] = cluster.nodes[2].relays
    assert relay.link is not None
    relay.link.receive(encode(Accepted()), 0.0)
    await ben.settle()
    assert any("invalid data on the link to node 1" in each for each in caplog.messages)
    assert ben.last("notice")["code"] == "MOVING"
    await trio.sleep(1)
    assert ben.last("view")["table"] == table
    assert cluster.nodes[2].links.linked_nodes == {1}


async def test_a_check_of_links_says_that_a_node_sends_nonsense(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = cluster.nodes[2].links
    dial = links.dial

    async def dial_to_nonsense(where: str, node: int) -> LinkEnd:
        link = await dial(where, node)
        link.receive(encode(Accepted()), 0.0)
        return link

    monkeypatch.setattr(links, "dial", dial_to_nonsense)
    await trio.sleep(4 * CHECK_SECONDS)
    said = "cannot link to node 1: it sends invalid data: expected Proof, not Accepted"
    assert caplog.messages.count(said) == 1


@pytest.mark.settings(3)
async def test_a_person_is_told_when_a_table_moves_and_when_typed_lines_may_be_lost(cluster: Cluster) -> None:
    _, table = await apart(cluster, "Ann")
    ben = await cluster[2].person("Ben", f"join {table}", "set prefix off")
    cluster.kill(1)
    await trio.sleep(0.1)
    told = (await ben.take()).decode()
    assert "Your table is moving to another machine. One moment." in told
    assert "may not" not in told
    await cluster.take_over(1, heir=3)
    await trio.sleep(1)
    assert table in (await ben.take()).decode()
    assert "Prefix is off." in await ben.say("set prefix")
    cluster[3].session("Ben").suspend()  # so that lines typed now are not answered
    await ben.say("look\nlook\nlook")
    cluster.kill(3)
    await trio.sleep(0.1)
    told = " ".join((await ben.take()).decode().split())
    assert told.count("may or may not have been done") == 1
    await cluster.take_over(3, heir=2)
    await trio.sleep(1)
    assert table in (await ben.take()).decode()
    assert not cluster.nodes[2].relays  # the session is back home


async def test_a_connection_is_closed_if_its_table_does_not_come_back(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster.kill(1)
    await trio.sleep(SEEK_SECONDS - 0.5)
    assert ben.last("notice")["code"] == "MOVING"
    await trio.sleep(1)
    assert (ben.objects[-1]["type"], ben.objects[-1]["code"]) == ("bye", "MOVED")
    assert ben.is_closed
    assert not cluster.nodes[2].relays


@pytest.mark.settings(3)
async def test_a_limited_number_of_lines_waits_and_each_is_answered_once_in_order(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    (relay,) = cluster.nodes[2].relays
    cluster[1].session("Ben").suspend()  # so that lines sent now are not answered
    count = OPEN + 700
    lines = b"".join([b"%d ping\n" % number for number in range(count)])
    cluster.nodes[2].house.nursery.start_soon(ben.send, lines)
    await trio.sleep(1)
    assert len(relay._open) == OPEN
    cluster.kill(1)
    await trio.sleep(0.1)
    assert len(relay.session._undecoded) <= CHUNK
    assert relay.session.is_suspended
    await cluster.take_over(1, heir=3)
    for _ in range(60):
        await trio.sleep(0.2)
    answers = [
        (it["id"], it.get("code")) for it in ben.objects if "id" in it and it["type"] in ("ok", "error")
    ]
    expected = [(number, "MOVED" if number < OPEN else None) for number in range(count)]
    assert answers[-count:] == expected


@pytest.mark.settings(3)
async def test_a_link_to_an_address_now_used_by_another_node_is_refused(cluster: Cluster) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    cluster.nodes[1], cluster.nodes[3] = cluster.nodes[3], cluster.nodes[1]  # node 3 has the address by now
    assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
    assert names_at(cluster.nodes[2]) == ["Ben"]
    cluster.nodes[1], cluster.nodes[3] = cluster.nodes[3], cluster.nodes[1]
    assert (await ben.done(f"join {table}"))["table"] == table


async def test_asking_for_a_taken_name_does_not_move_its_player_to_another_node(cluster: Cluster) -> None:
    (_, eve), table = await apart(cluster, "Ann", "Eve")
    await eve.done(f"watch {table}")
    other = await cluster[1].program()
    assert (await other.ask("name Eve"))["code"] == "NAME_TAKEN"
    (relay,) = cluster.nodes[2].relays
    player = relay._caller.player
    assert cluster.state.stays[player.id] == Stay(player.stay, 1)
