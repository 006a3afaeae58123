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
from golfnet.protocol.conversation import Entered, Greeted, NotUnderstood, TokenIssued
from golfnet.protocol.replies.replies import Ok
from tests.server.house import open_house
from tests.server.witnesses import Victim

ANOTHER = Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "self-signed certificate")


class Listener:
    """Records everything a connection reports."""

    def __init__(self) -> None:
        self.events: list[ConnectionEvent] = []

    @property
    def states(self) -> list[str]:
        """What was reported of the connection itself, in words."""
        words = (in_words(event) for event in self.events)
        return [each for each in words if each]

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def keys(self) -> list[object]:
        """Return the keys of the answers to pings."""
        return [event.key for event in self.events if isinstance(event, Ok) and event.key is not UNSET]


def in_words(event: ConnectionEvent) -> str:
    """Return a word for an event of the connection itself, or ``""`` for a reply or a token."""
    match event:
        case Connecting() | Entered():
            return type(event).__name__.lower()
        case Greeted():
            return "connected"
        case NotUnderstood():
            return "unreadable"
        case Disconnected(reason=reason, retry_in=seconds):
            return f"{reason or 'lost'}, {seconds:g}"
    return ""


class FakeServer:
    """Answers lines with ready-made objects; ``problem`` prevents connections, ``cut`` closes the current one."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.problem: Exception | None = None
        self.silent = False
        self.attempts: list[float] = []
        self.lines: list[list[str]] = []
        self.answers: dict[str, dict[str, Any]] = {
            "name": {"name": "Ann", "token": "secret-token"},
            "resume": {"name": "Ann"},
        }
        self._stream: trio.abc.Stream | None = None

    async def connect(self) -> trio.abc.Stream:
        self.attempts.append(trio.current_time())
        if self.problem is not None:
            raise self.problem
        here, self._stream = trio.testing.memory_stream_pair()
        self.lines.append([])
        self.nursery.start_soon(self._serve, self._stream, self.lines[-1])
        return here

    async def cut(self) -> None:
        assert self._stream is not None
        await self._stream.aclose()
        await wait_all_tasks_blocked()

    async def say(self, **fields: Any) -> None:
        assert self._stream is not None
        await self._stream.send_all(json.dumps(fields).encode() + b"\n")
        await wait_all_tasks_blocked()

    async def _serve(self, stream: trio.abc.Stream, lines: list[str]) -> None:
        pending = b""
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            async for data in stream:
                *whole, pending = (pending + bytes(data)).split(b"\n")
                for line in whole:
                    lines.append(line.decode())
                    await self._answer(stream, line.decode())

    async def _answer(self, stream: trio.abc.Stream, line: str) -> None:
        number, verb = line.split(" ")[:2]
        if not self.silent and number.isdigit():
            answer = {"type": "ok", "id": int(number)} | self.answers.get(verb, {})
            await stream.send_all(json.dumps(answer).encode() + b"\n")


@pytest.fixture
def server(nursery: trio.Nursery) -> FakeServer:
    return FakeServer(nursery)


def connected(server: FakeServer, *, token: str = "") -> tuple[Connection, Listener]:
    """Run Ann's connection until the end of the test."""
    listener = Listener()
    connection = Connection(server.connect, listener.events.append, client="test/1", name="Ann", token=token)
    server.nursery.start_soon(connection.run)
    return connection, listener


async def test_a_connection_logs_in_by_name_then_with_the_token_and_loses_no_line(
    server: FakeServer, autojump_clock: object
) -> None:
    connection, listener = connected(server)
    connection.send("tables")
    await wait_all_tasks_blocked()
    verbs = [line.split(" ")[1] for line in server.lines[0]]
    assert verbs == ["hello", "name", "tables"], "earlier commands wait until the player is logged in"
    assert TokenIssued("Ann", "secret-token") in listener.events
    await server.cut()
    assert listener.states == ["connecting", "connected", "entered", "lost, 0.5"]
    connection.send("say typed while away")
    await trio.sleep(2)
    assert [line.split(" ", 1)[1] for line in server.lines[1]][1:] == [
        "resume secret-token",
        "say typed while away",
    ]


async def test_waits_between_attempts_grow_up_to_a_limit(server: FakeServer, autojump_clock: object) -> None:
    server.problem = OSError("nobody listens")
    _, listener = connected(server)
    await trio.sleep(120)
    waits = [later - earlier for earlier, later in pairwise(server.attempts)]
    assert waits[:5] == [0.5, 1, 2, 4, 8]
    assert set(waits[5:]) == {LONGEST_WAIT}
    assert listener.states[:4] == ["connecting", "nobody listens, 0.5", "connecting", "nobody listens, 1"]
    server.problem = None
    await trio.sleep(LONGEST_WAIT + 1)
    assert listener.states[-1] == "entered"


async def test_a_silent_server_is_pinged_and_then_given_up(
    server: FakeServer, autojump_clock: object
) -> None:
    connected(server)
    await trio.sleep(3 * SILENCE)
    assert len(server.attempts) == 1, "it answers pings"
    server.silent = True
    await trio.sleep(3 * SILENCE)
    assert len(server.attempts) > 1


@pytest.mark.parametrize(("code", "comes_back"), [("TAKEN_OVER", False), ("QUIT", False), ("SHUTDOWN", True)])
async def test_a_client_does_not_reconnect_if_the_server_closed_for_certain_reasons(
    server: FakeServer, autojump_clock: object, code: str, comes_back: bool
) -> None:
    connected(server)
    await wait_all_tasks_blocked()
    await server.say(type="bye", code=code, message="Goodbye.")
    await server.cut()
    await trio.sleep(5)
    assert (len(server.attempts) > 1) is comes_back


async def test_unknown_and_invalid_events_are_skipped_and_reported_once(
    server: FakeServer, autojump_clock: object
) -> None:
    _, listener = connected(server)
    await wait_all_tasks_blocked()
    for event in ("tea_served", "swapped", "swapped"):
        await server.say(type="event", table="t1", seq=3, event=event, seat="Ann")
    await server.say(type="notice", code="HI", text="still there")
    assert listener.kinds()[-1] == "Notice"
    assert listener.states.count("unreadable") == 1


async def test_retries_slow_down_if_a_server_logs_everyone_in_and_closes(
    server: FakeServer, autojump_clock: object
) -> None:
    connected(server)
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


async def test_a_server_with_another_key_is_sent_nothing_until_the_key_is_accepted(
    server: FakeServer, autojump_clock: object
) -> None:
    server.problem = ANOTHER
    connection, listener = connected(server, token="secret-token")
    await trio.sleep(3600)
    assert listener.events[-1:] == [ANOTHER]
    assert len(server.attempts) == 1
    assert not server.lines
    server.problem = None
    connection.accept("")
    await wait_all_tasks_blocked()
    assert [line.split(" ", 1)[1] for line in server.lines[0]][1:] == ["name Ann"]
    assert listener.states[-1] == "entered"


async def test_commands_are_sent_no_faster_than_the_server_accepts_them(autojump_clock: object) -> None:
    async with open_house(commands_per_second=10) as house:
        listener = Listener()
        connection = Connection(
            Victim(house.line).connect, listener.events.append, client="test/1", name="Ann"
        )
        house.nursery.start_soon(connection.run)
        for number in range(35):
            connection.send(f"ping k{number}")
        await trio.sleep(0.5)
        assert 0 < len(listener.keys()) <= 10
        await trio.sleep(10)
        assert listener.keys() == [f"k{number}" for number in range(35)]
        assert "Error" not in listener.kinds()


@pytest.mark.parametrize("answers", [True, False])
async def test_quit_waits_for_the_answer_but_not_forever_and_does_not_reconnect(
    server: FakeServer, autojump_clock: object, answers: bool
) -> None:
    server.answers["quit"] = {"type": "bye", "code": "QUIT", "message": "Goodbye."}
    connection, listener = connected(server)
    await wait_all_tasks_blocked()
    server.silent = not answers
    connection.quit()
    await trio.sleep(GOODBYE_SECONDS - 0.1)
    assert server.lines[0][-1].endswith(" quit")
    assert ("Bye" in listener.kinds()) is answers
    assert connection.is_connected is not answers
    await trio.sleep(60)
    assert connection.is_over
    assert not connection.is_connected
    assert len(server.attempts) == 1


@pytest.mark.parametrize("problem", [OSError("nobody listens"), ANOTHER], ids=["down", "another server"])
async def test_quit_without_a_connection_returns_at_once(
    server: FakeServer, autojump_clock: object, problem: Exception
) -> None:
    server.problem = problem
    connection = Connection(server.connect, Listener().events.append, client="test/1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run)
        await trio.sleep(0.1)
        began = trio.current_time()
        connection.quit()
    assert trio.current_time() == began


async def test_silence_is_tolerated_while_receiving_is_paused(
    server: FakeServer, autojump_clock: object
) -> None:
    connection, listener = connected(server)
    await wait_all_tasks_blocked()
    connection.pause_receiving()
    connection.pause_receiving()
    await server.say(type="notice", code="HI", text="first")  # it was already waiting to receive this
    await server.say(type="notice", code="HI", text="second")
    await trio.sleep(10 * SILENCE)
    assert listener.kinds().count("Notice") == 1
    connection.resume_receiving()
    await wait_all_tasks_blocked()
    assert listener.kinds().count("Notice") == 2
    assert len(server.attempts) == 1
