"""Who may link to a node, how little strangers can do, and that a link carries only output for its player."""

import random
from collections import defaultdict

import msgspec
import pytest
import trio

from golfnet.protocol.links import Accepted, Caller, FrameReader, Hello, Output, Proof, StampArrivals, encode
from golfnet.server.links.links import CHECK_SECONDS, PROVE_SECONDS, UNPROVEN
from golfnet.server.net.transport import StreamTransport
from tests.server.cluster import Cluster, apart, names_at, playing
from tests.server.house import Peer, play_at_random


async def stranger_at(cluster: Cluster, node: int, address: str = "10.0.0.99") -> Peer:
    """Return a stranger connected to a node's link port."""
    peer = Peer(cluster.knock(node, address))
    cluster[node].nursery.start_soon(peer.read)
    await peer.settle()
    return peer


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytearray]:
    """Return everything written to connections from now on, by the address at the other end."""
    kept: dict[str, bytearray] = defaultdict(bytearray)
    write = StreamTransport.write

    def keep(transport: StreamTransport, data: bytes) -> None:
        kept[transport.address] += data
        write(transport, data)

    monkeypatch.setattr(StreamTransport, "write", keep)
    return kept


@pytest.mark.settings(3)
@pytest.mark.parametrize(
    ("liar", "unreached"), [(1, {1: {2, 3}, 2: {1}, 3: {1}}), (2, {1: {2}, 2: {1, 3}, 3: {2}})]
)
async def test_a_node_with_another_secret_neither_gets_nor_gives_sessions_and_is_reported(
    cluster: Cluster,
    written: dict[str, bytearray],
    caplog: pytest.LogCaptureFixture,
    liar: int,
    unreached: dict[int, set[int]],
) -> None:
    cluster.nodes[liar].links.secret = "a guess"
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    assert (await ben.ask(f"join {table}"))["code"] == "MOVED"
    assert written["10.0.0.1"]
    assert b"player" not in written["10.0.0.1"]
    assert names_at(cluster.nodes[2]) == ["Ben"]
    await trio.sleep(3 * CHECK_SECONDS)
    assert cluster.state.unreached == unreached
    assert any(each.startswith("node 1 has a different secret") for each in caplog.messages)


async def test_nodes_that_cannot_reach_each_other_are_reported_until_they_can(cluster: Cluster) -> None:
    reports = []
    for cluster.is_cut in (False, True, False):
        await trio.sleep(3 * CHECK_SECONDS)
        reports.append(dict(cluster.state.unreached))
    assert reports == [{}, {1: {2}, 2: {1}}, {1: set(), 2: set()}]
    assert not cluster.nodes[1].links.greeted


HELLO = encode(Hello(2, 1, bytes(16)))


async def test_a_front_without_the_secret_is_refused_and_the_log_says_why(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = await stranger_at(cluster, 1)
    await stranger.send(HELLO + encode(Proof(proof=bytes(32))))
    await stranger.settle()
    assert stranger.is_closed
    assert not cluster.nodes[1].links.greeted
    assert any("expected a proof of the cluster's secret" in each for each in caplog.messages)


async def test_strangers_are_refused_and_silent_ones_make_room_so_nodes_can_link(cluster: Cluster) -> None:
    for nonsense in (b"GET / HTTP/1.1\r\n", b"\xff\xffS", b"\0\0K", b"\0\x1aH\0\x02" + bytes(24)):
        stranger = await stranger_at(cluster, 1)
        await stranger.send(nonsense)
        await stranger.settle()
        assert stranger.is_closed
    talker = await stranger_at(cluster, 1)
    await talker.send(HELLO)
    silent = [await stranger_at(cluster, 1) for _ in range(UNPROVEN + 6)]
    assert [each.is_closed for each in (talker, *silent)] == [False] + [True] * 6 + [False] * UNPROVEN
    for number in range(UNPROVEN + 6):
        other = await stranger_at(cluster, 1, f"10.0.1.{number}")
        await other.send(HELLO)
        await other.settle()
    assert len(cluster.nodes[1].links.greeted) == UNPROVEN
    (_, ben), table = await apart(cluster, "Ann", "Ben")
    assert (await ben.done(f"join {table}"))["table"] == table
    await trio.sleep(PROVE_SECONDS + 2.5)
    assert all(each.is_closed for each in silent)
    assert len(cluster.nodes[1].links.silent) == len(cluster.nodes[1].links.greeted) == 0


async def test_a_link_carries_no_output_that_the_player_does_not_get(
    cluster: Cluster, written: dict[str, bytearray]
) -> None:
    (ann, ben), _ = await playing(cluster, "four-turn", "Ann", "Ben")
    await play_at_random([ann, ben], random.Random(3))
    frames = list(FrameReader().feed(bytes(written["10.0.0.2"])))
    told = b"".join([frame.data for frame in frames if isinstance(frame, Output)])
    objects = [msgspec.json.decode(line) for line in told.splitlines()]
    assert objects == ben.objects[-len(objects) :]
    assert {type(frame) for frame in frames} <= {Proof, Accepted, Output, Caller, StampArrivals}
