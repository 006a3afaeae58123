"""What people are told about others at the table: only what concerns them, in one line."""

import pytest
import trio

from tests.server.house import House, Peer, Program

pytestmark = pytest.mark.settings(seed=7)


async def seated(house: House, create: str, *others: str) -> tuple[Peer, list[Program]]:
    """Seat a person, then programs, at a table whose match has begun."""
    ann = await house.person("Ann", f"create {create}")
    programs = [await house.program(name) for name in others]
    for program in programs:
        await program.done("join t1")
        await program.done("ready")
    await ann.say("start")
    return ann, programs


@pytest.mark.parametrize("style", ["plain", "speech"])
async def test_other_players_start_choices_are_one_line_each(house: House, style: str) -> None:
    ann, (bob, cid) = await seated(house, "four-turn", "Bob", "Cid")
    await ann.say(f"set style {style}")
    await ann.say("set talk full")
    await bob.done("peek 3")
    assert (await ann.take()).decode() == ""
    await bob.done("peek 4")
    assert (await ann.take()).decode().endswith("Bob (B) looks at slots 3 and 4.\r\n")
    await cid.done("peek 3 4")
    assert (await ann.take()).decode().endswith("Cid (C) looks at slots 3 and 4.\r\n")
    assert "You look at slot 3" in await ann.say("peek 3")
    assert "You look at slot 4" in await ann.say("peek 4")
    assert [event["at"] for event in cid.events("peeked")][:2] == [["B3"], ["B4"]]


async def test_a_clock_warning_says_what_it_is_for(house: House) -> None:
    ann, (bob,) = await seated(house, "cactus power=0,1,2,3,4,5,6,7,8,9,10,J,Q", "Bob")
    await ann.say("peek 3 4")
    await bob.done("peek 3 4")
    if house.lobby.tables["t1"].view(None).turn == "B":
        for line in ("draw", "discard", "decline", "pass"):
            await bob.done(line)
        await ann.say("pass")
    await ann.say("draw")
    assert "left to use" not in await ann.say("discard")  # the prompt shows the time
    await bob.done("pass")
    await trio.sleep(35)
    assert "* You have 30 seconds left to use your power." in (await ann.take()).decode()


async def test_clock_warnings_go_only_to_the_player_concerned(house: House) -> None:
    eve, (ann, (bob,)) = await house.person("Eve"), await seated(house, "four-turn clock=20", "Bob")
    await house.opened("four-turn", "Dan")
    await eve.say("watch t1")
    await eve.say("watch t2")
    await ann.say("peek 3 4")
    await eve.take()
    await trio.sleep(12)
    assert (await ann.take(), await eve.take()) == (b"", b"")
    await bob.poll()
    assert bob.events("clock")
