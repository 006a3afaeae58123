"""Web browsers, TLS, telnet and the end of input: how input other than lines of text is answered."""

import random

import pytest

from tests.server.house import House

# --- plain text stays plain


@pytest.mark.settings(seed=2)
async def test_the_plain_port_sends_only_text(house: House) -> None:
    styles = ("art", "plain", "speech")
    people = [await house.person(style, f"set style {style}") for style in styles]
    [program] = await house.opened("six-card seats=4 holes=1 pause=0", "Bob")
    for line in ("help", "help six-card", "variants", "join t1", "tables", "who", "rules", "log", "ready"):
        for person in people:
            await person.send(line)
    await program.done("ready")
    chance = random.Random(1)
    for _ in range(40):
        if offered := program.last("prompt")["actions"]:
            await program.done(chance.choice(offered))
        for line in ("flip 1 2", "draw", "discard", "pass", "look", "hand", "turn", "score", "last", "again"):
            for person in people:
                await person.send(line)
    for person in people:
        everything = await person.take()
        assert not set(everything) & ({*range(32), 127, 255} - {10, 13})
        assert everything.count(b"\n") == everything.count(b"\r\n") == everything.count(b"\r")
        everything.decode()
        assert len(everything) > 20_000
    assert len(program.events("discarded")) > 3


# --- other protocols


async def test_an_http_request_gets_an_http_answer(house: House) -> None:
    """The rest of the request is not carried out."""
    peer = await house.connect()
    await peer.take()
    for piece in (
        b"POST /" + b"a" * 2000,
        b" HTTP/1.1\r\nHost: localhost\r\n\r\nname WebOne\nshout bought\n",
    ):
        await peer.send(piece)
    answer = await peer.take()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"WebOne" not in answer
    assert peer.is_closed
    assert not house.lobby.sessions


async def test_a_tls_hello_is_disconnected_without_an_answer(house: House) -> None:
    peer = await house.connect()
    await peer.take()
    await peer.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(128, 200)))
    assert await peer.take() == b""
    assert peer.is_closed


# --- telnet


@pytest.mark.usefixtures("quick_passwords")
async def test_passwords_are_hidden_over_telnet(house: House) -> None:
    peer = await house.connect(telnet=True)
    assert b"\xff\xfd\x1f" in await peer.take()  # IAC DO NAWS
    await peer.send(b"\xff\xfb\x1fname Ann\r\n")
    await peer.take()
    await peer.send(b"register\r\n")
    asked = await peer.take()
    assert b"\xff\xfb\x01" in asked  # IAC WILL ECHO
    assert b"password" in asked
    await peer.send(b"\xff\xfd\x01seven hearts\r\n")
    again = await peer.take()
    assert b"again" in again
    assert b"\xff" not in again  # typing stays hidden between the two prompts
    await peer.send(b"seven hearts\r\n")
    answered = await peer.take()
    assert b"\xff\xfc\x01" in answered  # IAC WONT ECHO
    assert b"Your name Ann is registered" in answered
    assert b"seven hearts" not in asked + again + answered


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("answers", [[b"seven hearts", b"seven spades"] * 3, [b""]])
async def test_typing_is_visible_again_after_a_password_prompt(house: House, answers: list[bytes]) -> None:
    peer = await house.connect(telnet=True)
    await peer.send(b"name Ann\r\nregister\r\n")
    await peer.take()
    await peer.send(b"\xff\xfd\x01")  # IAC DO ECHO
    for answer in answers:
        assert b"\xff\xfc\x01" not in await peer.take()
        await peer.send(answer + b"\r\n")
    refused = await peer.take()
    assert b"BAD_ARGUMENT" in refused
    assert b"\xff\xfc\x01" in refused  # IAC WONT ECHO


async def test_are_you_there_and_timing_mark_are_answered(house: House) -> None:
    peer = await house.connect()
    await peer.take()
    await peer.send(b"\xff\xf6")
    assert b"golfnet is here" in await peer.take()
    await peer.send(b"\xff\xfd\x06")
    assert b"\xff\xfb\x06" in await peer.take()


# --- the end of input


async def test_commands_sent_before_the_end_of_input_are_answered(house: House) -> None:
    peer = await house.connect()
    await peer.take()
    await peer.send(b"name Ann\ncreate four-turn seats=2\nversion")
    await peer.stream.send_eof()  # type: ignore[attr-defined]
    written = (await peer.take()).decode()
    assert "golfnet 0" in written
    assert peer.is_closed
    ann = house.lobby.accounts.find("Ann")
    assert ann is not None
    assert ann.session is None
    assert ann.table is not None
