"""What a front does when a node has gone: its players wait, and continue at the node that takes over their table."""

import pytest
import trio

from golfnet.protocol.errors import Code
from golfnet.protocol.links import FrameKind, encode
from golfnet.server.budget import CHUNK
from golfnet.server.links.relay import OPEN, SEEK_SECONDS
from tests.server.cluster import Cluster, apart, codes, names_at, playing


async def test_a_connection_that_ends_with_its_link_is_not_a_fault(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    await playing(cluster, "four-turn", "Ann", "Ben")
    [relay] = cluster.nodes[2].relays
    assert relay._link is not None
    relay._link.over.set()
    relay.end("lost")
    await trio.sleep(1)
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def test_a_link_on_which_an_owner_sends_nonsense_is_replaced(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    (_, ben), table = await playing(cluster, "four-turn", "Ann", "Ben")
    [relay] = cluster.nodes[2].relays
    assert relay._link is not None
    relay._link.receive(encode(FrameKind.TAKEN), 0.0)
    await ben.settle()
    assert any("invalid data on the link to node 1" in each for each in caplog.messages)
    assert codes(ben)[-1] == "MOVING"
    await trio.sleep(1)
    assert ben.last("view")["table"] == table
    assert relay.linked_node == 1


@pytest.mark.settings(3)
async def test_a_person_is_told_about_the_move_in_words(cluster: Cluster) -> None:
    _, table = await apart(cluster, "Ann")
    ben = await cluster[2].person("Ben", f"join {table}", "set prefix off")
    cluster.kill(1)
    await trio.sleep(0.1)
    told = (await ben.take()).decode()
    assert "Your table is moving to another machine. One moment." in told
    await cluster.take_over(1, heir=2)
    await trio.sleep(1)
    assert f"{table}" in (await ben.take()).decode()
    assert not cluster.nodes[2].relays  # the session is back home
    assert "Prefix is off." in await ben.say("set prefix")


async def test_a_connection_is_closed_if_its_table_does_not_come_back(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster.kill(1)
    await trio.sleep(SEEK_SECONDS - 0.5)
    assert codes(ben)[-1] == "MOVING"
    await trio.sleep(1)
    assert (ben.objects[-1]["type"], ben.objects[-1]["code"]) == ("bye", "MOVED")
    assert ben.is_closed
    assert not cluster.nodes[2].relays


async def test_a_watcher_whose_link_breaks_continues_at_its_front(cluster: Cluster) -> None:
    (_, eve), table = await apart(cluster, "Ann", "Eve")
    await eve.done(f"watch {table}")
    (session,) = [it for it in cluster[1].lobby.sessions if it.player and it.player.name == "Eve"]
    session.transport._below.cut_off("lost")  # type: ignore[attr-defined]
    await trio.sleep(1)
    assert sum(names_at(node).count("Eve") for node in cluster.nodes.values()) == 1
    assert (await eve.ask("ping"))["type"] == "ok"


@pytest.mark.settings(3)
async def test_the_number_of_lines_waiting_for_a_dead_node_is_limited(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster.kill(1)
    await trio.sleep(0.1)
    (relay,) = cluster.nodes[2].relays
    cluster.nodes[2].house.nursery.start_soon(ben.send, b"".join(b"%d ping\n" % n for n in range(700)))
    await trio.sleep(0.1)
    assert len(relay.session._undecoded) <= CHUNK
    assert relay.session.is_suspended
    await cluster.take_over(1, heir=3)
    for _ in range(40):
        await trio.sleep(0.2)
    assert [thing["id"] for thing in ben.objects if "id" in thing and thing["type"] == "ok"] == [*range(700)]


async def test_a_stopping_front_says_goodbye(cluster: Cluster) -> None:
    (ann, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster.nodes[2].links.stop(Code.SHUTDOWN, "The server is stopping.")
    await ben.poll()
    assert ben.objects[-1]["code"] == "SHUTDOWN"
    assert ben.is_closed
    assert ann.events("dropped")[-1]["seat"] == "B"


@pytest.mark.settings(3)
async def test_a_stopping_owner_hands_its_relayed_players_to_its_successor(cluster: Cluster) -> None:
    (ann, ben), table = await playing(cluster, "four-turn", "Ann", "Ben")
    lobby = cluster[1].lobby
    lobby.links = cluster.nodes[1].links
    lobby.stop()
    await ann.poll()
    assert ann.objects[-1]["code"] == "SHUTDOWN"
    await trio.sleep(0.1)
    cluster.kill(1)
    await cluster.take_over(1, heir=3)
    await trio.sleep(1)
    assert codes(ben)[-1] == "MOVING"
    assert ben.last("view")["table"] == table


@pytest.mark.settings(3)
async def test_commands_sent_to_a_dead_node_are_answered_once_and_in_order(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster.delay = 0.2
    (session,) = [it for it in cluster[1].lobby.sessions if it.player and it.player.name == "Ben"]
    session.suspend()  # so that commands sent now are not answered
    await ben.send(b"1 ping a\n2 look\nthree\npong 0\n4 say hello\n")
    cluster.kill(1)
    await trio.sleep(0.1)
    await ben.send("5 ping b")
    await cluster.take_over(1, heir=3)
    await trio.sleep(3)
    answers = [(it.get("id"), it.get("code")) for it in ben.objects[-20:] if it["type"] in ("ok", "error")]
    assert answers[-5:] == [(1, "MOVED"), (2, "MOVED"), (None, "MOVED"), (4, "MOVED"), (5, None)]
    assert names_at(cluster.nodes[3]) == ["Ben"]


@pytest.mark.settings(3)
async def test_a_person_is_told_once_that_typed_lines_may_not_have_been_carried_out(cluster: Cluster) -> None:
    _, table = await apart(cluster, "Ann")
    ben = await cluster[2].person("Ben", f"join {table}")
    cluster.kill(1)
    await trio.sleep(0.1)
    assert "may not" not in (await ben.take()).decode()
    await cluster.take_over(1, heir=3)
    await trio.sleep(1)
    next(it for it in cluster[3].lobby.sessions).suspend()
    await ben.say("look\nlook\nlook")
    cluster.kill(3)
    await trio.sleep(0.1)
    told = " ".join((await ben.take()).decode().split())
    assert told.count("may or may not have been done") == 1


@pytest.mark.settings(3)
async def test_a_link_to_an_address_now_used_by_another_node_is_refused(cluster: Cluster) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    cluster.nodes[1], cluster.nodes[3] = cluster.nodes[3], cluster.nodes[1]  # node 3 has the address by now
    assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
    assert names_at(cluster.nodes[2]) == ["Ben"]
    cluster.nodes[1], cluster.nodes[3] = cluster.nodes[3], cluster.nodes[1]
    assert (await ben.done(f"join {table}"))["table"] == table


async def test_the_number_of_lines_in_transit_per_player_is_limited(cluster: Cluster) -> None:
    (_, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    (relay,) = cluster.nodes[2].relays
    cluster.delay = 0.0
    for session in cluster[1].lobby.sessions:
        session.suspend()
    cluster.nodes[2].house.nursery.start_soon(ben.send, b"".join(b"%d ping\n" % n for n in range(300)))
    await trio.sleep(1)
    assert len(relay._open) == OPEN
    for session in cluster[1].lobby.sessions:
        session.resume()
    for _ in range(60):
        await trio.sleep(0.2)
    assert [thing["id"] for thing in ben.objects if "id" in thing and "key" in thing] == [*range(300)]


async def test_asking_for_a_taken_name_does_not_move_its_player_to_another_node(cluster: Cluster) -> None:
    (_, eve), table = await apart(cluster, "Ann", "Eve")
    await eve.done(f"watch {table}")
    other = await cluster[1].program()
    assert (await other.ask("name Eve"))["code"] == "NAME_TAKEN"
    (relay,) = cluster.nodes[2].relays
    assert cluster.state.stays[relay._caller.player] == (relay._caller.stay, 1, None)
