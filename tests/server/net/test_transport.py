"""A transport over a stream: its queue is limited, and writing never blocks; see also ``test_transports``."""

import pytest
import trio
import trio.testing

from golfnet.server.net.transport import StreamTransport
from tests.server.house import House
from tests.server.listeners import Listener

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


@pytest.mark.settings(outbox=OUTBOX)
async def test_a_player_cut_off_for_not_reading_delays_nobody_and_gets_a_view_later(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    stream = house.session("Bob").transport._stream.send_stream  # type: ignore[attr-defined]
    stream.send_all_hook = trio.sleep_forever  # Bob stops reading, so output to him stays queued
    begun = trio.current_time()
    for _ in range(200):
        await ann.done(f"say {'x' * 400}")
    assert trio.current_time() == begun
    dropped = ann.events("dropped")
    assert [event["cause"] for event in dropped] == ["slow"]
    await ann.done("peek 3 4")
    back = await house.resumed(bob)
    kinds = [thing["type"] for thing in back.objects if thing["type"] not in ("welcome", "ok")]
    assert kinds == ["view", "prompt"]
    assert back.last("view")["seq"] >= dropped[0]["seq"]
