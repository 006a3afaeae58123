"""Sessions that move from node to node: players notice nothing and see only their tables."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import pytest
import trio

from golfnet.protocol.links import Accepted
from golfnet.protocol.telnet.telnet import TelnetPeer
from golfnet.server.links.link_end import LinkEnd
from tests.golden import GoldenFiles
from tests.server import test_conversations as conversations
from tests.server.cluster import Cluster, apart, names_at, open_cluster, playing
from tests.server.house import House, Peer


async def test_another_node_also_sends_a_program_the_text_of_events(cluster: Cluster) -> None:
    (ann,), table = await apart(cluster, "Ann")
    ben = await cluster[2].program()
    for line in ("hello 1 caps=x,text,view", "name Ben", f"join {table}"):
        await ben.done(line)
    assert [*cluster[2].lobby.accounts] == []
    await ann.done("leave")
    told = [thing["text"] for thing in ben.objects if thing["type"] == "event"]
    assert told == ["Ann (A) leaves the table.", "You are the host now."]
    assert all("text" not in thing for thing in ann.objects if thing["type"] == "event")
    *_, event, view = [thing for thing in ben.objects if thing["type"] in ("event", "view")]
    assert (view["type"], view["seq"]) == ("view", event["seq"])


async def test_a_telnet_peer_keeps_its_objects_and_continues_in_the_middle_of_its_negotiation(
    cluster: Cluster,
) -> None:
    _, table = await apart(cluster, "Ann")
    ben = await cluster[2].connect(telnet=True)
    await ben.send("name Ben\nobjects word-of-the-program table")
    await ben.send(b"\xff\xfb\x1f\xff\xfb\x18")
    await ben.send(f"join {table}\n".encode() + b"\xff\xfa\x1f\0\x3c")
    assert b'word-of-the-program {"type":"view"' in await ben.take()
    assert names_at(cluster.nodes[1]) == ["Ann", "Ben"]
    await ben.send(b"\0\x18\xff\xf0set width\n")
    assert b"Width is 60." in await ben.take()


async def test_another_node_starts_telnet_once(cluster: Cluster) -> None:
    ben = await cluster[2].connect()
    await cluster.nodes[2].relay(1)
    await ben.send("telnet on\n")
    told = await ben.take()
    await ben.send(b"\xff\xfb\x1f\xff\xfa\x1f\0\x3c\0\x18\xff\xf0set width\n")
    told += await ben.take()
    assert b"Width is 60." in told
    assert told.count(TelnetPeer().start()) == 1


async def test_a_password_prompted_for_by_another_node_is_hidden(
    cluster: Cluster, quick_passwords: None
) -> None:
    ben = await cluster[2].connect(telnet=True)
    await cluster.nodes[2].relay(1)
    await ben.send("name Ben")
    await ben.take()
    await ben.send(b"register\nseven")
    assert (await ben.take()).startswith(b"\xff\xfb\x01")
    await ben.send(b" hearts\n")
    assert b"again:" in await ben.take()
    await ben.send(b"seven hearts\n")
    told = await ben.take()
    assert b"is registered" in told
    await ben.send(b"\xff\xfd\x01")  # the telnet program agrees only now to hide what is typed
    assert await ben.take() == b"\xff\xfc\x01"
    player = cluster[1].lobby.accounts.find("Ben")
    assert player is not None
    assert player.password_hash == "hash of seven hearts"


@pytest.mark.settings(3)
async def test_lines_in_one_packet_follow_a_session_from_node_to_node_and_home(cluster: Cluster) -> None:
    cluster.delay = 0.05
    (_, ben, _), first = await apart(cluster, "Ann", "Ben", "Cid")
    second, home = [
        (await (await cluster[number].program(name)).done("create four-turn seats=2"))["table"]
        for number, name in ((3, "Dan"), (2, "Eve"))
    ]
    await ben.send(f"1 join {first}")
    await trio.sleep(1)
    await ben.send(f"2 leave\n3 join {second}\n4 say hello\n5 leave\n6 ping x\n".encode())
    for number in range(7, 12):
        await trio.sleep(0.03)
        await ben.send(f"{number} ping")
    await trio.sleep(2)
    answers = [(thing["id"], thing["type"]) for thing in ben.objects if "id" in thing]
    assert answers == [(number, "ok") for number in range(1, 12)]
    assert len(cluster.nodes[2].relays) == 1
    assert cluster.nodes[2].links.linked_nodes == {3}  # node 2 links directly to node 3, not through node 1
    await ben.done(f"join {home}")
    await trio.sleep(1)
    assert names_at(cluster.nodes[2]) == ["Eve", "Ben"]
    assert not cluster.nodes[2].relays


async def test_a_player_who_arrives_is_known_as_last_stored(cluster: Cluster) -> None:
    ann = await cluster[1].program("Ann")
    (player,), accounts = cluster[1].lobby.accounts, cluster[1].lobby.accounts
    cluster[2].lobby.accounts.of_row(
        player.id, cluster.store.player(player.id)
    )  # as if given a table of hers
    token = accounts.issue(player, "10.0.0.1")
    accounts.save(player)
    await trio.sleep(1)
    await cluster.nodes[1].relay(2)
    await trio.sleep(1)
    await ann.done("ping")
    again = await cluster[2].program()
    await again.done(f"resume {token}")


async def test_a_join_at_an_unreachable_or_silent_node_changes_nothing(cluster: Cluster) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    cluster.is_cut = True
    refused = await ben.ask(f"1 join {table}")
    assert (refused["code"], refused["retry"], refused["id"]) == ("MOVED", True, 1)
    cluster.is_cut, cluster.delay = False, 5.0
    await ben.send(f"2 join {table}\n3 ping x\n".encode())
    await trio.sleep(1)
    await ben.send("4 ping y")
    await trio.sleep(1.5)
    answers = [(thing["id"], thing.get("code")) for thing in ben.objects[-3:]]
    assert answers == [(2, "MOVED"), (3, None), (4, None)]
    await trio.sleep(20)
    assert names_at(cluster.nodes[2]) == ["Ben"]
    assert names_at(cluster.nodes[1]) == ["Ann"]
    cluster.delay = 0.0
    assert (await ben.done(f"join {table}"))["table"] == table


def when_accepted(monkeypatch: pytest.MonkeyPatch, call: Callable[[], None]) -> None:
    """Make a call whenever a front learns that another node has accepted its player."""
    genuine = LinkEnd.frame

    async def frame(link: LinkEnd, kind: type[Any]) -> Any:
        found = await genuine(link, kind)
        if kind is Accepted:
            call()
        return found

    monkeypatch.setattr(LinkEnd, "frame", frame)


def break_links(monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[type[Exception]]:
    """Break the next links just as the owner accepts their player; return the errors that have not been raised yet."""
    errors = iter([trio.BrokenResourceError] * times)

    def fail() -> None:
        for error in errors:
            raise error

    when_accepted(monkeypatch, fail)
    return errors


async def test_a_player_is_found_at_a_node_that_has_accepted_them_although_the_link_broke(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    break_links(monkeypatch, 1)
    await ben.send(f"1 join {table}\n2 ping x\n")
    await trio.sleep(2)
    answers = [(thing["id"], thing.get("code")) for thing in ben.objects if "id" in thing]
    assert answers[-2:] == [(1, "MOVED"), (2, None)]
    assert names_at(cluster.nodes[1]) == ["Ann", "Ben"]
    assert (await ben.done(f"join {table}"))["table"] == table


@pytest.mark.settings(3)
async def test_a_seated_player_returns_to_a_node_that_has_accepted_them_although_the_link_broke(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, ben), table = await playing(cluster, "four-turn", "Ann", "Ben")
    broken = break_links(monkeypatch, 3)
    cluster.kill(1)
    await cluster.take_over(1, heir=3)
    await trio.sleep(2)
    assert next(broken, None) is None
    assert (await ben.done("look"))["table"] == table


async def test_a_watcher_whom_another_node_does_not_accept_goes_on_watching(cluster: Cluster) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    cid = await cluster[2].program("Cid", "create four-turn seats=2")
    await ben.done(f"watch {cid.last('ok')['table']}")
    cluster.is_cut = True
    assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
    await cid.done("say hello")
    assert [thing["type"] for thing in await ben.poll()] == ["chat"]


async def test_a_player_who_disconnects_while_the_owner_accepts_the_session_is_gone_from_both_nodes(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    session = cluster[2].session("Ben")
    when_accepted(monkeypatch, partial(session.lost, "lost"))
    await ben.send(f"join {table}")
    await trio.sleep(5)
    assert names_at(cluster.nodes[1]) == ["Ann"]
    assert names_at(cluster.nodes[2]) == []
    assert not cluster.nodes[2].relays


@pytest.mark.settings(3)
async def test_lines_behind_one_for_a_third_node_are_answered_before_the_end_of_input(
    cluster: Cluster,
) -> None:
    (_, ben), first = await apart(cluster, "Ann", "Ben")
    dan = await cluster[3].program("Dan", "create four-turn seats=2")
    await ben.done(f"join {first}")
    assert isinstance(ben.stream, trio.abc.HalfCloseableStream)
    await ben.send(f"1 leave\n2 join {dan.last('ok')['table']}\n3 ping x\n")
    await ben.stream.send_eof()
    await trio.sleep(1)
    assert [thing.get("id") for thing in ben.objects if thing["type"] == "ok"][-3:] == [1, 2, 3]
    assert ben.is_closed


@pytest.mark.settings(outbox=32_768)
async def test_a_slow_player_is_cut_off_at_the_front_node_but_the_link_stays(cluster: Cluster) -> None:
    (ann, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    front = cluster.nodes[2]
    (relay,) = front.relays
    relay.session.transport.write(bytes(30_000))  # bytes the peer has not read yet
    for _ in range(3):
        relay.deliver(bytes(20_000), 0)
    await ann.settle()
    await trio.sleep(5)
    assert ann.events("dropped")[-1]["cause"] == "slow"
    assert ben.is_closed


@pytest.mark.settings(outbox=32_768)
async def test_a_long_list_waits_for_a_slow_reader_on_another_node(cluster: Cluster) -> None:
    await playing(cluster, "four-turn", "Ann", "Ben")
    (relay,) = cluster.nodes[2].relays
    is_read, output = trio.Event(), cluster[1].session("Ben").transport
    relay.session.transport._stream.send_stream.send_all_hook = is_read.wait  # type: ignore[attr-defined]
    relay.deliver(bytes(20_000), 0)
    await trio.sleep(0.1)
    assert output.waiting >= 20_000
    is_read.set()
    await trio.sleep(0.1)
    assert output.waiting == 0


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("name", ["cactus", "looking-back", "lost-window", "speech", "whole-visit"])
async def test_a_conversation_over_links_is_word_for_word_that_of_a_single_server(
    autojump_clock: object, golden: GoldenFiles, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    @contextlib.asynccontextmanager
    async def open_front(*, seed: int, **how: Any) -> AsyncIterator[House]:
        """Open a house whose people are relayed to another node."""
        async with open_cluster(2, seed=seed, **how) as cluster:
            front, connect = cluster.nodes[2], cluster[2].connect

            async def connect_and_relay() -> Peer:
                peer = await connect()
                await front.relay(1)
                await peer.settle()
                assert not list(front.lobby.sessions)
                return peer

            monkeypatch.setattr(front.house, "connect", connect_and_relay)
            yield front.house

    monkeypatch.setattr(conversations, "open_house", open_front)
    told = await conversations.spoken(conversations.SCRIPTS[name])
    golden.check(conversations.PAGES / f"{name}.txt", told)


@pytest.mark.parametrize("cause", ["slow", "lost"])
async def test_a_session_that_its_owner_cuts_off_ends_on_both_nodes(cluster: Cluster, cause: str) -> None:
    (ann, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    cluster[1].session("Ben").transport.cut_off(cause)
    await ann.settle()
    assert ann.events("dropped")[-1]["cause"] == cause
    await trio.sleep(5)
    assert ben.is_closed
    assert names_at(cluster.nodes[1]) == ["Ann"]
    assert not cluster.nodes[2].relays
