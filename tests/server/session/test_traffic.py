"""Limits on one peer: its work per turn, its unread input, its floods, and the output kept for it."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest
import trio
import trio.lowlevel
from hypothesis import given, strategies as st

from golfnet.engine.cards import Seat
from golfnet.protocol.lines import LINE_LIMIT
from golfnet.server.budget import (
    BESIDE_LINES,
    CHUNK,
    DECODED_AT_ONCE,
    HELD_ENTRY,
    LINES_AT_ONCE,
    ROWS_AT_ONCE,
    Addresses,
    room,
)
from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.journal.journal import HeldReplies
from golfnet.server.session import traffic
from tests.server.conftest import HeldJournal
from tests.server.house import House
from tests.server.null_transport import KeepingTransport
from tests.server.session.test_session import kinds, raw

NOP: Final = b"\xff\xf1"

pytestmark = pytest.mark.settings(commands_per_second=100_000)


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let turns take no time, so that only lines count."""
    monkeypatch.setattr(traffic, "perf_counter", lambda: 0.0)


@pytest.fixture
def slow_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every step of a turn take a second, so that the turn ends after one step."""
    monkeypatch.setattr(traffic, "perf_counter", partial(next, map(float, range(1000))))


class Wire(KeepingTransport):
    """The transport of a session whose requests for turns are granted by the test."""

    def __init__(self, house: House) -> None:
        super().__init__()
        self.session = LobbyAcceptor(house.dispatcher, Addresses(1)).welcome(self)

    def receive(self, data: bytes) -> None:
        self.session.receive(data, trio.current_time())

    def answers(self) -> list[int]:
        """Return the keys of pings answered since the last call."""
        lines, self.written = self.written.decode("latin-1").splitlines(), b""
        return [int(line.removeprefix("= pong ")) for line in lines if line.startswith("= pong")]

    def turn(self) -> bool:
        """Give the turn that was requested, if any."""
        woken, self.is_woken = self.is_woken, False
        if woken:
            self.session.proceed()
        return woken


@pytest.fixture
def wire(house: House) -> Wire:
    return Wire(house)


def pings(numbers: Sequence[int]) -> bytes:
    return b"".join([b"ping %d\n" % number for number in numbers])


async def test_decoding_stops_after_a_turns_time_and_then_resumes(wire: Wire, slow_turns: None) -> None:
    sent = NOP * (DECODED_AT_ONCE * 3 // 2) + b"ping 1\nping 2"
    wire.receive(sent)
    wire.session.end_of_input()
    turns = 1  # the last turn, which ends the loop, is counted here
    while wire.turn():
        assert not wire.is_reading
        turns += 1
    assert turns == 4 + 2, "four pieces, and two lines"
    assert wire.written.endswith(b"= pong 1\r\n= pong 2\r\n")
    assert wire.is_closed


async def test_input_waits_while_a_password_is_hashed_and_is_then_handled_in_turns(
    wire: Wire, quick_passwords: None, no_time: None
) -> None:
    wire.receive(b"login nobody wrongpw\n" + pings(range(99)) + b"ping 99")
    wire.session.end_of_input()
    assert not wire.is_reading
    assert not wire.is_woken
    assert wire.answers() == []
    await trio.testing.wait_all_tasks_blocked()
    assert wire.answers() == []
    assert wire.turn()
    assert wire.answers() == [*range(LINES_AT_ONCE)]
    while not wire.is_closed:
        assert wire.turn()
    assert wire.answers() == [*range(LINES_AT_ONCE, 100)]


async def test_work_stops_when_the_connection_is_lost(wire: Wire) -> None:
    wire.receive(pings(range(100)))
    wire.answers()
    wire.session.lost("lost")
    wire.session.proceed()
    assert wire.answers() == []


async def test_nothing_is_read_from_a_peer_that_does_not_read_its_answers(house: House, wire: Wire) -> None:
    wire.waiting = room(house.lobby.config.outbox) + 1
    wire.receive(pings([1]))
    assert not wire.is_reading
    wire.waiting = 0
    assert wire.turn()
    assert wire.is_reading


async def test_a_list_is_sent_in_turns_and_the_next_command_waits_for_it(house: House, wire: Wire) -> None:
    for number in range(3 * ROWS_AT_ONCE):
        Wire(house).receive(b"name crowd%d\n" % number)
    wire.written = b""
    wire.receive(b"who\nping 1\n")
    assert not wire.written
    wire.waiting = room(house.lobby.config.outbox) + 1
    wire.session.proceed()
    assert not wire.written, "there is no room for the answer yet"
    wire.waiting = 0
    turns, sizes = 0, list[int]()
    while wire.turn():
        turns += 1
        sizes.append(len(wire.written))
    assert turns >= 3
    assert wire.written.count(b"crowd") == 3 * ROWS_AT_ONCE
    assert wire.written.endswith(b"= pong 1\r\n")
    assert max(b - a for a, b in zip([0, *sizes], sizes, strict=False)) < 100 * ROWS_AT_ONCE


async def test_a_failure_in_a_list_is_answered(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    program = await house.program("Ann")
    monkeypatch.setattr("golfnet.server.commands.listings.trio", None)
    assert await program.codes("who", "top nowhere") == ["INTERNAL", "NO_SUCH_VARIANT"]
    assert (await program.ask("ping"))["type"] == "ok"


# --- too much


@pytest.mark.settings(commands_per_second=10, excess_per_10_seconds=20)
async def test_a_peer_that_ignores_warnings_is_disconnected_unless_they_are_ten_seconds_old(
    house: House,
) -> None:
    program = await house.program("Ann")
    for _ in range(5):
        await trio.sleep(10)
        assert kinds(await raw(program, b"ping\n" * 30)) == ["ok"] * 10 + ["error"] * 20
    await trio.sleep(10)
    told = await raw(program, b"ping\n" * 500)
    assert kinds(told) == ["ok"] * 10 + ["error"] * 21 + ["bye"]
    assert {thing["code"] for thing in told[10:-1]} == {"RATE_LIMITED"}
    assert told[-1]["code"] == "FLOOD"
    assert program.is_closed
    assert house.lobby.counters.ended["flood"] == 1


@pytest.mark.settings(commands_per_second=10, excess_per_10_seconds=20)
@pytest.mark.parametrize(
    "line", [b"\xfe\n", b"x" * (LINE_LIMIT + 1) + b"\n", b"pong\n", b"9 pong x\n", b"nonsense\n"]
)
async def test_every_line_counts_but_only_excess_commands_are_refused(house: House, line: bytes) -> None:
    program = await house.program("Ann")
    await trio.sleep(2)
    told = await raw(program, line * 31)
    assert kinds(told)[-1] == "bye"
    assert kinds(told)[:-1] == ([] if b"pong" in line else ["error"] * 31)


NAWS: Final = b"\xff\xfa\x1f\0\x50\0\x18\xff\xf0"


@pytest.mark.parametrize("filler", [NOP, NAWS, b"\xff\xf4", b"\xff\xff", b"x\b", b"\n", b"\0", b"\xc3\xa9"])
@pytest.mark.parametrize("size", [1, CHUNK])
async def test_a_peer_that_sends_too_many_bytes_outside_lines_is_disconnected(
    house: House, wire: Wire, no_time: None, filler: bytes, size: int
) -> None:
    wire.receive(b"\xff\xfb\x1f")
    sent, stream = 0, filler * CHUNK
    while not wire.is_closed:
        at = sent % len(filler)
        wire.receive(stream[at : at + size])
        while wire.turn():
            pass
        sent += size
        assert sent <= BESIDE_LINES + CHUNK
    assert b"In ten seconds, you sent too much that is not a command." in wire.written
    assert house.lobby.counters.ended["flood"] == 1


@pytest.mark.parametrize(
    ("sent", "a_second"),
    [
        (NOP, 10),
        (NAWS, 60),  # a window being resized
        (b"\n", 40),  # held keys, in a terminal that sends each repeat
        (b"x\x7f", 40),
        (b"\xff\xfe\x06", 1),  # DONT TIMING-MARK
    ],
)
async def test_ordinary_clients_are_not_disconnected(
    wire: Wire, no_time: None, sent: bytes, a_second: int
) -> None:
    opening = b"\xff\xfb\x1f" + b"x" * 1_000_000 + b"\nping 0\n"
    for at in range(0, len(opening), CHUNK):
        wire.receive(opening[at : at + CHUNK])
        while wire.turn():
            pass
    for number in range(20):
        await trio.sleep(1)
        for _ in range(a_second):
            wire.receive(sent)
        for byte in b"\r\nping %d\n" % number:
            wire.receive(bytes([byte]))
    assert wire.answers() == [0, *range(20)]


@pytest.mark.settings(commands_per_second=10, excess_per_10_seconds=1)
async def test_a_pong_that_answers_a_ping_is_not_counted(house: House) -> None:
    program = await house.program("Ann")
    await trio.sleep(2)
    await program.take()
    await program.send(b"ping\n" * 10)
    [session] = [each for each in house.lobby.sessions if each.player is not None]
    for _ in range(50):
        session.measure()
        await program.poll()
        await program.send(f"pong {program.last('ping')['key']}")
        await program.settle()
    assert kinds(await raw(program, b"ping\n")) == ["error"]


# --- output waiting for the disk


OUTBOX: Final = 32_768
SMALL: Final = pytest.mark.settings(commands_per_second=100_000, chat_per_10_seconds=100_000, outbox=OUTBOX)


@SMALL
async def test_nothing_is_read_while_many_answers_wait_for_disk(
    wire: Wire, held_journal: HeldJournal
) -> None:
    wire.written = b""
    held_journal.is_open = False
    wire.receive(b"name Ann\n")
    sent = 0
    while wire.is_reading:
        wire.receive(b"ping %d\n" % sent)
        sent += 1
    assert sent < room(OUTBOX) / HELD_ENTRY
    assert not wire.is_woken, "no turn is requested, as it would change nothing"
    assert not wire.written
    held_journal.go_on()
    assert [wire.is_reading] == [True]
    assert wire.answers() == [*range(sent)]


@SMALL
async def test_a_peer_with_too_much_output_waiting_for_the_disk_is_disconnected(
    house: House, wire: Wire, held_journal: HeldJournal
) -> None:
    other = await house.program("Bob")
    held_journal.is_open = False
    wire.receive(b"name Ann\n")
    wire.written = b""
    for number in range(1000):
        await other.send(f"shout {'x' * 200} {number}")
        if wire.cause:
            break
        await trio.lowlevel.checkpoint()
        await other.poll()
    assert wire.cause == "slow"
    assert wire.written.startswith(b"! ")
    wire.session.lost("slow")
    held_journal.go_on()
    assert wire.written.count(b"! ") == 1


@pytest.mark.parametrize("is_durable", [True, False])
async def test_a_fault_in_rendering_closes_one_connection_and_affects_no_other_player(
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
def test_held_replies_are_sent_in_order_and_only_the_remaining_replies_count(
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
