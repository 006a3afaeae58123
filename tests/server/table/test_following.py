"""What people who watch a table see: a picture of it each turn, or the stage on a big screen."""

import pytest

from golfnet.protocol.text.stage import Joining
from tests.server.house import House, Peer, Program, open_house
from tests.server.table.test_membership import at_a_turn

HOME = "\x1b[H"
WILL_NAWS = b"\xff\xfb\x1f"
WINDOW_OF_100_BY_30 = b"\xff\xfa\x1f\x00\x64\x00\x1e\xff\xf0"


async def play_turn(player: Program) -> None:
    await player.done("draw")
    await player.done("swap 1")


async def told(peer: Peer) -> str:
    return (await peer.take()).decode(errors="replace")


async def test_over_telnet_the_stage_is_redrawn_in_place(house: House) -> None:
    bob, ann = await at_a_turn(house, "four-turn seats=2")
    eve = await house.person("Eve")
    await eve.send(WILL_NAWS + WINDOW_OF_100_BY_30 + b"\r\n")
    await eve.say("watch t1 style=stage")
    for line in ("draw", "swap 1"):
        await bob.done(line)
        said = await told(eve)
        assert said.count(HOME) == 1
        drawn = said.partition(HOME)[2]
        assert drawn.count("\r\n") < 30
        assert "\x1b[J" in drawn
    await eve.say("watch t1")
    await play_turn(ann)
    assert HOME not in await told(eve)


@pytest.mark.parametrize(
    ("address", "is_lan", "is_told"),
    [("192.168.1.9", False, True), ("8.8.8.8", False, False), ("8.8.8.8", True, True)],
)
async def test_the_servers_addresses_are_shown_only_on_its_network(
    autojump_clock: object, address: str, is_lan: bool, is_told: bool
) -> None:
    async with open_house(lan=is_lan) as house:
        house.lobby.joining = Joining(ways=(("", "nc 192.168.1.20 7777"),))
        await house.opened("six-card", "Ann")
        eve = await house.connect(address=address)
        await eve.say("name Eve")
        said = await eve.say("watch t1 style=stage")
        assert "    join t1\r\n" in said
        assert ("192.168.1.20" in said) is is_told
