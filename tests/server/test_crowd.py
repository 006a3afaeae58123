"""Telling thousands: in one order for everybody, some in each turn, and not without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from golfnet.protocol.errors import Code, Refused
from golfnet.server.crowd import MOST_WAITING, TOLD_AT_ONCE, Crowd
from tests.server.house import open_house
from tests.server.session.test_incoming import on_a_wire

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_few_are_told_before_it_returns() -> None:
    told: list[Any] = []
    crowd = Crowd(lambda task: None)
    crowd.tell([1, 2, 3], told.append)
    assert told == [1, 2, 3]


@given(st.lists(st.integers(0, 3 * TOLD_AT_ONCE), max_size=MOST_WAITING))
def test_each_hears_everything_in_the_order_in_which_it_was_said(sizes: list[int]) -> None:
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
    assert most <= 2 * TOLD_AT_ONCE  # two turns may fall between two looks


def test_too_much_at_once_is_refused() -> None:
    crowd = Crowd(lambda task: None)
    thousands = range(100 * TOLD_AT_ONCE)
    for _ in range(MOST_WAITING):
        crowd.tell(thousands, lambda listener: None)
    with pytest.raises(Refused) as refused:
        crowd.tell(thousands, lambda listener: None)
    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.wait_ms


async def test_a_shout_reaches_everybody_once_the_shouter_first(autojump_clock: object) -> None:
    async with open_house() as house:
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
