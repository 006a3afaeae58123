"""The completion scripts, tested in the shells themselves: they offer exactly what exists."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from golfnet.rulesets import catalogue
from tests.cli.conftest import Golfnet
from tests.e2e.service import GOLFNET, Needs, printed

Script = Callable[[str], Path]
ENVIRON = {"PATH": f"{GOLFNET.parent}:/usr/bin:/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}

BASH = """
source {script}
offer() {{
    local function=$1; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    $function
    echo "${{COMPREPLY[*]}}"
}}
"""


@pytest.fixture
def script(golfnet: Golfnet, tmp_path: Path) -> Script:
    """Return a function that writes the completion script of a shell, and returns its path."""

    def write(shell: str) -> Path:
        path = tmp_path / "script"
        path.write_text(golfnet("completion", shell).out)
        return path

    return write


def run(shell: str, *words: str, **environ: str) -> list[str]:
    """Return the lines that a shell prints."""
    return printed(shell, *words, env=ENVIRON | environ).splitlines()


def test_bash_offers_the_words_that_can_come_next(needs_tool: Needs, script: Script) -> None:
    offered = {
        "golfnet ser": ["serve"],
        "golfnet serve --tls-c": ["--tls-cert"],
        "golfnet serve --durability ": ["full", "normal"],
        "golfnet serve --db ": [],  # then bash offers files
        "golfnet admin dr": ["drain"],
        "golfnet arena --rules nine": ["nine-card"],
        "golfnet arena --rules ": [*catalogue()],
        "golfnet-client --so": ["--solo"],
    }
    lines = [BASH.format(script=script("bash"))]
    for typed in offered:
        *words, last = typed.split(" ")
        lines.append(f"offer _{words[0].replace('-', '_')} {' '.join(words)} '{last}'")
    told = run(needs_tool("bash"), "-c", "\n".join(lines))
    assert [line.split() for line in told] == [*offered.values()]


def test_fish_offers_the_words_that_can_come_next(needs_tool: Needs, script: Script, tmp_path: Path) -> None:
    offered = {
        "golfnet ser": "serve",
        "golfnet serve --tls-c": "--tls-cert",
        "golfnet serve --durability ": "full normal",
        "golfnet admin dr": "drain",
    }
    asked = "".join(f"; echo (complete -C '{typed}' | string split -f1 \\t)" for typed in offered)
    typed = f"source {script('fish')}{asked}; complete -C 'golfnet-client --so'"
    *told, of_client = run(needs_tool("fish"), "--no-config", "-c", typed, HOME=str(tmp_path))
    assert told == [*offered.values()]
    assert of_client.startswith("--solo")


def test_zsh_accepts_the_script_and_completes(needs_tool: Needs, script: Script, tmp_path: Path) -> None:
    typed = f"""
        autoload -U compinit && compinit -D -u
        source {script("zsh")}
        emulate ksh
        echo ${{_comps[golfnet]}} ${{_comps[golfnet-client]}}
        COMP_WORDS=(golfnet serve --durability "") COMP_CWORD=3
        _golfnet
        echo "${{COMPREPLY[@]}}"
    """
    registered, offered = run(needs_tool("zsh"), "-f", "-c", typed, HOME=str(tmp_path))
    assert registered.endswith("-F _golfnet _bash_complete -o default -F _golfnet_client")
    assert offered == "full normal"
