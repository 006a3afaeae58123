"""The bots that PROTOCOL.md points authors to: two of each kind play a match to its end, with targets and without."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.service import PATIENCE, service

HERE = Path(__file__).parent
LANGUAGES = {"py": ("python3",), "js": ("node",), "go": ("go", "run")}


@pytest.fixture
def bot(request: pytest.FixtureRequest, needs_tool: Callable[[str], str]) -> tuple[str, ...]:
    """The command of a bot; Go is tried where it is installed, and costs too much to install for this alone."""
    language = str(request.param)
    program, *words = LANGUAGES[language]
    if language == "go" and shutil.which(program) is None:
        pytest.skip("go is not installed")
    return (needs_tool(program), *words, str(HERE / f"bot.{language}"))


@pytest.mark.parametrize("bot", LANGUAGES, indirect=True)
@pytest.mark.parametrize("rules", ["four-turn", "cactus holes=1"])
def test_two_of_them_play_a_match(bot: tuple[str, ...], rules: str) -> None:
    with service("--pause", "0", "--start-delay", "1", "--commands-per-second", "100") as server:
        both = [
            subprocess.Popen(
                [*bot, "127.0.0.1", str(server.port), name, rules],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name in ("ann", "ben")
        ]
        told = [each.communicate(timeout=PATIENCE)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0], told
    assert len(set(told)) == 1  # the same match
    assert re.fullmatch(r"totals -?\d+ -?\d+\n", told[0])


@pytest.mark.parametrize("bot", LANGUAGES, indirect=True)
def test_it_says_why_it_cannot_play(bot: tuple[str, ...]) -> None:
    with service() as server:
        done = subprocess.run(
            [*bot, "127.0.0.1", str(server.port), "ann", "poker"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert done.returncode == 1
    assert "ann: " in done.stderr
    assert "poker" in done.stderr


def test_the_page_of_the_protocol_points_to_them() -> None:
    page = (HERE.parents[1] / "golfnet" / "protocol" / "PROTOCOL.md").read_text("utf-8")
    for language in LANGUAGES:
        assert f"tests/examples/bot.{language}" in page
