"""The completion scripts, tested in the shells themselves: they offer exactly what exists."""

import os
import subprocess
from collections.abc import Callable

import pytest

from golfnet.cli.completion import options
from golfnet.cli.main import COMMANDS, main
from golfnet.rulesets import catalogue
from golfnet.server.config import SETTINGS
from tests.e2e.service import GOLFNET

ENVIRON = {"PATH": f"{GOLFNET.parent}:/usr/bin:/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}

BASH = """
eval "$({golfnet} completion {shell})"
COMP_WORDS=({words} "{last}")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
{function}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def in_bash(path: str, typed: str, function: str = "_golfnet") -> list[str]:
    *words, last = typed.split(" ")
    script = BASH.format(golfnet=GOLFNET, shell="bash", words=" ".join(words), last=last, function=function)
    result = subprocess.run(
        [path, "-c", script],
        capture_output=True,
        text=True,
        env=ENVIRON,
        timeout=60,
    )
    assert result.stderr == ""
    return result.stdout.split()


def test_every_subcommand_and_every_setting_is_known() -> None:
    known = options()
    assert set(known) == {"", *COMMANDS}
    flags = {option.flag for option in known["serve"]}
    assert {setting.flag for setting in SETTINGS.values()} <= flags
    assert "--no-lan" in flags


def test_bash_completes(needs_tool: Callable[[str], str]) -> None:
    bash = needs_tool("bash")
    assert in_bash(bash, "golfnet ser") == ["serve"]
    assert set(in_bash(bash, "golfnet ")) >= set(COMMANDS)
    assert in_bash(bash, "golfnet serve --tls-c") == ["--tls-cert"]
    assert in_bash(bash, "golfnet serve --durability ") == ["full", "normal"]
    assert in_bash(bash, "golfnet serve --db ") == []  # then bash offers files
    assert in_bash(bash, "golfnet admin dr") == ["drain"]
    assert in_bash(bash, "golfnet arena --rules nine") == ["nine-card"]
    assert set(in_bash(bash, "golfnet arena --rules ")) == set(catalogue())
    assert in_bash(bash, "golfnet-client --so", "_golfnet_client") == ["--solo"]


def test_fish_completes(needs_tool: Callable[[str], str], tmp_path: object) -> None:
    fish = needs_tool("fish")

    def offered(typed: str) -> list[str]:
        script = f"{GOLFNET} completion fish | source; complete -C '{typed}'"
        result = subprocess.run(
            [fish, "--no-config", "-c", script],
            capture_output=True,
            text=True,
            env=ENVIRON | {"HOME": str(tmp_path)},
            timeout=60,
        )
        assert result.stderr == ""
        return [line.partition("\t")[0] for line in result.stdout.splitlines()]

    assert offered("golfnet ser") == ["serve"]
    assert offered("golfnet serve --tls-c") == ["--tls-cert"]
    assert offered("golfnet serve --durability ") == ["full", "normal"]
    assert offered("golfnet admin dr") == ["drain"]
    assert "--solo" in offered("golfnet-client --so")


def test_zsh_accepts_the_script_and_completes(needs_tool: Callable[[str], str], tmp_path: object) -> None:
    script = f"""
        autoload -U compinit && compinit -D -u
        eval "$({GOLFNET} completion zsh)"
        emulate ksh
        echo ${{_comps[golfnet]}} ${{_comps[golfnet-client]}}
        COMP_WORDS=(golfnet serve --durability "") COMP_CWORD=3
        _golfnet
        echo "${{COMPREPLY[@]}}"
    """
    result = subprocess.run(
        [needs_tool("zsh"), "-f", "-c", script],
        capture_output=True,
        text=True,
        env=ENVIRON | {"HOME": str(tmp_path)},
        timeout=60,
    )
    assert result.stderr == ""
    registered, offered = result.stdout.splitlines()
    assert registered.endswith("-F _golfnet _bash_complete -o default -F _golfnet_client")
    assert offered == "full normal"


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", "csh"])
    assert ended.value.code == 2
    assert "choose from" in capsys.readouterr().err
