"""Which tables fit a seek; news and chat reach everybody, but nobody too often."""

from collections.abc import Callable

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from golfnet.protocol.errors import Code, Refused
from golfnet.server import seeking
from tests.server.house import House, Peer, all_done
from tests.server.session.test_traffic import Wire


async def test_only_the_options_named_have_to_match(house: House) -> None:
    ann, bob = await house.programs("Ann", "Bob")
    for create, seek, fits in (
        ("six-card seats=3", "six-card", True),
        ("six-card seats=3", "six-card seats=3", True),
        ("six-card seats=3", "six-card seats=2", False),
        ("six-card seats=3", "six-card holes=9 seats=3", True),
        ("six-card seats=3", "six-card holes=18", False),
        ("six-card seats=3 holes=18", "six-card holes=18", True),
        ("six-card target=50", "six-card", True),
        ("six-card target=50", "six-card holes=9", False),
        ("six-card target=50", "six-card target=50", True),
        ("six-card seats=3 password=sesame", "six-card", False),
        ("six-card seats=3", "six-card-final", False),
        ("six-card seats=3 clock=30", "six-card", True),
        ("six-card seats=3 clock=30", "six-card clock=30", True),
        ("six-card seats=3 clock=30", "six-card clock=60", False),
        ("cactus slam=order", "cactus", True),
        ("cactus slam=order", "cactus slam=race", False),
    ):
        table = (await ann.done(f"create {create}"))["table"]
        assert ((await bob.done(f"seek {seek}"))["table"] == table) is fits, (create, seek)
        await all_done((bob, ann), "leave")


async def news(peer: Peer) -> list[str]:
    """Return the news about tables since the last call, as one line each."""
    lines = (await peer.take()).decode().replace("\r\n  ", " ").splitlines()
    return [line for line in lines if "wants to play" in line]


@pytest.mark.settings(tables=1000)
async def test_news_lines_per_minute_are_limited(house: House) -> None:
    bob = await house.person("Bob")
    ann = await house.program("Ann")
    for _ in range(seeking.NEWS_PER_HOST + 3):
        await ann.done("create four-turn", "leave")
    assert len(await news(bob)) == seeking.NEWS_PER_HOST
    hosts = [await house.program(f"Opener{number}") for number in range(seeking.NEWS_PER_RECEIVER + 3)]
    await all_done(hosts, "create four-turn")
    assert len(await news(bob)) == seeking.NEWS_PER_RECEIVER - seeking.NEWS_PER_HOST
    await trio.sleep(seeking.NEWS_SECONDS)
    for number in range(seeking.NEWS_IN_ALL + 5):
        await house.program(f"Another{number}", "create four-turn")
    assert len(await news(bob)) == seeking.NEWS_PER_RECEIVER
    late = await house.person("Late")
    await house.program("Last", "create four-turn")
    assert not await news(late)


@given(st.lists(st.integers(0, 3 * seeking.RECEIVERS_AT_ONCE), max_size=6))
def test_everybody_gets_all_chat_in_the_order_in_which_it_was_sent(sizes: list[int]) -> None:
    heard: dict[int, list[int]] = {}
    most = 0

    async def main() -> None:
        nonlocal most
        async with trio.open_nursery() as nursery:
            crowd = seeking.Crowd(nursery.start_soon)
            for number, size in enumerate(sizes):
                crowd.send(range(size), hears(number))
            while sum(map(len, heard.values())) < sum(sizes):
                before = sum(map(len, heard.values()))
                await trio.lowlevel.checkpoint()
                most = max(most, sum(map(len, heard.values())) - before)

    def hears(number: int) -> Callable[[int], None]:
        return lambda listener: heard.setdefault(listener, []).append(number)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    for listener, told in heard.items():
        assert told == [number for number, size in enumerate(sizes) if size > listener]
    assert most <= 2 * seeking.RECEIVERS_AT_ONCE  # two turns may pass between two checks


def test_too_many_waiting_messages_are_refused() -> None:
    crowd = seeking.Crowd(lambda task: None)
    thousands = range(100 * seeking.RECEIVERS_AT_ONCE)
    for _ in range(seeking.MOST_WAITING):
        crowd.send(thousands, lambda listener: None)
    with pytest.raises(Refused) as refused:
        crowd.send(thousands, lambda listener: None)
    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.wait_ms


async def test_a_shout_reaches_everybody_exactly_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeking, "RECEIVERS_AT_ONCE", 4)
    lines = []
    for number in range(10):
        lines.append(Wire(house))
        lines[-1].receive(b"name crowd%d\n" % number)
    ann = await house.program("Ann")
    await ann.done("shout hello")
    assert [thing["type"] for thing in ann.objects[-2:]] == ["chat", "ok"]
    assert {line.written.count(b"hello") for line in lines} == {1}
