"""Whole conversations as people have them, word for word; each file in ``conversations`` is a script with its answers.

``Ann < draw`` is what Ann types, and ``Ann | ...`` what she is told; ``pytest --renew`` rewrites only the latter.
``Ann Bob < ready`` is what first Ann and then Bob types, and ``Ann < draw; discard; Bob < pass`` is three steps, the
answers to which are shown together. The other lines of a script are

- ``# ...``: what the next steps show;
- ``names Ann Bob``: Ann and Bob connect and type these names, without showing the answers;
- ``set style=speech``: settings of everybody who connects from here on (at first, style=plain width=120);
- ``show Ann Bob``: whose answers are shown from here on (at first, everybody's);
- ``with clock=20 fill=40``: settings of the server, in the first lines;
- ``wait 16``: seconds that pass;
- ``gone Jim``: Jim loses the connection; when he types again, he gets a new one;
- ``restart``: the server restarts, which cuts all connections.

``~`` before steps hides their answers, and ``[Ann]`` all of them except Ann's. ``{seal}`` is the seal of the player
who types it, made as the help describes. Who types ``hello 1`` is answered as a program.
"""

import itertools
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.protocol.commands.help import help_page
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from golfnet.storage.sqlite import MemoryStore
from tests.golden import GoldenFiles
from tests.server.house import House, Peer, open_house

pytestmark = pytest.mark.usefixtures("virtual_time", "quick_passwords")

PAGES = Path(__file__).parent / "conversations"

SCRIPTS = {page.stem: page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.txt"))}

SEALED = "a text of at least sixteen bytes"

ANSWER = re.compile(r"\w+ \|( .*)?")
STEPS = re.compile(r"(?:(~|\[[\w ]+\]) )?(.*)")
STEP = re.compile(r"(?P<verb>wait|gone) (?P<what>\S+)|(?:(?P<who>\w[\w ]*) <(?: |$))?(?P<line>.*)")


def sealed_by_shell(name: str) -> str:
    """Return a seal made in a shell as the help describes, with the programs it names."""
    page = "\n".join(help_page("fair", manual_for(Config())))
    lines = page[page.index("  printf") : page.index("  echo")].replace("Ann", name)
    return subprocess.check_output(["sh", "-c", lines], env=os.environ | {"text": SEALED}).decode().split()[0]


class Story:
    """A script as it is carried out; ``lines`` are the script's own lines, each followed by the answers to it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._peers: dict[str, Peer] = {}
        self._chosen = {"style": "plain", "width": "120"}
        self._shown: set[str] = set()

    async def go_on(self, house: House, lines: Iterable[str]) -> None:
        """Carry out lines with a server that has just started."""
        self._peers.clear()
        for line in lines:
            self.lines.append(line)
            word, _, rest = line.partition(" ")
            if word == "set":
                self._chosen = dict(re.findall(r"(\w+)=(\w+)", rest))
            elif word == "names":
                for name in rest.split():
                    await self._type(house, name, f"name {name}")
                await self._listen("~")
            elif word == "show":
                self._shown = set(rest.split())
            elif line and word not in ("#", "with"):
                shown, steps = STEPS.findall(line)[0]
                await self._carry_out(house, steps)
                await self._listen(shown)

    async def _carry_out(self, house: House, steps: str) -> None:
        people: list[str] = []
        for step in filter(None, map(STEP.fullmatch, steps.split("; "))):
            if step["verb"] == "wait":
                await trio.sleep(float(step["what"]))
            elif step["verb"] == "gone":
                await self._peers.pop(step["what"]).drop()
            else:
                people = (step["who"] or "").split() or people
                assert people, steps
                for name in people:
                    await self._type(house, name, step["line"])

    async def _type(self, house: House, name: str, line: str) -> None:
        if name not in self._peers:
            self._peers[name] = await house.connect()
            for setting, value in self._chosen.items():
                await self._peers[name].say(f"set {setting} {value}")
        await self._peers[name].type(f"seal {sealed_by_shell(name)}" if line == "{seal}" else line)

    async def _listen(self, shown: str) -> None:
        names = set(re.findall(r"\w+", shown)) or self._shown or self._peers.keys()
        for name, peer in self._peers.items():
            told = (await peer.take()).decode()
            if shown != "~" and name in names:
                self.lines += [f"{name} | {line}".rstrip() for line in re.split(r"\r\n|(?<=})\n", told)[:-1]]


async def spoken(script: str) -> str:
    """Carry out a script, and return it with what everybody was told."""
    lines = [line for line in script.splitlines() if not ANSWER.fullmatch(line)]
    settings: dict[str, Any] = {"grace": 120}
    for line in lines:
        if line.startswith("with "):
            settings |= {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
    if "restart" in lines:
        settings["store"] = MemoryStore()
    story = Story()
    for is_restart, part in itertools.groupby(lines, "restart".__eq__):
        if is_restart:
            story.lines += part
            continue
        async with open_house(seed=7, **settings) as house:
            await story.go_on(house, part)
    told = re.sub(r"resume [\w-]{24}", "resume TOKEN", "\n".join(story.lines)) + "\n"
    told = re.sub(r"(?<=\d{4}-\d\d-\d\d )\d\d:\d\d", "hh:mm", told)
    return re.sub(r"since \d{4}-\d\d-\d\d", "since DATE", told)  # the day depends on the time zone


@pytest.mark.parametrize("name", SCRIPTS)
async def test_conversations_match_their_scripts(golden: GoldenFiles, name: str) -> None:
    golden.check(PAGES / f"{name}.txt", await spoken(SCRIPTS[name]))
