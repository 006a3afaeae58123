"""The plain client: it logs in, reconnects, and shows every line as it is."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from golfnet.protocol.witness import Witness
from golfnet_client.model.remembered import Remembered
from golfnet_client.plain import PlainClient, accept_any_bytes, fitted, typed_lines
from tests.server.house import House
from tests.server.witnesses import Victim

pytestmark = pytest.mark.usefixtures("virtual_time")


class Person(Victim):
    """A person at the plain client, whose lines the test types."""

    def __init__(
        self,
        line: Callable[[], trio.abc.Stream],
        nursery: trio.Nursery,
        directory: Path,
        *,
        name: str = "Vik",
        token: str = "",
        witness: Witness | None = None,
    ) -> None:
        super().__init__(line)
        self.said: list[str] = []
        self.remembered = Remembered(directory)
        if token:
            self.remembered.keep_player("here:1", name, token)
        show = self.said.append
        self.client = PlainClient(
            self.connect, self.remembered, "here:1", name=name, show=show, witness=witness
        )
        self._send, receive = trio.open_memory_channel[str | None](1000)
        nursery.start_soon(self.client.run, receive.receive)

    @property
    def kept(self) -> tuple[str, str]:
        return self.remembered.player("here:1")

    async def types(self, *lines: str | None) -> None:
        """Type lines; None closes the input."""
        for line in lines:
            await self._send.send(line)
        await trio.sleep(3)

    async def loses_the_connection(self) -> None:
        await self.cut()
        await trio.sleep(5)


async def test_an_unreachable_server_is_retried_until_the_input_ends(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    def nobody() -> trio.abc.Stream:
        raise OSError("nobody is there")

    vik = Person(nobody, nursery, tmp_path)
    await trio.sleep(10)
    refused = "No connection to here:1: nobody is there. Trying again in"
    assert vik.said[:3] == [f"{refused} {seconds}." for seconds in ("0.5 seconds", "1 second", "2 seconds")]
    assert len(vik.said) > 3
    await vik.types(None)
    assert vik.client.is_over


async def test_a_silent_server_is_reported_and_can_be_left(tmp_path: Path, nursery: trio.Nursery) -> None:
    here, _there = trio.testing.memory_stream_pair()
    vik = Person(lambda: here, nursery, tmp_path)
    await trio.sleep(40)
    assert vik.said == ["here:1 is not answering. Still waiting; type quit to stop."]
    await vik.types("quit")
    assert not nursery.child_tasks


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
async def test_typed_bytes_that_are_not_text_do_not_stop_the_client(
    errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.BytesIO(b"say caf\xe9\nquit\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed, encoding="utf-8", errors=errors))
    accept_any_bytes()
    assert [await typed_lines() for _ in range(3)] == ["say caf\N{REPLACEMENT CHARACTER}", "quit", None]


@given(st.text("ab -", max_size=200), st.integers(0, 120))
def test_words_that_fit_a_line_are_not_broken(text: str, width: int) -> None:
    line = " ".join(text.split())
    parts = fitted(line, width)
    if max(map(len, line.split()), default=0) < width - 3:
        assert " ".join(parts).split() == line.split()
    if width > 20:
        assert max(map(len, parts)) < width
    else:
        assert parts == [line], "in a narrower window, lines are left as they are"


@pytest.mark.settings(clock=0)
async def test_the_plain_client_reconnects_to_its_seat(tmp_path: Path, house: House) -> None:
    ann = Person(house.line, house.nursery, tmp_path, name="Ann")
    await ann.types("create six-card seats=2")
    assert any("t1, six-card" in line for line in ann.said), "\n".join(ann.said)
    assert ann.kept[0] == "Ann"
    assert len(ann.kept[1]) > 15
    ann.is_mute = True
    await ann.types("who")  # before the client notices the lost connection
    ann.is_mute = False
    await ann.loses_the_connection()
    assert len(ann.attempts) == 2
    assert "The connection was lost. Reconnecting." in ann.said
    assert [player.name for player in house.lobby.accounts if player.table] == ["Ann"]
    await ann.types("quit")
    assert ann.client.is_over


STOLEN = "abcdefghijklmnopqrstuvwx"
HOSTILE = (
    f"resume {STOLEN}",
    f"psst, type resume {STOLEN} to see a bug",
    f"= To come back later, from anywhere: resume {STOLEN}",
    f"token: {STOLEN}",
    "BAD_TOKEN",
    "? BAD_TOKEN That token is unknown or no longer valid.",
    f'{{"type":"ok","id":1,"name":"Vik","token":"{STOLEN}"}}',
    f'WORD {{"type":"ok","id":1,"name":"Vik","token":"{STOLEN}"}}',
    f'\u2028\x85\x0b= resume {STOLEN} {{"type":"error","id":1,"code":"BAD_TOKEN","message":"","retry":false}}',
    '{"type":"bye","code":"TAKEN_OVER","message":""}',
)


@pytest.mark.settings(clock=0)
async def test_text_from_players_is_never_mistaken_for_a_reply(tmp_path: Path, house: House) -> None:
    vik = Person(house.line, house.nursery, tmp_path)
    await vik.types("create six-card seats=3", "set prefix off")
    kept = vik.kept
    assert kept[0] == "Vik"
    assert len(kept[1]) > 16
    mallory = await house.person("Mallory")
    for name in ("BAD_TOKEN", "token", "resume", "Objects"):
        await (await house.connect()).say(f"name {name}")
    for text in HOSTILE:
        for verb in ("shout", "tell Vik", "cut"):
            await mallory.say(f"{verb} {text}")
    await mallory.say("join t1")
    for text in HOSTILE:
        await mallory.say(f"say {text}")
    await mallory.say("leave")
    for text in HOSTILE:
        await mallory.say(f'create six-card name="{text}"')
        await vik.types("tables", "who", "look", "again", "last")
        await mallory.say("leave")
    house.lobby.sessions.announce("ANNOUNCEMENT", f"resume {STOLEN}")
    await vik.types("help resume", "help BAD_TOKEN", "help name", "help coming back", "resume x", "history")
    await vik.types(*HOSTILE[1:])
    assert sum(STOLEN in line for line in vik.said) > len(HOSTILE)
    assert sum("BAD_TOKEN" in line for line in vik.said) > 6
    assert vik.kept == kept
    await vik.loses_the_connection()
    assert [player.name for player in house.lobby.accounts if player.table and player.session] == ["Vik"]


async def test_protocol_objects_are_hidden_and_each_connection_has_its_own_secret_word(
    tmp_path: Path, house: House
) -> None:
    vik = Person(house.line, house.nursery, tmp_path)
    await vik.types("who", "nonsense")
    word = vik.client._word
    assert not any(word in line or line.startswith("{") for line in vik.said)
    kept = vik.kept
    await vik.loses_the_connection()
    assert vik.client._word != word
    assert vik.kept == kept


async def test_an_unknown_token_logs_in_as_a_new_player(tmp_path: Path, house: House) -> None:
    vik = Person(house.line, house.nursery, tmp_path, token=STOLEN)
    await trio.sleep(1)
    assert [player.name for player in house.lobby.accounts] == ["Vik"]
    name, token = vik.kept
    assert (name, token) != ("Vik", STOLEN)
    assert len(token) > 16


async def test_a_typed_token_is_kept_once_it_has_worked(tmp_path: Path, house: House) -> None:
    ann = await house.program("Ann")
    await ann.drop()
    vik = Person(house.line, house.nursery, tmp_path, name="")
    await vik.types(f"resume {STOLEN}")
    assert vik.kept == ("", "")
    await vik.types(f"resume {ann.token}")
    assert vik.kept == ("Ann", ann.token)
    await vik.loses_the_connection()
    assert vik.kept == ("Ann", ann.token)
    assert vik.said.count("You are Ann.") + vik.said.count("= You are Ann.") == 2


async def test_a_session_taken_over_elsewhere_does_not_reconnect(tmp_path: Path, house: House) -> None:
    vik = Person(house.line, house.nursery, tmp_path)
    await trio.sleep(1)
    other = await house.connect()
    await other.say(f"resume {vik.kept[1]}")
    await trio.sleep(60)
    assert vik.client.is_over
    assert len(vik.attempts) == 1
    assert not other.is_closed
