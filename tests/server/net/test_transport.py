"""A transport over a stream: limited and never blocking, with what the kernel reports; see also ``test_transports``."""

import socket
import struct
import sys

import pytest
import trio
import trio.testing

from golfnet.server.net.transport import KernelRoundTrip, StreamTransport, kernel_round_trip
from tests.server.house import House, Program
from tests.server.listeners import Listener

TCP_INFO = 11


class Socket:
    """A socket with a given TCP_INFO."""

    def __init__(self, info: bytes) -> None:
        self.info = info

    def getsockopt(self, level: int, option: int, size: int) -> bytes:
        assert (level, option) == (socket.IPPROTO_TCP, TCP_INFO)
        return self.info[:size]


def info(*, smoothed: int, smallest: int, delivered: int) -> bytes:
    """Return Linux's structure, as defined in linux/tcp.h."""
    fields = [0] * 21
    fields[15] = smoothed
    head = struct.pack("=8B", *[0] * 8) + struct.pack("=21I", *fields) + struct.pack("=3I", 0, 0, 0)
    rates = struct.pack("=4Q2I", 0, 0, 0, 0, 0, 0)
    tail = struct.pack("=4I", 0, smallest, 0, 0) + struct.pack("=4Q", 0, 0, 0, 0)
    return head + rates + tail + struct.pack("=2I", delivered, 0) + bytes(40)


@pytest.fixture(autouse=True)
def _linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(socket, "TCP_INFO", TCP_INFO, raising=False)


def told(of: bytes) -> KernelRoundTrip | None:
    return kernel_round_trip(Socket(of))  # type: ignore[arg-type]


def test_linux_reports_smallest_and_smoothed_round_trip_and_delivered_count() -> None:
    of = info(smoothed=48_000, smallest=41_000, delivered=7)
    assert told(of) == KernelRoundTrip(0.041, 0.048, 7)


@pytest.mark.parametrize("platform", ["freebsd14", "netbsd10", "darwin", "win32"])
def test_the_structure_that_other_systems_give_the_same_name_is_not_read(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert told(info(smoothed=48_000, smallest=41_000, delivered=7)) is None


@pytest.mark.parametrize(("smoothed", "smallest"), [(0, 41_000), (48_000, 0), (48_000, 0xFFFFFFFF)])
def test_figures_not_measured_yet_are_not_reported(smoothed: int, smallest: int) -> None:
    assert told(info(smoothed=smoothed, smallest=smallest, delivered=0)) is None


def test_an_older_kernels_shorter_structure_reports_nothing() -> None:
    assert told(info(smoothed=48_000, smallest=41_000, delivered=7)[:192]) is None


def test_a_closed_or_non_tcp_socket_reports_nothing() -> None:
    left, right = socket.socketpair()
    with left, right:
        assert kernel_round_trip(left) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's own figures")
def test_the_figures_of_a_real_connection_are_plausible() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        with client, peer:
            for _ in range(5):
                peer.sendall(b"x")
                assert client.recv(1) == b"x"
                client.sendall(b"y")
                assert peer.recv(1) == b"y"
            figures = kernel_round_trip(peer)
    assert figures is not None
    assert 0 < figures.smallest <= figures.smoothed < 1
    assert figures.delivered >= 5


OUTBOX = 32_768


async def test_a_peer_that_reads_too_little_is_cut_off_at_the_limit(autojump_clock: object) -> None:
    here, there = trio.testing.memory_stream_pair()
    there.send_stream.send_all_hook = trio.sleep_forever
    transport = StreamTransport(there, "127.0.0.1", OUTBOX)
    listener = Listener(transport)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(transport.run, lambda transport: listener)
        await trio.testing.wait_all_tasks_blocked()
        for data, told in ((b"first", []), (b"x" * OUTBOX, []), (b"y", ["slow"])):
            transport.write(data)
            await trio.testing.wait_all_tasks_blocked()
            assert listener.heard == told
        await here.aclose()


async def stall(house: House, peer: Program) -> None:
    """Stop the peer from reading, so that from now on the server's output stays queued."""
    [session] = [s for s in house.lobby.sessions if s.player is not None and s.player.name == peer.name]
    stream = session.transport._stream.send_stream  # type: ignore[attr-defined]
    stream.send_all_hook = trio.sleep_forever


@pytest.mark.settings(outbox=OUTBOX)
async def test_a_player_cut_off_for_not_reading_gets_one_full_view_on_return(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    await stall(house, bob)
    for _ in range(400):
        await ann.done(f"say {'x' * 200}")
    dropped = ann.events("dropped")
    assert [event["cause"] for event in dropped] == ["slow"]
    await ann.done("peek 3 4")
    back = await house.resumed(bob)
    kinds = [thing["type"] for thing in back.objects if thing["type"] not in ("welcome", "ok")]
    assert kinds == ["view", "prompt"]
    assert back.last("view")["seq"] >= dropped[0]["seq"]


@pytest.mark.settings(outbox=OUTBOX)
async def test_nobody_has_to_wait_for_a_slow_peer(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    await stall(house, bob)
    begun = trio.current_time()
    for number in range(100):
        assert (await ann.done(f"ping {number}"))["key"] == str(number)
    assert trio.current_time() == begun
