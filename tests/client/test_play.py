"""One run of the screen: what is kept for the next one, and what is said when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from golfnet.connect.connection import Connection
from golfnet.connect.trust import AUTHORITY, Untrusted
from golfnet.protocol.address import parse_address
from golfnet.protocol.replies.replies import Bye, Ok
from golfnet_client.model.remembered import Remembered
from golfnet_client.play import Play
from golfnet_client.screens.faces import Look

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def terminal() -> Iterator[None]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield


def a_play(where: Path, *, server: str | None = "golf.example.org", solo: str | None = None) -> Play:
    address = parse_address(server) if server is not None else None
    return Play(
        Remembered(where), address=address, name="", solo=solo, bots=2, look=Look(), theme="dark", bell=False
    )


def test_the_guided_hole_is_offered_at_the_first_start_and_at_no_other(tmp_path: Path) -> None:
    offered = []
    for _ in range(3):
        play = a_play(tmp_path)
        play.on_reply(Ok(id=2, name="Ann", token="t"))
        offered.append(play.client.model.pages is not None)
    assert offered == [True, False, False]


def test_a_first_solo_match_of_six_card_teaches(tmp_path: Path) -> None:
    taught = []
    for rules in ("cactus", "six-card", "six-card"):
        play = a_play(tmp_path, server=None, solo=rules)
        play.on_token("Golfer", "token")
        taught.append(play.client.model.lesson)
    assert taught == [False, True, False]
    assert not Remembered(tmp_path).player("127.0.0.1:7777")[1], "a server of one's own leaves no token"


def test_a_token_and_a_server_are_kept_for_the_next_time(tmp_path: Path) -> None:
    play = a_play(tmp_path)
    play.on_connected()
    play.on_token("Ann", "secret")
    server = str(parse_address("golf.example.org"))
    assert Remembered(tmp_path).player(server) == ("Ann", "secret")
    assert Remembered(tmp_path).recent == [server]


def test_a_servers_last_words_are_kept_in_the_log(tmp_path: Path) -> None:
    play = a_play(tmp_path)
    play.on_reply(Bye(code="KICKED", text="The host has closed the house."))
    assert [entry.text for entry in play.client.model.log] == ["The host has closed the house."]


async def test_another_server_is_explained_and_accepted_by_a_word(tmp_path: Path) -> None:
    """Nothing of the server before is told to it, and what is typed besides goes nowhere."""
    remembered = Remembered(tmp_path)
    server = "tls://golf.example.org:7779"
    remembered.keep_player(server, "Ann", "secret")
    remembered.trust(server).vouched_for()
    play = Play(
        remembered,
        address=parse_address(server),
        name="",
        solo=None,
        bots=2,
        look=Look(),
        theme="dark",
        bell=False,
    )
    stranger = Untrusted(parse_address(server), AUTHORITY, "key:" + "2" * 64, "certificate \x1bhas expired")
    attempts: list[str] = []

    async def connect() -> trio.abc.Stream:
        attempts.append(remembered.trust(server).known)
        if len(attempts) == 1:
            raise stranger
        raise OSError("nobody is there")

    play._connection = Connection(connect, play, client="test/1", name="Ann", token="secret")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play._connection.run)
        await trio.testing.wait_all_tasks_blocked()
        pages = play.client.model.pages
        assert pages is not None
        text = " ".join(pages.lines)
        assert "expected the word of an authority, as before, found the key 2222222222222222" in text
        assert ":trust" in text
        assert text.isprintable()
        assert ":trust" in play.client.model.link_sentence
        play.client.model.pages = None
        assert play.client.typed(":trust") == ""
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert attempts == [AUTHORITY, stranger.shown]
    assert play._connection._conversation.token == ""
    assert play.client.accept is None


def test_it_shows_why_there_is_no_connection_and_when_it_is_tried_again(tmp_path: Path) -> None:
    play = a_play(tmp_path)
    states = []
    play.on_connecting()
    states.append(play.client.model.link)
    for reason, seconds in (("connection refused", 0.5), ("connection refused", 8.0), ("", 15.0)):
        play.on_disconnected(reason, seconds)
        states.append(play.client.model.link)
    assert states == [
        "connecting",
        "no connection (connection refused); trying again at once",
        "no connection (connection refused); trying again in 8 s",
        "connection lost; coming back in 15 s",
    ]
