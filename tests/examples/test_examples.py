"""The bots that PROTOCOL.md recommends to client authors: two of each kind play matches, with and without slams.

Those in Python and JavaScript also reconnect, as their first lines say, if the server is killed during a match.
"""

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.e2e.service import PATIENCE, Service, free_port, service

HERE = Path(__file__).parent
LANGUAGES = {"py": ("python3",), "js": ("node",), "go": ("go", "run")}


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    with service("--pause", "0", "--start-delay", "1", "--commands-per-second", "100") as running:
        yield running


@pytest.fixture
def bot(request: pytest.FixtureRequest, needs_tool: Callable[[str], str]) -> tuple[str, ...]:
    """Return the command of a bot. Skip Go if it is not installed: it is too large to install just for this test."""
    language = str(request.param)
    program, *words = LANGUAGES[language]
    if language == "go" and shutil.which(program) is None:
        pytest.skip("go is not installed")
    return (needs_tool(program), *words, str(HERE / f"bot.{language}"))


def started(
    bot: tuple[str, ...], port: int, name: str, rules: str, *, errors: int = subprocess.STDOUT
) -> subprocess.Popen[str]:
    command = [*bot, "127.0.0.1", str(port), name, rules]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)


@pytest.mark.parametrize("bot", LANGUAGES, indirect=True)
@pytest.mark.parametrize("rules", ["four-turn", "cactus holes=1"])
def test_two_bots_play_a_match(bot: tuple[str, ...], server: Service, rules: str) -> None:
    # A name stays taken for a while after its player has disconnected.
    names = [f"{name}-{bot[-1].rpartition('.')[2]}-{rules[:2]}" for name in ("ann", "ben")]
    both = [started(bot, server.port, name, rules) for name in names]
    told = [each.communicate(timeout=PATIENCE)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0], told
    assert len(set(told)) == 1  # the same match
    assert re.fullmatch(r"totals -?\d+ -?\d+\n", told[0])


@pytest.mark.parametrize("bot", LANGUAGES, indirect=True)
def test_a_bot_says_why_it_cannot_play(bot: tuple[str, ...], server: Service) -> None:
    name = f"eve-{bot[-1].rpartition('.')[2]}"
    done = started(bot, server.port, name, "poker", errors=subprocess.PIPE)
    _, told = done.communicate(timeout=PATIENCE)
    assert done.returncode == 1
    assert f"{name}: " in told
    assert "poker" in told


@pytest.mark.parametrize("bot", ["py", "js"], indirect=True)
def test_a_bot_resumes_its_seat_after_the_server_is_killed(bot: tuple[str, ...], tmp_path: Path) -> None:
    database = ("--db", str(tmp_path / "golfnet.db"))
    flags = (*database, "--pause", "0", "--start-delay", "1", "--commands-per-second", "100")
    port = free_port()
    with contextlib.ExitStack() as running:
        server = Service(*flags, port=port)
        running.callback(server.stop, kill=True)
        played = started(bot, port, "ben", "four-turn")
        running.callback(lambda: played.communicate())
        running.callback(played.kill)
        with person(port) as ann:
            token = ann.ask("name ann")["token"]
            ann.ask("seek four-turn seats=2")
            ann.wait_for(type="prompt", phase="start")
        server.stop(kill=True)
        again = Service(*flags, port=port)
        running.callback(again.stop, kill=True)
        with person(port) as ann:
            ann.sock.sendall(f"resume {token}\n".encode())
            while (prompt := ann.wait_for(type="prompt"))["phase"] != "finished":
                if prompt["actions"]:
                    ann.sock.sendall(prompt["actions"][0].encode() + b"\n")
        told = played.communicate(timeout=PATIENCE)[0]
    events = [each for each in ann.objects if each["type"] == "event"]
    assert not [each for each in events if each["event"] == "house_plays"]  # no bot of the server took over
    (totals,) = [each["totals"] for each in events if each["event"] == "match_ended"]
    assert told == f"totals {totals[0]} {totals[1]}\n"


@contextlib.contextmanager
def person(port: int) -> Iterator[Program]:
    """Yield another client of the server, which says hello and disconnects at the end."""
    with Program(port) as program:
        program.sock.sendall(b"hello 1\n")
        yield program


def test_own_bots_can_play_against_medium_without_a_server() -> None:
    command = [sys.executable, str(HERE / "own_bot.py"), "four-turn", "2"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    found = re.fullmatch(r"own (\S+), medium (\S+) points per hole, \d+ deals per second\n", told)
    assert found is not None, told
    assert float(found[2]) < float(found[1])


@pytest.mark.parametrize("language", ["py", "js"])
def test_an_example_bot_fits_on_a_page(language: str) -> None:
    assert len((HERE / f"bot.{language}").read_text("utf-8").splitlines()) <= 60


PAGE = (HERE.parents[1] / "golfnet" / "protocol" / "PROTOCOL.md").read_text("utf-8")
FIRST = PAGE.partition("## Your first client")[2].partition("\n## ")[0]


def test_the_first_section_of_the_protocol_page_links_to_the_bots() -> None:
    assert len(FIRST.splitlines()) <= 45  # a screen
    assert re.findall(r"\]\(([^#].*?)\)", FIRST) == [f"../../tests/examples/bot.{each}" for each in LANGUAGES]


def test_the_conversation_in_the_first_section_works_as_shown(server: Service) -> None:
    lines = re.findall(r"^    ([<>]) (.*)$", FIRST, re.MULTILINE)
    assert len(lines) > 9
    with Program(server.port) as mybot:
        for sign, line in lines:
            if sign == ">":
                quick = line.replace("fill=5", "fill=1")
                mybot.sock.sendall(f"{quick}\n".encode())
                continue
            fields = dict(re.findall(r'"(type|event|phase|name|kind|seat)":"([^"]*)"', line))
            shown = re.findall(r'"(\w+)":', re.sub(r'"limits":.*', '"limits":1', line))
            assert set(shown) <= set(mybot.wait_for(**fields))
