"""Both transports fulfil one contract: what a session is told, what its peer gets, and how bad peers are handled."""

import socket
from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from golfnet.server.net.transport import LINGER_SECONDS, StreamTransport
from tests.server import listeners
from tests.server.listeners import OUTBOX, House, Listener, by_hub, by_stream, read_all, receive, until


@pytest.fixture(params=[pytest.param(by_hub, marks=listeners.needs_hub), by_stream], ids=["hub", "stream"])
async def house(request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with request.param() as house:
        yield house


async def test_bytes_arrive_in_order_and_with_their_time(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    await sock.send(b"one")
    await until(lambda: session.text == b"one")
    before = trio.current_time()
    await trio.sleep(5)
    await sock.send(b"two")
    await until(lambda: session.text == b"onetwo")
    assert session.times == [pytest.approx(before), pytest.approx(before + 5)]
    assert session.transport.address == "127.0.0.1"


async def test_bytes_written_together_arrive_in_one_piece(house: House) -> None:
    first, first_session = await house.connect()
    second, second_session = await house.connect()

    def tell_the_other(data: bytes) -> None:
        second_session.transport.write(b"event\n")
        second_session.transport.write(b"prompt\n")

    first_session.do = tell_the_other
    await first.send(b"act\n")
    assert await second.recv(1000) == b"event\nprompt\n"


async def test_a_peer_that_stops_sending_is_still_answered(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    session.transport.write(b"x" * (OUTBOX - 6))
    await sock.send(b"last words")
    sock.shutdown(socket.SHUT_WR)
    await until(lambda: session.told)
    assert session.heard == [b"last words", "end of input"]
    await trio.sleep(10)
    session.transport.write(b"answer")
    session.transport.close()
    assert await read_all(sock) == b"x" * (OUTBOX - 6) + b"answer"
    await until(lambda: house.ended)
    assert session.told == ["end of input"]


async def test_close_flushes_output_and_the_peer_sees_an_end_not_a_reset(house: House) -> None:
    sock, session = await house.connect()

    def leave(data: bytes) -> None:
        session.transport.write(b"bye")
        session.transport.close()
        session.transport.write(b"never")

    session.do = leave
    await sock.send(b"quit")
    await until(lambda: session.text)
    await sock.send(b"more")
    assert await read_all(sock) == b"bye"
    sock.close()
    await until(lambda: house.ended)
    assert session.heard == [b"quit"], "a closed session receives nothing"


async def test_a_closed_peer_that_never_reads_is_dropped(house: House, autojump_clock: MockClock) -> None:
    _, session = await house.connect()
    session.transport.write(b"x" * OUTBOX)
    session.transport.close()
    await trio.sleep(LINGER_SECONDS + 1)
    await until(lambda: house.ended)


async def test_a_reset_is_reported_as_a_lost_connection(house: House) -> None:
    sock, session = await house.connect()
    listeners.reset(sock)
    await until(lambda: session.told == ["lost"])
    await until(lambda: house.ended)
    session.transport.write(b"nobody")
    await wait_all_tasks_blocked()
    assert session.told == ["lost"]


async def test_only_a_peer_that_does_not_read_is_cut_off_and_its_session_is_told_later(house: House) -> None:
    _, slow_session = await house.connect()
    sock, session = await house.connect()
    told_within: list[object] = []

    def write_to_both(data: bytes) -> None:
        for _ in range(4):
            slow_session.transport.write(b"x" * 2 * OUTBOX)
        told_within.extend(slow_session.told)
        session.transport.write(data)

    session.do = write_to_both
    await sock.send(b"still here")
    assert await receive(sock, 10) == b"still here"
    await until(lambda: slow_session.told == ["slow"])
    assert (told_within, session.told) == ([], [])
    await until(lambda: house.ended)


async def test_a_slow_peer_gets_everything_once_it_reads(house: House, autojump_clock: MockClock) -> None:
    slow, session = await house.connect()
    for number in range(OUTBOX // 1024):
        session.transport.write(b"%1024d" % number)
    await trio.sleep(60)
    received = await receive(slow, OUTBOX)
    numbers = [int(received[at : at + 1024]) for at in range(0, OUTBOX, 1024)]
    assert numbers == list(range(OUTBOX // 1024))
    assert session.told == []


async def test_a_fault_closes_only_its_connection(house: House, caplog: pytest.LogCaptureFixture) -> None:
    bad, bad_session = await house.connect()
    sock, session = await house.connect()
    session.do = session.transport.write

    def fail(data: bytes) -> None:
        raise RuntimeError("a fault in the server")

    bad_session.do = fail
    await bad.send(b"x")
    assert await bad.recv(10) == b""
    await sock.send(b"fine")
    assert await receive(sock, 4) == b"fine"
    assert bad_session.told == ["lost"]
    assert "a fault in the server" in caplog.text


async def test_cancelling_the_server_closes_every_connection() -> None:
    for serving in (by_hub, by_stream):
        async with serving() as house:
            sock, session = await house.connect()
            peers = house.peers.pop_all()
        with peers:
            assert await sock.recv(10) == b""
        assert session.told == []


async def test_closing_the_ports_leaves_open_connections_alone(house: House) -> None:
    sock, session = await house.connect()
    session.do = session.transport.write
    house.stop()
    await wait_all_tasks_blocked()
    await sock.send(b"hello")
    assert await receive(sock, 5) == b"hello"
    with pytest.raises(OSError, match="attempts to connect"):
        await trio.open_tcp_stream("127.0.0.1", house.port)


async def test_a_paused_session_gets_nothing_until_resumed(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    session.transport.pause()
    for data in (b"one", b"two"):
        await sock.send(data)
        await trio.sleep(1)
    assert session.text in (b"", b"one"), "a stream may already have been reading"
    session.transport.resume()
    await until(lambda: session.text == b"onetwo")
    sock.shutdown(socket.SHUT_WR)
    await until(lambda: session.told == ["end of input"])


async def test_a_turn_is_given_later_when_the_peer_has_read(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    session.transport.wake()
    assert session.told == [], "the turn is not given within the session's own call"
    await until(lambda: session.told == ["turn"])
    session.transport.write(b"x" * OUTBOX)
    session.transport.wake()
    await trio.sleep(60)
    assert session.told == ["turn"]
    await receive(sock, OUTBOX)
    await until(lambda: session.told == ["turn", "turn"])


async def test_a_cut_off_peer_gets_what_fits_before_the_end(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    session.transport.write(b"bye")
    session.transport.cut_off("slow")
    session.transport.write(b"never")
    assert session.told == []
    assert await read_all(sock) == b"bye"
    await until(lambda: session.told == ["slow"])
    await until(lambda: house.ended)


async def test_a_paused_peer_that_is_closed_is_dropped(house: House, autojump_clock: MockClock) -> None:
    sock, session = await house.connect()
    session.transport.pause()
    await sock.send(b"more")
    session.transport.write(b"bye")
    session.transport.close()
    assert await read_all(sock) == b"bye"
    sock.close()
    await until(lambda: house.ended)
    assert session.heard in ([], [b"more"])


async def test_a_peer_that_reads_too_little_is_cut_off_at_the_limit(autojump_clock: MockClock) -> None:
    here, there = memory_stream_pair()
    there.send_stream.send_all_hook = trio.sleep_forever
    transport = StreamTransport(there, "127.0.0.1", 32_768)
    listener = Listener(transport)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(transport.run, lambda transport: listener)
        await wait_all_tasks_blocked()
        for data, told in ((b"first", []), (b"x" * 32_768, []), (b"y", ["slow"])):
            transport.write(data)
            await wait_all_tasks_blocked()
            assert listener.heard == told
        await here.aclose()
