"""Output waiting for the disk: counted like output waiting for the peer, and limited."""

import pytest
import trio
import trio.lowlevel
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.layout import Seat
from golfnet.server.budget import HELD_ENTRY, room
from golfnet.server.journal.journal import HeldReplies
from tests.server.held_journal import HeldJournal
from tests.server.house import House
from tests.server.session.test_traffic import on_a_wire

OUTBOX = 32_768

pytestmark = pytest.mark.settings(commands_per_second=100_000, chat_per_10_seconds=100_000, outbox=OUTBOX)


async def test_nothing_is_read_while_too_many_answers_wait_for_the_disk(
    house: House, held_journal: HeldJournal
) -> None:
    wire, session = on_a_wire(house)
    wire.written = b""
    held_journal.is_open = False
    session.receive(b"name Ann\n", trio.current_time())
    sent = 0
    while wire.is_reading:
        session.receive(b"ping %d\n" % sent, trio.current_time())
        sent += 1
    assert sent < room(OUTBOX) / HELD_ENTRY
    assert not wire.is_woken, "a turn would change nothing"
    assert not wire.written
    held_journal.go_on()
    assert [wire.is_reading] == [True]
    assert wire.answers() == [str(number) for number in range(sent)]


async def test_output_caused_by_others_while_the_disk_hangs_is_limited_by_a_disconnect(
    house: House, held_journal: HeldJournal
) -> None:
    wire, session = on_a_wire(house)
    other = await house.program("Bob")
    held_journal.is_open = False
    session.receive(b"name Ann\n", trio.current_time())
    wire.written = b""
    for number in range(1000):
        await other.send(f"shout {'x' * 200} {number}")
        if wire.cause:
            break
        await trio.lowlevel.checkpoint()
        await other.poll()
    assert wire.cause == "slow"
    assert wire.written.startswith(b"! ")
    session.lost("slow")
    held_journal.go_on()
    assert wire.written.count(b"! ") == 1


@pytest.mark.parametrize("is_durable", [True, False])
async def test_a_rendering_fault_closes_one_connection_and_fails_nobody_elses_command(
    house: House,
    held_journal: HeldJournal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    is_durable: bool,
) -> None:
    def broken(*reply: object, you: object) -> bytes:
        raise ZeroDivisionError

    ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    eve = await house.person("Eve", "watch t1")
    monkeypatch.setattr("golfnet.protocol.text.text.render_burst", broken)
    held_journal.is_open = is_durable
    await ann.send("peek 3 4")
    await ann.settle()
    held_journal.go_on()
    assert "ok" in [thing["type"] for thing in await ann.poll()]
    await eve.settle()
    assert eve.is_closed
    assert caplog.text.count("ended because of a fault in the server") == 1
    await bob.done("peek 3 4")
    assert bob.events("turn")
    assert not bob.events("closed")


@given(
    st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=20)), max_size=30), st.lists(st.integers(0, 6))
)
def test_held_replies_leave_in_order_and_their_size_counts_only_what_is_left(
    replies: list[tuple[int, bytes]], durables: list[int]
) -> None:
    held = HeldReplies()
    for number, (ticket, out) in enumerate(replies):
        held.add(ticket, out, (Seat(0), number))
    left, taken = [*replies], 0
    for durable in sorted(durables):
        out, shown, waits_for = held.take(durable)
        assert shown == [(Seat(0), number) for number in range(taken, taken + len(shown))]
        gone, left = left[: len(shown)], left[len(shown) :]
        taken += len(gone)
        assert out == b"".join([out for _, out in gone])
        assert all(ticket <= durable for ticket, _ in gone)
        assert not left or left[0][0] > durable
        assert waits_for == (left[0][0] if left else 0)
        assert held.size == sum(len(out) + HELD_ENTRY for _, out in left)
