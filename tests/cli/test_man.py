import re
from pathlib import Path

import pytest

from golfnet.cli.main import COMMANDS, command_line, main, subcommands
from golfnet.cli.man import page


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


def test_only_known_requests_begin_with_a_dot() -> None:
    for command in ("", *COMMANDS):
        requests = {line.split()[0] for line in page(command) if line.startswith((".", "'"))}
        assert requests <= {".TH", ".SH", ".TP", ".B", ".BR", ".nf", ".fi"}


def test_the_main_page_names_all_commands_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(".TH GOLFNET 1")
    for command in COMMANDS:
        assert f".BR golfnet\\-{command} (1)" in printed
    assert "golfnet.toml" in printed


def test_all_pages_are_written_into_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", "--into", str(tmp_path / "share" / "man1")]) == 0
    written = {path.name for path in (tmp_path / "share" / "man1").iterdir()}
    assert written == {"golfnet.1", "golfnet-client.1", *(f"golfnet-{command}.1" for command in COMMANDS)}
    assert "\\-\\-solo" in (tmp_path / "share" / "man1" / "golfnet-client.1").read_text("utf-8")
    assert capsys.readouterr().out.endswith(f"{len(written)} pages\n")
    (tmp_path / "file").touch()
    assert main(["man", "--into", str(tmp_path / "file")]) == 1
    assert main(["man", "poker"]) == 2
