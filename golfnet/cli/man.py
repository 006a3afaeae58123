"""``golfnet man``: manual pages for ``man``, made from the parsers of the command line, so they are always up to date.

There is one page for ``golfnet``, one for each subcommand, and one for ``golfnet-client`` if it is installed. The page
of ``golfnet-client`` is made from the output of ``--help``, since this package does not know the client's options.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from golfnet import __version__
from golfnet.cli.main import COMMANDS, command_line, subcommands
from golfnet.cli.output import FAILED, Failed, show

DESCRIPTION = """\
Print the manual page for golfnet or for a subcommand, or write all pages to a folder for man."""

EPILOG = """\
examples:
  golfnet man serve | man -l -               read a page
  golfnet man --into ~/.local/share/man/man1 write them where man looks; then: man golfnet-serve

Exit status: 0 printed or written, 1 the folder cannot be written, 2 there is no such page."""

_CLIENT: Final = "golfnet-client"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: a subcommand, or a folder."""
    parser.add_argument(
        "subcommand", nargs="?", metavar="COMMAND", help="a subcommand; without one, golfnet's own page"
    )
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="write all pages there, as NAME.1")


def run(args: argparse.Namespace) -> None:
    """Print a page, or write all of them."""
    if args.into is not None:
        _write_all(args.into)
        return
    if args.subcommand not in (None, *COMMANDS):
        raise Failed(f"there is no subcommand {args.subcommand}; expected one of {', '.join(COMMANDS)}")
    show(*page(args.subcommand or ""))


def page(subcommand: str = "") -> Iterator[str]:
    """Yield the lines of a subcommand's page in man's markup, or of golfnet's own page."""
    parser = command_line((subcommand,))
    name, summary = "golfnet", "the card game Golf for people and programs"
    if subcommand:
        name, summary = f"golfnet-{subcommand}", COMMANDS[subcommand]
        parser = subcommands(parser)[subcommand]
    yield from _head(name, summary)
    yield ".SH SYNOPSIS"
    yield " ".join([f".B {_plain(name.replace('-', ' ', 1))}", *_synopsis(parser)])
    yield ".SH DESCRIPTION"
    yield from _lines(parser.description or "")
    if not subcommand:
        yield ".SH COMMANDS"
        for command, meaning in COMMANDS.items():
            yield from (".TP", f".BR golfnet\\-{_plain(command)} (1)", *_lines(meaning))
    for group in parser._action_groups:
        options = [each for each in group._group_actions if not isinstance(each, argparse._SubParsersAction)]
        if options:
            yield f".SH {_plain((group.title or 'options').upper())}"
        for option in options:
            yield from (".TP", f".B {_plain(_invocation(option))}", *_lines(_meaning(option)))
    yield ".SH NOTES"
    yield from _as_it_is(parser.epilog or "")


def _head(name: str, summary: str) -> Iterator[str]:
    yield f'.TH {name.upper()} 1 "" "golfnet {__version__}" golfnet'
    yield ".SH NAME"
    yield f"{_plain(name)} \\- {_plain(summary)}"


def _synopsis(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the required arguments of a command, and then a placeholder for its options."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield "COMMAND"
        elif action.required and action.option_strings:
            yield _plain(f"{action.option_strings[0]} {action.metavar}")
        elif not action.option_strings:
            word = _plain(str(action.metavar or action.dest))
            yield f"[{word}]" if action.nargs in ("?", "*") else word
    yield "[OPTION]..."


def _invocation(action: argparse.Action) -> str:
    value = action.metavar or (
        f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    )
    value = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        return str(value)
    shown = ", ".join(action.option_strings)
    return shown if action.nargs == 0 else f"{shown} {value}"


def _meaning(action: argparse.Action) -> str:
    known = {name: value for name, value in vars(action).items() if not name.startswith("_")}
    return ((action.help or "") % {**known, "prog": "golfnet"}).replace(str(Path.home()), "~")


def _write_all(folder: Path) -> None:
    pages = {"golfnet": "\n".join(page()), **{f"golfnet-{name}": "\n".join(page(name)) for name in COMMANDS}}
    if client_help := _help_of_client():
        pages[_CLIENT] = "\n".join(
            [
                *_head(_CLIENT, "the card game Golf in your terminal"),
                ".SH DESCRIPTION",
                *_as_it_is(client_help),
            ]
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / f"{name}.1").write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise Failed(f"{folder}: {error.strerror}", FAILED) from None
    show(f"{folder}: {len(pages)} pages")


def _help_of_client() -> str:
    """Return the client's help, or ``""`` if the client is neither next to this Python nor on the path."""
    beside = str(Path(sys.executable).parent)
    program = shutil.which(_CLIENT, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if program is None:
        return ""
    return subprocess.run(
        [program, "--help"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80"},
        check=False,
    ).stdout


def _as_it_is(text: str) -> Iterator[str]:
    yield from (".nf", *_lines(text), ".fi")


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, escaped so that man interprets none of them as a request."""
    for line in text.strip("\n").split("\n"):
        yield f"\\&{_plain(line)}" if line[:1] in (".", "'") else _plain(line)


def _plain(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
