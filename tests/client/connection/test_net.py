"""The connection: coming in, coming back, sending again, giving up; in virtual time against a server of a few lines."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing
from msgspec import UNSET

from golfnet.connect.trust import Untrusted
from golfnet.protocol.address import Address
from golfnet.protocol.replies.replies import Ok
from golfnet_client.connection.net import LONGEST_WAIT, SILENCE, Link
from tests.server.house import open_house, serve_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from golfnet.protocol.replies.replies import AnyReply


class Ears:
    """Notes all that a link tells."""

    def __init__(self) -> None:
        self.replies: list[AnyReply] = []
        self.states: list[str] = []
        self.tokens: list[tuple[str, str]] = []
        self.problems: list[Untrusted] = []

    def heard(self, reply: AnyReply) -> None:
        self.replies.append(reply)

    def linked(self, state: str) -> None:
        self.states.append(state)

    def named(self, name: str, token: str) -> None:
        self.tokens.append((name, token))

    def distrusted(self, problem: Untrusted) -> None:
        self.problems.append(problem)

    def kinds(self) -> list[str]:
        return [type(reply).__name__ for reply in self.replies]


class FakeServer:
    """Answers lines with ready-made objects; ``down`` refuses connections, ``cut`` loses the one there is."""

    def __init__(self) -> None:
        self.down = False
        self.silent = False
        self.stranger: Untrusted | None = None
        self.attempts: list[float] = []
        self.lines: list[list[str]] = []
        self.answers: dict[str, Callable[[int], list[dict[str, Any]]]] = {}
        self._stream: trio.abc.Stream | None = None
        self.nursery: trio.Nursery | None = None

    async def connect(self) -> trio.abc.Stream:
        self.attempts.append(trio.current_time())
        if self.down:
            raise OSError("nobody listens")
        if self.stranger is not None:
            raise self.stranger
        here, there = trio.testing.memory_stream_pair()
        assert self.nursery is not None
        self._stream = there
        self.lines.append([])
        self.nursery.start_soon(self._serve, there, self.lines[-1])
        return here

    async def cut(self) -> None:
        assert self._stream is not None
        await self._stream.aclose()
        await trio.testing.wait_all_tasks_blocked()

    async def say(self, **fields: Any) -> None:
        assert self._stream is not None
        await self._stream.send_all(json.dumps(fields).encode() + b"\n")
        await trio.testing.wait_all_tasks_blocked()

    async def _serve(self, stream: trio.abc.Stream, lines: list[str]) -> None:
        pending = b""
        try:
            async for data in stream:
                pending += bytes(data)
                *whole, pending = pending.split(b"\n")
                for line in whole:
                    lines.append(line.decode())
                    await self._answer(stream, line.decode())
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            return

    async def _answer(self, stream: trio.abc.Stream, line: str) -> None:
        number, verb = line.split(" ")[:2]
        if self.silent or not number.isdigit():
            return
        make = self.answers.get(verb, done)
        for answer in make(int(number)):
            await stream.send_all(json.dumps(answer).encode() + b"\n")


def done(number: int) -> list[dict[str, Any]]:
    return [{"type": "ok", "id": number}]


def named(number: int) -> list[dict[str, Any]]:
    return [{"type": "ok", "id": number, "name": "Ann", "token": "secret-token"}]


@pytest.fixture
def server() -> FakeServer:
    fake = FakeServer()
    fake.answers["name"] = named
    fake.answers["resume"] = lambda number: [{"type": "ok", "id": number, "name": "Ann"}]
    return fake


@contextlib.asynccontextmanager
async def linked(server: FakeServer, *, token: str = "") -> AsyncIterator[tuple[Link, Ears]]:
    """Let Ann's link run for a while."""
    ears = Ears()
    link = Link(server.connect, ears, name="Ann", token=token)
    async with trio.open_nursery() as nursery:
        server.nursery = nursery
        nursery.start_soon(link.run)
        yield link, ears
        nursery.cancel_scope.cancel()


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_it_comes_in_by_name_and_keeps_the_token(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as (link, ears):
        link.send("tables")
        await settle()
        verbs = [line.split(" ")[1] for line in server.lines[0]]
        assert verbs == ["hello", "name", "tables"], "what was typed before waits until the player is in"
        assert ears.tokens == [("Ann", "secret-token")]
        assert ears.states[-1] == "connected"


async def test_it_comes_back_with_the_token_and_loses_no_line(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as (link, ears):
        await settle()
        await server.cut()
        assert "coming back" in ears.states[-1]
        link.send("say typed while away")
        await trio.sleep(2)
        assert [line.split(" ", 1)[1] for line in server.lines[1]][1:] == [
            "resume secret-token",
            "say typed while away",
        ]


async def test_attempts_come_ever_more_slowly_up_to_a_bound(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    server.down = True
    async with linked(server) as (_, ears):
        await trio.sleep(120)
        waits = [
            later - earlier for earlier, later in zip(server.attempts, server.attempts[1:], strict=False)
        ]
        assert waits[:5] == [0.5, 1, 2, 4, 8]
        assert set(waits[5:]) == {LONGEST_WAIT}
        assert "nobody listens" in ears.states[-1]
        server.down = False
        await trio.sleep(LONGEST_WAIT + 1)
        assert ears.states[-1] == "connected"


async def test_an_unanswered_play_command_is_sent_again_with_its_event_number(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    server.answers["draw"] = lambda number: []
    server.answers["say"] = lambda number: []
    async with linked(server) as (link, ears):
        await settle()
        async with open_house(clock=0) as house:
            ann = await house.program("ann")
            await ann.done("create six-card")
            view = ann.last("view")
        await server.say(**view)
        await server.say(
            type="event", table=view["table"], seq=view["seq"] + 1, event="ready", seat="A", name="x"
        )
        link.send("draw")
        link.send("say hello")
        await settle()
        await server.cut()
        server.answers["draw"] = lambda number: [
            {"type": "error", "id": number, "code": "STALE", "message": "Too late.", "retry": False}
        ]
        await trio.sleep(2)
        resent = [line.split(" ", 1)[1] for line in server.lines[1]][2:]
        assert resent == [f"draw at={view['seq'] + 1}"], "chat may have arrived, and is not said twice"
        assert "Error" not in ears.kinds(), "a repeat that was not needed is no news"


async def test_a_token_that_is_no_longer_known_makes_a_newcomer(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    server.answers["resume"] = lambda number: [
        {"type": "error", "id": number, "code": "BAD_TOKEN", "message": "No.", "retry": False}
    ]
    async with linked(server, token="stale-token") as (_, ears):
        await settle()
        assert [line.split(" ")[1] for line in server.lines[0]] == ["hello", "resume", "name"]
        assert ears.tokens == [("Ann", ""), ("Ann", "secret-token")]


async def test_a_silent_server_is_asked_and_then_given_up(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as _:
        await trio.sleep(3 * SILENCE)
        assert len(server.attempts) == 1, "it answers when it is asked"
        server.silent = True
        await trio.sleep(3 * SILENCE)
        assert len(server.attempts) > 1


async def test_pings_are_answered_and_told_to_nobody(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as (_, ears):
        await settle()
        await server.say(type="ping", key="9f2c")
        assert server.lines[0][-1].endswith("pong 9f2c")
        assert "Ping" not in ears.kinds()


@pytest.mark.parametrize(("code", "comes_back"), [("TAKEN_OVER", False), ("QUIT", False), ("SHUTDOWN", True)])
async def test_some_goodbyes_are_for_good(
    server: FakeServer, code: str, comes_back: bool, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as _:
        await settle()
        await server.say(type="bye", code=code, message="Goodbye.")
        await server.cut()
        await trio.sleep(5)
        assert (len(server.attempts) > 1) is comes_back


async def test_unknown_types_and_broken_lines_are_passed_over(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    async with linked(server) as (_, ears):
        await settle()
        await server.say(type="fireworks", colour="red")
        await server.say(type="event", table="t1", seq=3, event="tea_served")
        await server.say(type="event", table="t1", seq=4, event="swapped", seat="Ann")
        await server.say(type="notice", code="HI", text="still there")
        assert ears.kinds()[-1] == "Notice"


async def test_another_server_is_sent_nothing_and_not_tried_again_before_it_is_accepted(
    server: FakeServer, autojump_clock: trio.testing.MockClock
) -> None:
    server.stranger = Untrusted(Address(host="golf", tls=True), "key:1", "key:2", "self-signed certificate")
    async with linked(server, token="secret-token") as (link, ears):
        await trio.sleep(3600)
        assert ears.problems == [server.stranger]
        assert len(server.attempts) == 1
        assert not server.lines
        server.stranger = None
        link.accept("")
        await settle()
        assert [line.split(" ", 1)[1] for line in server.lines[0]][1:] == ["name Ann"]
        assert ears.states[-1] == "connected"


async def test_no_more_goes_out_in_a_second_than_the_server_takes(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_house(commands_per_second=10) as house:
        ears = Ears()

        async def connect() -> trio.abc.Stream:
            here, there = trio.testing.memory_stream_pair()
            house.nursery.start_soon(serve_stream, house.dispatcher, there, "127.0.0.1")
            return here

        link = Link(connect, ears, name="Ann")
        house.nursery.start_soon(link.run)
        for number in range(35):
            link.send(f"ping k{number}")
        await trio.sleep(0.5)
        assert 0 < sum(isinstance(reply, Ok) and reply.key is not UNSET for reply in ears.replies) <= 10
        await trio.sleep(10)
        keys = [reply.key for reply in ears.replies if isinstance(reply, Ok) and reply.key is not UNSET]
        assert keys == [f"k{number}" for number in range(35)]
        assert "Error" not in ears.kinds()
