"""Whole conversations as people have them, word for word: input after ``<``, with the answers below."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import trio

from golfnet.protocol.commands.help import help_page
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from tests.golden import GoldenFiles
from tests.server.house import Peer, open_house

pytestmark = pytest.mark.usefixtures("virtual_time", "quick_passwords")

PAGES = Path(__file__).parent / "conversations"

ENTER = "(Enter)"
"""Stands for an empty line in a script."""

STEP = re.compile(r"(~|\[\w+\])? ?(\w+): (.*)")
"""A step of a script: who types what. ``~`` hides the step and its answers, ``[Ann]`` all answers except Ann's."""

SCRIPTS: dict[str, str] = {
    "first-visit": """
Ann: help
Ann: Ann
Ann: name Ann
Ann: variants
Ann: crate six-card
Ann: create six-card seats=2 holes=1
Ann: tables
Bob: name ann
Bob: name Bob
Bob: j 1
Ann: say hello there
Bob: draw
Ann: r
[Ann] Bob: r
Bob: f 1 2
Ann: f 1
Ann: f 7
[Ann] Ann: f 5
Bob: d
Ann: d
[Bob] Bob: 3
Ann: look
[Ann] Ann: take 2
~ Bob: d
Bob: x
[Bob] Bob: p
Ann: quit
Bob: who
Bob: leave
Bob: leave
""",
    "cactus": """
style: plain
~ Ann: name Ann
~ Bob: name Bob
~ Eve: name Eve
Ann: create cactus seats=2 clock=30 slam=order
Bob: join t1
~ Eve: watch t1
~ Ann: ready
~ Bob: ready
Ann: peek 3 4
Bob: peek 1 2
Bob: peek 3 4
Ann: draw
Ann: discard
Ann: slam B1
Bob: pass
Eve: say nice try
Ann: slam log
Bob: knock
Bob: k
[Ann] wait: 16
[Ann] wait: 15
""",
    "speech": """
style: speech
Ann: set style speech
Ann: name Ann
Bob: name Bob
Ann: create four-turn seats=2
Bob: join t1
Ann: ready
[Ann] Bob: ready
Ann: peek 3 4
Bob: peek 3 4
Bob: draw
Bob: discard
Ann: hand
Ann: top
Ann: turn
Ann: score
Ann: draw
Ann: swap 1
Ann: last
Ann: look
Ann: again
""",
    "sealing": """
style: plain
~ Ann: name Ann
~ Bob: name Bob
~ Ann: create four-turn seats=2
~ Bob: join t1
Ann: seal
Ann: seal abc
Ann: {seal of Ann}
Ann: cut a text of at least sixteen bytes
Bob: cut some words
Ann: ready
Bob: ready
Bob: cut other words
Ann: cut another text of sixteen bytes
[Ann] Ann: cut a text of at least sixteen bytes
Ann: seal
Ann: leave
Ann: leave
""",
    "lost-name": """
style: plain
~ Ann: name Ann
~ Jim: name Jim
~ Ann: create four-turn seats=2 clock=0
~ Jim: join t1
~ Ann: ready
~ Jim: ready
~ Jim: peek 3 4
gone: Jim
Jimmy: name Jimmy
Jimmy: join jim
Jimmy: join t1
Ann: seat B Jimmy
Jimmy: join t1
Ann: peek 3 4
Jimmy: draw
""",
    "whole-visit": """
Ann: set width 40
~ Ann: name ann
Ann: play six-card holes=1
Ann: bot
~ wait: 6
Ann: (Enter)
~ Ann: flip 1 2
wait: 4
Ann: (Enter)
wait: 4
~ Ann: draw
~ Ann: 3
~ wait: 4
~ Ann: take 4
~ wait: 4
~ Ann: d
~ Ann: x
~ Ann: p
wait: 4
Ann: d
""",
    "lost-window": """
Olga: hello there
Olga: set style speech
Olga: name Olga
~ Bob: name Bob
~ Olga: create four-turn seats=2
~ Bob: join t1
~ Olga: ready
~ Bob: ready
Olga: peek 3 4
gone: Olga
Olga: name Olga
[Olga] Bob: peek 3 4
[Olga] Bob: draw
[Olga] Bob: discard
Olga: register
Olga: seven hearts
Olga: seven hearts
gone: Olga
Olga: login Olga
Olga: seven hearts
Olga: set style
Olga: draw
""",
    "looking-back": """
style: plain
~ Ann: name Ann
~ Bob: name Bob
~ Eve: name Eve
~ Ann: create four-turn seats=2
Ann: moves
~ Bob: join t1
~ Eve: watch t1
~ Ann: ready
~ Bob: ready
~ Ann: peek 3 4
~ Bob: peek 3 4
~ Bob: draw
Bob: moves
~ Bob: swap 1
~ Ann: take 1
~ Bob: draw
~ Bob: discard
~ Ann: draw
~ Ann: swap 3
Eve: moves
Ann: replay
~ Bob: take 2
~ Ann: draw
~ Ann: discard
~ Bob: draw
~ Bob: swap 3
~ Ann: take 4
Bob: moves
Ann: replay
Eve: replay m1 2
Eve: replay m7
Eve: evening
Eve: history all
""",
}
"""What is typed in each conversation, in style art if the script names no other."""


def sealed_by_shell(name: str, text: str) -> str:
    """Return a seal made in a shell as the help describes, with the programs it names."""
    page = "\n".join(help_page("fair", manual_for(Config())))
    lines = page[page.index("  printf") : page.index("  echo")].replace("Ann", name)
    done = subprocess.run(
        ["sh", "-c", lines], env=os.environ | {"text": text}, capture_output=True, check=True
    )
    return done.stdout.decode().split()[0]


def filled(script: str) -> str:
    """Return a script with its seals filled in."""
    text = "a text of at least sixteen bytes"
    return re.sub(r"\{seal of (\w+)\}", lambda found: f"seal {sealed_by_shell(found[1], text)}", script)


async def spoken(script: str) -> str:
    """Carry out a script, and return what everybody was told."""
    lines, style = list[str](), "art"
    async with open_house(seed=7, grace=120) as house:
        peers: dict[str, Peer] = {}
        for step in filled(script).strip().splitlines():
            found = STEP.fullmatch(step)
            assert found is not None
            shown, who, what = found.groups()
            before = len(lines)
            if who == "style":
                style = what
            elif who == "wait":
                await trio.sleep(float(what))
                lines.append(f"({what} seconds pass)")
            elif who == "gone":
                await peers.pop(what).drop()
                lines.append(f"({what} is gone)")
            else:
                if who not in peers:
                    peers[who] = await house.connect()
                    if style != "art":
                        await peers[who].say(f"set style {style}")
                lines.append(f"{who} < {what}")
                await peers[who].send("" if what == ENTER else what)
            for name, peer in peers.items():
                told = (await peer.take()).decode()
                if shown in (None, f"[{name}]"):
                    lines += [f"{name} | {line}".rstrip() for line in told.split("\r\n")[:-1]]
            if shown == "~":
                del lines[before:]
    told = re.sub(r"resume [\w-]{24}", "resume TOKEN", "\n".join(lines)) + "\n"
    return re.sub(r"(?<=\d{4}-\d\d-\d\d )\d\d:\d\d", "hh:mm", told)


@pytest.mark.parametrize("name", SCRIPTS)
async def test_conversations_match_their_scripts(golden: GoldenFiles, name: str) -> None:
    golden.check(PAGES / f"{name}.txt", await spoken(SCRIPTS[name]))
