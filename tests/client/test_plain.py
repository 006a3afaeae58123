"""The line client: it comes in, comes back, and shows every line as it is."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from golfnet_client.plain import PlainClient, take_any_bytes, typed_lines
from golfnet_client.remembered import Remembered
from tests.server.house import House, open_house, serve_stream

if TYPE_CHECKING:
    from pathlib import Path


class Cable:
    """Connects to a house and can be pulled."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.far: trio.abc.Stream | None = None
        self.connections = 0

    async def connect(self) -> trio.abc.Stream:
        here, self.far = trio.testing.memory_stream_pair()
        self.connections += 1
        self.house.nursery.start_soon(serve_stream, self.house.lobby, self.far, "127.0.0.1")
        return here

    async def pull(self) -> None:
        assert self.far is not None
        await self.far.aclose()


async def test_lines_go_both_ways_and_the_seat_is_kept(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    said: list[str] = []
    send, receive = trio.open_memory_channel[str | None](10)

    async def typed() -> str | None:
        return await receive.receive()

    async with open_house(clock=0) as house:
        cable = Cable(house)
        remembered = Remembered(tmp_path)
        plain = PlainClient(cable.connect, remembered, "here:1", name="Ann", say=said.append)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(plain.run, typed)
            await send.send("create six-card seats=2")
            await trio.sleep(1)
            assert any("sit" in line for line in said), "\n".join(said)
            name, token = remembered.player("here:1")
            assert name == "Ann"
            assert len(token) > 15
            await cable.pull()
            await send.send("who")
            await trio.sleep(5)
            assert cable.connections == 2
            assert "The connection is lost. Coming back." in said
            assert [player.name for player in house.lobby.accounts if player.table] == ["Ann"]
            await send.send("quit")
            await trio.sleep(1)
        assert plain.is_over


async def test_the_end_of_input_ends_the_client(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async def typed() -> str | None:
        return None

    async with open_house() as house:
        plain = PlainClient(Cable(house).connect, Remembered(tmp_path), "here:1", say=lambda line: None)
        await plain.run(typed)
        assert plain.is_over


async def test_a_server_that_is_not_there_is_tried_again(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    said: list[str] = []

    async def nobody() -> trio.abc.Stream:
        raise OSError("nobody listens")

    async def typed() -> str | None:
        await trio.sleep(10)
        return None

    await PlainClient(nobody, Remembered(tmp_path), "there:1", say=said.append).run(typed)
    assert said[0].startswith("No connection to there:1: nobody listens. Trying again in")
    assert len(said) > 3


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
async def test_typed_bytes_that_are_no_text_do_not_end_it(
    errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.BytesIO(b"say caf\xe9\nquit\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed, encoding="utf-8", errors=errors))
    take_any_bytes()
    assert [await typed_lines() for _ in range(3)] == ["say caf\N{REPLACEMENT CHARACTER}", "quit", None]
