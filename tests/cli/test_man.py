"""``golfnet man``: the pages have everything that the help has."""

import re
from pathlib import Path

import pytest

from golfnet.cli.main import COMMANDS, command_line, subcommands
from golfnet.cli.man import page
from tests.cli.conftest import Golfnet


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_has_every_option_and_every_line_of_the_help(command: str) -> None:
    parser = subcommands(command_line((command,)))[command]
    lines = list(page(command))
    assert lines[0].startswith(f".TH GOLFNET-{command.upper()} 1 ")
    told = "\n".join(lines).replace("\\-", "-").replace("\\e", "\\")
    for action in parser._actions:
        for flag in action.option_strings:
            assert re.search(rf"^\.B .*{re.escape(flag)}\b", told, re.MULTILINE), flag
    for line in (parser.epilog or "").splitlines():
        assert line in told
    assert not re.search(r"%\(|None", told)


def test_only_known_roff_requests_begin_with_a_dot() -> None:
    for command in ("", *COMMANDS):
        requests = {line.split()[0] for line in page(command) if line.startswith((".", "'"))}
        assert requests <= {".TH", ".SH", ".TP", ".B", ".BR", ".nf", ".fi"}


def test_the_main_page_names_all_commands_and_files(golfnet: Golfnet) -> None:
    status, out, _ = golfnet("man")
    assert status == 0
    assert out.startswith(".TH GOLFNET 1")
    assert [command for command in COMMANDS if f".BR golfnet\\-{command} (1)" not in out] == []
    for file in ("golfnet.toml", "golfnet.db", ".audit.log", ".sanctions.json", ".tls.pem", ".admin"):
        assert file in out


def test_all_pages_are_written_into_a_folder(tmp_path: Path, golfnet: Golfnet) -> None:
    folder = tmp_path / "share" / "man1"
    ran = golfnet("man", "--into", folder)
    written = {path.name for path in folder.iterdir()}
    assert written == {"golfnet.1", "golfnet-client.1", *(f"golfnet-{command}.1" for command in COMMANDS)}
    assert "\\-\\-solo" in (folder / "golfnet-client.1").read_text("utf-8")
    assert ran.out.endswith(f"{len(written)} pages\n")
