"""The page knows every word of the protocol that it has to show, and speaks of cards as ``speech`` does."""

from __future__ import annotations

import re
import subprocess
import sys

from golfnet.engine.events import EVENTS
from golfnet.protocol.commands.catalog import COMMANDS
from golfnet.protocol.commands.specs import Group
from golfnet.protocol.replies.presence import TABLE_EVENTS
from golfnet.protocol.text import words
from golfnet.server.web.entrance import read_page

SCRIPT = "".join([read_page()[path][0].decode() for path in ("/fold.js", "/golf.js")])


def table(name: str) -> str:
    """Return the body of a table of the script."""
    found = re.search(rf"^const {name} = \{{\n(.*?)^\}};", SCRIPT, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def keys(name: str) -> set[str]:
    """Return the keys of a table of functions."""
    return set(re.findall(r"(?:^ {2}|, )(\w+): (?:\(|nothing|seated)", table(name), re.MULTILINE))


def test_every_event_has_its_sentence() -> None:
    assert keys("EVENTS") == {*EVENTS, *TABLE_EVENTS}


def test_every_event_is_folded_but_those_that_need_a_whole_view() -> None:
    assert {*EVENTS, *TABLE_EVENTS} - keys("FOLD") == {"seated", "match_started", "closed"}
    assert keys("FOLD") <= {*EVENTS, *TABLE_EVENTS}


def test_every_command_of_play_has_its_label() -> None:
    play = {verb for verb, spec in COMMANDS.items() if spec.group is Group.PLAY}
    assert play | {"ready", "start", "rematch"} <= keys("LABELS")


def test_cards_are_spoken_as_everywhere() -> None:
    ranks = dict(re.findall(r'("?[0-9A-Z*]+"?): "(\w+)"', table("RANKS")))
    assert {rank.strip('"'): word for rank, word in ranks.items()} == dict(words.RANK_WORDS)
    for suit, word in words.SUIT_WORDS.items():
        assert re.search(rf'\b{suit}: \["(.)", "{word}"\]', SCRIPT)


def test_the_page_keeps_to_its_budget() -> None:
    page = {path: body.decode().count("\n") for path, (body, _) in read_page().items()}
    assert page["/golf.js"] + page["/fold.js"] <= 650
    assert page["/golf.css"] <= 120


def test_a_server_without_the_page_imports_nothing_for_it() -> None:
    script = "import sys, golfnet.server.hosting; print('websockets' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"
