"""The ``golfnet`` command: a table of subcommands, each in a module that is imported only when it is used."""

import argparse
import gc
import io
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import Final

from golfnet import __version__

COMMANDS: Final = {
    "serve": "run the server",
    "config": "print every setting, as a configuration file",
    "discover": "list the servers on the local network, and how to connect",
    "admin": "talk to a running server: who is here, kick, ban, announce, stop",
    "cluster": "list the nodes of a cluster, and say what is wrong",
    "backup": "copy the database, even while a server is using it",
    "schema": "print the JSON Schema of what programs receive",
    "bot": "let a bot play on any server",
    "arena": "let bots play against each other",
    "export": "write the record of a finished match to a file",
    "replay": "show a recorded match step by step",
    "verify": "check a record, or a whole database",
    "completion": "print a shell completion script",
    "man": "print a manual page, or write all of them",
}
"""Subcommands with their summaries; ``golfnet.cli.NAME`` has ``add_arguments(parser)`` and ``run(args)``, and may have
``DESCRIPTION`` and ``EPILOG`` for its help. ``run`` raises ``Failed`` if it cannot do its work; it returns the exit
status, or None for 0."""

EPILOG: Final = """\
golfnet COMMAND --help explains a command. The quickest start: golfnet serve, then nc 127.0.0.1 7777 in another
terminal. golfnet-client --solo starts a match against bots at once.

files:
  golfnet.toml    settings, if you make this file; golfnet config prints one to start from
  golfnet.db      matches, players and records. Files next to it, with the same name and another suffix: .admin is the
                  socket for golfnet admin, .audit.log what operators did, .sanctions.json who is banned, .tls.pem the
                  server's own certificate
  Linux           ~/.config/golfnet and ~/.local/state/golfnet, or where XDG_CONFIG_HOME and XDG_STATE_HOME point
  macOS           ~/Library/Application Support/golfnet, or where these variables point
  Windows         the folder golfnet in %LOCALAPPDATA%"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 failed, 2 not understood."""
    if argv is None:
        sys.excepthook = _report_bug
    if isinstance(sys.stdout, io.TextIOWrapper):
        # On Windows, the encoding of a pipe lacks many characters that occur in names.
        sys.stdout.reconfigure(errors="replace")
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["--version"]:
        from golfnet.release import version_line

        print(version_line("golfnet"))
        return 0
    chosen = [word for word in words if word in COMMANDS][:1]
    with loading():
        from golfnet.cli.output import BAD_USAGE, Failed, complain

        parser = command_line(chosen, chosen if chosen and words[0] in chosen else COMMANDS)
    args, unknown = parser.parse_known_args(words)
    if unknown:
        parser.exit(BAD_USAGE, f"golfnet {args.command}: {_unknown_word(unknown[0], parser, args.command)}\n")
    try:
        return import_module(f"golfnet.cli.{args.command}").run(args) or 0
    except Failed as failed:
        complain(args.command, f"{failed}")
        return failed.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has closed the pipe
        return 0


def _unknown_word(word: str, parser: argparse.ArgumentParser, command: str) -> str:
    from golfnet.engine.forms import alike

    close = alike(word.partition("=")[0], subcommands(parser)[command]._option_string_actions)
    advice = f"did you mean {close[0]}?" if close else f"to see all of them: golfnet {command} --help"
    kind = "option" if word.startswith("-") else "argument"
    return f"there is no {kind} {word.partition('=')[0]}; {advice}"


def _report_bug(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug, without control characters, since it may contain text from strangers."""
    import traceback

    from golfnet.protocol.lines import clean_line

    for line in "".join(traceback.format_exception(kind, fault, trace)).splitlines():
        print(clean_line(line), file=sys.stderr)


@contextmanager
def loading() -> Iterator[None]:
    """Exclude everything loaded in this block from garbage collection: none of it is ever freed."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def command_line(chosen: Container[str], known: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser for the ``known`` subcommands, with the arguments of the chosen ones only."""
    parser = argparse.ArgumentParser(
        prog="golfnet",
        description="The card game Golf for people and programs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"golfnet {__version__}",
        help="print the version, and the commit if it is known",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in known:
        summary = COMMANDS[name]
        subparser = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in chosen:
            module = import_module(f"golfnet.cli.{name}")
            subparser.description = getattr(module, "DESCRIPTION", subparser.description)
            subparser.epilog = getattr(module, "EPILOG", None)
            module.add_arguments(subparser)
    return parser


def subcommands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the parsers of all subcommands."""
    return next(
        action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )


def positive(text: str) -> int:
    """Return the number in an argument. Raise ``ArgumentTypeError`` if it is not at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
