"""Chat: who receives it, how much is allowed, and what is never passed on to others."""

import pytest

from tests.server.house import House, Program

BIDI = "\u202e\u2066\u200f"
ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b1m\x00\x08\x7f"


def chats(program: Program) -> list[tuple[str, str, str]]:
    return [(c["from"], c["to"], c["text"]) for c in program.objects if c["type"] == "chat"]


async def test_players_do_not_hear_watchers_during_a_hole(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 holes=2", "Ann", "Bob")
    eve, fay = await house.programs("Eve", "Fay")
    await eve.done("watch t1")
    await fay.done("watch t1")
    await eve.done("say B has two aces")
    await ann.done("say good luck")
    assert chats(fay) == [("Eve", "watchers", "B has two aces"), ("Ann", "table", "good luck")]
    assert chats(bob) == chats(ann) == [("Ann", "table", "good luck")]


async def test_between_holes_everybody_hears_everybody(house: House) -> None:
    ann, eve = await house.programs("Ann", "Eve")
    await ann.done("create four-turn")
    await eve.done("watch t1")
    await eve.done("say hello")
    assert chats(ann) == chats(eve) == [("Eve", "table", "hello")]


async def test_tell_reaches_one_player_and_lobby_chat_those_without_a_table(house: House) -> None:
    ann, bob, cid = await house.programs("Ann", "Bob", "Cid")
    await cid.done("create four-turn")
    await ann.done("tell BOB psst")
    await ann.done("tell Cid hi")
    await ann.done("shout anybody?")
    await cid.done("shout here")
    assert chats(bob) == [*(("Ann", "Bob", "psst"), ("Ann", "lobby", "anybody?"), ("Cid", "lobby", "here"))]
    assert chats(cid) == [("Ann", "Cid", "hi"), ("Cid", "lobby", "here")]
    for name in ("Zoe", "nobody\u202e"):
        assert (await ann.ask(f"tell {name} hi"))["code"] == "NO_SUCH_PLAYER"


async def test_muted_players_are_not_heard_however_their_name_was_written(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2", "Ann", "Bob")
    await bob.done("mute ANN")
    assert "Ann" in (await bob.done("mute"))["note"]
    await ann.done("say hello")
    await ann.done("shout hello")
    await ann.done("tell Bob hello")
    assert chats(bob) == []
    await bob.done("mute ann off")
    await ann.done("say hello again")
    assert chats(bob) == [("Ann", "table", "hello again")]


@pytest.mark.parametrize("how", ["program", "person"])
async def test_muted_players_cannot_tell_that_they_are_muted(house: House, how: str) -> None:
    """Every answer is the same byte for byte, even to messages that are refused."""
    bob = await house.program("Bob")
    ann = await house.program("Ann") if how == "program" else await house.person("Ann")
    lines = ("tell Bob psst", "tell bob \u202e", "tell Bob", "shout hello", "who")
    before = [await ann.say(line) for line in lines]
    await bob.done("mute Ann")
    assert [await ann.say(line) for line in lines] == before
    assert chats(bob) == [("Ann", "Bob", "psst"), ("Ann", "lobby", "hello")]


@pytest.mark.settings(chat_per_10_seconds=8)
async def test_too_much_chat_is_refused_with_the_time_to_wait(house: House) -> None:
    [ann] = await house.programs("Ann")
    answers = [await ann.ask("shout hello") for _ in range(9)]
    assert [answer["type"] for answer in answers] == ["ok"] * 8 + ["error"]
    assert (answers[-1]["code"], answers[-1]["wait_ms"]) == ("RATE_LIMITED", 10_000)


@pytest.mark.parametrize("style", ["machine", "art", "plain", "speech"])
async def test_chat_passes_on_no_control_characters(house: House, style: str) -> None:
    dirt = ESCAPES + BIDI
    ann = await house.program("Ann")
    bob = await house.person("Bob")
    await bob.say("hello 1" if style == "machine" else f"set style {style}")
    for line in (
        *(f'create six-card name="{dirt}Fun{dirt}"', "bot", "say a", f"say {dirt}hello{dirt}"),
        *(f"shout {dirt}lobby{dirt}", f"tell Bob {dirt}you{dirt}", f"cut {dirt}seven{dirt}"),
    ):
        await ann.send(line)
    written = await bob.take()
    for line in ("tables", "who", "watch t1", "look", f"join {dirt}t9", f"rules {dirt}", f"{dirt}xyzzy"):
        await bob.send(line)
        written += await bob.take()
    await ann.send(f"say {dirt}once more{dirt}")
    written += await bob.take()
    assert b"once more" in written
    assert b"Fun" in written
    text = written.decode()
    assert not [char for char in text if (ord(char) < 32 and char not in "\r\n") or 127 <= ord(char) < 160]
    assert not set(text) & set(BIDI)


async def test_text_without_visible_characters_is_refused(house: House) -> None:
    ann, _ = await house.programs("Ann", "Bob")
    for line in (f"shout {BIDI}", f"tell Bob {ESCAPES}x"[:-1], "shout"):
        assert (await ann.ask(line))["code"] == "BAD_ARGUMENT"


@pytest.mark.parametrize("verb", ["mute", "noplay"])
async def test_absent_players_can_be_muted_or_avoided_and_are_said_to_be_absent(
    house: House, verb: str
) -> None:
    [ann, _] = await house.programs("Ann", "Bob")
    assert "is here now" not in (await ann.done(f"{verb} bob"))["note"]
    assert (await ann.done(f"{verb} typo"))["note"].startswith("Nobody called typo is here now. From now")
    assert (await ann.done(verb))["note"].endswith(": Bob, typo.")
