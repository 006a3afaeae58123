"""Both transports keep one contract: what a session is told, what its peer gets, and what becomes of bad peers."""

from __future__ import annotations

import contextlib
import errno
import itertools
import socket
import struct
from contextlib import AbstractContextManager, asynccontextmanager
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from golfnet.server.budget import CHUNK
from golfnet.server.clock import Timers
from golfnet.server.transport import hub as hub_module
from golfnet.server.transport.hub import Hub
from golfnet.server.transport.hub_transport import HubTransport
from golfnet.server.transport.stream import StreamTransport
from golfnet.server.transport.transport import LINGER_BYTES, LINGER_SECONDS, TOO_MANY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from golfnet.server.transport.transport import Transport

OUTBOX = 8 * 1024 * 1024
MORE_THAN_THE_KERNEL_HOLDS = 16 * 1024 * 1024


class Listener:
    """A session that writes down what it is told, and does what a test wants it to do with bytes."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.heard: list[object] = []
        self.times: list[float] = []
        self.do: Callable[[bytes], None] = lambda data: None

    def receive(self, data: bytes, arrived: float) -> None:
        self.heard.append(data)
        self.times.append(arrived)
        self.do(data)

    def proceed(self) -> None:
        self.heard.append("turn")

    def end_of_input(self) -> None:
        self.heard.append("end of input")

    def lost(self, cause: str) -> None:
        self.heard.append(cause)

    @property
    def text(self) -> bytes:
        return b"".join(each for each in self.heard if isinstance(each, bytes))

    @property
    def told(self) -> list[object]:
        return [each for each in self.heard if not isinstance(each, bytes)]


class House:
    """A server of listeners."""

    def __init__(self) -> None:
        self.port = 0
        self.stop: Callable[[], None] = lambda: None
        self.sessions: list[Listener] = []
        self.gone: list[str] = []
        self.refuses = False

    def admit(self, address: str) -> bool:
        return not self.refuses

    def welcome(self, transport: Transport) -> Listener:
        self.sessions.append(Listener(transport))
        return self.sessions[-1]

    def gone_from(self, address: str) -> None:
        self.gone.append(address)

    async def connect(self) -> tuple[trio.socket.SocketType, Listener]:
        """Return a connection's far end and its session."""
        sock = trio.socket.socket()
        before = len(self.sessions)
        await sock.connect(("127.0.0.1", self.port))
        while len(self.sessions) == before:
            await wait_all_tasks_blocked()
        return sock, self.sessions[-1]


class HubAcceptor:
    """A house as the acceptor of a hub."""

    def __init__(self, house: House) -> None:
        self.admit = house.admit
        self.welcome = house.welcome
        self.gone = house.gone_from


def listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


@asynccontextmanager
async def by_hub(around: AbstractContextManager[object] | None = None) -> AsyncIterator[House]:
    house, timers, sock = House(), Timers(), listening()
    house.port = sock.getsockname()[1]
    hub = Hub(timers, outbox=OUTBOX, around=around)
    hub.listen(sock, HubAcceptor(house))
    house.stop = hub.stop
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        nursery.start_soon(hub.run)
        yield house
        nursery.cancel_scope.cancel()
    assert not hub.connections


@asynccontextmanager
async def by_stream() -> AsyncIterator[House]:
    house, sock = House(), listening()
    house.port = sock.getsockname()[1]
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))

    async def serve(stream: trio.SocketStream) -> None:
        await StreamTransport(stream, "127.0.0.1", OUTBOX).run(house.welcome)
        house.gone_from("127.0.0.1")

    doors = trio.CancelScope()
    house.stop = doors.cancel

    async def accept(nursery: trio.Nursery) -> None:
        with doors:
            await trio.serve_listeners(serve, [listener], handler_nursery=nursery)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept, nursery)
        yield house
        nursery.cancel_scope.cancel()


@pytest.fixture(
    params=[
        pytest.param(by_hub, marks=pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")),
        by_stream,
    ],
    ids=["hub", "stream"],
)
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with request.param() as house:
        yield house


async def read_all(sock: trio.socket.SocketType) -> bytes:
    """Return what comes until the server closes."""
    received = bytearray()
    while data := await sock.recv(65536):
        received += data
    return bytes(received)


async def until(condition: Callable[[], object]) -> None:
    """Let the server work until something is true."""
    for _ in range(1000):
        if condition():
            return
        await wait_all_tasks_blocked()
    raise AssertionError("it did not come true")


async def test_bytes_come_in_order_and_with_the_time_of_their_arrival(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()
    with sock:
        await sock.send(b"one")
        await until(lambda: session.text == b"one")
        before = trio.current_time()
        await trio.sleep(5)
        await sock.send(b"two")
        await until(lambda: session.text == b"onetwo")
        assert session.times == [pytest.approx(before), pytest.approx(before + 5)]
        assert session.transport.address == "127.0.0.1"


async def test_what_is_written_comes_out_in_order_whenever_it_was_written(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()

    def echo(data: bytes) -> None:
        session.transport.write(data)
        session.transport.write(b"!")

    session.do = echo
    with sock:
        session.transport.write(b"hello ")
        await sock.send(b"a")
        assert await receive(sock, 8) == b"hello a!"
        await trio.sleep(1)
        session.transport.write(b"later")
        assert await receive(sock, 5) == b"later"


async def receive(sock: trio.socket.SocketType, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        data = await sock.recv(count - len(received))
        assert data, f"the connection ended after {len(received)} of {count} bytes"
        received += data
    return bytes(received)


async def test_what_is_written_at_once_to_a_peer_arrives_in_one_piece(house: House) -> None:
    first, first_session = await house.connect()
    second, second_session = await house.connect()
    with first, second:

        def tell_the_other(data: bytes) -> None:
            second_session.transport.write(b"event\n")
            second_session.transport.write(b"prompt\n")

        first_session.do = tell_the_other
        await first.send(b"act\n")
        assert await second.recv(1000) == b"event\nprompt\n"


async def test_a_megabyte_goes_through_both_ways(house: House) -> None:
    sock, session = await house.connect()
    session.do = session.transport.write
    piece = bytes(range(256)) * 32
    with sock:
        stream = trio.SocketStream(sock)
        for _ in range(128):
            await stream.send_all(piece)
            assert await receive(sock, len(piece)) == piece


async def test_a_peer_that_stops_sending_is_still_answered(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    with sock:
        await sock.send(b"last words")
        sock.shutdown(socket.SHUT_WR)
        await until(lambda: session.told)
        assert session.heard == [b"last words", "end of input"]
        await trio.sleep(10)
        session.transport.write(b"answer")
        session.transport.close()
        assert await read_all(sock) == b"answer"
    await until(lambda: house.gone)
    assert session.told == ["end of input"]


async def test_close_sends_what_waits_and_the_peer_sees_an_end_and_no_reset(house: House) -> None:
    sock, session = await house.connect()

    def leave(data: bytes) -> None:
        session.transport.write(b"bye")
        session.transport.close()
        session.transport.write(b"never")

    session.do = leave
    with sock:
        await sock.send(b"quit")
        assert await read_all(sock) == b"bye"
    await until(lambda: house.gone)
    assert session.told == []


async def test_after_close_a_session_hears_nothing(house: House) -> None:
    sock, session = await house.connect()
    session.do = lambda data: session.transport.close()
    with sock:
        await sock.send(b"quit")
        await until(lambda: session.text)
        await sock.send(b"more")
        await wait_all_tasks_blocked()
    await until(lambda: house.gone)
    assert session.heard == [b"quit"]


async def test_a_closed_peer_that_reads_nothing_is_let_go_after_a_while(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.write(b"x" * OUTBOX)
        start = trio.current_time()
        session.transport.close()
        await trio.sleep(LINGER_SECONDS + 1)
        await until(lambda: house.gone)
        assert trio.current_time() - start < LINGER_SECONDS + 2


async def test_a_reset_is_told_as_lost(house: House) -> None:
    sock, session = await house.connect()
    reset(sock)
    await until(lambda: session.told == ["lost"])
    await until(lambda: house.gone)
    session.transport.write(b"nobody")
    await wait_all_tasks_blocked()
    assert session.told == ["lost"]


def reset(sock: trio.socket.SocketType) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


async def test_a_loss_is_told_only_after_the_session_that_met_it_is_done(house: House) -> None:
    slow, slow_session = await house.connect()
    sock, session = await house.connect()
    told_within: list[object] = []

    def write_to_the_other(data: bytes) -> None:
        for _ in range(4):
            slow_session.transport.write(b"x" * MORE_THAN_THE_KERNEL_HOLDS)
        told_within.extend(slow_session.told)

    session.do = write_to_the_other
    with slow, sock:
        await sock.send(b"act")
        await until(lambda: session.text)
        await until(lambda: slow_session.told == ["slow"])
        assert told_within == []


async def test_a_peer_that_does_not_read_is_cut_off_as_slow_and_only_it(house: House) -> None:
    slow, slow_session = await house.connect()
    sock, session = await house.connect()
    session.do = session.transport.write
    with slow, sock:
        for _ in range(64):
            slow_session.transport.write(b"x" * (OUTBOX // 8))
            await wait_all_tasks_blocked()
        await until(lambda: slow_session.told == ["slow"])
        await sock.send(b"still here")
        assert await receive(sock, 10) == b"still here"
        assert session.told == []
    await until(lambda: house.gone)


async def test_a_slow_peer_gets_everything_once_it_reads(house: House, autojump_clock: MockClock) -> None:
    slow, session = await house.connect()
    with slow:
        for number in range(OUTBOX // 1024):
            session.transport.write(b"%1024d" % number)
        await trio.sleep(60)
        received = await receive(slow, OUTBOX)
        numbers = [int(received[at : at + 1024]) for at in range(0, OUTBOX, 1024)]
        assert numbers == list(range(OUTBOX // 1024))
        assert session.told == []


async def test_an_end_of_input_and_an_answer_that_waits(house: House) -> None:
    """The peer's end of input does not end what is under way to it."""
    sock, session = await house.connect()
    with sock:
        session.transport.write(b"x" * OUTBOX)
        sock.shutdown(socket.SHUT_WR)
        await until(lambda: session.told)
        session.transport.close()
        assert len(await read_all(sock)) == OUTBOX
    await until(lambda: house.gone)


async def test_cancelling_the_server_closes_every_connection() -> None:
    for serving in (by_hub, by_stream):
        async with serving() as house:
            sock, session = await house.connect()
        with sock:
            assert await sock.recv(10) == b""
        assert session.told == []


async def test_closing_the_doors_leaves_those_who_are_here(house: House) -> None:
    sock, session = await house.connect()
    session.do = session.transport.write
    with sock:
        house.stop()
        await wait_all_tasks_blocked()
        await sock.send(b"hello")
        assert await receive(sock, 5) == b"hello"
        with pytest.raises(OSError, match="attempts to connect"):
            await trio.open_tcp_stream("127.0.0.1", house.port)


async def test_a_paused_session_is_given_nothing_until_it_resumes(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.pause()
        await sock.send(b"one")
        await trio.sleep(1)
        await sock.send(b"two")
        await trio.sleep(1)
        # A stream may have been reading already.
        assert session.text in (b"", b"one")
        session.transport.resume()
        await until(lambda: session.text == b"onetwo")
        sock.shutdown(socket.SHUT_WR)
        await until(lambda: session.told == ["end of input"])


async def test_a_session_gets_the_turn_it_asked_for_and_only_that(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.wake()
        assert session.told == [], "not within its own call"
        await until(lambda: session.told == ["turn"])
        await trio.sleep(1)
        assert session.told == ["turn"]


async def test_a_turn_waits_until_the_peer_has_read(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.write(b"x" * OUTBOX)
        session.transport.wake()
        await trio.sleep(60)
        assert session.told == []
        await receive(sock, OUTBOX)
        await until(lambda: session.told == ["turn"])


async def test_who_is_cut_off_gets_what_the_kernel_takes_and_its_session_is_told_later(
    house: House, autojump_clock: MockClock
) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.write(b"bye")
        session.transport.cut_off("slow")
        session.transport.write(b"never")
        assert session.told == []
        assert await read_all(sock) == b"bye"
        await until(lambda: session.told == ["slow"])
    await until(lambda: house.gone)


async def test_a_closed_peer_that_was_paused_is_let_go(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    with sock:
        session.transport.pause()
        await sock.send(b"more")
        session.transport.write(b"bye")
        session.transport.close()
        assert await read_all(sock) == b"bye"
    await until(lambda: house.gone)
    assert session.heard in ([], [b"more"])


# --- the hub alone


@pytest.fixture
async def hub_house() -> AsyncIterator[House]:
    async with by_hub() as house:
        yield house


async def test_a_flood_from_one_peer_is_read_a_chunk_at_a_time_between_the_others(hub_house: House) -> None:
    flooder, flooding = await hub_house.connect()
    sock, session = await hub_house.connect()
    order: list[str] = []
    flooding.do = lambda data: order.append("flood")
    session.do = lambda data: order.append("line")
    with flooder, sock:
        # Both are in the kernel's buffers before the hub runs again.
        raw = socket.socket(fileno=flooder.detach())
        raw.setblocking(False)
        with raw:
            sent = raw.send(b"x" * 16 * CHUNK)
            assert sent >= 4 * CHUNK
            raw_line = socket.socket(fileno=sock.detach())
            with raw_line:
                raw_line.send(b"line")
                await until(lambda: len(flooding.text) == sent)
    assert "line" in order[:2]
    assert max(len(each) for each in flooding.heard if isinstance(each, bytes)) <= CHUNK


async def test_a_fault_in_one_session_ends_one_connection(
    hub_house: House, caplog: pytest.LogCaptureFixture
) -> None:
    bad, bad_session = await hub_house.connect()
    sock, session = await hub_house.connect()
    session.do = session.transport.write

    def fail(data: bytes) -> None:
        raise RuntimeError("a fault of ours")

    bad_session.do = fail
    with bad, sock:
        await bad.send(b"x")
        assert await bad.recv(10) == b""
        await sock.send(b"fine")
        assert await receive(sock, 4) == b"fine"
    assert bad_session.told == ["lost"]
    assert "a fault of ours" in caplog.text


async def test_one_too_many_is_told_so_and_not_counted(hub_house: House) -> None:
    hub_house.refuses = True
    stream = await trio.open_tcp_stream("127.0.0.1", hub_house.port)
    async with stream:
        assert await stream.receive_some() == TOO_MANY
        assert await stream.receive_some() == b""
    assert hub_house.sessions == []
    assert hub_house.gone == []


async def test_a_server_out_of_file_descriptors_lets_in_again_after_a_moment(
    monkeypatch: pytest.MonkeyPatch,
    hub_house: House,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failures = [OSError(errno.EMFILE, "too many open files")]
    accept = socket.socket.accept

    def fail_once(sock: socket.socket) -> tuple[socket.socket, object]:
        if failures:
            raise failures.pop()
        return accept(sock)

    monkeypatch.setattr(socket.socket, "accept", fail_once)
    stream = await trio.open_tcp_stream("127.0.0.1", hub_house.port)
    async with stream:
        await trio.sleep(0.09)
        assert hub_house.sessions == []
        await trio.sleep(0.02)
        await until(lambda: hub_house.sessions)
    assert "too many open files" in caplog.text


async def test_urgent_bytes_stay_in_the_stream(hub_house: House) -> None:
    sock, session = await hub_house.connect()
    with sock:
        await sock.send(b"a")
        await sock.send(b"\xf2", socket.MSG_OOB)
        await sock.send(b"b")
        await until(lambda: session.text == b"a\xf2b")


async def test_who_goes_on_sending_after_the_goodbye_is_not_listened_to_for_long(
    hub_house: House, autojump_clock: MockClock
) -> None:
    sock, session = await hub_house.connect()
    session.do = lambda data: session.transport.close()
    sent = 0
    with sock:
        while not hub_house.gone and sent < 100 * LINGER_BYTES:
            with contextlib.suppress(OSError):
                sent += await sock.send(b"x" * 65536)
    assert sent < 10 * LINGER_BYTES


async def test_peers_that_take_their_time_let_other_tasks_run(
    hub_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock and not by a number of peers: here each read takes the time of a turn."""
    pairs = [await hub_house.connect() for _ in range(5)]
    order: list[str] = []
    seconds = iter(range(100_000))
    monkeypatch.setattr(hub_module, "perf_counter", lambda: float(next(seconds)))
    for _, session in pairs:
        session.do = lambda data: order.append("peer")
    for sock, _ in pairs:
        await sock.send(b"x")
        order.append("other")
    while order.count("peer") < 5:
        order.append("other")
        await trio.lowlevel.checkpoint()
    for sock, _ in pairs:
        sock.close()
    runs = [len(list(run)) for what, run in itertools.groupby(order) if what == "peer"]
    assert max(runs) <= 2, "two turns may fall between two of ours"


async def test_what_peers_cause_is_stored_together_also_where_they_take_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each read takes the time of a turn, and still one commit is enough for what all of them cause."""
    commits: list[list[bytes]] = []

    class Gathering(contextlib.AbstractContextManager[None]):
        def __enter__(self) -> None:
            commits.append([])

        def __exit__(self, *problem: object) -> None:
            pass

    async with by_hub(Gathering()) as house:
        socks = [socket.create_connection(("127.0.0.1", house.port)) for _ in range(5)]
        await until(lambda: len(house.sessions) == 5)
        seconds = iter(range(100_000))
        monkeypatch.setattr(hub_module, "perf_counter", lambda: float(next(seconds)))
        for session in house.sessions:
            session.do = lambda data: commits[-1].append(data)
        for sock in socks:
            sock.sendall(b"x")
        await until(lambda: sum(map(len, commits)) == 5)
        for sock in socks:
            sock.close()
    assert [len(together) for together in commits if together] == [5]


async def test_what_is_sent_to_thousands_is_sent_in_turns(
    hub_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "SENT_AT_ONCE", 2)
    pairs = [await hub_house.connect() for _ in range(7)]
    sent: list[int] = []
    settle = HubTransport.settle

    def noted(transport: HubTransport) -> None:
        sent.append(1)
        settle(transport)

    monkeypatch.setattr(HubTransport, "settle", noted)
    for _, session in pairs:
        session.transport.write(b"to all")
    turns = [0]
    while len(sent) < 7:
        await trio.lowlevel.checkpoint()
        turns.append(len(sent))
    for sock, _ in pairs:
        assert await receive(sock, 6) == b"to all"
        sock.close()
    assert max(after - before for before, after in itertools.pairwise(turns)) <= 4
