"""What is answered to lines of play that cannot be carried out: people read names, programs the letters of seats."""

from __future__ import annotations

from tests.server.house import House, Peer, Program, open_house


async def seated(house: House, create: str) -> tuple[Peer, Program]:
    """Seat a person, then a program, at a table whose match has begun."""
    ann, bob = await house.person("Ann"), await house.program("Bob")
    await ann.say(f"create {create}")
    await bob.done("join t1")
    await bob.done("ready")
    await ann.say("start")
    return ann, bob


async def test_a_refusal_says_names_to_people_and_letters_to_programs(autojump_clock: object) -> None:
    async with open_house(seed=7) as house:
        ann, bob = await seated(house, "four-turn")
        await ann.say("peek 3 4")
        await bob.done("peek 3 4")
        turn = house.lobby.tables["t1"].view(None).turn
        if turn == "B":
            assert "It is Bob's turn." in await ann.say("draw")
        else:
            await ann.say("draw")
            assert (await bob.ask("draw"))["message"] == "It is A's turn."
            await ann.say("discard")
            assert "It is Bob's turn." in await ann.say("draw")
        await bob.done("draw")
        await bob.done("discard")
        assert (await bob.ask("draw"))["message"] == "It is A's turn."


async def test_a_person_declines_a_power_with_pass(autojump_clock: object) -> None:
    async with open_house(seed=7) as house:
        ann, bob = await seated(house, "cactus slam=off power=0,1,2,3,4,5,6,7,8,9,10,J,Q clock=0")
        await ann.say("peek 3 4")
        await bob.done("peek 3 4")
        if house.lobby.tables["t1"].view(None).turn == "B":
            await bob.done("draw")
            await bob.done("discard")
            await bob.done("decline")
        await ann.say("draw")
        assert "You have a power" in await ann.say("discard")
        assert "You leave the power unused" in await ann.say("pass")
        await bob.done("draw")
        await bob.done("discard")
        assert (await bob.ask("pass"))["code"] == "BAD_PHASE"
