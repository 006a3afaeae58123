"""Whatever is typed, wherever the player is: nothing fails, and every line of text starts with the sign of its kind."""

import re

import pytest

from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.pages import TOPICS
from tests.server.house import House, Peer

SIGNED = re.compile(r"[=?*>!-] |-$|  ")
LEFT_OUT = {"hello", "telnet", "quit", "pong", "name", "login", "resume", "register", "passwd"}
WORDS = ("", " 1", " six-card", " t1", " Bob", " B", " 3", " A3 B2", " zzz", " x=y", ' "x', " 1 2 3 4 5 6 7")
LINES = (
    *(f"{verb}{words}" for verb in sorted(COMMANDS.keys() - LEFT_OUT - {"leave"}) for words in WORDS),
    *(f"help {word}" for word in ("name", *TOPICS, "STALE", "zzz", "options", "short")),
    *("hello two", "hello there", "pass wd", "register x", "login Ann", "", "d 1 2", "7", "1 2"),
    "resume " + 24 * "x",
    *("créate", "=" * 300, "x" * 2000, "say  ", "tell Bob", "leave", "unwatch"),
)


async def scan(peer: Peer, style: str) -> None:
    await peer.say(f"set style {style}")
    for line in LINES:
        lines = (await peer.say(line)).split("\r\n")[:-1]
        for said in lines:
            assert SIGNED.match(said), (line, said)
            assert not said.startswith("? INTERNAL"), (line, said)
        if style == "speech":  # speech does not say anything twice
            things = [said for said in lines if said[:2] not in ("  ", "- ", "-")]
            assert len({*things}) == len(things), (line, things)
        assert not peer.is_closed, line


async def placed(house: House, who: str) -> Peer:
    """Connect somebody, and bring them to the place where the lines are to be typed."""
    ann = await house.connect()
    if who != "stranger":
        await ann.say("name Ann")
    if who == "host":
        await ann.say("create six-card seats=2 name=-x- clock=0")
    elif who in ("player", "watcher"):
        await ann.say("create cactus seats=2 slam=order clock=0")
        await house.person("Bob", "join t1", "ready")
        await ann.say("ready")
        await ann.say("peek 1 2")
    return await house.person("Eve", "watch t1") if who == "watcher" else ann


@pytest.mark.parametrize(
    ("who", "style"),
    [("stranger", "art"), ("guest", "speech"), ("host", "art"), ("player", "speech"), ("watcher", "art")],
)
async def test_every_line_starts_with_its_sign(who: str, style: str, house: House) -> None:
    await scan(await placed(house, who), style)
    assert {line.split(" ")[0] for line in LINES} >= COMMANDS.keys() - LEFT_OUT
