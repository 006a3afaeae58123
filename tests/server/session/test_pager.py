"""Pages of long answers: every line comes once, in order, and no more waits than is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.text.typeset import display_width
from golfnet.server.session.pager import KEPT, MORE, Pager
from tests.server.house import open_house

PARTS = st.lists(st.lists(st.text("abc ", max_size=9), max_size=30), max_size=4)


@given(parts=PARTS, page=st.integers(5, 40))
def test_pages_put_together_are_the_answer_and_none_is_too_long(parts: list[list[str]], page: int) -> None:
    pager = Pager()
    pages = [[line for part in parts for line in pager.first(part, page)]]
    while pager.is_waiting:
        pages.append(pager.next(page))
    assert all(each[-1] == MORE for each in pages[:-1])
    told = [line for each in pages[:-1] for line in each[:-1]] + pages[-1]
    assert told == [line for part in parts for line in part]
    assert all(len(each) <= page for each in pages)
    assert display_width(MORE) <= 32


def test_another_command_drops_what_waits_and_hears_whether_there_was_any() -> None:
    pager = Pager()
    assert not pager.start()
    pager.first(["a", "b"], 5)
    assert not pager.start()
    pager.first(["a"] * 9, 5)
    assert pager.start()
    assert not pager.is_waiting
    assert pager.first(["b"], 5) == ["b"]


def test_what_waits_is_bounded_and_it_is_said_what_was_lost() -> None:
    pager = Pager()
    for _ in range(1000):
        pager.first(["x" * 100] * 10, 5)
    kept = pager.next(None)
    assert KEPT - 200 < sum(map(len, kept[:-1])) <= KEPT
    assert (
        kept[-1]
        == f"= {10_000 - 4 - len(kept[:-1])} more lines are too many for pages; set page none shows them."
    )
    assert not pager.is_waiting


async def test_enter_shows_the_next_page_and_any_command_drops_the_rest(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.person("Ann")
        whole = (await ann.say("help styles")).splitlines()
        await ann.say("set page 10")
        first = (await ann.say("help styles")).splitlines()
        assert first == [*whole[:9], MORE]
        second = (await ann.say(b"\r\n")).splitlines()
        assert second == [*whole[9:18], MORE]
        version = await ann.say("version")
        assert version.startswith("= golfnet")
        assert await ann.say(b"\n") == ""


async def test_q_stops_and_says_nothing_and_is_quit_only_to_whom_no_page_waits(
    autojump_clock: object,
) -> None:
    async with open_house() as house:
        ann = await house.person("Ann")
        await ann.say("set page 5")
        assert MORE in await ann.say("help")
        assert await ann.say("q") == ""
        assert await ann.say(b"\n") == ""
        assert not ann.is_closed


async def test_what_happens_is_shown_between_two_pages(autojump_clock: object) -> None:
    async with open_house() as house:
        ann, bob = await house.person("Ann"), await house.person("Bob")
        await ann.say("set page 8")
        assert MORE in await ann.say("rules cactus full")
        await bob.say("tell Ann hello")
        assert "hello" in (await ann.take()).decode()
        assert MORE in await ann.say(b"\n")


@pytest.mark.parametrize("line", ["set page 5", "set page none"])
async def test_the_note_of_a_list_comes_after_its_last_page(line: str, autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.person("Ann")
        whole = (await ann.say("rules")).splitlines()
        await ann.say(line)
        told = (await ann.say("rules")).splitlines()
        while told[-1] == MORE:
            told = [*told[:-1], *(await ann.say(b"\n")).splitlines()]
        assert told == whole


async def test_programs_and_pipes_get_all(autojump_clock: object) -> None:
    async with open_house() as house:
        ann = await house.person("Ann")
        await ann.say("set page 5")
        await ann.take()
        await ann.send("help")
        await ann.stream.send_eof()  # type: ignore[attr-defined]
        told = (await ann.take()).decode()
        assert "Topics" in told
