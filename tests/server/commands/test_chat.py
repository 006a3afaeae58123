"""Chat and invitations: what is never passed on to others, and who may join with an invitation."""

import pytest

from golfnet.server.table import hosts
from tests.server.cluster import Cluster
from tests.server.house import House, Program

BIDI = "\u202e\u2066\u200f"
ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b1m\x00\x08\x7f"


def chats(program: Program) -> list[tuple[str, str, str]]:
    return [(c["from"], c["to"], c["text"]) for c in program.objects if c["type"] == "chat"]


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
