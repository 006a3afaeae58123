"""Web browsers, TLS and telnet: how input other than lines of text is answered."""

import random

import pytest

from tests.server.house import House, play_at_random


@pytest.mark.settings(clock=0, pause=1)
async def test_the_plain_port_sends_only_text(house: House) -> None:
    styles = ("art", "plain", "speech")
    people = [await house.person(style, f"set style {style}") for style in styles]
    programs = await house.table("six-card seats=2 holes=1", "Ann", "Bob")
    for line in ("help", "help six-card", "variants", "tables", "who", "rules", "watch t1", "draw", "look"):
        for person in people:
            await person.send(line)
    await play_at_random(programs, random.Random(1))
    for person in people:
        everything = await person.take()
        assert not set(everything) & ({*range(32), 127, 255} - {10, 13})
        assert everything.count(b"\n") == everything.count(b"\r\n") == everything.count(b"\r")
        everything.decode()
        assert len(everything) > 5_000


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ((b"POST /" + b"a" * 2000, b" HTTP/1.1\r\nHost: localhost\r\n\r\nname WebOne\nshout bought\n"), True),
        ((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(128, 200)),), False),
    ],
    ids=["HTTP", "TLS"],
)
async def test_an_http_request_gets_one_http_answer_and_a_tls_hello_none_and_nothing_is_executed(
    house: House, sent: tuple[bytes, ...], answered: bool
) -> None:
    peer = await house.connect()
    await peer.take()
    for piece in sent:
        await peer.send(piece)
    answer = await peer.take()
    assert answer.startswith(b"HTTP/1.1 400 ") == (answer != b"") == answered
    assert answer.count(b"HTTP/1.1") == answered
    assert b"WebOne" not in answer
    assert peer.is_closed
    assert not house.lobby.sessions


# --- telnet


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([b"seven hearts"] * 2, b"Your name Ann is registered"),
        ([b"seven hearts", b"seven spades"] * 3, b"BAD_ARGUMENT"),
        ([b""], b"BAD_ARGUMENT"),
    ],
)
async def test_typing_is_hidden_over_telnet_only_during_password_prompts(
    house: House, answers: list[bytes], outcome: bytes
) -> None:
    peer = await house.connect(telnet=True)
    assert b"\xff\xfd\x1f" in await peer.take()  # IAC DO NAWS
    await peer.send(b"\xff\xfb\x1fname Ann\r\n")
    await peer.take()
    await peer.send(b"register\r\n")
    begun, will_echo, told = (await peer.take()).partition(b"\xff\xfb\x01")  # IAC WILL ECHO
    assert will_echo
    told = begun + told
    await peer.send(b"\xff\xfd\x01")  # IAC DO ECHO
    for answer in answers:
        assert b"password" in told
        assert b"\xff" not in told, "typing stays hidden between two prompts"
        await peer.send(answer + b"\r\n")
        told = await peer.take()
        assert b"seven" not in told
    assert outcome in told
    assert b"\xff\xfc\x01" in told  # IAC WONT ECHO


async def test_are_you_there_and_timing_mark_are_answered(house: House) -> None:
    peer = await house.connect()
    await peer.take()
    await peer.send(b"\xff\xf6")
    assert b"golfnet is here" in await peer.take()
    await peer.send(b"\xff\xfd\x06")
    assert b"\xff\xfb\x06" in await peer.take()
