"""What people in the lobby are told about open tables: what to type to join, and never too many lines."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from golfnet.protocol.errors import Code, Refused
from golfnet.server.news import HEARD, MOST_WAITING, SECONDS, TOLD, TOLD_AT_ONCE, TOLD_IN_ALL, Crowd
from tests.server.house import House, Peer
from tests.server.session.test_incoming import on_a_wire


async def news(peer: Peer) -> list[str]:
    """Return the news about tables since the last call, as one line each."""
    lines = (await peer.take()).decode().replace("\r\n  ", " ").splitlines()
    return [line for line in lines if "wants to play" in line]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("seek six-card", "! Ann wants to play six-card. To play too, type: join t1"),
        ("create cactus seats=3", "! Ann wants to play cactus. To play too, type: join t1"),
        (
            "create six-card holes=18 clock=30",
            "! Ann wants to play six-card with holes=18 clock=30. To play too, type: join t1",
        ),
    ],
)
async def test_people_without_a_table_are_told_what_to_type(house: House, line: str, told: str) -> None:
    bob, program = await house.person("Bob"), await house.program("Cid")
    ann = await house.program("Ann")
    await ann.done(line)
    assert await news(bob) == [told]
    assert "You are at table t1" in await bob.say(told.partition("type: ")[2])
    assert not [thing for thing in program.objects if thing.get("code") == "LOBBY"]


async def test_seated_watching_or_opted_out_players_get_no_news(house: House) -> None:
    people = [await house.person(name) for name in ("Sitter", "Watcher", "Quiet", "Stranger")]
    sitter, watcher, quiet, listener = people
    await sitter.say("create four-turn")
    await watcher.say("watch t1")
    await quiet.say("set lobby off")
    nobody = await house.connect()
    ann = await house.program("Ann")
    for peer in [*people, nobody]:
        await peer.take()
    await ann.done("seek six-card")
    assert [len(await news(peer)) for peer in [*people, nobody]] == [0, 0, 0, 1, 0]
    await quiet.say("set lobby on")
    await ann.done("leave")
    await ann.done("seek six-card")
    assert [len(await news(peer)) for peer in (quiet, listener)] == [1, 1]


@pytest.mark.parametrize("line", ["create six-card password=sesame", "seek six-card"])
@pytest.mark.parametrize("unwanted", ["mute Ann", "noplay Ann"])
async def test_private_and_avoided_tables_are_not_announced(house: House, line: str, unwanted: str) -> None:
    bob, cleo = await house.person("Bob"), await house.person("Cleo")
    ann = await house.program("Ann")
    await bob.say(unwanted)
    await ann.done(line)
    assert not await news(bob)
    assert len(await news(cleo)) == ("password" not in line)


async def test_players_are_not_announced_to_those_they_avoid(house: House) -> None:
    bob, ann = await house.person("Bob"), await house.program("Ann")
    await ann.done("noplay Bob")
    await ann.done("seek six-card")
    assert not await news(bob)


@pytest.mark.settings(tables=1000)
async def test_news_lines_per_minute_are_limited(house: House) -> None:
    bob = await house.person("Bob")
    ann = await house.program("Ann")
    for _ in range(TOLD + 3):
        await ann.done("create four-turn")
        await ann.done("leave")
    assert len(await news(bob)) == TOLD
    hosts = [await house.program(f"Opener{number}") for number in range(HEARD + 3)]
    for host in hosts:
        await host.done("create four-turn")
    assert len(await news(bob)) == HEARD - TOLD
    await trio.sleep(SECONDS)
    for number in range(TOLD_IN_ALL + 5):
        host = await house.program(f"Another{number}", "create four-turn")
    assert len(await news(bob)) == HEARD
    late = await house.person("Late")
    [host] = await house.opened("four-turn", "Last")
    assert not await news(late)


def test_the_first_few_are_told_before_the_call_returns() -> None:
    told: list[Any] = []
    crowd = Crowd(lambda task: None)
    crowd.tell([1, 2, 3], told.append)
    assert told == [1, 2, 3]


@given(st.lists(st.integers(0, 3 * TOLD_AT_ONCE), max_size=MOST_WAITING))
def test_everybody_hears_everything_in_the_order_it_was_said(sizes: list[int]) -> None:
    heard: dict[int, list[int]] = {}
    most = 0

    async def main() -> None:
        nonlocal most
        async with trio.open_nursery() as nursery:
            crowd = Crowd(nursery.start_soon)
            for number, size in enumerate(sizes):
                crowd.tell(range(size), hears(number))
            while sum(map(len, heard.values())) < sum(sizes):
                before = sum(map(len, heard.values()))
                await trio.lowlevel.checkpoint()
                most = max(most, sum(map(len, heard.values())) - before)

    def hears(number: int) -> Callable[[int], None]:
        return lambda listener: heard.setdefault(listener, []).append(number)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    for listener, told in heard.items():
        assert told == [number for number, size in enumerate(sizes) if size > listener]
    assert most <= 2 * TOLD_AT_ONCE  # two turns may pass between two checks


def test_too_many_waiting_messages_are_refused() -> None:
    crowd = Crowd(lambda task: None)
    thousands = range(100 * TOLD_AT_ONCE)
    for _ in range(MOST_WAITING):
        crowd.tell(thousands, lambda listener: None)
    with pytest.raises(Refused) as refused:
        crowd.tell(thousands, lambda listener: None)
    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.wait_ms


async def test_a_shout_reaches_everybody_once_starting_with_the_shouter(house: House) -> None:
    lines = []
    for number in range(TOLD_AT_ONCE + 50):
        wire, session = on_a_wire(house)
        session.receive(b"name crowd%d\n" % number, trio.current_time())
        lines.append(wire)
    ann = await house.program("Ann")
    answers = await ann.say("1 shout hello")
    assert answers.index('"chat"') < answers.index('"ok"')
    await ann.settle()
    assert {line.written.count(b"hello") for line in lines} == {1}
