"""Digests of every byte sent to peers of each kind while they play a hole of each rule set.

A change that is not meant to affect the wire must not change ``streams.txt``. If a digest differs,
``python -m tests.server.test_streams FOLDER`` writes the streams themselves; compare two checkouts with ``diff -r``.
"""

import hashlib
import random
import re
import sys
from pathlib import Path
from typing import Final

import pytest
import trio

from golfnet.engine.cards import Seat
from golfnet.engine.legality import choices
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.rulesets import catalogue
from tests.golden import GoldenFiles
from tests.server import house as houses
from tests.server.house import Peer, choose_line, open_house

DIGESTS: Final = Path(__file__).with_name("streams.txt")

RULE_SETS: Final = tuple(catalogue())

STYLES: Final = ("json", "art", "plain", "speech")
"""The styles of the four players at the table; their watcher uses telnet with GMCP."""

ALL: Final = (
    *("look", "score", "hand", "turn", "last", "again", "tables", "who", "stats", "slam log"),
    *("say good luck", "nonsense"),
)
"""What everybody types once in the middle of the hole."""

PAGES = ("variants", "set", "help", "top", "history", "evening", *[f"help {verb}" for verb in COMMANDS])
"""What somebody without a table reads."""

_CHANGING: Final = re.compile(rb'(?<=golfnet[/ ])\d[\w.+]*|(?<="token":")[\w-]{24}|(?<=: resume )[\w-]{24}')
"""What differs between runs or versions."""

LONGEST: Final = 400
"""Moves after which an endless hole is abandoned."""


def in_style(style: str) -> str:
    return "hello 1" if style == "json" else f"set style {style}"


async def play(variant: str) -> dict[str, bytes]:
    """Return what each peer was sent in one hole."""
    chance = random.Random(variant)
    async with open_house(seed=5, house_delay=0.2) as house:
        peers: list[Peer] = []
        for style in STYLES:
            place = "join t1" if peers else f"create {variant} seats={len(STYLES)} holes=1 clock=20"
            peers.append(await house.connect())
            await peers[-1].type(in_style(style), f"name P{len(peers) - 1}", place)
        watcher = await house.connect(telnet=True)
        await watcher.type(b"\xff\xfd\xc9", b"name Wanda\n", b"watch t1\n")  # do GMCP
        for peer in (*peers[1:], peers[0]):
            await peer.type("ready")
        table = house.lobby.tables["t1"]
        for move in range(LONGEST):
            hole = table.match.hole
            if hole is None or table.match.places is not None:
                break
            if move == 8:
                for line in ALL:
                    for peer in peers:
                        await peer.type(line)
            offers = {seat: choices(hole, seat).as_offer(seat) for seat in map(Seat, range(len(peers)))}
            able = [seat for seat, (lines, _) in offers.items() if lines]
            if not able:
                await trio.sleep(1)
                continue
            seat = chance.choice(able)
            lines, targets = offers[seat]
            await peers[seat].type(choose_line({"actions": lines, "targets": targets}, chance))
        await peers[1].drop()
        await peers[2].send("leave\nleave\n")
        await trio.sleep(1)
        told = zip((*STYLES, "telnet"), (*peers, watcher), strict=True)
        return {kind: await peer.take() for kind, peer in told}


async def read_pages() -> dict[str, bytes]:
    """Return what somebody in the lobby reads, in each style."""
    told = {}
    for style in STYLES:
        async with open_house(seed=5) as house:
            peer = await house.connect()
            rules = [f"rules {name} full" for name in VARIANTS]
            await peer.type(in_style(style), *rules, *PAGES)
            told[style] = await peer.take()
    return told


async def streams() -> dict[str, bytes]:
    """Return every stream by name, without what differs between runs."""
    found = {f"pages {style}": told for style, told in (await read_pages()).items()}
    for variant in RULE_SETS:
        found |= {f"{variant} {kind}": told for kind, told in (await play(variant)).items()}
    return {name: _CHANGING.sub(b"", told) for name, told in found.items()}


@pytest.mark.usefixtures("virtual_time", "quick_passwords")
async def test_streams_are_exactly_as_approved(golden: GoldenFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(houses, "over", "hub")
    found = [(name, told, hashlib.sha256(told).hexdigest()) for name, told in (await streams()).items()]
    lines = [f"{name:<24} {len(told):>7} {digest[:16]}" for name, told, digest in found]
    golden.check(DIGESTS, "\n".join(lines) + "\n")


if __name__ == "__main__":
    houses.over = "hub"
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name, told in trio.run(streams, clock=trio.testing.MockClock(autojump_threshold=0)).items():
        (folder / name.replace(" ", "-")).write_bytes(told)
