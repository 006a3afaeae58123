"""A player's settings: restored at login before the first view is sent, and stored with few writes."""

import pytest
import trio

from golfnet.server.accounts.accounts import SETTINGS_SECONDS
from golfnet.storage.sqlite import MemoryStore
from tests.server.house import House, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords")


def stored(house: House, name: str) -> bytes | None:
    """Return the stored settings of a player, or None if nothing is stored about that player."""
    row = house.lobby.store.player_by_name(name)
    return None if row is None else row.settings


def token_in(said: str) -> str:
    return said.partition("resume ")[2].split()[0]


async def test_settings_of_absent_and_connected_players_survive_a_restart(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await house.person("Olga", "register seven-hearts", "set style speech", "set bell on", "quit")
        sitting = await house.person("Sid", "create six-card seats=2", "set cards words")
        house.lobby.stop()
        await sitting.take()
    async with open_house(store=store) as house:
        olga = await house.connect()
        await olga.say("login Olga seven-hearts")
        assert "speech" in await olga.say("set style")
        assert "on" in await olga.say("set bell")
        assert stored(house, "Sid") == b'{"cards":"words"}'


async def test_a_programs_settings_end_with_its_connection(house: House) -> None:
    plain = await house.connect()
    for line in ("objects a-word-for-objects", "set width 250", "set style speech"):
        await plain.say(line)
    token = token_in(await plain.say("name Ann"))
    await plain.say("set cards letters")
    await house.program(None, f"resume {token}", "set color on")
    again = await house.connect()
    await again.say(f"resume {token}")
    assert "80" in await again.say("set width")
    assert "art" in await again.say("set style")
    assert "letters" in await again.say("set cards")
    assert "off" in await again.say("set color")


async def test_frequent_changes_of_settings_cause_few_writes(house: House) -> None:
    ann, ben = await house.person("Ann"), await house.person("Ben")
    before = house.lobby.gate.issued
    for n in range(20):
        for peer in (ann, ben):
            await peer.say(f"set width {60 + n}")
        await trio.sleep(0.5)
    await trio.sleep(2 * SETTINGS_SECONDS)
    assert house.lobby.gate.issued - before <= 2 * (1 + 10 / SETTINGS_SECONDS)
    assert stored(house, "Ann") == b'{"width":"79"}'
    before = house.lobby.gate.issued
    await ann.say("set width 79")
    await trio.sleep(2 * SETTINGS_SECONDS)
    assert house.lobby.gate.issued == before, "nothing has changed"


async def test_settings_do_not_pile_up_while_the_disk_hangs(house: House) -> None:
    ann = await house.person("Ann")
    house.lobby.pause("no disk")
    issued = house.lobby.gate.issued
    for n in range(20):
        await ann.say(f"set width {60 + n}")
        await trio.sleep(SETTINGS_SECONDS)
    assert house.lobby.gate.issued == issued
    house.lobby.resume()
    await trio.sleep(SETTINGS_SECONDS + 1)
    assert stored(house, "Ann") == b'{"width":"79"}'


async def test_a_newcomers_settings_are_stored_after_a_lost_connection_not_after_quit(house: House) -> None:
    lost, left = await house.person("Ann", "set style plain"), await house.person("Ben", "set style plain")
    await lost.drop()
    await left.say("quit")
    await trio.sleep(2 * SETTINGS_SECONDS)
    assert stored(house, "Ann") == b'{"style":"plain"}'
    assert stored(house, "Ben") is None
