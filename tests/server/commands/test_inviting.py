"""``invite``: who is told and in which words, who is not told, and why it cannot be used to pester people."""

import pytest
import trio

from golfnet.server.table.gallery import INVITED_SECONDS
from tests.server.cluster import Cluster
from tests.server.house import House, Peer, Program


async def told(peer: Peer) -> str:
    return " ".join((await peer.take()).decode().split())


def invitations(program: Program) -> list[dict[str, object]]:
    return [thing for thing in program.objects if thing.get("code") == "INVITED"]


async def test_an_invitation_tells_players_elsewhere_and_during_a_match_how_to_join(house: House) -> None:
    await house.table("four-turn seats=2", "Ann", "Bob")
    dee, eve = await house.person("Dee"), await house.person("Eve")
    await dee.say("create six-card")
    await dee.say("bot easy")
    await dee.say("start")
    await eve.take()
    await dee.say("invite Eve")
    assert await told(eve) == ("* t2: Dee invites you to the next match of six-card. To come, type: join t2")
    await eve.say("create multiples")
    await trio.sleep(INVITED_SECONDS)
    await eve.take()
    await dee.say("invite Eve")
    assert (await told(eve)).endswith("To come, type: leave, then join t2")


async def test_an_invitation_admits_to_a_private_table_for_a_while(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await ann.done("create six-card password=sesame")
    await ann.done("invite Bob")
    await bob.done("join t1")
    assert (await cid.ask("join t1"))["code"] == "WRONG_PASSWORD"
    await bob.done("leave")
    await trio.sleep(INVITED_SECONDS)
    assert (await bob.ask("join t1"))["code"] == "WRONG_PASSWORD"


async def test_invitations_cannot_be_repeated_for_a_while(house: House) -> None:
    [ann], bob = await house.opened("six-card", "Ann"), await house.program("Bob")
    await ann.done("invite Bob")
    await ann.done("leave")
    await ann.done("create six-card")
    again = await ann.ask("invite BOB")
    assert (again["code"], again["wait_ms"]) == ("RATE_LIMITED", INVITED_SECONDS * 1000)
    await bob.done("create six-card")
    await bob.done("invite Ann")
    assert len(invitations(bob)) == 1
    await trio.sleep(INVITED_SECONDS)
    await ann.done("invite Bob")


@pytest.mark.parametrize(
    ("who", "line"),
    [("Bob", "mute Ann"), ("Bob", "noplay Ann"), ("Bob", "noplay Cid"), ("Cid", "noplay Bob")],
)
async def test_players_who_do_not_want_an_invitation_get_none_and_nobody_notices(
    house: House, who: str, line: str
) -> None:
    programs = {name: await house.program(name) for name in ("Ann", "Bob", "Cid", "Dee")}
    ann, bob = programs["Ann"], programs["Bob"]
    await ann.done("create six-card")
    await programs["Cid"].done("join t1")
    await programs[who].done(line)
    answers = [await ann.done("invite Bob"), await ann.done("invite Dee")]
    assert answers[0]["note"] == answers[1]["note"].replace("Dee", "Bob")
    assert invitations(bob) == []


@pytest.mark.parametrize("verb", ["mute", "noplay"])
async def test_players_cannot_invite_somebody_they_avoid(house: House, verb: str) -> None:
    [ann], _ = await house.opened("six-card", "Ann"), await house.program("Bob")
    await ann.done(f"{verb} Bob")
    refused = await ann.ask("invite Bob")
    assert refused["code"] == "NOT_AVAILABLE"
    assert refused["message"].endswith(f"type: {verb} Bob off")
    await ann.done(f"{verb} Bob off")
    await ann.done("invite Bob")


async def test_refusals_say_what_to_do(house: House) -> None:
    ann, bob, cid = [await house.person(name) for name in ("Ann", "Bob", "Cid")]
    assert "To play at once, type: play." in await cid.say("invite Bob")
    await ann.say("create four-turn seats=2")
    assert await ann.say("invite Zoe") == (
        "? NO_SUCH_PLAYER Zoe is not here. To see everybody, type: who\r\n"
    )
    assert "ALREADY_SEATED Ann is already at t1." in await ann.say("invite Ann")
    await ann.say("bot easy")
    assert "TABLE_FULL All 2 seats at t1 are taken. To free one, type: kick easy-bot" in " ".join(
        (await ann.say("invite Bob")).split()
    )
    await ann.say("kick easy-bot")
    await cid.say("join t1")
    assert "To wait in line, Bob can type: join t1" in await cid.say("invite Bob")
    assert "ALREADY_SEATED" in await cid.say("invite ann")
    assert "Bob" in await bob.say("who")


async def test_the_host_may_invite_a_player_they_removed(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await ann.done("create six-card")
    for program in (bob, cid):
        await program.done("join t1")
    await ann.done("kick Bob")
    refused = await cid.ask("invite Bob")
    assert (refused["code"], "who can come back in 5 minutes" in refused["message"]) == (
        "NOT_AVAILABLE",
        True,
    )
    await ann.done("invite Bob")
    await bob.done("join t1")


@pytest.mark.settings(chat_per_10_seconds=1)
async def test_an_invitation_counts_as_chat(house: House) -> None:
    [ann], _ = await house.opened("six-card", "Ann"), await house.program("Bob")
    await ann.done("say hello")
    assert (await ann.ask("invite Bob"))["code"] == "RATE_LIMITED"


async def test_players_on_another_node_can_be_invited_and_join_without_the_password(cluster: Cluster) -> None:
    ann = await cluster.nodes[1].house.program("Ann")
    bob, cid = [await cluster.nodes[2].house.program(name) for name in ("Bob", "Cid")]
    await ann.done("create six-card password=sesame")
    table = ann.last("view")["table"]
    await cid.done("mute Ann")
    for name in ("Bob", "Cid"):
        assert (await ann.done(f"invite {name}"))["note"].startswith(f"You have invited {name}")
    assert [notice["table"] for notice in invitations(bob)] == [table]
    assert invitations(cid) == []
    await bob.done(f"join {table}")
