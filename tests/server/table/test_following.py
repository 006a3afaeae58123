"""What people who watch a table see: a picture of it each turn, or the stage on a big screen."""

import pytest

from golfnet.protocol.text.stage import Joining
from tests.server.house import House, Peer, Program, open_house
from tests.server.table.test_membership import at_a_turn

CARD = "\u256d"
HOME = "\x1b[H"
WILL_NAWS = b"\xff\xfb\x1f"
WINDOW_OF_100_BY_30 = b"\xff\xfa\x1f\x00\x64\x00\x1e\xff\xf0"


async def play_turn(player: Program) -> None:
    await player.done("draw")
    await player.done("swap 1")


async def told(peer: Peer) -> str:
    return (await peer.take()).decode(errors="replace")


async def test_the_picture_is_redrawn_each_turn(house: House) -> None:
    bob, ann = await at_a_turn(house, "four-turn seats=2")
    eve = await house.person("Eve")
    assert CARD in await eve.say("watch t1")
    for player in (bob, ann, bob):
        await player.done("draw")
        assert CARD not in await told(eve)
        await player.done("discard")
        said = await told(eve)
        assert said.count("t1, four-turn, hole 1 of 1.") == 1
        assert CARD in said
        assert "* t1: " not in said


@pytest.mark.parametrize(
    ("chosen", "drawn"),
    [
        ("set follow off", False),
        ("set style plain", False),
        ("set style speech", False),
        ("set follow on", True),
    ],
)
async def test_watchers_without_pictures_are_told_about_each_turn(
    chosen: str, drawn: bool, house: House
) -> None:
    bob, _ = await at_a_turn(house, "four-turn seats=2")
    eve = await house.person("Eve")
    await eve.say(chosen)
    await eve.say("watch t1")
    await play_turn(bob)
    said = await told(eve)
    assert ("Bob (B) puts" in said) or ("Bob puts" in said)
    assert ("t1, four-turn" in said) is drawn


async def test_a_table_is_named_to_watchers_of_several(house: House) -> None:
    bob, _ = await at_a_turn(house, "four-turn seats=2")
    await house.opened("four-turn", "Dan")
    eve = await house.person("Eve", "watch t1", "watch t2")
    await bob.done("draw")
    assert "* t1: Bob (B) draws" in await told(eve)
    await eve.say("unwatch t2")
    await bob.done("swap 1")
    assert "* Bob (B) puts" in await told(eve)


async def test_programs_get_no_unrequested_views(house: House) -> None:
    bob, _ = await at_a_turn(house, "four-turn seats=2")
    eve = await house.program("Eve", "watch t1 style=stage")
    eve.objects.clear()
    await play_turn(bob)
    assert eve.events()
    assert {thing["type"] for thing in eve.objects} == {"event"}


async def test_over_nc_the_stage_is_a_new_block_each_turn(house: House) -> None:
    bob, _ = await at_a_turn(house, "four-turn seats=2")
    eve = await house.person("Eve", "set width 100", "watch t1 style=stage")
    await bob.done("draw")
    assert await told(eve) == ""
    await bob.done("swap 1")
    rule, title, status, *lines = (await told(eve)).splitlines()
    assert rule == "  " + "\u2500" * 98
    assert (title, status) == ("  t1, four-turn, hole 1 of 1.", "  It is the turn of Ann (A).")
    assert any(line.startswith("  - Bob (B) puts") for line in lines)
    assert "\x1b" not in "".join(lines)
    assert await eve.say("watch t1 style=big") == (
        "? BAD_ARGUMENT The only style here is style=stage, for a big screen.\r\n"
    )


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


async def test_a_player_who_sits_down_is_on_the_stage_at_once_even_over_nc(house: House) -> None:
    house.lobby.joining = Joining(ways=(("Linux, Mac", "nc 192.168.1.20 7777"),))
    await house.opened("six-card password=sesame", "Ann")
    bob = await house.program("Bob")
    eve = await house.person("Eve")
    said = await eve.say("watch t1 style=stage password=sesame")
    assert "nc 192.168.1.20 7777\r\n" in said
    assert "    join t1 password=WORD\r\n" in said
    assert "A Ann  host, not ready yet" in said
    await bob.done("join t1 password=sesame")
    assert "B Bob  not ready yet" in await told(eve)
    await bob.done("ready")
    assert "B Bob  ready" in await told(eve)
    watcher = await house.person("Dan", "watch t1 password=sesame")
    await told(watcher)
    await bob.done("leave")
    assert "six-card" not in await told(watcher), "a watcher without a stage is told only what happens"


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
