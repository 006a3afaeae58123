"""The client seals its player's cut and checks deals by itself, and nobody can overlook its alarm."""

import random
from pathlib import Path

import pytest
import trio
import trio.testing

from golfnet.connect import Connection
from golfnet.protocol.replies.replies import AnyReply
from golfnet.protocol.witness import Witness
from golfnet_client.app import CHEATED, OK, _after_alarms
from golfnet_client.discovery import watch_deals
from golfnet_client.model.model import Model, Place
from golfnet_client.model.remembered import Remembered
from golfnet_client.plain import PlainClient
from golfnet_client.terminal.client import Client
from tests.client import tables
from tests.connect.test_connection import Listener
from tests.server.house import House, Program, choose_line, open_house, serve_stream
from tests.server.test_witness import CHEATS, choosing
from tests.server.witnesses import Careful, Victim


class Person(Victim, Listener):
    """A client that is connected to a house over a connection of its own."""

    def __init__(self, house: House, name: str, *, seed: int = 1) -> None:
        Victim.__init__(self)
        Listener.__init__(self)
        self.house = house
        self.client = Client(Model(), send=self._send, now=trio.current_time)
        self.client.witness = Witness(entropy=random.Random(seed).randbytes)
        self.connection = Connection(self._connect, self, client="test/1", name=name)

    def _send(self, line: str) -> None:
        self.connection.send(line)

    async def _connect(self) -> trio.abc.Stream:
        here, there = trio.testing.memory_stream_pair()
        line = self.line(here)
        self.house.nursery.start_soon(serve_stream, self.house.dispatcher, there, "127.0.0.1")
        return line

    def on_reply(self, reply: AnyReply) -> None:
        self.client.receive(reply)

    def on_connected(self) -> None:
        self.client.model.link = "connected"

    def on_unreadable(self) -> None:
        raise AssertionError


async def a_hole(person: Person, other: Careful, chance: random.Random) -> None:
    """Have a person and a program play a hole at random."""
    for _ in range(400):
        await trio.testing.wait_all_tasks_blocked()
        await other.attend()
        if other.program.events("hole_ended"):
            return
        view = person.client.model.table
        if view is not None and view.actions:
            offered = [line for line in view.actions if line not in ("slam", "switch", "ready")]
            person.connection.send(chance.choice(offered or ["ready"]))
            continue
        if other.program.last("prompt")["actions"]:
            await other.program.ask(choose_line(other.program.last("prompt"), chance))
        else:
            await trio.sleep(0.5)
    raise AssertionError("the hole did not end")


async def begun(house: House, person: Person) -> Careful:
    house.nursery.start_soon(person.connection.run)
    person.connection.send("create four-turn seats=2 holes=9 clock=0")
    await trio.sleep(0.1)
    other = Careful(await house.program("Bob"), seed=9)
    await other.program.done("join t1")
    await other.attend()
    return other


async def both_ready(person: Person, other: Careful) -> None:
    await other.program.done("ready")
    person.connection.send("ready")
    for _ in range(3):
        await trio.testing.wait_all_tasks_blocked()
        await other.attend()


async def test_the_screen_client_seals_texts_and_its_alarm_about_a_deal_stays_on_the_screen(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing(CHEATS["another sealed text"][0])(monkeypatch)
    async with open_house() as house:
        person = Person(house, "Ann")
        other = await begun(house, person)
        assert person.client.typed('cut "a red nose"') == ""
        await both_ready(person, other)
        assert other.program.events("hole_started")[0]["unrevealed"] == []
        assert person.client.model.alarms == ()
        texts = [entry.text for entry in person.client.model.log]
        assert not any("seal" in text.lower() and "Your words" not in text for text in texts)
        await a_hole(person, other, random.Random(2))
        [ended] = other.program.events("hole_ended")
        assert ended["cuts"][0].startswith("a red nose ")
        client = person.client
        for _ in range(2):
            shown = client.picture(80, 24).lines()
            assert "THE DEAL IS NOT WHAT WAS PROMISED" in shown[0]
            assert "the seal of Bob was changed" in " ".join(" ".join(shown).split())
            client.press("escape")
            client.press("!")
        client.press("escape")
        for width, height in ((80, 24), (60, 16), (30, 8)):
            assert "THE DEAL" in client.picture(width, height).lines()[0]
        client.model.place = Place.LOBBY
        assert "THE DEAL" in client.picture(80, 24).lines()[0]
        assert any("THE DEAL IS NOT" in entry.text for entry in client.model.log)


async def test_a_hole_dealt_without_the_players_text_is_shown_and_counted(autojump_clock: object) -> None:
    async with open_house() as house:
        person = Person(house, "Ann")
        other = await begun(house, person)
        person.is_cut_at_closing = True
        await trio.sleep(6)
        await other.attend()
        assert person.is_down
        await trio.sleep(10)
        person.is_down = person.is_cut_at_closing = False
        await trio.sleep(16)
        client = person.client
        shown = "\n".join(client.picture(80, 24).lines())
        assert "Dealt without your text: 1 so far" in shown
        assert "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your" in shown
        [said] = [entry.text for entry in client.model.log if "DEALT WITHOUT" in entry.text]
        assert said.endswith("your connection was lost just then. Such holes so far: 1.")
        assert client.model.alarms == ()
        client.press("escape")
        client.restart(Model())
        assert len(client.model.left_out) == 1


def test_without_a_witness_a_cut_is_sent_as_typed() -> None:
    sent: list[str] = []
    client = Client(tables.a_model(), send=sent.append, now=lambda: 0.0)
    client.receive(tables.six_card())
    client.typed("cut a red nose")
    assert sent == ["cut a red nose"]


def test_alarms_are_repeated_on_standard_error_after_the_screen_closes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _after_alarms((), (), "") == OK
    assert _after_alarms((), ("Hole 2 of match m1: without your text.",), "/state/seen/other") == OK
    error = capsys.readouterr().err
    assert "Hole 2 of match m1: without your text." in error
    assert "/state/seen/other" in error
    assert _after_alarms(("Hole 1 of match m1: something.",), (), "/state/seen/file") == CHEATED
    error = capsys.readouterr().err
    assert "THE DEAL IS NOT WHAT WAS PROMISED. Hole 1 of match m1: something." in error
    assert "/state/seen/file" in error


async def plain_at(
    house: House, directory: Path, said: list[str], victim: Victim | None = None
) -> trio.MemorySendChannel[str]:
    send, receive = trio.open_memory_channel[str](20)
    witness, _ = watch_deals(Remembered(directory), "here:1")

    async def connect() -> trio.abc.Stream:
        here, there = trio.testing.memory_stream_pair()
        line = here if victim is None else victim.line(here)
        house.nursery.start_soon(serve_stream, house.dispatcher, there, "127.0.0.1")
        return line

    plain = PlainClient(
        connect, Remembered(directory), "here:1", name="Ann", show=said.append, witness=witness
    )
    house.nursery.start_soon(plain.run, receive.receive)
    return send


async def a_plain_hole(house: House, directory: Path, said: list[str]) -> Program:
    send = await plain_at(house, directory, said)
    await send.send("create four-turn seats=2 holes=1 clock=5")
    await trio.sleep(0.1)
    await send.send("cut a red nose")
    other = Careful(await house.program("Bob"), seed=9)
    await other.program.done("join t1")
    await send.send("ready")
    await trio.sleep(0.1)
    await other.attend()
    await other.program.done("ready")
    for _ in range(200):
        await other.attend()
        if other.program.events("match_ended"):
            break
        await trio.sleep(1)
    return other.program


async def test_the_plain_client_reports_a_hole_dealt_without_the_players_text(
    tmp_path: Path, autojump_clock: object
) -> None:
    said: list[str] = []
    victim = Victim()
    async with open_house() as house:
        send = await plain_at(house, tmp_path, said, victim)
        await send.send("create four-turn seats=2 holes=1 clock=5")
        await trio.sleep(0.1)
        await (await house.program("Bob")).done("join t1")
        victim.is_cut_at_closing = True
        await trio.sleep(16)
        assert victim.is_down
        victim.is_down = victim.is_cut_at_closing = False
        await trio.sleep(16)
    [sentence] = [line for line in said if "DEALT WITHOUT YOUR TEXT" in line]
    assert sentence.startswith(
        "Hole 1 of match m1: THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your connection was lost"
    )
    assert sentence.endswith("Such holes so far: 1.")


async def test_the_plain_client_seals_texts_and_reports_a_deal_that_was_not_as_promised(
    tmp_path: Path, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing(CHEATS["another sealed text"][0])(monkeypatch)
    said: list[str] = []
    async with open_house() as house:
        program = await a_plain_hole(house, tmp_path, said)
        [ended] = program.events("hole_ended")
        assert ended["cuts"][0].startswith("a red nose ")
        assert program.events("hole_started")[0]["unrevealed"] == []
        assert any(line.startswith("THE DEAL IS NOT WHAT WAS PROMISED. Hole 1") for line in said)
        assert not [line for line in said if "Seal" in line or "seals" in line]
        assert len(list((tmp_path / "seen").iterdir())) == 1
