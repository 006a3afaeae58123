"""Chat and invitations: who receives them, how many are allowed, and what is never passed on to others."""

import pytest
import trio

from golfnet.server.table import hosts
from golfnet.server.table.hosts import INVITED_SECONDS
from tests.server.cluster import Cluster
from tests.server.house import House, Peer, Program, all_done

BIDI = "\u202e\u2066\u200f"
ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b1m\x00\x08\x7f"


def chats(program: Program) -> list[tuple[str, str, str]]:
    return [(c["from"], c["to"], c["text"]) for c in program.objects if c["type"] == "chat"]


async def test_players_do_not_hear_watchers_during_a_hole(house: House) -> None:
    ann, bob = await house.opened("four-turn seats=2", "Ann", "Bob")
    eve, fay = await house.program("Eve", "watch t1", "say hello"), await house.program("Fay", "watch t1")
    await all_done((ann, bob), "ready")
    await eve.done("say B has two aces")
    await ann.done("say good luck")
    assert chats(fay) == [("Eve", "watchers", "B has two aces"), ("Ann", "table", "good luck")]
    assert chats(bob) == chats(ann) == [("Eve", "table", "hello"), ("Ann", "table", "good luck")]


async def test_tell_reaches_one_player_and_shout_reaches_those_without_a_table(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await cid.done("create four-turn")
    await ann.done("tell BOB psst", "tell Cid hi", "shout anybody?")
    await cid.done("shout here")
    assert chats(bob) == [("Ann", "Bob", "psst"), ("Ann", "lobby", "anybody?"), ("Cid", "lobby", "here")]
    assert chats(cid) == [("Ann", "Cid", "hi"), ("Cid", "lobby", "here")]
    assert await ann.codes("tell Zoe hi", "tell nobody\u202e hi") == ["NO_SUCH_PLAYER"] * 2


@pytest.mark.parametrize("how", ["program", "person"])
async def test_muted_players_are_not_heard_and_do_not_notice(house: House, how: str) -> None:
    """Every answer to muted players stays the same, byte for byte, even if their command is refused."""
    bob = await house.program("Bob")
    ann = await house.program("Ann") if how == "program" else await house.person("Ann")
    lines = ("tell Bob psst", "tell bob \u202e", "tell Bob", "shout hello", "who")
    before = [await ann.say(line) for line in lines]
    await bob.done("mute ANN")
    assert [await ann.say(line) for line in lines] == before
    heard = [("Ann", "Bob", "psst"), ("Ann", "lobby", "hello")]
    assert chats(bob) == heard
    await ann.say("create four-turn seats=2")
    await bob.done("join t1")
    await ann.say("say hello")
    assert chats(bob) == heard
    await bob.done("mute ann off")
    await ann.say("say hello again")
    assert chats(bob) == [*heard, ("Ann", "table", "hello again")]


@pytest.mark.settings(chat_per_10_seconds=8)
async def test_too_much_chat_is_refused_with_the_time_to_wait(house: House) -> None:
    [ann] = await house.programs("Ann")
    answers = [await ann.ask("shout hello") for _ in range(9)]
    assert [answer["type"] for answer in answers] == ["ok"] * 8 + ["error"]
    assert (answers[-1]["code"], answers[-1]["wait_ms"]) == ("RATE_LIMITED", 10_000)


@pytest.mark.parametrize("style", ["machine", "art"])
async def test_chat_passes_on_no_control_characters(house: House, style: str) -> None:
    dirt = ESCAPES + BIDI
    ann = await house.program("Ann")
    bob = await house.person("Bob")
    await bob.say("hello 1" if style == "machine" else f"set style {style}")
    for peer, line in (
        *((ann, f'create six-card name="{dirt}Fun{dirt}"'), (ann, "bot"), (ann, f"say {dirt}hello{dirt}")),
        *(
            (ann, f"shout {dirt}lobby{dirt}"),
            (ann, f"tell Bob {dirt}you{dirt}"),
            (ann, f"cut {dirt}seven{dirt}"),
        ),
        *((bob, "tables"), (bob, "who"), (bob, "watch t1"), (bob, "look"), (bob, f"join {dirt}t9")),
        *((bob, f"rules {dirt}"), (bob, f"{dirt}xyzzy"), (ann, f"say {dirt}once more{dirt}")),
    ):
        await peer.send(line)
        await peer.settle()
    text = (await bob.take()).decode()
    assert "once more" in text
    assert "Fun" in text
    assert not [char for char in text if (ord(char) < 32 and char not in "\r\n") or 127 <= ord(char) < 160]
    assert not set(text) & set(BIDI)
    invisible = (f"shout {BIDI}", f"tell Bob {ESCAPES}x"[:-1], "shout")
    assert await ann.codes(*invisible) == ["BAD_ARGUMENT"] * 3


# --- invitations


async def told(peer: Peer) -> str:
    return " ".join((await peer.take()).decode().split())


async def test_an_invitation_tells_players_elsewhere_and_during_a_match_how_to_join(house: House) -> None:
    await house.table("four-turn seats=2", "Ann", "Bob")
    dee, eve = await house.person("Dee", "create six-card", "bot easy", "start"), await house.person("Eve")
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
    await ann.done("create six-card password=sesame", "invite Bob")
    await bob.done("join t1")
    assert (await cid.ask("join t1"))["code"] == "WRONG_PASSWORD"
    await bob.done("leave")
    await trio.sleep(INVITED_SECONDS)
    assert (await bob.ask("join t1"))["code"] == "WRONG_PASSWORD"


async def test_only_the_latest_invitations_to_a_table_admit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "_INVITED_AT_ONCE", 2)
    ann, bob, cid, dee = await house.programs("Ann", "Bob", "Cid", "Dee")
    await ann.done("create six-card password=sesame", "invite Bob", "invite Cid")
    await bob.done("join t1", "leave")
    await ann.done("invite Dee")
    assert (await bob.ask("join t1"))["code"] == "WRONG_PASSWORD"
    for invited in (cid, dee):
        await invited.done("join t1")


async def test_invitations_cannot_be_repeated_for_a_while(house: House) -> None:
    [ann], bob = await house.opened("six-card", "Ann"), await house.program("Bob")
    await ann.done("invite Bob", "leave", "create six-card")
    again = await ann.ask("invite BOB")
    assert (again["code"], again["wait_ms"]) == ("RATE_LIMITED", INVITED_SECONDS * 1000)
    await bob.done("create six-card", "invite Ann")
    assert len(bob.notices("INVITED")) == 1
    await trio.sleep(INVITED_SECONDS)
    await ann.done("invite Bob")


@pytest.mark.parametrize(
    ("who", "line"),
    [("Bob", "mute Ann"), ("Bob", "noplay Ann"), ("Bob", "noplay Cid"), ("Cid", "noplay Bob")],
)
async def test_an_unwanted_invitation_is_silently_dropped(house: House, who: str, line: str) -> None:
    programs = {name: await house.program(name) for name in ("Ann", "Bob", "Cid", "Dee")}
    ann, bob = programs["Ann"], programs["Bob"]
    await ann.done("create six-card")
    await programs["Cid"].done("join t1")
    await programs[who].done(line)
    answers = [await ann.done("invite Bob"), await ann.done("invite Dee")]
    assert answers[0]["note"] == answers[1]["note"].replace("Dee", "Bob")
    assert bob.notices("INVITED") == []


@pytest.mark.parametrize("verb", ["mute", "noplay"])
async def test_players_can_avoid_present_or_absent_players_and_then_cannot_invite_them(
    house: House, verb: str
) -> None:
    [ann], _ = await house.opened("six-card", "Ann"), await house.programs("Bob", "Dee")
    assert "is here now" not in (await ann.done(f"{verb} bob"))["note"]
    assert (await ann.done(f"{verb} typo"))["note"].startswith("Nobody called typo is here now. From now")
    assert (await ann.done(verb))["note"].endswith(": Bob, typo.")
    refused = await ann.ask("invite Bob")
    assert refused["code"] == "NOT_AVAILABLE"
    assert refused["message"].endswith(f"type: {verb} Bob off")
    await ann.done("invite Dee", f"{verb} Bob off", "invite Bob")


async def test_refused_invitations_say_what_to_do(house: House) -> None:
    ann = await house.person("Ann", "create four-turn seats=2")
    await house.person("Bob")
    assert "ALREADY_SEATED Ann is already at t1." in await ann.say("invite Ann")
    await ann.say("bot easy")
    assert "TABLE_FULL All 2 seats at t1 are taken. To free one, type: kick easy-bot" in " ".join(
        (await ann.say("invite Bob")).split()
    )
    await ann.say("kick easy-bot")
    cid = await house.person("Cid", "join t1")
    assert "To wait in line, Bob can type: join t1" in await cid.say("invite Bob")
    assert "ALREADY_SEATED" in await cid.say("invite ann")


async def test_the_host_may_invite_a_player_they_removed(house: House) -> None:
    ann, bob, cid = await house.opened("six-card", "Ann", "Bob", "Cid")
    await ann.done("kick Bob")
    refused = await cid.ask("invite Bob")
    assert refused["code"] == "NOT_AVAILABLE"
    assert "who can come back in 5 minutes" in refused["message"]
    await ann.done("invite Bob")
    await bob.done("join t1")


async def test_players_on_another_node_can_be_invited_to_a_private_table(cluster: Cluster) -> None:
    ann = await cluster.nodes[1].house.program("Ann")
    bob, cid = [await cluster.nodes[2].house.program(name) for name in ("Bob", "Cid")]
    await ann.done("create six-card password=sesame")
    table = ann.last("view")["table"]
    await cid.done("mute Ann")
    for name in ("Bob", "Cid"):
        assert (await ann.done(f"invite {name}"))["note"].startswith(f"You have invited {name}")
    assert [notice["table"] for notice in bob.notices("INVITED")] == [table]
    assert cid.notices("INVITED") == []
    await bob.done(f"join {table}")
