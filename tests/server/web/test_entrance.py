"""Browsers at the web port: a session for each WebSocket, and an end for everything else, whatever is sent."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from golfnet.server.connections import LobbyAcceptor
from golfnet.server.throttle import Addresses
from golfnet.server.web.entrance import REQUEST_SECONDS, WebEntrance, is_private
from golfnet.server.web.messages import MESSAGE_BYTES, PING_SECONDS
from tests.server.house import House, open_house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GET = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Browser:
    """The other end of a connection to the web port."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.client = ClientProtocol(parse_uri("ws://127.0.0.1/lines"), origin="http://127.0.0.1")  # type: ignore[arg-type]
        self.lines: list[str] = []
        self.frames: list[Frame] = []

    async def open(self) -> None:
        """Make a WebSocket of the connection."""
        self.client.send_request(self.client.connect())
        await self.flush()
        while self.client.state.name == "CONNECTING":
            await self.read()

    async def flush(self) -> None:
        for data in self.client.data_to_send():
            if data:
                await self.stream.send_all(data)

    async def read(self) -> bool:
        """Take in what comes next; return whether more can come."""
        data = await self.stream.receive_some(65536)
        if not data:
            return False
        self.client.receive_data(bytes(data))
        for event in self.client.events_received():
            if isinstance(event, Frame):
                self.frames.append(event)
                if event.opcode is Opcode.TEXT:
                    self.lines.append(bytes(event.data).decode())
        await self.flush()
        return True

    async def send(self, line: str | bytes) -> None:
        self.client.send_text(line if isinstance(line, bytes) else line.encode())
        await self.flush()

    async def ask(self, line: str) -> dict[str, object]:
        """Send a command in machine mode; return its answer."""
        before = len(self.lines)
        await self.send(line)
        while True:
            for text in self.lines[before:]:
                if text.startswith("{") and (found := json.loads(text))["type"] in ("ok", "error"):
                    return cast("dict[str, object]", found)
            assert await self.read()


@asynccontextmanager
async def web(house: House) -> AsyncIterator[tuple[WebEntrance, trio.Nursery]]:
    dispatcher = house.dispatcher
    entrance = WebEntrance(LobbyAcceptor(dispatcher, Addresses(50)), dispatcher.config.outbox, (), None)
    async with trio.open_nursery() as nursery:
        yield entrance, nursery
        nursery.cancel_scope.cancel()


def connect(
    entrance: WebEntrance, nursery: trio.Nursery
) -> trio.StapledStream[trio.testing.MemorySendStream, trio.testing.MemoryReceiveStream]:
    ours, theirs = trio.testing.memory_stream_pair()
    nursery.start_soon(entrance.carry, theirs, "127.0.0.1")
    return ours


async def answer_to(stream: trio.abc.Stream, request: bytes) -> bytes:
    await stream.send_all(request)
    got = b""
    while data := await stream.receive_some(65536):
        got += data
    return got


async def test_the_page_comes_and_the_connection_ends(autojump_clock: object) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        got = await answer_to(connect(entrance, nursery), GET)
        assert got.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"<title>golfnet</title>" in got


async def test_lines_are_played_over_a_web_socket(autojump_clock: object) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        ann = Browser(connect(entrance, nursery))
        await ann.open()
        await ann.ask("hello 1 client=web/1")
        assert (await ann.ask("1 name Ann"))["name"] == "Ann"
        assert (await ann.ask("2 create six-card seats=2"))["table"] == "t1"
        await ann.send("x" * 1500)
        assert "LINE_TOO_LONG" in str(await ann.ask("3 ping"))
        await ann.send(b"4 ping one\n5 ping two")
        answers = [json.loads(line) for line in ann.lines if '"key":"' in line and '"key":""' not in line]
        while len(answers) < 2:
            await ann.read()
            answers = [json.loads(line) for line in ann.lines if '"key":"' in line and '"key":""' not in line]
        assert [answer["key"] for answer in answers] == ["one", "two"]
        assert all("\n" not in line for line in ann.lines)


async def test_half_a_request_ends_in_time(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        began = trio.current_time()
        assert await answer_to(connect(entrance, nursery), GET[:20]) == b""
        assert trio.current_time() - began == pytest.approx(REQUEST_SECONDS)


async def test_a_request_that_does_not_end_is_cut_off(autojump_clock: object) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        got = await answer_to(connect(entrance, nursery), b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 3000)
        assert b"200" not in got


async def test_a_message_that_is_too_long_ends_its_connection_only(autojump_clock: object) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        bob = Browser(connect(entrance, nursery))
        await bob.open()
        await bob.send("x" * (MESSAGE_BYTES + 1))
        while await bob.read():
            pass
        ann = Browser(connect(entrance, nursery))
        await ann.open()
        await ann.ask("hello 1")


async def test_a_phone_that_sleeps_is_gone_after_two_pings(autojump_clock: trio.testing.MockClock) -> None:
    async with open_house() as house, web(house) as (entrance, nursery):
        ann = Browser(connect(entrance, nursery))
        await ann.open()
        await ann.ask("hello 1")
        await ann.ask("1 name Ann")
        assert house.lobby.accounts.find("Ann") is not None
        await trio.sleep(2 * PING_SECONDS + 1)
        player = house.lobby.accounts.find("Ann")
        assert player is None or player.session is None


@settings(max_examples=40, deadline=None)
@given(before=st.binary(max_size=300), after=st.binary(max_size=300))
def test_whatever_is_sent_the_server_lives_on(before: bytes, after: bytes) -> None:
    async def main() -> None:
        async with open_house() as house, web(house) as (entrance, nursery):
            with trio.move_on_after(60):
                await answer_to(connect(entrance, nursery), before)
            eve = Browser(connect(entrance, nursery))
            await eve.open()
            await eve.stream.send_all(after)
            with trio.move_on_after(60):
                while await eve.stream.receive_some(65536):
                    pass
            assert (await answer_to(connect(entrance, nursery), GET)).startswith(b"HTTP/1.1 200")

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("127.0.0.1", True),
        ("192.168.3.4", True),
        ("fe80::1%eth0", True),
        ("fd00::5", True),
        ("8.8.8.8", False),
        ("2606:4700::1", False),
    ],
)
def test_without_tls_only_private_networks_are_served(address: str, private: bool) -> None:
    assert is_private(address) is private
