"""Sessions that go from node to node: what players see of it, which is nothing but their tables."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import trio

from golfnet.protocol.links.frames import VERSION, FrameKind, FrameReader, encode, encode_hello
from golfnet.protocol.links.handover import Handover
from golfnet.protocol.replies.replies import Bye
from golfnet.server.links.link_acceptor import PROVE_SECONDS, UNPROVEN
from golfnet.server.links.relay import SEEK_SECONDS
from tests.server.cluster import Cluster, Node, open_cluster
from tests.server.house import Peer, Program, play_at_random

if TYPE_CHECKING:
    import pytest


def names_at(node: Node) -> list[str]:
    """Return the players whose sessions are at a node."""
    return [session.player.name for session in node.lobby.sessions if session.player is not None]


async def two_at_a_table(
    cluster: Cluster, *, create: str = "four-turn seats=2"
) -> tuple[Program, Program, str]:
    """Return Ann at node 1 and Ben at node 2, both at a running table of node 1, and its id."""
    ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
    table = (await ann.done(f"create {create}"))["table"]
    await ben.done(f"join {table}")
    await ben.done("ready")
    await ann.done("ready")
    await ann.poll()
    await ben.poll()
    return ann, ben, str(table)


def codes(peer: Program) -> list[str]:
    return [thing["code"] for thing in peer.objects if thing["type"] == "notice"]


async def test_programs_of_two_nodes_play_a_match(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        await play_at_random([ann, ben], random.Random(1))
        assert names_at(cluster.nodes[1]) == ["Ann", "Ben"]
        assert names_at(cluster.nodes[2]) == []
        assert len(cluster.nodes[2].links.relays) == 1


async def test_lines_in_one_packet_are_carried_out_in_order_by_both_nodes(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        await ben.send(f"1 ping a\n2 join {table}\n3 say hello\n4 ping b\n5 pi".encode())
        await ben.poll()
        await ben.send(b"ng c\n")
        await ben.poll()
        answers = [(thing["id"], thing["type"]) for thing in ben.objects if "id" in thing]
        assert answers == [(number, "ok") for number in range(1, 6)]


async def test_what_is_sent_during_a_hand_over_is_carried_out_by_the_other_node(
    autojump_clock: object,
) -> None:
    async with open_cluster() as cluster:
        cluster.delay = 0.1
        ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        await ben.send(f"1 join {table}")
        await trio.sleep(0.15)
        await ben.send("2 say hello")
        await trio.sleep(1)
        await ben.poll()
        assert [thing["id"] for thing in ben.objects if "id" in thing] == [1, 2]
        await ann.poll()
        assert ann.last("chat")["text"] == "hello"


async def test_a_telnet_peer_goes_on_in_the_middle_of_its_negotiation(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann = await cluster.nodes[1].house.program("Ann")
        table = (await ann.done("create four-turn seats=2"))["table"]
        ben = await cluster.nodes[2].house.connect(telnet=True)
        await ben.send("name Ben")
        await ben.send(b"\xff\xfb\x1f\xff\xfb\x18")
        await ben.send(f"join {table}\n".encode() + b"\xff\xfa\x1f\0\x3c")
        await ben.take()
        assert names_at(cluster.nodes[1]) == ["Ann", "Ben"]
        await ben.send(b"\0\x18\xff\xf0set width\n")
        assert b"Width is 60." in await ben.take()


async def test_a_password_that_was_asked_for_is_hidden_and_kept_by_the_next_node(
    autojump_clock: object, quick_passwords: None
) -> None:
    async with open_cluster() as cluster:
        ben = await cluster.nodes[2].house.connect(telnet=True)
        await ben.send("name Ben")
        await ben.take()
        await ben.send(b"register\nseven")
        assert (await ben.take()).startswith(b"\xff\xfb\x01")
        (session,) = cluster.nodes[2].lobby.sessions
        await cluster.nodes[2].give(session, 1)
        await ben.send(b" hearts\n")
        assert b"again:" in await ben.take()
        await ben.send(b"seven hearts\n")
        told = await ben.take()
        assert b"is registered" in told
        await ben.send(b"\xff\xfd\x01")  # only now it agrees to hide what is typed
        assert await ben.take() == b"\xff\xfc\x01"
        player = cluster.nodes[1].lobby.accounts.find("Ben")
        assert player is not None
        assert player.password_hash == "hash of seven hearts"


async def test_a_session_goes_on_to_a_third_node_and_home_again(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann = await cluster.nodes[1].house.program("Ann")
        cid = await cluster.nodes[3].house.program("Cid")
        ben = await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        other = (await cid.done("create four-turn seats=2"))["table"]
        await ben.done(f"join {table}")
        await ben.done("leave")
        await ben.done(f"join {other}")
        assert names_at(cluster.nodes[1]) == ["Ann"]
        assert names_at(cluster.nodes[3]) == ["Cid", "Ben"]
        (relay,) = cluster.nodes[2].links.relays
        assert relay.linked_node == 3  # one link, not a chain
        await ben.done("leave")
        eve = await cluster.nodes[2].house.program("Eve")
        home = (await eve.done("create four-turn seats=2"))["table"]
        await ben.done(f"join {home}")
        assert names_at(cluster.nodes[2]) == ["Eve", "Ben"]
        assert not cluster.nodes[2].links.relays
        assert "dropped" not in str(ann.objects + cid.objects)


async def test_lines_in_one_packet_follow_a_session_from_node_to_node(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        cluster.delay = 0.05
        ann = await cluster.nodes[1].house.program("Ann")
        cid = await cluster.nodes[3].house.program("Cid")
        ben = await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        other = (await cid.done("create four-turn seats=2"))["table"]
        await ben.send(f"1 join {table}")
        await trio.sleep(1)
        await ben.send(f"2 leave\n3 join {other}\n4 say hello\n5 leave\n6 ping x\n".encode())
        for number in range(7, 12):
            await trio.sleep(0.03)
            await ben.send(f"{number} ping")
        await trio.sleep(2)
        await ben.poll()
        answers = [(thing["id"], thing["type"]) for thing in ben.objects if "id" in thing]
        assert answers == [(number, "ok") for number in range(1, 12)]


async def test_a_node_that_cannot_be_reached_leaves_everything_as_it_was(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        cluster.is_cut = True
        refused = await ben.ask(f"7 join {table}")
        assert (refused["code"], refused["retry"], refused["id"]) == ("MOVED", True, 7)
        assert names_at(cluster.nodes[2]) == ["Ben"]
        assert (await ben.done("8 ping x"))["id"] == 8
        cluster.is_cut = False
        assert (await ben.done(f"join {table}"))["table"] == table


async def test_a_node_that_does_not_answer_is_given_up_after_two_seconds(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        cluster.delay = 5.0
        began = trio.current_time()
        await ben.send(f"1 join {table}\n2 ping x\n".encode())
        await trio.sleep(1)
        await ben.send("3 ping y")
        await trio.sleep(1.5)
        await ben.poll()
        answers = [(thing["id"], thing.get("code")) for thing in ben.objects if "id" in thing]
        assert answers == [(1, "MOVED"), (2, None), (3, None)]
        await trio.sleep(20)
        assert names_at(cluster.nodes[2]) == ["Ben"]
        assert names_at(cluster.nodes[1]) == ["Ann"]
        assert began < trio.current_time()


async def test_who_hangs_up_during_a_hand_over_is_gone_from_both_nodes(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Ben")
        table = (await ann.done("create four-turn seats=2"))["table"]
        cluster.delay = 0.3
        await ben.send(f"join {table}")
        await trio.sleep(0.5)
        await ben.drop()
        await trio.sleep(5)
        assert names_at(cluster.nodes[1]) == ["Ann"]
        assert names_at(cluster.nodes[2]) == []
        assert not cluster.nodes[2].links.relays


async def test_a_relayed_player_who_hangs_up_drops_out_of_the_seat(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        await ben.drop()
        await ann.poll()
        assert ann.events("dropped")[-1]["cause"] == "lost"


async def test_the_end_of_input_follows_the_last_line(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        assert isinstance(ben.stream, trio.abc.HalfCloseableStream)
        await ben.send("say bye all")
        await ben.stream.send_eof()
        await ann.poll()
        await ben.settle()
        assert ann.last("chat")["text"] == "bye all"
        assert ben.is_closed


async def test_quit_delivers_the_goodbye_before_the_connection_closes(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        _, ben, _ = await two_at_a_table(cluster)
        await ben.done("quit")
        assert ben.objects[-1]["code"] == "QUIT"
        assert ben.is_closed
        assert not cluster.nodes[2].links.relays


async def test_a_front_that_dies_drops_its_players_and_they_come_back_elsewhere(
    autojump_clock: object,
) -> None:
    async with open_cluster(3) as cluster:
        ann, ben, table = await two_at_a_table(cluster)
        cluster.kill(2)
        await ann.poll()
        assert ann.events("dropped")[-1]["seat"] == "B"
        again = await cluster.nodes[3].house.program()
        assert (await again.done(f"resume {ben.token}"))["table"] == table
        await ann.poll()
        assert ann.events("returned")[-1]["seat"] == "B"


async def test_players_of_a_dead_node_wait_and_go_on_at_its_heir(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        _, ben, table = await two_at_a_table(cluster)
        cluster.kill(1)
        await ben.send("1 ping x")
        await trio.sleep(3)
        await ben.poll()
        assert codes(ben)[-1] == "MOVING"
        assert "id" not in str(ben.objects[-1])
        await cluster.take_over(1, heir=3)
        await trio.sleep(1)
        await ben.poll()
        assert ben.last("view")["table"] == table
        assert ben.last("ok")["id"] == 1
        assert names_at(cluster.nodes[3]) == ["Ben"]


async def test_a_person_is_told_of_the_move_in_words(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann = await cluster.nodes[1].house.program("Ann")
        table = (await ann.done("create four-turn seats=2"))["table"]
        ben = await cluster.nodes[2].house.person("Ben")
        await ben.say(f"join {table}")
        await ben.say("set prefix off")
        cluster.kill(1)
        await trio.sleep(0.1)
        told = (await ben.take()).decode()
        assert "Your table moves to another machine; a moment." in told
        await cluster.take_over(1, heir=2)
        await trio.sleep(1)
        assert f"{table}" in (await ben.take()).decode()
        assert not cluster.nodes[2].links.relays  # it came home
        assert "Prefix is off." in await ben.say("set prefix")


async def test_a_table_that_does_not_come_back_ends_the_connection_after_a_while(
    autojump_clock: object,
) -> None:
    async with open_cluster() as cluster:
        _, ben, _ = await two_at_a_table(cluster)
        cluster.kill(1)
        await trio.sleep(SEEK_SECONDS - 0.5)
        await ben.poll()
        assert codes(ben)[-1] == "MOVING"
        await trio.sleep(1)
        await ben.poll()
        assert (ben.objects[-1]["type"], ben.objects[-1]["code"]) == ("bye", "MOVED")
        assert ben.is_closed
        assert not cluster.nodes[2].links.relays


async def test_a_watcher_whose_link_breaks_goes_on_at_its_front(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, eve = await cluster.nodes[1].house.program("Ann"), await cluster.nodes[2].house.program("Eve")
        table = (await ann.done("create four-turn seats=2"))["table"]
        await eve.done(f"watch {table}")
        (session,) = [it for it in cluster.nodes[1].lobby.sessions if it.player and it.player.name == "Eve"]
        session.transport._below.cut_off("lost")  # type: ignore[attr-defined]
        await trio.sleep(1)
        assert sum(names_at(node).count("Eve") for node in cluster.nodes.values()) == 1
        assert (await eve.ask("ping"))["type"] == "ok"


async def test_a_node_declared_gone_is_left_though_its_links_stay_open(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        _, ben, table = await two_at_a_table(cluster)
        await cluster.take_over(1, heir=3)
        await trio.sleep(2)
        await ben.poll()
        assert ben.last("view")["table"] == table
        assert names_at(cluster.nodes[3]) == ["Ben"]


async def test_no_more_than_so_many_lines_wait_for_a_dead_node(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        _, ben, _ = await two_at_a_table(cluster)
        cluster.kill(1)
        await trio.sleep(0.1)
        (relay,) = cluster.nodes[2].links.relays
        cluster.nodes[2].house.nursery.start_soon(ben.send, b"".join(b"%d ping\n" % n for n in range(5000)))
        await trio.sleep(0.1)
        assert sum(len(data) for data, _ in relay._kept) < 64 * 1024
        assert relay._is_paused
        await cluster.take_over(1, heir=3)
        for _ in range(40):
            await trio.sleep(0.2)
            await ben.poll()
        assert [thing["id"] for thing in ben.objects if "id" in thing and thing["type"] == "ok"] == [
            *range(5000)
        ]


async def test_an_account_that_changed_is_known_to_the_next_node(
    autojump_clock: object, quick_passwords: None
) -> None:
    async with open_cluster(3) as cluster:
        _, ben, table = await two_at_a_table(cluster)
        token = (await ben.done("register seven-hearts"))["token"]
        await ben.done("set width 44")
        cluster.kill(1)
        await cluster.take_over(1, heir=3)
        await trio.sleep(1)
        await ben.poll()
        assert ben.last("view")["table"] == table
        again = await cluster.nodes[3].house.program()
        assert (await again.done(f"resume {token}"))["table"] == table
        await ben.settle()
        assert ben.is_closed  # taken over


async def test_a_slow_player_is_cut_off_at_the_front_and_not_the_link(autojump_clock: object) -> None:
    async with open_cluster(outbox=32_768) as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        front = cluster.nodes[2]
        (relay,) = front.links.relays
        relay.transport.write(bytes(30_000))  # what a peer has not read yet
        for _ in range(3):
            relay.told(bytes(20_000))
        await ann.settle()
        await trio.sleep(5)
        await ann.poll()
        assert ann.events("dropped")[-1]["cause"] == "slow"
        assert ben.is_closed


async def test_a_long_list_waits_for_a_slow_reader_far_away(autojump_clock: object) -> None:
    async with open_cluster(outbox=32_768) as cluster:
        await two_at_a_table(cluster)
        (relay,) = cluster.nodes[2].links.relays
        session = next(s for s in cluster.nodes[1].lobby.sessions if s.player and s.player.name == "Ben")
        waiting = [0]

        class Full:
            """The player's transport while much waits."""

            def __getattr__(self, name: str) -> object:
                return getattr(transport, name)

            @property
            def waiting(self) -> int:
                return waiting[0]

            def wake(self) -> None:
                """Give no turn: nothing is read."""

        transport = relay.transport
        relay.transport = Full()  # type: ignore[assignment]
        waiting[0] = 20_000
        relay.told(b"x")
        await trio.sleep(0.1)
        assert session.transport.waiting >= 20_000
        waiting[0] = 0
        relay.proceed()
        await trio.sleep(0.1)
        assert session.transport.waiting == 0


async def test_a_stopping_front_says_goodbye(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        cluster.nodes[2].links.stop(Bye(code="SHUTDOWN", text="The server is stopping."))
        await ben.poll()
        assert ben.objects[-1]["code"] == "SHUTDOWN"
        assert ben.is_closed
        await ann.poll()
        assert ann.events("dropped")[-1]["seat"] == "B"


# --- strangers


async def stranger_at(cluster: Cluster, node: int) -> Peer:
    """Return a stranger at the link port of a node."""
    peer = Peer(await cluster.knock(node))
    cluster.nodes[node].house.nursery.start_soon(peer.read)
    await peer.settle()
    return peer


async def test_a_node_with_another_secret_gets_no_session_and_gives_none(
    autojump_clock: object, caplog: pytest.LogCaptureFixture
) -> None:
    for liar in (1, 2):
        async with open_cluster(secrets={liar: "a guess"}) as cluster:
            ann, ben = (
                await cluster.nodes[1].house.program("Ann"),
                await cluster.nodes[2].house.program("Ben"),
            )
            table = (await ann.done("create four-turn seats=2"))["table"]
            assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
            assert b"player" not in cluster.carried[2, 1]
            assert names_at(cluster.nodes[2]) == ["Ben"]
        assert any(each.startswith("node 1 has another secret") for each in caplog.messages)


async def test_a_front_without_the_secret_is_refused_and_the_log_says_why(
    autojump_clock: object, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_cluster() as cluster:
        stranger = await stranger_at(cluster, 1)
        await stranger.send(encode_hello(2, bytes(16)) + encode(FrameKind.PROOF, bytes(48)))
        await stranger.settle()
        assert stranger.is_closed
        assert cluster.nodes[1].acceptor.unproven == 0
    assert any(each.endswith("expected a proof of the cluster's secret") for each in caplog.messages)


async def test_a_node_of_another_version_of_links_is_refused_and_the_log_says_why(
    autojump_clock: object, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_cluster() as cluster:
        newer = await stranger_at(cluster, 1)
        await newer.send(b"\0\x1aH" + (VERSION + 1).to_bytes(2) + bytes(24))
        await newer.settle()
        assert newer.is_closed
    wanted = f"expected version {VERSION} of links, not {VERSION + 1}"
    assert any(each.endswith(wanted) for each in caplog.messages)


async def test_a_stranger_is_refused_with_few_bytes_in_little_time(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        acceptor = cluster.nodes[1].acceptor
        for nonsense in (b"GET / HTTP/1.1\r\n", b"\xff\xffS", b"\0\0K", b"\0\x1aH\0\x02" + bytes(24)):
            stranger = await stranger_at(cluster, 1)
            await stranger.send(nonsense)
            await stranger.settle()
            assert stranger.is_closed
        silent = [await stranger_at(cluster, 1) for _ in range(UNPROVEN)]
        assert not acceptor.admit("10.0.0.9")
        await trio.sleep(PROVE_SECONDS + 2.5)
        assert all(each.is_closed for each in silent)
        assert acceptor.unproven == 0
        assert acceptor.admit("10.0.0.9")


def test_only_private_addresses_may_link() -> None:
    from golfnet.server.links.link_acceptor import _is_private

    assert all(_is_private(each) for each in ("127.0.0.1", "10.1.2.3", "192.168.0.7", "::1", "fd00::1"))
    assert not any(_is_private(each) for each in ("8.8.8.8", "2001:4860::1", "nowhere", ""))


# --- secrecy


async def test_a_link_carries_what_the_player_gets_and_nothing_else(autojump_clock: object) -> None:
    async with open_cluster() as cluster:
        ann, ben, _ = await two_at_a_table(cluster)
        await play_at_random([ann, ben], random.Random(3))
        frames = list(FrameReader().feed(bytes(cluster.carried[1, 2])))
        told = b"".join([frame.payload for frame in frames if frame.kind is FrameKind.BYTES])
        objects = [msgspec.json.decode(line) for line in told.splitlines()]
        assert objects == ben.objects[-len(objects) :]
        known = {FrameKind.PROOF, FrameKind.TAKEN, FrameKind.BYTES, FrameKind.LATEST, FrameKind.STAMPS}
        assert {frame.kind for frame in frames} <= known
        states = [Handover.decode(frame.payload[1:]) for frame in frames if frame.kind is FrameKind.LATEST]
        assert states
        assert not any(
            state.writer.repeats.parts or state.writer.pager.rest or state.lines for state in states
        )


async def test_a_stopping_owner_leaves_its_relayed_players_to_the_next(autojump_clock: object) -> None:
    async with open_cluster(3) as cluster:
        ann, ben, table = await two_at_a_table(cluster)
        lobby = cluster.nodes[1].lobby
        lobby.links = cluster.nodes[1].links
        lobby.stop()
        await ann.poll()
        assert ann.objects[-1]["code"] == "SHUTDOWN"
        await trio.sleep(0.1)
        cluster.kill(1)
        await cluster.take_over(1, heir=3)
        await trio.sleep(1)
        await ben.poll()
        assert codes(ben)[-1] == "MOVING"
        assert ben.last("view")["table"] == table
