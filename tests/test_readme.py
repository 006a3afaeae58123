"""What the README tells a newcomer: its first hole is typed line by line, and goes as described."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from golfnet.cli.main import COMMANDS
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.commands.settings import SETTINGS
from golfnet.server.config import Config
from tests.e2e.service import Talk, service

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
FIRST_HOLE = README.partition("## A first hole")[2].partition("\n## ")[0]
TYPED = [line.strip() for line in re.findall(r"^    ([a-z].*)$", FIRST_HOLE, re.MULTILINE)]

SHOWN = [
    line.strip()
    for line in re.findall(r"^    (?:\* |  [AB╭╰] ?|  │░).*$", FIRST_HOLE, re.MULTILINE)
    if not set("♠♥♦♣") & set(line)
]
"""The lines of the picture that are the same whatever cards are dealt."""


@pytest.mark.slow
def test_the_first_hole_goes_as_described(needs_tool: Callable[[str], str]) -> None:
    assert TYPED == ["name ann", "play bot", "flip 1 2"]
    assert "five seconds later" in FIRST_HOLE
    assert Config().start_delay == 5
    with (
        service("--start-delay", "1") as server,
        contextlib.closing(Talk(needs_tool("nc"), "127.0.0.1", str(server.port))) as nc,
    ):
        nc.say("name ann", r"^= You")
        nc.say("play bot", r"The match begins in 1 second")
        nc.wait_for(r"Turn up two of your cards")  # waiting causes no refusal
        nc.say("flip 1 2", r"You turn up slots? 1")
        nc.wait_for(r"^\* You can draw \(d\) or take SLOT")
        printed = nc.drain().decode()
    assert not re.search(r"^\?", printed, re.MULTILINE)
    shown = [line.strip() for line in printed.splitlines()]
    assert len(SHOWN) == 9
    assert [line for line in SHOWN if line not in shown] == []


def test_the_recommended_settings_exist() -> None:
    recommended = re.findall(r"`set (\w+) (\w+)`", README)
    assert len(recommended) >= 3
    for name, value in recommended:
        assert value in str(SETTINGS[name])


def test_every_golfnet_command_is_listed() -> None:
    page = (ROOT / "golfnet" / "cli" / "README.md").read_text("utf-8")
    named = {
        word
        for line in page.splitlines()
        if line.startswith("| `")
        for word in re.findall(r"`(?:golfnet )?(\w+)`", line)
    }
    assert named >= set(COMMANDS)


def test_the_rule_sets_have_the_seats_and_cards_that_the_readme_gives() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+)–(\d+) \| (\d+)×(\d+) \|", README, re.MULTILINE)
    assert [row[0] for row in rows] == list(VARIANTS)
    for name, *numbers in rows:
        rules = VARIANTS[name]
        assert [*rules.seats, rules.rows, rules.columns] == [*map(int, numbers)]


PROMISES = (ROOT / "tests" / "README.md").read_text("utf-8")


def test_every_promise_names_existing_tests() -> None:
    rows = dict(re.findall(r"^\| (.+?) \| (`.*) \|$", PROMISES, re.MULTILINE))
    promised = re.findall(r"^- \*\*(.+?)\.?\*\*", README, re.MULTILINE)
    assert len(promised) == 6
    assert set(promised) <= set(rows)
    for row in rows.values():
        for name in re.findall(r"`([\w./]+)`", row):
            assert (ROOT / "tests" / name).is_file(), name


def test_every_page_begins_with_its_audience_and_reading_time() -> None:
    pages = re.findall(r"\]\(([\w./]+\.md)\)", README.partition("## Where everything is")[2])
    assert len(pages) == 10
    for page in set(pages) - {"CHANGELOG.md"}:
        paragraphs = (ROOT / page).read_text("utf-8").split("\n\n")
        assert paragraphs[1].startswith("For "), f"{page} must begin with its audience and its reading time"
        assert re.search(r"\b(minutes?|hour)\b", paragraphs[1]), page


def test_the_readme_stays_short() -> None:
    assert len(README.splitlines()) <= 110
