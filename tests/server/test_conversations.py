"""Whole conversations as people have them, word for word; each file in ``conversations`` is a script with its answers.

``Ann < draw`` is what Ann types, and ``Ann | ...`` what she is told; ``pytest --renew`` rewrites only the latter.
The other lines of a script are

- ``# ...``: why the story goes on in this way;
- ``style speech``, ``width 120``: what everybody has set who connects from here on (first: art and 80);
- ``show Ann Bob``: whose answers are shown from here on (first: everybody's);
- ``with clock=20 fill=40``: settings of the server, in the first lines;
- ``wait 16``: seconds that pass;
- ``gone Jim``: somebody loses the connection; who types again afterwards has a new one.

``~`` before a step hides its answers, and ``[Ann]`` all of them except Ann's. ``{seal of Ann}`` is a seal as the help
describes it, and ``{token of Ann}`` what Ann was given for coming back.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from golfnet.protocol.commands.help import help_page
from golfnet.server.commands.manual import manual_for
from golfnet.server.config import Config
from tests.golden import GoldenFiles
from tests.server.house import House, Peer, open_house

pytestmark = pytest.mark.usefixtures("virtual_time", "quick_passwords")

PAGES = Path(__file__).parent / "conversations"

SCRIPTS = {page.stem: page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.txt"))}

SEALED = "a text of at least sixteen bytes"

ANSWER = re.compile(r"\w+ \|( .*)?")
STEP = re.compile(
    r"(?:(~|\[[\w ]+\]) )?(?:(?P<who>\w+) <(?: (?P<line>.*))?|(?P<verb>wait|gone) (?P<what>\S+))"
)
SECRET = re.compile(r"resume ([\w-]{24})")


def sealed_by_shell(name: str) -> str:
    """Return a seal made in a shell as the help describes, with the programs it names."""
    page = "\n".join(help_page("fair", manual_for(Config())))
    lines = page[page.index("  printf") : page.index("  echo")].replace("Ann", name)
    done = subprocess.run(
        ["sh", "-c", lines], env=os.environ | {"text": SEALED}, capture_output=True, check=True
    )
    return done.stdout.decode().split()[0]


class Story:
    """A script as it is carried out; ``lines`` are its own lines, each followed by its answers."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.lines: list[str] = []
        self._peers: dict[str, Peer] = {}
        self._tokens: dict[str, str] = {}
        self._chosen: dict[str, str] = {}
        self._shown: set[str] = set()

    async def go_on(self, line: str) -> None:
        self.lines.append(line)
        word, _, rest = line.partition(" ")
        if word in ("style", "width"):
            self._chosen[word] = rest
        elif word == "show":
            self._shown = set(rest.split())
        elif line and word not in ("#", "with"):
            step = STEP.fullmatch(line)
            assert step is not None, line
            await self._carry_out(step)
            self._listen(await self._told(), step[1] or "")

    async def _carry_out(self, step: re.Match[str]) -> None:
        if step["verb"] == "wait":
            await trio.sleep(float(step["what"]))
        elif step["verb"] == "gone":
            await self._peers.pop(step["what"]).drop()
        else:
            who = step["who"]
            if who not in self._peers:
                self._peers[who] = await self.house.connect()
                for setting, value in self._chosen.items():
                    await self._peers[who].say(f"set {setting} {value}")
            line = re.sub(r"\{token of (\w+)\}", lambda found: self._tokens[found[1]], step["line"] or "")
            await self._peers[who].send(
                re.sub(r"\{seal of (\w+)\}", lambda found: f"seal {sealed_by_shell(found[1])}", line)
            )

    async def _told(self) -> dict[str, str]:
        return {name: (await peer.take()).decode() for name, peer in self._peers.items()}

    def _listen(self, told: dict[str, str], shown: str) -> None:
        names = set(re.findall(r"\w+", shown)) or self._shown or told.keys()
        for name, text in told.items():
            if found := SECRET.search(text):
                self._tokens[name] = found[1]
            if shown != "~" and name in names:
                self.lines += [f"{name} | {line}".rstrip() for line in text.split("\r\n")[:-1]]


async def spoken(script: str) -> str:
    """Carry out a script, and return it with what everybody was told."""
    lines = [line for line in script.splitlines() if not ANSWER.fullmatch(line)]
    settings: dict[str, Any] = {"grace": 120}
    for line in lines:
        if line.startswith("with "):
            settings |= {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
    async with open_house(seed=7, **settings) as house:
        story = Story(house)
        for line in lines:
            await story.go_on(line)
    told = SECRET.sub("resume TOKEN", "\n".join(story.lines)) + "\n"
    return re.sub(r"(?<=\d{4}-\d\d-\d\d )\d\d:\d\d", "hh:mm", told)


@pytest.mark.parametrize("name", SCRIPTS)
async def test_conversations_match_their_scripts(golden: GoldenFiles, name: str) -> None:
    golden.check(PAGES / f"{name}.txt", await spoken(SCRIPTS[name]))
