"""A transport over a stream: limited and never blocking; ``test_transports`` tests what every transport does."""

import pytest
import trio
import trio.testing

from golfnet.server.net.stream import StreamTransport
from tests.server.house import House, Peer, Program

MemoryStream = trio.StapledStream[trio.testing.MemorySendStream, trio.testing.MemoryReceiveStream]

OUTBOX = 32_768


class Recorder:
    """A session that records what it receives."""

    def __init__(self, transport: StreamTransport) -> None:
        self.transport = transport
        self.heard: list[bytes | str] = []

    def receive(self, data: bytes, arrived: float) -> None:
        self.heard.append(data)

    def proceed(self) -> None:
        self.heard.append("turn")

    def end_of_input(self) -> None:
        self.heard.append("end")

    def lost(self, cause: str) -> None:
        self.heard.append(cause)


async def carried(nursery: trio.Nursery) -> tuple[Recorder, MemoryStream]:
    here, there = trio.testing.memory_stream_pair()
    transport = StreamTransport(there, "127.0.0.1", OUTBOX)
    recorders: list[Recorder] = []

    def meet(transport: StreamTransport) -> Recorder:
        recorders.append(Recorder(transport))
        return recorders[0]

    nursery.start_soon(transport.run, meet)
    await trio.testing.wait_all_tasks_blocked()
    return recorders[0], here


async def test_a_peer_that_reads_too_little_is_cut_off_at_the_limit(autojump_clock: object) -> None:
    async with trio.open_nursery() as nursery:
        recorder, stream = await carried(nursery)
        stalled = trio.Event()

        async def stall() -> None:
            await stalled.wait()

        stream_at_server: trio.testing.MemorySendStream = recorder.transport._stream.send_stream  # type: ignore[attr-defined]
        stream_at_server.send_all_hook = stall
        recorder.transport.write(b"first")
        await trio.testing.wait_all_tasks_blocked()
        recorder.transport.write(b"x" * OUTBOX)
        await trio.testing.wait_all_tasks_blocked()
        assert recorder.heard == []
        recorder.transport.write(b"y")
        await trio.testing.wait_all_tasks_blocked()
        assert recorder.heard == ["slow"]
        await stream.aclose()


async def stall(house: House, peer: Peer) -> None:
    """Stop the peer from reading, so that from now on the server's output stays queued."""
    [session] = [s for s in house.lobby.sessions if s.player is not None and s.player.name == peer.name]  # type: ignore[attr-defined]
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
    back: Program = await house.program()
    await back.done(f"resume {bob.token}")
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
