"""One run of the full-screen client: what it stores for the next one, and what it says at the end."""

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from golfnet.bots.bot import Bot
from golfnet.connect import AUTHORITY, Trust, Untrusted
from golfnet.protocol.address import parse_address
from golfnet.protocol.replies.replies import Bye, TableView
from golfnet_client.model.model import Model, Place
from golfnet_client.model.pages import Way
from golfnet_client.model.remembered import Remembered
from golfnet_client.screens.choices import choices
from golfnet_client.solo import open_solo
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.keys import interrupt, press
from golfnet_client.terminal.screen import Terminal
from golfnet_client.visits import Visits
from tests.client.terminal.person import choose


@pytest.fixture(autouse=True)
def terminal() -> Iterator[None]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield


@pytest.fixture(autouse=True)
def quick_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bot, "think", lambda self, view: 0.0)


def visits(where: Path, way: Way | None = None) -> Visits:
    client = Client(Model(), Remembered(where), now=time.monotonic)
    if way is None:
        client.show_home()
    return Visits(Terminal(client, theme="dark"), "", way)


@asynccontextmanager
async def running(visits: Visits) -> AsyncIterator[Client]:
    """Run the client, without the terminal's loop, while the block runs."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(visits.run)
        yield visits.client
        nursery.cancel_scope.cancel()


async def until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(30):
        while not condition():  # noqa: ASYNC110 - a client has no event for "this is shown"
            await trio.sleep(0.005)


def at_home(client: Client) -> bool:
    return client.model.place is Place.HOME and client.menu is not None


def is_in(client: Client, state: str) -> bool:
    """Return whether the player is at a table in this state."""
    return client.model.table is not None and client.model.table.state == state


async def play_a_hole(client: Client) -> None:
    """Press offered keys until the match is over."""

    async def change(before: TableView | None) -> None:
        await until(lambda: client.model.table is not before or client.menu is not None)

    for _ in range(400):
        client.picture(80, 23)
        if is_in(client, "finished"):
            return
        before, keys = client.model.table, {choice.key for choice in choices(client.model) if choice.line}
        for key in [key for key in ("n", "p", "enter", "d", "r") if key in keys][:1]:
            press(client, key)
        await change(before)
    raise AssertionError("the match goes on")


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("golfnet_client.terminal.screen, golfnet_client.play", "trio"),
        ("golfnet_client.terminal.background", "prompt_toolkit"),
    ],
)
def test_the_first_picture_and_the_question_for_the_background_need_few_libraries(
    early: str, late: str
) -> None:
    program = f"import sys, {early}; print({late!r} in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
    assert told == "False\n"


async def test_a_lesson_can_be_chosen_played_and_replayed(tmp_path: Path) -> None:
    """The lesson counts as completed only once the hole has been played, and the match is stored."""
    async with running(visits(tmp_path)) as client:
        await until(lambda: at_home(client))
        choose(client, "Learn")
        choose(client, "cactus")
        await until(lambda: is_in(client, "playing"))
        assert client.model.lesson
        assert Remembered(tmp_path).taught == frozenset()
        await play_a_hole(client)
        assert client.model.lesson, "its last tip stays"
        assert "whole hole" in "\n".join(client.picture(80, 23).lines())
        assert Remembered(tmp_path).taught == {"cactus"}
        await until(lambda: len(client.archive.matches()) == 1)
        press(client, "q")
        await until(lambda: at_home(client))
        choose(client, "Replays")
        assert "cactus" in client.archive.matches()[0].what
        client.choose(0)
        assert client.model.place is Place.REPLAY
        press(client, "end")
        assert "The match is over." in "\n".join(client.picture(80, 23).lines())
        press(client, "escape")
        assert at_home(client)


async def test_leaving_a_solo_match_needs_confirmation(tmp_path: Path) -> None:
    async with running(visits(tmp_path, Way(solo="six-card", bots=2))) as client:
        await until(lambda: is_in(client, "playing"))
        interrupt(client)
        assert client.menu is not None
        assert "cannot be continued" in client.menu.text
        press(client, "escape")
        interrupt(client)
        assert client.menu is not None, "it asks again"
        press(client, "escape")
        assert not client.is_over
        press(client, "q")
        press(client, "n")
        assert client.model.place is Place.TABLE
        press(client, "escape")
        choose(client, "End the match")
        await until(lambda: at_home(client))
        interrupt(client)
        assert client.is_over, "there is nothing to lose"


async def test_a_lesson_is_offered_only_on_the_first_visit_to_a_server(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        server = await open_solo(nursery)
        offered = []
        async with running(visits(tmp_path)) as client:
            for visit in range(2):
                await until(lambda: at_home(client))
                choose(client, "Type an address")
                client.typed(str(server))
                await until(lambda: client.model.place is not Place.HOME)
                if visit == 0:
                    await until(lambda: client.model.is_connected)
                    assert client.types
                    client.typed("Ann")
                await until(lambda: client.model.place is Place.LOBBY)
                assert client.model.name == "Ann", "on the second visit from the stored token"
                offered.append(client.menu is not None)
                press(client, "escape")
                if visit == 0:
                    press(client, "escape")
            await until(lambda: at_home(client))
        nursery.cancel_scope.cancel()
    assert offered == [True, False]
    assert Remembered(tmp_path).recent == [str(server)]


async def test_escape_leaves_a_server_that_cannot_be_reached(tmp_path: Path) -> None:
    async with running(visits(tmp_path, Way(address=parse_address("127.0.0.1:1")))) as client:
        await until(lambda: "refused" in client.model.link)
        client.typed("Ann")
        assert "waits for one" in "\n".join(client.picture(80, 23).lines())
        client.cancel_typing()
        await until(lambda: at_home(client))


@pytest.mark.parametrize(("rules", "bots", "seats"), [("six-card", 1, 2), ("four-turn", 11, 6)])
async def test_a_solo_match_begins_at_once_and_the_first_of_each_rule_set_is_a_lesson(
    tmp_path: Path, rules: str, bots: int, seats: int
) -> None:
    Remembered(tmp_path).keep_taught("six-card")
    async with running(visits(tmp_path, Way(solo=rules, bots=bots))) as client:
        await until(lambda: is_in(client, "playing"))
        levels = [name.partition("-")[0] for name in client.model.shown.names]
        assert levels[:4] == ["Golfer", "easy", "medium", "hard"][:seats]
        assert len(levels) == seats
        assert client.model.lesson is (rules != "six-card")
    assert Remembered(tmp_path).player("127.0.0.1:7777") == ("", ""), "a solo server leaves no token"


def test_the_servers_reason_for_closing_is_kept(tmp_path: Path) -> None:
    visit = visits(tmp_path, Way(address=parse_address("golf.example.org")))
    visit.receive(Bye(code="KICKED", text="The host has closed the house."))
    assert visit.client.last_words == "The host has closed the house."


async def test_a_changed_server_key_is_explained_and_accepted_with_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token for the earlier key is not sent to the new server."""
    address = parse_address("tls://golf.example.org:7779")
    Remembered(tmp_path).keep_player(str(address), "Ann", "secret")
    Remembered(tmp_path).trust(str(address)).learn(AUTHORITY)
    stranger = Untrusted(address, AUTHORITY, "key:" + "2" * 64, "certificate \x1bhas expired")
    attempts: list[str] = []

    async def open_stream(_: object, trust: Trust) -> trio.abc.Stream:
        attempts.append(trust.known)
        raise stranger if len(attempts) == 1 else OSError("nobody is there")

    monkeypatch.setattr("golfnet_client.visits.open_stream", open_stream)
    visit = visits(tmp_path, Way(address=address))
    async with running(visit) as client:
        await until(lambda: client.model.pages is not None)
        assert client.model.pages is not None
        text = " ".join(client.model.pages.lines)
        assert "expected verification by an authority, found the key 2222222222222222" in text
        assert ":trust" in text
        assert text.isprintable()
        assert ":trust" in client.model.link_sentence
        client.model.pages = None
        assert client.typed(":trust") == ""
        await until(lambda: len(attempts) == 2)
        assert attempts == [AUTHORITY, stranger.shown]
        assert visit.connection is not None
        assert visit.connection.conversation.token == ""
        assert client.accept is None
