"""The connection: logging in, reconnecting, resending, giving up; in virtual time, with a small fake server."""

import contextlib
import json
from itertools import pairwise
from typing import Any

import pytest
import trio
import trio.testing
from msgspec import UNSET
from trio.testing import wait_all_tasks_blocked

from golfnet.connect import (
    GOODBYE_SECONDS,
    LONGEST_WAIT,
    SILENCE,
    Connecting,
    Connection,
    ConnectionEvent,
    Disconnected,
    Untrusted,
)
from golfnet.protocol.address import Address
from golfnet.protocol.conversation import Entered, TokenIssued
from golfnet.protocol.replies.replies import Bye, Error, Notice, Ok
from tests.server.house import House
from tests.server.witnesses import Victim

ANOTHER = Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "self-signed certificate")


class FakeServer(Victim):
    """Answers Ann's lines from ``answers`` unless it is ``silent``; connecting raises ``problem`` if it is set."""

    def __init__(self, nursery: trio.Nursery) -> None:
        super().__init__(self._open)
        self.nursery = nursery
        self.events: list[ConnectionEvent] = []
        """Everything that Ann's connection has reported."""
        self.problem: Exception | None = None
        self.silent = False
        self.lines: list[list[str]] = []
        """What Ann has sent on each connection."""
        self.answers: dict[str, dict[str, Any]] = {
            "name": {"name": "Ann", "token": "secret-token"},
            "resume": {"name": "Ann"},
        }

    def start(self, *, token: str = "") -> Connection:
        """Run Ann's connection until the end of the test."""
        connection = Connection(self.connect, self.events.append, client="test/1", name="Ann", token=token)
        self.nursery.start_soon(connection.run)
        return connection

    def reported(self, *kinds: type[Any]) -> list[Any]:
        """Return the events of some kinds that Ann's connection has reported."""
        return [event for event in self.events if isinstance(event, kinds)]

    async def say(self, **fields: Any) -> None:
        await self._far.send_all(json.dumps(fields).encode() + b"\n")
        await wait_all_tasks_blocked()

    def _open(self) -> trio.abc.Stream:
        if self.problem is not None:
            raise self.problem
        here, self._far = trio.testing.memory_stream_pair()
        self.lines.append([])
        self.nursery.start_soon(self._serve, self._far, self.lines[-1])
        return here

    async def _serve(self, stream: trio.abc.Stream, lines: list[str]) -> None:
        pending = b""
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            async for data in stream:
                *whole, pending = (pending + bytes(data)).split(b"\n")
                for line in map(bytes.decode, whole):
                    lines.append(line)
                    number, verb = line.split(" ")[:2]
                    if not self.silent and number.isdigit():
                        answer = {"type": "ok", "id": int(number)} | self.answers.get(verb, {})
                        await stream.send_all(json.dumps(answer).encode() + b"\n")


@pytest.fixture
def server(virtual_time: None, nursery: trio.Nursery) -> FakeServer:
    return FakeServer(nursery)


async def test_a_connection_logs_in_by_name_then_with_the_token_and_loses_no_line(server: FakeServer) -> None:
    connection = server.start()
    connection.send("tables")
    await wait_all_tasks_blocked()
    verbs = [line.split(" ")[1] for line in server.lines[0]]
    assert verbs == ["hello", "name", "tables"], "earlier commands wait until the player is logged in"
    assert TokenIssued("Ann", "secret-token") in server.events
    await server.cut()
    steps = server.reported(Connecting, Entered, Disconnected)
    assert steps == [Connecting(), Entered(), Disconnected("", 0.5)]
    connection.send("say typed while away")
    await trio.sleep(2)
    assert [line.split(" ", 1)[1] for line in server.lines[1]][1:] == [
        "resume secret-token",
        "say typed while away",
    ]


async def test_waits_between_attempts_grow_up_to_a_limit(server: FakeServer) -> None:
    server.problem = OSError("nobody listens")
    server.start()
    await trio.sleep(120)
    waits = [later - earlier for earlier, later in pairwise(server.attempts)]
    assert waits[:5] == [0.5, 1, 2, 4, 8]
    assert set(waits[5:]) == {LONGEST_WAIT}
    told = [
        event for seconds in waits[:2] for event in (Connecting(), Disconnected("nobody listens", seconds))
    ]
    assert server.events[:4] == told
    server.problem = None
    await trio.sleep(LONGEST_WAIT + 1)
    assert server.reported(Entered)


async def test_a_silent_server_is_pinged_and_then_given_up(server: FakeServer) -> None:
    server.start()
    await trio.sleep(3 * SILENCE)
    assert len(server.attempts) == 1, "it answers pings"
    server.silent = True
    await trio.sleep(3 * SILENCE)
    assert len(server.attempts) > 1


@pytest.mark.parametrize(("code", "comes_back"), [("TAKEN_OVER", False), ("QUIT", False), ("SHUTDOWN", True)])
async def test_some_goodbyes_are_final(server: FakeServer, code: str, comes_back: bool) -> None:
    server.start()
    await wait_all_tasks_blocked()
    await server.say(type="bye", code=code, message="Goodbye.")
    await server.cut()
    await trio.sleep(5)
    assert (len(server.attempts) > 1) is comes_back


async def test_retries_slow_down_if_a_server_logs_everyone_in_and_closes(server: FakeServer) -> None:
    server.start()
    while trio.current_time() < 300:
        await wait_all_tasks_blocked()
        await server.cut()
        await trio.sleep(1)
    assert len(server.attempts) < 30
    await trio.sleep(60)
    calls = len(server.attempts)
    await server.cut()
    await trio.sleep(1)
    assert len(server.attempts) == calls + 1, "after a while the first retry is immediate again"


async def test_a_server_with_another_key_is_sent_nothing_until_it_is_accepted(server: FakeServer) -> None:
    server.problem = ANOTHER
    connection = server.start(token="secret-token")
    await trio.sleep(3600)
    assert server.events[-1:] == [ANOTHER]
    assert len(server.attempts) == 1
    assert not server.lines
    server.problem = None
    connection.accept("")
    await wait_all_tasks_blocked()
    assert [line.split(" ", 1)[1] for line in server.lines[0]][1:] == ["name Ann"]
    assert server.reported(Entered)


@pytest.mark.settings(commands_per_second=10)
async def test_commands_are_sent_no_faster_than_the_server_accepts_them(house: House) -> None:
    events: list[ConnectionEvent] = []

    def keys() -> list[object]:
        return [event.key for event in events if isinstance(event, Ok) and event.key is not UNSET]

    connection = Connection(Victim(house.line).connect, events.append, client="test/1", name="Ann")
    house.nursery.start_soon(connection.run)
    for number in range(35):
        connection.send(f"ping k{number}")
    await trio.sleep(0.5)
    assert 0 < len(keys()) <= 10
    await trio.sleep(10)
    assert keys() == [f"k{number}" for number in range(35)]
    assert not any(isinstance(event, Error) for event in events)


@pytest.mark.parametrize("answers", [True, False])
async def test_quit_waits_a_while_for_the_answer_and_is_final(server: FakeServer, answers: bool) -> None:
    server.answers["quit"] = {"type": "bye", "code": "QUIT", "message": "Goodbye."}
    connection = server.start()
    await wait_all_tasks_blocked()
    server.silent = not answers
    connection.quit()
    await trio.sleep(GOODBYE_SECONDS - 0.1)
    assert server.lines[0][-1].endswith(" quit")
    assert bool(server.reported(Bye)) is answers
    assert connection.is_connected is not answers
    await trio.sleep(60)
    assert connection.is_over
    assert not connection.is_connected
    assert len(server.attempts) == 1


@pytest.mark.parametrize("problem", [OSError("nobody listens"), ANOTHER], ids=["down", "another server"])
async def test_quit_without_a_connection_returns_at_once(server: FakeServer, problem: Exception) -> None:
    server.problem = problem
    connection = Connection(server.connect, server.events.append, client="test/1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run)
        await trio.sleep(0.1)
        began = trio.current_time()
        connection.quit()
    assert trio.current_time() == began


async def test_silence_is_tolerated_while_receiving_is_paused(server: FakeServer) -> None:
    connection = server.start()
    await wait_all_tasks_blocked()
    connection.pause_receiving()
    connection.pause_receiving()
    await server.say(type="notice", code="HI", text="first")  # it was already waiting to receive this
    await server.say(type="notice", code="HI", text="second")
    await trio.sleep(10 * SILENCE)
    assert len(server.reported(Notice)) == 1
    connection.resume_receiving()
    await wait_all_tasks_blocked()
    assert len(server.reported(Notice)) == 2
    assert len(server.attempts) == 1
