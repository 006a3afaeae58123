"""The client seals its player's cut and checks every deal, and nobody can overlook its alarm."""

import random
from pathlib import Path

import pytest
import trio

from golfnet.connect import Connection, ConnectionEvent
from golfnet.protocol.conversation import Greeted
from golfnet.protocol.replies.replies import AnyReply
from golfnet.protocol.witness import Witness
from golfnet_client.app import CHEATED, OK, _after_alarms
from golfnet_client.model.model import Model, Place
from golfnet_client.model.remembered import Remembered
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.keys import press
from tests.client.tables import nothing_remembered
from tests.client.test_plain import Person
from tests.server.house import House
from tests.server.test_witness import cheat
from tests.server.witnesses import Careful, Victim


class AtScreen(Victim):
    """A person at the screen, whose lines the test types."""

    def __init__(self, house: House) -> None:
        super().__init__(house.line)
        self.connection = Connection(self.connect, self._receive, client="test/1", name="Ann")
        self.client = Client(Model(), nothing_remembered(), now=trio.current_time)
        self.client.send = self.client.ask_quietly = self.connection.send
        self.client.witness = Witness(entropy=random.Random(1).randbytes)
        house.nursery.start_soon(self.connection.run)

    async def types(self, *lines: str) -> None:
        for line in lines:
            if line.startswith("cut"):  # at the client's own command line
                assert self.client.typed(line) == ""
            else:
                self.connection.send(line)
        await trio.sleep(0.1)

    def _receive(self, event: ConnectionEvent) -> None:
        match event:
            case Greeted():
                self.client.model.link = "connected"
            case _ if isinstance(event, AnyReply):
                self.client.receive(event)

    @property
    def said(self) -> list[str]:
        return [entry.text for entry in self.client.model.log]

    def screen(self, width: int = 80, height: int = 24) -> list[str]:
        return self.client.picture(width, height).lines()


def at_plain_client(house: House, directory: Path) -> Person:
    witness, _ = Remembered(directory).witness("here:1")
    return Person(house.line, house.nursery, directory, name="Ann", witness=witness)


async def begin(house: House, ann: AtScreen | Person, holes: int) -> Careful:
    """Let Ann open a table with a short turn clock, and return the other player at it."""
    await ann.types(f"create four-turn seats=2 holes={holes} clock=5")
    other = Careful(await house.program("Bob"), seed=9)
    await other.program.done("join t1")
    await other.attend()
    return other


async def play(house: House, ann: AtScreen | Person, holes: int) -> None:
    """Let Ann cut, and play a hole; the other player's text is sealed, too."""
    other = await begin(house, ann, holes)
    await ann.types("cut a red nose", "ready")
    await other.attend()
    await other.program.done("ready")
    while not other.program.events("hole_ended"):
        await other.attend()
        await trio.sleep(1)
    assert other.program.events("hole_started")[0]["unrevealed"] == []
    [ended, *_] = other.program.events("hole_ended")
    assert ended["cuts"][0].startswith("a red nose ")


async def test_the_screen_client_seals_texts_and_its_alarm_about_a_deal_stays_on_the_screen(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheat(monkeypatch, "another sealed text")
    ann = AtScreen(house)
    await play(house, ann, holes=9)
    about_seals = [text for text in ann.said if "seal" in text.lower()]
    assert all("Your words" in text or "THE DEAL" in text for text in about_seals), "nothing to read"
    for _ in range(2):
        shown = ann.screen()
        assert "THE DEAL IS NOT WHAT WAS PROMISED" in shown[0]
        assert "the seal of Bob was changed" in " ".join(" ".join(shown).split())
        press(ann.client, "escape")
        press(ann.client, "!")
    press(ann.client, "escape")
    for size in ((80, 24), (60, 16), (30, 8)):
        assert "THE DEAL" in ann.screen(*size)[0]
    ann.client.model.place = Place.LOBBY
    assert "THE DEAL" in ann.screen()[0]
    assert any("THE DEAL IS NOT" in text for text in ann.said)


@pytest.mark.parametrize("is_plain", [False, True])
async def test_both_clients_report_and_count_holes_dealt_without_the_players_text(
    is_plain: bool, tmp_path: Path, house: House
) -> None:
    ann = at_plain_client(house, tmp_path) if is_plain else AtScreen(house)
    await begin(house, ann, holes=9)
    ann.is_cut_at_closing = True
    await trio.sleep(16)
    assert ann.is_down
    ann.is_down = ann.is_cut_at_closing = False
    await trio.sleep(16)
    [said] = [text for text in ann.said if "DEALT WITHOUT" in text]
    assert said.startswith("Hole 1 of match m1: THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your")
    assert said.endswith("your connection was lost just then. Such holes so far: 1.")
    if isinstance(ann, AtScreen):
        shown = "\n".join(ann.screen())
        assert "Dealt without your text: 1 so far" in shown
        assert "THIS HOLE WAS DEALT WITHOUT YOUR TEXT; your" in shown
        assert ann.client.model.alarms == ()
        ann.client.restart(Place.LOBBY)
        assert len(ann.client.model.left_out) == 1


async def test_the_plain_client_seals_texts_and_reports_a_deal_that_was_not_as_promised(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheat(monkeypatch, "another sealed text")
    ann = at_plain_client(house, tmp_path)
    await play(house, ann, holes=1)
    await trio.sleep(1)
    assert any(line.startswith("THE DEAL IS NOT WHAT WAS PROMISED. Hole 1") for line in ann.said)
    assert not [line for line in ann.said if "Seal" in line or "seals" in line]
    assert len(list((tmp_path / "seen").iterdir())) == 1


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
