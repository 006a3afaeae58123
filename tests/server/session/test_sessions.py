"""Who is connected, announcements to everybody, and how long a peer has to give a name."""

import pytest
import trio

from golfnet.protocol.replies.replies import Notice
from golfnet.server.session.sessions import SILENT_SECONDS
from tests.server.house import House


async def test_a_peer_that_types_nothing_is_disconnected_after_a_minute(house: House) -> None:
    peer, telnet = await house.connect(), await house.connect(telnet=True)
    await trio.sleep(SILENT_SECONDS / 2)
    # The telnet program negotiates, but nobody types.
    await telnet.send(b"\xff\xfb\x1f\xff\xfa\x1f\x00\x2d\x00\x18\xff\xf0")
    await trio.sleep(SILENT_SECONDS / 2 - 1)
    assert len(house.lobby.sessions) == 2
    await peer.take()
    await trio.sleep(2)
    assert " ".join((await peer.take()).decode().split()) == (
        "! You gave no name within 60 seconds, so the connection is closed. Connect again and type: name YOURNAME"
    )
    assert peer.is_closed
    assert telnet.is_closed
    assert not house.lobby.sessions


async def test_a_peer_that_types_anything_has_five_minutes_to_give_a_name(house: House) -> None:
    program = await house.program()
    assert program.last("welcome")["limits"]["name_seconds"] == 300
    typed = {await house.connect(): line for line in (b"help\n", b"no such command\n", b"\xff\n")}
    await trio.sleep(SILENT_SECONDS - 1)
    for peer, line in typed.items():
        await peer.say(line)
    await trio.sleep(300 - SILENT_SECONDS - 1)
    await program.done("ping")
    named, *nameless = typed
    assert "You are Ann." in await named.say("name Ann")
    await trio.sleep(3)
    for peer in nameless:
        assert b"5 minutes" in await peer.take()
        assert peer.is_closed
    assert program.is_closed
    assert not named.is_closed


@pytest.mark.settings(name_time=10)
async def test_a_short_time_limit_for_names_also_applies_to_silent_peers(house: House) -> None:
    peer = await house.connect()
    await trio.sleep(11)
    assert b"10 seconds" in await peer.take()
    assert peer.is_closed


async def test_an_announcement_waits_for_earlier_output_and_an_interjection_does_not(house: House) -> None:
    ann, bob = await house.programs("Ann", "Bob")
    sessions = house.lobby.sessions
    assert {session.player.name for session in sessions if session.player} == {"Ann", "Bob"}
    for session in sessions:
        session.send(Notice(code="LATE", text="late"), ticket=house.lobby.gate.issued + 1)
    sessions.announce("ANNOUNCEMENT", "in turn")
    sessions.interject("PAUSED", "at once")
    for program in (ann, bob):
        assert [thing["code"] for thing in await program.poll()] == ["PAUSED"]
    house.lobby.gate.submit([])
    for program in (ann, bob):
        assert [thing["code"] for thing in await program.poll()] == ["LATE", "ANNOUNCEMENT"]
